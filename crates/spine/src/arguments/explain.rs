//! What is wrong with arguments that do not fit, each with its field, the reason and what would fit.
//!
//! A walk along schema and arguments together, which ends when enough is said. The validator has the last word on whether
//! something is wrong at all; keywords that no published schema uses are told in its words.

use std::collections::HashMap;

use contract::{Violation, ViolationKind, excerpt};
use jsonschema::Validator;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::repair::{Null, meaning_of_null};
use super::schema::{self, in_words, is_closed, is_required, options, properties, property, type_in};
use super::{NAME_CHARS_MAX, correction, near, synonyms};

/// How many mistakes are explained.
const VIOLATIONS_MAX: usize = 32;
/// How many unknown names of one object are explained.
const UNKNOWN_MAX: usize = 16;
/// How much of a wrong value is repeated.
const SHOWN_CHARS_MAX: usize = 120;

/// What is wrong, at most a few dozen mistakes; at least one, since `validator` found `whole` wrong.
pub fn violations(
    schema: &Map<String, Value>,
    validator: &Validator,
    whole: &Value,
    cancelled: &CancellationToken,
) -> Vec<Violation> {
    let mut walk = Walk { cancelled, path: Vec::new(), found: Vec::new(), matchers: HashMap::new() };
    if let Value::Object(arguments) = whole {
        walk.object(schema, arguments);
    }
    if walk.found.is_empty() {
        walk.found.extend(validator.validate(whole).err().map(|error| unusual(&error)));
    }
    walk.found
}

/// A mistake against a keyword that is not among the usual ones.
fn unusual(error: &jsonschema::ValidationError<'_>) -> Violation {
    let path = error.instance_path().to_string().trim_start_matches('/').replace('/', ".");
    let keyword = error.kind().keyword();
    let reason = format!("does not fit the tool's input schema ({keyword})");
    let fix = format!("compare it with {keyword} in the tool's input schema");
    Violation { path: excerpt(&path, 3 * NAME_CHARS_MAX), kind: ViolationKind::Other { reason, fix } }
}

struct Walk<'a> {
    cancelled: &'a CancellationToken,
    path: Vec<Step<'a>>,
    found: Vec<Violation>,
    /// Compiled patterns and formats, by the place of their schema.
    matchers: HashMap<*const Map<String, Value>, Option<Validator>>,
}

#[derive(Clone, Copy)]
enum Step<'a> {
    Name(&'a str),
    Place(usize),
}

impl<'a> Walk<'a> {
    fn object(&mut self, schema: &'a Map<String, Value>, object: &'a Map<String, Value>) {
        let held = if is_closed(schema) { self.unknown(schema, object) } else { Vec::new() };
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        let is_missing = |name: &&str| !object.contains_key(*name) && !held.iter().any(|held| held == name);
        for name in required.filter_map(Value::as_str).filter(is_missing) {
            let wanted = property(schema, name).map_or_else(|| "any value".to_owned(), in_words);
            self.find(Step::Name(name), ViolationKind::Missing { wanted });
        }
        for (name, inner) in properties(schema) {
            let Some(value) = object.get(name) else { continue };
            let is_cleared = value.is_null() && !is_required(schema, name) && inner.contains_key("type");
            if is_cleared && matches!(meaning_of_null(schema, name, inner), Null::Itself) && type_in(inner) != "null" {
                let fix = format!("leave {name} out to keep it as it is, or give {}", in_words(inner));
                let reason = "is null, and it cannot be cleared".to_owned();
                self.find(Step::Name(name), ViolationKind::Other { reason, fix });
                continue;
            }
            self.path.push(Step::Name(name));
            self.value(inner, value);
            self.path.pop();
        }
    }

