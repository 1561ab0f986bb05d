//! What people say about a proposal, and the wish for changes.

use scope::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Act, Proposal, ProposalFact, Status, moved, refuse_closed, refuse_unless_steward};
use crate::Error;
use crate::domain::{Decision, Stored};

/// Most comments on a proposal.
const COMMENTS_MAX: usize = 200;
const TEXT_CHARS_MAX: usize = 4_000;

/// What somebody said about a proposal or one of its fields.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Comment {
    pub by: String,
    pub at: Timestamp,
    pub text: String,
    /// `ID.FIELD` of something that the proposal changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
}

/// Decides whether somebody may comment: its author and stewards, as long as it is open. Only a steward may ask for changes.
pub fn comment(
    proposal: &Stored<Proposal>,
    field: Option<String>,
    request_changes: bool,
    act: &Act<'_>,
) -> Result<Decision<Proposal>, Error> {
    refuse_closed(proposal)?;
    let by = act.by.id();
    if request_changes || by != proposal.proposed_by {
        refuse_unless_steward(act.by, if request_changes { "request changes of" } else { "comment on" })?;
    }
    let text = act.rationale.as_deref().map(str::trim).unwrap_or_default().to_owned();
    if text.is_empty() || text.chars().count() > TEXT_CHARS_MAX {
        let reason = format!("has {} characters; 1 to {TEXT_CHARS_MAX} are allowed", text.chars().count());
        return Err(Error::invalid("text", reason, "say in a few sentences what you mean"));
    }
    if proposal.comments.len() >= COMMENTS_MAX {
        let reason = format!("cannot be added: there are {COMMENTS_MAX} comments already");
        return Err(Error::invalid("text", reason, "decide the proposal, or have it filed anew"));
    }
    if let Some(field) = &field
        && !proposal.subjects().any(|subject| field.split('.').next() == Some(subject.id.as_str()))
    {
        let reason = format!("'{field}' is nothing that the proposal changes");
        return Err(Error::invalid("field", reason, "give ID.FIELD of a row that the review shows"));
    }
    let mut changed = proposal.state.clone();
    changed.updated_at = act.now;
    changed.comments.push(Comment { by, at: act.now, text, field });
    let fact = match request_changes {
        true => {
            changed.status = Status::ChangesRequested;
            ProposalFact::ChangesRequested
        }
        false => ProposalFact::Commented,
    };
    Ok(moved(proposal, changed, fact))
}
