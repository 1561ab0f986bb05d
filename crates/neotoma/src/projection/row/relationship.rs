//! The row of a relationship: its ends as they were named, where they lead now, and what was said about it.

use contract::Object;
use ledger::{Ends, Record, RecordKey};
use scope::Timestamp;
use serde::{Deserialize, Serialize};

use super::kind;
use crate::domain::Map;

/// A relationship between two entities.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RelationshipRow {
    /// Hashed from user, type and the ends as they were named.
    pub id: String,
    pub relationship_type: String,
    pub named_source: String,
    pub named_target: String,
    /// The ends after merges.
    pub source: String,
    pub target: String,
    pub created_at: Timestamp,
    pub state: EdgeState,
    /// What was said about it, oldest first.
    pub observations: Vec<EdgeObservation>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EdgeState {
    Live,
    /// A merge made it a repetition of another edge, or a loop. It comes back when the merge is undone.
    Folded,
    Deleted,
}

/// One statement about a relationship.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EdgeObservation {
    pub id: String,
    pub at: Timestamp,
    pub source_priority: f64,
    pub specificity_score: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Object>,
    /// True for a marker that deletes, false for one that restores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deletes: Option<bool>,
}

impl RelationshipRow {
    /// Ids of records sort by creation, newest first, so that the links at an entity are listed in that order.
    pub fn key(&self) -> RecordKey {
        let order = i64::MAX.wrapping_sub(self.created_at.0).cast_unsigned();
        RecordKey::new(kind::RELATIONSHIP, format!("{order:016x}-{}", self.id))
    }

    /// What was said, the last word per key.
    pub fn metadata(&self) -> Option<Object> {
        let mut said: Option<Map> = None;
        for metadata in self.observations.iter().filter_map(|observation| observation.metadata.as_ref()) {
            said.get_or_insert_default().extend(metadata.0.clone());
        }
        said.map(Object)
    }

    pub(super) fn record(&self, user: &str, plain: Record) -> Record {
        let live = self.state == EdgeState::Live;
        Record {
            scope: if live { user.to_owned() } else { hidden_edge_scope(user) },
            r#type: self.relationship_type.clone(),
            name: Some(self.id.clone()),
            // What is hidden has no ends to be walked; tags find it again.
            ends: live.then(|| Ends { source: self.source.clone(), target: self.target.clone() }),
            tags: if live { Vec::new() } else { vec![self.named_source.clone(), self.named_target.clone()] },
            ..plain
        }
    }
}

/// Where relationships are that are folded or deleted.
pub fn hidden_edge_scope(user: &str) -> String {
    format!("{user}/hidden")
}
