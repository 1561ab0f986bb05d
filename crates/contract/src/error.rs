//! How a call fails, before a door gives it the shape its callers expect.

use std::borrow::Cow;
use std::fmt;

use serde_json::{Map, Value};

use crate::Ask;

/// A failure a caller can act on. A capability's own error enum converts into it once.
#[derive(Debug, Clone)]
pub struct CallError {
    pub kind: ErrorKind,
    /// The published code, for example `ELEMENT_NOT_FOUND`.
    pub code: Cow<'static, str>,
    pub message: String,
    /// The argument at fault, as a path such as `profile.owner`.
    pub field: Option<String>,
    pub details: Map<String, Value>,
    /// The fix: nearest values, permitted ones, candidates, a hint.
    pub suggestions: Map<String, Value>,
}

/// The sort of failure, for status codes and metrics.
#[derive(Debug, Clone, PartialEq)]
pub enum ErrorKind {
    InvalidArgument,
    NotFound,
    AlreadyExists,
    /// Something changed in between; read again.
    Conflict,
    FailedPrecondition,
    PermissionDenied,
    /// More than the caller is entitled to for now.
    ResourceExhausted,
    Unavailable,
    DeadlineExceeded,
    Internal,
    /// Not a failure: the client must answer these questions and call again.
    NeedsInput(Vec<(String, Ask)>),
    /// The call needs a client that can answer this, and this one cannot.
    ClientCannot(Box<Ask>),
}

impl CallError {
    pub fn new(kind: ErrorKind, code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self {
            kind,
            code: code.into(),
            message: message.into(),
            field: None,
            details: Map::new(),
            suggestions: Map::new(),
        }
    }

    /// Something about the arguments is wrong, in general.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::InvalidArgument, "VALIDATION_ERROR", message)
    }

    /// The service is not part of this process.
    pub fn absent(service: &str) -> Self {
        Self::new(ErrorKind::Unavailable, "SERVICE_UNAVAILABLE", format!("{service} is not served here"))
            .hint("ask the operator which endpoint serves it")
    }

    /// The caller called too often and may call again after some seconds.
    pub fn rate_limited(retry_after_s: u64) -> Self {
        let message = format!("Rate limit exceeded. Retry after {retry_after_s} seconds.");
        Self::new(ErrorKind::ResourceExhausted, "RATE_LIMIT_EXCEEDED", message)
            .detail("retry_after_seconds", retry_after_s)
            .hint(format!("wait {retry_after_s} seconds, then call again"))
    }

    pub fn precondition(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::FailedPrecondition, "PRECONDITION_FAILED", message)
    }

    /// A fault of ours. `error_id` finds the cause in the log; the caller learns nothing else.
    pub fn internal(error_id: &str) -> Self {
        let mut error = Self::new(ErrorKind::Internal, "INTERNAL", "the call failed inside the server");
        error.details.insert("error_id".to_owned(), Value::from(error_id));
        error
    }

    pub fn field(mut self, field: impl Into<String>) -> Self {
        self.field = Some(field.into());
        self
    }

    pub fn detail(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.details.insert(name.to_owned(), value.into());
        self
    }

    pub fn suggest(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.suggestions.insert(name.to_owned(), value.into());
        self
    }

    pub fn hint(self, hint: impl Into<String>) -> Self {
        self.suggest("hint", hint.into())
    }

    /// True when the same call may succeed later without a change.
    pub fn retryable(&self) -> bool {
        matches!(
            self.kind,
            ErrorKind::Unavailable | ErrorKind::DeadlineExceeded | ErrorKind::Conflict | ErrorKind::ResourceExhausted
        )
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl std::error::Error for CallError {}

/// Arguments that do not fit a tool's schema.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Misfit {
    /// What is wrong, the most helpful to know first.
    pub violations: Vec<Violation>,
    /// The arguments with everything put right that is certain, without unknown names.
    pub corrected: Map<String, Value>,
    /// The paths that `corrected` leaves open: what is missing or uncertain, and unknown names that were dropped. When
    /// there are none, `corrected` is ready to be sent.
    pub open: Vec<String>,
}

impl Misfit {
    /// True when a required argument is absent.
    pub fn lacks(&self, path: &str) -> bool {
        self.violations.iter().any(|violation| violation.path == path && violation.kind == ViolationKind::Missing)
    }
}

/// One way in which arguments do not fit their schema.
#[derive(Debug, Clone, PartialEq)]
pub struct Violation {
    /// The argument, as a path such as `read_context.as_of`; empty for the whole.
    pub path: String,
    pub kind: ViolationKind,
}

#[derive(Debug, Clone, PartialEq)]
pub enum ViolationKind {
    /// A required argument is absent.
    Missing,
    /// There is no such argument; `nearest` holds the closest real names, best first.
    Unknown { nearest: Vec<String>, known: Vec<String> },
    /// The value is not one of the permitted words; `nearest` holds the closest ones.
    NotOneOf { value: String, nearest: Vec<String>, permitted: Vec<String> },
    /// A value of another JSON type.
    WrongType { given: &'static str, wanted: String },
    /// Anything else, in words.
    Other { message: String },
}
