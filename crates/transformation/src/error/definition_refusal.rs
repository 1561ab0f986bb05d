//! How refusals of calls about definitions are published.

use contract::{CallError, ErrorKind};
use serde_json::json;

use crate::domain::definition::Refusal;

/// The published form of a refusal.
pub fn publish(refusal: Refusal) -> CallError {
    let message = refusal.to_string();
    match refusal {
        Refusal::NotFound { known, .. } => CallError::new(ErrorKind::NotFound, "DEFINITION_NOT_FOUND", message)
            .field("definition_id")
            .suggest("known", json!(known))
            .hint("use the id or name of a definition; transformation.listDefinitions shows them"),
        Refusal::Ambiguous { candidates, .. } => {
            CallError::new(ErrorKind::InvalidArgument, "NEEDS_DISAMBIGUATION", message)
                .field("definition_id")
                .suggest("candidates", json!(candidates))
                .hint("give the id of the one you mean")
        }
        Refusal::Stale { expected, actual } => CallError::new(ErrorKind::Conflict, "VERSION_CONFLICT", message)
            .field("expected_version")
            .detail("expected_version", expected)
            .detail("current_version", actual)
            .hint("read the definition again and decide on its current version, or leave expected_version out"),
        Refusal::Rule { hint, .. } => CallError::precondition(message).field("definition_id").hint(hint),
    }
}
