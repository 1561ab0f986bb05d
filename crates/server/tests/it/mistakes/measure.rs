//! How well refusals help, measured: the published examples of both capabilities, made wrong in many ways.
//!
//! A wrong call counts three times: whether the refusal names the right fix, whether it points at the field at fault, and
//! whether it carries the call to send instead, or how to change what was sent where that is not repeated. Not every mistake
//! has one: what is missing cannot be made up.

use contract::{Edit, Tool};
use serde_json::{Value, json};

use super::Arguments;
use super::case::camel_case;
use crate::world::World;

/// A call that is wrong in one way.
struct Wrong {
    class: &'static str,
    tool: String,
    arguments: Value,
    field: String,
    /// A word without which the fix is not named.
    fix: String,
    /// The call that was meant.
    meant: Value,
    defaults: Arguments,
}

impl Wrong {
    /// Arguments without those that only repeat a default.
    fn plain(&self, mut arguments: Value) -> Value {
        arguments.as_object_mut().unwrap().retain(|name, value| self.defaults.get(name) != Some(value));
        arguments
    }
}

/// What a refusal says, in whichever envelope.
struct Refusal {
    field: String,
    text: String,
    corrected: Option<Value>,
}

impl Refusal {
    fn of(answer: &Value, sent: &Value) -> Option<Self> {
        let error = answer.get("error")?;
        let (details, suggestions) = (&error["details"], &error["suggestions"]);
        let field = error["field"].as_str().or_else(|| details["field"].as_str())?.to_owned();
        let told = |from: &Value, name: &str| from.get(name).map(Value::to_string).unwrap_or_default();
        let text = [told(suggestions, "hint"), told(details, "fix"), told(suggestions, "did_you_mean")].join(" ");
        let corrected = suggestions.get("corrected_arguments").or_else(|| details.get("corrected_arguments"));
        let changed = || {
            let mut changed = sent.clone();
            Edit::apply(&edits(details.get("correction")?), &mut changed).map(|()| changed)
        };
        Some(Self { field, text, corrected: corrected.cloned().or_else(changed) })
    }
}

/// The operations of a JSON Patch.
fn edits(patch: &Value) -> Vec<Edit> {
    let text = |edit: &Value, name: &str| edit[name].as_str().unwrap().to_owned();
    let operation = |edit: &Value| match text(edit, "op").as_str() {
        "add" => Edit::Add { path: text(edit, "path"), value: edit["value"].clone() },
        "replace" => Edit::Replace { path: text(edit, "path"), value: edit["value"].clone() },
        "move" => Edit::Move { from: text(edit, "from"), path: text(edit, "path") },
        _ => Edit::Remove { path: text(edit, "path") },
    };
    patch.as_array().unwrap().iter().map(operation).collect()
}

#[derive(Default)]
struct Score {
    calls: usize,
    named: usize,
    pointed: usize,
    corrected: usize,
    missed: Vec<String>,
}

impl Score {
    fn add(&mut self, wrong: &Wrong, answer: &Value) {
        let refusal = Refusal::of(answer, &wrong.arguments);
        let named = refusal.as_ref().is_some_and(|refusal| refusal.text.contains(&wrong.fix));
        let pointed = refusal.as_ref().is_some_and(|refusal| refusal.field == wrong.field);
        let corrected = refusal.and_then(|refusal| refusal.corrected);
        let corrected = corrected.is_some_and(|corrected| wrong.plain(corrected) == wrong.plain(wrong.meant.clone()));
        self.calls += 1;
        self.named += usize::from(named);
        self.pointed += usize::from(pointed);
        self.corrected += usize::from(corrected);
        if !(named && pointed && corrected) {
            let Wrong { class, tool, arguments, .. } = wrong;
            self.missed.push(format!("{class} {named} {pointed} {corrected}: {tool} {arguments} -> {answer}"));
        }
    }

    fn percent(&self, count: usize) -> usize {
        100 * count / self.calls
    }

    #[track_caller]
    #[expect(clippy::print_stdout, reason = "the figures are what this measures")]
    fn reaches(&self, capability: &str) {
        let reached = [self.named, self.pointed, self.corrected].map(|count| self.percent(count));
        let missed = self.missed.join("\n");
        println!(
            "{capability}: {} wrong calls, fix named {} %, field pointed at {} %, corrected {} %",
            self.calls, reached[0], reached[1], reached[2]
        );
        assert!(self.calls >= 60, "{capability}: only {} wrong calls", self.calls);
        assert!(reached[0] >= 95 && reached[1] >= 90 && reached[2] >= 80, "{capability} {reached:?}\n{missed}");
    }
}

