//! Why a call about definitions is refused.

use serde::Serialize;

use super::Definition;
use crate::Error;

/// Why a call about definitions is refused: one variant for each thing a caller can act on.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Refusal {
    #[error("Definition '{reference}' not found")]
    NotFound { reference: String, known: Vec<Handle> },
    #[error("'{reference}' is the name of {} definitions", candidates.len())]
    Ambiguous { reference: String, candidates: Vec<Handle> },
    #[error("The definition is at version {actual}, not {expected}")]
    Stale { expected: u64, actual: u64 },
    #[error("{message}")]
    Rule { message: String, hint: String },
}

/// How a refusal names a definition that could have been meant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Handle {
    pub id: String,
    pub kind: &'static str,
    pub name: String,
}

impl Handle {
    pub fn of(definition: &Definition) -> Self {
        Self { id: definition.id.clone(), kind: definition.kind.label(), name: definition.name.to_string() }
    }
}

pub(super) fn rule(message: String, hint: &str) -> Error {
    Refusal::Rule { message, hint: hint.to_owned() }.into()
}
