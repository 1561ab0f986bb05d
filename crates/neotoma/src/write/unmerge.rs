//! Undoing a merge: both entities are as if it had never been, with what was written to each.

use std::collections::BTreeSet;

use contract::Context;
use contract::generated::neotoma::{UnmergeEntitiesRequest, UnmergeEntitiesResponse};
use ledger::{Expectation, RecordKey};

use super::edges::Edges;
use super::{Act, Decision, Plan, Write};
use crate::domain::{Observation, Schema, State, identity};
use crate::projection::fold::Happened;
use crate::projection::row::{EntityRow, MergeRow, kind, merged_scope};
use crate::projection::{Reader, Stored};
use crate::{Error, user};

const FROM: &str = "from_entity_id";

impl Write {
    pub(super) async fn unmerge(
        &self,
        ctx: &Context,
        request: &UnmergeEntitiesRequest,
    ) -> Result<UnmergeEntitiesResponse, Error> {
        let user = user::of_caller(ctx, None)?;
        let reader = Reader::live(self.recorder.ledger(), ctx, &user);
        let _locks = self.lock_named(&reader, &[&request.from_entity_id]).await;
        self.recorder.once(ctx, Act::Update, || decide(&reader, ctx, request)).await
    }
}

async fn decide(
    reader: &Reader<'_>,
    ctx: &Context,
    request: &UnmergeEntitiesRequest,
) -> Result<Decision<UnmergeEntitiesResponse>, Error> {
    let mut plan = Plan::new(reader, ctx.now);
    let from = reader.named_in(FROM, &request.from_entity_id, &[&merged_scope(reader.user), reader.user]).await?;
    let merge = merge_of(reader, &from).await?;
    plan.expectations.push(Expectation::Version { key: merge.key.clone(), version: merge.version });
    plan.ends.push(merge.key);
    plan.load_schemas(std::iter::once(from.row.entity_type.as_str())).await?;

    let from_id = from.row.id.clone();
    let leaving: BTreeSet<String> = std::iter::once(&from_id).chain(&from.row.members).cloned().collect();
    let chain = chain(reader, &from).await?;
    let root = chain.last().map_or_else(String::new, |root| root.row.id.clone());
    let mut edges = Edges::at(&mut plan, &[&root]).await?;
    let schema = plan.schema(&from.row.entity_type).clone();
    let returned = set_free(&mut plan, &schema, from).await?;
    for entity in chain {
        part_with(&mut plan, &schema, entity, &leaving).await?;
    }
    for edge in edges.iter_mut() {
        for (end, named) in [(&mut edge.source, &edge.named_source), (&mut edge.target, &edge.named_target)] {
            if *end == root && leaving.contains(named) {
                end.clone_from(&from_id);
            }
        }
    }
    edges.settle(&mut plan, &[&from_id, &root], FROM).await?;
    plan.settle().await?;
    let answer = UnmergeEntitiesResponse {
        from_entity_id: from_id.clone(),
        to_entity_id: merge.row.to,
        observations_returned: returned,
        unmerged_at: ctx.now.to_string(),
        ..UnmergeEntitiesResponse::default()
    };
    Ok(plan.decision(Happened::Unmerged, RecordKey::new(kind::MERGE, from_id), answer))
}

async fn merge_of(reader: &Reader<'_>, from: &Stored<EntityRow>) -> Result<Stored<MergeRow>, Error> {
    let merge = reader.row::<MergeRow>(RecordKey::new(kind::MERGE, &from.row.id)).await?;
    merge.filter(|_| from.row.merged_into.is_some()).ok_or_else(|| {
        Error::invalid(FROM, "is not merged", "give the id that was from_entity_id of a merge; nothing was changed")
    })
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

/// Makes an entity one of its own again, by what was written to it; how much that is.
async fn set_free(plan: &mut Plan<'_>, schema: &Schema, from: Stored<EntityRow>) -> Result<u64, Error> {
    let observations = written_to(plan.reader, &from.row).await?;
    let id = from.row.id.clone();
    plan.hold(from);
    let entity = plan.entity_mut(&id);
    entity.merged_into = None;
    entity.state = State::of(schema, &observations);
    Ok(entity.state.count())
}

/// Takes out of an entity what is leaving it.
async fn part_with(
    plan: &mut Plan<'_>,
    schema: &Schema,
    entity: Stored<EntityRow>,
    leaving: &BTreeSet<String>,
) -> Result<(), Error> {
    let id = entity.row.id.clone();
    plan.hold(entity);
    let entity = plan.entity_mut(&id);
    entity.members.retain(|member| !leaving.contains(member));
    let (row, members) = (entity.clone(), entity.members.clone());
    let observations = written_to(plan.reader, &row).await?;
    let stored = plan.reader.entities(&members).await?.into_iter().flatten().map(|member| member.row);
    // A member on the way to the survivor has parted with it just before.
    let members: Vec<EntityRow> = stored.map(|member| plan.entity(&member.id).cloned().unwrap_or(member)).collect();
    let names = names_over_time(schema, &row, observations.clone());
    let entity = plan.entity_mut(&id);
    entity.state = State::of(schema, &observations);
    if let Some(name) = names.last() {
        entity.name.clone_from(name);
    }
    entity.aliases.clear();
    entity.add_aliases(
        names.iter().chain(members.iter().flat_map(|part| std::iter::once(&part.name).chain(&part.aliases))),
    );
    Ok(())
}

async fn written_to(reader: &Reader<'_>, entity: &EntityRow) -> Result<Vec<Observation>, Error> {
    let ids: Vec<&str> = std::iter::once(&entity.id).chain(&entity.members).map(String::as_str).collect();
    reader.observations_of(&ids).await
}

/// The names that an entity had as its observations came in, the present one last. A name that it could not take then,
/// because another entity had it, is none of them.
fn names_over_time(schema: &Schema, entity: &EntityRow, mut observations: Vec<Observation>) -> Vec<String> {
    observations.sort_by(|one, other| (one.created_at, &one.id).cmp(&(other.created_at, &other.id)));
    let mut state = State::empty();
    let mut names: Vec<String> = Vec::new();
    for observation in &observations {
        state.add(schema, observation);
        let Some(name) = identity::display_name(&entity.entity_type, &state) else { continue };
        let had = name == entity.name || entity.aliases.contains(&name);
        if had && names.last() != Some(&name) {
            names.push(name);
        }
    }
    names
}
