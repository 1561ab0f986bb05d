//! Registering types: what a user declares about entities and relationships of their own.

use std::collections::{BTreeMap, BTreeSet};

use desk::Stored;

use super::plan::Plan;
use super::relation::RelationType;
use super::row::Row;
use super::schema::SchemaScope;
use super::{Entity, Observation, Schema, State, schema};
use crate::Error;

/// What the names in a definition mean before it is registered.
#[derive(Debug, Clone, Default)]
pub struct Names {
    /// The type that the name of the new one means.
    pub meant: Option<String>,
    /// Types of the user's own among the aliases.
    pub types: BTreeSet<String>,
    /// Aliases that other types have, each with its type.
    pub aliases: BTreeMap<String, String>,
    /// Relationship types among those of the reference fields.
    pub relations: BTreeSet<String>,
}

/// Decides which schema a definition becomes; nothing when it is the one that is there. The plan has the present one.
pub fn define(plan: &mut Plan, definition: &Schema, names: &Names) -> Result<Option<Schema>, Error> {
    check_names(definition, names)?;
    let former = plan.schema(&definition.entity_type);
    let schema = former.successor(Schema { scope: SchemaScope::User, active: true, ..definition.clone() });
    Ok((schema.schema_version != former.schema_version).then_some(schema))
}

/// Whether a new schema reduces observations in another way, so that snapshots are made of them again.
pub fn reduces_anew(plan: &Plan, schema: &Schema) -> bool {
    plan.schema(&schema.entity_type).reducers != schema.reducers
}

/// Computes an entity again, by what was written to it if that is reduced anew.
pub fn recompute(plan: &mut Plan, schema: &Schema, entity: Stored<Entity>, written: Option<&[Observation]>) {
    let id = entity.row.id.clone();
    let state = written.map(|written| State::of(schema, written));
    plan.hold(entity);
    let entity = plan.entity_mut(&id);
    if let Some(state) = state {
        entity.state = state;
    }
}

/// Refuses names that mean something else already, or nothing.
fn check_names(definition: &Schema, names: &Names) -> Result<(), Error> {
    let of = definition.entity_type.as_str();
    if let Some(other) = names.meant.as_ref().filter(|meant| *meant != of) {
        let fix = format!("register {other}, or choose a name of its own");
        return Err(Error::invalid("entity_type", "is another name of a type", fix));
    }
    for (index, alias) in definition.aliases.iter().enumerate() {
        let taken = names.types.contains(alias)
            || schema::builtin(alias).is_some()
            || names.aliases.get(alias).is_some_and(|other| other != of);
        if taken {
            let path = format!("definition.aliases[{index}]");
            return Err(Error::invalid(path, "is the name or alias of another type", "leave it out"));
        }
    }
    for (index, reference) in definition.reference_fields.iter().enumerate() {
        if !names.relations.contains(&reference.relationship_type) {
            let path = format!("definition.reference_fields[{index}].relationship_type");
            return Err(Error::invalid(path, "is not a relationship type", "register it first with relationship_type"));
        }
    }
    Ok(())
}

/// Decides what happens when a relationship type is registered; `known` is the one that has its name.
pub fn relate_by(plan: &mut Plan, relation: &RelationType, known: Option<&RelationType>) -> Result<(), Error> {
    match known {
        Some(known) if known.acyclic != relation.acyclic => {
            let fix = "a relationship type keeps its rule; register another name";
            return Err(Error::invalid("acyclic", "is another rule than the registered one", fix));
        }
        Some(_) => {}
        None => plan.put(Row::RelationType(relation.clone()), None),
    }
    Ok(())
}

#[cfg(test)]
mod tests;
