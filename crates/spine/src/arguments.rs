//! Arguments against a tool's schema: read kindly, refused with the fix.
//!
//! Before validation, what is certain is put right: an object sent as JSON text is unwrapped, an enum word in another
//! spelling becomes the published one, `null` for an optional argument means absent, and defaults are filled in.
//! Everything else that does not fit is a violation that names the nearest valid name or value, and [`correction`] says how
//! the arguments were probably meant.

mod correction;

use std::collections::BTreeMap;

use contract::{Manifest, Misfit, Violation, ViolationKind, labels};
use jsonschema::Validator;
use jsonschema::error::ValidationErrorKind;
use scope::pace;
use serde_json::{Map, Value};

use crate::json;

/// How many near misses a refusal names.
const NEAREST_MAX: usize = 3;
/// What looking at a value takes, in nanoseconds.
const PER_VALUE: u32 = 50;
/// How much of a wrong value a refusal repeats.
const SHOWN_CHARS_MAX: usize = 120;

/// A tool's schema, ready to use.
pub struct Checker {
    schema: Map<String, Value>,
    validator: Validator,
}

/// The schemas of a capability's tools, compiled once and shared by its endpoint and its dry runs.
pub struct Checkers(BTreeMap<String, Checker>);

impl Checkers {
    /// Fails on a schema that is not one.
    pub fn new(manifest: &Manifest) -> Result<Self, String> {
        let compile = |tool: &contract::Tool| {
            let checker =
                Checker::new(&tool.checked_schema()).map_err(|error| format!("schema of {}: {error}", tool.name))?;
            Ok((tool.name.clone(), checker))
        };
        manifest.tools.iter().map(compile).collect::<Result<_, String>>().map(Self)
    }

    /// Arguments as the tool would get them. `tool` is a canonical name.
    pub fn check(&self, tool: &str, arguments: Map<String, Value>) -> Result<Checked, Misfit> {
        match self.0.get(tool) {
            Some(checker) => checker.check(arguments),
            None => Ok(Checked { arguments, unwrapped: 0 }),
        }
    }
}

/// Arguments that fit, and what had to be put right on the way.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked {
    pub arguments: Map<String, Value>,
    /// How many values arrived as JSON text.
    pub unwrapped: usize,
}

impl Checker {
    /// Compiles a schema. The catalog's schemas are checked when they are generated, so this fails only for hand-made ones.
    pub fn new(schema: &Map<String, Value>) -> Result<Self, String> {
        let mut schema = schema.clone();
        tighten(&mut schema);
        let validator = jsonschema::validator_for(&Value::Object(schema.clone())).map_err(|error| error.to_string())?;
        Ok(Self { schema, validator })
    }

    /// Puts right what is certain, then validates.
    pub fn check(&self, mut arguments: Map<String, Value>) -> Result<Checked, Misfit> {
        let mut unwrapped = 0;
        put_right(&self.schema, &mut arguments, &mut unwrapped);
        let whole = Value::Object(arguments);
        if !self.validator.is_valid(&whole) {
            return Err(self.misfit(whole));
        }
        if let Some(path) = path_to_nul(&whole) {
            let message = "contains a NUL character, which no text may hold".to_owned();
            let open = vec![path.clone()];
            let violations = vec![Violation { path, kind: ViolationKind::Other { message } }];
            return Err(Misfit { violations, corrected: Map::new(), open });
        }
        let Value::Object(arguments) = whole else { unreachable!("made from an object above") };
        Ok(Checked { arguments, unwrapped })
    }

    /// What is wrong, and the arguments as they were probably meant.
    fn misfit(&self, whole: Value) -> Misfit {
        let violations = most_helpful_first(self.violations(&whole));
        let Value::Object(mut corrected) = whole else { unreachable!("arguments are an object") };
        let mut open = correction::correct(&self.schema, &mut corrected);
        put_right(&self.schema, &mut corrected, &mut 0);
        let whole = Value::Object(corrected);
        open.extend(self.violations(&whole).into_iter().map(|violation| violation.path));
        open.extend(path_to_nul(&whole));
        let Value::Object(mut corrected) = whole else { unreachable!("made from an object above") };
        correction::leave_defaults_out(&self.schema, &mut corrected);
        Misfit { violations, corrected, open }
    }

    fn violations(&self, whole: &Value) -> Vec<Violation> {
        self.validator.iter_errors(whole).flat_map(|error| self.explain(&error)).collect()
    }

