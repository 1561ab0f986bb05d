//! Why monitor refuses a call, in the six codes of its specification.

use contract::{CallError, ErrorKind};
use desk::Failure;
use ledger::ReadError;
use scope::Timestamp;
use serde_json::{Map, Value, json};

/// The codes that are published, with the numbers that stand in the envelope.
pub const CODES: [(&str, i32); 6] = [
    (UNAUTHORIZED, -32001),
    (NOT_FOUND, -32002),
    (VALIDATION_ERROR, -32003),
    (CONSTRAINT_VIOLATION, -32004),
    (TRANSACTION_FAILED, -32005),
    (ALREADY_CANONIZED, -32006),
];

const UNAUTHORIZED: &str = "UNAUTHORIZED";
const NOT_FOUND: &str = "NOT_FOUND";
const VALIDATION_ERROR: &str = "VALIDATION_ERROR";
const CONSTRAINT_VIOLATION: &str = "CONSTRAINT_VIOLATION";
const TRANSACTION_FAILED: &str = "TRANSACTION_FAILED";
const ALREADY_CANONIZED: &str = "ALREADY_CANONIZED";

/// Why this capability refuses a call.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// The type of agent may not call the tool.
    #[error("Agent type '{agent_type}' is not authorized to call '{tool}'")]
    NotAuthorized { tool: String, agent_type: String, allowed: Vec<&'static str> },
    /// Nobody knows as which type of agent the caller acts, or it may not act as that.
    #[error("{reason}")]
    NoAgent {
        agent_type: Option<String>,
        reason: String,
        fix: String,
        allowed: Vec<&'static str>,
        near: Vec<&'static str>,
    },
    #[error("{field} names no {what}: there is no {id}")]
    NotFound { field: String, what: &'static str, id: String },
    /// Everything that is wrong with the arguments, at least one flaw.
    #[error("{}", first_and_others(.0))]
    Invalid(Vec<Flaw>),
    /// The arguments are sound, and what is stored stands against them.
    #[error("{message}")]
    Constraint { field: String, message: String, fix: String, details: Map<String, Value> },
    #[error("the scene is completed; its canon stands")]
    AlreadyCanonized { scene_id: String, completed_at: Option<Timestamp> },
    #[error("{reason}")]
    NotPermitted { field: &'static str, reason: String, fix: String },
    /// The outcome is unknown, or nothing was written and the same call may succeed.
    #[error("{message}")]
    Transaction { message: String, fix: String, details: Map<String, Value> },
    /// A fault of ours; the text goes to the log, the id to the caller.
    #[error("the call failed inside the server: {cause}")]
    Internal { error_id: String, cause: String },
}

/// One thing that is wrong with the arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flaw {
    pub field: String,
    pub reason: String,
    pub fix: String,
}

impl Error {
    pub fn invalid(field: impl Into<String>, reason: impl Into<String>, fix: impl Into<String>) -> Self {
        Self::Invalid(vec![Flaw { field: field.into(), reason: reason.into(), fix: fix.into() }])
    }

    pub fn not_found(field: impl Into<String>, what: &'static str, id: &str) -> Self {
        Self::NotFound { field: field.into(), what, id: contract::excerpt(id, 80) }
    }

    pub fn already_canonized(scene_id: &str, completed_at: Option<Timestamp>) -> Self {
        Self::AlreadyCanonized { scene_id: scene_id.to_owned(), completed_at }
    }

    pub fn constraint(field: impl Into<String>, message: impl Into<String>, fix: impl Into<String>) -> Self {
        Self::Constraint { field: field.into(), message: message.into(), fix: fix.into(), details: Map::new() }
    }

    /// The same refusal with something to know besides, where it has a place for it.
    #[must_use]
    pub fn detail(mut self, name: &str, value: impl Into<Value>) -> Self {
        if let Self::Constraint { details, .. } | Self::Transaction { details, .. } = &mut self {
            details.insert(name.to_owned(), value.into());
        }
        self
    }

    pub fn internal(error_id: &str, cause: impl Into<String>) -> Self {
        Self::Internal { error_id: error_id.to_owned(), cause: cause.into() }
    }

    fn transaction(message: impl Into<String>, fix: &str) -> Self {
        Self::Transaction { message: message.into(), fix: fix.to_owned(), details: Map::new() }
    }
}

/// Gathers what is wrong with the arguments of a call, so that its refusal names all of it.
#[derive(Debug, Default)]
pub struct Flaws(Vec<Flaw>);

impl Flaws {
    pub fn push(&mut self, field: impl Into<String>, reason: impl Into<String>, fix: impl Into<String>) {
        self.0.push(Flaw { field: field.into(), reason: reason.into(), fix: fix.into() });
    }

    /// The value that passed its check; what did not pass is kept for [`Self::refuse`].
    pub fn check<T: Default>(&mut self, checked: Result<T, Flaw>) -> T {
        checked.unwrap_or_else(|flaw| {
            self.0.push(flaw);
            T::default()
        })
    }

    /// Refuses when something was wrong.
    pub fn refuse(self) -> Result<(), Error> {
        if self.0.is_empty() { Ok(()) } else { Err(Error::Invalid(self.0)) }
    }
}

fn first_and_others(flaws: &[Flaw]) -> String {
    let Some((first, others)) = flaws.split_first() else { return String::new() };
    let text = format!("{} {}", first.field, first.reason);
    match others.len() {
        0 => text,
        more => format!("{text}; {more} more arguments are wrong"),
    }
}

/// How the shared mechanism fails, in our codes.
impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        let message = failure.to_string();
        match failure {
            Failure::InvalidArgument { field, reason, fix } => Self::invalid(field, reason, fix),
            Failure::NotYet { field, at, head } => Self::invalid(
                field,
                format!("is {at}, and the last sequence is {head}"),
                "give a sequence that an answer of this endpoint has named",
            ),
            Failure::NotPermitted { field, reason, fix, .. } => Self::NotPermitted { field, reason, fix },
            Failure::KeyReused { .. } => {
                Self::constraint("client_request_id", message, "use a new client_request_id for a new request")
            }
            Failure::Contended => Self::transaction(message, "make the same call again"),
            Failure::Cancelled => Self::transaction(message, "nothing was written; make the same call again"),
            Failure::OutcomeUnknown => Self::transaction(
                message,
                "make the same call again with the same client_request_id to learn the outcome",
            )
            .detail("outcome", "unknown"),
            Failure::NotWritten | Failure::NotRead => Self::transaction(message, "make the same call a little later"),
            Failure::Internal { error_id, cause } => Self::Internal { error_id, cause },
        }
    }
}

