//! delete and restore.

use contract::Context;
use contract::generated::neotoma::{DeleteRequest, DeleteResponse, RestoreRequest, RestoreResponse};
use desk::Stored;
use ledger::RecordKey;

use super::{Act, Decision, Write, load};
use crate::domain::fact::Happening;
use crate::domain::plan::Plan;
use crate::domain::remove::{self, Marked};
use crate::domain::{Marker, Speaker, ids};
use crate::projection::Reader;
use crate::projection::row::{EntityRow, RelationshipRow, deleted_scope, kind};
use crate::{Error, user};

impl Write {
    pub(super) async fn remove(&self, ctx: &Context, request: &DeleteRequest) -> Result<DeleteResponse, Error> {
        let user = user::of_caller(ctx, None)?;
        let reader = Reader::live(self.recorder.ledger(), ctx, &user);
        let _locks = self.lock_named(&reader, &[&request.id]).await;
        let decide = || async {
            let answer =
                |marked: Marked| DeleteResponse { id: marked.id, observation_id: marked.by, ..Default::default() };
            Ok(decide(&reader, ctx, &request.id, Marker::Deleted).await?.map(answer))
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
            Ok(decide(&reader, ctx, &request.id, Marker::Restored).await?.map(answer))
        };
        self.recorder.once(ctx, Act::Insert, decide).await
    }
}

/// What an id leads to.
enum Found {
    Entity(Stored<EntityRow>),
    Relationship(Stored<RelationshipRow>),
}

async fn decide(reader: &Reader<'_>, ctx: &Context, id: &str, marker: Marker) -> Result<Decision<Marked>, Error> {
    let mut plan = Plan::new(reader.user, ctx.now);
    let (what, marked) = match find(reader, id, marker).await? {
        Found::Entity(entity) => {
            let what = RecordKey::new(kind::ENTITY, &entity.row.id);
            (what, mark_entity(reader, &mut plan, entity, marker, Speaker::of(&ctx.principal)).await?)
        }
        Found::Relationship(edge) => (edge.key.clone(), mark_edge(reader, &mut plan, edge, marker).await?),
    };
    load::settle(reader, &mut plan).await?;
    let happening = match marker {
        Marker::Deleted => Happening::Deleted { what },
        Marker::Restored => Happening::Restored { what },
    };
    Ok(plan.decision(&happening, marked))
}

async fn find(reader: &Reader<'_>, id: &str, marker: Marker) -> Result<Found, Error> {
    let reference = ids::reference(id);
    if !reference.starts_with("ent_")
        && let Some(edge) = load::edge_by_id(reader, &reference.to_ascii_lowercase()).await?
    {
        return Ok(Found::Relationship(edge));
    }
    let (live, deleted) = (reader.user, deleted_scope(reader.user));
    // A name means what can still be marked, before what is marked already.
    let scopes = match marker {
        Marker::Deleted => [live, deleted.as_str()],
        Marker::Restored => [deleted.as_str(), live],
    };
    let entity = reader.named_in("id", id, &scopes).await?;
    Ok(Found::Entity(reader.survivor(entity).await?))
}

async fn mark_entity(
    reader: &Reader<'_>,
    plan: &mut Plan,
    entity: Stored<EntityRow>,
    marker: Marker,
    by: Speaker,
) -> Result<Marked, Error> {
    if let Some(marked) = remove::entity_marked(&entity.row, marker) {
        return Ok(marked);
    }
    let id = entity.row.id.clone();
    load::schemas(reader, plan, std::iter::once(entity.row.entity_type.as_str())).await?;
    plan.hold(entity);
    let said = remove::said(&id, marker, by);
    let source = reader.source(&said.source_id(reader.user)).await?;
    let edges = load::edges_at(reader, &[&id]).await?;
    Ok(remove::mark_entity(plan, said, source, edges))
}

async fn mark_edge(
    reader: &Reader<'_>,
    plan: &mut Plan,
    edge: Stored<RelationshipRow>,
    marker: Marker,
) -> Result<Marked, Error> {
    if let Some(marked) = remove::edge_marked(&edge.row, marker) {
        return Ok(marked);
    }
    let row = edge.row.clone();
    let ends = reader.entities(&[row.source.clone(), row.target.clone()]).await?;
    ends.into_iter().flatten().for_each(|end| plan.hold(end));
    let relation = reader.relation_type(&row.relationship_type).await?;
    let edges = load::edges_like(reader, edge).await?;
    remove::mark_edge(plan, &row, marker, relation.as_ref(), edges)
}
