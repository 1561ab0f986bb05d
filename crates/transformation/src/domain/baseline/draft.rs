//! How a baseline is made, and how a draft changes.

use ledger::{Expectation, Seq};
use scope::Timestamp;

use super::fact::Drafted;
use super::life::refuse_unless;
use super::members::Membership;
use super::{Baseline, BaselineFact, BaselineMention, Status, Step};
use crate::Error;
use crate::domain::model::Model;
use crate::domain::{Decision, Fact, Name, Notes, Stored};
use crate::error::BaselineRefusal;

/// What a caller wants to create. Ids and time come with the call.
#[derive(Debug, Clone)]
pub struct CreateBaseline {
    pub id: String,
    pub by: String,
    pub now: Timestamp,
    pub name: Name,
    pub key: Option<String>,
    pub description: Option<String>,
}

/// What [`create`] is shown.
#[derive(Debug, Clone)]
pub struct Surroundings {
    pub repository_id: String,
    pub model_id: String,
    pub sequence: Seq,
    /// None for the whole model.
    pub members: Option<Membership>,
    pub holders: Holders,
}

/// Who has the name and the key already.
#[derive(Debug, Clone, Default)]
pub struct Holders {
    pub name: Option<BaselineMention>,
    pub key: Option<BaselineMention>,
}

/// Decides whether a draft may be created.
pub fn create(around: Surroundings, command: &CreateBaseline) -> Result<Decision<Step>, Error> {
    let baseline = begin(&around, command)?;
    let mut notes = Notes::default();
    notes.suggest(format!("Read through it with read_context {{\"baseline_id\": \"{}\"}}", baseline.id));
    notes.suggest("Publish it with transformation.promoteBaseline");
    let drafted =
        Drafted { baseline: baseline.clone(), joined: around.members.unwrap_or_default(), left: Membership::default() };
    Ok(Decision {
        facts: vec![Fact::Baseline(BaselineFact::DraftCreated(Box::new(drafted)))],
        expectations: vec![Expectation::Exists { key: Model::key_of(&baseline.model_id) }],
        outcome: Step { baseline, version: 1, pending: false },
        notes,
    })
}

/// The first state of a baseline, unless its name or key is taken.
pub(super) fn begin(around: &Surroundings, command: &CreateBaseline) -> Result<Baseline, Error> {
    if let Some(existing) = &around.holders.name {
        let value = command.name.to_string();
        return Err(BaselineRefusal::Exists { field: "name", value, existing: existing.clone() }.into());
    }
    if let (Some(existing), Some(value)) = (&around.holders.key, &command.key) {
        let (value, existing) = (value.clone(), existing.clone());
        return Err(BaselineRefusal::Exists { field: "key", value, existing }.into());
    }
    Ok(Baseline {
        id: command.id.clone(),
        repository_id: around.repository_id.clone(),
        model_id: around.model_id.clone(),
        name: command.name.clone(),
        key: command.key.clone(),
        description: command.description.clone(),
        status: Status::Draft,
        sequence: around.sequence,
        chosen: around.members.as_ref().map(Membership::chosen),
        earlier_drafts: Vec::new(),
        created_by: command.by.clone(),
        created_at: command.now,
        submitted_at: None,
        approvals: Vec::new(),
        rejection: None,
        rationale: None,
        promoted_at: None,
        supersedes: None,
        rollback_of: None,
    })
}

/// Refuses to change a baseline that was submitted.
pub fn refuse_frozen(baseline: &Stored<Baseline>) -> Result<(), BaselineRefusal> {
    refuse_unless(baseline, &[Status::Draft], "changed")
}

/// Decides whether a draft that holds `now` may hold `wanted` instead. Nothing it was shown is older than `since`.
pub fn change(
    baseline: &Stored<Baseline>,
    now: &Membership,
    wanted: &Membership,
    since: Seq,
) -> Result<Decision<Step>, Error> {
    refuse_frozen(baseline)?;
    // The index of a whole model is empty, so everything it holds joins.
    let before = if baseline.chosen.is_some() { now.clone() } else { Membership::default() };
    let (joined, left) = (wanted.without(&before), before.without(wanted));
    if joined.is_empty() && left.is_empty() {
        let hint = "name an element that is not in the draft, or one to take out";
        return Err(Error::invalid("add_element_ids", "changes nothing".to_owned(), hint));
    }
    let mut changed = baseline.state.clone();
    changed.chosen = Some(wanted.chosen());
    changed.earlier_drafts.push(since);
    let mut notes = Notes::default();
    if baseline.chosen.is_none() {
        notes.suggest("The draft holds a chosen part of the model now, no longer the whole");
    }
    let drafted = Drafted { baseline: changed.clone(), joined, left };
    Ok(Decision {
        facts: vec![Fact::Baseline(BaselineFact::DraftUpdated(Box::new(drafted)))],
        expectations: vec![Expectation::Version { key: baseline.key(), version: baseline.version }],
        outcome: Step { baseline: changed, version: baseline.version + 1, pending: false },
        notes,
    })
}
