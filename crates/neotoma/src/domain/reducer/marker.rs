//! Whether an entity is there: the marker that was stored last decides.
//!
//! Deletions and restorations alternate over time, so the newer one counts even though a restoration (1001) has a higher
//! priority than a deletion (1000); priority and id decide only between markers of one moment. Markers are ordered by
//! when they were stored, because deleting is an act of the system and not something a source observed earlier.

use std::cmp::Reverse;

use scope::Timestamp;

use crate::domain::observation::{Marker, Observation};

/// A marker with what ranks it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Mark {
    pub id: String,
    pub created_at: Timestamp,
    pub priority: f64,
    pub marker: Marker,
}

impl Mark {
    pub fn new(marker: Marker, observation: &Observation) -> Self {
        Self {
            id: observation.id.clone(),
            created_at: observation.created_at,
            priority: observation.source_priority,
            marker,
        }
    }

    /// The one of two that counts.
    pub fn first(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        let ranks_before = |one: &Self, other: &Self| {
            let by_time = Reverse(one.created_at).cmp(&Reverse(other.created_at));
            let by_priority = || other.priority.total_cmp(&one.priority);
            by_time.then_with(by_priority).then_with(|| one.id.cmp(&other.id)).is_le()
        };
        match (one, other) {
            (Some(one), Some(other)) => Some(if ranks_before(&one, &other) { one } else { other }),
            (one, other) => one.or(other),
        }
    }

    pub fn is_deletion(&self) -> bool {
        self.marker == Marker::Deleted
    }
}
