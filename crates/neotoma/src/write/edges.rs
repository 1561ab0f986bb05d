//! Edges at entities that are merged, taken apart, deleted or brought back: they are led where they belong, and what is
//! seen of them is decided again.

use std::collections::{BTreeMap, BTreeSet};

use ledger::{At, Direction, Expectation, Find, Seq};

use super::Plan;
use super::relate::{between, reach};
use crate::Error;
use crate::projection::row::{EdgeState, RelationshipRow, Row, arrange, hidden_edge_scope, kind};
use crate::projection::{Reader, Stored};

const EDGES_PER_STEP: usize = 1000;

/// Edges that were loaded for a decision, seen or not.
pub struct Edges {
    before: BTreeMap<String, Stored<RelationshipRow>>,
    after: Vec<RelationshipRow>,
    /// When loading began.
    since: Seq,
}

impl Edges {
    /// All edges at these entities. Expects that none comes or goes until the commit.
    pub async fn at(plan: &mut Plan<'_>, ids: &[&str]) -> Result<Self, Error> {
        let reader = plan.reader;
        let since = reader.ledger.point(reader.tenant, At::Head).await?;
        let mut found = Vec::new();
        for id in ids {
            let touching = Some(((*id).to_owned(), Direction::Both));
            all(reader, Find { touching, ..Find::all(kind::RELATIONSHIP) }, &mut found).await?;
            all(reader, hidden(reader, id), &mut found).await?;
            plan.expectations.push(Expectation::LinksUnchanged { id: (*id).to_owned(), since });
        }
        // A tag also finds edges by the names that their ends had.
        found.retain(|edge| ids.contains(&edge.row.source.as_str()) || ids.contains(&edge.row.target.as_str()));
        Ok(Self::of(found, since))
    }

    /// An edge and all that repeat it.
    pub async fn like(reader: &Reader<'_>, edge: Stored<RelationshipRow>) -> Result<Self, Error> {
        let since = reader.ledger.point(reader.tenant, At::Head).await?;
        let mut found = Vec::new();
        let narrow = Find { r#type: Some(edge.row.relationship_type.clone()), ..hidden(reader, &edge.row.source) };
        all(reader, narrow, &mut found).await?;
        found.retain(|hidden| hidden.row.repeats(&edge.row));
        found.extend(between(reader, &edge.row.relationship_type, &edge.row.source, &edge.row.target).await?);
        found.push(edge);
        Ok(Self::of(found, since))
    }

    fn of(found: Vec<Stored<RelationshipRow>>, since: Seq) -> Self {
        let before: BTreeMap<String, Stored<RelationshipRow>> =
            found.into_iter().map(|edge| (edge.row.id.clone(), edge)).collect();
        let after = before.values().map(|edge| edge.row.clone()).collect();
        Self { before, after, since }
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut RelationshipRow> {
        self.after.iter_mut()
    }

    /// Decides what is seen, with entities as the plan leaves them, and puts what changed. `roots` are the entities that
    /// all changed edges touch; an acyclic type that would lead from one of them back to it is refused.
    pub async fn settle(mut self, plan: &mut Plan<'_>, roots: &[&str], field: &'static str) -> Result<(), Error> {
        let deleted = self.deleted_ends(plan).await?;
        arrange(&mut self.after, |id| deleted.contains(id));
        let mut types = BTreeSet::new();
        for edge in &self.after {
            let before = &self.before[&edge.id];
            if before.row == *edge {
                continue;
            }
            if edge.state == EdgeState::Live {
                types.insert(edge.relationship_type.as_str());
            }
            plan.put(Row::Relationship(edge.clone()), Some(before.version));
        }
        for of in types {
            for root in roots {
                self.keep_acyclic(plan, of, root, field).await?;
            }
        }
        Ok(())
    }

    /// The ends that are deleted. An edge that is seen has none, except by this plan.
    async fn deleted_ends(&self, plan: &mut Plan<'_>) -> Result<BTreeSet<String>, Error> {
        let mut deleted = BTreeSet::new();
        let mut unknown = BTreeSet::new();
        for edge in &self.after {
            let was_seen = self.before[&edge.id].row.state == EdgeState::Live;
            for end in [&edge.source, &edge.target] {
                match plan.entity(end) {
                    Some(entity) if entity.state.is_deleted() => _ = deleted.insert(end.clone()),
                    None if !was_seen => _ = unknown.insert(end.clone()),
                    _ => {}
                }
            }
        }
        let unknown: Vec<String> = unknown.into_iter().collect();
        for Stored { row, key, version, .. } in plan.reader.entities(&unknown).await?.into_iter().flatten() {
            // Both ends may be brought back at the same time; the second call then has to see the first.
            plan.expectations.push(Expectation::Version { key, version });
            if row.state.is_deleted() {
                deleted.insert(row.id);
            }
        }
        Ok(deleted)
    }

    async fn keep_acyclic(
        &self,
        plan: &mut Plan<'_>,
        relationship_type: &str,
        root: &str,
        field: &'static str,
    ) -> Result<(), Error> {
        let is_acyclic = plan.reader.relation_type(relationship_type).await?.is_some_and(|relation| relation.acyclic);
        let leaves = |edge: &&RelationshipRow| {
            edge.state == EdgeState::Live && edge.relationship_type == relationship_type && edge.source == root
        };
        let ahead: BTreeSet<String> = self.after.iter().filter(leaves).map(|edge| edge.target.clone()).collect();
        if !is_acyclic || ahead.is_empty() {
            return Ok(());
        }
        let Some(seen) = reach(plan, relationship_type, ahead.into_iter().collect(), root).await? else {
            return Err(Error::Cycle { field, relationship_type: relationship_type.to_owned() });
        };
        // An edge that another call adds to what was searched could lead back.
        let since = self.since;
        plan.expectations.extend(seen.into_iter().map(|id| Expectation::LinksUnchanged { id, since }));
        Ok(())
    }
}

/// Edges at an entity that are not seen.
fn hidden(reader: &Reader<'_>, id: &str) -> Find {
    Find { scope: Some(hidden_edge_scope(reader.user)), tag: Some(id.to_owned()), ..Find::all(kind::RELATIONSHIP) }
}

async fn all(reader: &Reader<'_>, find: Find, into: &mut Vec<Stored<RelationshipRow>>) -> Result<(), Error> {
    let mut after = None;
    loop {
        let page = Find { after, limit: EDGES_PER_STEP, ..find.clone() };
        let (edges, next) = reader.find::<RelationshipRow>(page).await?;
        into.extend(edges);
        if next.is_none() {
            return Ok(());
        }
        after = next;
    }
}
