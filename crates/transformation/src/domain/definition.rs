//! Definitions: what a process, an agent or an extension is. Content changes in drafts; promotion says which content counts.
//!
//! [`agent`] reads what an agent's definition says; [`contract::agent`] which tools that leaves it.

pub mod agent;
mod document;
pub mod fact;
pub mod refusal;

use ledger::{Expectation, RecordKey};
use scope::Timestamp;
use serde::{Deserialize, Serialize};

use super::properties::Properties;
use super::{Decision, Fact, Name, Notes, Stored};
use crate::Error;
use agent::AgentDefinition;
pub use fact::DefinitionFact;
pub use refusal::Refusal;

/// The kind of records that definitions are.
pub const KIND: &str = "transformation.definition";
/// Largest payload, as JSON text.
const PAYLOAD_BYTES_MAX: usize = 256 * 1024;

/// A definition's state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Definition {
    pub id: String,
    pub repository_id: String,
    pub kind: Kind,
    /// Unique among definitions of its kind.
    pub name: Name,
    pub payload: Properties,
    pub status: Status,
    /// The version whose content was promoted last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub promoted_version: Option<u64>,
    /// What was promoted last, while a draft says something else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub promoted_payload: Option<Properties>,
    /// The element version it was made from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_version_id: Option<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Process,
    Agent,
    Extension,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    Draft,
    Promoted,
    Retired,
}

impl Kind {
    pub fn label(self) -> &'static str {
        match self {
            Self::Process => "process",
            Self::Agent => "agent",
            Self::Extension => "extension",
        }
    }
}

impl Status {
    pub fn label(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Promoted => "promoted",
            Self::Retired => "retired",
        }
    }
}

impl Definition {
    pub fn key(&self) -> RecordKey {
        Self::key_of(&self.id)
    }

    pub fn key_of(id: &str) -> RecordKey {
        RecordKey::new(KIND, id)
    }

    /// The content that counts: what was promoted last. Drafts do not change it, and a retired definition has none.
    pub fn promoted_content(&self) -> Option<&Properties> {
        match self.status {
            Status::Promoted => Some(&self.payload),
            Status::Draft => self.promoted_payload.as_ref(),
            Status::Retired => None,
        }
    }
}

/// What a caller wants a definition to say.
#[derive(Debug, Clone)]
pub struct UpsertDefinition {
    /// For a definition that does not exist yet.
    pub id: String,
    pub now: Timestamp,
    pub kind: Kind,
    pub name: Name,
    /// None keeps what there is.
    pub payload: Option<Properties>,
    pub source_version_id: Option<String>,
    pub retired: bool,
    pub expected_version: Option<u64>,
}

/// Which definition a caller wants to count.
#[derive(Debug, Clone)]
pub struct PromoteDefinition {
    /// Id or unique name.
    pub definition: String,
    pub now: Timestamp,
    pub expected_version: Option<u64>,
}

/// A definition as a write leaves it.
#[derive(Debug, Clone)]
pub struct Upserted {
    pub definition: Definition,
    pub version: u64,
}

/// A definition as its promotion leaves it.
#[derive(Debug, Clone)]
pub struct Promoted {
    pub definition: Definition,
    pub version: u64,
}

/// Decides what becomes of the definition of this kind and name; `existing` if there is one.
pub fn upsert(
    repository_id: &str,
    existing: Option<&Stored<Definition>>,
    command: &UpsertDefinition,
) -> Result<Decision<Upserted>, Error> {
    refuse_stale(existing, command.expected_version)?;
    let payload = command.payload.clone().or_else(|| existing.map(|found| found.payload.clone()));
    let Some(payload) = payload else {
        return Err(Error::invalid("payload", "is missing".to_owned(), "say what the definition is in payload"));
    };
    check_payload(command.kind, &command.name, &payload)?;
    let status = if command.retired { Status::Retired } else { Status::Draft };
    let source_version_id =
        command.source_version_id.clone().or_else(|| existing.and_then(|found| found.source_version_id.clone()));
    let definition = Definition {
        id: existing.map_or_else(|| command.id.clone(), |found| found.id.clone()),
        repository_id: repository_id.to_owned(),
        kind: command.kind,
        name: command.name.clone(),
        payload,
        status,
        promoted_version: existing.and_then(|found| found.promoted_version),
        promoted_payload: existing.and_then(|found| found.promoted_content().cloned()),
        source_version_id,
        created_at: existing.map_or(command.now, |found| found.created_at),
        updated_at: command.now,
    };
    match existing {
        Some(found) if has_same_content(found, &definition) => Ok(unchanged(found)),
        Some(found) => {
            Ok(written(definition, Expectation::Version { key: found.key(), version: found.version }, found.version))
        }
        None => {
            let expectation = Expectation::Absent { key: definition.key() };
            Ok(written(definition, expectation, 0))
        }
    }
}

