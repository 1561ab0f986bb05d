//! Relationships: edges between entities, each within the rules of its type.

use std::collections::{BTreeMap, BTreeSet};

use contract::generated::neotoma::{CreateRelationshipRequest, CreateRelationshipResponse};
use contract::{Context, Object};
use ledger::{Direction, Expectation, Find};
use serde_json::Value;

use super::{Act, Plan, Write};
use crate::domain::relation::RelationType;
use crate::domain::{ids, shape};
use crate::projection::fold::Happened;
use crate::projection::row::{EdgeObservation, EdgeState, RelationshipRow, Row, hidden_edge_scope, kind};
use crate::projection::{Reader, Stored};
use crate::query::relationships::no_such_type;
use crate::{Error, user};

/// Priority and specificity of an edge that a caller states.
const DIRECT: (f64, f64) = (100.0, 0.8);
/// A search for a cycle gives up after this many entities, and refuses.
const CYCLE_SEARCH_MAX: usize = 10_000;
const EDGES_PER_STEP: usize = 1000;

impl Write {
    pub(super) async fn relate(
        &self,
        ctx: &Context,
        request: &CreateRelationshipRequest,
    ) -> Result<CreateRelationshipResponse, Error> {
        let user = user::of_caller(ctx, None)?;
        if let Some(metadata) = &request.metadata {
            shape::check_shape(&Value::Object(metadata.0.clone())).map_err(|shape| {
                Error::invalid(
                    format!("metadata{}", shape.path),
                    shape.reason,
                    "send plain text, numbers, lists and objects",
                )
            })?;
        }
        let reader = Reader::live(self.recorder.ledger(), ctx, &user);
        let _locks = self.lock_named(&reader, &[&request.source_entity_id, &request.target_entity_id]).await;
        self.recorder
            .once(ctx, Act::Insert, || async {
                let mut plan = Plan::new(&reader, ctx.now);
                let source = reader.resolved("source_entity_id", &request.source_entity_id).await?;
                let target = reader.resolved("target_entity_id", &request.target_entity_id).await?;
                let (from, to) = (source.row.id.clone(), target.row.id.clone());
                plan.hold(source);
                plan.hold(target);
                let said = request.metadata.clone();
                let edge = connect(&mut plan, &request.relationship_type, &from, &to, said).await?;
                Ok(plan.decision(Happened::Related, edge.key(), answer(&edge)))
            })
            .await
    }
}

fn answer(edge: &RelationshipRow) -> CreateRelationshipResponse {
    CreateRelationshipResponse {
        id: edge.id.clone(),
        relationship_type: edge.relationship_type.clone(),
        source_entity_id: edge.source.clone(),
        target_entity_id: edge.target.clone(),
        metadata: edge.metadata(),
        created_at: edge.created_at.to_string(),
        ..CreateRelationshipResponse::default()
    }
}

/// Connects two entities that exist, or says more about an edge that does. A repetition adds nothing.
pub async fn connect(
    plan: &mut Plan<'_>,
    relationship_type: &str,
    source: &str,
    target: &str,
    metadata: Option<Object>,
) -> Result<RelationshipRow, Error> {
    let reader = plan.reader;
    let Some(relation) = reader.relation_type(relationship_type).await? else {
        return Err(no_such_type(reader, "relationship_type", relationship_type).await?);
    };
    let id = ids::relationship(reader.user, relationship_type, source, target);
    if let Some(planned) = planned(plan, &id) {
        return Ok(planned);
    }
    let found = match between(reader, relationship_type, source, target).await? {
        Some(found) => Some(found),
        None => by_id(reader, &id).await?,
    };
    let (mut edge, version) = match found {
        Some(Stored { row, version, .. }) => (row, Some(version)),
        None => (fresh(id, relationship_type, source, target, plan), None),
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
        keep_acyclic(plan, &relation, source, target, "target_entity_id").await?;
        // Ends that are merged or deleted meanwhile are others.
        plan.expect_unchanged(source);
        plan.expect_unchanged(target);
        edge.state = EdgeState::Live;
        (edge.source, edge.target) = (source.to_owned(), target.to_owned());
    }
    let at = plan.now;
    let occurrence = edge.observations.len().to_string();
    let said = metadata.clone().unwrap_or_default();
    edge.observations.push(EdgeObservation {
        id: ids::observation(&edge.id, None, &edge.id, &said, &occurrence),
        at,
        source_priority: DIRECT.0,
        specificity_score: DIRECT.1,
        metadata,
        deletes: None,
    });
    plan.put(Row::Relationship(edge.clone()), version);
    Ok(edge)
}

