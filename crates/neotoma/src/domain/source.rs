//! Source material, and what was sent as it.

use std::collections::BTreeMap;

use contract::Object;
use desk::Stored;
use ledger::Seq;
use scope::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

/// Source material.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Source {
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

impl Source {
    /// How often it spoke about an entity.
    pub fn occurrences(&self, entity_id: &str) -> u32 {
        self.entities.get(entity_id).copied().unwrap_or_default()
    }

    /// Notes that it spoke about an entity once more.
    pub fn speak_of(&mut self, entity_id: &str) {
        *self.entities.entry(entity_id.to_owned()).or_default() += 1;
    }
}

impl Source {
    /// The row for the version after a stored one. It remembers where the content is.
    pub fn after(Stored { mut row, seq, .. }: Stored<Self>) -> Self {
        if row.kind != SourceKind::File {
            row.content_seq.get_or_insert(seq);
        }
        row
    }
}

/// The entities of a source, as they were sent. A part of a fact, and no record.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Content {
    pub source_id: String,
    /// A list of entities, as JSON.
    pub entities: Box<RawValue>,
}

impl PartialEq for Content {
    fn eq(&self, other: &Self) -> bool {
        self.source_id == other.source_id && self.entities.get() == other.entities.get()
    }
}

impl Content {
    pub fn new(source_id: &str, entities: &[Object]) -> Self {
        let entities = to_raw_value(entities).expect("entities have only string keys");
        Self { source_id: source_id.to_owned(), entities }
    }
}
