//! From JSON to messages and back; the generated dispatchers are built from these.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeOwned, MapAccess, Visitor};
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
    serde_json::from_value(Value::Object(arguments))
        .map_err(|error| CallError::invalid(format!("the arguments cannot be read: {error}")))
}

/// Words a response message as an answer: the whole as structured content, one resource block per entity, and what is not
/// an entity, such as a page token or a warning, as a last block of text. Clients differ in which of them a model sees.
pub fn answer<T: Serialize + Entities>(response: &T) -> Answer {
    let structured = Structured::of(response);
    let resource = |entity: EntityRef| Content::Resource { uri: entity.uri, blob: json_blob(entity.json) };
    let mut content: Vec<Content> = response.entities().into_iter().map(resource).collect();
    content.extend(rest(structured.text(), T::FIELDS).map(Content::Text));
    Answer { structured: Some(structured), content, failed: false }
}

/// The object in a JSON text without the members of these names and without empty lists, or nothing where there is no object.
fn rest(text: &str, without: &[&str]) -> Option<String> {
    if !text.starts_with('{') {
        return None;
    }
    if without.is_empty() && !text.contains("[]") {
        return Some(text.to_owned());
    }
    let Members(members) = serde_json::from_str(text).expect("what was written as JSON can be read");
    let mut rest = String::with_capacity(text.len());
    for (name, value) in members {
        if value.get() == "[]" || without.contains(&&*name) {
            continue;
        }
        rest.push(if rest.is_empty() { '{' } else { ',' });
        let name = serde_json::to_string(&name).expect("a text is JSON");
        rest.extend([&name, ":", value.get()]);
    }
    rest.push_str(if rest.is_empty() { "{}" } else { "}" });
    Some(rest)
}

/// The members of an object, in their order.
struct Members<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Members<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(InOrder)
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
    fn the_rest_of_an_answer_leaves_out_what_is_said_elsewhere_and_what_is_empty() {
        let whole = r#"{"b":[{"x":[]}],"a\"\u00e4":{"y":1.50},"none":[],"entity":{"id":1}}"#;
        assert_eq!(rest(whole, &[]).unwrap(), r#"{"b":[{"x":[]}],"a\"ä":{"y":1.50},"entity":{"id":1}}"#);
        assert_eq!(rest(whole, &["entity", "b"]).unwrap(), r#"{"a\"ä":{"y":1.50}}"#);
        assert_eq!(rest(r#"{"a":[]}"#, &[]).unwrap(), "{}");
        assert_eq!(rest(r#"{"a":1}"#, &[]).unwrap(), r#"{"a":1}"#);
        assert_eq!(rest("[1]", &[]), None);
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