    /// Finds unknown names; returns the arguments that are given, one object too far in.
    fn unknown(&mut self, schema: &'a Map<String, Value>, object: &'a Map<String, Value>) -> Vec<String> {
        let mut held = Vec::new();
        let known: Vec<String> = properties(schema).map(|(name, _)| name.clone()).collect();
        let mut more = 0_usize;
        let strays = object.iter().filter(|(name, _)| property(schema, name).is_none());
        for (count, (name, value)) in strays.enumerate() {
            if count >= UNKNOWN_MAX {
                more += 1;
                continue;
            }
            if let Some(holds) = correction::held_names(schema, object, value) {
                held.extend(holds.iter().cloned());
                self.find(Step::Name(name), ViolationKind::Wrapper { holds });
                continue;
            }
            let mut near = near::nearest(name, known.iter().map(String::as_str));
            if let Some(meant) = correction::meant_path(schema, object, name) {
                near.retain(|other| *other != meant);
                near.insert(0, meant);
            }
            self.find(Step::Name(name), ViolationKind::Unknown { nearest: near, known: known.clone() });
        }
        if more > 0 {
            let path = super::joined(&self.shown_path(None), &format!("… and {more} more"));
            self.add(path, ViolationKind::Unknown { nearest: Vec::new(), known });
        }
        held
    }

