//! What answers about one entity tell of its stored state, read in one pass.
//!
//! It shows what [`State`] would show, without the sets and maps that only adding further observations needs.

use std::collections::BTreeMap;

use scope::Timestamp;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::{State, Winner};
use crate::domain::Map;
use crate::domain::observation::{Kind, Marker};

/// A state, for answers.
#[derive(Debug, Clone, PartialEq)]
pub struct Told {
    pub count: u64,
    pub newest: Option<Timestamp>,
    pub is_deleted: bool,
    winners: Vec<Winner>,
    /// Sorted by name, without those that are cleared.
    fields: Vec<(String, Field)>,
}

/// The value of a field and where it came from.
#[derive(Debug, Clone, PartialEq)]
struct Field {
    value: Value,
    winner: usize,
    /// All observations in a merged array, sorted.
    contributors: Option<Vec<String>>,
}

/// A state as three objects over its fields.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Objects {
    pub snapshot: Map,
    /// The id of the observation that ranks first.
    pub provenance: Map,
    /// For merged arrays, the ids of all observations that contribute.
    pub contributors: Map,
}

impl Told {
    /// The value of a field, the observation that ranks first and, for a merged array, all that contribute.
    pub fn field(&self, name: &str) -> Option<(&Value, &Winner, &[String])> {
        let found = self.fields.binary_search_by(|(field, _)| field.as_str().cmp(name)).ok()?;
        let Field { value, winner, contributors } = &self.fields[found].1;
        Some((value, self.winners.get(*winner)?, contributors.as_deref().unwrap_or_default()))
    }

    /// The names of all fields, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().map(|(name, _)| name.as_str())
    }

    /// The fields as answers word them.
    pub fn into_objects(self) -> Objects {
        let count = self.fields.len();
        let mut objects = Objects {
            snapshot: Map::with_capacity(count),
            provenance: Map::with_capacity(count),
            contributors: Map::new(),
        };
        for (name, Field { value, winner, contributors }) in self.fields {
            let winner = self.winners.get(winner).map(|winner| Value::from(winner.id.as_str()));
            objects.provenance.insert(name.clone(), winner.unwrap_or_default());
            if let Some(contributors) = contributors {
                objects.contributors.insert(name.clone(), Value::from(contributors));
            }
            objects.snapshot.insert(name, value);
        }
        objects
    }
}

impl From<&State> for Told {
    fn from(state: &State) -> Self {
        let mut told = Self {
            count: state.count,
            newest: state.newest,
            is_deleted: state.is_deleted(),
            winners: Vec::new(),
            fields: Vec::new(),
        };
        for (name, slot) in state.fields.iter().filter(|(_, slot)| !slot.value().is_null()) {
            let field =
                Field { value: slot.value().clone(), winner: told.winners.len(), contributors: slot.contributors() };
            told.winners.push(Winner::clone(slot.winner()));
            told.fields.push((name.clone(), field));
        }
        told
    }
}

/// As it is stored, without what is not told.
#[derive(Deserialize)]
struct Stored {
    count: u64,
    #[serde(default)]
    newest: Option<i64>,
    #[serde(default)]
    mark: Option<(IgnoredAny, IgnoredAny, IgnoredAny, Marker)>,
    winners: Vec<(String, String, i64, f64, f64, Option<Kind>)>,
    fields: Fields,
    #[serde(default)]
    merged: BTreeMap<String, Merged>,
}

#[derive(Deserialize)]
struct Merged {
    first: usize,
    from: BTreeMap<String, IgnoredAny>,
    value: Value,
}

impl<'de> Deserialize<'de> for Told {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Stored { count, newest, mark, winners, fields: Fields(mut fields), merged } =
            Stored::deserialize(deserializer)?;
        for (name, Merged { first, from, value }) in merged {
            if !value.is_null() {
                fields.push((name, Field { value, winner: first, contributors: Some(from.into_keys().collect()) }));
            }
        }
        // Stored in order but for merged arrays, which come last.
        fields.sort_by(|(one, _), (other, _)| one.cmp(other));
        let is_deleted = mark.is_some_and(|(.., marker)| marker == Marker::Deleted);
        let winners = winners.into_iter().map(super::stored::read_winner).collect();
        Ok(Self { count, newest: newest.map(Timestamp), is_deleted, winners, fields })
    }
}

/// The fields that one observation decides.
struct Fields(Vec<(String, Field)>);

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(InOrder)
    }
}

struct InOrder;

impl<'de> Visitor<'de> for InOrder {
    type Value = Fields;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("fields with the index of their winner and their value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut stored: A) -> Result<Fields, A::Error> {
        let mut fields = Vec::with_capacity(8);
        while let Some((name, (winner, value))) = stored.next_entry::<String, (usize, Value)>()? {
            if !value.is_null() {
                fields.push((name, Field { value, winner, contributors: None }));
            }
        }
        Ok(Fields(fields))
    }
}

#[cfg(test)]
mod tests {
    use contract::Object;
    use serde_json::json;

    use super::*;
    use crate::domain::Observation;
    use crate::domain::schema::{Reducer, Strategy, infer};

    // N-108, N-109
    #[test]
    fn it_tells_what_the_state_would() {
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
            kind: Some(Kind::Human),
            marker: *marker,
            fields: Object(says.as_object().cloned().unwrap()),
        };
        let observations: Vec<Observation> = says.iter().enumerate().map(observation).collect();
        for taken in 0..=says.len() {
            let state = State::of(&schema, &observations[..taken]);
            check(&state, Told::from(&state));
            check(&state, serde_json::from_str(&serde_json::to_string(&state).unwrap()).unwrap());
        }
    }

    #[track_caller]
    fn check(state: &State, told: Told) {
        assert_eq!((told.count, told.newest), (state.count(), state.last_observation_at()));
        assert_eq!(told.is_deleted, state.is_deleted());
        for field in ["a", "deep", "items", "m", "none", "z", "unknown"] {
            let contributors = state.contributors().remove(field).unwrap_or_default();
            let kept =
                state.value(field).zip(state.winner(field)).map(|(value, winner)| (value, winner, &*contributors));
            assert_eq!(told.field(field), kept, "{field}");
        }
        assert_eq!(told.names().collect::<Vec<_>>(), state.snapshot().keys().collect::<Vec<_>>());
        let Objects { snapshot, provenance, contributors } = told.into_objects();
        assert_eq!(json!(snapshot).to_string(), json!(state.snapshot()).to_string());
        assert_eq!(json!(provenance).to_string(), json!(state.provenance()).to_string());
        assert_eq!(json!(contributors).to_string(), json!(state.contributors()).to_string());
    }
}