impl From<ReadError> for Error {
    fn from(error: ReadError) -> Self {
        Failure::from(error).into()
    }
}

/// Flaws that one refusal lists.
const FLAWS_MAX: usize = 100;

impl From<Error> for CallError {
    fn from(error: Error) -> Self {
        use ErrorKind::{Conflict, FailedPrecondition, InvalidArgument, NotFound, PermissionDenied};
        let message = error.to_string();
        let refuse = |kind: ErrorKind, code: &'static str| Self::new(kind, code, message);
        match error {
            Error::NotAuthorized { tool, agent_type, allowed } => refuse(PermissionDenied, UNAUTHORIZED)
                .field("_meta.agent_type")
                .detail("tool", tool)
                .detail("agent_type", agent_type)
                .hint(format!("leave it to {}", allowed.join(" or ")))
                .detail("allowed_types", allowed),
            Error::NoAgent { agent_type, fix, allowed, near, .. } => refuse(PermissionDenied, UNAUTHORIZED)
                .field("_meta.agent_type")
                .detail("agent_type", agent_type)
                .detail("allowed_types", allowed)
                .suggest("did_you_mean", near)
                .hint(fix),
            Error::NotFound { field, what, .. } => {
                let fix = format!("give the id of a {what} that an earlier answer of this endpoint named");
                refuse(NotFound, NOT_FOUND).field(field).hint(fix)
            }
            Error::Invalid(flaws) => {
                let listed = flaws.iter().take(FLAWS_MAX);
                let listed: Vec<Value> =
                    listed.map(|flaw| json!({ "field": flaw.field, "reason": flaw.reason, "fix": flaw.fix })).collect();
                let Flaw { field, reason, fix } = flaws.into_iter().next().expect("there is at least one flaw");
                refuse(InvalidArgument, VALIDATION_ERROR)
                    .field(field)
                    .detail("reason", reason)
                    .detail("violations", listed)
                    .hint(fix)
            }
            Error::Constraint { field, fix, details, .. } => {
                let error = refuse(FailedPrecondition, CONSTRAINT_VIOLATION).field(field).hint(fix);
                Self { details, ..error }
            }
            Error::AlreadyCanonized { scene_id, completed_at } => refuse(FailedPrecondition, ALREADY_CANONIZED)
                .field("scene_id")
                .detail("scene_id", scene_id)
                .detail("completed_at", completed_at.map(|moment| moment.to_string()))
                .hint("read it with mongodb_get_scene; what comes next is told in a new scene"),
            Error::NotPermitted { field, fix, .. } => refuse(PermissionDenied, UNAUTHORIZED).field(field).hint(fix),
            Error::Transaction { fix, details, .. } => {
                Self { details, ..refuse(Conflict, TRANSACTION_FAILED).hint(fix) }
            }
            Error::Internal { error_id, cause } => {
                tracing::error!(error_id, cause, "a call failed inside monitor");
                Self::internal(&error_id)
            }
        }
    }
}

