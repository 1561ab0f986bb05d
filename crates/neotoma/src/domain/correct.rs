//! Correcting: one field of one entity, above what every source says.

use serde_json::Value;

use desk::Stored;

use super::ingest::{Absorbed, Origin, Referred, refer, references};
use super::observation::CORRECTION_PRIORITY;
use super::plan::Plan;
use super::relate::Known;
use super::said::Said;
use super::source::Source;
use super::{Entity, Map, Observation, Schema, Speaker, State, ids};
use crate::Error;

/// Priority of an entity that a corrected field names and nobody has described.
const NAMED_PRIORITY: f64 = 100.0;

/// A correction whose shape is in order.
#[derive(Debug, Clone, PartialEq)]
pub struct Correction {
    pub entity_id: String,
    pub field: String,
    pub value: Value,
    pub by: Speaker,
}

/// What a correction led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Corrected {
    pub observation_id: String,
    /// The same correction was in force already.
    pub repeated: bool,
}

impl Correction {
    /// What is said by it.
    pub fn said(&self) -> Said {
        Said {
            act: "correction",
            entity_id: self.entity_id.clone(),
            fields: self.fields(),
            source_priority: self.by.correction_priority(),
            kind: self.by.kind(),
            marker: None,
        }
    }

    fn fields(&self) -> Map {
        let mut fields = Map::new();
        fields.insert(self.field.clone(), self.value.clone());
        fields
    }

    /// The entities that the field names, when it is a reference.
    pub fn references(&self, plan: &Plan) -> Vec<Referred> {
        let of = plan.entity(&self.entity_id).map(|entity| entity.entity_type.as_str());
        of.map(|of| references(plan, of, &self.fields())).unwrap_or_default()
    }

    /// Refuses a value that the schema does not allow.
    pub fn check(&self, schema: &Schema) -> Result<(), Error> {
        schema.accepts(&self.field, &self.value).map_err(|reason| {
            let declared = schema.field_type(&self.field).map_or("string", |declared| declared.name());
            Error::invalid(
                "value",
                reason,
                format!("give a {declared} that the schema allows, or null to clear the field"),
            )
        })
    }
}

/// What a correction rests on. The plan holds the entity and those that the field names, with their schemas.
pub struct Loaded {
    /// The source of the same words, when they were said before.
    pub source: Option<Stored<Source>>,
    /// The entities that the field names.
    pub references: Vec<Referred>,
    pub known: Known,
}

/// Decides what happens when a field is corrected.
pub fn correct(plan: &mut Plan, correction: &Correction, loaded: Loaded) -> Result<Corrected, Error> {
    let id = correction.entity_id.as_str();
    let of = plan.entity(id).expect("entities are loaded before they are changed").entity_type.clone();
    correction.check(plan.schema(&of))?;
    plan.grow_schema(&of, &[&correction.fields()]);
    let said = correction.said();
    let mut source = said.source(plan, loaded.source);
    let observation = said.observation(plan, &source.row);
    refuse_overruling(plan, correction, &observation)?;
    let in_force = plan.entity(id).and_then(|entity| in_force(entity, plan.schema(&of), correction, &observation));
    if let Some(observation_id) = in_force {
        return Ok(Corrected { observation_id, repeated: true });
    }
    let observation_id = observation.id.clone();
    let origin = Origin {
        run_id: None,
        observed_at: None,
        source_priority: NAMED_PRIORITY,
        specificity_score: 1.0,
        kind: observation.kind,
        is_new: false,
    };
    refer(plan, &mut source.row, &origin, id, loaded.references, &loaded.known, &mut Absorbed::default())?;
    source.observe(plan, observation);
    Ok(Corrected { observation_id, repeated: false })
}

/// Refuses another value than the one that a person corrected the field to, unless a person says it.
fn refuse_overruling(plan: &Plan, correction: &Correction, observation: &Observation) -> Result<(), Error> {
    let entity = plan.entity(&correction.entity_id).expect("entities are loaded before they are changed");
    let corrected = entity.state.winner(&correction.field).map_or(0.0, |winner| winner.source_priority);
    let overruled = corrected >= CORRECTION_PRIORITY && observation.source_priority < CORRECTION_PRIORITY;
    if !overruled || in_force(entity, plan.schema(&entity.entity_type), correction, observation).is_some() {
        return Ok(());
    }
    Err(Error::NotPermitted {
        field: "field",
        act: "overrule the correction of this field".to_owned(),
        reason: "a person made it".to_owned(),
        fix: "ask the person, or store what you know with ingest".to_owned(),
    })
}

/// The correction in force, when `observation` says the same of the field.
fn in_force(entity: &Entity, schema: &Schema, correction: &Correction, observation: &Observation) -> Option<String> {
    let field = correction.field.as_str();
    let counts = correction.by.correction_priority();
    let winner = entity.state.winner(field).filter(|winner| winner.source_priority >= counts)?;
    let alone = State::of(schema, [observation]);
    let same = alone.value(field).map(ids::canonical) == entity.state.value(field).map(ids::canonical);
    same.then(|| winner.id.clone())
}

#[cfg(test)]
mod tests;
