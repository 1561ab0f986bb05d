//! Merges: one entity becomes part of another. Observations stay where they were written.

use desk::Stored;
use scope::Timestamp;
use serde::{Deserialize, Serialize};

use super::Entity;
use super::edges::Edges;
use super::plan::Plan;
use super::row::Row;
use crate::Error;

/// How many merges in a row are followed. A longer chain cannot be made.
pub const CHAIN_MAX: usize = 64;

pub const FROM: &str = "from_entity_id";
pub const TO: &str = "to_entity_id";

/// That one entity is now part of another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Merge {
    pub from: String,
    pub to: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    pub merged_at: Timestamp,
    pub observations_moved: u64,
}

/// What a merge rests on. The plan has the schema of the survivor's type.
pub struct Loaded {
    pub from: Stored<Entity>,
    /// The entity that `to` names, after merges were followed.
    pub to: Stored<Entity>,
    /// The parts of `from`, when there are enough of them to matter.
    pub parts: Vec<Entity>,
    /// All edges at both.
    pub edges: Edges,
}

/// Decides what happens when one entity is merged into another.
pub fn merge(plan: &mut Plan, loaded: Loaded, reason: Option<String>) -> Result<Merge, Error> {
    let Loaded { from, to, parts, mut edges } = loaded;
    check_survivor(&from.row, &to.row)?;
    check_chain(&parts, &from.row)?;
    let merge = Merge {
        from: from.row.id.clone(),
        to: to.row.id.clone(),
        reason,
        merged_at: plan.now,
        observations_moved: from.row.state.count(),
    };
    plan.expectations.extend(edges.guards(&[&merge.from, &merge.to]));
    unite(plan, from, to);
    for edge in edges.iter_mut() {
        for end in [&mut edge.source, &mut edge.target] {
            if *end == merge.from {
                end.clone_from(&merge.to);
            }
        }
    }
    edges.settle(plan, &[&merge.to], TO);
    plan.put(Row::Merge(merge.clone()), None);
    Ok(merge)
}

/// Refuses what can be refused before merges are followed.
pub fn check_named(from: &Entity, to: &Entity) -> Result<(), Error> {
    if from.id == to.id {
        return Err(Error::invalid(TO, "is the same entity as from_entity_id", "name two different entities"));
    }
    if let Some(into) = &from.merged_into {
        return Err(Error::AlreadyMerged { into: into.clone() });
    }
    if from.state.is_deleted() { Err(Error::NoSuchEntity { field: FROM }) } else { Ok(()) }
}

fn check_survivor(from: &Entity, to: &Entity) -> Result<(), Error> {
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

/// The parts of an entity that have to be looked at before it is merged. A chain of merges is never longer than what it is
/// made of, so few need a closer look.
pub fn parts_wanted(from: &Entity) -> &[String] {
    if from.members.len() + 2 < CHAIN_MAX { &[] } else { &from.members }
}

/// Refuses a merge after which a chain of merges could not be followed any more.
fn check_chain(parts: &[Entity], from: &Entity) -> Result<(), Error> {
    if chain(parts, &from.id) + 2 < CHAIN_MAX {
        return Ok(());
    }
    let fix = "merge its parts into the other entity one by one, or merge the other way";
    Err(Error::invalid(FROM, format!("is the end of a chain of {} merges", CHAIN_MAX - 2), fix))
}

/// The longest chain of merges that ends at `end`.
fn chain(members: &[Entity], end: &str) -> usize {
    let (mut length, mut ends) = (0, vec![end]);
    loop {
        let into = |member: &&Entity| member.merged_into.as_deref().is_some_and(|into| ends.contains(&into));
        ends = members.iter().filter(into).map(|member| member.id.as_str()).collect();
        if ends.is_empty() || length > members.len() {
            return length;
        }
        length += 1;
    }
}

/// Makes `from` a part of `to`, which keeps its name.
fn unite(plan: &mut Plan, from: Stored<Entity>, to: Stored<Entity>) {
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
    plan.keep_name(&id);
    plan.entity_mut(&part.id).merged_into = Some(id);
}

#[cfg(test)]
mod tests;
