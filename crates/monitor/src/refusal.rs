//! Refusals in the shape that the specification publishes: `{error: {code, name, message, data}}`.

use contract::{CallError, Misfit, Violation, ViolationKind};
use serde_json::{Map, Value, json};

use crate::Error;
use crate::error::{Flaw, code_of};

/// The envelope of a refusal. `data` holds the field, the reason and the fix beside what the refusal tells.
pub fn envelope(error: &CallError) -> Value {
    let (name, code) = code_of(error);
    let mut data = Map::new();
    data.extend(error.field.as_ref().map(|field| ("field".to_owned(), Value::from(field.as_str()))));
    data.insert("reason".to_owned(), Value::from(reason(error)));
    data.extend(error.details.clone());
    if error.code != name {
        data.insert("cause".to_owned(), Value::from(error.code.as_ref()));
    }
    data.extend(error.suggestions.get("hint").map(|fix| ("fix".to_owned(), fix.clone())));
    for (name, value) in error.suggestions.iter().filter(|(name, _)| *name != "hint") {
        if !value.as_array().is_some_and(Vec::is_empty) {
            data.insert(name.clone(), value.clone());
        }
    }
    json!({ "error": { "code": code, "name": name, "message": error.message, "data": data } })
}

/// The message without the field that it begins with.
fn reason(error: &CallError) -> &str {
    let message = error.message.as_str();
    let rest =
        error.field.as_deref().and_then(|field| message.strip_prefix(field)).and_then(|rest| rest.strip_prefix(' '));
    rest.unwrap_or(message)
}

/// The refusal for arguments that do not fit the schema of a tool: every path that is wrong, and what to give there.
pub fn refuse(misfit: &Misfit) -> CallError {
    let flaws: Vec<Flaw> = misfit.violations.iter().map(flaw).collect();
    if flaws.is_empty() {
        let fix = "compare the arguments with the input schema of the tool";
        return Error::invalid("arguments", "do not fit the schema", fix).into();
    }
    let nearest = misfit.violations.first().map(nearest).unwrap_or_default();
    let mut error = CallError::from(Error::Invalid(flaws)).suggest("did_you_mean", nearest);
    if misfit.open.is_empty() {
        error = error.suggest("corrected_arguments", misfit.corrected.clone());
    }
    error
}

fn nearest(violation: &Violation) -> Vec<String> {
    match &violation.kind {
        ViolationKind::Unknown { nearest, .. } | ViolationKind::NotOneOf { nearest, .. } => nearest.clone(),
        _ => Vec::new(),
    }
}

fn flaw(violation: &Violation) -> Flaw {
    let path = if violation.path.is_empty() { "arguments" } else { violation.path.as_str() };
    let (reason, fix) = match &violation.kind {
        ViolationKind::Missing { wanted } => ("is required".to_owned(), format!("give {path}: {wanted}")),
        ViolationKind::Unknown { nearest, known } => {
            let fix = match nearest.first() {
                Some(name) => format!("use {name}"),
                None => format!("leave it out; the tool takes {}", known.join(", ")),
            };
            ("is not an argument".to_owned(), fix)
        }
        ViolationKind::Wrapper { holds } => {
            let fix = format!("give what {path} holds as arguments of the tool: {}", holds.join(", "));
            ("is not an argument".to_owned(), fix)
        }
        ViolationKind::NotOneOf { value, permitted, .. } => {
            (format!("cannot be {value:?}"), format!("give one of {}", permitted.join(", ")))
        }
        ViolationKind::WrongType { given, wanted } => {
            (format!("is of type {given}, not {wanted}"), format!("give {path} as {wanted}"))
        }
        ViolationKind::Other { reason, fix } => (reason.clone(), fix.clone()),
    };
    Flaw { field: path.to_owned(), reason, fix }
}
