//! Relating: edges between entities, each within the rules of its type.

use std::collections::BTreeMap;

use contract::Object;
use desk::Stored;

use super::ids;
use super::plan::Plan;
use super::reach::{Guard, Search};
use super::relation::RelationType;
use super::relationship::{EdgeObservation, EdgeState, Relationship};
use super::row::Row;
use crate::Error;

/// Priority and specificity of an edge that a caller states.
const DIRECT: (f64, f64) = (100.0, 0.8);

/// An edge that is wanted: from one entity to another.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Wanted {
    pub relationship_type: String,
    pub source: String,
    pub target: String,
}

impl Wanted {
    /// The id that the edge has when nobody named it otherwise.
    pub fn id(&self, user: &str) -> String {
        ids::relationship(user, &self.relationship_type, &self.source, &self.target)
    }
}

/// What is stored about edges that are wanted.
#[derive(Debug, Clone, Default)]
pub struct Known {
    relations: BTreeMap<String, RelationType>,
    edges: BTreeMap<Wanted, Stored<Relationship>>,
}

impl Known {
    pub fn hold_relation(&mut self, relation: RelationType) {
        self.relations.insert(relation.name.clone(), relation);
    }

    pub fn has_relation(&self, name: &str) -> bool {
        self.relations.contains_key(name)
    }

    pub fn hold(&mut self, wanted: Wanted, edge: Stored<Relationship>) {
        self.edges.insert(wanted, edge);
    }
}

/// Connects two entities that exist, or says more about an edge that does. A repetition adds nothing.
pub fn connect(
    plan: &mut Plan,
    known: &Known,
    wanted: &Wanted,
    metadata: Option<Object>,
) -> Result<Relationship, Error> {
    connect_with(plan, known, wanted, metadata, DIRECT)
}

/// Like [`connect`], with the priority and specificity of who says so.
pub fn connect_with(
    plan: &mut Plan,
    known: &Known,
    wanted: &Wanted,
    metadata: Option<Object>,
    (source_priority, specificity_score): (f64, f64),
) -> Result<Relationship, Error> {
    let relation = known.relations.get(&wanted.relationship_type).expect("types are loaded before they are used");
    let id = wanted.id(&plan.user);
    if let Some(planned) = plan.edge(&id) {
        return Ok(planned.clone());
    }
    let (mut edge, version) = match known.edges.get(wanted) {
        Some(Stored { row, version, .. }) => (row.clone(), Some(*version)),
        None => (fresh(id, wanted, plan), None),
    };
    let says_more = metadata.as_ref().is_some_and(|said| {
        let held = edge.metadata().unwrap_or_default();
        said.iter().any(|(key, value)| held.get(key) != Some(value))
    });
    let is_live = edge.state == EdgeState::Live && version.is_some();
    if is_live && !says_more {
        return Ok(edge);
    }
    if !is_live {
        keep_acyclic(plan, relation, &wanted.source, &wanted.target, "target_entity_id")?;
        // Ends that are merged or deleted meanwhile are others.
        plan.expect_unchanged(&wanted.source);
        plan.expect_unchanged(&wanted.target);
        edge.state = EdgeState::Live;
        (edge.source, edge.target) = (wanted.source.clone(), wanted.target.clone());
    }
    let occurrence = edge.observations.len().to_string();
    let said = metadata.clone().unwrap_or_default();
    edge.observations.push(EdgeObservation {
        id: ids::observation(&edge.id, None, &edge.id, &said, &occurrence),
        at: plan.now,
        source_priority,
        specificity_score,
        metadata,
        deletes: None,
    });
    plan.put(Row::Relationship(edge.clone()), version);
    Ok(edge)
}

fn fresh(id: String, wanted: &Wanted, plan: &Plan) -> Relationship {
    Relationship {
        id,
        relationship_type: wanted.relationship_type.clone(),
        named_source: wanted.source.clone(),
        named_target: wanted.target.clone(),
        source: wanted.source.clone(),
        target: wanted.target.clone(),
        created_at: plan.now,
        state: EdgeState::Live,
        observations: Vec::new(),
        absorbed: Vec::new(),
    }
}

/// Refuses loops of every type, and asks that an edge does not close a cycle of a type that has none.
pub fn keep_acyclic(
    plan: &mut Plan,
    relation: &RelationType,
    source: &str,
    target: &str,
    field: &'static str,
) -> Result<(), Error> {
    let search = Search {
        relationship_type: relation.name.clone(),
        from: vec![target.to_owned()],
        to: source.to_owned(),
        field,
        guard: Guard::NoPath,
    };
    if source == target {
        return Err(search.cycle());
    }
    if relation.acyclic {
        plan.search(search);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
