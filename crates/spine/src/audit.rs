//! The record that every call leaves.

mod refusals;

use std::borrow::Cow;
use std::io::{BufWriter, Write};

use serde::Serialize;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::trace;

pub use refusals::Refusals;

/// Longest text of arguments that an audit record keeps.
const ARGUMENTS_CHARS_MAX: usize = 2048;
/// Bytes that hold one character more than that, whatever they are.
const START_BYTES_MAX: usize = (ARGUMENTS_CHARS_MAX + 1) * 4;
/// Longest method or target that an audit record keeps.
const NAME_CHARS_MAX: usize = 256;
/// SHA-256 of `{}`; every read has it.
const NO_ARGUMENTS_HASH: &str = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";
/// Argument names whose values are never kept, whatever their case.
const SECRET_NAMES: &[&str] = &["password", "secret", "token", "authorization", "api_key", "apikey", "credential"];

/// Where audit records go.
pub trait AuditSink: Send + Sync {
    /// Keeps a record. When there is no room for it, whoever is awaited waits for some, for a short while; a record that is
    /// not kept is counted.
    #[must_use = "a record that nobody waits for is lost when there is no room"]
    fn append(&self, record: AuditRecord) -> Option<Appending>;

    /// Told of a record that is part of the commit of its call, and needs no other place.
    fn committed(&self, _record: &AuditRecord) {}

    /// What became of the records that were appended so far.
    fn counts(&self) -> AuditCounts {
        AuditCounts::default()
    }
}

/// Records that were kept, and records that could not be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AuditCounts {
    pub written: u64,
    pub dropped: u64,
}

/// A record that waits for room. Dropped, it is counted as lost.
pub type Appending = futures::future::BoxFuture<'static, ()>;

/// One call, as it was made, decided and answered. In a commit the ledger keeps the skipped fields in columns of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AuditRecord {
    #[serde(skip)]
    pub at: scope::Timestamp,
    /// `-` when the caller was not identified.
    #[serde(skip)]
    pub tenant: scope::TenantId,
    #[serde(skip)]
    pub principal: String,
    pub principal_kind: &'static str,
    /// `http`, `stdio` or `cli`.
    pub transport: &'static str,
    pub client: Option<String>,
    /// The protocol's method, for example `tools/call`.
    pub method: Cow<'static, str>,
    /// The tool or the resource.
    pub target: String,
    /// JSON text without secrets, cut to a bound.
    pub arguments: Cow<'static, str>,
    /// SHA-256 of the whole arguments, in hex.
    pub arguments_hash: Cow<'static, str>,
    #[serde(skip)]
    pub request_id: String,
    #[serde(skip)]
    pub correlation_id: String,
    pub trace_id: String,
    /// `admitted`, or why not; for a write, what the policy decided and why.
    pub decision: Cow<'static, str>,
    /// `ok`, `refused`, `failed` or `asked`.
    pub outcome: &'static str,
    pub error_code: Option<String>,
    pub duration_us: u64,
}

/// Keeps nothing; for tests of other things.
#[derive(Debug, Default, Clone, Copy)]
pub struct NoAudit;

impl AuditSink for NoAudit {
    fn append(&self, _: AuditRecord) -> Option<Appending> {
        None
    }
}

/// The text and the hash of arguments.
pub type Kept = (Cow<'static, str>, Cow<'static, str>);

/// Arguments as an audit record keeps them: without secrets and what else the operator named, bounded, with the hash of the
/// whole.
pub fn arguments(arguments: &Map<String, Value>, named: &[String]) -> Kept {
    if arguments.is_empty() {
        return ("{}".into(), NO_ARGUMENTS_HASH.into());
    }
    let secrets = Secrets { named };
    let Written { start, hash } = Written::of(arguments);
    let start = if secrets.are_in(arguments) { Written::of(&secrets.redacted(arguments)).start } else { start };
    let text = String::from_utf8_lossy(&start).into_owned();
    (bounded(text, ARGUMENTS_CHARS_MAX).into(), hex::encode(hash.finalize()).into())
}

/// The beginning of a long text, and the hash of all of it.
#[derive(Default)]
struct Written {
    start: Vec<u8>,
    hash: Sha256,
}

