//! From JSON to messages and back; the generated dispatchers are built from these.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeOwned, DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::{Answer, Blob, CallError, Content, EntityRef, Structured};

/// Implemented by generated code for every message that is returned to a caller.
pub trait Entities {
    /// The fields that hold them.
    const FIELDS: &'static [&'static str] = &[];

    /// The entities in this message, in order.
    fn entities(&self) -> Vec<EntityRef> {
        Vec::new()
    }
}

/// Reads a request message from arguments that have passed their schema.
pub fn request<T: DeserializeOwned>(arguments: Map<String, Value>) -> Result<T, CallError> {
    serde_json::from_value(Value::Object(arguments)).map_err(|error| {
        CallError::invalid(format!("the arguments cannot be read: {error}"))
            .hint("write whole numbers without a fraction, an exponent or a minus before zero")
    })
}

/// Longest answer that is repeated whole as text, in bytes.
const WHOLE_TEXT_MAX: usize = 2048;
/// What the text of a longer answer tells of an entity.
const TOLD: [&str; 10] =
    ["id", "key", "type", "name", "title", "status", "version", "source_id", "target_id", "relationship_type"];
/// Longest value that it tells, in bytes of JSON.
const TOLD_VALUE_MAX: usize = 130;

/// Words a response message as an answer: the whole as structured content, one resource block per entity, and a last block of
/// text that says the answer too: all of it when it is short, otherwise which entities there are, and what is not an entity,
/// such as a page token or a warning. Clients differ in which of them a model sees.
pub fn answer<T: Serialize + Entities>(response: &T) -> Answer {
    let structured = Structured::of(response);
    let resource = |entity: EntityRef| Content::Resource { uri: entity.uri, blob: json_blob(entity.json) };
    let mut content: Vec<Content> = response.entities().into_iter().map(resource).collect();
    content.extend(rest(structured.text(), T::FIELDS).map(Content::Text));
    Answer { structured: Some(structured), content, failed: false }
}

/// The object in a JSON text without empty lists, or nothing where there is no object. In a long one the members of these
/// names tell only which entities they hold.
fn rest(text: &str, entities: &[&str]) -> Option<String> {
    if !text.starts_with('{') {
        return None;
    }
    let is_short = entities.is_empty() || text.len() <= WHOLE_TEXT_MAX;
    if is_short && !text.contains("[]") {
        return Some(text.to_owned());
    }
    let entities = if is_short { &[] } else { entities };
    let mut rest = String::with_capacity(text.len() / 4);
    let read = Rest { entities, out: &mut rest }.deserialize(&mut serde_json::Deserializer::from_str(text));
    read.expect("what was written as JSON can be read");
    Some(rest)
}

/// Copies an object: without empty lists, and members of these names in short. It is read once, since an answer may be long.
struct Rest<'a> {
    entities: &'a [&'a str],
    out: &'a mut String,
}

/// Copies an entity, or a list of them, by what names it.
struct Short<'a>(&'a mut String);

/// The name of a member.
#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

/// Writes what goes before the value of a member. The object began with the text at `start`.
fn begin_member(out: &mut String, start: usize, name: &str) {
    out.push(if out.len() == start { '{' } else { ',' });
    if name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        out.extend(["\"", name, "\":"]);
    } else {
        out.extend([&serde_json::to_string(name).expect("a text is JSON"), ":"]);
    }
}

fn end_object(out: &mut String, start: usize) {
    out.push_str(if out.len() == start { "{}" } else { "}" });
}

impl<'de> DeserializeSeed<'de> for Rest<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Rest<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self { entities, out } = self;
        let start = out.len();
        while let Some(Name(name)) = map.next_key()? {
            let before = out.len();
            begin_member(out, start, &name);
            let value = out.len();
            if entities.contains(&&*name) {
                map.next_value_seed(Short(out))?;
            } else {
                out.push_str(map.next_value::<&RawValue>()?.get());
            }
            if &out[value..] == "[]" {
                out.truncate(before);
            }
        }
        end_object(out, start);
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for Short<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Short<'_> {
    fn whole<E>(self, value: impl Serialize) -> Result<(), E> {
        self.0.push_str(&serde_json::to_string(&value).expect("a single value is JSON"));
        Ok(())
    }
}

