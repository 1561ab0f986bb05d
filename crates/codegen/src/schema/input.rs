//! The schema of a tool's arguments.

use std::collections::BTreeMap;

use prost_reflect::{FieldDescriptor, Kind, MessageDescriptor};
use serde_json::{Map, Value, json};

use super::{is_any_value, is_open_list, is_open_object, is_timestamp, is_unsigned, scalar_type};
use crate::Source;
use crate::options::Field;

/// Deeper than any input that passes the checks; keeps a recursive message from building for ever.
const DEPTH_MAX: usize = 8;

/// The schema of the arguments that `message` takes.
pub fn input(source: &Source, message: &MessageDescriptor) -> Map<String, Value> {
    object(source, message, "", 0)
}

/// How long the lists among the arguments may be, by path. `maxItems` is not in the subset that every vendor takes, so the
/// bounds stand beside the schema; descriptions name them.
pub fn items_max(source: &Source, message: &MessageDescriptor) -> BTreeMap<String, u32> {
    let mut found = BTreeMap::new();
    collect_items_max(source, message, "", 0, &mut found);
    found
}

fn collect_items_max(
    source: &Source,
    message: &MessageDescriptor,
    within: &str,
    depth: usize,
    found: &mut BTreeMap<String, u32>,
) {
    if depth >= DEPTH_MAX {
        return;
    }
    for field in message.fields() {
        let stated = source.field(&field);
        if stated.hidden {
            continue;
        }
        let path = format!("{within}{}", field.name());
        found.extend(stated.max_items.filter(|_| field.is_list()).map(|most| (path.clone(), most)));
        if let Kind::Message(inner) = field.kind() {
            collect_items_max(source, &inner, &format!("{path}."), depth + 1, found);
        }
    }
}

/// The schemas of the arguments that are published by type alone, by name: they are checked against these.
pub fn briefs(source: &Source, message: &MessageDescriptor) -> BTreeMap<String, Map<String, Value>> {
    let fields = message.fields().map(|field| (source.field(&field), field));
    let brief = fields.filter(|(stated, _)| stated.brief && !stated.hidden);
    brief
        .map(|(stated, field)| {
            let whole = Field { brief: false, ..stated };
            (field.name().to_owned(), property(source, &field, &whole, 0))
        })
        .collect()
}

fn object(source: &Source, message: &MessageDescriptor, description: &str, depth: usize) -> Map<String, Value> {
    let mut schema = typed("object", description);
    let (mut properties, mut required) = (Map::new(), Vec::new());
    if depth < DEPTH_MAX {
        for field in message.fields() {
            let stated = source.field(&field);
            if stated.hidden {
                continue;
            }
            if stated.required {
                required.push(Value::from(field.name()));
            }
            properties.insert(field.name().to_owned(), Value::Object(property(source, &field, &stated, depth)));
        }
    }
    schema.insert("properties".to_owned(), Value::Object(properties));
    if !required.is_empty() {
        schema.insert("required".to_owned(), Value::Array(required));
    }
    schema.insert("additionalProperties".to_owned(), Value::Bool(false));
    schema
}

fn property(source: &Source, field: &FieldDescriptor, stated: &Field, depth: usize) -> Map<String, Value> {
    let mut description = source.summary(field);
    if let Some(most) = stated.max_items.filter(|_| field.is_list()) {
        let space = if description.is_empty() { "" } else { " " };
        description.push_str(&format!("{space}At most {most}."));
    }
    if stated.brief {
        return by_type(source, field, &description);
    }
    let mut schema = if field.is_list() {
        let mut list = typed("array", &description);
        list.insert("items".to_owned(), Value::Object(value(source, field, stated, "", depth)));
        list
    } else {
        value(source, field, stated, &description, depth)
    };
    // Text that is not JSON is reported by the checks.
    if let Ok(default) = serde_json::from_str::<Value>(&stated.default) {
        schema.insert("default".to_owned(), default);
    }
    schema
}

/// An argument by its type and description.
fn by_type(source: &Source, field: &FieldDescriptor, description: &str) -> Map<String, Value> {
    match field.kind() {
        Kind::Message(message) => {
            let fallback = source.summary(&message);
            let mut schema = typed("object", if description.is_empty() { &fallback } else { description });
            schema.insert("additionalProperties".to_owned(), Value::Bool(true));
            schema
        }
        other => typed(scalar_type(&other).unwrap_or("string"), description),
    }
}

fn value(
    source: &Source,
    field: &FieldDescriptor,
    stated: &Field,
    description: &str,
    depth: usize,
) -> Map<String, Value> {
    let kind = field.kind();
    let mut schema = match &kind {
        Kind::Message(message) if is_open_object(message) => {
            let mut schema = typed("object", description);
            schema.insert("additionalProperties".to_owned(), Value::Bool(true));
            schema
        }
        Kind::Message(message) if is_any_value(message) => {
            let mut schema = Map::new();
            put(&mut schema, "description", (!description.is_empty()).then_some(description));
            schema
        }
        Kind::Message(message) if is_open_list(message) => {
            let mut schema = typed("array", description);
            schema.insert("items".to_owned(), json!({}));
            schema
        }
        Kind::Message(message) if is_timestamp(message) => {
            let mut schema = typed("string", description);
            schema.insert("format".to_owned(), json!("date-time"));
            schema
        }
        Kind::Message(message) => {
            let fallback =
                if description.is_empty() && !field.is_list() { source.summary(message) } else { String::new() };
            let description = if description.is_empty() { fallback.as_str() } else { description };
            object(source, message, description, depth + 1)
        }
        Kind::Enum(list) => {
            let mut schema = typed("string", description);
            schema.insert("enum".to_owned(), json!(source.labels(list)));
            schema
        }
        other => typed(scalar_type(other).unwrap_or("string"), description),
    };
    if matches!(kind, Kind::String) {
        put(&mut schema, "minLength", stated.min_length);
        put(&mut schema, "maxLength", stated.max_length);
    }
    let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    put(&mut schema, "pattern", text(&stated.pattern));
    put(&mut schema, "format", text(&stated.format));
    put(&mut schema, "minimum", stated.minimum.or(is_unsigned(&kind).then_some(0)));
    put(&mut schema, "maximum", stated.maximum);
    schema
}

fn typed(name: &str, description: &str) -> Map<String, Value> {
    let mut schema = Map::new();
    schema.insert("type".to_owned(), Value::from(name));
    put(&mut schema, "description", (!description.is_empty()).then_some(description));
    schema
}

fn put(schema: &mut Map<String, Value>, keyword: &str, value: Option<impl Into<Value>>) {
    if let Some(value) = value {
        schema.insert(keyword.to_owned(), value.into());
    }
}