/// The published code of a refusal: its own, or what comes nearest to one of the platform.
pub fn code_of(error: &CallError) -> (&'static str, i32) {
    use ErrorKind::{AlreadyExists, FailedPrecondition, InvalidArgument, NotFound, PermissionDenied};
    let own = CODES.iter().find(|(name, _)| *name == error.code);
    own.copied().unwrap_or(match error.kind {
        PermissionDenied => CODES[0],
        NotFound => CODES[1],
        InvalidArgument => CODES[2],
        FailedPrecondition | AlreadyExists => CODES[3],
        _ => CODES[4],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    //
    #[test]
    fn every_refusal_has_a_published_code_a_field_and_a_fix() {
        let text = || "x".to_owned();
        check(
            Error::NotAuthorized { tool: text(), agent_type: text(), allowed: vec!["Indexer"] },
            "UNAUTHORIZED",
            -32001,
        );
        check(Error::not_found("entity_id", "entity", "x"), "NOT_FOUND", -32002);
        check(Error::invalid("name", "is empty", "give one"), "VALIDATION_ERROR", -32003);
        check(Error::constraint("causes_event_ids", "no", "leave it"), "CONSTRAINT_VIOLATION", -32004);
        check(Failure::KeyReused { key: text() }.into(), "CONSTRAINT_VIOLATION", -32004);
        check(Failure::NotWritten.into(), "TRANSACTION_FAILED", -32005);
        check(Failure::OutcomeUnknown.into(), "TRANSACTION_FAILED", -32005);
        check(Error::already_canonized("x", None), "ALREADY_CANONIZED", -32006);
    }

    #[track_caller]
    fn check(error: Error, name: &str, number: i32) {
        let is_transaction = matches!(error, Error::Transaction { .. });
        let error = CallError::from(error);
        assert_eq!(code_of(&error), (name, number));
        assert!(error.suggestions["hint"].is_string(), "{name}");
        assert_eq!(error.field.is_none(), is_transaction, "{name}");
        assert_eq!(error.retryable(), is_transaction, "{name}");
    }

    #[test]
    fn a_failure_of_the_platform_gets_the_nearest_code() {
        assert_eq!(code_of(&CallError::internal("id")).1, -32005);
        assert_eq!(code_of(&CallError::rate_limited(3)).1, -32005);
        assert_eq!(code_of(&CallError::precondition("no")).1, -32004);
    }
}
