//! Baselines: points of history with a name. A baseline copies nothing; it says where to read, and sometimes what.
//!
//! [`draft`] says how one is made and changed, [`life`] how it is approved, published and taken back, [`pin`] what it
//! holds in place. What it holds is fixed once it is submitted.

pub mod draft;
pub mod fact;
pub mod life;
pub mod members;
pub mod pin;

use ledger::{RecordKey, Seq};
use scope::Timestamp;
use serde::{Deserialize, Serialize};

use super::fact::kind;
use super::name::Name;

pub use fact::BaselineFact;

/// A baseline's state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Baseline {
    pub id: String,
    pub repository_id: String,
    pub model_id: String,
    pub name: Name,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    pub status: Status,
    /// The point it pins.
    pub sequence: Seq,
    /// Set when it holds only a part of the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chosen: Option<Chosen>,
    /// For each version of the draft that was replaced by another, from the first on: a point at which it still stood.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier_drafts: Vec<Seq>,
    pub created_by: String,
    pub created_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub submitted_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub approvals: Vec<Decided>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rejection: Option<Decided>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rationale: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub promoted_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supersedes: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rollback_of: Option<String>,
}

/// How much was chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chosen {
    pub elements: u32,
    pub relationships: u32,
}

/// Who decided, and when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decided {
    pub by: String,
    pub at: Timestamp,
}

/// Where a baseline is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    Draft,
    Submitted,
    Approved,
    Rejected,
    Promoted,
    Superseded,
}

impl Status {
    /// In the order of the contract.
    pub const ALL: [Self; 6] =
        [Self::Draft, Self::Submitted, Self::Approved, Self::Rejected, Self::Promoted, Self::Superseded];

    pub fn label(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Submitted => "submitted",
            Self::Approved => "approved",
            Self::Rejected => "rejected",
            Self::Promoted => "promoted",
            Self::Superseded => "superseded",
        }
    }

    /// True while it may still be published.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Draft | Self::Submitted | Self::Approved)
    }

    /// True when it is published or once was.
    pub fn was_published(self) -> bool {
        matches!(self, Self::Promoted | Self::Superseded)
    }
}

impl Baseline {
    pub fn key(&self) -> RecordKey {
        Self::key_of(&self.id)
    }

    pub fn key_of(id: &str) -> RecordKey {
        RecordKey::new(kind::BASELINE, id)
    }

    pub fn mention(&self) -> BaselineMention {
        BaselineMention { id: self.id.clone(), name: self.name.to_string(), status: self.status }
    }
}

/// A baseline as refusals and suggestions name it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BaselineMention {
    pub id: String,
    pub name: String,
    pub status: Status,
}

/// A baseline after a write.
#[derive(Debug, Clone)]
pub struct Step {
    pub baseline: Baseline,
    pub version: u64,
    /// True when somebody else has to decide first.
    pub pending: bool,
}

#[cfg(test)]
mod tests;
