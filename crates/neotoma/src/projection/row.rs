//! Rows: what the records of neotoma hold, and by what they are found.
//!
//! The ledger walks times and ids upwards. What is listed newest first therefore counts its time [`backwards`].

mod entity;
mod relationship;

use std::collections::BTreeMap;

use contract::Object;
use ledger::{Record, RecordKey, Seq};
use scope::Timestamp;
use serde::{Deserialize, Serialize};

use super::content::ContentRow;
use crate::domain::relation::RelationType;
use crate::domain::{Observation, Schema};

pub use entity::{EntityRow, deleted_scope, merged_scope};
pub use relationship::{EdgeObservation, EdgeState, RelationshipRow, arrange, hidden_edge_scope};

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
    Source(SourceRow),
    Content(ContentRow),
    Observation(Observation),
    Entity(EntityRow),
    Event(EventRow),
    Relationship(RelationshipRow),
    Merge(MergeRow),
    Run(RunRow),
    Schema(Schema),
    RelationType(RelationType),
}

/// Source material.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SourceRow {
    pub id: String,
    pub kind: SourceKind,
    pub content_hash: String,
    pub created_at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_size: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original_filename: Option<String>,
    /// Paths in storage.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// The fact that carries the entities that were sent, when it is not the one that made this version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_seq: Option<Seq>,
    /// What the sender said about the origin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Object>,
    /// The entities it speaks about, and how often it spoke about each.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub entities: BTreeMap<String, u32>,
    /// What was said about the file instead of interpreting it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub properties: Option<Object>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceKind {
    File,
    Structured,
    /// Made for what a caller said without material: corrections and markers.
    Internal,
}

impl SourceKind {
    pub fn name(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Structured => "structured",
            Self::Internal => "internal",
        }
    }
}

impl SourceRow {
    /// How often it spoke about an entity.
    pub fn occurrences(&self, entity_id: &str) -> u32 {
        self.entities.get(entity_id).copied().unwrap_or_default()
    }

    /// Notes that it spoke about an entity once more.
    pub fn speak_of(&mut self, entity_id: &str) {
        *self.entities.entry(entity_id.to_owned()).or_default() += 1;
    }
}

/// A moment that the snapshot of an entity tells of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EventRow {
    pub id: String,
    pub event_type: String,
    pub at: Timestamp,
    pub entity_id: String,
    pub entity_type: String,
    pub source_id: String,
    pub field: String,
    pub value: serde_json::Value,
}

/// That one entity is now part of another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MergeRow {
    pub from: String,
    pub to: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    pub merged_at: Timestamp,
    pub observations_moved: u64,
}

/// One interpretation of a source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunRow {
    pub id: String,
    pub source_id: String,
    pub config: Object,
    pub extractor: String,
    pub status: RunStatus,
    pub entities_created: u64,
    pub observations_created: u64,
    pub started_at: Timestamp,
    pub completed_at: Timestamp,
    /// Made by an interpreter that costs nothing: no quota counts it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub free: bool,
}

/// A run that costs something is stored as failed before it begins, and as what it is when it has ended. So a crash leaves
/// none that is pending or running, and none that is not counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    Pending,
    Running,
    Completed,
    Failed,
}

impl RunStatus {
    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Running => "running",
            Self::Completed => "completed",
            Self::Failed => "failed",
        }
    }
}

/// A moment as the ledger keeps it for listings that begin with the newest.
pub fn backwards(moment: Timestamp) -> Timestamp {
    Timestamp(moment.0.saturating_neg())
}

/// The key of an observation. It stands under the entity that it was written to, the newest first.
pub fn observation_key(entity_id: &str, observed_at: Timestamp, id: &str) -> RecordKey {
    RecordKey::new(kind::ENTITY, format!("{entity_id}/{}-{id}", newest_first(observed_at)))
}

/// Whether a record of [`kind::ENTITY`] is an observation.
pub fn is_observation(key: &RecordKey) -> bool {
    key.kind == kind::ENTITY && key.id.contains('/')
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

    /// The record that holds this row, with the row itself as `body`. Content has none.
    pub fn record(&self, user: &str, body: &str) -> Option<Record> {
        if matches!(self, Self::Content(_)) {
            return None;
        }
        let plain = Record {
            key: self.key(user),
            scope: user.to_owned(),
            r#type: String::new(),
            listed: true,
            status: None,
            name: None,
            time: None,
            tags: Vec::new(),
            ends: None,
            fields: Vec::new(),
            unique: Vec::new(),
            text: String::new(),
            body: body.to_owned(),
        };
        Some(match self {
            Self::Source(_) | Self::Content(_) => Record { listed: false, ..plain },
            // Found under the entity that it was written to, which belongs to one user.
            Self::Observation(observation) => Record { listed: false, scope: observation.entity_id.clone(), ..plain },
            Self::Entity(entity) => entity.record(user, plain),
            // Found by time, and by the entity and the source that it tells of.
            Self::Event(event) => Record {
                listed: false,
                r#type: event.event_type.clone(),
                time: Some(backwards(event.at)),
                tags: vec![event.source_id.clone(), event.entity_id.clone()],
                ..plain
            },
            Self::Relationship(relationship) => relationship.record(user, plain),
            Self::Merge(merge) => Record { r#type: merge.to.clone(), ..plain },
            // Found by when it began, for the quota.
            Self::Run(run) => {
                let time = (!run.free).then_some(run.started_at);
                Record { r#type: run.status.name().to_owned(), time, ..plain }
            }
            // Found by the other names of its type.
            Self::Schema(schema) => Record { tags: schema.aliases.clone(), ..plain },
            Self::RelationType(_) => plain,
        })
    }
}
