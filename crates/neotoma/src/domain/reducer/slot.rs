//! What a state keeps of one field.

use std::sync::Arc;

use serde_json::Value;

use super::Winner;
use super::rank::{Rank, compare};
use super::union::Union;
use crate::domain::schema::{Reducer, Strategy};

/// The value of a field and where it came from.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Slot {
    /// One observation decides; null when it cleared the field.
    Single { winner: Arc<Winner>, value: Value },
    /// Several observations contribute to a set.
    Merged(Union),
}

impl Slot {
    /// The slot of a single observation.
    pub fn new(reducer: Reducer, winner: &Arc<Winner>, value: &Value) -> Self {
        match reducer.strategy {
            Strategy::MergeArray => Self::Merged(Union::new(winner, value)),
            _ => Self::Single { winner: Arc::clone(winner), value: value.clone() },
        }
    }

    pub fn value(&self) -> &Value {
        match self {
            Self::Single { value, .. } => value,
            Self::Merged(union) => union.value(),
        }
    }

    /// The observation that ranks first.
    pub fn winner(&self) -> &Arc<Winner> {
        match self {
            Self::Single { winner, .. } => winner,
            Self::Merged(union) => union.winner(),
        }
    }

    /// All observations in a merged array, sorted.
    pub fn contributors(&self) -> Option<Vec<String>> {
        match self {
            Self::Single { .. } => None,
            Self::Merged(union) => Some(union.contributors().keys().cloned().collect()),
        }
    }

    /// Whether joining an observation would change anything; a quick no saves copying its value.
    pub fn is_changed_by(&self, reducer: Reducer, winner: &Winner) -> bool {
        match self {
            Self::Single { winner: present, .. } => {
                compare(reducer, Rank::from(winner), Rank::from(&**present)).0.is_lt()
            }
            Self::Merged(union) => winner.source_priority.total_cmp(&union.winner().source_priority).is_ge(),
        }
    }

    /// Takes in another slot of the same field. One that was made under another strategy gives way.
    pub fn join(&mut self, reducer: Reducer, other: Self) {
        match (&mut *self, other) {
            (Self::Merged(union), Self::Merged(other)) => union.join(other),
            (Self::Single { winner, .. }, Self::Single { winner: other, value }) => {
                if compare(reducer, Rank::from(&*other), Rank::from(&**winner)).0.is_lt() {
                    *self = Self::Single { winner: other, value };
                }
            }
            (_, other) => *self = other,
        }
    }
}
