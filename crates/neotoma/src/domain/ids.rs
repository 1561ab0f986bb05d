//! Identifiers: SHA-256 over what they stand for, so that the same input gives the same id everywhere.
//!
//! Every part of a hash is preceded by its length and every hash by its purpose, so that no two inputs run together.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde_json::{Number, Value};
use sha2::{Digest, Sha256};

use super::Map;

/// The user that a principal is. A principal that is a UUID already is its own user.
pub fn user(principal_id: &str) -> String {
    if is_uuid(principal_id) { principal_id.to_owned() } else { uuid("user", &[principal_id]) }
}

/// The entity of a user that has this type and identity.
pub fn entity(user: &str, entity_type: &str, identity: &str) -> String {
    let mut id = String::with_capacity(28);
    id.push_str("ent_");
    write_hex(&digest("entity", &[user, entity_type, identity])[..12], &mut id);
    id
}

/// Whether `id` is written like an entity id.
pub fn is_entity_id(id: &str) -> bool {
    let is_hex = |letter: u8| letter.is_ascii_digit() || (b'a'..=b'f').contains(&letter);
    id.strip_prefix("ent_").is_some_and(|hash| hash.len() == 24 && hash.bytes().all(is_hex))
}

/// An id as it was probably meant: without blanks, quotes and `urn:uuid:` around it, and in lower case. What is no id then
/// stays as it is.
pub fn reference(text: &str) -> Cow<'_, str> {
    const URN: &str = "urn:uuid:";
    let bare = text.trim();
    let quoted = ['"', '\'', '`'].iter().find_map(|quote| bare.strip_prefix(*quote)?.strip_suffix(*quote));
    let bare = quoted.unwrap_or(bare).trim();
    let bare = match bare.get(..URN.len()) {
        Some(start) if start.eq_ignore_ascii_case(URN) => &bare[URN.len()..],
        _ => bare,
    };
    let lower = bare.get(..bare.len().min(36)).unwrap_or_default().to_ascii_lowercase();
    match lower.len() == bare.len() && (is_entity_id(&lower) || is_uuid(&lower)) {
        true if lower == text => text.into(),
        true => lower.into(),
        false => text.into(),
    }
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

/// The hash of entities that were sent together, one after the other: [`content_hash`] of their canonical list. Key
/// order and number notation do not matter.
pub struct EntitiesHash {
    hasher: Sha256,
    /// What is hashed next; it starts with what separates it from what was hashed before.
    text: String,
}

impl Default for EntitiesHash {
    fn default() -> Self {
        Self { hasher: Sha256::new(), text: String::from("[") }
    }
}

impl EntitiesHash {
    /// Takes in the next entity.
    pub fn add(&mut self, entity: &Map) {
        write_fields(entity, &mut self.text);
        self.hasher.update(&self.text);
        self.text.clear();
        self.text.push(',');
    }

    /// The hash of all that were added, at least one.
    pub fn finish(mut self) -> String {
        self.hasher.update("]");
        hex::encode(self.hasher.finalize())
    }
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
    let run = run.map_or_else(|| "null".to_owned(), |run| canonical(&Value::from(run)));
    uuid("observation", &[source, &run, entity, &text, occurrence])
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
    let mut id = String::with_capacity(36);
    for (index, part) in [&bytes[..4], &bytes[4..6], &bytes[6..8], &bytes[8..10], &bytes[10..16]].iter().enumerate() {
        if index > 0 {
            id.push('-');
        }
        write_hex(part, &mut id);
    }
    id
}

fn write_hex(bytes: &[u8], text: &mut String) {
    let digit = |nibble: u8| char::from(b"0123456789abcdef"[usize::from(nibble)]);
    for byte in bytes {
        text.push(digit(byte >> 4));
        text.push(digit(byte & 0x0f));
    }
}

/// Whether `text` is written like a UUID, in whatever case.
pub fn is_uuid(text: &str) -> bool {
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
        Value::String(plain) => write_text(plain, text),
        // A boolean or null is written the same by every serialiser that escapes only what it has to.
        plain => _ = write!(text, "{plain}"),
    }
}

/// Most texts need no escapes.
fn write_text(plain: &str, text: &mut String) {
    // Looks at all of it, because many bytes at a time are compared faster than one by one.
    let is_special = |byte: u8| byte < b' ' || byte == b'"' || byte == b'\\';
    if plain.bytes().fold(false, |found, byte| found | is_special(byte)) {
        _ = write!(text, "{}", Value::from(plain));
    } else {
        text.push('"');
        text.push_str(plain);
        text.push('"');
    }
}

/// RFC 8785 sorts names by their UTF-16 code units.
fn write_fields(fields: &Map, text: &mut String) {
    let mut sorted: Vec<(&String, &Value)> = fields.iter().collect();
    if sorted.iter().all(|(name, _)| name.is_ascii()) {
        sorted.sort_unstable_by_key(|(name, _)| *name);
    } else {
        sorted.sort_unstable_by(|(one, _), (other, _)| one.encode_utf16().cmp(other.encode_utf16()));
    }
    text.push('{');
    for (index, (name, value)) in sorted.into_iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        write_text(name, text);
        text.push(':');
        write_canonical(value, text);
    }
    text.push('}');
}

