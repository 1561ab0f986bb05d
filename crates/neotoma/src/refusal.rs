//! Arguments that do not fit a tool's schema, in words that hold no value.

use std::sync::LazyLock;

use contract::{CallError, Misfit, Violation, ViolationKind};
use regex::Regex;
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

/// What the checker says about bounds, without the value that it quotes in front. A value may hold such words itself, so
/// only what the message ends with counts.
fn without_values(message: &str) -> String {
    const NUL: &str = "contains a NUL character, which no text may hold";
    static BOUND: LazyLock<Regex> = LazyLock::new(|| {
        let number = "-?[0-9][0-9.e+-]*";
        let pattern = format!(
            "(is (less|greater) than( or equal to)? the (minimum|maximum) of {number}\
             |is (longer|shorter) than {number} characters?\
             |has (more|less) than {number} (items?|property|properties))$"
        );
        Regex::new(&pattern).expect("the pattern is fixed")
    });
    if message == NUL {
        return NUL.to_owned();
    }
    BOUND.find(message).map_or_else(|| "does not fit the schema".to_owned(), |found| found.as_str().to_owned())
}
