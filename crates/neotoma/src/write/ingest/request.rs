//! What was sent, checked before anything is read.

use contract::Object;
use desk::names;
use scope::Timestamp;
use serde_json::Value;

use crate::Error;
use crate::domain::observation::CORRECTION_PRIORITY;
use crate::domain::speaker::PRIORITY;
use crate::domain::{Kind, Map, Speaker, shape};
use crate::error::Flaw;
use crate::projection::reader::moment;

/// Most entities of one call.
pub const ENTITIES_MAX: usize = 5000;

/// An entity as it was sent.
#[derive(Debug, Clone, PartialEq)]
pub struct Incoming {
    /// As written by the sender.
    pub entity_type: String,
    pub fields: Map,
}

/// Takes the entities of a call apart. A refusal names every one that is wrong.
pub fn incoming(entities: &[Object]) -> Result<Vec<Incoming>, Error> {
    if entities.is_empty() {
        return Err(Error::invalid("entities", "is empty", "give at least one entity with its entity_type"));
    }
    if entities.len() > ENTITIES_MAX {
        return Err(Error::invalid(
            "entities",
            format!("has more than {ENTITIES_MAX} items"),
            format!("send at most {ENTITIES_MAX} entities in one call"),
        ));
    }
    let mut taken = Vec::with_capacity(entities.len());
    let mut flaws = Vec::new();
    for (index, entity) in entities.iter().enumerate() {
        match one(index, entity) {
            Ok(incoming) => taken.push(incoming),
            Err(flaw) => flaws.push(flaw),
        }
    }
    if flaws.is_empty() { Ok(taken) } else { Err(Error::Flawed(flaws)) }
}

fn one(index: usize, entity: &Object) -> Result<Incoming, Flaw> {
    shape::check_fields(entity).map_err(|shape| {
        let path = format!("entities[{index}]{}", shape.path);
        Flaw::new(path, shape.reason, "send plain text, numbers, lists and objects")
    })?;
    let named = NAMES.iter().find(|field| entity.get(**field).and_then(Value::as_str).is_some_and(is_disguised_name));
    if let Some(field) = named {
        let fix = "write every word of a name in one alphabet";
        return Err(Flaw::new(format!("entities[{index}].{field}"), "mixes alphabets to look like another name", fix));
    }
    let mut fields = entity.0.clone();
    let field = || format!("entities[{index}].entity_type");
    match fields.shift_remove("entity_type") {
        Some(Value::String(entity_type)) => Ok(Incoming { entity_type, fields }),
        Some(_) => Err(Flaw::new(field(), "is not text", "give a type such as invoice or note")),
        None => Err(Flaw::new(field(), "is required", "give a type such as invoice or note")),
    }
}

/// Fields that hold the name by which an entity is known.
const NAMES: [&str; 3] = ["canonical_name", "name", "full_name"];

/// Whether a word of a name reads like another one. Invisible characters do no harm: they are not part of a name.
fn is_disguised_name(name: &str) -> bool {
    name.split_whitespace().any(names::is_disguised)
}

/// The priority of a source; corrections have a tier of their own.
pub fn priority(given: Option<f64>) -> Result<f64, Error> {
    match given {
        None => Ok(PRIORITY),
        Some(priority) if (0.0..CORRECTION_PRIORITY).contains(&priority) => Ok(priority),
        Some(_) => Err(Error::invalid(
            "source_priority",
            "is not between 0 and 999",
            "give a priority below 1000; use correct to override a value",
        )),
    }
}

/// What a sender says about where its entities come from.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Claimed {
    pub observed_at: Option<Timestamp>,
    pub kind: Option<Kind>,
    pub provenance: Option<Object>,
}

impl Claimed {
    /// The same with the kind that the sender may claim.
    pub fn by(self, speaker: Speaker) -> Result<Self, Error> {
        Ok(Self { kind: speaker.permitted_kind(self.kind)?, ..self })
    }
}

/// Reads the `provenance` argument.
pub fn claimed(provenance: Option<&contract::generated::neotoma::Provenance>) -> Result<Claimed, Error> {
    let Some(provenance) = provenance else { return Ok(Claimed::default()) };
    let observed_at = moment("provenance.extracted_at", &provenance.extracted_at)?;
    let kind = provenance.kind.as_ref().map(|kind| {
        serde_json::from_value(Value::from(kind.as_str())).map_err(|_| {
            Error::invalid(
                "provenance.kind",
                "is not a kind of source",
                "use sensor, workflow_state, llm_summary, human, import or sync",
            )
        })
    });
    let said = serde_json::to_value(provenance).ok().and_then(|said| match said {
        Value::Object(said) => Some(Object(said)),
        _ => None,
    });
    if let Some(said) = &said {
        shape::check_shape(&Value::Object(said.0.clone()))
            .map_err(|shape| Error::invalid(format!("provenance{}", shape.path), shape.reason, "send plain text"))?;
    }
    Ok(Claimed { observed_at: Some(observed_at), kind: kind.transpose()?, provenance: said })
}
