//! From JSON to messages and back; the generated dispatchers are built from these.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::{Answer, Blob, CallError, Content, EntityRef};

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
    let structured = serde_json::to_value(response).expect("a generated message has only string keys");
    let resource = |entity: EntityRef| Content::Resource { uri: entity.uri, blob: json_blob(entity.json) };
    let mut content: Vec<Content> = response.entities().into_iter().map(resource).collect();
    if let Value::Object(whole) = &structured {
        let is_empty = |value: &Value| value.as_array().is_some_and(Vec::is_empty);
        let rest = whole.iter().filter(|(name, value)| !T::FIELDS.contains(&name.as_str()) && !is_empty(value));
        content.push(Content::Text(object_text(rest)));
    }
    Answer { structured: Some(structured), content, failed: false }
}

/// JSON text of an object with these members, which are not copied for it.
fn object_text<'a>(members: impl Iterator<Item = (&'a String, &'a Value)>) -> String {
    let mut text = Vec::with_capacity(256);
    let mut serializer = serde_json::Serializer::new(&mut text);
    serde::Serializer::collect_map(&mut serializer, members).expect("writing to memory does not fail");
    String::from_utf8(text).expect("JSON is UTF-8")
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
