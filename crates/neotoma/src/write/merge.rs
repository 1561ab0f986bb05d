//! Merges: one entity becomes part of another. Observations stay where they were written.

use contract::Context;
use contract::generated::neotoma::{MergeEntitiesRequest, MergeEntitiesResponse};
use ledger::RecordKey;

use super::edges::Edges;
use super::{Act, Decision, Plan, Write};
use crate::projection::fold::Happened;
use crate::projection::reader::MERGE_CHAIN_MAX;
use crate::projection::row::{EntityRow, MergeRow, Row, kind};
use crate::projection::{Reader, Stored};
use crate::{Error, user};

const FROM: &str = "from_entity_id";
const TO: &str = "to_entity_id";

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
        self.recorder.once(ctx, Act::Update, || decide(&reader, ctx, request)).await
    }
}

async fn decide(
    reader: &Reader<'_>,
    ctx: &Context,
    request: &MergeEntitiesRequest,
) -> Result<Decision<MergeEntitiesResponse>, Error> {
    let mut plan = Plan::new(reader, ctx.now);
    let from = reader.named(FROM, &request.from_entity_id).await?;
    let to = reader.named(TO, &request.to_entity_id).await?;
    check_named(&from.row, &to.row)?;
    let to = reader.survivor(to).await?;
    check_survivor(&from.row, &to.row)?;
    check_chain(reader, &from.row).await?;
    let (from_id, to_id) = (from.row.id.clone(), to.row.id.clone());
    plan.load_schemas(std::iter::once(to.row.entity_type.as_str())).await?;
    let mut edges = Edges::at(&mut plan, &[&from_id, &to_id]).await?;

    let merge = MergeRow {
        from: from_id.clone(),
        to: to_id.clone(),
        reason: request.merge_reason.clone(),
        merged_at: ctx.now,
        observations_moved: from.row.state.count(),
    };
    unite(&mut plan, from, to);
    for edge in edges.iter_mut() {
        for end in [&mut edge.source, &mut edge.target] {
            if *end == from_id {
                end.clone_from(&to_id);
            }
        }
    }
    edges.settle(&mut plan, &[&to_id], TO).await?;
    plan.settle().await?;
    let answer = answer(&merge);
    plan.put(Row::Merge(merge), None);
    Ok(plan.decision(Happened::Merged, RecordKey::new(kind::MERGE, from_id), answer))
}

/// What can be said before merges are followed.
fn check_named(from: &EntityRow, to: &EntityRow) -> Result<(), Error> {
    if from.id == to.id {
        return Err(Error::invalid(TO, "is the same entity as from_entity_id", "name two different entities"));
    }
    if let Some(into) = &from.merged_into {
        return Err(Error::AlreadyMerged { into: into.clone() });
    }
    if from.state.is_deleted() { Err(Error::NoSuchEntity { field: FROM }) } else { Ok(()) }
}

fn check_survivor(from: &EntityRow, to: &EntityRow) -> Result<(), Error> {
    if to.state.is_deleted() {
        return Err(Error::NoSuchEntity { field: TO });
    }
    if from.id == to.id {
        return Err(Error::invalid(
            TO,
            "is part of from_entity_id already",
            "undo that merge with unmerge_entities first, or merge the other way",
        ));
    }
    if from.entity_type != to.entity_type {
        let fix = format!("merge entities of one type; these are of type {} and {}", from.entity_type, to.entity_type);
        return Err(Error::invalid(TO, "is of another type than from_entity_id", fix));
    }
    Ok(())
}

/// Refuses a merge after which a chain of merges could not be followed any more.
async fn check_chain(reader: &Reader<'_>, from: &EntityRow) -> Result<(), Error> {
    // A chain is never longer than what it is made of, so few need a closer look.
    if from.members.len() + 2 < MERGE_CHAIN_MAX {
        return Ok(());
    }
    let members = reader.entities(&from.members).await?;
    let rows: Vec<EntityRow> = members.into_iter().flatten().map(|member| member.row).collect();
    if chain(&rows, &from.id) + 2 < MERGE_CHAIN_MAX {
        return Ok(());
    }
    let fix = "merge its parts into the other entity one by one, or merge the other way";
    Err(Error::invalid(FROM, format!("is the end of a chain of {} merges", MERGE_CHAIN_MAX - 2), fix))
}

/// The longest chain of merges that ends at `end`.
fn chain(members: &[EntityRow], end: &str) -> usize {
    let (mut length, mut ends) = (0, vec![end]);
    loop {
        let into = |member: &&EntityRow| member.merged_into.as_deref().is_some_and(|into| ends.contains(&into));
        ends = members.iter().filter(into).map(|member| member.id.as_str()).collect();
        if ends.is_empty() || length > members.len() {
            return length;
        }
        length += 1;
    }
}

/// Makes `from` a part of `to`.
fn unite(plan: &mut Plan<'_>, from: Stored<EntityRow>, to: Stored<EntityRow>) {
    let (schema, now) = (plan.schema(&to.row.entity_type).clone(), plan.now);
    let (part, id) = (from.row.clone(), to.row.id.clone());
    plan.hold(from);
    plan.hold(to);
    let into = plan.entity_mut(&id);
    into.state.absorb(&schema, &part.state);
    into.updated_at = into.updated_at.max(part.updated_at).max(now);
    into.members.extend(std::iter::once(&part.id).chain(&part.members).cloned());
    into.members.sort();
    into.add_aliases(std::iter::once(&part.name).chain(&part.aliases));
    plan.entity_mut(&part.id).merged_into = Some(id);
}

fn answer(merge: &MergeRow) -> MergeEntitiesResponse {
    MergeEntitiesResponse {
        from_entity_id: merge.from.clone(),
        to_entity_id: merge.to.clone(),
        observations_moved: merge.observations_moved,
        merged_at: merge.merged_at.to_string(),
        merge_reason: merge.reason.clone(),
        ..MergeEntitiesResponse::default()
    }
}
