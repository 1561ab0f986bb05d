//! Deleting and restoring by marker: what was said stays, and what is seen follows the last marker.

use contract::Context;
use contract::generated::neotoma::{DeleteRequest, DeleteResponse, RestoreRequest, RestoreResponse};
use ledger::RecordKey;

use super::edges::Edges;
use super::internal::Said;
use super::relate::{by_id, keep_acyclic};
use super::{Act, Decision, Plan, Write};
use crate::domain::observation::{CORRECTION_PRIORITY, RESTORE_PRIORITY};
use crate::domain::{Map, Marker, ids};
use crate::projection::fold::Happened;
use crate::projection::row::{EdgeObservation, EntityRow, RelationshipRow, deleted_scope, kind};
use crate::projection::{Reader, Stored};
use crate::{Error, user};

const ID: &str = "id";

impl Write {
    pub(super) async fn remove(&self, ctx: &Context, request: &DeleteRequest) -> Result<DeleteResponse, Error> {
        let user = user::of_caller(ctx, None)?;
        let reader = Reader::live(self.recorder.ledger(), ctx, &user);
        let _locks = self.lock_named(&reader, &[&request.id]).await;
        let decide = || async {
            let answer =
                |marked: Marked| DeleteResponse { id: marked.id, observation_id: marked.by, ..Default::default() };
            decide(&reader, ctx, &request.id, Marker::Deleted, answer).await
        };
        self.recorder.once(ctx, Act::Delete, decide).await
    }

    pub(super) async fn bring_back(&self, ctx: &Context, request: &RestoreRequest) -> Result<RestoreResponse, Error> {
        let user = user::of_caller(ctx, None)?;
        let reader = Reader::live(self.recorder.ledger(), ctx, &user);
        let _locks = self.lock_named(&reader, &[&request.id]).await;
        let decide = || async {
            let answer =
                |marked: Marked| RestoreResponse { id: marked.id, observation_id: marked.by, ..Default::default() };
            decide(&reader, ctx, &request.id, Marker::Restored, answer).await
        };
        self.recorder.once(ctx, Act::Insert, decide).await
    }
}

/// What was deleted or restored, and the marker that says so; empty when nothing ever did.
struct Marked {
    id: String,
    by: String,
}

/// What an id leads to.
enum Found {
    Entity(Stored<EntityRow>),
    Relationship(Stored<RelationshipRow>),
}

async fn decide<A>(
    reader: &Reader<'_>,
    ctx: &Context,
    id: &str,
    marker: Marker,
    answer: impl FnOnce(Marked) -> A,
) -> Result<Decision<A>, Error> {
    let mut plan = Plan::new(reader, ctx.now);
    let (subject, marked) = match find(reader, id, marker).await? {
        Found::Entity(entity) => {
            let subject = RecordKey::new(kind::ENTITY, &entity.row.id);
            (subject, mark_entity(&mut plan, entity, marker).await?)
        }
        Found::Relationship(edge) => (edge.key.clone(), mark_edge(&mut plan, edge, marker).await?),
    };
    let happened = match marker {
        Marker::Deleted => Happened::Deleted,
        Marker::Restored => Happened::Restored,
    };
    Ok(plan.decision(happened, subject, answer(marked)))
}

async fn find(reader: &Reader<'_>, id: &str, marker: Marker) -> Result<Found, Error> {
    let reference = ids::reference(id);
    if !reference.starts_with("ent_")
        && let Some(edge) = by_id(reader, &reference.to_ascii_lowercase()).await?
    {
        return Ok(Found::Relationship(edge));
    }
    let (live, deleted) = (reader.user, deleted_scope(reader.user));
    // A name means what can still be marked, before what is marked already.
    let scopes = match marker {
        Marker::Deleted => [live, deleted.as_str()],
        Marker::Restored => [deleted.as_str(), live],
    };
    let entity = reader.named_in(ID, id, &scopes).await?;
    Ok(Found::Entity(reader.survivor(entity).await?))
}

async fn mark_entity(plan: &mut Plan<'_>, entity: Stored<EntityRow>, marker: Marker) -> Result<Marked, Error> {
    let id = entity.row.id.clone();
    if entity.row.state.is_deleted() == (marker == Marker::Deleted) {
        let by = entity.row.state.marker_id().unwrap_or_default().to_owned();
        return Ok(Marked { id, by });
    }
    plan.load_schemas(std::iter::once(entity.row.entity_type.as_str())).await?;
    plan.hold(entity);
    let said = Said {
        act: act(marker),
        entity_id: id.clone(),
        fields: Map::new(),
        source_priority: priority(marker),
        marker: Some(marker),
    };
    let source = said.source(plan).await?;
    let observation = said.observation(plan, &source.row);
    let by = observation.id.clone();
    source.observe(plan, observation);
    Edges::at(plan, &[&id]).await?.settle(plan, &[&id], ID).await?;
    plan.settle().await?;
    Ok(Marked { id, by })
}

async fn mark_edge(plan: &mut Plan<'_>, edge: Stored<RelationshipRow>, marker: Marker) -> Result<Marked, Error> {
    let (id, row) = (edge.row.id.clone(), edge.row.clone());
    if row.is_deleted() == (marker == Marker::Deleted) {
        let marks = row.observations.iter().rev().find(|observation| observation.deletes.is_some());
        return Ok(Marked { id, by: marks.map(|mark| mark.id.clone()).unwrap_or_default() });
    }
    let ends = plan.reader.entities(&[row.source.clone(), row.target.clone()]).await?;
    let hidden = ends.iter().flatten().any(|end| end.row.state.is_deleted());
    ends.into_iter().flatten().for_each(|end| plan.hold(end));
    if marker == Marker::Restored {
        let relation = plan.reader.relation_type(&row.relationship_type).await?;
        // Edges at a deleted entity are checked when that comes back; a loop never is one.
        if let Some(relation) = relation.filter(|_| !hidden || row.source == row.target) {
            keep_acyclic(plan, &relation, &row.source, &row.target, ID).await?;
        }
        plan.expect_unchanged(&row.source);
        plan.expect_unchanged(&row.target);
    }
    let at = plan.now;
    let mut edges = Edges::like(plan.reader, edge).await?;
    // What repeats an edge goes with it, or the edge would seem to stay.
    let goes = |other: &RelationshipRow| other.id == id || (marker == Marker::Deleted && !other.is_deleted());
    let loops = row.source == row.target;
    edges
        .iter_mut()
        .filter(|other| goes(other) && (!loops || other.id == id))
        .for_each(|other| mark(other, marker, at));
    let by = edges.iter_mut().find(|other| other.id == id).and_then(|other| other.observations.last());
    let by = by.map(|observation| observation.id.clone()).unwrap_or_default();
    edges.settle(plan, &[], ID).await?;
    Ok(Marked { id, by })
}

fn mark(edge: &mut RelationshipRow, marker: Marker, at: scope::Timestamp) {
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
