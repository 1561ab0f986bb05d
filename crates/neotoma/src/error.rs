//! Why neotoma refuses a call, in the codes of its specification. No message holds a value, a name or a path that a
//! caller sent or stored.

use contract::{CallError, ErrorKind};
use desk::Failure;
use ledger::{ReadError, Seq};
use scope::Timestamp;
use serde_json::json;

/// Why this capability refuses a call.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    #[error("{field} {reason}")]
    Invalid { field: String, reason: String, fix: String },
    /// Everything that is wrong with the arguments, at least one flaw.
    #[error("{}", all_named(.0.iter().map(|flaw| (flaw.field.as_str(), flaw.reason.as_str()))))]
    Flawed(Vec<Flaw>),
    #[error("{earlier} is later than {later}")]
    Reversed { earlier: &'static str, later: &'static str },
    #[error("{field} is not an entity id")]
    MalformedId { field: &'static str },
    #[error("{field} names no entity")]
    NoSuchEntity { field: &'static str },
    /// No entity has the id, and the caller's entities `near` have almost the same.
    #[error("{field} {}", if *.malformed { "is not an entity id" } else { "names no entity" })]
    MisspeltId { field: &'static str, malformed: bool, near: Vec<String> },
    #[error("{field} names more than one entity")]
    Ambiguous { field: &'static str, candidates: Vec<(String, String)> },
    #[error("{field} names no source material")]
    NoSuchSource { field: &'static str },
    #[error("{field} names no file")]
    NoSuchFile { field: &'static str },
    #[error("File exceeds {} limit", shown_bytes(*.max))]
    FileTooLarge { size: u64, max: u64 },
    #[error("Files of this type are not supported")]
    UnsupportedFileType,
    #[error("The snapshot has no such field")]
    NoSuchField { known: Vec<String> },
    #[error("from_entity_id has been merged already")]
    AlreadyMerged { into: String },
    #[error("{field} is not a relationship type")]
    NoSuchRelationType { field: String, near: Vec<String>, valid: Vec<String> },
    #[error("The relationship would close a cycle")]
    Cycle { field: &'static str, relationship_type: String },
    #[error("{field} names an entity that was deleted")]
    EntityDeleted { field: String, entity_id: String },
    #[error("The interpretation quota of {quota} runs in 30 days is used up")]
    QuotaExceeded { quota: u64, resets_at: Timestamp },
    #[error("The file is stored, but it could not be interpreted: {reason}")]
    AnalysisFailed { source_id: String, reason: String },
    #[error("The file could not be stored")]
    UploadFailed,
    #[error("The link could not be signed")]
    SigningFailed,
    #[error("There is no such resource")]
    NoSuchResource,
    #[error("{field} lies in the future; the last read point is {head}")]
    NotYet { field: String, head: Seq },
    #[error("The store did not keep what was sent")]
    InsertFailed,
    #[error("The store did not make the change")]
    UpdateFailed,
    #[error("The store did not make the deletion")]
    DeleteFailed,
    #[error("The store could not be read")]
    QueryFailed,
    #[error("The outcome of the write is unknown")]
    OutcomeUnknown,
    #[error("What the write is about kept changing while it was decided")]
    Contended,
    /// The policy does not let this caller write so.
    #[error("You may not {act}: {reason}")]
    NotPermitted { field: &'static str, act: String, reason: String, fix: String },
    #[error("client_request_id was used with other arguments")]
    KeyReused,
    #[error("The call ended before anything was written")]
    Cancelled,
    /// A fault of ours; the text goes to the log, the id to the caller.
    #[error("the call failed inside the server: {cause}")]
    Internal { error_id: String, cause: String },
}

/// A size in the largest unit that it is a whole number of.
fn shown_bytes(bytes: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "KB")];
    match UNITS.iter().find(|(unit, _)| bytes >= *unit && bytes.is_multiple_of(*unit)) {
        Some((unit, name)) => format!("{}{name}", bytes / unit),
        None => format!("{bytes} byte"),
    }
}

/// One thing that is wrong with the arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flaw {
    pub field: String,
    pub reason: String,
    pub fix: String,
}

impl Flaw {
    pub fn new(field: impl Into<String>, reason: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { field: field.into(), reason: reason.into(), fix: fix.into() }
    }
}

/// Flaws that one refusal lists.
const FLAWS_MAX: usize = 100;

/// Paths that the text of a refusal names; all of them stand in its details.
const NAMED_MAX: usize = 10;

/// The first thing that is wrong, and the paths of the others.
pub fn all_named<'a>(wrong: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let wrong: Vec<(&str, &str)> = wrong.collect();
    let Some(((field, reason), others)) = wrong.split_first() else { return String::new() };
    let mut text = format!("{field} {reason}");
    if others.is_empty() {
        return text;
    }
    let mut paths: Vec<&str> = others.iter().map(|(field, _)| *field).collect();
    paths.dedup();
    let more = paths.len().saturating_sub(NAMED_MAX);
    paths.truncate(NAMED_MAX);
    text.push_str("; also wrong: ");
    text.push_str(&paths.join(", "));
    if more > 0 {
        text.push_str(&format!(" and {more} more"));
    }
    text
}

/// Gathers what is wrong with the arguments of a call, so that its refusal names all of it.
#[derive(Debug, Default)]
pub struct Flaws(Vec<Flaw>);

impl Flaws {
    /// The value that passed its check. What did not pass is kept for [`Self::refuse`]; a failure of another sort ends
    /// the call.
    pub fn check<T>(&mut self, checked: Result<T, Error>) -> Result<Option<T>, Error> {
        match checked {
            Ok(value) => return Ok(Some(value)),
            Err(Error::Invalid { field, reason, fix }) => self.0.push(Flaw { field, reason, fix }),
            Err(Error::Flawed(flaws)) => self.0.extend(flaws),
            Err(other) => return Err(other),
        }
        Ok(None)
    }

    /// Refuses when something was wrong.
    pub fn refuse(self) -> Result<(), Error> {
        if self.0.is_empty() { Ok(()) } else { Err(Error::Flawed(self.0)) }
    }
}

impl Error {
    pub fn invalid(field: impl Into<String>, reason: impl Into<String>, fix: impl Into<String>) -> Self {
        Self::Invalid { field: field.into(), reason: reason.into(), fix: fix.into() }
    }

    pub fn internal(error_id: &str, cause: String) -> Self {
        Self::Internal { error_id: error_id.to_owned(), cause }
    }
}

/// How the shared mechanism fails, in our words. A write that was not made is one that was to store something, unless its
/// caller knows better.
impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::InvalidArgument { field, reason, fix } => Self::Invalid { field, reason, fix },
            Failure::NotYet { field, head, .. } => Self::NotYet { field, head },
            Failure::NotPermitted { field, act, reason, fix } => Self::NotPermitted { field, act, reason, fix },
            Failure::KeyReused { .. } => Self::KeyReused,
            Failure::Contended => Self::Contended,
            Failure::Cancelled => Self::Cancelled,
            Failure::OutcomeUnknown => Self::OutcomeUnknown,
            Failure::NotWritten => Self::InsertFailed,
            Failure::NotRead => Self::QueryFailed,
            Failure::Internal { error_id, cause } => Self::Internal { error_id, cause },
        }
    }
}

