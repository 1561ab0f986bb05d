//! How refusals of Scrum intents are published.

use contract::{CallError, ErrorKind};
use serde_json::json;

use crate::domain::scrum::Refusal;
use crate::domain::scrum::refusal::Aggregate;
use crate::domain::scrum::role;

/// The published form of a refusal.
pub fn publish(refusal: Refusal) -> CallError {
    let message = refusal.to_string();
    match refusal {
        Refusal::RoleNeeded { roles, .. } => CallError::new(ErrorKind::PermissionDenied, "PERMISSION_DENIED", message)
            .detail("roles_needed", roles.iter().map(|role| role.label()).collect::<Vec<_>>())
            .hint(format!("ask somebody who has the role {}", role::either(roles))),
        Refusal::NotFound { aggregate, field, known, .. } => {
            CallError::new(ErrorKind::NotFound, code(aggregate), message)
                .field(field)
                .suggest("known", json!(known))
                .hint(hint(aggregate))
        }
        Refusal::Ambiguous { field, candidates, .. } => {
            CallError::new(ErrorKind::InvalidArgument, "NEEDS_DISAMBIGUATION", message)
                .field(field)
                .suggest("candidates", json!(candidates))
                .hint("give the id of the one you mean")
        }
        Refusal::Rule { field, hint, .. } => CallError::precondition(message).field(field).hint(hint),
    }
}

fn code(aggregate: Aggregate) -> &'static str {
    match aggregate {
        Aggregate::Product => "PRODUCT_NOT_FOUND",
        Aggregate::Item => "ITEM_NOT_FOUND",
        Aggregate::Sprint => "SPRINT_NOT_FOUND",
        Aggregate::DefinitionOfDone => "DEFINITION_OF_DONE_NOT_FOUND",
    }
}

fn hint(aggregate: Aggregate) -> &'static str {
    match aggregate {
        Aggregate::Product => "use the id or key of a product, or start one with setProductGoal",
        Aggregate::Item => "use the id, key or title of an item; the resource transformation://product/ID lists them",
        Aggregate::Sprint => "use the id, key or name of a sprint; the resource transformation://product/ID lists them",
        Aggregate::DefinitionOfDone => {
            "use the id of a definition, or v1 for the first; defineDefinitionOfDone makes one"
        }
    }
}
