//! The last step of a plan: names, identifiers and events of everything that was changed.

use std::collections::{BTreeMap, BTreeSet};

use desk::Stored;
use ledger::RecordKey;

use super::{Plan, Work, expected};
use crate::domain::identity::{self, normalise};
use crate::domain::row::{Row, kind, schema_key};
use crate::domain::timeline::{self, Entry};
use crate::domain::{Entity, Schema};

/// Names that entities want to take, each with its type, and who has them.
#[derive(Debug, Clone, Default)]
pub struct Taken(BTreeMap<(String, String), Vec<String>>);

impl Taken {
    /// Notes the live entities that have a name.
    pub fn by(&mut self, entity_type: &str, name: &str, holders: impl Iterator<Item = String>) {
        self.0.insert((entity_type.to_owned(), name.to_owned()), holders.collect());
    }

    /// Whether somebody else has this name; what is part of an entity is not somebody else.
    fn from(&self, entity: &Entity, name: &str) -> bool {
        let holders = self.0.get(&(entity.entity_type.clone(), name.to_owned()));
        holders.into_iter().flatten().any(|id| *id != entity.id && !entity.members.contains(id))
    }
}

impl Plan {
    /// The names that entities want to take, with their types: what is stored by then may have them.
    pub fn names_wanted(&self) -> BTreeSet<(String, String)> {
        let wanted = |work: &Work| {
            let (before, entity) = (work.before.as_ref()?, work.after.as_ref()?);
            let shown = identity::display_name(&entity.entity_type, &entity.state)?;
            let asks = may_rename(work.keeps_name, Some(before), entity, &shown) && !is_same(entity, &shown);
            asks.then(|| (entity.entity_type.clone(), shown))
        };
        self.entities.values().filter_map(wanted).collect()
    }

    /// Settles everything. The plan has no entities after it.
    pub fn settle(&mut self, taken: &Taken) {
        self.settle_schemas();
        while self.settle_next(taken) {}
    }

    /// Settles one entity, after the schemas. False when there is none left.
    pub fn settle_next(&mut self, taken: &Taken) -> bool {
        let Some((_, work)) = self.entities.pop_first() else { return false };
        let Work { before, after: Some(mut entity), keeps_name } = work else { return true };
        let shown = identity::display_name(&entity.entity_type, &entity.state);
        if let Some(name) = shown.as_deref().filter(|name| may_rename(keeps_name, before.as_ref(), &entity, name)) {
            self.rename(before.is_some(), &mut entity, name, taken);
        }
        let declared = self.schemas.get(&entity.entity_type).expect("schemas are loaded before they are used");
        let (schema, former) = (&declared.schema, declared.former.as_ref().unwrap_or(&declared.schema));
        entity.derive(schema, shown);
        let old = before.as_ref().map(|before| entries(former, &before.row)).unwrap_or_default();
        let new = entries(schema, &entity);
        for gone in old.iter().filter(|old| !new.iter().any(|new| new.id == old.id)) {
            self.ends.push(RecordKey::new(kind::EVENT, &gone.id));
        }
        let fresh = new.into_iter().filter(|new| !old.contains(new));
        self.rows.extend(fresh.map(Row::Event));
        self.put(Row::Entity(entity), before.map(|before| before.version));
        true
    }

    /// Stores schemas that changed, and expects the others to stay as they are.
    pub fn settle_schemas(&mut self) {
        let mut changed = Vec::new();
        for (of, declared) in &self.schemas {
            if declared.is_stored() {
                changed.push((Row::Schema(declared.schema.clone().into_owned()), declared.version));
            } else {
                self.expectations.push(expected(schema_key(&self.user, of), declared.version));
            }
        }
        changed.into_iter().for_each(|(row, version)| self.put(row, version));
    }

    /// Gives an entity the `name` that its snapshot has now, unless another of its type has it. The old name becomes an alias.
    fn rename(&mut self, is_stored: bool, entity: &mut Entity, name: &str, taken: &Taken) {
        let renames = is_stored && !is_same(entity, name);
        if renames && taken.from(entity, name) {
            let remark = "another entity has the new name; this one keeps its own";
            self.remarks.push((entity.id.clone(), remark.to_owned()));
            return;
        }
        let old = std::mem::replace(&mut entity.name, name.to_owned());
        if renames && !old.is_empty() && !entity.aliases.contains(&old) {
            entity.aliases.push(old);
            entity.aliases.sort();
        }
        entity.aliases.retain(|alias| *alias != entity.name);
    }
}

/// Whether an entity takes the name that its snapshot calls it. What others were merged into keeps its own until it is
/// called something else than before.
fn may_rename(keeps_name: bool, before: Option<&Stored<Entity>>, entity: &Entity, shown: &str) -> bool {
    if !entity.is_live() || keeps_name || shown == entity.name {
        return false;
    }
    let called = |before: &Stored<Entity>| identity::display_name(&before.row.entity_type, &before.row.state);
    entity.members.is_empty() || before.and_then(called).is_none_or(|before| before != shown)
}

/// Whether a name is but another notation of the one that an entity has.
fn is_same(entity: &Entity, name: &str) -> bool {
    let of = entity.entity_type.as_str();
    normalise(of, name) == normalise(of, &entity.name)
}

/// The events of an entity; one that is merged away or deleted has none.
fn entries(schema: &Schema, entity: &Entity) -> Vec<Entry> {
    if !entity.is_live() {
        return Vec::new();
    }
    let found = timeline::events(schema, &entity.id, &entity.state);
    let entry = |event: timeline::Event| {
        let winner = entity.state.winner(&event.field)?;
        Some(Entry {
            id: event.id,
            event_type: event.event_type,
            at: event.at,
            entity_id: entity.id.clone(),
            entity_type: entity.entity_type.clone(),
            source_id: winner.source_id.clone(),
            value: entity.state.value(&event.field)?.clone(),
            field: event.field,
        })
    };
    found.into_iter().filter_map(entry).collect()
}
