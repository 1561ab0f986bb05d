//! Edges at entities that are merged, taken apart, deleted or brought back: they are led where they belong, and what is
//! seen of them is decided again.

use std::collections::{BTreeMap, BTreeSet};

use desk::Stored;
use ledger::{Expectation, Seq};

use super::Entity;
use super::plan::Plan;
use super::reach::{Guard, Search};
use super::relationship::{EdgeState, Relationship, arrange};
use super::row::Row;

/// Edges that were loaded for a decision, seen or not, and what is known around them.
#[derive(Debug, Clone)]
pub struct Edges {
    before: BTreeMap<String, Stored<Relationship>>,
    after: Vec<Relationship>,
    /// When loading began.
    since: Seq,
    /// Entities at the ends of edges that were not seen.
    ends: BTreeMap<String, Stored<Entity>>,
    /// The types among them that may not form cycles.
    acyclic: BTreeSet<String>,
}

impl Edges {
    /// Edges that were loaded after the point `since`.
    pub fn new(found: Vec<Stored<Relationship>>, since: Seq) -> Self {
        let before: BTreeMap<String, Stored<Relationship>> =
            found.into_iter().map(|edge| (edge.row.id.clone(), edge)).collect();
        let after = before.values().map(|edge| edge.row.clone()).collect();
        Self { before, after, since, ends: BTreeMap::new(), acyclic: BTreeSet::new() }
    }

    /// The entities at the ends of edges that were not seen: one of them may be deleted.
    pub fn unseen_ends(&self) -> BTreeSet<&str> {
        let unseen = self.before.values().filter(|edge| edge.row.state != EdgeState::Live);
        unseen.flat_map(|edge| [edge.row.source.as_str(), edge.row.target.as_str()]).collect()
    }

    /// The types of the edges.
    pub fn types(&self) -> BTreeSet<&str> {
        self.before.values().map(|edge| edge.row.relationship_type.as_str()).collect()
    }

    /// The same edges with the entities that [`Self::unseen_ends`] names, and the acyclic ones of [`Self::types`].
    pub fn among(mut self, ends: impl Iterator<Item = Stored<Entity>>, acyclic: BTreeSet<String>) -> Self {
        self.ends = ends.map(|end| (end.row.id.clone(), end)).collect();
        self.acyclic = acyclic;
        self
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Relationship> {
        self.after.iter_mut()
    }

    /// Decides what is seen, with entities as the plan leaves them, and puts what changed. `roots` are the entities that
    /// all changed edges touch; an acyclic type may not lead from one of them back to it.
    pub fn settle(mut self, plan: &mut Plan, roots: &[&str], field: &'static str) {
        let deleted = self.deleted_ends(plan);
        arrange(&mut self.after, |id| deleted.contains(id));
        let mut types = BTreeSet::new();
        for edge in &self.after {
            let before = &self.before[&edge.id];
            if before.row == *edge {
                continue;
            }
            if edge.state == EdgeState::Live && self.acyclic.contains(&edge.relationship_type) {
                types.insert(edge.relationship_type.as_str());
            }
            plan.put(Row::Relationship(edge.clone()), Some(before.version));
        }
        for of in types {
            roots.iter().for_each(|root| self.keep_acyclic(plan, of, root, field));
        }
    }

    /// The ends that are deleted. An edge that is seen has none, except by this plan.
    fn deleted_ends(&self, plan: &mut Plan) -> BTreeSet<String> {
        let (mut deleted, mut unknown) = (BTreeSet::new(), BTreeSet::new());
        for edge in &self.after {
            let was_seen = self.before[&edge.id].row.state == EdgeState::Live;
            for end in [&edge.source, &edge.target] {
                match plan.entity(end) {
                    Some(entity) if entity.state.is_deleted() => _ = deleted.insert(end.clone()),
                    None if !was_seen => _ = unknown.insert(end),
                    _ => {}
                }
            }
        }
        for end in unknown.into_iter().filter_map(|id| self.ends.get(id)) {
            // Both ends may be brought back at the same time; the second call then has to see the first.
            plan.expectations.push(end.unchanged());
            if end.row.state.is_deleted() {
                deleted.insert(end.row.id.clone());
            }
        }
        deleted
    }

    /// Asks that live edges of a type do not lead from an entity back to it.
    fn keep_acyclic(&self, plan: &mut Plan, relationship_type: &str, root: &str, field: &'static str) {
        let leaves = |edge: &&Relationship| {
            edge.state == EdgeState::Live && edge.relationship_type == relationship_type && edge.source == root
        };
        let ahead: BTreeSet<String> = self.after.iter().filter(leaves).map(|edge| edge.target.clone()).collect();
        if ahead.is_empty() {
            return;
        }
        plan.search(Search {
            relationship_type: relationship_type.to_owned(),
            from: ahead.into_iter().collect(),
            to: root.to_owned(),
            field,
            // An edge that another call adds to what was searched could lead back.
            guard: Guard::LinksUnchanged(self.since),
        });
    }

    /// What keeps edges at these entities from coming or going until the commit.
    pub fn guards(&self, ids: &[&str]) -> Vec<Expectation> {
        ids.iter().map(|id| Expectation::LinksUnchanged { id: (*id).to_owned(), since: self.since }).collect()
    }
}
