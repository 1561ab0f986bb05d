//! Ingesting: what a source says about entities becomes observations of them.

mod batch;

use std::collections::BTreeSet;

use contract::Object;
use scope::Timestamp;
use serde_json::Value;

pub use batch::{Item, Referred, by_name_alone, item, references};

use super::plan::Plan;
use super::relate::{Known, Wanted, connect};
use super::schema::Strategy;
use super::source::Source;
use super::{Entity, Kind, Map, Observation, Schema, State, ids};
use crate::Error;

/// Duplicates are looked for among this many new entities of one call.
pub const HINTED_MAX: usize = 20;

/// Where the entities of a batch come from.
#[derive(Debug, Clone)]
pub struct Origin {
    pub run_id: Option<String>,
    /// When the sender says it was true; now, if it does not say.
    pub observed_at: Option<Timestamp>,
    pub source_priority: f64,
    pub specificity_score: f64,
    pub kind: Option<Kind>,
    /// False when this source has spoken before.
    pub is_new: bool,
}

/// What became of an entity that a source speaks of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Became {
    pub id: String,
    pub entity_type: String,
    pub action: Action,
    pub observation_id: Option<String>,
    /// Entities that a new one may repeat.
    pub possible_duplicates: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    Created,
    /// Nothing new was said about it.
    Matched,
    Extended,
}

/// Something that is odd about a payload and no reason to refuse it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Warning {
    /// Position of the entity in the batch.
    pub index: Option<u32>,
    pub field: Option<String>,
    pub message: String,
}

/// What became of a batch.
#[derive(Debug, Clone, Default)]
pub struct Absorbed {
    pub entities: Vec<Became>,
    /// The entity that each item is about, in the order of the items.
    pub item_ids: Vec<String>,
    pub warnings: Vec<Warning>,
    pub entities_created: u64,
    pub observations_created: u64,
}

/// What is stored about what a batch says. The plan holds the entities that it is about.
#[derive(Debug, Clone, Default)]
pub struct Heard {
    /// Observations of the source that may be repeated.
    pub observations: BTreeSet<String>,
    /// Whether the batch may be about an entity twice; then it has to be known what it said before.
    pub repeats: bool,
    pub known: Known,
}

/// A batch on its way into a plan.
pub struct Absorbing<'a> {
    plan: &'a mut Plan,
    source: &'a mut Source,
    origin: &'a Origin,
    heard: Heard,
    /// Entities that were spoken of, and observations that were made, as far as that matters.
    spoken: BTreeSet<String>,
    made: BTreeSet<String>,
    absorbed: Absorbed,
}

impl<'a> Absorbing<'a> {
    pub fn new(plan: &'a mut Plan, source: &'a mut Source, origin: &'a Origin, heard: Heard) -> Self {
        let (spoken, made) = (BTreeSet::new(), BTreeSet::new());
        Self { plan, source, origin, heard, spoken, made, absorbed: Absorbed::default() }
    }

    /// Adds an observation for what an item says, unless it says nothing new, and notes in the source that it spoke.
    /// `duplicates` are entities that it may repeat, when it is new.
    pub fn take(&mut self, index: usize, mut item: Item, duplicates: Vec<String>) -> Result<(), Error> {
        let (plan, origin) = (&mut *self.plan, self.origin);
        warn(plan, &item, u32::try_from(index).ok(), &mut self.absorbed.warnings);
        let id = item.entity_id.clone();
        self.absorbed.item_ids.push(id.clone());
        let existed = plan.entity(&id).is_some();
        if plan.entity(&id).is_some_and(|entity| entity.state.is_deleted()) {
            return Err(Error::EntityDeleted { field: format!("entities[{index}]"), entity_id: id });
        }
        if !existed {
            plan.create(&id, &item.entity_type, &item.name);
            self.absorbed.entities_created += 1;
        }
        let repeated = !origin.is_new || (self.heard.repeats && !self.spoken.insert(id.clone()));
        let observation_id = observation_id(self.source, origin, &id, &item.fields);
        let says_nothing = existed
            && repeated
            && (self.heard.observations.contains(&observation_id)
                || self.made.contains(&observation_id)
                || plan.entity(&id).is_some_and(|entity| says(entity, plan.schema(&item.entity_type), &item.fields)));
        let action = match (says_nothing, existed) {
            (true, _) => Action::Matched,
            (false, true) => Action::Extended,
            (false, false) => Action::Created,
        };
        let mut became = Became {
            id: id.clone(),
            entity_type: item.entity_type.clone(),
            action,
            observation_id: None,
            possible_duplicates: Vec::new(),
        };
        if !says_nothing {
            became.observation_id = Some(observation_id.clone());
            if self.heard.repeats {
                self.made.insert(observation_id.clone());
            }
            let fields = std::mem::take(&mut item.fields);
            let observed = observation(plan, self.source, origin, &id, observation_id, &item.entity_type, fields);
            plan.observe(observed);
            self.source.speak_of(&id);
            self.absorbed.observations_created += 1;
        }
        if !existed && self.absorbed.entities_created <= HINTED_MAX as u64 {
            became.possible_duplicates = duplicates;
        }
        self.absorbed.entities.push(became);
        refer(plan, self.source, origin, &id, item.references, &self.heard.known, &mut self.absorbed)
    }