    fn value(&mut self, schema: &'a Map<String, Value>, value: &'a Value) {
        let wanted = type_in(schema);
        if !is_of_type(wanted, value) {
            let kind = ViolationKind::WrongType { given: type_of(value), wanted: wanted.to_owned() };
            return self.add(self.shown_path(None), kind);
        }
        if let Some(permitted) = schema.get("enum").and_then(Value::as_array) {
            if !permitted.contains(value) {
                self.not_one_of(schema, value);
            }
            return;
        }
        match value {
            Value::Object(inner) => self.object(schema, inner),
            Value::Array(items) => self.list(schema, items),
            Value::String(text) => {
                if let Some((reason, fix)) = self.wrong_text(schema, text, value) {
                    self.add(self.shown_path(None), ViolationKind::Other { reason, fix });
                }
            }
            Value::Number(number) => {
                if let Some(reason) = out_of_bounds(schema, number) {
                    let fix = format!("give {}", in_words(schema));
                    self.add(self.shown_path(None), ViolationKind::Other { reason, fix });
                }
            }
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn list(&mut self, schema: &'a Map<String, Value>, items: &'a [Value]) {
        if let Some(most) = bound(schema, "maxItems").filter(|most| items.len() > *most) {
            let reason = format!("has more than {most} items");
            let fix = format!("give at most {most} items at a time; {} were given", items.len());
            self.add(self.shown_path(None), ViolationKind::Other { reason, fix });
        }
        let Some(Value::Object(item_schema)) = schema.get("items") else { return };
        for (place, item) in items.iter().enumerate() {
            if self.is_full() || self.cancelled.is_cancelled() {
                return;
            }
            self.path.push(Step::Place(place));
            self.value(item_schema, item);
            self.path.pop();
        }
    }

    fn not_one_of(&mut self, schema: &Map<String, Value>, value: &Value) {
        let permitted = options(schema).unwrap_or_default();
        let given = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let mut nearest = near::nearest(&given, permitted.iter().copied());
        if let Some(meant) = synonyms::word(&given, &permitted) {
            nearest.retain(|other| other != meant);
            nearest.insert(0, meant.to_owned());
        }
        let permitted = permitted.into_iter().map(str::to_owned).collect();
        let value = excerpt(&given, SHOWN_CHARS_MAX);
        self.add(self.shown_path(None), ViolationKind::NotOneOf { value, nearest, permitted });
    }

    fn wrong_text(&mut self, schema: &'a Map<String, Value>, text: &str, value: &Value) -> Option<(String, String)> {
        let name = self.path.last().map_or(String::new(), |step| match step {
            Step::Name(name) => (*name).to_owned(),
            Step::Place(place) => place.to_string(),
        });
        // A pattern says more about a text than its length does.
        if let Some(pattern) = schema.get("pattern").and_then(Value::as_str)
            && !self.matches(schema, "pattern", value)
        {
            return Some(schema::pattern_in_words(&name, pattern));
        }
        let chars = text.chars().count();
        if let Some(least) = bound(schema, "minLength").filter(|least| chars < *least) {
            let reason =
                if text.is_empty() { "is empty".to_owned() } else { format!("is shorter than {least} characters") };
            return Some((
                reason,
                format!("give {name} at least {least} characters, or leave it out where it is optional"),
            ));
        }
        if let Some(most) = bound(schema, "maxLength").filter(|most| chars > *most) {
            let reason = format!("is longer than {most} characters");
            return Some((reason, format!("cut {name} to at most {most} characters; it has {chars}")));
        }
        if schema.get("format").is_some_and(|of| of == "uuid") && !self.matches(schema, "format", value) {
            let fix = "write it as 550e8400-e29b-41d4-a716-446655440000; give the id that an answer named, not a name";
            return Some(("is not a UUID".to_owned(), fix.to_owned()));
        }
        if schema.contains_key("format") && !self.matches(schema, "format", value) {
            let reason = "is not a date and time with an offset".to_owned();
            return Some((reason, "write it as 2026-07-28T10:30:00Z".to_owned()));
        }
        None
    }

    /// True when a value fits one keyword of its schema.
    fn matches(&mut self, schema: &Map<String, Value>, keyword: &str, value: &Value) -> bool {
        if keyword == "format" && schema.get("format").is_some_and(|of| of == "date-time") {
            return value.as_str().is_none_or(super::is_moment);
        }
        let compile = || {
            let one: Map<String, Value> = [(keyword.to_owned(), schema[keyword].clone())].into_iter().collect();
            jsonschema::options().should_validate_formats(true).build(&Value::Object(one)).ok()
        };
        let matcher = self.matchers.entry(std::ptr::from_ref(schema)).or_insert_with(compile);
        matcher.as_ref().is_none_or(|matcher| matcher.is_valid(value))
    }

    fn find(&mut self, step: Step<'a>, kind: ViolationKind) {
        self.add(self.shown_path(Some(step)), kind);
    }

    fn add(&mut self, path: String, kind: ViolationKind) {
        if !self.is_full() {
            self.found.push(Violation { path, kind });
        }
    }

    fn is_full(&self) -> bool {
        self.found.len() >= VIOLATIONS_MAX
    }

    fn shown_path(&self, last: Option<Step<'a>>) -> String {
        let shown = |step: Step<'a>| match step {
            Step::Name(name) => excerpt(name, NAME_CHARS_MAX),
            Step::Place(place) => place.to_string(),
        };
        self.path.iter().copied().chain(last).map(shown).collect::<Vec<_>>().join(".")
    }
}

fn bound(schema: &Map<String, Value>, name: &str) -> Option<usize> {
    usize::try_from(schema.get(name)?.as_u64()?).ok()
}

fn out_of_bounds(schema: &Map<String, Value>, number: &serde_json::Number) -> Option<String> {
    let given = number.as_f64()?;
    let past = |name: &str, is_past: fn(f64, f64) -> bool| {
        schema.get(name).filter(|limit| limit.as_f64().is_some_and(|limit| is_past(given, limit)))
    };
    past("minimum", |given, least| given < least).map(|least| format!("is less than the minimum of {least}")).or_else(
        || past("maximum", |given, most| given > most).map(|most| format!("is greater than the maximum of {most}")),
    )
}

fn is_of_type(wanted: &str, value: &Value) -> bool {
    match wanted {
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "object" => value.is_object(),
        "array" => value.is_array(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        // 5.0 is a whole number in JSON.
        "integer" => value.as_number().is_some_and(|number| !number.is_f64() || number.as_f64().is_some_and(is_whole)),
        _ => true,
    }
}

fn is_whole(number: f64) -> bool {
    number.fract() == 0.0
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