fn fresh(id: String, of: &str, source: &str, target: &str, plan: &Plan<'_>) -> RelationshipRow {
    RelationshipRow {
        id,
        relationship_type: of.to_owned(),
        named_source: source.to_owned(),
        named_target: target.to_owned(),
        source: source.to_owned(),
        target: target.to_owned(),
        created_at: plan.now,
        state: EdgeState::Live,
        observations: Vec::new(),
        absorbed: Vec::new(),
    }
}

fn planned(plan: &Plan<'_>, id: &str) -> Option<RelationshipRow> {
    plan.rows.iter().find_map(|row| match row {
        Row::Relationship(edge) if edge.id == id => Some(edge.clone()),
        _ => None,
    })
}

/// The live edge of this type between two entities, also when it was named by an entity that was merged since.
pub async fn between(
    reader: &Reader<'_>,
    relationship_type: &str,
    source: &str,
    target: &str,
) -> Result<Option<Stored<RelationshipRow>>, Error> {
    let mut after = None;
    loop {
        let find = Find {
            r#type: Some(relationship_type.to_owned()),
            touching: Some((source.to_owned(), Direction::Outgoing)),
            after,
            limit: EDGES_PER_STEP,
            ..Find::all(kind::RELATIONSHIP)
        };
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
pub async fn by_id(reader: &Reader<'_>, id: &str) -> Result<Option<Stored<RelationshipRow>>, Error> {
    for scope in [reader.user.to_owned(), hidden_edge_scope(reader.user)] {
        let find = Find { scope: Some(scope), name: Some(id.to_owned()), limit: 1, ..Find::all(kind::RELATIONSHIP) };
        if let Some(found) = reader.find::<RelationshipRow>(find).await?.0.pop() {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Refuses an edge that would close a cycle of a type that has none, and loops of every type.
pub async fn keep_acyclic(
    plan: &mut Plan<'_>,
    relation: &RelationType,
    source: &str,
    target: &str,
    field: &'static str,
) -> Result<(), Error> {
    let cycle = || Error::Cycle { field, relationship_type: relation.name.clone() };
    if source == target {
        return Err(cycle());
    }
    if !relation.acyclic {
        return Ok(());
    }
    if leads_to(plan, &relation.name, target, source).await? {
        return Err(cycle());
    }
    plan.expectations.push(Expectation::NoPath {
        kind: kind::RELATIONSHIP.to_owned(),
        types: vec![relation.name.clone()],
        from: target.to_owned(),
        to: source.to_owned(),
    });
    Ok(())
}

/// Whether live edges of a type lead from one entity to another.
async fn leads_to(plan: &Plan<'_>, relationship_type: &str, from: &str, to: &str) -> Result<bool, Error> {
    Ok(reach(plan, relationship_type, vec![from.to_owned()], to).await?.is_none())
}

/// What live edges of a type reach from these entities, themselves included; nothing when that includes `to`, or when it
/// is too much to say. Edges count as the plan leaves them.
pub async fn reach(
    plan: &Plan<'_>,
    relationship_type: &str,
    from: Vec<String>,
    to: &str,
) -> Result<Option<BTreeSet<String>>, Error> {
    let planned = plan.rows.iter().filter_map(|row| match row {
        Row::Relationship(edge) if edge.relationship_type == relationship_type => Some(edge),
        _ => None,
    });
    let (mut changed, mut ahead) = (BTreeSet::new(), BTreeMap::<&str, Vec<&str>>::new());
    for edge in planned {
        changed.insert(edge.id.as_str());
        if edge.state == EdgeState::Live {
            ahead.entry(&edge.source).or_default().push(&edge.target);
        }
    }
    let mut seen: BTreeSet<String> = from.iter().cloned().collect();
    let mut open = from;
    while let Some(at) = open.pop() {
        if at == to || seen.len() > CYCLE_SEARCH_MAX {
            return Ok(None);
        }
        let stored = outgoing(plan, relationship_type, &at).await?;
        let stored = stored.into_iter().filter(|edge| !changed.contains(edge.id.as_str())).map(|edge| edge.target);
        let planned = ahead.get(at.as_str()).into_iter().flatten().map(|target| (*target).to_owned());
        open.extend(stored.chain(planned).filter(|id| seen.insert(id.clone())));
    }
    Ok(Some(seen))
}

async fn outgoing(plan: &Plan<'_>, relationship_type: &str, from: &str) -> Result<Vec<RelationshipRow>, Error> {
    let mut found = Vec::new();
    let mut after = None;
    loop {
        let find = Find {
            r#type: Some(relationship_type.to_owned()),
            touching: Some((from.to_owned(), Direction::Outgoing)),
            after,
            limit: EDGES_PER_STEP,
            ..Find::all(kind::RELATIONSHIP)
        };
        let (edges, next) = plan.reader.find::<RelationshipRow>(find).await?;
        found.extend(edges.into_iter().map(|edge| edge.row));
        if next.is_none() {
            return Ok(found);
        }
        after = next;
    }
}
