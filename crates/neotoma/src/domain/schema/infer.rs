//! Schemas for types that nobody described, made from what was sent.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Field, FieldType, Schema, SchemaScope};
use crate::domain::{Map, moment};

/// A schema for `entity_type` that declares every field with a value in `samples`.
///
/// Its version is `0.` and the number of its fields, so that the same fields give the same version in whichever order
/// they came.
pub fn infer(entity_type: &str, samples: &[&Map]) -> Schema {
    let mut fields = BTreeMap::new();
    for (name, value) in samples.iter().flat_map(|sample| sample.iter()) {
        let Some(r#type) = guess(value) else { continue };
        let field: &mut Field = fields.entry(name.clone()).or_insert_with(|| Field { r#type, ..Field::default() });
        if field.r#type != r#type {
            field.r#type = FieldType::String;
        }
    }
    Schema {
        entity_type: entity_type.to_owned(),
        schema_version: version(&fields),
        scope: SchemaScope::User,
        active: true,
        fields,
        identity: Vec::new(),
        strict: false,
        temporal_fields: Vec::new(),
        reference_fields: Vec::new(),
        aliases: Vec::new(),
        reducers: BTreeMap::new(),
        metadata: Default::default(),
    }
}

impl Schema {
    /// The schema with the fields of `samples` that it does not declare yet; nothing when there are none, or when the
    /// schema was declared by someone and does not grow by itself.
    pub fn grown(&self, samples: &[&Map]) -> Option<Schema> {
        let is_new = |name: &String, value: &Value| !value.is_null() && !self.declares(name);
        if !self.is_inferred() || !samples.iter().any(|sample| sample.iter().any(|(name, value)| is_new(name, value))) {
            return None;
        }
        let mut grown = self.clone();
        for (name, field) in infer(&self.entity_type, samples).fields {
            grown.fields.entry(name).or_insert(field);
        }
        grown.schema_version = version(&grown.fields);
        Some(grown)
    }
}

fn version(fields: &BTreeMap<String, Field>) -> String {
    format!("0.{}", fields.len())
}

/// What a value looks like. Null looks like nothing. A text is a date when it is written like one; a number never is,
/// because amounts look like moments too.
fn guess(value: &Value) -> Option<FieldType> {
    match value {
        Value::Null => None,
        Value::Bool(_) => Some(FieldType::Boolean),
        Value::Number(_) => Some(FieldType::Number),
        Value::String(_) if moment::parse(value).is_some() => Some(FieldType::Date),
        Value::String(_) => Some(FieldType::String),
        Value::Array(_) => Some(FieldType::Array),
        Value::Object(_) => Some(FieldType::Object),
    }
}
