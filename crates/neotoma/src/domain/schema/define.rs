//! Definitions as callers write them: the form that a schema has in JSON, without its name and version.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{Field, Reducer, Reference, Schema, SchemaScope, Temporal, Warning, fold, infer, is_entity_type};
use crate::domain::Map;

const FIELD: [&str; 8] = ["type", "required", "description", "min", "max", "enum", "pattern", "sensitivity"];
const REDUCER: [&str; 2] = ["strategy", "tie_breaker"];
const TEMPORAL: [&str; 2] = ["field", "event_type"];
const REFERENCE: [&str; 3] = ["field", "relationship_type", "target_type"];

/// The schema that `definition` says, with a version that means nothing yet; or where it says nothing, and why.
///
/// Name, version, scope and activity may be there as a description shows them, and decide nothing.
pub fn define(entity_type: &str, definition: &Map) -> Result<Schema, Warning> {
    let mut schema = Schema { scope: SchemaScope::User, ..infer(entity_type, &[]) };
    for (key, value) in definition {
        let path = format!("definition.{key}");
        match key.as_str() {
            "fields" => schema.fields = each(&path, value, |path, value| by_key::<Field>(path, value, &FIELD))?,
            "reducers" => schema.reducers = each(&path, value, |path, value| by_key::<Reducer>(path, value, &REDUCER))?,
            "identity" => schema.identity = rules(&path, value)?,
            "strict" => schema.strict = whole(&path, value)?,
            "temporal_fields" => {
                schema.temporal_fields = list(&path, value, |path, value| texts::<Temporal>(path, value, &TEMPORAL))?;
            }
            "reference_fields" => {
                schema.reference_fields = list(&path, value, reference)?;
            }
            "aliases" => schema.aliases = aliases(&path, value, entity_type)?,
            "metadata" => schema.metadata = whole(&path, value)?,
            "entity_type" if value == entity_type => {}
            "active" if *value == Value::Bool(true) => {}
            "schema_version" | "scope" => {}
            _ => return Err(bad(&path, "is not part of a definition")),
        }
    }
    Ok(schema)
}

fn bad(path: &str, reason: &str) -> Warning {
    Warning { field: path.to_owned(), reason: reason.to_owned() }
}

fn whole<T: DeserializeOwned>(path: &str, value: &Value) -> Result<T, Warning> {
    serde_json::from_value(value.clone()).map_err(|_| bad(path, "has a value of another form"))
}

fn object<'a>(path: &str, value: &'a Value) -> Result<&'a Map, Warning> {
    value.as_object().ok_or_else(|| bad(path, "is not an object"))
}

/// What an object says by name.
fn each<T>(
    path: &str,
    value: &Value,
    one: impl Fn(&str, &Value) -> Result<T, Warning>,
) -> Result<BTreeMap<String, T>, Warning> {
    let said = object(path, value)?.iter();
    said.map(|(name, value)| Ok((name.clone(), one(&format!("{path}.{name}"), value)?))).collect()
}

/// What an array says in order.
fn list<T>(path: &str, value: &Value, one: impl Fn(&str, &Value) -> Result<T, Warning>) -> Result<Vec<T>, Warning> {
    let items = value.as_array().ok_or_else(|| bad(path, "is not an array"))?;
    items.iter().enumerate().map(|(index, item)| one(&format!("{path}[{index}]"), item)).collect()
}

/// An object whose keys are all optional; each is tried alone, so that the wrong one can be named.
fn by_key<T: DeserializeOwned>(path: &str, value: &Value, known: &[&str]) -> Result<T, Warning> {
    for (key, value) in object(path, value)? {
        let path = format!("{path}.{key}");
        if !known.contains(&key.as_str()) {
            return Err(bad(&path, "is not part of a definition"));
        }
        whole::<T>(&path, &json!({ key.as_str(): value }))?;
    }
    whole(path, value)
}

/// An object whose keys are all required texts.
fn texts<T: DeserializeOwned>(path: &str, value: &Value, required: &[&str]) -> Result<T, Warning> {
    let said = object(path, value)?;
    if let Some(unknown) = said.keys().find(|key| !required.contains(&key.as_str())) {
        return Err(bad(&format!("{path}.{unknown}"), "is not part of a definition"));
    }
    for key in required {
        let text = said.get(*key).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
        text.ok_or_else(|| bad(&format!("{path}.{key}"), "has to be a text"))?;
    }
    whole(path, value)
}

fn reference(path: &str, value: &Value) -> Result<Reference, Warning> {
    let reference: Reference = texts(path, value, &REFERENCE)?;
    match is_entity_type(&reference.target_type) {
        true => Ok(reference),
        false => Err(bad(&format!("{path}.target_type"), "has to match ^[a-z][a-z0-9_]{0,63}$")),
    }
}

fn rules(path: &str, value: &Value) -> Result<Vec<Vec<String>>, Warning> {
    list(path, value, |path, rule| list(path, rule, whole::<String>))
}

/// Folded like types are, each once.
fn aliases(path: &str, value: &Value, entity_type: &str) -> Result<Vec<String>, Warning> {
    let one = |path: &str, value: &Value| {
        let alias = fold(&whole::<String>(path, value)?);
        if is_entity_type(&alias) { Ok(alias) } else { Err(bad(path, "has to match ^[a-z][a-z0-9_]{0,63}$")) }
    };
    let mut aliases = list(path, value, one)?;
    aliases.retain(|alias| alias != entity_type);
    aliases.sort();
    aliases.dedup();
    Ok(aliases)
}
