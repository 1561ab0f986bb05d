//! Undoing a merge: both entities are as if it had never been, with what was written to each.

use std::collections::BTreeSet;

use desk::Stored;

use super::edges::Edges;
use super::merge::{FROM, Merge};
use super::plan::Plan;
use super::{Entity, Observation, Schema, State, identity};
use crate::Error;

/// What undoing a merge rests on. The plan has the schema of the type.
pub struct Loaded {
    pub from: Stored<Entity>,
    /// What was written to it and its parts.
    pub written: Vec<Observation>,
    pub merge: Stored<Merge>,
    /// The entities that it is part of, the one that it was merged into first, the survivor last.
    pub chain: Vec<Around>,
    /// All edges at the survivor.
    pub edges: Edges,
}

/// An entity that is left, with what stays.
pub struct Around {
    pub entity: Stored<Entity>,
    /// What was written to it and to the parts that stay.
    pub written: Vec<Observation>,
    /// The parts that stay.
    pub parts: Vec<Entity>,
}

/// What undoing a merge led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unmerged {
    pub from: String,
    pub to: String,
    pub observations_returned: u64,
}

/// The merge that made an entity part of another.
pub fn merge_of(from: &Entity, merge: Option<Stored<Merge>>) -> Result<Stored<Merge>, Error> {
    merge.filter(|_| from.merged_into.is_some()).ok_or_else(|| {
        Error::invalid(FROM, "is not merged", "give the id that was from_entity_id of a merge; nothing was changed")
    })
}

/// The parts that stay with an entity when another leaves it with its own.
pub fn staying(leaving: &Entity, entity: &Entity) -> Vec<String> {
    let leaves = leaving_with(leaving);
    entity.members.iter().filter(|member| !leaves.contains(member.as_str())).cloned().collect()
}

fn leaving_with(from: &Entity) -> BTreeSet<&str> {
    std::iter::once(&from.id).chain(&from.members).map(String::as_str).collect()
}

/// Decides what happens when a merge is undone.
pub fn unmerge(plan: &mut Plan, loaded: Loaded) -> Unmerged {
    let Loaded { from, written, merge, chain, mut edges } = loaded;
    let (from_id, left) = (from.row.id.clone(), from.row.clone());
    let leaves = leaving_with(&left);
    let root = chain.last().map_or_else(String::new, |root| root.entity.row.id.clone());
    let schema = plan.schema(&left.entity_type).clone();
    plan.expectations.push(merge.unchanged());
    plan.expectations.extend(edges.guards(&[&root]));
    plan.ends.push(merge.key);
    let observations_returned = set_free(plan, &schema, from, &written);
    for around in chain {
        part_with(plan, &schema, &left, around);
    }
    for edge in edges.iter_mut() {
        for (end, named) in [(&mut edge.source, &edge.named_source), (&mut edge.target, &edge.named_target)] {
            if *end == root && leaves.contains(named.as_str()) {
                end.clone_from(&from_id);
            }
        }
    }
    edges.settle(plan, &[&from_id, &root], FROM);
    Unmerged { from: from_id, to: merge.row.to, observations_returned }
}

/// Makes an entity one of its own again, by what was written to it; how much that is.
fn set_free(plan: &mut Plan, schema: &Schema, from: Stored<Entity>, written: &[Observation]) -> u64 {
    let id = from.row.id.clone();
    plan.hold(from);
    let entity = plan.entity_mut(&id);
    entity.merged_into = None;
    entity.state = State::of(schema, written);
    entity.state.count()
}

/// Takes out of an entity what is leaving it.
fn part_with(plan: &mut Plan, schema: &Schema, leaving: &Entity, around: Around) {
    let Around { entity, written, parts } = around;
    let id = entity.row.id.clone();
    let names = names_over_time(schema, &entity.row, &written);
    // A part on the way to the survivor has parted with it just before.
    let parts: Vec<Entity> = parts.into_iter().map(|part| plan.entity(&part.id).cloned().unwrap_or(part)).collect();
    plan.hold(entity);
    let entity = plan.entity_mut(&id);
    entity.members = staying(leaving, entity);
    entity.state = State::of(schema, &written);
    if let Some(name) = names.last() {
        entity.name.clone_from(name);
    }
    entity.aliases.clear();
    entity.add_aliases(
        names.iter().chain(parts.iter().flat_map(|part| std::iter::once(&part.name).chain(&part.aliases))),
    );
    if !entity.members.is_empty() {
        plan.keep_name(&id);
    }
}

/// The names that an entity had as what was written to it came in, the present one last. A name that it could not take
/// then, because another entity had it, is none of them; nor is the name of a part.
fn names_over_time(schema: &Schema, entity: &Entity, written: &[Observation]) -> Vec<String> {
    let mut own: Vec<&Observation> = written.iter().filter(|one| one.entity_id == entity.id).collect();
    own.sort_by(|one, other| (one.created_at, &one.id).cmp(&(other.created_at, &other.id)));
    let mut state = State::empty();
    let mut names: Vec<String> = Vec::new();
    for observation in own {
        state.add(schema, observation);
        let Some(name) = identity::display_name(&entity.entity_type, &state) else { continue };
        let had = name == entity.name || entity.aliases.contains(&name);
        if had && names.last() != Some(&name) {
            names.push(name);
        }
    }
    names
}

#[cfg(test)]
mod tests;
