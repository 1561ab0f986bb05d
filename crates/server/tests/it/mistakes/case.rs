//! A valid call for every argument of every tool, made from the schemas and the examples of the manifest.
//!
//! A tool that joins the manifest needs nothing here. Where an argument means something only beside others, an example
//! of the tool shows them together.

use contract::Tool;
use serde_json::{Value, json};

use super::Arguments;
use crate::world::World;

/// A valid call of a tool in which one argument is about to go wrong.
pub struct Case {
    pub tool: String,
    /// Path of the argument; a number in it is a place in a list.
    pub path: String,
    pub schema: Arguments,
    pub is_required: bool,
    pub arguments: Value,
}

impl Case {
    pub fn name(&self) -> &str {
        self.path.rsplit('.').next().unwrap()
    }

    pub fn value(&self) -> &Value {
        self.arguments.pointer(&pointer(&self.path)).unwrap()
    }

    pub fn r#type(&self) -> &str {
        self.schema["type"].as_str().unwrap()
    }

    /// The same call with the argument under another name or with another value.
    pub fn with(&self, name: &str, value: Value) -> Value {
        let mut arguments = self.without();
        let object = arguments.pointer_mut(&pointer(&self.beside(""))).unwrap();
        object.as_object_mut().unwrap().insert(name.to_owned(), value);
        arguments
    }

    /// The same call without the argument.
    pub fn without(&self) -> Value {
        let mut arguments = self.arguments.clone();
        let object = arguments.pointer_mut(&pointer(&self.beside(""))).unwrap();
        object.as_object_mut().unwrap().shift_remove(self.name());
        arguments
    }

    /// The path of another name in the same object, or of that object itself.
    pub fn beside(&self, name: &str) -> String {
        match self.path.rsplit_once('.') {
            Some((outer, _)) if name.is_empty() => outer.to_owned(),
            Some((outer, _)) => format!("{outer}.{name}"),
            None => name.to_owned(),
        }
    }
}

fn pointer(path: &str) -> String {
    if path.is_empty() { String::new() } else { format!("/{}", path.replace('.', "/")) }
}

/// Every argument of every tool, each in a call that is valid but for what is done to it.
pub fn cases(world: &World) -> Vec<Case> {
    let tools = world.platform.endpoints[0].tools();
    let mut cases = Vec::new();
    for tool in tools {
        add_cases(tool, &tool.whole_schema(), "", &mut cases);
    }
    assert!(tools.len() >= 15 && cases.len() > 2 * tools.len());
    cases
}

fn add_cases(tool: &Tool, schema: &Arguments, at: &str, cases: &mut Vec<Case>) {
    for (name, inner) in properties(schema) {
        let path = if at.is_empty() { name.clone() } else { format!("{at}.{name}") };
        let mut case = case(tool, path.clone(), inner, valid_call(tool, &path));
        case.is_required = is_required(schema, name);
        cases.push(case);
        add_cases(tool, inner, &path, cases);
        if let Some(Value::Object(item)) = inner.get("items") {
            add_cases(tool, item, &format!("{path}.0"), cases);
        }
    }
}

pub fn case(tool: &Tool, path: String, schema: &Arguments, arguments: Value) -> Case {
    let tool = tool.name.strip_prefix("transformation.").unwrap().to_owned();
    Case { tool, path, schema: schema.clone(), is_required: false, arguments }
}

fn properties(schema: &Arguments) -> impl Iterator<Item = (&String, &Arguments)> {
    let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    properties.map(|(name, inner)| (name, inner.as_object().unwrap()))
}

fn is_required(schema: &Arguments, name: &str) -> bool {
    schema.get("required").and_then(Value::as_array).is_some_and(|names| names.contains(&json!(name)))
}

pub fn example(tool: &Tool) -> Value {
    tool.examples[0].input.clone()
}

