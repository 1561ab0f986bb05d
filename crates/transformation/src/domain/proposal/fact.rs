//! What happened to proposals.

use ledger::RecordKey;

use super::{DecisionRecord, Proposal};
use crate::domain::fact::{state, text};

/// Something that happened to a proposal, with its whole new state.
#[derive(Debug, Clone, PartialEq)]
pub enum ProposalFact {
    Created(Proposal),
    Triaged(Proposal),
    /// One of several approvals that it needs.
    Approved(Proposal),
    Accepted(Proposal),
    Rejected(Proposal),
    Withdrawn(Proposal),
    Commented(Proposal),
    ChangesRequested(Proposal),
    DecisionRecorded(DecisionRecord),
}

impl ProposalFact {
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Created(_) => "transformation.ProposalCreated",
            Self::Triaged(_) => "transformation.ProposalTriaged",
            Self::Approved(_) => "transformation.ProposalApproved",
            Self::Accepted(_) => "transformation.ProposalAccepted",
            Self::Rejected(_) => "transformation.ProposalRejected",
            Self::Withdrawn(_) => "transformation.ProposalWithdrawn",
            Self::Commented(_) => "transformation.ProposalCommented",
            Self::ChangesRequested(_) => "transformation.ProposalChangesRequested",
            Self::DecisionRecorded(_) => "transformation.GateDecisionRecorded",
        }
    }

    fn proposal(&self) -> Result<&Proposal, &DecisionRecord> {
        match self {
            Self::Created(proposal)
            | Self::Triaged(proposal)
            | Self::Approved(proposal)
            | Self::Accepted(proposal)
            | Self::Rejected(proposal)
            | Self::Withdrawn(proposal)
            | Self::Commented(proposal)
            | Self::ChangesRequested(proposal) => Ok(proposal),
            Self::DecisionRecorded(record) => Err(record),
        }
    }

    pub fn subject(&self) -> RecordKey {
        self.proposal().map_or_else(DecisionRecord::key, Proposal::key)
    }

    pub fn body(&self) -> String {
        self.proposal().map_or_else(text, text)
    }

    /// The fact kept under this kind, or none when the kind is of another family.
    pub fn read(kind: &str, body: &str) -> Option<Result<Self, String>> {
        Some(match kind {
            "transformation.ProposalCreated" => state(body).map(Self::Created),
            "transformation.ProposalTriaged" => state(body).map(Self::Triaged),
            "transformation.ProposalApproved" => state(body).map(Self::Approved),
            "transformation.ProposalAccepted" => state(body).map(Self::Accepted),
            "transformation.ProposalRejected" => state(body).map(Self::Rejected),
            "transformation.ProposalWithdrawn" => state(body).map(Self::Withdrawn),
            "transformation.ProposalCommented" => state(body).map(Self::Commented),
            "transformation.ProposalChangesRequested" => state(body).map(Self::ChangesRequested),
            "transformation.GateDecisionRecorded" => state(body).map(Self::DecisionRecorded),
            _ => return None,
        })
    }
}
