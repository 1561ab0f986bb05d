//! Arguments that do not fit a tool's schema, in words that hold no value.
//!
//! The corrected call is given back too, unless it holds a text of the caller's that could be about a person.

use contract::{CallError, Misfit, Violation, ViolationKind};
use scope::Timestamp;
use serde_json::{Value, json};

use crate::domain::moment;
use crate::error::all_named;

/// Where a refusal carries the call as it was meant.
pub const CORRECTED: &str = "corrected_arguments";
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
    if misfit.open.is_empty() { refusal.suggest(CORRECTED, misfit.corrected.clone()) } else { refusal }
}

/// The corrected arguments of a refusal, if nothing in them could be about a person.
pub fn shareable(error: &CallError) -> Option<Value> {
    error.suggestions.get(CORRECTED).filter(|arguments| is_impersonal("", arguments)).cloned()
}

/// True for numbers, truth values, moments, ids, and words for types and fields: whatever people are not called.
fn is_impersonal(name: &str, value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => true,
        Value::String(text) => is_id(text) || is_moment(text) || is_term(name, text),
        Value::Array(items) => items.iter().all(|item| is_impersonal(name, item)),
        Value::Object(entries) => entries.iter().all(|(name, value)| is_impersonal(name, value)),
    }
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
fn is_term(name: &str, text: &str) -> bool {
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
    TERMS.contains(&name)
        && text.len() <= NAME_CHARS_MAX
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-./: ".contains(&byte))
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
    }

    #[track_caller]
    fn check(corrected: Value, expected: bool) {
        let error = CallError::invalid("no").suggest(CORRECTED, corrected.clone());
        assert_eq!(shareable(&error).is_some(), expected, "{corrected}");
    }
}