// R-804 (transformation)
#[tokio::test]
async fn refusals_of_transformation_lead_to_the_right_call() {
    let world = World::new().await;
    let tools = world.platform.endpoint("transformation").unwrap().tools().to_vec();
    let mut score = Score::default();
    for wrong in wrong_calls(&tools) {
        let tool = wrong.tool.strip_prefix("transformation.").unwrap();
        let answer = world.call(tool, wrong.arguments.clone()).await;
        score.add(&wrong, &answer);
    }
    score.reaches("transformation");
}

// R-804 (neotoma)
#[tokio::test]
async fn refusals_of_neotoma_lead_to_the_right_call() {
    let world = World::new().await;
    let tools = world.platform.endpoint("neotoma").unwrap().tools().to_vec();
    let mut score = Score::default();
    for wrong in wrong_calls(&tools) {
        let answer = world.call_neotoma(&wrong.tool, wrong.arguments.clone()).await;
        score.add(&wrong, &answer);
    }
    score.reaches("neotoma");
}

/// Every example of every tool, wrong in every way that applies to one of its arguments.
fn wrong_calls(tools: &[Tool]) -> Vec<Wrong> {
    let mut wrong = Vec::new();
    for tool in tools {
        for example in &tool.examples {
            let meant = example.input.as_object().unwrap();
            for (name, value) in meant {
                let schema = tool.input_schema["properties"][name].as_object().unwrap();
                let argument = Argument { tool, meant, name, value, schema };
                wrong.extend(argument.misnamed());
                wrong.extend(argument.mistyped());
                wrong.extend(argument.misplaced());
                wrong.extend(argument.missing());
            }
            wrong.extend(out_of_bounds(tool, meant));
        }
    }
    wrong
}

/// One argument of an example.
struct Argument<'a> {
    tool: &'a Tool,
    meant: &'a Arguments,
    name: &'a str,
    value: &'a Value,
    schema: &'a Arguments,
}

impl Argument<'_> {
    fn wrong(&self, class: &'static str, field: &str, fix: &str, arguments: Arguments) -> Wrong {
        Wrong {
            class,
            tool: self.tool.name.clone(),
            arguments: Value::Object(arguments),
            field: field.to_owned(),
            fix: fix.to_owned(),
            meant: Value::Object(self.meant.clone()),
            defaults: defaults(self.tool),
        }
    }

    /// The same call with the argument under another name.
    fn renamed(&self, name: &str) -> Arguments {
        self.meant
            .iter()
            .map(|(old, value)| (if old == self.name { name } else { old }.to_owned(), value.clone()))
            .collect()
    }

    /// The same call with another value.
    fn with(&self, value: Value) -> Arguments {
        let mut arguments = self.meant.clone();
        arguments.insert(self.name.to_owned(), value);
        arguments
    }

    fn is_free(&self, name: &str) -> bool {
        self.tool.input_schema["properties"].get(name).is_none()
    }

    /// Casing, separators, slips of the keyboard and other words for a name.
    fn misnamed(&self) -> Vec<Wrong> {
        let mut names = vec![self.name.to_uppercase()];
        if self.name.contains('_') {
            names.extend([camel_case(self.name), self.name.replace('_', "-")]);
        }
        if self.name.len() >= 5 {
            names.extend([self.name.replacen(&self.name[1..2], "", 1), format!("{}s", self.name)]);
        }
        names.extend(other_name(self.name).map(str::to_owned));
        let used = names.into_iter().filter(|name| name != self.name && self.is_free(name));
        used.map(|name| self.wrong("name", &name, self.name, self.renamed(&name))).collect()
    }

    /// Numbers and truth values in quotes, lists and their only value, wrapped values, misspelt words, dates.
    fn mistyped(&self) -> Vec<Wrong> {
        let wrong = |class: &'static str, fix: &str, value: Value| self.wrong(class, self.name, fix, self.with(value));
        let wanted = self.schema.get("type").and_then(Value::as_str).unwrap_or_default();
        let mut found = Vec::new();
        match wanted {
            "integer" | "number" | "boolean" => {
                found.push(wrong("in quotes", self.name, json!(self.value.to_string())))
            }
            "array" if self.value.as_array().is_some_and(|items| items.len() == 1) => {
                found.push(wrong("no list", self.name, self.value[0].clone()));
            }
            "string" => found.push(wrong("wrapped", self.name, json!({ "value": self.value }))),
            _ => {}
        }
        if !wanted.is_empty() && wanted != "array" {
            found.push(wrong("in a list", self.name, json!([self.value])));
        }
        if self.schema.contains_key("enum") {
            let word = self.value.as_str().unwrap();
            let last = word.chars().last().unwrap();
            found.push(wrong("misspelt", word, json!(format!("{word}{last}"))));
            found.extend(other_word(word).map(|other| wrong("synonym", word, json!(other))));
        }
        if let Value::Object(inner) = self.value {
            for (name, value) in inner.iter().filter(|(_, value)| is_moment(value)) {
                let mut object = inner.clone();
                object.insert(name.clone(), json!(value.as_str().unwrap().replace('T', " ").trim_end_matches('Z')));
                let field = format!("{}.{name}", self.name);
                found.push(self.wrong("date", &field, "T10:30:00Z", self.with(Value::Object(object))));
            }
        }
        found
    }

    /// One object too few or too many.
    fn misplaced(&self) -> Vec<Wrong> {
        let mut found = Vec::new();
        let first = self.meant.keys().next().is_some_and(|name| name == self.name);
        if first && self.is_free("arguments") {
            let whole = [("arguments".to_owned(), Value::Object(self.meant.clone()))].into_iter().collect();
            found.push(self.wrong("wrapped whole", "arguments", self.name, whole));
        }
        if let (Value::Object(inner), true) = (self.value, self.schema.contains_key("properties")) {
            let all_free = inner.keys().all(|name| self.is_free(name) && !self.meant.contains_key(name));
            if let (true, Some(name)) = (all_free, inner.keys().next()) {
                let mut flat = self.meant.clone();
                flat.shift_remove(self.name);
                flat.extend(inner.clone());
                found.push(self.wrong("flat", name, self.name, flat));
            }
        }
        found
    }

    /// What is required, left out or null.
    fn missing(&self) -> Vec<Wrong> {
        let required = self.tool.input_schema.get("required").and_then(Value::as_array);
        if !required.is_some_and(|names| names.contains(&json!(self.name))) || !self.schema.contains_key("type") {
            return Vec::new();
        }
        let mut without = self.meant.clone();
        without.shift_remove(self.name);
        vec![self.wrong("missing", self.name, self.name, without)]
    }
}

