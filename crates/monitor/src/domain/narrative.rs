//! What was told: scenes, turns, proposals, resolutions, memories and documents, as they are stored.

use scope::Timestamp;
use serde::{Deserialize, Serialize};

use super::Map;
use super::words::{
    ActionType, Authority, DocumentKind, EvidenceKind, ProposalStatus, ProposalType, ResolutionType, SceneStatus,
    Speaker, SuccessLevel,
};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scene {
    pub scene_id: String,
    pub story_id: String,
    pub universe_id: String,
    pub title: String,
    pub purpose: String,
    pub status: SceneStatus,
    pub order: Option<i64>,
    pub location_ref: Option<String>,
    pub participating_entities: Vec<String>,
    pub canonical_outcomes: Vec<String>,
    pub summary: String,
    pub gm_notes: String,
    pub turn_count: u64,
    /// Turns have strictly increasing times; this is the last one's.
    pub last_turn_at: Option<Timestamp>,
    pub proposal_count: u64,
    /// The call that canonizes or canonized the scene.
    pub canonization: Option<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub completed_at: Option<Timestamp>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    pub turn_id: String,
    pub scene_id: String,
    pub story_id: String,
    pub universe_id: String,
    /// 1 for the first turn of its scene.
    pub number: u64,
    pub speaker: Speaker,
    pub entity_id: Option<String>,
    pub text: String,
    pub resolution_ref: Option<String>,
    pub timestamp: Timestamp,
}

/// A change that somebody wants in the canon.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Proposal {
    pub proposal_id: String,
    pub scene_id: String,
    pub universe_id: String,
    pub turn_id: Option<String>,
    pub r#type: ProposalType,
    pub content: Map,
    pub evidence: Vec<Evidence>,
    pub confidence: f64,
    pub authority: Authority,
    /// Whether the caller who filed it has the role of game master.
    pub by_gm: bool,
    pub status: ProposalStatus,
    /// One word for the decision, such as `below_threshold`.
    pub reason: Option<String>,
    pub rationale: Option<String>,
    /// Confidence times weight, where the policy decided.
    #[serde(default)]
    pub score: Option<f64>,
    pub canonical_id: Option<String>,
    /// The facts and relationships that it took the place of.
    #[serde(default)]
    pub retconned: Vec<String>,
    pub proposer_id: String,
    pub proposer_type: String,
    pub created_at: Timestamp,
    pub evaluated_at: Option<Timestamp>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    pub r#type: EvidenceKind,
    pub ref_id: String,
}

/// How an uncertain action came out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Resolution {
    pub resolution_id: String,
    pub turn_id: Option<String>,
    pub scene_id: String,
    pub story_id: String,
    pub actor_id: String,
    pub action: String,
    pub action_type: ActionType,
    pub resolution_type: ResolutionType,
    pub mechanics: Map,
    pub success_level: SuccessLevel,
    pub margin: Option<f64>,
    pub effects: Vec<Map>,
    pub created_at: Timestamp,
}

/// What a character remembers. It is subjective and may contradict the canon.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    pub memory_id: String,
    pub entity_id: String,
    pub universe_id: String,
    pub text: String,
    pub linked_fact_id: Option<String>,
    pub scene_id: Option<String>,
    pub emotional_valence: f64,
    pub importance: f64,
    pub certainty: f64,
    pub created_at: Timestamp,
}

/// How often a memory was recalled. It is counted apart from the memory, which reading does not change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Access {
    pub memory_id: String,
    pub entity_id: String,
    pub last_accessed: Timestamp,
    pub access_count: u64,
}

/// A text that was read in: its bytes are kept as a file, its snippets are found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    pub document_id: String,
    pub universe_id: String,
    pub source_id: Option<String>,
    pub doc_id: String,
    pub title: String,
    pub kind: DocumentKind,
    pub media_type: String,
    /// The key of its bytes among the files.
    pub blob: String,
    pub bytes: u64,
    pub snippet_count: u64,
    pub created_at: Timestamp,
}

/// A stretch of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snippet {
    pub snippet_id: String,
    pub universe_id: String,
    pub document_id: Option<String>,
    pub source_id: Option<String>,
    pub doc_id: String,
    pub text: String,
    pub page: Option<i64>,
    pub section: String,
    /// Its place in the document.
    pub number: u64,
    pub created_at: Timestamp,
}
