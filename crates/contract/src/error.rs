//! How a call fails, before a door gives it the shape its callers expect.

use std::borrow::Cow;
use std::fmt;

use serde_json::{Map, Value};

use crate::{Ask, Edit};

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
    /// How the arguments were certainly meant: the door completes this to a call that can be sent.
    pub corrections: Vec<Correction>,
}

/// One thing to put right in the arguments of a call, by paths such as `profile.owner`.
#[derive(Debug, Clone, PartialEq)]
pub enum Correction {
    Set(String, Value),
    /// Two arguments were given in the place of each other.
    Swap(String, String),
}

/// Longest message of a refusal, and longest text in what it tells besides.
const MESSAGE_CHARS_MAX: usize = 1_000;
const TEXT_CHARS_MAX: usize = 4_000;
/// Longest path of an argument.
const PATH_CHARS_MAX: usize = 300;
/// Most entries of a list, and most values in all that a refusal tells besides its message.
const ENTRIES_MAX: usize = 1_000;
const VALUES_MAX: usize = 4_000;

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
            corrections: Vec::new(),
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

    /// Says what an argument was certainly meant to be.
    pub fn correct(mut self, path: impl Into<String>, value: impl Into<Value>) -> Self {
        self.corrections.push(Correction::Set(path.into(), value.into()));
        self
    }

    /// Says that two arguments were certainly given in the place of each other.
    pub fn swap(mut self, one: impl Into<String>, other: impl Into<String>) -> Self {
        self.corrections.push(Correction::Swap(one.into(), other.into()));
        self
    }

    /// Cuts what is too long to be read: a refusal repeats what a caller sent, which may be megabytes.
    pub fn bounded(mut self) -> Self {
        self.message = excerpt(&self.message, MESSAGE_CHARS_MAX);
        self.field = self.field.map(|field| excerpt(&field, PATH_CHARS_MAX));
        let mut room = VALUES_MAX;
        bound_entries(&mut self.details, &mut room);
        bound_entries(&mut self.suggestions, &mut room);
        self
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

/// The start of a text, with a mark where it was cut.
pub fn excerpt(text: &str, chars_max: usize) -> String {
    match text.char_indices().nth(chars_max) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

fn bound_entries(entries: &mut Map<String, Value>, room: &mut usize) {
    // Names are ours, except in corrected arguments, where they are those of the schema or of free objects.
    let names: Vec<String> = entries.keys().skip(ENTRIES_MAX.min(*room)).cloned().collect();
    if !names.is_empty() {
        let kept = entries.len() - names.len();
        let mut number = 0;
        entries.retain(|_, _| {
            number += 1;
            number <= kept
        });
        entries.insert("…".to_owned(), Value::from(names.len()));
    }
    for value in entries.values_mut() {
        bound_value(value, room);
    }
}

fn bound_value(value: &mut Value, room: &mut usize) {
    *room = room.saturating_sub(1);
    match value {
        Value::String(text) if text.len() > TEXT_CHARS_MAX => *text = excerpt(text, TEXT_CHARS_MAX),
        Value::Array(items) => {
            let most = ENTRIES_MAX.min(*room);
            if items.len() > most {
                let more = items.len() - most;
                items.truncate(most);
                items.push(Value::from(format!("… and {more} more")));
            }
            items.iter_mut().for_each(|item| bound_value(item, room));
        }
        Value::Object(entries) => bound_entries(entries, room),
        _ => {}
    }
}

/// Arguments that do not fit a tool's schema.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Misfit {
    /// What is wrong, the most helpful to know first. At most a few dozen: who sends a thousand mistakes learns the first.
    pub violations: Vec<Violation>,
    /// The arguments with everything put right that is certain, without unknown names.
    pub corrected: Map<String, Value>,
    /// The paths that `corrected` leaves open: what is missing or uncertain, and unknown names that were dropped. When
    /// there are none, `corrected` is ready to be sent.
    pub open: Vec<String>,
    /// How the given arguments become `corrected`, for who does not repeat what was given. Empty where that takes more than
    /// a few simple edits, and while something is open.
    pub edits: Vec<Edit>,
}

impl Misfit {
    /// True when a required argument is absent.
    pub fn lacks(&self, path: &str) -> bool {
        let missing = |violation: &Violation| matches!(violation.kind, ViolationKind::Missing { .. });
        self.violations.iter().any(|violation| violation.path == path && missing(violation))
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
    /// A required argument is absent; `wanted` says what it takes, such as `one of Low, Medium, High`.
    Missing { wanted: String },
    /// There is no such argument; `nearest` holds the closest real names, best first.
    Unknown { nearest: Vec<String>, known: Vec<String> },
    /// There is no such argument, and it holds arguments that belong where it stands.
    Wrapper { holds: Vec<String> },
    /// The value is not one of the permitted words; `nearest` holds the closest ones.
    NotOneOf { value: String, nearest: Vec<String>, permitted: Vec<String> },
    /// A value of another JSON type.
    WrongType { given: &'static str, wanted: String },
    /// Anything else: what is wrong with the value, without repeating it, and what to do about it.
    Other { reason: String, fix: String },
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn size(error: &CallError) -> usize {
        let texts = [json!(error.details), json!(error.suggestions)].map(|part| part.to_string().len());
        error.message.len() + error.field.as_ref().map_or(0, String::len) + texts.iter().sum::<usize>()
    }

    #[test]
    fn a_refusal_is_bounded_whatever_it_repeats() {
        let long = "é".repeat(2_000_000);
        let many: Vec<Value> = (0..100_000).map(|number| json!({ "number": number, "of": vec!["x"; 50] })).collect();
        let named: Map<String, Value> = (0..100_000).map(|number| (format!("n{number}"), json!(number))).collect();
        let error = CallError::invalid(long.clone()).field(long.clone()).detail("given", long.clone());
        let error = error.suggest("candidates", many).suggest("corrected_arguments", named).hint(long).bounded();
        assert!(size(&error) < 400_000, "{}", size(&error));
        assert!(error.message.ends_with('…'));
    }

    #[test]
    fn a_refusal_of_usual_size_stays_as_it_is() {
        let error = CallError::invalid("no").field("a.b").detail("list", vec!["x"; 900]).hint("do it");
        let (message, details) = (error.message.clone(), error.details.clone());
        let bounded = error.bounded();
        assert_eq!((bounded.message, bounded.details), (message, details));
    }
}
