//! Rows: everything that a fact can put, each under a key of its own.

use ledger::RecordKey;
use scope::Timestamp;
use serde::{Deserialize, Serialize};

use super::merge::Merge;
use super::relation::RelationType;
use super::relationship::Relationship;
use super::run::Run;
use super::source::{Content, Source};
use super::timeline::Entry;
use super::{Entity, Observation, Schema};

/// Kinds of records.
pub mod kind {
    pub const SOURCE: &str = "neotoma.source";
    /// Entities, and under each its observations: of one kind they stand side by side in the ledger's index, so storing both
    /// touches one page of it.
    pub const ENTITY: &str = "neotoma.entity";
    pub const EVENT: &str = "neotoma.event";
    pub const RELATIONSHIP: &str = "neotoma.relationship";
    pub const MERGE: &str = "neotoma.merge";
    pub const RUN: &str = "neotoma.run";
    pub const SCHEMA: &str = "neotoma.schema";
    pub const RELATION_TYPE: &str = "neotoma.relation_type";
}

/// A record of neotoma, or the content of one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Row {
    Source(Source),
    Content(Content),
    Observation(Observation),
    Entity(Entity),
    Event(Entry),
    Relationship(Relationship),
    Merge(Merge),
    Run(Run),
    Schema(Schema),
    RelationType(RelationType),
}

impl Row {
    /// The key of the record that holds this row, or that it is the content of.
    pub fn key(&self, user: &str) -> RecordKey {
        match self {
            Self::Source(source) => RecordKey::new(kind::SOURCE, &source.id),
            Self::Content(content) => RecordKey::new(kind::SOURCE, &content.source_id),
            Self::Observation(observation) => {
                observation_key(&observation.entity_id, observation.observed_at, &observation.id)
            }
            Self::Entity(entity) => RecordKey::new(kind::ENTITY, &entity.id),
            Self::Event(event) => RecordKey::new(kind::EVENT, &event.id),
            Self::Relationship(relationship) => relationship.key(),
            Self::Merge(merge) => RecordKey::new(kind::MERGE, &merge.from),
            Self::Run(run) => RecordKey::new(kind::RUN, &run.id),
            Self::Schema(schema) => schema_key(user, &schema.entity_type),
            Self::RelationType(relation) => relation_type_key(user, &relation.name),
        }
    }
}

/// The key of an observation. It stands under the entity that it was written to, the newest first.
pub fn observation_key(entity_id: &str, observed_at: Timestamp, id: &str) -> RecordKey {
    RecordKey::new(kind::ENTITY, format!("{entity_id}/{}-{id}", newest_first(observed_at)))
}

/// A moment as a text that sorts the newest first.
pub fn newest_first(moment: Timestamp) -> String {
    format!("{:016x}", i64::MAX.wrapping_sub(moment.0).cast_unsigned())
}

/// The key under which a user's schema of a type is kept.
pub fn schema_key(user: &str, entity_type: &str) -> RecordKey {
    RecordKey::new(kind::SCHEMA, format!("{user}/{entity_type}"))
}

/// The key under which a user's relationship type is kept.
pub fn relation_type_key(user: &str, name: &str) -> RecordKey {
    RecordKey::new(kind::RELATION_TYPE, format!("{user}/{name}"))
}
