//! Refusals of arguments that do not fit a tool's schema, in the words of this capability.

use contract::{CallError, Misfit, Violation, ViolationKind};
use serde_json::{Map, Value, json};

use crate::Error;
use crate::metamodel::{everyday, folded};

/// What the platform supplies; callers who give it are told so.
const SUPPLIED: [&str; 16] = [
    "id",
    "message_id",
    "correlation_id",
    "causation_id",
    "tenant_id",
    "repository_id",
    "aggregate_id",
    "aggregate_version",
    "occurred_at",
    "created_at",
    "updated_at",
    "layer",
    "version",
    "version_id",
    "traceparent",
    "actor",
];

/// The models that a call without `model_id` may have meant.
#[derive(Debug, Clone, Default)]
pub struct Models {
    /// Id and key.
    pub all: Vec<(String, String)>,
    pub active: Option<String>,
}

/// The refusal for a call: the first violation, with the other fields listed and the corrected arguments if all is certain.
pub fn refuse(tool: &str, misfit: &Misfit, models: Option<&Models>) -> CallError {
    let mut refusals = violations(tool, misfit);
    if refusals.is_empty() {
        return CallError::invalid("the arguments do not fit the tool's schema")
            .hint("compare them with the tool's input schema");
    }
    let mut first = refusals.remove(0);
    if !refusals.is_empty() {
        let others: Vec<String> = refusals.into_iter().filter_map(|refusal| refusal.field).collect();
        first = first.detail("also_wrong", others);
    }
    if let Some(models) = models {
        first = suggest_models(first, models);
    }
    match corrected(tool, misfit, models) {
        Some(arguments) => first.suggest("corrected_arguments", arguments),
        None => first,
    }
}

/// One refusal for each violation, in order; the first carries the corrected arguments.
pub fn each(tool: &str, misfit: &Misfit) -> Vec<CallError> {
    let mut refusals = violations(tool, misfit);
    if let (Some(first), Some(arguments)) = (refusals.first_mut(), corrected(tool, misfit, None)) {
        first.suggestions.insert("corrected_arguments".to_owned(), arguments.into());
    }
    refusals
}

/// Adds the corrected arguments to the refusal of a misspelt type, when it is one slip away from a real one.
pub fn with_correction(error: CallError, arguments: &Map<String, Value>) -> CallError {
    let meant = error.suggestions.get("did_you_mean").and_then(|near| near.get(0)).cloned();
    let (Some(field), Some(Value::String(meant))) = (&error.field, meant) else { return error };
    let mut corrected = Value::Object(arguments.clone());
    let pointer = format!("/{}", field.replace('.', "/"));
    match corrected.pointer_mut(&pointer) {
        Some(Value::String(given)) if is_slip(given, &meant) || is_form(given, &meant) => *given = meant,
        _ => return error,
    }
    error.suggest("corrected_arguments", corrected)
}

/// The arguments to send instead, when nothing about them is left to guess.
fn corrected(tool: &str, misfit: &Misfit, models: Option<&Models>) -> Option<Map<String, Value>> {
    let mut arguments = misfit.corrected.clone();
    for path in &misfit.open {
        match models.map(|models| models.all.as_slice()) {
            Some([(id, _)]) if path == "model_id" => drop(arguments.insert(path.clone(), json!(id))),
            _ if is_supplied(tool, misfit, path) => {}
            _ => return None,
        }
    }
    Some(arguments)
}

/// True when the platform makes what the caller gave, so that leaving it out loses nothing.
fn is_supplied(tool: &str, misfit: &Misfit, path: &str) -> bool {
    let unknown = |violation: &&Violation| matches!(violation.kind, ViolationKind::Unknown { .. });
    SUPPLIED.contains(&argument(tool, path))
        && misfit.violations.iter().filter(unknown).any(|violation| violation.path == path)
}

fn is_slip(given: &str, meant: &str) -> bool {
    let slips = strsim::osa_distance(&folded(given), &folded(meant));
    slips <= if meant.len() < 8 { 1 } else { 2 }
}

/// Whether a word is a form of the word that is meant, such as `realises` of `Realization`.
fn is_form(given: &str, meant: &str) -> bool {
    let verb = everyday::relationship_types(given);
    let start = |word: &str| folded(word).chars().take(4).collect::<String>();
    verb.is_some_and(|verb| !verb.swapped && verb.types.first() == Some(&meant)) && start(given) == start(meant)
}