impl From<ReadError> for Error {
    fn from(error: ReadError) -> Self {
        Failure::from(error).into()
    }
}

impl From<Error> for CallError {
    fn from(error: Error) -> Self {
        use ErrorKind::{
            Conflict, DeadlineExceeded, FailedPrecondition, InvalidArgument, NotFound, PermissionDenied, Unavailable,
        };
        let message = error.to_string();
        let refuse = |kind: ErrorKind, code: &'static str| Self::new(kind, code, message);
        match error {
            Error::Invalid { field, fix, .. } => refuse(InvalidArgument, "VALIDATION_ERROR").field(field).hint(fix),
            Error::Flawed(flaws) => {
                let listed = flaws.iter().take(FLAWS_MAX);
                let listed: Vec<_> = listed
                    .map(|flaw| json!({ "field": flaw.field, "reason": flaw.reason, "fix": flaw.fix }))
                    .collect();
                let Flaw { field, fix, .. } = flaws.into_iter().next().expect("there is at least one flaw");
                refuse(InvalidArgument, "VALIDATION_ERROR").field(field).hint(fix).detail("violations", listed)
            }
            Error::Reversed { earlier, later } => refuse(InvalidArgument, "VALIDATION_ERROR")
                .field(earlier)
                .hint(format!("give {earlier} and {later} the other way round"))
                .swap(earlier, later),
            Error::MalformedId { field } => refuse(InvalidArgument, "VALIDATION_ERROR")
                .field(field)
                .hint("an entity id is ent_ and 24 hexadecimal digits; a unique name or identifier works too"),
            Error::NoSuchEntity { field } => refuse(NotFound, "ENTITY_NOT_FOUND")
                .field(field)
                .hint("find the entity with get_entity_by_identifier or retrieve_entities"),
            Error::MisspeltId { field, malformed, near } => {
                let (kind, code) = match malformed {
                    true => (InvalidArgument, "VALIDATION_ERROR"),
                    false => (NotFound, "ENTITY_NOT_FOUND"),
                };
                let refusal = refuse(kind, code).field(field).hint(format!("did you mean {}", near.join(" or ")));
                meant(refusal, field, near)
            }
            Error::Ambiguous { field, candidates } => refuse(InvalidArgument, "VALIDATION_ERROR")
                .field(field)
                .detail("candidates", candidates.iter().map(|(id, of)| json!({"id": id, "entity_type": of})).collect::<Vec<_>>())
                .hint("give the id of the one you mean"),
            Error::NoSuchSource { field } => {
                refuse(NotFound, "SOURCE_NOT_FOUND").field(field).hint("give the source_id that ingest or an observation shows")
            }
            Error::NoSuchFile { field } => {
                refuse(NotFound, "FILE_NOT_FOUND").field(field).hint("give a path below a configured root, or a path in storage")
            }
            Error::FileTooLarge { size, max } => refuse(InvalidArgument, "FILE_TOO_LARGE")
                .detail("file_size_bytes", size)
                .detail("max_size_bytes", max)
                .hint("split the file, or ask the operator to raise the limit"),
            Error::UnsupportedFileType => refuse(InvalidArgument, "UNSUPPORTED_FILE_TYPE")
                .hint("pdf, jpg, png, txt, md, csv, xlsx, json and eml files are supported; their content must match their name"),
            Error::NoSuchField { known } => refuse(NotFound, "FIELD_NOT_FOUND")
                .field("field")
                .detail("known_fields", known)
                .hint("give a field that the snapshot has"),
            Error::AlreadyMerged { into } => refuse(FailedPrecondition, "ENTITY_ALREADY_MERGED")
                .field("from_entity_id")
                .detail("merged_into", into)
                .hint("undo the merge with unmerge_entities first, or merge the survivor"),
            Error::NoSuchRelationType { field, near, valid } => {
                let hint = match near.first() {
                    Some(meant) => format!("use {meant}"),
                    None => "use one of the valid types, or register one with register_schema".to_owned(),
                };
                let refusal = refuse(InvalidArgument, "INVALID_RELATIONSHIP_TYPE").field(&field);
                meant(refusal.detail("valid_values", valid).hint(hint), &field, near)
            }
            Error::Cycle { field, relationship_type } => refuse(FailedPrecondition, "CYCLE_DETECTED")
                .field(field)
                .detail("relationship_type", relationship_type)
                .hint("reverse the relationship, or delete the one that leads back"),
            Error::EntityDeleted { field, entity_id } => refuse(FailedPrecondition, "ENTITY_DELETED")
                .field(field)
                .detail("entity_id", entity_id)
                .hint("bring it back with restore first; nothing was stored"),
            Error::QuotaExceeded { resets_at, .. } => refuse(PermissionDenied, "QUOTA_EXCEEDED")
                .detail("resets_at", resets_at.to_string())
                .detail("setting", "neotoma.interpretations_max")
                .hint(
                    "store the file with interpret false, try again after resets_at, or ask the operator to raise \
                     neotoma.interpretations_max; nothing was stored",
                ),
            Error::AnalysisFailed { source_id, .. } => refuse(FailedPrecondition, "ANALYSIS_FAILED")
                .detail("source_id", source_id)
                .hint("the file is stored: send its entities with ingest, or call reinterpret with another configuration"),
            Error::UploadFailed => refuse(Unavailable, "UPLOAD_FAILED").hint("make the same call again a little later"),
            Error::SigningFailed => refuse(Unavailable, "SIGNING_FAILED").hint("make the same call again a little later"),
            Error::NoSuchResource => refuse(NotFound, "RESOURCE_NOT_FOUND")
                .hint("the resource templates say what can be read, for example neotoma://entity/ID"),
            Error::NotYet { field, head } => refuse(InvalidArgument, "VALIDATION_ERROR")
                .field(field)
                .detail("last_read_point", head)
                .hint("give a time that has passed, or a read_point of an answer"),
            Error::InsertFailed => refuse(Unavailable, "DB_INSERT_FAILED").hint("nothing was stored; make the same call again"),
            Error::UpdateFailed => refuse(Unavailable, "DB_UPDATE_FAILED").hint("nothing was changed; make the same call again"),
            Error::DeleteFailed => refuse(Unavailable, "DB_DELETE_FAILED").hint("nothing was deleted; make the same call again"),
            Error::QueryFailed => refuse(Unavailable, "DB_QUERY_FAILED").hint("make the same call again a little later"),
            Error::OutcomeUnknown => refuse(Unavailable, "SERVICE_UNAVAILABLE")
                .detail("outcome", "unknown")
                .hint("make the same call again with the same client_request_id to learn the outcome"),
            Error::Contended => refuse(Conflict, "SERVICE_UNAVAILABLE")
                .hint("nothing was stored; make the same call again a little later"),
            Error::NotPermitted { field, fix, .. } => {
                refuse(PermissionDenied, "PERMISSION_DENIED").field(field).hint(fix)
            }
            Error::KeyReused => refuse(FailedPrecondition, "IDEMPOTENCY_KEY_REUSED")
                .field("client_request_id")
                .hint("use a new client_request_id for a new request"),
            Error::Cancelled => refuse(DeadlineExceeded, "SERVICE_UNAVAILABLE").hint("nothing was written; make the same call again"),
            Error::Internal { error_id, cause } => {
                tracing::error!(error_id, cause, "a call failed inside neotoma");
                Self::internal(&error_id)
            }
        }
    }
}

/// Adds what was probably meant; a single candidate is certain.
fn meant(refusal: CallError, field: &str, near: Vec<String>) -> CallError {
    let refusal = match &near[..] {
        [one] => refusal.correct(field, one.as_str()),
        _ => refusal,
    };
    refusal.suggest("did_you_mean", near)
}
