//! The schema of a tool's answer: just enough to parse it.

use prost_reflect::{FieldDescriptor, Kind, MessageDescriptor};
use serde_json::{Map, Value, json};

use super::{is_timestamp, scalar_type};
use crate::Source;

/// The schema of what `message` looks like in JSON. What lies inside it is named and not described: a model reads the
/// answer itself, and every word here is paid for in each listing of the tools.
pub fn output(source: &Source, message: &MessageDescriptor) -> Map<String, Value> {
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    let properties: Map<_, _> = message
        .fields()
        .filter(|field| !source.field(field).hidden)
        .map(|field| (field.name().to_owned(), Value::Object(property(&field))))
        .collect();
    let required: Vec<_> = message
        .fields()
        .filter(|field| always_present(field) && !source.field(field).hidden)
        .map(|field| field.name().to_owned())
        .collect();
    schema.insert("properties".to_owned(), Value::Object(properties));
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    schema
}

/// Optional fields, messages and unspecified enum values are left out of answers.
fn always_present(field: &FieldDescriptor) -> bool {
    field.is_list() || !(field.supports_presence() || matches!(field.kind(), Kind::Enum(_)))
}

fn property(field: &FieldDescriptor) -> Map<String, Value> {
    let name = match field.kind() {
        _ if field.is_list() => "array",
        Kind::Message(message) if !is_timestamp(&message) => "object",
        other => scalar_type(&other).unwrap_or("string"),
    };
    [("type".to_owned(), json!(name))].into_iter().collect()
}
