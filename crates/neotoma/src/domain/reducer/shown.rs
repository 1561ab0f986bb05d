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
        let mut values = Map::with_capacity(8);
        while let Some((name, (_, value))) = fields.next_entry::<String, (IgnoredAny, Value)>()? {
            if !value.is_null() {
                values.insert(name, value);
            }
        }
        Ok(Values(values))
    }
}

#[cfg(test)]
mod tests {
    use contract::Object;
    use serde_json::json;

    use super::*;
    use crate::domain::schema::{Reducer, Strategy, infer};
    use crate::domain::{Observation, State};

    #[test]
    fn it_is_what_the_state_would_show() {
        let mut schema = infer("recipe", &[]);
        let merging = Reducer { strategy: Strategy::MergeArray, tie_breaker: None };
        schema.reducers.extend(["items", "none"].map(|field| (field.to_owned(), merging)));
        let says = [
            json!({"z": 1, "a": "x", "items": ["b"], "none": ["x"], "deep": {"y": [null], "x": 1}}),
            json!({"z": null, "items": ["a"], "none": null, "m": false}),
        ];
        let observation = |(number, says): (usize, &Value)| Observation {
            id: format!("o{number}"),
            entity_id: "e".to_owned(),
            entity_type: "recipe".to_owned(),
            schema_version: "0.0".to_owned(),
            source_id: "s".to_owned(),
            run_id: None,
            observed_at: Timestamp(number as i64),
            created_at: Timestamp(0),
            source_priority: 100.0,
            specificity_score: 1.0,
            kind: None,
            marker: None,
            fields: Object(says.as_object().cloned().unwrap()),
        };
        let observations: Vec<Observation> = says.iter().enumerate().map(observation).collect();
        for taken in 0..=says.len() {
            let state = State::of(&schema, &observations[..taken]);
            let shown: Shown = serde_json::from_str(&serde_json::to_string(&state).unwrap()).unwrap();
            assert_eq!(Value::Object(shown.snapshot).to_string(), Value::Object(state.snapshot()).to_string());
            assert_eq!((shown.count, shown.newest), (state.count(), state.last_observation_at()));
        }
    }
}