/// RFC 8785 writes every number as the float it is nearest to, which an integer keeps unless it is very large.
fn write_number(number: &Number, text: &mut String) {
    let float = number.as_f64().filter(|_| number.is_f64());
    match float.and_then(|float| serde_jcs::to_string(&float).ok()) {
        Some(written) => text.push_str(&written),
        None => _ = write!(text, "{number}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn map(value: Value) -> Map {
        value.as_object().cloned().unwrap()
    }

    #[test]
    fn an_id_is_known_in_other_clothes() {
        let (entity, uuid) = ("ent_0123456789abcdef01234567", "0b7e5a52-3f0e-8c11-a5f4-1d2c3b4a5968");
        for worn in
            ["ENT_0123456789ABCDEF01234567", " ent_0123456789abcdef01234567\n", "\"ent_0123456789abcdef01234567\""]
        {
            assert_eq!(reference(worn), entity);
        }
        for worn in ["urn:uuid:0B7E5A52-3F0E-8C11-A5F4-1D2C3B4A5968", "`0b7e5a52-3f0e-8c11-a5f4-1d2c3b4a5968`"] {
            assert_eq!(reference(worn), uuid);
        }
        for name in ["Ada Linde", " \"Ada\" ", "ent_0123", "urn:uuid:x", ""] {
            assert_eq!(reference(name), name);
        }
    }

    // N-272
    #[test]
    fn an_entity_id_depends_on_user_type_and_identity_without_running_together() {
        let id = entity("u1", "company", "acme");
        // Each part after its length in eight bytes.
        let hashed = [
            &b"\0\0\0\0\0\0\0\x06entity"[..],
            b"\0\0\0\0\0\0\0\x02u1",
            b"\0\0\0\0\0\0\0\x07company",
            b"\0\0\0\0\0\0\0\x04acme",
        ];
        assert_eq!(id, format!("ent_{}", &content_hash(hashed.concat())[..24]));
        assert_eq!(id, "ent_23adee196133741182525d33");
        assert!(is_entity_id(&id));
        let others =
            [("u2", "company", "acme"), ("u1", "person", "acme"), ("u1", "companya", "cme"), ("u1c", "ompany", "acme")];
        for (user, r#type, identity) in others {
            assert_ne!(entity(user, r#type, identity), id);
        }
    }

    #[test]
    fn only_ids_are_ids() {
        for bad in [
            "",
            "ent_",
            "ent_4B0F2A7E3F0C0B0E9C0F0C0B",
            "ent_4b0f2a7e3f0c0b0e9c0f0c0b0",
            "x",
            "ent_4b0f2a7e3f0c0b0e9c0f0c0é",
        ] {
            assert!(!is_entity_id(bad), "{bad}");
        }
    }

    // N-273
    #[test]
    fn key_order_and_number_notation_do_not_change_the_canonical_form() {
        let (one, other) = (
            json!({"b": [1.0, {"y": "é\n", "x": null}], "a": true}),
            json!({"a": true, "b": [1, {"x": null, "y": "é\n"}]}),
        );
        assert_eq!(canonical(&one), r#"{"a":true,"b":[1,{"x":null,"y":"é\n"}]}"#);
        assert_eq!(canonical(&one), canonical(&other));
        assert_eq!(content_hash("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    // N-273
    #[test]
    fn the_canonical_form_is_that_of_rfc_8785() {
        let values = [
            json!({"\u{fb33}": 1, "\u{1f600}": 2, "€": 3, "\r": 4, "1": 5, "ö": 6}),
            json!([1e30, 4.5, 0.002, 1e-27, 1e21, -0.0, 333333333.3333333, "\u{7f}\u{f}<\"\\/"]),
        ];
        for value in values {
            assert_eq!(canonical(&value), serde_jcs::to_string(&value).unwrap());
        }
    }

    #[test]
    fn large_integers_stay_different() {
        assert_ne!(canonical(&json!(9_007_199_254_740_993_u64)), canonical(&json!(9_007_199_254_740_992_u64)));
        assert_eq!(canonical(&json!(u64::MAX)), "18446744073709551615");
    }

    // N-210, N-274, N-275, N-276
    #[test]
    fn the_other_ids_are_uuids_that_depend_on_every_part() {
        let fields = map(json!({"a": 1, "b": 2}));
        let same = map(json!({"b": 2, "a": 1.0}));
        let ids = [
            source("u", "h"),
            source("v", "h"),
            source("u", "i"),
            internal_source("u", &["h"]),
            internal_source("u", &["correction", "e", "f"]),
            observation("s", None, "e", &fields, "0"),
            observation("s", Some("null"), "e", &fields, "0"),
            observation("s", None, "e", &fields, "1"),
            observation("s", None, "e", &map(json!({"a": 1})), "0"),
            observation("t", None, "e", &fields, "0"),
            observation("s", None, "f", &fields, "0"),
            relationship("u", "PART_OF", "a", "b"),
            relationship("u", "PART_OF", "b", "a"),
            relationship("v", "PART_OF", "a", "b"),
            relationship("u", "REFERS_TO", "a", "b"),
            relationship("u", "PART_OF", "c", "b"),
            relationship("u", "PART_OF", "a", "c"),
            event("e", "f"),
            event("g", "f"),
            event("e", "g"),
            run("s", &json!({}), "x"),
            run("s", &json!({"a": 1}), "x"),
            run("t", &json!({}), "x"),
            run("s", &json!({}), "y"),
            user("someone"),
        ];
        for (index, id) in ids.iter().enumerate() {
            assert!(is_uuid(id) && id.as_bytes()[14] == b'8' && b"89ab".contains(&id.as_bytes()[19]), "{id}");
            assert!(!ids[..index].contains(id), "{id} twice");
        }
        assert_eq!(observation("s", None, "e", &same, "0"), observation("s", None, "e", &fields, "0"));
    }

    #[test]
    fn a_principal_that_is_a_uuid_is_its_user() {
        let id = "0190163d-8694-739b-aea5-966c26f8ad91";
        assert_eq!(user(id), id);
        assert_ne!(user("0190163d"), "0190163d");
    }
}
