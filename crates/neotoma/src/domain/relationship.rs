//! A relationship: its ends as they were named, where they lead now, and what was said about it.

use contract::Object;
use ledger::RecordKey;
use scope::Timestamp;
use serde::{Deserialize, Serialize};

use super::Map;
use super::row::{kind, newest_first};

/// A relationship between two entities.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Relationship {
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
    /// What was said about the repetitions that are folded into it, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub absorbed: Vec<EdgeObservation>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EdgeState {
    Live,
    /// A merge made it a repetition of another edge, or a loop. It comes back when the merge is undone.
    Folded,
    /// One of its ends is deleted. It comes back when that is restored.
    Hidden,
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

impl Relationship {
    /// Ids of records sort by creation, newest first, so that the links at an entity are listed in that order.
    pub fn key(&self) -> RecordKey {
        RecordKey::new(kind::RELATIONSHIP, format!("{}-{}", newest_first(self.created_at), self.id))
    }

    /// Whether the last word about it deleted it.
    pub fn is_deleted(&self) -> bool {
        self.observations.last().is_some_and(|last| last.deletes == Some(true))
    }

    /// Whether it connects the same entities in the same way as another.
    pub fn repeats(&self, other: &Self) -> bool {
        self.relationship_type == other.relationship_type && self.source == other.source && self.target == other.target
    }

    /// What was said, the last word per key.
    pub fn metadata(&self) -> Option<Object> {
        let mut said: Option<Map> = None;
        let mut observations: Vec<&EdgeObservation> = self.observations.iter().chain(&self.absorbed).collect();
        observations.sort_by_key(|observation| observation.at);
        for metadata in observations.into_iter().filter_map(|observation| observation.metadata.as_ref()) {
            said.get_or_insert_default().extend(metadata.0.clone());
        }
        said.map(Object)
    }
}

/// Decides which of all the edges at some entities are seen, after their ends were led where they belong.
///
/// Of those that repeat each other the oldest stands for all, and takes in what was said about the others. A loop is
/// not seen, nor is an edge whose end is deleted.
pub fn arrange(edges: &mut [Relationship], is_deleted: impl Fn(&str) -> bool) {
    edges.sort_by(|one, other| rank(one).cmp(&rank(other)));
    let mut stands: Option<usize> = None;
    for index in 0..edges.len() {
        let edge = &mut edges[index];
        edge.absorbed.clear();
        if edge.is_deleted() || edge.source == edge.target {
            edge.state = if edge.is_deleted() { EdgeState::Deleted } else { EdgeState::Folded };
            continue;
        }
        if let Some(first) = stands.filter(|first| edges[*first].repeats(&edges[index])) {
            edges[index].state = EdgeState::Folded;
            let said = edges[index].observations.clone();
            edges[first].absorbed.extend(said);
            edges[first].absorbed.sort_by(|one, other| (one.at, &one.id).cmp(&(other.at, &other.id)));
            continue;
        }
        let edge = &mut edges[index];
        let hidden = is_deleted(&edge.source) || is_deleted(&edge.target);
        edge.state = if hidden { EdgeState::Hidden } else { EdgeState::Live };
        stands = Some(index);
    }
}

/// Repetitions next to each other, the oldest first.
fn rank(edge: &Relationship) -> (&str, &str, &str, Timestamp, &str) {
    (&edge.relationship_type, &edge.source, &edge.target, edge.created_at, &edge.id)
}
