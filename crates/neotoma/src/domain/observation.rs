//! Observations: what one source said about one entity at one time.

use contract::Object;
use scope::Timestamp;
use serde::{Deserialize, Serialize};

/// The priority from which an observation is a correction, and outranks all below it.
pub const CORRECTION_PRIORITY: f64 = 1000.0;
/// Brings back what a marker of [`CORRECTION_PRIORITY`] deleted.
pub const RESTORE_PRIORITY: f64 = 1001.0;

/// One observation. It is never changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    pub id: String,
    /// The entity it was written to; a merge does not change it.
    pub entity_id: String,
    pub entity_type: String,
    /// The version of the schema it was written under.
    pub schema_version: String,
    pub source_id: String,
    /// The run that extracted it, when one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// When it was true, as far as the source says.
    pub observed_at: Timestamp,
    /// When it was stored.
    pub created_at: Timestamp,
    pub source_priority: f64,
    pub specificity_score: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub marker: Option<Marker>,
    /// The values as they were sent; null clears a field.
    pub fields: Object,
}

/// What sort of origin spoke, from the strongest to the weakest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Sensor,
    WorkflowState,
    LlmSummary,
    Human,
    Import,
    Sync,
}

/// An observation about the entity as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Marker {
    Deleted,
    Restored,
}