/// Decides whether the present content of a definition may count.
pub fn promote(found: &Stored<Definition>, command: &PromoteDefinition) -> Result<Decision<Promoted>, Error> {
    refuse_stale(Some(found), command.expected_version)?;
    match found.status {
        Status::Draft => {}
        Status::Promoted => {
            return Err(refusal::rule(
                format!("'{}' is promoted already", found.name),
                "change it first, or leave it as it is",
            ));
        }
        Status::Retired => {
            return Err(refusal::rule(
                format!("'{}' is retired", found.name),
                "give it new content first, then promote it",
            ));
        }
    }
    let definition = Definition {
        status: Status::Promoted,
        promoted_version: Some(found.version),
        promoted_payload: None,
        updated_at: command.now,
        ..found.state.clone()
    };
    Ok(Decision {
        facts: vec![Fact::Definition(DefinitionFact::DefinitionPromoted(definition.clone()))],
        expectations: vec![Expectation::Version { key: found.key(), version: found.version }],
        outcome: Promoted { definition, version: found.version + 1 },
        notes: Notes::default(),
    })
}

fn written(definition: Definition, expectation: Expectation, version: u64) -> Decision<Upserted> {
    let mut notes = Notes::default();
    if definition.status == Status::Draft {
        notes.suggest(format!("It counts once it is promoted: chancery definitions promote {}", definition.name));
    }
    Decision {
        facts: vec![Fact::Definition(DefinitionFact::upserted(definition.clone()))],
        expectations: vec![expectation],
        outcome: Upserted { definition, version: version + 1 },
        notes,
    }
}

/// Nothing to record: the definition says this already.
fn unchanged(found: &Stored<Definition>) -> Decision<Upserted> {
    let mut notes = Notes::default();
    notes.suggest(format!("'{}' says this already, so nothing was changed", found.name));
    Decision {
        facts: Vec::new(),
        expectations: vec![Expectation::Version { key: found.key(), version: found.version }],
        outcome: Upserted { definition: found.state.clone(), version: found.version },
        notes,
    }
}

/// A promoted definition that is imported again stays promoted.
fn has_same_content(found: &Definition, after: &Definition) -> bool {
    let retired = |definition: &Definition| definition.status == Status::Retired;
    retired(found) == retired(after)
        && found.payload == after.payload
        && found.source_version_id == after.source_version_id
}

fn check_payload(kind: Kind, name: &Name, payload: &Properties) -> Result<(), Error> {
    let bytes = serde_json::to_string(payload).map_or(usize::MAX, |text| text.len());
    if bytes > PAYLOAD_BYTES_MAX {
        let reason = format!("takes {bytes} bytes; at most {PAYLOAD_BYTES_MAX} are allowed");
        return Err(Error::invalid("payload", reason, "keep large parts outside and refer to them"));
    }
    if kind != Kind::Agent {
        return Ok(());
    }
    let agent = AgentDefinition::parse(&serde_json::Value::Object(payload.clone()))?;
    if agent.name == name.as_str() {
        return Ok(());
    }
    let reason = format!("is {:?}, but the definition is named {name}", agent.name);
    Err(Error::invalid("metadata.name", reason, "give both the same name"))
}

fn refuse_stale(found: Option<&Stored<Definition>>, expected: Option<u64>) -> Result<(), Error> {
    let actual = found.map_or(0, |found| found.version);
    match expected {
        Some(expected) if expected != actual => Err(Refusal::Stale { expected, actual }.into()),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