    /// What became of all items.
    pub fn finish(self) -> Absorbed {
        self.absorbed
    }
}

/// The id of what a source says about an entity now.
pub fn observation_id(source: &Source, origin: &Origin, entity: &str, fields: &Map) -> String {
    // A time that the sender gave tells repetitions apart in whatever order they arrive; otherwise they are counted.
    let occurrence = match origin.observed_at {
        Some(at) => at.0.to_string(),
        None => format!("#{}", source.occurrences(entity)),
    };
    ids::observation(&source.id, origin.run_id.as_deref(), entity, fields, &occurrence)
}

fn observation(
    plan: &Plan,
    source: &Source,
    origin: &Origin,
    entity: &str,
    id: String,
    entity_type: &str,
    fields: Map,
) -> Observation {
    let now = plan.moment_for(entity);
    Observation {
        id,
        entity_id: entity.to_owned(),
        entity_type: entity_type.to_owned(),
        schema_version: plan.schema(entity_type).schema_version.clone(),
        source_id: source.id.clone(),
        run_id: origin.run_id.clone(),
        observed_at: origin.observed_at.unwrap_or(now),
        created_at: now,
        source_priority: origin.source_priority,
        specificity_score: origin.specificity_score,
        kind: origin.kind,
        marker: None,
        fields: Object(fields),
    }
}

/// True when the entity's current truth holds all of `fields` already.
fn says(entity: &Entity, schema: &Schema, fields: &Map) -> bool {
    fields.iter().all(|(name, value)| current(&entity.state, schema, name, value))
}

fn current(state: &State, schema: &Schema, name: &str, value: &Value) -> bool {
    match (state.value(name), value) {
        (None, value) => value.is_null(),
        (Some(Value::Array(held)), Value::Array(sent)) if schema.reducer(name).strategy == Strategy::MergeArray => {
            sent.iter().all(|item| held.contains(item))
        }
        (Some(held), sent) => held == sent || ids::canonical(held) == ids::canonical(sent),
    }
}

fn warn(plan: &Plan, item: &Item, index: Option<u32>, warnings: &mut Vec<Warning>) {
    let schema = plan.schema(&item.entity_type);
    if schema.is_inferred() {
        return;
    }
    let found = schema.warnings(&item.fields).into_iter();
    warnings.extend(found.map(|warning| Warning {
        index,
        message: format!("{} {}", warning.field, warning.reason),
        field: Some(warning.field),
    }));
}

/// Connects an entity with those that its reference fields name, and creates the ones that do not exist.
pub fn refer(
    plan: &mut Plan,
    source: &mut Source,
    origin: &Origin,
    from: &str,
    references: Vec<Referred>,
    known: &Known,
    absorbed: &mut Absorbed,
) -> Result<(), Error> {
    for referred in references {
        let wanted = referred.wanted(from);
        let Referred { entity_id: id, entity_type, name, fields, .. } = referred;
        if plan.entity(&id).is_none() {
            plan.create(&id, &entity_type, &name);
            absorbed.entities_created += 1;
            absorbed.observations_created += 1;
            let observed = observation_id(source, origin, &id, &fields);
            let observation = observation(plan, source, origin, &id, observed, &entity_type, fields);
            absorbed.entities.push(Became {
                id: id.clone(),
                entity_type,
                action: Action::Created,
                observation_id: Some(observation.id.clone()),
                possible_duplicates: Vec::new(),
            });
            plan.observe(observation);
            source.speak_of(&id);
        }
        let deleted = plan.entity(&id).is_some_and(|entity| entity.state.is_deleted());
        if !deleted && id != from {
            connect(plan, known, &wanted, None)?;
        }
    }
    Ok(())
}

impl Referred {
    /// The edge from the entity whose field it is.
    pub fn wanted(&self, from: &str) -> Wanted {
        Wanted {
            relationship_type: self.relationship_type.clone(),
            source: from.to_owned(),
            target: self.entity_id.clone(),
        }
    }
}

#[cfg(test)]
mod tests;
