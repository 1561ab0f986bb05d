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
            ReadError::Cursor(_) => {
                Self::argument("page_token", "does not continue this query", "leave page_token out to start again")
            }
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

#[cfg(test)]
mod tests {
    use ledger::{RecordKey, Refusal};
    use serde_json::json;

    use super::*;

    // R-286
    #[test]
    fn every_failure_has_a_code_a_fix_and_the_field_at_fault() {
        let text = || "x".to_owned();
        check(Failure::argument("f", "r", "h"), "INVALID_ARGUMENT f");
        check(Failure::NotYet { field: text(), at: 2, head: 1 }, "INVALID_ARGUMENT x");
        let denied = Failure::NotPermitted { field: "commit_mode", act: text(), reason: text(), fix: text() };
        check(denied, "PERMISSION_DENIED commit_mode");
        check(Failure::KeyReused { key: text() }, "IDEMPOTENCY_KEY_REUSED client_request_id");
        assert!(!CallError::from(Failure::KeyReused { key: text() }).retryable());
        check(Failure::Contended, "VERSION_CONFLICT -");
        check(Failure::Cancelled, "TIMEOUT -");
        check(Failure::NotWritten, "SERVICE_UNAVAILABLE -");
        check(Failure::NotRead, "SERVICE_UNAVAILABLE -");
        check(Failure::OutcomeUnknown, "SERVICE_UNAVAILABLE -");
    }

    #[track_caller]
    fn check(failure: Failure, expected: &str) {
        let error = CallError::from(failure);
        assert_eq!(format!("{} {}", error.code, error.field.as_deref().unwrap_or("-")), expected);
        assert!(error.suggestions["hint"].is_string(), "{expected}");
    }

    #[test]
    fn an_unknown_outcome_is_never_called_a_failure() {
        let error = CallError::from(Failure::from(CommitError::Unknown("fsync".to_owned())));
        assert_eq!((&*error.code, &error.details["outcome"]), ("SERVICE_UNAVAILABLE", &json!("unknown")));
        assert!(!error.to_string().contains("fsync"));
        let refused = Refusal::Record { key: RecordKey::new("k", "i"), actual: None };
        assert_eq!(Failure::from(CommitError::Refused(refused)), Failure::Contended);
    }

    #[test]
    fn a_fault_of_ours_shows_its_id_only() {
        let fault = Failure::Internal { error_id: "id-1".to_owned(), cause: "secret".to_owned() };
        let error = CallError::from(fault);
        assert_eq!((&*error.code, &error.details["error_id"]), ("INTERNAL", &json!("id-1")));
        assert!(!format!("{error:?}").contains("secret"));
    }
}
