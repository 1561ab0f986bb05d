//! Arguments that do not fit a tool's schema, in words that hold no value.
//!
//! The corrected call is given back too. If it holds a text of the caller's that could be about a person, the refusal says
//! instead how to change what was sent.

use contract::{CallError, Correction, Edit, Misfit, Violation, ViolationKind, pointer_to};
use scope::Timestamp;
use serde_json::{Map, Value, json};

use crate::domain::{ids, moment};
use crate::error::all_named;

/// Where a refusal carries the call as it was meant.
const CORRECTED: &str = "corrected_arguments";
/// Where it carries how to change the call, as JSON Patch.
const EDITS: &str = "correction";
/// Longest name of a type, a field or an event.
const NAME_CHARS_MAX: usize = 64;

/// Names every path that is wrong, the reason and the fix.
pub fn refuse(misfit: &Misfit) -> CallError {
    let Some(first) = misfit.violations.first() else {
        return CallError::invalid("the arguments do not fit the tool's schema")
            .hint("compare them with the tool's input schema");
    };
    let worded: Vec<(&str, String, String)> = misfit
        .violations
        .iter()
        .map(|violation| {
            let (reason, fix) = words(violation);
            (shown(&violation.path), reason, fix)
        })
        .collect();
    let listed: Vec<Value> =
        worded.iter().map(|(path, reason, fix)| json!({ "field": path, "reason": reason, "fix": fix })).collect();
    let refusal = CallError::invalid(all_named(worded.iter().map(|(path, reason, _)| (*path, reason.as_str()))))
        .field(first.path.clone())
        .hint(words(first).1)
        .detail("violations", listed);
    if !misfit.open.is_empty() {
        return refusal;
    }
    let refusal = refusal.suggest(CORRECTED, misfit.corrected.clone());
    if misfit.edits.is_empty() { refusal } else { refusal.suggest(EDITS, json!(misfit.edits)) }
}

/// What is wrong with the argument that a refusal of arguments names.
pub fn reason(error: &CallError) -> Option<&str> {
    let field = error.field.as_deref().filter(|_| error.code == "VALIDATION_ERROR")?;
    let first = error.details.get("violations").and_then(|violations| violations.get(0)?.get("reason")?.as_str());
    first.or_else(|| error.message.strip_prefix(field).map(str::trim_start)).or(Some(&error.message))
}

/// The corrected arguments of a refusal; or, if something in them could be about a person, how to change the given ones.
pub fn correction(error: &CallError) -> Option<(&'static str, Value)> {
    let arguments = error.suggestions.get(CORRECTED)?.as_object()?;
    if is_impersonal(arguments) {
        return Some((CORRECTED, Value::Object(arguments.clone())));
    }
    let edits = match error.suggestions.get(EDITS) {
        Some(edits) => edits.clone(),
        None => json!(error.corrections.iter().flat_map(edits_of).collect::<Vec<_>>()),
    };
    // An edit names a place, and may say a word or a number to put there.
    let says =
        |edit: &Value| edit.get("value").is_none_or(|value| is_word(edit["path"].as_str().unwrap_or_default(), value));
    edits.as_array().is_some_and(|edits| !edits.is_empty() && edits.iter().all(says)).then_some((EDITS, edits))
}

/// What a correction does to the arguments.
fn edits_of(correction: &Correction) -> Vec<Edit> {
    let pointer = |path: &str| path.split('.').fold(String::new(), |at, name| pointer_to(&at, name));
    let moved = |from: &str, path: &str| Edit::Move { from: from.to_owned(), path: path.to_owned() };
    match correction {
        Correction::Set(path, value) => vec![Edit::Replace { path: pointer(path), value: value.clone() }],
        Correction::Swap(one, other) => {
            let (one, other) = (pointer(one), pointer(other));
            let aside = format!("{one}_given");
            vec![moved(&one, &aside), moved(&other, &one), moved(&aside, &other)]
        }
    }
}

