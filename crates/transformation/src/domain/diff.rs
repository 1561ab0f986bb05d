//! What a change would do to records: one row for each, with the fields before and after.

use std::collections::BTreeSet;

use ledger::RecordKey;
use serde_json::{Map, Value};

use super::compare::Change;
use super::fact::kind;

#[cfg(test)]
mod tests;

/// Fields that the platform sets; they say nothing about a change.
const SUPPLIED: [&str; 6] = ["id", "repository_id", "model_id", "created_at", "updated_at", "junction"];

/// One record that differs.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    pub change: Change,
    pub key: RecordKey,
    pub r#type: Option<String>,
    pub name: Option<String>,
    /// After the change; of what is removed, the last.
    pub version: u64,
    pub fields: Vec<Field>,
}

/// One field of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    pub field: String,
    pub before: Value,
    pub after: Value,
}

impl Row {
    /// `element`, `relationship` or `view`; else the kind as it is.
    pub fn kind(&self) -> &str {
        match self.key.kind.as_str() {
            kind::ELEMENT => "element",
            kind::RELATIONSHIP => "relationship",
            kind::VIEW => "view",
            other => other,
        }
    }
}

/// The row for a record, by its body and version before and after; none when nothing differs.
pub fn row(key: &RecordKey, before: Option<(&str, u64)>, after: Option<(&str, u64)>) -> Option<Row> {
    let read = |state: Option<(&str, u64)>| -> Map<String, Value> {
        state.and_then(|(body, _)| serde_json::from_str(body).ok()).unwrap_or_default()
    };
    let (old, new) = (read(before), read(after));
    let change = match (before, after) {
        (None, None) => return None,
        (None, Some(_)) => Change::Added,
        (Some(_), None) => Change::Removed,
        (Some(_), Some(_)) => Change::Changed,
    };
    let fields = match change {
        Change::Removed => Vec::new(),
        _ => fields(&old, &new),
    };
    if change == Change::Changed && fields.is_empty() {
        return None;
    }
    let shown = if change == Change::Removed { &old } else { &new };
    let text = |name: &str| shown.get(name).and_then(Value::as_str).map(str::to_owned);
    let version = after.or(before).map_or(0, |(_, version)| version);
    Some(Row { change, key: key.clone(), r#type: text("type"), name: text("name"), version, fields })
}

fn fields(old: &Map<String, Value>, new: &Map<String, Value>) -> Vec<Field> {
    let (old, new) = (flat(old), flat(new));
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let value = |state: &Map<String, Value>, name: &str| state.get(name).cloned().unwrap_or(Value::Null);
    names
        .into_iter()
        .filter(|name| old.get(*name) != new.get(*name))
        .map(|name| Field { field: name.clone(), before: value(&old, name), after: value(&new, name) })
        .collect()
}

/// The fields that a reader compares: those of properties and profile one by one, drawings by their size.
pub fn flat(state: &Map<String, Value>) -> Map<String, Value> {
    let mut flat = Map::new();
    for (name, value) in state.iter().filter(|(name, _)| !SUPPLIED.contains(&name.as_str())) {
        match (name.as_str(), value) {
            ("properties" | "profile" | "attributes", Value::Object(inner)) => {
                flat.extend(inner.iter().map(|(key, value)| (format!("{name}.{key}"), value.clone())));
            }
            _ => drop(flat.insert(name.clone(), value.clone())),
        }
    }
    flat
}

/// How much is added, changed and removed, such as `+3 ~2 -1`.
pub fn counts<'r>(rows: impl IntoIterator<Item = &'r Row>) -> String {
    let (mut added, mut changed, mut removed) = (0, 0, 0);
    for row in rows {
        match row.change {
            Change::Added => added += 1,
            Change::Changed => changed += 1,
            Change::Removed => removed += 1,
        }
    }
    format!("+{added} ~{changed} -{removed}")
}
