//! merge_entities and unmerge_entities.

use contract::Context;
use contract::generated::neotoma::{
    MergeEntitiesRequest, MergeEntitiesResponse, UnmergeEntitiesRequest, UnmergeEntitiesResponse,
};
use desk::Stored;
use ledger::RecordKey;

use super::{Act, Decision, Write, load};
use crate::domain::Observation;
use crate::domain::fact::Happening;
use crate::domain::merge::{self, FROM, Loaded, Merge, TO};
use crate::domain::plan::Plan;
use crate::domain::unmerge::{self, Around, Unmerged};
use crate::projection::Reader;
use crate::projection::row::{EntityRow, kind, merged_scope};
use crate::{Error, user};

impl Write {
    pub(super) async fn merge(
        &self,
        ctx: &Context,
        request: &MergeEntitiesRequest,
    ) -> Result<MergeEntitiesResponse, Error> {
        let user = user::of_caller(ctx, request.user_id.as_deref())?;
        if request.merge_reason.as_deref().is_some_and(|reason| reason.contains('\0')) {
            return Err(Error::invalid("merge_reason", "holds the character U+0000", "send plain text"));
        }
        let reader = Reader::live(self.recorder.ledger(), ctx, &user);
        let _locks = self.lock_named(&reader, &[&request.from_entity_id, &request.to_entity_id]).await;
        self.recorder.once(ctx, Act::Update, || decide_merge(&reader, ctx, request)).await
    }

    pub(super) async fn unmerge(
        &self,
        ctx: &Context,
        request: &UnmergeEntitiesRequest,
    ) -> Result<UnmergeEntitiesResponse, Error> {
        let user = user::of_caller(ctx, None)?;
        let reader = Reader::live(self.recorder.ledger(), ctx, &user);
        let _locks = self.lock_named(&reader, &[&request.from_entity_id]).await;
        self.recorder.once(ctx, Act::Update, || decide_unmerge(&reader, ctx, request)).await
    }
}

async fn decide_merge(
    reader: &Reader<'_>,
    ctx: &Context,
    request: &MergeEntitiesRequest,
) -> Result<Decision<MergeEntitiesResponse>, Error> {
    let mut plan = Plan::new(reader.user, ctx.now);
    let from = reader.named(FROM, &request.from_entity_id).await?;
    let to = reader.named(TO, &request.to_entity_id).await?;
    merge::check_named(&from.row, &to.row)?;
    let to = reader.survivor(to).await?;
    let parts = reader.entities(merge::parts_wanted(&from.row)).await?;
    let parts = parts.into_iter().flatten().map(Stored::into_row).collect();
    load::schemas(reader, &mut plan, std::iter::once(to.row.entity_type.as_str())).await?;
    let edges = load::edges_at(reader, &[&from.row.id, &to.row.id]).await?;
    let merge = merge::merge(&mut plan, Loaded { from, to, parts, edges }, request.merge_reason.clone())?;
    load::settle(reader, &mut plan).await?;
    Ok(plan.decision(&Happening::Merged { from: merge.from.clone() }, merged(merge)))
}

fn merged(merge: Merge) -> MergeEntitiesResponse {
    MergeEntitiesResponse {
        from_entity_id: merge.from,
        to_entity_id: merge.to,
        observations_moved: merge.observations_moved,
        merged_at: merge.merged_at.to_string(),
        merge_reason: merge.reason,
        ..MergeEntitiesResponse::default()
    }
}

async fn decide_unmerge(
    reader: &Reader<'_>,
    ctx: &Context,
    request: &UnmergeEntitiesRequest,
) -> Result<Decision<UnmergeEntitiesResponse>, Error> {
    let mut plan = Plan::new(reader.user, ctx.now);
    let from = reader.named_in(FROM, &request.from_entity_id, &[&merged_scope(reader.user), reader.user]).await?;
    let merge = reader.row::<Merge>(RecordKey::new(kind::MERGE, &from.row.id)).await?;
    let merge = unmerge::merge_of(&from.row, merge)?;
    load::schemas(reader, &mut plan, std::iter::once(from.row.entity_type.as_str())).await?;
    let chain = chain(reader, &from).await?;
    let root = chain.last().map_or_else(String::new, |root| root.row.id.clone());
    let edges = load::edges_at(reader, &[&root]).await?;
    let mut around = Vec::with_capacity(chain.len());
    for entity in chain {
        around.push(surroundings(reader, &from.row, entity).await?);
    }
    let written = written_to(reader, &from.row.id, &from.row.members).await?;
    let loaded = unmerge::Loaded { from, written, merge, chain: around, edges };
    let unmerged = unmerge::unmerge(&mut plan, loaded);
    load::settle(reader, &mut plan).await?;
    let happening = Happening::Unmerged { from: unmerged.from.clone() };
    let answer = answer(unmerged, ctx);
    Ok(plan.decision(&happening, answer))
}

fn answer(unmerged: Unmerged, ctx: &Context) -> UnmergeEntitiesResponse {
    UnmergeEntitiesResponse {
        from_entity_id: unmerged.from,
        to_entity_id: unmerged.to,
        observations_returned: unmerged.observations_returned,
        unmerged_at: ctx.now.to_string(),
        ..UnmergeEntitiesResponse::default()
    }
}

/// The entities that it is part of, the one that it was merged into first, the survivor last.
async fn chain(reader: &Reader<'_>, from: &Stored<EntityRow>) -> Result<Vec<Stored<EntityRow>>, Error> {
    let mut chain: Vec<Stored<EntityRow>> = Vec::new();
    let mut next = from.row.merged_into.clone();
    while let Some(id) = next.take() {
        let Some(entity) = reader.entity(&id).await? else { break };
        next.clone_from(&entity.row.merged_into);
        chain.push(entity);
    }
    Ok(chain)
}

/// Loads what stays with an entity when another leaves it.
async fn surroundings(reader: &Reader<'_>, leaving: &EntityRow, entity: Stored<EntityRow>) -> Result<Around, Error> {
    let stays = unmerge::staying(leaving, &entity.row);
    let written = written_to(reader, &entity.row.id, &stays).await?;
    let parts = reader.entities(&stays).await?.into_iter().flatten().map(Stored::into_row).collect();
    Ok(Around { entity, written, parts })
}

async fn written_to(reader: &Reader<'_>, id: &str, members: &[String]) -> Result<Vec<Observation>, Error> {
    let ids: Vec<&str> = std::iter::once(id).chain(members.iter().map(String::as_str)).collect();
    reader.observations_of(&ids).await
}