    fn explain(&self, error: &jsonschema::ValidationError<'_>) -> Vec<Violation> {
        let at = dotted(&error.instance_path().to_string());
        let one = |path: String, kind| vec![Violation { path, kind }];
        match error.kind() {
            ValidationErrorKind::AdditionalProperties { unexpected } => {
                let Some(schema) = self.schema_at(&at) else {
                    return one(at, ViolationKind::Other { message: shortened(error.to_string()) });
                };
                let known: Vec<String> = properties(schema).map(|(name, _)| name.clone()).collect();
                let given = error.instance().as_object().cloned().unwrap_or_default();
                unexpected
                    .iter()
                    .map(|name| {
                        let mut near = nearest(name, &known);
                        if let Some(meant) = correction::meant_name(schema, &given, name) {
                            near.retain(|other| other != meant);
                            near.insert(0, meant.to_owned());
                        }
                        let kind = ViolationKind::Unknown { nearest: near, known: known.clone() };
                        Violation { path: joined(&at, name), kind }
                    })
                    .collect()
            }
            ValidationErrorKind::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                one(joined(&at, name), ViolationKind::Missing)
            }
            ValidationErrorKind::Enum { options } => {
                let permitted: Vec<String> = options.as_array().into_iter().flatten().map(word).collect();
                let value = word(error.instance());
                let nearest = nearest(&value, &permitted);
                one(at, ViolationKind::NotOneOf { value: shortened(value), nearest, permitted })
            }
            ValidationErrorKind::Type { .. } => {
                let wanted = self.schema_at(&at).and_then(|schema| schema.get("type")?.as_str()).unwrap_or("value");
                one(at, ViolationKind::WrongType { given: type_of(error.instance()), wanted: wanted.to_owned() })
            }
            _ => one(at, ViolationKind::Other { message: shortened(error.to_string()) }),
        }
    }

    /// The schema of the argument at a path; a number in it is a place in a list.
    fn schema_at(&self, path: &str) -> Option<&Map<String, Value>> {
        path.split('.').filter(|name| !name.is_empty()).try_fold(&self.schema, |schema, name| {
            property(schema, name).or_else(|| schema.get("items").and_then(Value::as_object))
        })
    }
}

fn properties(schema: &Map<String, Value>) -> impl Iterator<Item = (&String, &Map<String, Value>)> {
    let entries = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    entries.filter_map(|(name, inner)| Some((name, inner.as_object()?)))
}

fn property<'a>(schema: &'a Map<String, Value>, name: &str) -> Option<&'a Map<String, Value>> {
    schema.get("properties")?.get(name)?.as_object()
}

fn put_right(schema: &Map<String, Value>, arguments: &mut Map<String, Value>, unwrapped: &mut usize) {
    let required = |name: &str| {
        schema.get("required").and_then(Value::as_array).is_some_and(|names| names.iter().any(|given| given == name))
    };
    pace::worked(PER_VALUE);
    for (name, inner) in properties(schema) {
        let wanted = inner.get("type").and_then(Value::as_str).unwrap_or_default();
        if arguments.get(name).is_some_and(Value::is_null) && !required(name) && wanted != "null" {
            arguments.shift_remove(name);
        }
        match arguments.get_mut(name) {
            None => {
                if let Some(default) = inner.get("default") {
                    arguments.insert(name.clone(), default.clone());
                }
            }
            Some(value) => put_value_right(inner, wanted, value, unwrapped),
        }
    }
}

fn put_value_right(schema: &Map<String, Value>, wanted: &str, value: &mut Value, unwrapped: &mut usize) {
    if let Value::String(text) = &*value {
        if wanted == "object" || wanted == "array" {
            let parsed = json::parse(text.as_bytes(), 64).ok();
            if let Some(parsed) = parsed.filter(|parsed| {
                parsed.is_object() == (wanted == "object") && (parsed.is_object() || parsed.is_array())
            }) {
                *value = parsed;
                *unwrapped += 1;
            }
        } else if let Some(options) = schema.get("enum").and_then(Value::as_array) {
            // A word may carry the namespace it comes from: `archimate:Node`, `transformation.createElement`.
            let local = text.rsplit([':', '.']).next().unwrap_or(text);
            let same = |option: &&Value| {
                option.as_str().is_some_and(|option| labels::same(option, text) || labels::same(option, local))
            };
            if let Some(option) = options.iter().find(same) {
                *value = option.clone();
            }
        }
    }
    match value {
        Value::Object(inner) => put_right(schema, inner, unwrapped),
        Value::Array(items) => {
            if let Some(Value::Object(item_schema)) = schema.get("items") {
                let wanted = item_schema.get("type").and_then(Value::as_str).unwrap_or_default();
                items.iter_mut().for_each(|item| put_value_right(item_schema, wanted, item, unwrapped));
            }
        }
        _ => {}
    }
}

