//! Runs: interpretations of a source.

use contract::Object;
use scope::Timestamp;
use serde::{Deserialize, Serialize};

/// One interpretation of a source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
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
