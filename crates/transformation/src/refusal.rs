//! Refusals of arguments that do not fit a tool's schema, in the words of this capability.

use contract::{CallError, Violation, ViolationKind};
use serde_json::json;

use crate::Error;

/// What the platform supplies; callers who give it are told so.
const SUPPLIED: [&str; 8] =
    ["id", "message_id", "correlation_id", "tenant_id", "aggregate_version", "occurred_at", "layer", "version"];

/// The refusal for a call: the first violation, with the other fields listed.
pub fn refuse(tool: &str, violations: &[Violation]) -> CallError {
    let mut refusals = each(tool, violations);
    if refusals.is_empty() {
        return CallError::invalid("the arguments do not fit the tool's schema")
            .hint("compare them with the tool's input schema");
    }
    let first = refusals.remove(0);
    if refusals.is_empty() {
        return first;
    }
    let others: Vec<String> = refusals.into_iter().filter_map(|refusal| refusal.field).collect();
    first.detail("also_wrong", others)
}

/// One refusal for each violation, in order.
pub fn each(tool: &str, violations: &[Violation]) -> Vec<CallError> {
    violations.iter().map(|violation| one(tool, violation)).collect()
}

fn one(tool: &str, violation: &Violation) -> CallError {
    let field = violation.path.as_str();
    let invalid = |reason: String, hint: String| CallError::from(Error::invalid(field, reason, hint));
    match &violation.kind {
        ViolationKind::NotOneOf { value, .. } if (tool, field) == ("transformation.createElement", "type") => {
            Error::NoSuchElementType { field: field.to_owned(), value: value.clone() }.into()
        }
        ViolationKind::NotOneOf { value, .. } if (tool, field) == ("transformation.createRelationship", "type") => {
            Error::NoSuchRelationshipType { field: field.to_owned(), value: value.clone() }.into()
        }
        ViolationKind::NotOneOf { value, nearest, permitted } => {
            let best = nearest.first().cloned().unwrap_or_else(|| permitted.join(", "));
            invalid(format!("cannot be {value:?}"), format!("use {best}"))
                .suggest("did_you_mean", nearest.clone())
                .suggest("valid_values", permitted.clone())
        }
        ViolationKind::Missing if field == "model_id" => invalid(
            "is required".to_owned(),
            "give the id or key of a model: transformation.listModels shows them, a fresh tenant has the key default"
                .to_owned(),
        ),
        ViolationKind::Missing => {
            invalid("is required".to_owned(), format!("give {field}; the tool's input schema describes it"))
        }
        ViolationKind::Unknown { nearest, known } => {
            invalid("is not an argument of this tool".to_owned(), unknown_hint(tool, field, nearest, known))
                .suggest("did_you_mean", nearest.clone())
                .suggest("valid_fields", json!(known))
        }
        ViolationKind::Other { message } => invalid(message.clone(), format!("correct {field} as the message says")),
    }
}

fn unknown_hint(tool: &str, field: &str, nearest: &[String], known: &[String]) -> String {
    if tool == "transformation.updateElement" && field == "type" {
        return "an element keeps its type; create another one instead".to_owned();
    }
    match nearest.first() {
        _ if SUPPLIED.contains(&field) => format!("leave {field} out; it is made for you"),
        Some(name) => format!("use {name}"),
        None => format!("leave {field} out; the tool takes {}", known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    //
    #[test]
    fn every_violation_has_a_code_a_field_and_a_fix() {
        let unknown = |nearest: &[&str]| ViolationKind::Unknown {
            nearest: nearest.iter().map(|name| (*name).to_owned()).collect(),
            known: vec!["type".to_owned(), "name".to_owned()],
        };
        let not_one_of =
            |value: &str| ViolationKind::NotOneOf { value: value.to_owned(), nearest: vec![], permitted: vec![] };
        check(
            "createElement",
            "type",
            not_one_of("AppComponent"),
            "INVALID_ELEMENT_TYPE type: Use ApplicationComponent; the application layer has the types listed, transformation.getElementTypes lists all",
        );
        check(
            "createRelationship",
            "type",
            not_one_of("Realisation"),
            "INVALID_RELATIONSHIP type: Use Realization; transformation.getRelationshipTypes says which pairs it may join",
        );
        check("createElement", "layer", unknown(&[]), "VALIDATION_ERROR layer: leave layer out; it is made for you");
        check("createElement", "nam", unknown(&["name"]), "VALIDATION_ERROR nam: use name");
        check(
            "updateElement",
            "type",
            unknown(&[]),
            "VALIDATION_ERROR type: an element keeps its type; create another one instead",
        );
        check(
            "createElement",
            "name",
            ViolationKind::Missing,
            "VALIDATION_ERROR name: give name; the tool's input schema describes it",
        );
    }

    #[track_caller]
    fn check(tool: &str, path: &str, kind: ViolationKind, expected: &str) {
        let violation = Violation { path: path.to_owned(), kind };
        let refusal = refuse(&format!("transformation.{tool}"), &[violation]);
        let hint = refusal.suggestions["hint"].as_str().unwrap();
        assert_eq!(format!("{} {}: {hint}", refusal.code, refusal.field.as_deref().unwrap()), expected);
    }
}