/// The closest candidates, best first; none when nothing is close.
pub fn nearest(word: &str, candidates: &[String]) -> Vec<String> {
    let word = word.to_lowercase();
    let mut scored: Vec<(f64, &String)> = candidates
        .iter()
        .map(|candidate| (strsim::jaro_winkler(&word, &candidate.to_lowercase()), candidate))
        .filter(|(score, _)| *score >= 0.75)
        .collect();
    scored.sort_by(|left, right| right.0.total_cmp(&left.0).then_with(|| left.1.cmp(right.1)));
    scored.into_iter().take(NEAREST_MAX).map(|(_, candidate)| candidate.clone()).collect()
}

/// A misspelt name explains a missing one, so it comes first.
fn most_helpful_first(mut violations: Vec<Violation>) -> Vec<Violation> {
    violations.sort_by_key(|violation| match &violation.kind {
        ViolationKind::Unknown { nearest, .. } if !nearest.is_empty() => 0,
        ViolationKind::Missing => 1,
        ViolationKind::NotOneOf { .. } => 2,
        ViolationKind::WrongType { .. } | ViolationKind::Other { .. } => 3,
        ViolationKind::Unknown { .. } => 4,
    });
    violations
}

fn path_to_nul(value: &Value) -> Option<String> {
    pace::worked(PER_VALUE);
    match value {
        Value::String(text) => text.contains('\0').then(String::new),
        Value::Array(items) => items.iter().find_map(path_to_nul),
        Value::Object(map) => map.iter().find_map(|(name, inner)| {
            if name.contains('\0') {
                return Some(String::new());
            }
            path_to_nul(inner).map(|path| joined(name, &path))
        }),
        _ => None,
    }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn word(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn shortened(text: String) -> String {
    if text.chars().count() <= SHOWN_CHARS_MAX {
        return text;
    }
    let start: String = text.chars().take(SHOWN_CHARS_MAX).collect();
    format!("{start}…")
}

fn dotted(pointer: &str) -> String {
    pointer.trim_start_matches('/').replace('/', ".")
}

fn joined(at: &str, name: &str) -> String {
    match (at.is_empty(), name.is_empty()) {
        (true, _) => name.to_owned(),
        (_, true) => at.to_owned(),
        _ => format!("{at}.{name}"),
    }
}

/// Adds what holds for every schema and is therefore not published with each: objects whose fields are listed take no
/// others, and a required text is not empty, since proto cannot tell an empty text from an absent one.
fn tighten(schema: &mut Map<String, Value>) {
    if let Some(Value::Object(items)) = schema.get_mut("items") {
        tighten(items);
    }
    let required: Vec<String> = schema
        .get("required")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).map(str::to_owned).collect())
        .unwrap_or_default();
    let Some(Value::Object(properties)) = schema.get_mut("properties") else { return };
    for (name, property) in properties {
        let Value::Object(property) = property else { continue };
        tighten(property);
        let is_text = property.get("type").is_some_and(|of| of == "string") && !property.contains_key("enum");
        if is_text && required.contains(name) && !property.contains_key("minLength") {
            property.insert("minLength".to_owned(), 1.into());
        }
    }
    if !schema.contains_key("additionalProperties") {
        schema.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn checker() -> Checker {
        let schema = json!({
            "type": "object",
            "properties": {
                "type": { "type": "string", "enum": ["ApplicationComponent", "ApplicationService", "Node"] },
                "name": { "type": "string", "minLength": 1 },
                "properties": { "type": "object", "additionalProperties": true },
                "page_size": { "type": "integer", "minimum": 1, "default": 50 },
                "read_context": {
                    "type": "object",
                    "properties": { "selector": { "type": "string", "enum": ["head", "as_of"] } },
                    "additionalProperties": false
                },
                "nodes": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {
                            "element_id": { "type": "string" },
                            "width": { "type": "integer", "default": 120 }
                        },
                        "required": ["element_id"],
                        "additionalProperties": false
                    }
                }
            },
            "required": ["type", "name"],
            "additionalProperties": false
        });
        Checker::new(schema.as_object().unwrap()).unwrap()
    }

    fn check(arguments: Value) -> Result<Value, Misfit> {
        checker().check(arguments.as_object().unwrap().clone()).map(|checked| Value::Object(checked.arguments))
    }

    #[track_caller]
    fn refused(arguments: Value, path: &str, part: &str) {
        let violations = check(arguments).unwrap_err().violations;
        let first = &violations[0];
        assert_eq!(first.path, path, "{violations:?}");
        assert!(format!("{:?}", first.kind).contains(part), "{violations:?}");
    }

    // R-234, R-057
    #[test]
    fn what_is_certain_is_put_right() {
        for spelling in [
            "ApplicationComponent",
            "APPLICATION_COMPONENT",
            "application component",
            "archimate:application-component",
        ] {
            let checked =
                check(json!({ "type": spelling, "name": "x", "properties": "{\"a\": 1}", "read_context": null }));
            let expected =
                json!({ "type": "ApplicationComponent", "name": "x", "properties": { "a": 1 }, "page_size": 50 });
            assert_eq!(checked, Ok(expected));
        }
    }

    // R-803
    #[test]
    fn a_misspelt_name_is_refused_with_the_nearest() {
        refused(json!({ "type": "Node", "nmae": "x" }), "nmae", r#"nearest: ["name"]"#);
        refused(
            json!({ "type": "Node", "name": "x", "read_context": { "selektor": "head" } }),
            "read_context.selektor",
            r#"nearest: ["selector"]"#,
        );
    }

    // R-142
    #[test]
    fn what_the_platform_supplies_is_refused_as_an_argument() {
        refused(json!({ "type": "Node", "name": "x", "tenant_id": "t" }), "tenant_id", "Unknown");
    }

    #[test]
    fn each_class_of_mistake_names_its_field() {
        refused(json!({ "type": "Node" }), "name", "Missing");
        refused(json!({ "type": "AppComponent", "name": "x" }), "type", r#"nearest: ["ApplicationComponent""#);
        refused(json!({ "type": "Node", "name": "" }), "name", "Other");
        refused(json!({ "type": "Node", "name": "x", "page_size": "5" }), "page_size", "WrongType");
        refused(json!({ "type": "Node", "name": "a\u{0}b" }), "name", "NUL");
    }

    // R-804 (transformation): what is certain is offered, ready to send.
    #[test]
    fn certain_corrections_are_offered() {
        offered(json!({ "type": "Nodee", "name": "x" }), json!({ "type": "Node", "name": "x" }));
        offered(json!({ "type": "Node", "nmae": "x" }), json!({ "type": "Node", "name": "x" }));
        offered(
            json!({ "type": "Node", "name": "x", "pageSize": "5" }),
            json!({ "type": "Node", "name": "x", "page_size": 5 }),
        );
        offered(json!({ "type": ["Node"], "name": 7 }), json!({ "type": "Node", "name": "7" }));
        offered(
            json!({ "type": "Node", "name": "x", "readContext": { "Selector": "HEAD" } }),
            json!({ "type": "Node", "name": "x", "read_context": { "selector": "head" } }),
        );
        offered(
            json!({ "type": "Node", "name": "x", "nodes": [{ "elementId": "e" }, { "element_id": 7, "width": "9" }] }),
            json!({ "type": "Node", "name": "x", "nodes": [{ "element_id": "e" }, { "element_id": "7", "width": 9 }] }),
        );
    }

    #[test]
    fn what_is_uncertain_stays_open() {
        left_open(json!({ "type": "Node" }), "name");
        left_open(json!({ "type": "Node", "name": "x", "tenant_id": "t" }), "tenant_id");
        left_open(json!({ "type": "ApplicationSomething", "name": "x" }), "type");
        left_open(json!({ "type": "Node", "name": ["x", "y"] }), "name");
        left_open(json!({ "type": "Node", "name": "x", "page_size": 0 }), "page_size");
        left_open(
            json!({ "type": "Node", "name": "x", "nodes": [{ "element_id": "e", "colour": "red" }] }),
            "nodes.0.colour",
        );
    }

    #[track_caller]
    fn offered(arguments: Value, expected: Value) {
        let misfit = check(arguments).unwrap_err();
        assert_eq!((Value::Object(misfit.corrected), misfit.open), (expected, vec![]));
    }

    #[track_caller]
    fn left_open(arguments: Value, path: &str) {
        assert_eq!(check(arguments).unwrap_err().open, [path]);
    }
}