fn suggest_models(refusal: CallError, models: &Models) -> CallError {
    let listed: Value = models.all.iter().map(|(id, key)| json!({"id": id, "key": key})).collect();
    refusal.suggest("models", listed).suggest("active_model_id", models.active.clone())
}

fn violations(tool: &str, misfit: &Misfit) -> Vec<CallError> {
    misfit.violations.iter().map(|violation| one(tool, violation)).collect()
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
        ViolationKind::Missing { .. } if field == "model_id" => invalid(
            "is required".to_owned(),
            "give model_id, the id or key of a model: transformation.listModels shows them, a fresh tenant has the key default"
                .to_owned(),
        ),
        ViolationKind::Missing { wanted } => invalid("is required".to_owned(), format!("give {field}: {wanted}")),
        ViolationKind::Unknown { nearest, .. } if is_made(argument(tool, field), nearest) => {
            invalid("is made by the server".to_owned(), format!("leave {field} out; it is made for you"))
        }
        ViolationKind::Unknown { nearest, known } => {
            invalid("is not an argument of this tool".to_owned(), unknown_hint(tool, field, nearest, known))
                .suggest("did_you_mean", nearest.clone())
                .suggest("valid_fields", json!(known))
        }
        ViolationKind::Wrapper { holds } => invalid(
            "is not an argument of this tool".to_owned(),
            format!("give what {field} holds as arguments of the tool: {}", holds.join(", ")),
        ),
        ViolationKind::WrongType { given, wanted } => {
            invalid(format!("is of type {given}, not {wanted}"), format!("give {field} as {}", in_words(wanted)))
        }
        ViolationKind::Other { reason, fix } => invalid(reason.clone(), fix.clone()),
    }
}

/// True for a name of the envelope. Only `id` may also be short for an id that the tool needs, and what belongs into an
/// object of the tool is not made.
fn is_made(field: &str, nearest: &[String]) -> bool {
    let is_misplaced = nearest.first().is_some_and(|near| near.contains('.'));
    SUPPLIED.contains(&field) && !is_misplaced && (field != "id" || nearest.is_empty())
}

/// The name of an argument of the operation; an intent carries the arguments of its operation one object further in.
fn argument<'a>(tool: &str, path: &'a str) -> &'a str {
    match path.split_once('.') {
        Some((_, inner)) if tool.ends_with("Intent") => inner,
        _ => path,
    }
}

fn in_words(r#type: &str) -> &str {
    match r#type {
        "integer" => "a whole number without quotes",
        "number" => "a number without quotes",
        "boolean" => "true or false without quotes",
        "string" => "one text",
        "array" => "a list",
        "object" => "an object",
        other => other,
    }
}

fn unknown_hint(tool: &str, field: &str, nearest: &[String], known: &[String]) -> String {
    if tool == "transformation.updateElement" && field == "type" {
        return "an element keeps its type; create another one instead".to_owned();
    }
    match nearest.first() {
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
        check(
            "submitArchitectureIntent",
            "create_element.layer",
            unknown(&[]),
            "VALIDATION_ERROR create_element.layer: leave create_element.layer out; it is made for you",
        );
        check("createElement", "nam", unknown(&["name"]), "VALIDATION_ERROR nam: use name");
        check(
            "updateElement",
            "type",
            unknown(&[]),
            "VALIDATION_ERROR type: an element keeps its type; create another one instead",
        );
        check(
            "createRelationship",
            "type",
            not_one_of("uses"),
            "INVALID_RELATIONSHIP type: Use Serving with source_id and target_id swapped, for it points the other way; transformation.getRelationshipTypes says which pairs it may join",
        );
        check(
            "createElement",
            "type",
            not_one_of("Server"),
            "INVALID_ELEMENT_TYPE type: Use Node; the technology layer has the types listed, transformation.getElementTypes lists all",
        );
        check(
            "createElement",
            "name",
            ViolationKind::Missing { wanted: "a text of at most 500 characters".to_owned() },
            "VALIDATION_ERROR name: give name: a text of at most 500 characters",
        );
    }

    #[track_caller]
    fn check(tool: &str, path: &str, kind: ViolationKind, expected: &str) {
        let violation = Violation { path: path.to_owned(), kind };
        let misfit = Misfit { violations: vec![violation], ..Misfit::default() };
        let refusal = refuse(&format!("transformation.{tool}"), &misfit, None);
        let hint = refusal.suggestions["hint"].as_str().unwrap();
        assert_eq!(format!("{} {}: {hint}", refusal.code, refusal.field.as_deref().unwrap()), expected);
    }
}
