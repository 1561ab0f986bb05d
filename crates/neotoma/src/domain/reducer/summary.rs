//! What listings read of a stored state: all but what only ranks observations and takes in further ones.

use std::collections::BTreeMap;

use scope::Timestamp;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::State;
use crate::domain::Map;
use crate::domain::observation::Marker;

/// The snapshot of a state, how many observations it is of and when the newest was made.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    pub count: u64,
    pub newest: Option<Timestamp>,
    pub is_deleted: bool,
    /// As [`State::snapshot`] gives it.
    pub snapshot: Map,
}

impl From<&State> for Summary {
    fn from(state: &State) -> Self {
        Self { count: state.count, newest: state.newest, is_deleted: state.is_deleted(), snapshot: state.snapshot() }
    }
}

#[derive(Deserialize)]
struct SummaryBody {
    count: u64,
    #[serde(default)]
    newest: Option<i64>,
    #[serde(default)]
    mark: Option<(IgnoredAny, IgnoredAny, IgnoredAny, Marker)>,
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

impl<'de> Deserialize<'de> for Summary {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let SummaryBody { count, newest, mark, fields: Values(mut snapshot), merged } =
            SummaryBody::deserialize(deserializer)?;
        let merged = merged.into_iter().filter(|(_, merged)| !merged.value.is_null());
        let before = snapshot.len();
        snapshot.extend(merged.map(|(name, merged)| (name, merged.value)));
        if snapshot.len() > before {
            snapshot.sort_keys();
        }
        let is_deleted = mark.is_some_and(|(.., marker)| marker == Marker::Deleted);
        Ok(Self { count, newest: newest.map(Timestamp), is_deleted, snapshot })
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
    use crate::domain::Observation;
    use crate::domain::reducer::Objects;
    use crate::domain::schema::{Reducer, Strategy, infer};

    // N-108, N-109
    #[test]
    fn a_summary_and_objects_show_what_the_state_does() {
        let mut schema = infer("recipe", &[]);
        let merging = Reducer { strategy: Strategy::MergeArray, tie_breaker: None };
        schema.reducers.extend(["items", "none"].map(|field| (field.to_owned(), merging)));
        let says = [
            (None, json!({"z": 1, "a": "x", "items": ["b"], "none": ["x"], "deep": {"y": [null], "x": 1}})),
            (None, json!({"z": null, "items": ["a"], "none": null, "m": false})),
            (Some(Marker::Deleted), json!({})),
            (Some(Marker::Restored), json!({})),
        ];
        let observation = |(number, (marker, says)): (usize, &(Option<Marker>, Value))| Observation {
            id: format!("o{number}"),
            entity_id: "e".to_owned(),
            entity_type: "recipe".to_owned(),
            schema_version: "0.0".to_owned(),
            source_id: format!("s{number}"),
            run_id: None,
            observed_at: Timestamp(number as i64),
            created_at: Timestamp(number as i64),
            source_priority: 100.0,
            specificity_score: 0.5,
            kind: None,
            marker: *marker,
            fields: Object(says.as_object().cloned().unwrap()),
        };
        let observations: Vec<Observation> = says.iter().enumerate().map(observation).collect();
        for taken in 0..=says.len() {
            let state = State::of(&schema, &observations[..taken]);
            let summary: Summary = serde_json::from_str(&serde_json::to_string(&state).unwrap()).unwrap();
            assert_eq!(summary, Summary::from(&state));
            assert_eq!((summary.count, summary.newest), (state.count(), state.last_observation_at()));
            assert_eq!(summary.is_deleted, taken == 3);
            // The order of fields is part of what callers see.
            assert_eq!(json!(summary.snapshot).to_string(), json!(state.snapshot()).to_string());
            for (name, value) in &summary.snapshot {
                let (kept, winner, contributors) = state.field(name).unwrap();
                assert_eq!((kept, Some(winner)), (value, state.winner(name)));
                assert_eq!(contributors, state.contributors().remove(name).unwrap_or_default());
            }
            assert_eq!((state.field("unknown"), state.field("none").is_some()), (None, taken == 1));
            let Objects { snapshot, provenance, contributors } = state.clone().into();
            assert_eq!(json!(snapshot).to_string(), json!(state.snapshot()).to_string());
            assert_eq!(json!(provenance).to_string(), json!(state.provenance()).to_string());
            assert_eq!(json!(contributors).to_string(), json!(state.contributors()).to_string());
        }
    }
}