/// Whether an edit's own value is no text about a person: an empty list or object, or what stands in a plain argument.
fn is_word(path: &str, value: &Value) -> bool {
    let argument = path.trim_start_matches('/').split('/').next().unwrap_or_default();
    let name = path.rsplit('/').find(|name| name.parse::<usize>().is_err()).unwrap_or_default();
    is_said_of_nobody(Place::Arguments.inside(argument), name, value)
}

/// Which words stand somewhere.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// Arguments of a tool, which take published words by name.
    Arguments,
    /// The definition of a type.
    Definition,
    /// What a caller says about somebody or something, under names of their own.
    Open,
}

impl Place {
    fn inside(self, name: &str) -> Self {
        match (self, name) {
            (Self::Arguments, "definition") => Self::Definition,
            (Self::Arguments, "entities" | "metadata" | "value" | "feature_flags") => Self::Open,
            _ => self,
        }
    }
}

fn is_impersonal(arguments: &Map<String, Value>) -> bool {
    arguments.iter().all(|(name, value)| is_said_of_nobody(Place::Arguments.inside(name), name, value))
}

/// True for numbers, truth values, moments, ids, and words for types and fields: whatever people are not called.
fn is_said_of_nobody(place: Place, name: &str, value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => true,
        Value::String(text) => {
            is_id(text) || is_moment(text) || is_term(place, name, text) || name == "file_path" && is_stored_path(text)
        }
        Value::Array(items) => items.iter().all(|item| is_said_of_nobody(place, name, item)),
        Value::Object(entries) => {
            entries.iter().all(|(name, value)| is_plain(name) && is_said_of_nobody(place.inside(name), name, value))
        }
    }
}

/// The path of a file in the usual bucket: a user and a hash.
fn is_stored_path(text: &str) -> bool {
    let mut parts = text.split('/');
    let is_hash = |part: &str| part.len() == 64 && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    parts.next() == Some("files")
        && parts.next().is_some_and(ids::is_uuid)
        && parts.next().is_some_and(is_hash)
        && parts.next().is_none()
}

/// `ent_` and the like before hexadecimal digits, or a UUID.
fn is_id(text: &str) -> bool {
    let digits = text.split_once('_').map_or(text, |(_, digits)| digits);
    let prefix = &text[..text.len() - digits.len()];
    digits.len() >= 24
        && prefix.len() <= 8
        && prefix.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
        && digits.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}

fn is_moment(text: &str) -> bool {
    text.parse::<Timestamp>().is_ok() || moment::parse(&Value::from(text)).is_some()
}

/// A word of the schemas, in an argument that takes one.
fn is_term(place: Place, name: &str, text: &str) -> bool {
    /// What a definition says in words of its own, which may be anything.
    const FREE: [&str; 4] = ["description", "metadata", "enum", "pattern"];
    const TERMS: [&str; 12] = [
        "entity_type",
        "relationship_type",
        "relationship_types",
        "event_type",
        "node_type",
        "direction",
        "op",
        "field",
        "fields",
        "sort",
        "mime_type",
        "provider",
    ];
    let takes_one = match place {
        Place::Arguments => TERMS.contains(&name),
        Place::Definition => !FREE.contains(&name),
        Place::Open => name == "entity_type",
    };
    takes_one && is_plain(text)
}

fn is_plain(text: &str) -> bool {
    text.len() <= NAME_CHARS_MAX && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-./: ".contains(&byte))
}

fn shown(path: &str) -> &str {
    if path.is_empty() { "the argument object" } else { path }
}

