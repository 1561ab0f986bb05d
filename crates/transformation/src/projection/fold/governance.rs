//! The records of proposals and decisions.

use ledger::Record;

use super::{blank, unique};
use crate::domain::fact;
use crate::domain::proposal::{DecisionRecord, Proposal, ProposalFact};

/// The tag of proposals that rest on a record.
pub fn target_tag(id: &str) -> String {
    format!("target:{id}")
}

/// The tag of open proposals that rest on a record.
pub fn open_target_tag(id: &str) -> String {
    format!("open:{id}")
}

/// The tag of the open proposal with this fingerprint.
pub fn same_tag(fingerprint: &str) -> String {
    format!("same:{fingerprint}")
}

/// The tag of the open proposals of an author.
pub fn open_author_tag(author: &str) -> String {
    format!("author:{author}")
}

/// The tag of the open proposal that was asked for so.
pub fn asked_tag(hash: &str) -> String {
    format!("asked:{hash}")
}

/// What a fact makes of its record.
pub fn record(fact: &ProposalFact) -> Record {
    match fact {
        ProposalFact::Created(state)
        | ProposalFact::Triaged(state)
        | ProposalFact::Approved(state)
        | ProposalFact::Accepted(state)
        | ProposalFact::Rejected(state)
        | ProposalFact::Withdrawn(state)
        | ProposalFact::Commented(state)
        | ProposalFact::ChangesRequested(state) => proposal(state),
        ProposalFact::DecisionRecorded(state) => decision(state),
    }
}

fn proposal(state: &Proposal) -> Record {
    // Any proposal is found by what it rests on, an open one also as a rival.
    let targets = |tag: fn(&str) -> String| state.pins.iter().map(move |pin| tag(&pin.id));
    let mut tags: Vec<String> = targets(target_tag).collect();
    let mut names = Vec::new();
    if state.status.is_open() {
        tags.extend(targets(open_target_tag));
        // Proposals that were filed before they had an outline may repeat each other.
        if state.outline.is_some() {
            let fingerprint = state.fingerprint();
            tags.push(same_tag(&fingerprint));
            names.push(unique(format!("proposal:{}", state.repository_id), &fingerprint));
        }
        // Those of the earlier format are not found so, nor can they be built upon.
        if state.plan.is_some() {
            tags.push(open_author_tag(&state.proposed_by));
            tags.extend(state.asked.iter().map(|hash| asked_tag(hash)));
        }
    }
    Record {
        scope: state.repository_id.clone(),
        r#type: state.operation.clone(),
        status: Some(state.status.label().to_owned()),
        // Newest first: the time that is found by runs backwards.
        time: Some(scope::Timestamp(-state.created_at.0)),
        tags,
        unique: names,
        body: fact::text(state),
        ..blank(state.key())
    }
}

fn decision(state: &DecisionRecord) -> Record {
    Record {
        scope: state.proposal_id.clone(),
        r#type: if state.accepted { "accepted" } else { "rejected" }.to_owned(),
        time: Some(state.decided_at),
        body: fact::text(state),
        ..blank(state.key())
    }
}