impl<'de> Visitor<'de> for Short<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let start = self.0.len();
        while let Some(Name(name)) = map.next_key()? {
            if !TOLD.contains(&&*name) {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            let value = map.next_value::<&RawValue>()?.get();
            if value.len() <= TOLD_VALUE_MAX {
                begin_member(self.0, start, &name);
                self.0.push_str(value);
            }
        }
        end_object(self.0, start);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        self.0.push('[');
        let start = self.0.len();
        loop {
            let before = self.0.len();
            if before > start {
                self.0.push(',');
            }
            if items.next_element_seed(Short(self.0))?.is_none() {
                self.0.truncate(before);
                self.0.push(']');
                return Ok(());
            }
        }
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.whole(())
    }

    fn visit_bool<E>(self, value: bool) -> Result<(), E> {
        self.whole(value)
    }

    fn visit_i64<E>(self, value: i64) -> Result<(), E> {
        self.whole(value)
    }

    fn visit_u64<E>(self, value: u64) -> Result<(), E> {
        self.whole(value)
    }

    fn visit_f64<E>(self, value: f64) -> Result<(), E> {
        self.whole(value)
    }

    fn visit_str<E>(self, value: &str) -> Result<(), E> {
        self.whole(value)
    }
}

/// Words a response message as the body of a resource.
pub fn body<T: Serialize>(response: &T) -> Blob {
    json_blob(serde_json::to_string(response).expect("a generated message has only string keys"))
}

fn json_blob(text: String) -> Blob {
    Blob::Text { mime: "application/json".to_owned(), text }
}

/// An entity as a block, for generated code.
pub fn entity<T: Serialize>(uri: String, message: &T) -> EntityRef {
    EntityRef { uri, json: serde_json::to_string(message).expect("a generated message has only string keys") }
}

/// The value of the single `{name}` of a resource pattern in a URI such as `capability://element/ID`, percent-decoded.
pub fn resource_argument(capability: &str, pattern: &str, uri: &str) -> Option<String> {
    let path = uri.strip_prefix(capability)?.strip_prefix("://")?;
    let (prefix, _) = pattern.split_once('{')?;
    let value = path.strip_prefix(prefix)?;
    if value.is_empty() || value.contains(['/', '?', '#']) {
        return None;
    }
    percent_decoded(value)
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digits = [rest.next()?, rest.next()?];
            bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_a_short_answer_is_all_of_it() {
        let whole = r#"{"b":[{"x":[]}],"a\"\u00e4":{"y":1.50},"none":[],"entity":{"id":1}}"#;
        let text = r#"{"b":[{"x":[]}],"a\"ä":{"y":1.50},"entity":{"id":1}}"#;
        assert_eq!(rest(whole, &[]).unwrap(), text);
        assert_eq!(rest(whole, &["entity", "b"]).unwrap(), text);
        assert_eq!(rest(r#"{"a":[]}"#, &[]).unwrap(), "{}");
        assert_eq!(rest(r#"{"a":1}"#, &[]).unwrap(), r#"{"a":1}"#);
        assert_eq!(rest("[1]", &[]), None);
    }

    #[test]
    fn the_text_of_a_long_answer_tells_which_entities_there_are() {
        let element =
            |id: usize| format!(r#"{{"id":"e{id}","name":"n{id}","type":"Node","description":"{}"}}"#, "d".repeat(500));
        let listed: Vec<String> = (0..50).map(element).collect();
        let whole =
            format!(r#"{{"elements":[{}],"one":{},"next_page_token":"p","none":[]}}"#, listed.join(","), element(7));
        let text = rest(&whole, &["elements", "one"]).unwrap();
        assert!(text.starts_with(r#"{"elements":[{"id":"e0","name":"n0","type":"Node"},{"id":"e1","#), "{text}");
        assert!(text.ends_with(r#"],"one":{"id":"e7","name":"n7","type":"Node"},"next_page_token":"p"}"#), "{text}");
        assert!(text.len() < 50 * 50);
    }

    #[test]
    fn whatever_stands_for_an_entity_is_told() {
        let whole = format!(
            r#"{{"e":[{{"x":1}},{{"id":"a\"b","n":2,"name":"{}"}},[{{"key":1}}],"t\"",1.5,-2,null,true],"f":[],"none":[{{}}],"pad":"{}"}}"#,
            "n".repeat(TOLD_VALUE_MAX),
            "p".repeat(WHOLE_TEXT_MAX),
        );
        let text = rest(&whole, &["e", "f", "none"]).unwrap();
        let expected = r#"{"e":[{},{"id":"a\"b"},[{"key":1}],"t\"",1.5,-2,null,true],"none":[{}],"pad":"#;
        assert!(text.starts_with(expected), "{text}");
    }

    #[test]
    fn a_resource_uri_yields_its_argument() {
        let argument = |uri| resource_argument("transformation", "element/{element_id}", uri);
        assert_eq!(argument("transformation://element/a%20b"), Some("a b".to_owned()));
        for other in [
            "transformation://model/x",
            "monitor://element/x",
            "transformation://element/",
            "transformation://element/a/b",
            "transformation://element/%zz",
        ] {
            assert_eq!(argument(other), None, "{other}");
        }
    }
}
