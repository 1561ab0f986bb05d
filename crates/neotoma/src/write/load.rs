//! Loading: what the rules want to see, read from the ledger. Nothing here decides.

use std::collections::BTreeSet;

use desk::Stored;
use ledger::{At, Direction, Find};
use scope::pace;

use super::PER_ENTITY;
use crate::Error;
use crate::domain::edges::Edges;
use crate::domain::plan::{Plan, Taken};
use crate::domain::reach::Reach;
use crate::projection::Reader;
use crate::projection::row::{EntityRow, RelationshipRow, hidden_edge_scope, kind};

const EDGES_PER_STEP: usize = 1000;

/// Loads the schemas of these types.
pub async fn schemas<'t>(
    reader: &Reader<'_>,
    plan: &mut Plan,
    types: impl Iterator<Item = &'t str> + Clone + Send,
) -> Result<(), Error> {
    let own = reader.schemas(types.clone()).await?;
    plan.hold_schemas(types, own);
    Ok(())
}

/// Lets the plan hold entities that were found, following merges. The answer has the entity that each leads to, or nothing.
pub async fn survivors(
    reader: &Reader<'_>,
    plan: &mut Plan,
    found: Vec<Option<Stored<EntityRow>>>,
) -> Result<Vec<Option<String>>, Error> {
    let mut leads_to = Vec::with_capacity(found.len());
    for found in found {
        let Some(found) = found else {
            leads_to.push(None);
            continue;
        };
        let survivor = match found.row.merged_into {
            Some(_) => reader.survivor(found).await?,
            None => found,
        };
        leads_to.push(Some(survivor.row.id.clone()));
        plan.hold(survivor);
    }
    Ok(leads_to)
}

/// All edges at these entities, seen or not.
pub async fn edges_at(reader: &Reader<'_>, ids: &[&str]) -> Result<Edges, Error> {
    let since = reader.ledger.point(reader.tenant, At::Head).await?;
    let mut found = Vec::new();
    for id in ids {
        let touching = Some(((*id).to_owned(), Direction::Both));
        found.extend(all_edges(reader, Find { touching, ..Find::all(kind::RELATIONSHIP) }).await?);
        found.extend(all_edges(reader, hidden(reader, id)).await?);
    }
    // A tag also finds edges by the names that their ends had.
    found.retain(|edge| ids.contains(&edge.row.source.as_str()) || ids.contains(&edge.row.target.as_str()));
    around(reader, Edges::new(found, since)).await
}

/// An edge and all that repeat it.
pub async fn edges_like(reader: &Reader<'_>, edge: Stored<RelationshipRow>) -> Result<Edges, Error> {
    let since = reader.ledger.point(reader.tenant, At::Head).await?;
    let narrow = Find { r#type: Some(edge.row.relationship_type.clone()), ..hidden(reader, &edge.row.source) };
    let mut found = all_edges(reader, narrow).await?;
    found.retain(|hidden| hidden.row.repeats(&edge.row));
    found.extend(edge_between(reader, &edge.row.relationship_type, &edge.row.source, &edge.row.target).await?);
    found.push(edge);
    around(reader, Edges::new(found, since)).await
}

/// Adds what is known around edges.
async fn around(reader: &Reader<'_>, edges: Edges) -> Result<Edges, Error> {
    let ends: Vec<String> = edges.unseen_ends().into_iter().map(str::to_owned).collect();
    let ends = reader.entities(&ends).await?;
    let mut acyclic = BTreeSet::new();
    for of in edges.types() {
        acyclic.extend(reader.relation_type(of).await?.filter(|of| of.acyclic).map(|of| of.name));
    }
    Ok(edges.among(ends.into_iter().flatten(), acyclic))
}

/// The live edge of this type between two entities, also when it was named by an entity that was merged since.
pub async fn edge_between(
    reader: &Reader<'_>,
    relationship_type: &str,
    source: &str,
    target: &str,
) -> Result<Option<Stored<RelationshipRow>>, Error> {
    let mut after = None;
    loop {
        let find = Find { after, limit: EDGES_PER_STEP, ..outgoing(relationship_type, source) };
        let (edges, next) = reader.find::<RelationshipRow>(find).await?;
        if let Some(found) = edges.into_iter().find(|edge| edge.row.target == target) {
            return Ok(Some(found));
        }
        if next.is_none() {
            return Ok(None);
        }
        after = next;
    }
}

/// An edge by its id, live or hidden.
pub async fn edge_by_id(reader: &Reader<'_>, id: &str) -> Result<Option<Stored<RelationshipRow>>, Error> {
    for scope in [reader.user.to_owned(), hidden_edge_scope(reader.user)] {
        let find = Find { scope: Some(scope), name: Some(id.to_owned()), limit: 1, ..Find::all(kind::RELATIONSHIP) };
        if let Some(found) = reader.find::<RelationshipRow>(find).await?.0.pop() {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Answers what a plan asks, and settles it.
pub async fn settle(reader: &Reader<'_>, plan: &mut Plan) -> Result<(), Error> {
    while let Some(search) = plan.next_search() {
        let mut reach = Reach::new(plan, &search);
        while let Some(at) = reach.next(&search)? {
            // What the plan creates has no edges yet.
            if !plan.is_new(&at) {
                let stored = all_edges(reader, outgoing(&search.relationship_type, &at)).await?;
                reach.follow(stored.into_iter().map(Stored::into_row));
            }
        }
        let passed = reach.passed();
        plan.found_no_path(&search, passed);
    }
    let mut taken = Taken::default();
    for (of, name) in plan.names_wanted() {
        let holders = reader.identified(&name, Some(&of), 2).await?;
        taken.by(&of, &name, holders.into_iter().map(|holder| holder.row.id));
    }
    plan.settle_schemas();
    while plan.settle_next(&taken) {
        pace::spend_async(PER_ENTITY).await;
    }
    Ok(())
}

/// Edges of a type that leave an entity.
fn outgoing(relationship_type: &str, from: &str) -> Find {
    Find {
        r#type: Some(relationship_type.to_owned()),
        touching: Some((from.to_owned(), Direction::Outgoing)),
        ..Find::all(kind::RELATIONSHIP)
    }
}

/// Edges at an entity that are not seen.
fn hidden(reader: &Reader<'_>, id: &str) -> Find {
    Find { scope: Some(hidden_edge_scope(reader.user)), tag: Some(id.to_owned()), ..Find::all(kind::RELATIONSHIP) }
}

async fn all_edges(reader: &Reader<'_>, find: Find) -> Result<Vec<Stored<RelationshipRow>>, Error> {
    let (mut found, mut after) = (Vec::new(), None);
    loop {
        let page = Find { after, limit: EDGES_PER_STEP, ..find.clone() };
        let (edges, next) = reader.find::<RelationshipRow>(page).await?;
        found.extend(edges);
        if next.is_none() {
            return Ok(found);
        }
        after = next;
    }
}
