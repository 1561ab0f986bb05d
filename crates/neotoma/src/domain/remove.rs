//! Deleting and restoring by marker: what was said stays, and what is seen follows the last marker.

use desk::Stored;
use scope::Timestamp;

use super::edges::Edges;
use super::observation::{CORRECTION_PRIORITY, RESTORE_PRIORITY};
use super::plan::Plan;
use super::relate::keep_acyclic;
use super::relation::RelationType;
use super::relationship::{EdgeObservation, Relationship};
use super::said::Said;
use super::source::Source;
use super::{Entity, Map, Marker, Speaker, ids};
use crate::Error;

const ID: &str = "id";

/// What was deleted or restored, and the marker that says so; empty when nothing ever did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marked {
    pub id: String,
    pub by: String,
}

/// What is said when an entity is marked.
pub fn said(entity_id: &str, marker: Marker, by: Speaker) -> Said {
    Said {
        act: act(marker),
        entity_id: entity_id.to_owned(),
        fields: Map::new(),
        source_priority: priority(marker),
        kind: by.kind(),
        marker: Some(marker),
    }
}

/// The marker that an entity has already, when it is the one that is wanted.
pub fn entity_marked(entity: &Entity, marker: Marker) -> Option<Marked> {
    let by = entity.state.marker_id().unwrap_or_default().to_owned();
    (entity.state.is_deleted() == (marker == Marker::Deleted)).then(|| Marked { id: entity.id.clone(), by })
}

/// Decides what happens when this is said: an entity is deleted or brought back. The plan holds it with its schema; `edges` are all at it,
/// `source` is that of the same words, when they were said before.
pub fn mark_entity(plan: &mut Plan, said: Said, source: Option<Stored<Source>>, edges: Edges) -> Marked {
    let id = said.entity_id.clone();
    let source = said.source(plan, source);
    let observation = said.observation(plan, &source.row);
    let by = observation.id.clone();
    source.observe(plan, observation);
    plan.expectations.extend(edges.guards(&[&id]));
    edges.settle(plan, &[&id], ID);
    Marked { id, by }
}

/// The marker that an edge has already, when it is the one that is wanted.
pub fn edge_marked(edge: &Relationship, marker: Marker) -> Option<Marked> {
    let last = edge.observations.iter().rev().find(|observation| observation.deletes.is_some());
    let by = last.map(|mark| mark.id.clone()).unwrap_or_default();
    (edge.is_deleted() == (marker == Marker::Deleted)).then(|| Marked { id: edge.id.clone(), by })
}

/// Decides what happens when an edge is deleted or brought back. The plan holds its ends; `edges` are all that repeat it.
pub fn mark_edge(
    plan: &mut Plan,
    edge: &Relationship,
    marker: Marker,
    relation: Option<&RelationType>,
    mut edges: Edges,
) -> Result<Marked, Error> {
    let loops = edge.source == edge.target;
    if marker == Marker::Restored {
        let is_deleted = |id: &String| plan.entity(id).is_some_and(|end| end.state.is_deleted());
        let hidden = is_deleted(&edge.source) || is_deleted(&edge.target);
        // Edges at a deleted entity are checked when that comes back; a loop never is one.
        if let Some(relation) = relation.filter(|_| !hidden || loops) {
            keep_acyclic(plan, relation, &edge.source, &edge.target, ID)?;
        }
        plan.expect_unchanged(&edge.source);
        plan.expect_unchanged(&edge.target);
    }
    let at = plan.now;
    // What repeats an edge goes with it, or the edge would seem to stay.
    let goes = |other: &Relationship| other.id == edge.id || (marker == Marker::Deleted && !other.is_deleted());
    edges
        .iter_mut()
        .filter(|other| goes(other) && (!loops || other.id == edge.id))
        .for_each(|other| mark(other, marker, at));
    let by = edges.iter_mut().find(|other| other.id == edge.id).and_then(|other| other.observations.last());
    let by = by.map(|observation| observation.id.clone()).unwrap_or_default();
    edges.settle(plan, &[], ID);
    Ok(Marked { id: edge.id.clone(), by })
}

fn mark(edge: &mut Relationship, marker: Marker, at: Timestamp) {
    let occurrence = format!("{}#{}", act(marker), edge.observations.len());
    edge.observations.push(EdgeObservation {
        id: ids::observation(&edge.id, None, &edge.id, &Map::new(), &occurrence),
        at,
        source_priority: priority(marker),
        specificity_score: 1.0,
        metadata: None,
        deletes: Some(marker == Marker::Deleted),
    });
}

fn act(marker: Marker) -> &'static str {
    match marker {
        Marker::Deleted => "deletion",
        Marker::Restored => "restoration",
    }
}

fn priority(marker: Marker) -> f64 {
    match marker {
        Marker::Deleted => CORRECTION_PRIORITY,
        Marker::Restored => RESTORE_PRIORITY,
    }
}

#[cfg(test)]
mod tests;
