//! Identifiers: SHA-256 over what they stand for, so that the same input gives the same id everywhere.
//!
//! Every part of a hash is preceded by its length and every hash by its purpose, so that no two inputs run together.

use std::fmt::Write as _;

use serde_json::{Number, Value};
use sha2::{Digest, Sha256};

use super::Map;

/// Whole numbers up to here are the same as an integer and as a float.
const EXACT_MAX: f64 = 9_007_199_254_740_992.0;

/// The user that a principal is. A principal that is a UUID already is its own user.
pub fn user(principal_id: &str) -> String {
    if is_uuid(principal_id) { principal_id.to_owned() } else { uuid("user", &[principal_id]) }
}

/// The entity of a user that has this type and identity.
pub fn entity(user: &str, entity_type: &str, identity: &str) -> String {
    let hash = hex::encode(digest("entity", &[user, entity_type, identity]));
    format!("ent_{}", &hash[..24])
}

/// Whether `id` is written like an entity id.
pub fn is_entity_id(id: &str) -> bool {
    let is_hex = |letter: u8| letter.is_ascii_digit() || (b'a'..=b'f').contains(&letter);
    id.strip_prefix("ent_").is_some_and(|hash| hash.len() == 24 && hash.bytes().all(is_hex))
}

/// SHA-256 of the bytes, in hex.
pub fn content_hash(bytes: impl AsRef<[u8]>) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// The form of a JSON value in which key order and number notation do not matter: RFC 8785, except that integers
/// beyond 2^53 keep all their digits, so that different ones stay different.
pub fn canonical(value: &Value) -> String {
    let mut text = String::new();
    write_canonical(value, &mut text);
    text
}

/// The source that holds this content for a user.
pub fn source(user: &str, content_hash: &str) -> String {
    uuid("source", &[user, content_hash])
}

/// The source of what the system records itself, such as a correction or a marker; `parts` say which.
pub fn internal_source(user: &str, parts: &[&str]) -> String {
    let parts: Vec<&str> = std::iter::once(user).chain(parts.iter().copied()).collect();
    uuid("internal_source", &parts)
}

/// The observation of these fields; `occurrence` tells apart repetitions from one source about one entity.
pub fn observation(source: &str, run: Option<&str>, entity: &str, fields: &Map, occurrence: &str) -> String {
    let mut text = String::new();
    write_fields(fields, &mut text);
    let run = run.map_or(Value::Null, Value::from);
    uuid("observation", &[source, &canonical(&run), entity, &text, occurrence])
}

/// The relationship of this type between two entities.
pub fn relationship(user: &str, r#type: &str, source: &str, target: &str) -> String {
    uuid("relationship", &[user, r#type, source, target])
}

/// The timeline event that a field of an entity gives.
pub fn event(entity: &str, field: &str) -> String {
    uuid("event", &[entity, field])
}

/// The run of an extractor with a configuration over a source.
pub fn run(source: &str, config: &Value, extractor: &str) -> String {
    uuid("run", &[source, &canonical(config), extractor])
}

fn digest(purpose: &str, parts: &[&str]) -> [u8; 32] {
    let mut hasher = Sha256::new();
    for part in std::iter::once(&purpose).chain(parts) {
        hasher.update((part.len() as u64).to_be_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().into()
}

/// The first 16 bytes of the hash as a UUID of version 8, the one for hashes of one's own.
fn uuid(purpose: &str, parts: &[&str]) -> String {
    let mut bytes = digest(purpose, parts);
    bytes[6] = (bytes[6] & 0x0f) | 0x80;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let hash = hex::encode(&bytes[..16]);
    [&hash[..8], &hash[8..12], &hash[12..16], &hash[16..20], &hash[20..]].join("-")
}

fn is_uuid(text: &str) -> bool {
    let groups: Vec<&str> = text.split('-').collect();
    let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
    lengths == [8, 4, 4, 4, 12] && groups.iter().all(|group| group.bytes().all(|letter| letter.is_ascii_hexdigit()))
}

fn write_canonical(value: &Value, text: &mut String) {
    match value {
        Value::Number(number) => write_number(number, text),
        Value::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                write_canonical(item, text);
            }
            text.push(']');
        }
        Value::Object(fields) => write_fields(fields, text),
        // A text, a boolean or null is written the same by every serialiser that escapes only what it has to.
        plain => _ = write!(text, "{plain}"),
    }
}

/// RFC 8785 sorts names by their UTF-16 code units.
fn write_fields(fields: &Map, text: &mut String) {
    let mut sorted: Vec<(&String, &Value)> = fields.iter().collect();
    sorted.sort_by(|(one, _), (other, _)| one.encode_utf16().cmp(other.encode_utf16()));
    text.push('{');
    for (index, (name, value)) in sorted.into_iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        write_canonical(&Value::from(name.as_str()), text);
        text.push(':');
        write_canonical(value, text);
    }
    text.push('}');
}

fn write_number(number: &Number, text: &mut String) {
    match number.as_f64() {
        Some(float) if number.is_f64() || float.abs() <= EXACT_MAX => {
            text.push_str(&serde_jcs::to_string(&float).unwrap_or_else(|_| number.to_string()));
        }
        _ => _ = write!(text, "{number}"),
    }
}
