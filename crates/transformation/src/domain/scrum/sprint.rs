//! Sprints: planned, started, and ended or canceled; [`backlog`] says what is in them.

pub mod backlog;

use ledger::RecordKey;
use scope::Timestamp;
use serde::{Deserialize, Serialize};

use super::fact::SprintChange;
use super::intent::{CancelSprint, CreateSprint, NewIds};
use super::item::{Item, ItemStatus};
use super::product::Backlog;
use super::refusal::rule;
use super::{Changed, Draft, ScrumFact, Versioned, kind};
use crate::Error;
use crate::domain::{Decision, Name};

/// A sprint's state, its backlog included.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sprint {
    pub id: String,
    pub product_id: String,
    pub name: Name,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    pub start_at: Timestamp,
    pub end_at: Timestamp,
    pub status: SprintStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cancellation_reason: Option<String>,
    /// There from the moment the backlog is committed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub selected_item_ids: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum SprintStatus {
    Planned,
    Started,
    Ended,
    Canceled,
}

impl SprintStatus {
    fn word(self) -> &'static str {
        match self {
            Self::Planned => "planned",
            Self::Started => "started",
            Self::Ended => "ended",
            Self::Canceled => "canceled",
        }
    }
}

impl Sprint {
    pub fn key(&self) -> RecordKey {
        Self::key_of(&self.id)
    }

    pub fn key_of(id: &str) -> RecordKey {
        RecordKey::new(kind::SPRINT, id)
    }
}

/// Decides a new sprint. `key_holder` is the sprint that has its key already.
pub fn create(
    backlog: &Backlog,
    key_holder: Option<&Sprint>,
    command: &CreateSprint,
    new: &NewIds,
) -> Result<Decision<Changed>, Error> {
    if let Some(holder) = key_holder {
        return Err(rule(
            "create_sprint.key",
            format!("The key belongs to '{}'", holder.name),
            "choose another key for the new sprint",
        ));
    }
    if command.end_at <= command.start_at {
        return Err(rule(
            "create_sprint.end_at",
            "The sprint would end before it starts",
            "give an end_at after start_at",
        ));
    }
    let sprint = Versioned::first(Sprint {
        id: new.subject.clone(),
        product_id: backlog.product.id.clone(),
        name: command.name.clone(),
        key: command.key.clone(),
        start_at: command.start_at,
        end_at: command.end_at,
        status: SprintStatus::Planned,
        cancellation_reason: None,
        goal: None,
        selected_item_ids: Vec::new(),
        plan: None,
    });
    let mut draft = Draft::beside(backlog);
    draft.record(ScrumFact::SprintCreated(SprintChange { sprint: sprint.clone(), items: Vec::new() }));
    draft.notes.suggest("Give it a goal and items with commitSprintBacklog before it starts");
    draft.changed.sprint = Some(sprint);
    Ok(draft.decided())
}

/// Decides whether a sprint may start: its backlog is committed, so it has its goal.
pub fn start(backlog: &Backlog, sprint: &Versioned<Sprint>) -> Result<Decision<Changed>, Error> {
    const FIELD: &str = "start_sprint.sprint_id";
    refuse_unless(sprint, &[SprintStatus::Planned], FIELD)?;
    if sprint.goal.is_none() {
        return Err(rule(
            FIELD,
            format!("'{}' has no sprint goal yet", sprint.name),
            "commit its backlog with a goal first: commitSprintBacklog",
        ));
    }
    let state = Sprint { status: SprintStatus::Started, ..sprint.state.clone() };
    Ok(changed(backlog, sprint, state, Vec::new(), ScrumFact::SprintStarted))
}

/// Decides the end of a sprint. `selected` are its items; what is not done goes back to the backlog.
pub fn end(
    backlog: &Backlog,
    sprint: &Versioned<Sprint>,
    selected: &[Versioned<Item>],
) -> Result<Decision<Changed>, Error> {
    refuse_unless(sprint, &[SprintStatus::Started], "end_sprint.sprint_id")?;
    let state = Sprint { status: SprintStatus::Ended, ..sprint.state.clone() };
    Ok(changed(backlog, sprint, state, unfinished(selected), ScrumFact::SprintEnded))
}

/// Decides that a sprint does not go on. `selected` are its items; what is not done goes back to the backlog.
pub fn cancel(
    backlog: &Backlog,
    sprint: &Versioned<Sprint>,
    selected: &[Versioned<Item>],
    command: &CancelSprint,
) -> Result<Decision<Changed>, Error> {
    refuse_unless(sprint, &[SprintStatus::Planned, SprintStatus::Started], "cancel_sprint.sprint_id")?;
    let state = Sprint {
        status: SprintStatus::Canceled,
        cancellation_reason: Some(command.reason.clone()),
        ..sprint.state.clone()
    };
    Ok(changed(backlog, sprint, state, unfinished(selected), ScrumFact::SprintCanceled))
}

/// The items that are not done, as pairs of before and after they go back.
fn unfinished(selected: &[Versioned<Item>]) -> Vec<(Versioned<Item>, Item)> {
    let back = |item: &Versioned<Item>| {
        let status = ItemStatus::InProductBacklog;
        (item.clone(), Item { status, selected_sprint_id: None, ..item.state.clone() })
    };
    selected.iter().filter(|item| !item.is_done()).map(back).collect()
}

/// One fact for the sprint and the items that change with it.
fn changed(
    backlog: &Backlog,
    before: &Versioned<Sprint>,
    state: Sprint,
    items: Vec<(Versioned<Item>, Item)>,
    fact: fn(SprintChange) -> ScrumFact,
) -> Decision<Changed> {
    let mut draft = Draft::beside(backlog);
    draft.expect(before.key(), before.version);
    let sprint = before.next(state);
    for (item, _) in &items {
        draft.expect(item.key(), item.version);
    }
    let items = items.into_iter().map(|(item, after)| item.next(after)).collect();
    draft.record(fact(SprintChange { sprint: sprint.clone(), items }));
    draft.changed.sprint = Some(sprint);
    draft.decided()
}

fn refuse_unless(sprint: &Sprint, expected: &[SprintStatus], field: &'static str) -> Result<(), Error> {
    if expected.contains(&sprint.status) {
        return Ok(());
    }
    let words: Vec<&str> = expected.iter().map(|status| status.word()).collect();
    let message = format!("'{}' is {}, not {}", sprint.name, sprint.status.word(), words.join(" or "));
    Err(rule(field, message, format!("name a sprint that is {}", words.join(" or "))))
}
