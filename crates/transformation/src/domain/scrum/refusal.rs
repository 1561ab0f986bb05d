//! Why an intent is refused.

use serde::Serialize;

use super::role::{self, Role};
use crate::Error;

/// Why an intent is refused: one variant for each thing a caller can act on.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Refusal {
    #[error("{act} needs the role {}", role::either(roles))]
    RoleNeeded { act: &'static str, roles: &'static [Role] },
    #[error("{aggregate} '{reference}' not found")]
    NotFound { aggregate: Aggregate, field: &'static str, reference: String, known: Vec<Handle> },
    #[error("'{reference}' is the title of {} {aggregate}s", candidates.len())]
    Ambiguous { aggregate: Aggregate, field: &'static str, reference: String, candidates: Vec<Handle> },
    /// Something that Scrum does not let happen.
    #[error("{message}")]
    Rule { field: &'static str, message: String, hint: String },
}

/// What a reference can be to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aggregate {
    Product,
    Item,
    Sprint,
    DefinitionOfDone,
}

impl std::fmt::Display for Aggregate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Product => "Product",
            Self::Item => "Item",
            Self::Sprint => "Sprint",
            Self::DefinitionOfDone => "Definition of Done",
        })
    }
}

/// How a refusal names something that could have been meant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Handle {
    pub id: String,
    pub title: String,
}

/// The refusal for something that Scrum does not let happen.
pub(super) fn rule(field: &'static str, message: impl Into<String>, hint: impl Into<String>) -> Error {
    Refusal::Rule { field, message: message.into(), hint: hint.into() }.into()
}
