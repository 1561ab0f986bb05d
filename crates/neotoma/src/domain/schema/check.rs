//! Values against what a schema declares. Findings name fields and rules, never values.

use regex::RegexBuilder;
use serde_json::Value;

use super::{Field, FieldType, Schema};
use crate::domain::{Map, moment};

/// Largest compiled form of a schema's pattern, in bytes.
pub(super) const PATTERN_BYTES_MAX: usize = 64 * 1024;

/// Something a schema does not expect, which is kept all the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    pub field: String,
    /// What is wrong, in words that hold no value.
    pub reason: String,
}

impl Schema {
    /// Required fields that are missing, and values of another type or outside their constraints, by field name.
    pub fn warnings(&self, fields: &Map) -> Vec<Warning> {
        let required = self.fields.iter().filter(|(_, field)| field.required);
        let is_missing = |name: &str| fields.get(name).is_none_or(Value::is_null);
        let missing = required
            .filter(|(name, _)| is_missing(name))
            .map(|(name, _)| Warning { field: name.clone(), reason: "is required and missing".to_owned() });
        let unfit = fields.iter().filter(|(_, value)| !value.is_null()).filter_map(|(name, value)| {
            let reason = self.fits(name, self.fields.get(name)?, value).err()?;
            Some(Warning { field: name.clone(), reason })
        });
        let mut findings: Vec<Warning> = missing.chain(unfit).collect();
        findings.sort_unstable_by(|one, other| one.field.cmp(&other.field));
        findings
    }

    /// Whether `value` is of the type and within the constraints that `field` declares. Null, undeclared fields and the
    /// guesses of an inferred schema accept everything.
    pub fn accepts(&self, field: &str, value: &Value) -> Result<(), String> {
        match self.fields.get(field) {
            Some(declared) if !value.is_null() && !self.is_inferred() => self.fits(field, declared, value),
            _ => Ok(()),
        }
    }

    fn fits(&self, name: &str, field: &Field, value: &Value) -> Result<(), String> {
        // An optional text such as tags may be several; one that identifies the entity may not.
        let identifies = || self.identity.iter().flatten().any(|identifying| identifying == name);
        let several = value.is_array() && !field.required && !identifies();
        if !is_a(field.r#type, value, several) {
            return Err(format!("is {} and declared as {}", describe(value), field.r#type.name()));
        }
        within(field, value)
    }
}

fn is_a(r#type: FieldType, value: &Value, several: bool) -> bool {
    match (r#type, value) {
        (FieldType::String, Value::Array(items)) => several && items.iter().all(Value::is_string),
        (FieldType::String, _) => value.is_string(),
        (FieldType::Number, _) => value.is_number(),
        (FieldType::Date, _) => moment::parse(value).is_some(),
        (FieldType::Boolean, _) => value.is_boolean(),
        (FieldType::Array, _) => value.is_array(),
        (FieldType::Object, _) => value.is_object(),
    }
}

fn describe(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

fn within(field: &Field, value: &Value) -> Result<(), String> {
    if let Some(number) = value.as_f64() {
        if let Some(min) = field.min.filter(|min| number < *min) {
            return Err(format!("is less than {min}"));
        }
        if let Some(max) = field.max.filter(|max| number > *max) {
            return Err(format!("is more than {max}"));
        }
    }
    if !field.r#enum.is_empty() && !field.r#enum.contains(value) {
        return Err(format!("is none of the {} values that are allowed", field.r#enum.len()));
    }
    match (&field.pattern, value.as_str()) {
        (Some(pattern), Some(text)) if !matches(pattern, text) => Err("does not match the declared pattern".to_owned()),
        _ => Ok(()),
    }
}

/// A pattern that cannot be compiled matches everything; [`Schema::problems`] refuses it at registration.
fn matches(pattern: &str, text: &str) -> bool {
    RegexBuilder::new(pattern).size_limit(PATTERN_BYTES_MAX).build().map_or(true, |pattern| pattern.is_match(text))
}