impl Written {
    fn of(arguments: &Map<String, Value>) -> Self {
        let mut written = Self::default();
        let mut buffer = BufWriter::new(&mut written);
        serde_json::to_writer(&mut buffer, arguments).expect("a JSON map serialises");
        buffer.flush().expect("memory takes what is written");
        drop(buffer);
        written
    }
}

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let room = START_BYTES_MAX.saturating_sub(self.start.len());
        self.start.extend_from_slice(&bytes[..room.min(bytes.len())]);
        self.hash.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Which arguments are not kept.
struct Secrets<'a> {
    named: &'a [String],
}

impl Secrets<'_> {
    fn are_in(&self, arguments: &Map<String, Value>) -> bool {
        arguments.iter().any(|(name, value)| self.is_secret(name) || self.are_within(value))
    }

    fn are_within(&self, value: &Value) -> bool {
        match value {
            Value::Object(inner) => self.are_in(inner),
            Value::Array(items) => items.iter().any(|item| self.are_within(item)),
            _ => false,
        }
    }

    fn redacted(&self, arguments: &Map<String, Value>) -> Map<String, Value> {
        let entry = |(name, value): (&String, &Value)| {
            let value = if self.is_secret(name) { Value::from("[redacted]") } else { self.redacted_value(value) };
            (name.clone(), value)
        };
        arguments.iter().map(entry).collect()
    }

    fn redacted_value(&self, value: &Value) -> Value {
        match value {
            Value::Object(inner) => Value::Object(self.redacted(inner)),
            Value::Array(items) => Value::Array(items.iter().map(|item| self.redacted_value(item)).collect()),
            other => other.clone(),
        }
    }

    fn is_secret(&self, name: &str) -> bool {
        // Most names are in lower case already.
        let is_plain = name.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase());
        let name = if is_plain { Cow::Borrowed(name) } else { Cow::Owned(name.to_lowercase()) };
        let holds = |secret: &str| name.as_bytes().windows(secret.len()).any(|part| part == secret.as_bytes());
        let is_named = |word: &String| !word.is_empty() && holds(&word.to_lowercase());
        (name != "page_token" && SECRET_NAMES.iter().any(|secret| holds(secret))) || self.named.iter().any(is_named)
    }
}

/// A method or a target as a record keeps it; callers make up what they like.
pub fn bounded_name(text: &str) -> String {
    trace::escaped(text, NAME_CHARS_MAX)
}

fn bounded(text: String, chars_max: usize) -> String {
    match text.char_indices().nth(chars_max) {
        None => text,
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    // R-362, R-389
    #[test]
    fn secrets_do_not_reach_the_record() {
        let given = json!({ "name": "x", "list": [{ "Api_Key": "hush" }], "token": "hush" });
        let (text, hash) = arguments(given.as_object().unwrap(), &[]);
        assert_eq!(text, r#"{"name":"x","list":[{"Api_Key":"[redacted]"}],"token":"[redacted]"}"#);
        assert_eq!(hash.len(), 64);
    }

    // R-389: what an operator names is hidden like a secret, wherever it stands and in whatever case.
    #[test]
    fn what_the_operator_names_does_not_reach_the_record() {
        let given =
            json!({ "Full_Name": "Ann", "kept": 1, "list": [{ "deep": { "iban": "DE00" } }], "page_token": "p" });
        let named = ["name".to_owned(), "IBAN".to_owned(), String::new()];
        let (text, _) = arguments(given.as_object().unwrap(), &named);
        assert_eq!(
            text,
            r#"{"Full_Name":"[redacted]","kept":1,"list":[{"deep":{"iban":"[redacted]"}}],"page_token":"p"}"#
        );
    }

    #[test]
    fn no_arguments_have_the_hash_of_an_empty_object() {
        assert_eq!(arguments(&Map::new(), &[]), ("{}".into(), hex::encode(Sha256::digest("{}")).into()));
    }

    #[test]
    fn long_arguments_are_cut() {
        let given = json!({ "name": "é".repeat(5000) });
        let (text, _) = arguments(given.as_object().unwrap(), &[]);
        assert_eq!(text.chars().count(), ARGUMENTS_CHARS_MAX + 1);
    }
}