/// A number past its bound, in an argument that the example leaves out.
fn out_of_bounds(tool: &Tool, meant: &Arguments) -> Option<Wrong> {
    let properties = tool.input_schema["properties"].as_object().unwrap();
    let bounded = |schema: &Value| schema.get("default").and(schema.get("maximum")).and_then(Value::as_i64);
    let (name, most) = properties.iter().find_map(|(name, schema)| Some((name, bounded(schema)?)))?;
    let mut arguments = meant.clone();
    arguments.insert(name.clone(), json!(most * 10));
    let mut corrected = meant.clone();
    corrected.insert(name.clone(), json!(most));
    Some(Wrong {
        class: "too large",
        tool: tool.name.clone(),
        arguments: Value::Object(arguments),
        field: name.clone(),
        fix: most.to_string(),
        meant: Value::Object(corrected),
        defaults: defaults(tool),
    })
}

fn defaults(tool: &Tool) -> Arguments {
    let properties = tool.input_schema["properties"].as_object().unwrap().iter();
    properties.filter_map(|(name, schema)| Some((name.clone(), schema.get("default")?.clone()))).collect()
}

fn is_moment(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.ends_with("T10:30:00Z"))
}

/// What models call an argument instead.
fn other_name(name: &str) -> Option<&'static str> {
    const OTHERS: [(&str, &str); 22] = [
        ("name", "title"),
        ("description", "desc"),
        ("query", "q"),
        ("model_id", "model"),
        ("element_id", "element"),
        ("view_id", "view"),
        ("baseline_id", "baseline"),
        ("source_id", "from"),
        ("target_id", "to"),
        ("top_k", "limit"),
        ("max_tokens", "token_limit"),
        ("entity_id", "id"),
        ("identifier", "search"),
        ("limit", "count"),
        ("max_hops", "depth"),
        ("node_id", "entity_id"),
        ("filters", "where"),
        ("file_content", "content"),
        ("mime_type", "content_type"),
        ("relationship_type", "relation"),
        ("from_entity_id", "from"),
        ("to_entity_id", "to"),
    ];
    OTHERS.iter().find(|(known, _)| *known == name).map(|(_, other)| *other)
}

/// What models call a permitted word instead.
fn other_word(word: &str) -> Option<&'static str> {
    const OTHERS: [(&str, &str); 6] = [
        ("inbound", "incoming"),
        ("outbound", "out"),
        ("both", "any"),
        ("application", "app"),
        ("published", "released"),
        ("PROPOSED", "pending"),
    ];
    OTHERS.iter().find(|(known, _)| *known == word).map(|(_, other)| *other)
}

#[test]
fn a_wrong_call_differs_from_the_one_that_was_meant() {
    let manifest = contract::generated::neotoma::manifest();
    let wrong = wrong_calls(&manifest.tools);
    let classes: std::collections::BTreeSet<_> = wrong.iter().map(|wrong| wrong.class).collect();
    assert!(classes.len() >= 8, "{classes:?}");
    assert!(wrong.iter().all(|wrong| wrong.arguments != wrong.meant));
}
