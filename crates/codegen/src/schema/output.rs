//! The schema of a tool's answer: just enough to parse it.

use prost_reflect::{FieldDescriptor, Kind, MessageDescriptor};
use serde_json::{Map, Value, json};

use super::{is_any_value, is_open_list, is_timestamp, scalar_type};
use crate::Source;

/// The schema of what `message` looks like in JSON. What lies inside it is named and not described, and what is always
/// there is not told apart: a model reads the answer itself, and every word here is paid for in each listing of the tools.
pub fn output(source: &Source, message: &MessageDescriptor) -> Map<String, Value> {
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    let properties: Map<_, _> = message
        .fields()
        .filter(|field| !source.field(field).hidden)
        .map(|field| (field.name().to_owned(), Value::Object(property(source, &field))))
        .collect();
    schema.insert("properties".to_owned(), Value::Object(properties));
    schema
}

/// Null is written where the value is absent, so nothing can be said about its type.
fn may_be_null(source: &Source, field: &FieldDescriptor) -> bool {
    let any = matches!(field.kind(), Kind::Message(message) if is_any_value(&message));
    !field.is_list() && (any || source.field(field).nullable)
}

fn property(source: &Source, field: &FieldDescriptor) -> Map<String, Value> {
    if may_be_null(source, field) {
        return Map::new();
    }
    let name = match field.kind() {
        _ if field.is_list() => "array",
        Kind::Message(message) if is_open_list(&message) => "array",
        Kind::Message(message) if !is_timestamp(&message) => "object",
        other => scalar_type(&other).unwrap_or("string"),
    };
    [("type".to_owned(), json!(name))].into_iter().collect()
}
