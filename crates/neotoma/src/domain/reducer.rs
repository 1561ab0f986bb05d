//! The reducer: from the observations of an entity to its snapshot.
//!
//! Every field takes the value of the observation that ranks first for it. Corrections (priority 1000 and more) rank
//! before all others under every strategy; strategies order within these two tiers, and the smaller id decides between
//! equals. A null that ranks first clears the field.
//!
//! [`State`] keeps what it takes to go on: per field the value and the observation it came from. Because ranking is a
//! total order and merged arrays are sets, states do not depend on the order in which observations were added.
//!
//! A state belongs to the reducers of the schema it was made with. When a schema changes them, make the state anew with
//! [`State::of`].

mod marker;
mod objects;
mod rank;
mod ranked;
mod slot;
mod stored;
mod summary;
#[cfg(test)]
mod tests;
mod union;

use std::collections::BTreeMap;
use std::sync::Arc;

use scope::Timestamp;
use serde_json::Value;

use self::marker::Mark;
use self::slot::Slot;
use super::observation::{Kind, Observation};
use super::schema::Reducer;
use super::{Map, Schema, Values};

pub use objects::Objects;
pub use ranked::ranked;
pub use summary::Summary;

/// The reduced observations of one entity. Serialises compactly, and equal states serialise to equal bytes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct State {
    count: u64,
    newest: Option<Timestamp>,
    mark: Option<Mark>,
    fields: BTreeMap<String, Slot>,
}

/// The observation that a field takes its value from, with what ranks it.
#[derive(Debug, Clone, PartialEq)]
pub struct Winner {
    pub id: String,
    pub source_id: String,
    pub observed_at: Timestamp,
    pub source_priority: f64,
    pub specificity_score: f64,
    pub kind: Option<Kind>,
}

impl State {
    pub fn empty() -> Self {
        Self::default()
    }

    /// The state of these observations, in whatever order they come.
    pub fn of<'a>(schema: &Schema, observations: impl IntoIterator<Item = &'a Observation>) -> Self {
        let mut state = Self::empty();
        for observation in observations {
            state.add(schema, observation);
        }
        state
    }

    /// Adds an observation that was not added before. Looks at its own fields only.
    pub fn add(&mut self, schema: &Schema, observation: &Observation) {
        self.count += 1;
        self.newest = self.newest.max(Some(observation.observed_at));
        if let Some(marker) = observation.marker {
            self.mark = Mark::first(self.mark.take(), Some(Mark::new(marker, observation)));
            return;
        }
        let winner = Arc::new(Winner::from(observation));
        for (name, value) in observation.fields.iter() {
            let reducer = schema.reducer(name);
            match self.fields.get_mut(name) {
                Some(slot) if !slot.is_changed_by(reducer, &winner) => {}
                Some(slot) => slot.join(reducer, Slot::new(reducer, &winner, value)),
                None => _ = self.fields.insert(name.clone(), Slot::new(reducer, &winner, value)),
            }
        }
    }

    /// Adds all observations of `other`, none of which were added before.
    pub fn absorb(&mut self, schema: &Schema, other: &State) {
        self.count += other.count;
        self.newest = self.newest.max(other.newest);
        self.mark = Mark::first(self.mark.take(), other.mark.clone());
        for (name, slot) in &other.fields {
            self.join(schema.reducer(name), name, slot.clone());
        }
    }

    /// The values of all fields, sorted by name; cleared fields are absent.
    pub fn snapshot(&self) -> Map {
        self.all().map(|(name, value)| (name.to_owned(), value.clone())).collect()
    }

    /// The value of a field, unless it was never set or was cleared.
    pub fn value(&self, field: &str) -> Option<&Value> {
        self.fields.get(field).map(Slot::value).filter(|value| !value.is_null())
    }

    /// For every field of the snapshot, the observation that ranks first.
    pub fn provenance(&self) -> BTreeMap<String, String> {
        let fields = self.fields.iter().filter(|(_, slot)| !slot.value().is_null());
        fields.map(|(name, slot)| (name.clone(), slot.winner().id.clone())).collect()
    }

    /// For every merged array of the snapshot, all observations that contribute, sorted.
    pub fn contributors(&self) -> BTreeMap<String, Vec<String>> {
        let merged = self.fields.iter().filter_map(|(name, slot)| Some((name.clone(), slot.contributors()?)));
        merged.filter(|(name, _)| self.value(name).is_some()).collect()
    }

    /// The value of a field, the observation that ranks first and, for a merged array, all that contribute.
    pub fn field(&self, name: &str) -> Option<(&Value, &Winner, Vec<String>)> {
        let slot = self.fields.get(name).filter(|slot| !slot.value().is_null())?;
        Some((slot.value(), slot.winner(), slot.contributors().unwrap_or_default()))
    }

    /// How many observations were added, markers included.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The newest `observed_at` of all observations. The snapshot counts as computed then, so that reading it twice gives
    /// the same bytes.
    pub fn last_observation_at(&self) -> Option<Timestamp> {
        self.newest
    }

    /// Whether the marker that ranks first is a deletion.
    pub fn is_deleted(&self) -> bool {
        self.mark.as_ref().is_some_and(Mark::is_deletion)
    }

    /// The observation that deleted the entity or brought it back last.
    pub fn marker_id(&self) -> Option<&str> {
        self.mark.as_ref().map(|mark| mark.id.as_str())
    }

    /// The fields of the snapshot that the schema does not declare, sorted.
    pub fn unvalidated(&self, schema: &Schema) -> Vec<String> {
        self.all().map(|(name, _)| name).filter(|name| !schema.declares(name)).map(str::to_owned).collect()
    }

    /// The observation that ranks first for a field, also when it cleared it.
    pub fn winner(&self, field: &str) -> Option<&Winner> {
        self.fields.get(field).map(|slot| &**slot.winner())
    }

    fn join(&mut self, reducer: Reducer, field: &str, slot: Slot) {
        match self.fields.get_mut(field) {
            Some(present) => present.join(reducer, slot),
            None => _ = self.fields.insert(field.to_owned(), slot),
        }
    }
}

/// The snapshot, read in place.
impl Values for State {
    fn value_of(&self, field: &str) -> Option<&Value> {
        self.value(field)
    }

    fn all(&self) -> impl Iterator<Item = (&str, &Value)> {
        let fields = self.fields.iter().map(|(name, slot)| (name.as_str(), slot.value()));
        fields.filter(|(_, value)| !value.is_null())
    }
}

impl From<&Observation> for Winner {
    fn from(observation: &Observation) -> Self {
        Self {
            id: observation.id.clone(),
            source_id: observation.source_id.clone(),
            observed_at: observation.observed_at,
            source_priority: observation.source_priority,
            specificity_score: observation.specificity_score,
            kind: observation.kind,
        }
    }
}
