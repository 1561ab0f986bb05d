//! A state as an answer about one entity shows it.

use serde_json::Value;

use super::State;
use super::slot::Slot;
use crate::domain::Map;

/// A state as three objects over the fields of its snapshot.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Objects {
    pub snapshot: Map,
    /// The id of the observation that ranks first.
    pub provenance: Map,
    /// For merged arrays, the ids of all observations that contribute.
    pub contributors: Map,
}

impl From<State> for Objects {
    fn from(state: State) -> Self {
        let count = state.fields.len();
        let mut objects = Self {
            snapshot: Map::with_capacity(count),
            provenance: Map::with_capacity(count),
            contributors: Map::new(),
        };
        for (name, slot) in state.fields {
            if slot.value().is_null() {
                continue;
            }
            objects.provenance.insert(name.clone(), slot.winner().id.as_str().into());
            if let Some(contributors) = slot.contributors() {
                objects.contributors.insert(name.clone(), contributors.into());
            }
            let value = match slot {
                Slot::Single { value, .. } => value,
                Slot::Merged(union) => Value::clone(union.value()),
            };
            objects.snapshot.insert(name, value);
        }
        objects
    }
}