fn words(violation: &Violation) -> (String, String) {
    let path = &violation.path;
    match &violation.kind {
        ViolationKind::Missing { wanted } => ("is required".to_owned(), format!("give {path}: {wanted}")),
        ViolationKind::Unknown { nearest, known } => match nearest.first() {
            Some(name) => ("is not an argument".to_owned(), format!("use {name}")),
            None => ("is not an argument".to_owned(), format!("leave it out; there is {}", known.join(", "))),
        },
        ViolationKind::Wrapper { holds } => (
            "is not an argument".to_owned(),
            format!("give what {path} holds as arguments of the tool: {}", holds.join(", ")),
        ),
        ViolationKind::NotOneOf { nearest, permitted, .. } => match nearest.first() {
            Some(word) => {
                ("is not a permitted value".to_owned(), format!("use {word}; permitted are {}", permitted.join(", ")))
            }
            None => ("is not a permitted value".to_owned(), format!("use one of {}", permitted.join(", "))),
        },
        ViolationKind::WrongType { given, wanted } => {
            (format!("is of type {given}, not {wanted}"), format!("give {path} as {wanted}"))
        }
        ViolationKind::Other { reason, fix } => (reason.clone(), fix.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corrected_calls_are_given_back_unless_they_could_be_about_a_person() {
        check(json!({ "entity_id": "ent_0123456789abcdef01234567", "limit": 10, "direction": "both" }), true);
        check(json!({ "source_id": "0b7e5a52-3f0e-8c11-a5f4-1d2c3b4a5968", "interpretation_config": {} }), true);
        check(json!({ "event_type": "InvoiceIssued", "after_date": "2026-03-31" }), true);
        check(json!({ "filters": [{ "field": "amount", "op": "gt", "value": 9 }] }), true);
        check(json!({ "filters": [{ "field": "name", "op": "eq", "value": "Ann" }] }), false);
        check(json!({ "identifier": "ann@example.org" }), false);
        check(json!({ "entity_id": "Ann Smith" }), false);
        check(json!({ "entity_type": "ann@example.org" }), false);
        check(json!({ "file_path": "scan.pdf" }), false);
        let stored = format!("0b7e5a52-3f0e-8c11-a5f4-1d2c3b4a5968/{}", "0".repeat(64));
        check(json!({ "file_path": format!("files/{stored}") }), true);
        check(json!({ "file_path": format!("letters-to-ann/{stored}") }), false);
        let fields = |of: &str| json!({ "title": { "type": of, "required": true } });
        check(json!({ "definition": { "fields": fields("string"), "identity": [["title"]] } }), true);
        check(json!({ "definition": { "fields": { "title": { "description": "Ann" } } } }), false);
        check(json!({ "entities": [{ "entity_type": "invoice", "amount": 100 }] }), true);
        check(json!({ "entities": [{ "entity_type": "invoice", "direction": "Ann" }] }), false);
        check(json!({ "entities": [{ "entity_type": "invoice", "ann@example.org": 1 }] }), false);
    }

    #[track_caller]
    fn check(corrected: Value, expected: bool) {
        let error = CallError::invalid("no").suggest(CORRECTED, corrected.clone());
        let given = correction(&error).map(|(name, _)| name);
        assert_eq!(given, expected.then_some(CORRECTED), "{corrected}");
    }

    #[test]
    fn what_is_not_repeated_is_corrected_by_edits() {
        let personal = CallError::invalid("no").suggest(CORRECTED, json!({ "identifier": "Ann", "direction": "both" }));
        let with = |edits: Value| correction(&personal.clone().suggest(EDITS, edits));
        let moved = json!([{ "op": "move", "from": "/name", "path": "/identifier" }]);
        assert_eq!(with(moved.clone()), Some((EDITS, moved)));
        let word = json!([{ "op": "replace", "path": "/direction", "value": "both" }]);
        assert_eq!(with(word.clone()), Some((EDITS, word)));
        // A correction of ours is one of an id or a published word; anything else is kept back.
        assert_eq!(with(json!([{ "op": "replace", "path": "/identifier", "value": "Ann" }])), None);
        assert_eq!(with(json!([{ "op": "add", "path": "/entities/0/direction", "value": "Ann" }])), None);
        assert_eq!(with(json!([])), None);
        let error = personal.clone().correct("relationship_type", "PART_OF").swap("after_date", "before_date");
        let edits = json!([
            { "op": "replace", "path": "/relationship_type", "value": "PART_OF" },
            { "op": "move", "from": "/after_date", "path": "/after_date_given" },
            { "op": "move", "from": "/before_date", "path": "/after_date" },
            { "op": "move", "from": "/after_date_given", "path": "/before_date" },
        ]);
        assert_eq!(correction(&error), Some((EDITS, edits)));
    }
}
