//! Why a change is not taken back, and how each reason is published.

use contract::{CallError, ErrorKind};
use serde_json::{Value, json};

/// Why a change is not taken back. Nothing was written.
#[derive(Debug, Clone, thiserror::Error)]
pub enum UndoRefusal {
    #[error("Change '{reference}' not found")]
    NoSuchChange { reference: String },
    #[error("A change with {kind} in it cannot be taken back")]
    CannotUndo { change: String, kind: String },
    #[error("{} things stand in the way of undoing {change}", conflicts.len())]
    Conflicts {
        change: String,
        /// Ids and what is the matter with them.
        conflicts: Vec<(String, String)>,
    },
}

impl From<UndoRefusal> for CallError {
    fn from(refusal: UndoRefusal) -> Self {
        let message = refusal.to_string();
        let refuse = |kind: ErrorKind, code: &'static str| Self::new(kind, code, message).field("change_id");
        match refusal {
            UndoRefusal::NoSuchChange { .. } => refuse(ErrorKind::NotFound, "CHANGE_NOT_FOUND").hint(
                "give the id of the call, of the accepted proposal, or the number of a fact; chancery facts shows them",
            ),
            UndoRefusal::CannotUndo { .. } => refuse(ErrorKind::FailedPrecondition, "CANNOT_UNDO")
                .hint("undo takes back changes of elements, relationships and views"),
            UndoRefusal::Conflicts { conflicts, .. } => {
                let listed: Value = conflicts.iter().map(|(id, reason)| json!({"id": id, "reason": reason})).collect();
                refuse(ErrorKind::Conflict, "UNDO_CONFLICT")
                    .detail("conflicts", listed)
                    .hint("undo what was built upon it first, or change the rest by hand")
            }
        }
    }
}
