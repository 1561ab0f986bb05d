//! Arguments that do not fit a tool's schema, in words that hold no value.

use contract::{CallError, Misfit, Violation, ViolationKind};
use serde_json::{Value, json};

/// Names every path that is wrong, the reason and the fix.
pub fn refuse(misfit: &Misfit) -> CallError {
    let Some(first) = misfit.violations.first() else {
        return CallError::invalid("the arguments do not fit the tool's schema");
    };
    let (reason, fix) = words(first);
    let listed: Vec<Value> = misfit
        .violations
        .iter()
        .map(|violation| {
            let (reason, fix) = words(violation);
            json!({ "field": violation.path, "reason": reason, "fix": fix })
        })
        .collect();
    CallError::invalid(format!("{} {reason}", shown(&first.path)))
        .field(first.path.clone())
        .hint(fix)
        .detail("violations", listed)
}

fn shown(path: &str) -> &str {
    if path.is_empty() { "the argument object" } else { path }
}

fn words(violation: &Violation) -> (String, String) {
    match &violation.kind {
        ViolationKind::Missing => ("is required".to_owned(), format!("give {}", violation.path)),
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
            (format!("is of type {given}, not {wanted}"), format!("give {} as {wanted}", violation.path))
        }
        ViolationKind::Other { message } => (without_values(message), "keep to the tool's input schema".to_owned()),
    }
}

/// What the checker says about bounds and patterns, without the value that it quotes in front.
fn without_values(message: &str) -> String {
    const SAYS: [&str; 8] = [
        "is less than",
        "is greater than",
        "is longer than",
        "is shorter than",
        "has more than",
        "has less than",
        "does not match",
        "is not a",
    ];
    let found = SAYS.iter().filter_map(|says| message.rfind(says)).max();
    found.map_or_else(|| "does not fit the schema".to_owned(), |start| message[start..].to_owned())
}
