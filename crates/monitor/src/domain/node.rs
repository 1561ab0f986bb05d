//! What the canon holds: the nodes of the graph and the links between them, as they are stored.

use scope::Timestamp;
use serde::{Deserialize, Serialize};

use super::Map;
use super::words::{
    Authority, CanonLevel, EntityClass, EntityType, FactType, SourceLevel, SourceType, StoryStatus, StoryType,
};

/// A family of universes that share a system of rules.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Multiverse {
    pub multiverse_id: String,
    pub name: String,
    pub system_name: String,
    pub description: String,
    pub created_at: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Universe {
    pub universe_id: String,
    pub multiverse_id: String,
    pub name: String,
    pub description: String,
    pub genre: String,
    pub tone: String,
    pub tech_level: String,
    pub authority: Authority,
    pub canon_level: CanonLevel,
    pub confidence: f64,
    pub created_at: Timestamp,
}

/// A document that the canon rests on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Source {
    pub source_id: String,
    pub universe_id: String,
    pub doc_id: String,
    pub title: String,
    pub edition: String,
    pub provenance: String,
    pub source_type: SourceType,
    pub canon_level: SourceLevel,
    pub created_at: Timestamp,
}

/// A rule of the world.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Axiom {
    pub axiom_id: String,
    pub universe_id: String,
    pub statement: String,
    pub domain: String,
    pub confidence: f64,
    pub authority: Authority,
    pub canon_level: CanonLevel,
    pub evidence_refs: Vec<String>,
    pub created_at: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Entity {
    pub entity_id: String,
    pub universe_id: String,
    pub entity_class: EntityClass,
    pub name: String,
    pub entity_type: EntityType,
    pub description: String,
    pub properties: Map,
    /// Of an instance only: sorted, without duplicates.
    pub state_tags: Vec<String>,
    /// The archetype of an instance.
    pub derives_from: Option<String>,
    pub confidence: f64,
    pub authority: Authority,
    pub canon_level: CanonLevel,
    pub evidence_refs: Vec<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// A statement that holds in a universe.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Fact {
    pub fact_id: String,
    pub universe_id: String,
    pub statement: String,
    pub fact_type: FactType,
    /// When it became true in the world.
    pub time_ref: Option<Timestamp>,
    /// For how many seconds it was true.
    pub duration: Option<i64>,
    pub involved_entity_ids: Vec<String>,
    pub confidence: f64,
    pub authority: Authority,
    pub canon_level: CanonLevel,
    pub evidence_refs: Vec<String>,
    /// The fact that this one took the place of.
    pub replaces: Option<String>,
    /// The fact, event or relationship that took the place of this one.
    pub replaced_by: Option<String>,
    /// What it documents, when it documents a change of state tags.
    pub state_change: Option<TagChange>,
    pub created_at: Timestamp,
}

/// State tags that an entity got and lost.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TagChange {
    pub entity_id: String,
    pub add: Vec<String>,
    pub remove: Vec<String>,
}

/// Something that happened in a universe.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Event {
    pub event_id: String,
    pub scene_id: Option<String>,
    pub universe_id: String,
    pub title: String,
    pub description: String,
    pub time_ref: Option<Timestamp>,
    pub severity: u32,
    pub involved_entity_ids: Vec<String>,
    pub causes_event_ids: Vec<String>,
    pub confidence: f64,
    pub authority: Authority,
    pub canon_level: CanonLevel,
    pub evidence_refs: Vec<String>,
    pub created_at: Timestamp,
}

/// How one entity stands to another.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Relationship {
    pub relationship_id: String,
    pub universe_id: String,
    pub from_entity_id: String,
    pub to_entity_id: String,
    /// In upper case with underscores, such as `MEMBER_OF`.
    pub rel_type: String,
    pub properties: Map,
    pub canon_level: CanonLevel,
    pub authority: Authority,
    pub confidence: f64,
    pub evidence_refs: Vec<String>,
    pub created_at: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Story {
    pub story_id: String,
    pub universe_id: String,
    pub title: String,
    pub story_type: StoryType,
    pub theme: String,
    pub premise: String,
    pub parent_story_id: Option<String>,
    pub status: StoryStatus,
    pub start_time_ref: Option<Timestamp>,
    pub end_time_ref: Option<Timestamp>,
    pub created_at: Timestamp,
    pub completed_at: Option<Timestamp>,
}

/// A link of structure between two records: `INVOLVES`, `SUPPORTED_BY`, `CAUSES`, `REPLACES`, `DERIVES_FROM`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    pub r#type: String,
    pub from: String,
    pub to: String,
    pub universe_id: String,
}

impl Link {
    /// One link of a type between two records.
    pub fn id(&self) -> String {
        format!("{}/{}/{}", self.r#type, self.from, self.to)
    }
}