/// A call with a value at `path`: the example that leads furthest towards it, completed from the schema.
fn valid_call(tool: &Tool, path: &str) -> Value {
    let names: Vec<&str> = path.split('.').collect();
    let reached = |call: &Value| {
        let starts = (1..=names.len()).map(|length| pointer(&names[..length].join(".")));
        starts.take_while(|start| call.pointer(start).is_some()).count()
    };
    // The last of equals wins, so the examples are taken from the end.
    let examples = tool.examples.iter().rev().map(|example| &example.input);
    let mut call = examples.max_by_key(|call| reached(call)).unwrap().clone();
    choose(&tool.input_schema, names[0], call.as_object_mut().unwrap());
    place(&tool.whole_schema(), &mut call, &names, 0);
    call
}

/// Where a word says which object carries the call, as `createView` does for `create_view`, makes the two agree.
fn choose(schema: &Arguments, object: &str, call: &mut Arguments) {
    let words = |inner: &Arguments| inner.get("enum").and_then(Value::as_array).cloned().unwrap_or_default();
    let word = json!(camel_case(object));
    let Some((chooser, inner)) = properties(schema).find(|(_, inner)| words(inner).contains(&word)) else { return };
    let words = words(inner);
    call.retain(|name, value| !value.is_object() || name == object || !words.contains(&json!(camel_case(name))));
    call.insert(chooser.clone(), word);
}

/// Puts a valid value at the path `names`. An object on the way keeps its other fields if it already leads there;
/// otherwise only those without which it is not valid.
fn place(schema: &Arguments, value: &mut Value, names: &[&str], depth: usize) {
    let Some((name, rest)) = names.split_first() else {
        match value {
            Value::Null => *value = valid(schema),
            Value::Array(items) => items.truncate(1),
            _ => {}
        }
        return;
    };
    if name.parse::<usize>().is_ok() {
        if value.is_null() {
            *value = json!([null]);
        }
        return place(schema["items"].as_object().unwrap(), &mut value[0], rest, depth + 1);
    }
    let leads = value.pointer(&pointer(&names.join("."))).is_some();
    if value.is_null() {
        *value = json!({});
    }
    let object = value.as_object_mut().unwrap();
    object.retain(|other, _| depth == 0 || leads || other == name || is_required(schema, other));
    for (other, inner) in properties(schema).filter(|(other, _)| is_required(schema, other) && other != name) {
        object.entry(other.clone()).or_insert_with(|| valid(inner));
    }
    let inner = schema["properties"][*name].as_object().unwrap();
    place(inner, object.entry(*name).or_insert(Value::Null), rest, depth + 1);
}

/// A value that fits a schema and is not its default.
fn valid(schema: &Arguments) -> Value {
    if let Some(options) = schema.get("enum").and_then(Value::as_array) {
        // The longest word, so that one slip cannot make it another one.
        return options
            .iter()
            .filter(|option| Some(*option) != schema.get("default"))
            .max_by_key(|option| option.as_str().unwrap().len())
            .unwrap()
            .clone();
    }
    match schema["type"].as_str().unwrap() {
        "integer" | "number" => {
            let most = schema.get("maximum").and_then(Value::as_i64).unwrap_or(7);
            json!(if schema.get("default") == Some(&json!(most)) { most - 1 } else { most })
        }
        "boolean" => json!(schema.get("default") != Some(&json!(true))),
        "array" => json!([valid(schema["items"].as_object().unwrap())]),
        "object" => {
            let first = properties(schema).next().map(|(name, _)| name);
            let needed = properties(schema).filter(|(name, _)| is_required(schema, name) || first == Some(*name));
            let object: Arguments = needed.map(|(name, inner)| (name.clone(), valid(inner))).collect();
            if object.is_empty() { json!({ "note": "n" }) } else { Value::Object(object) }
        }
        _ if schema.get("format") == Some(&json!("date-time")) => json!("2026-07-28T10:30:00Z"),
        _ => json!("word"),
    }
}

pub fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap().to_owned();
    words.fold(first, |name, word| name + &word[..1].to_uppercase() + &word[1..])
}
