//! How the mechanism fails, in general words. A capability with codes of its own converts it once.

use contract::{CallError, ErrorKind};
use ledger::{CommitError, ReadError, Seq};

/// Why a write was not made or a read not answered, for reasons that no rule of a capability gives.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    #[error("{field} {reason}")]
    InvalidArgument { field: String, reason: String, fix: String },
    /// A point in history that lies after the last fact.
    #[error("{field}: sequence {at} has not happened yet; the last one is {head}")]
    NotYet { field: String, at: Seq, head: Seq },
    /// The policy does not let this caller write so.
    #[error("You may not {act}: {reason}")]
    NotPermitted { field: &'static str, act: String, reason: String, fix: String },
    #[error("The client_request_id '{key}' was used with other arguments")]
    KeyReused { key: String },
    #[error("What the write is about kept changing while it was decided")]
    Contended,
    /// The caller gave up, or the deadline passed, before anything happened.
    #[error("The call ended before the write was made")]
    Cancelled,
    #[error("The outcome of the write is unknown")]
    OutcomeUnknown,
    /// Nothing was written.
    #[error("The store cannot write now")]
    NotWritten,
    #[error("The store cannot be read now")]
    NotRead,
    /// A fault of ours; the text goes to the log, the id to the caller.
    #[error("the call failed inside the server: {cause}")]
    Internal { error_id: String, cause: String },
}

impl Failure {
    pub fn argument(field: impl Into<String>, reason: impl Into<String>, fix: impl Into<String>) -> Self {
        Self::InvalidArgument { field: field.into(), reason: reason.into(), fix: fix.into() }
    }
}

/// The failure of a read at a point that was resolved before.
impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::NotYet { at, head } => Self::NotYet { field: "sequence".to_owned(), at, head },
            ReadError::Cursor(_) => Self::argument(
                "page_token",
                "belongs to a listing that this version of the server pages otherwise",
                "leave page_token out to start again",
            ),
            ReadError::Unavailable(cause) => {
                tracing::warn!(cause, "a read failed");
                Self::NotRead
            }
        }
    }
}

/// What is left of a failed commit when it is not decided again.
impl From<CommitError> for Failure {
    fn from(error: CommitError) -> Self {
        match error {
            CommitError::Refused(_) => Self::Contended,
            CommitError::Unknown(cause) => {
                tracing::error!(cause, "the outcome of a commit is unknown");
                Self::OutcomeUnknown
            }
            CommitError::Unavailable(cause) => {
                tracing::warn!(cause, "a commit could not be made");
                Self::NotWritten
            }
        }
    }
}

/// For capabilities without codes of their own.
impl From<Failure> for CallError {
    fn from(failure: Failure) -> Self {
        use ErrorKind::{
            Conflict, DeadlineExceeded, FailedPrecondition, InvalidArgument, PermissionDenied, Unavailable,
        };
        let message = failure.to_string();
        let refuse = |kind: ErrorKind, code: &'static str| Self::new(kind, code, message);
        match failure {
            Failure::InvalidArgument { field, fix, .. } => {
                refuse(InvalidArgument, "INVALID_ARGUMENT").field(field).hint(fix)
            }
            Failure::NotYet { field, head, .. } => refuse(InvalidArgument, "INVALID_ARGUMENT")
                .field(field)
                .detail("last_sequence", head)
                .hint("give a sequence that an answer of this endpoint has echoed"),
            Failure::NotPermitted { field, fix, .. } => {
                refuse(PermissionDenied, "PERMISSION_DENIED").field(field).hint(fix)
            }
            Failure::KeyReused { .. } => refuse(FailedPrecondition, "IDEMPOTENCY_KEY_REUSED")
                .field("client_request_id")
                .hint("use a new client_request_id for a new request"),
            Failure::Contended => refuse(Conflict, "VERSION_CONFLICT").hint("make the same call again"),
            Failure::Cancelled => {
                refuse(DeadlineExceeded, "TIMEOUT").hint("nothing was written; make the same call again")
            }
            Failure::OutcomeUnknown => refuse(Unavailable, "SERVICE_UNAVAILABLE")
                .detail("outcome", "unknown")
                .hint("make the same call again with the same client_request_id to learn the outcome"),
            Failure::NotWritten | Failure::NotRead => {
                refuse(Unavailable, "SERVICE_UNAVAILABLE").hint("make the same call again a little later")
            }
            Failure::Internal { error_id, cause } => {
                tracing::error!(error_id, cause, "a call failed inside a capability");
                Self::internal(&error_id)
            }
        }
    }
}
