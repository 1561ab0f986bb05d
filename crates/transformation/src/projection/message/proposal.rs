//! Proposals as messages of the contract.

use contract::generated::transformation as proto;
use scope::PrincipalKind;

use crate::domain::Stored;
use crate::domain::decision::version_id;
use crate::domain::proposal::{Change, Comment, PinsNow, Proposal, Risk, Settled, Status, is_stale};

/// The proposal that a write became.
pub fn proposal_note(proposal: &Proposal) -> proto::ProposalNote {
    proto::ProposalNote {
        id: proposal.id.clone(),
        status: status(proposal.status).into(),
        risk_level: risk(proposal.risk).into(),
        extends: proposal.extends.clone(),
    }
}

/// A proposal and what it rests on now. The payload is left out of listings.
pub fn proposal(stored: &Stored<Proposal>, current: &PinsNow, rivals: Vec<String>, whole: bool) -> proto::Proposal {
    let proposal = &stored.state;
    let open = proposal.status.is_open();
    let pin = |(pin, now): (&crate::domain::proposal::Pin, &Option<u64>)| proto::Pin {
        element_id: pin.id.clone(),
        version_id: version_id(&pin.id, pin.version),
        current_version_id: now.filter(|now| *now != pin.version).map(|now| version_id(&pin.id, now)),
    };
    let decision = proposal.decision.as_ref().map(|record| proto::DecisionRecord {
        id: record.id.clone(),
        verdict: if record.accepted { "accepted" } else { "rejected" }.to_owned(),
        decided_by: record.decided_by.clone(),
        decided_at: record.decided_at.to_string(),
        rationale: record.rationale.clone(),
    });
    let approval = |approval: &crate::domain::proposal::Approval| proto::Approval {
        by: approval.by.clone(),
        at: approval.at.to_string(),
        rationale: approval.rationale.clone(),
    };
    proto::Proposal {
        id: proposal.id.clone(),
        status: status(proposal.status).into(),
        summary: proposal.summary.clone(),
        change: change(proposal.change).into(),
        risk_level: risk(proposal.risk).into(),
        operation: proposal.operation.clone(),
        payload: whole.then(|| proposal.arguments.clone()),
        would_be: whole.then(|| proposal.would_be.clone()),
        targets: proposal.pins.iter().zip(&current.versions).map(pin).collect(),
        stale: open && is_stale(proposal, current),
        conflicts_with: rivals,
        proposed_by: Some(proto::ProposedBy {
            actor_type: if proposal.proposed_by_kind == PrincipalKind::User { "human" } else { "agent" }.to_owned(),
            actor_id: proposal.proposed_by.clone(),
            tool_id: format!("transformation.{}", proposal.operation),
        }),
        approvals_needed: proposal.approvals_needed,
        approvals: proposal.approvals.iter().map(approval).collect(),
        decision,
        accepted_as: proposal.accepted_as.clone(),
        rebased_to: proposal.rebased_to.clone(),
        rebase_of: proposal.rebase_of.clone(),
        created_at: proposal.created_at.to_string(),
        updated_at: proposal.updated_at.to_string(),
        version: stored.version,
        repository_id: proposal.repository_id.clone(),
        element_id: proposal.id.clone(),
        version_id: version_id(&proposal.id, stored.version),
        extends: proposal.extends.clone(),
        plan: proposal.plan.clone(),
        comments: proposal.comments.iter().map(comment).collect(),
        settled: proposal.settled.iter().map(settled).collect(),
        reason: proposal.reason.clone(),
        call_id: proposal.call.clone(),
    }
}

pub fn comment(comment: &Comment) -> proto::ProposalComment {
    proto::ProposalComment {
        by: comment.by.clone(),
        at: comment.at.to_string(),
        text: comment.text.clone(),
        field: comment.field.clone(),
    }
}

fn settled(settled: &Settled) -> proto::SettledField {
    proto::SettledField {
        element_id: settled.record.clone(),
        field: settled.field.clone(),
        base: Some(contract::Json(settled.base.clone())),
        live: Some(contract::Json(settled.live.clone())),
        proposed: Some(contract::Json(settled.proposed.clone())),
        kept: settled.kept.label().to_owned(),
    }
}

fn status(status: Status) -> proto::ProposalStatus {
    match status {
        Status::Proposed => proto::ProposalStatus::ProposalProposed,
        Status::Triaged => proto::ProposalStatus::ProposalTriaged,
        Status::InReview => proto::ProposalStatus::ProposalInReview,
        Status::Accepted => proto::ProposalStatus::ProposalAccepted,
        Status::Rejected => proto::ProposalStatus::ProposalRejected,
        Status::Withdrawn => proto::ProposalStatus::ProposalWithdrawn,
        Status::ChangesRequested => proto::ProposalStatus::ProposalChangesRequested,
    }
}

fn risk(risk: Risk) -> proto::RiskLevel {
    match risk {
        Risk::Low => proto::RiskLevel::RiskLow,
        Risk::Med => proto::RiskLevel::RiskMed,
        Risk::High => proto::RiskLevel::RiskHigh,
    }
}

fn change(change: Change) -> proto::ProposedChange {
    match change {
        Change::Create => proto::ProposedChange::Create,
        Change::Update => proto::ProposedChange::Update,
        Change::Link => proto::ProposedChange::Link,
        Change::Unlink => proto::ProposedChange::Unlink,
        Change::Supersede => proto::ProposedChange::Supersede,
        Change::Delete => proto::ProposedChange::Delete,
    }
}
