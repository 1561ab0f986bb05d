//! The schema of a tool's answer: every member by its name.

use prost_reflect::{FieldDescriptor, Kind, MessageDescriptor};
use serde_json::{Map, Value, json};

use super::{is_any_value, is_open_list, is_timestamp, scalar_type};
use crate::Source;

/// The schema of what `message` looks like in JSON. It names every member; one without a type is text, or null where it is absent.
/// What lies inside an object is not described: a model reads the answer itself, and every word here is paid for in each listing.
pub fn output(source: &Source, message: &MessageDescriptor) -> Map<String, Value> {
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    let properties: Map<_, _> =
        message.fields().map(|field| (field.name().to_owned(), Value::Object(property(source, &field)))).collect();
    schema.insert("properties".to_owned(), Value::Object(properties));
    schema
}

fn property(source: &Source, field: &FieldDescriptor) -> Map<String, Value> {
    let mut schema = Map::new();
    if is_only_named(source, field) {
        return schema;
    }
    let name = match field.kind() {
        _ if field.is_list() => "array",
        Kind::Message(message) if is_open_list(&message) => "array",
        Kind::Message(message) if !is_timestamp(&message) => "object",
        other => match scalar_type(&other) {
            Some(name) if name != "string" => name,
            _ => return schema,
        },
    };
    schema.insert("type".to_owned(), json!(name));
    if field.is_list() && !source.field(field).brief {
        schema.insert("items".to_owned(), json!({ "type": item_type(field) }));
    }
    schema
}

/// The type of what a list holds. Enums are words.
fn item_type(field: &FieldDescriptor) -> &'static str {
    match field.kind() {
        Kind::Message(message) if !is_timestamp(&message) => "object",
        other => scalar_type(&other).unwrap_or("string"),
    }
}

/// Nothing is said about the type of a value that may be null, nor about what the proto hides from arguments.
fn is_only_named(source: &Source, field: &FieldDescriptor) -> bool {
    let any = matches!(field.kind(), Kind::Message(message) if is_any_value(&message));
    let stated = source.field(field);
    stated.hidden || !field.is_list() && (any || stated.nullable)
}
