//! What a listing shows of a stored state, read without what only ranks observations.

use std::collections::BTreeMap;

use scope::Timestamp;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::domain::Map;

/// The snapshot of a state, how many observations it is of and when the newest was made.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown {
    pub count: u64,
    pub newest: Option<Timestamp>,
    /// As [`super::State::snapshot`] gives it.
    pub snapshot: Map,
}

#[derive(Deserialize)]
struct Stored {
    count: u64,
    #[serde(default)]
    newest: Option<i64>,
    fields: Values,
    #[serde(default)]
    merged: BTreeMap<String, Merged>,
}

#[derive(Deserialize)]
struct Merged {
    value: Value,
}

/// The values of the fields that one observation decides.
struct Values(Map);

impl<'de> Deserialize<'de> for Shown {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Stored { count, newest, fields: Values(mut snapshot), merged } = Stored::deserialize(deserializer)?;
        let merged = merged.into_iter().filter(|(_, merged)| !merged.value.is_null());
        let before = snapshot.len();
        snapshot.extend(merged.map(|(name, merged)| (name, merged.value)));
        if snapshot.len() > before {
            snapshot.sort_keys();
        }
        Ok(Self { count, newest: newest.map(Timestamp), snapshot })
    }
}

impl<'de> Deserialize<'de> for Values {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Fields)
    }
}

struct Fields;

impl<'de> Visitor<'de> for Fields {
    type Value = Values;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("fields with the index of their winner and their value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Values, A::Error> {
        let mut values = Map::new();
        while let Some((name, (_, value))) = fields.next_entry::<String, (IgnoredAny, Value)>()? {
            if !value.is_null() {
                values.insert(name, value);
            }
        }
        Ok(Values(values))
    }
}
