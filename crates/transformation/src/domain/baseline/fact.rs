//! What is remembered about baselines.

use ledger::RecordKey;
use serde::{Deserialize, Serialize};

use super::Baseline;
use super::members::Membership;
use crate::domain::fact::{state, text};
use crate::domain::model::Repository;

/// Something that happened to a baseline, or to what is published.
#[derive(Debug, Clone, PartialEq)]
pub enum BaselineFact {
    DraftCreated(Box<Drafted>),
    DraftUpdated(Box<Drafted>),
    SubmittedForApproval(Box<Baseline>),
    Approved(Box<Baseline>),
    Rejected(Box<Baseline>),
    Promoted(Box<Baseline>),
    /// Another one is published instead.
    Superseded(Box<Baseline>),
    RollbackCreated(Box<Drafted>),
    /// The repository points at another baseline.
    RepositoryPublished(Repository),
}

/// A baseline and what joined or left it; both are empty when it holds the whole model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Drafted {
    pub baseline: Baseline,
    #[serde(default, skip_serializing_if = "Membership::is_empty")]
    pub joined: Membership,
    #[serde(default, skip_serializing_if = "Membership::is_empty")]
    pub left: Membership,
}

const DRAFT_CREATED: &str = "transformation.BaselineDraftCreated";
const DRAFT_UPDATED: &str = "transformation.BaselineDraftUpdated";
const SUBMITTED: &str = "transformation.BaselineSubmittedForApproval";
const APPROVED: &str = "transformation.BaselineApproved";
const REJECTED: &str = "transformation.BaselineRejected";
const PROMOTED: &str = "transformation.BaselinePromoted";
const SUPERSEDED: &str = "transformation.BaselineSuperseded";
const ROLLBACK_CREATED: &str = "transformation.BaselineRollbackCreated";
const PUBLISHED: &str = "transformation.RepositoryPublished";

impl BaselineFact {
    pub fn kind(&self) -> &'static str {
        match self {
            Self::DraftCreated(_) => DRAFT_CREATED,
            Self::DraftUpdated(_) => DRAFT_UPDATED,
            Self::SubmittedForApproval(_) => SUBMITTED,
            Self::Approved(_) => APPROVED,
            Self::Rejected(_) => REJECTED,
            Self::Promoted(_) => PROMOTED,
            Self::Superseded(_) => SUPERSEDED,
            Self::RollbackCreated(_) => ROLLBACK_CREATED,
            Self::RepositoryPublished(_) => PUBLISHED,
        }
    }

    pub fn subject(&self) -> RecordKey {
        match self {
            Self::DraftCreated(drafted) | Self::DraftUpdated(drafted) | Self::RollbackCreated(drafted) => {
                drafted.baseline.key()
            }
            Self::SubmittedForApproval(baseline)
            | Self::Approved(baseline)
            | Self::Rejected(baseline)
            | Self::Promoted(baseline)
            | Self::Superseded(baseline) => baseline.key(),
            Self::RepositoryPublished(repository) => repository.key(),
        }
    }

    pub fn body(&self) -> String {
        match self {
            Self::DraftCreated(drafted) | Self::DraftUpdated(drafted) | Self::RollbackCreated(drafted) => text(drafted),
            Self::SubmittedForApproval(baseline)
            | Self::Approved(baseline)
            | Self::Rejected(baseline)
            | Self::Promoted(baseline)
            | Self::Superseded(baseline) => text(baseline),
            Self::RepositoryPublished(repository) => text(repository),
        }
    }

    /// True for the kinds of this family.
    pub fn knows(kind: &str) -> bool {
        kind.starts_with("transformation.Baseline") || kind == PUBLISHED
    }

    pub fn read(kind: &str, body: &str) -> Result<Self, String> {
        match kind {
            DRAFT_CREATED => state(body).map(Self::DraftCreated),
            DRAFT_UPDATED => state(body).map(Self::DraftUpdated),
            SUBMITTED => state(body).map(Self::SubmittedForApproval),
            APPROVED => state(body).map(Self::Approved),
            REJECTED => state(body).map(Self::Rejected),
            PROMOTED => state(body).map(Self::Promoted),
            SUPERSEDED => state(body).map(Self::Superseded),
            ROLLBACK_CREATED => state(body).map(Self::RollbackCreated),
            PUBLISHED => state(body).map(Self::RepositoryPublished),
            _ => Err(format!("{kind} is not a fact about baselines")),
        }
    }
}
