//! What finished means, which items are finished, and the increments they make.

use ledger::{Expectation, RecordKey};
use scope::Timestamp;
use serde::{Deserialize, Serialize};

use super::intent::{DefineDone, NewIds, RecordDone};
use super::item::{Item, ItemStatus};
use super::product::Backlog;
use super::refusal::rule;
use super::sprint::{Sprint, SprintStatus};
use super::{Changed, Draft, ScrumFact, Versioned, kind};
use crate::Error;
use crate::domain::Decision;

/// What is true of everything that is called done. A new text is a new definition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DefinitionOfDone {
    pub id: String,
    pub product_id: String,
    pub text: String,
    /// Counts the definitions of the product.
    pub number: u64,
    pub effective_from: Timestamp,
}

impl DefinitionOfDone {
    pub fn key(&self) -> RecordKey {
        Self::key_of(&self.id)
    }

    pub fn key_of(id: &str) -> RecordKey {
        RecordKey::new(kind::DEFINITION_OF_DONE, id)
    }

    /// The handle by which callers may name it.
    pub fn handle(&self) -> String {
        format!("v{}", self.number)
    }
}

/// What a sprint delivered by one Definition of Done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Increment {
    pub id: String,
    pub product_id: String,
    pub sprint_id: String,
    pub definition_of_done_id: String,
    pub included_item_ids: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence_refs: Vec<String>,
}

impl Increment {
    pub fn key(&self) -> RecordKey {
        RecordKey::new(kind::INCREMENT, &self.id)
    }
}

/// Decides the next Definition of Done. `last` is the number of the one before, 0 for none.
pub fn define(backlog: &Backlog, last: u64, command: &DefineDone, new: &NewIds, now: Timestamp) -> Decision<Changed> {
    let definition = Versioned::first(DefinitionOfDone {
        id: new.subject.clone(),
        product_id: backlog.product.id.clone(),
        text: command.text.clone(),
        number: last + 1,
        effective_from: now,
    });
    let mut draft = Draft::beside(backlog);
    draft.record(ScrumFact::DefinitionOfDoneDefined(definition.clone()));
    draft.notes.suggest(format!("Name it as {} when you record an item as done", definition.handle()));
    draft.changed.definition_of_done = Some(definition);
    draft.decided()
}

/// What [`record`] is shown.
#[derive(Debug, Clone)]
pub struct Surroundings {
    pub item: Versioned<Item>,
    pub sprint: Versioned<Sprint>,
    pub definition_of_done: DefinitionOfDone,
    /// The increment of the sprint by the same definition.
    pub increment: Option<Versioned<Increment>>,
}

/// Decides that an item is done, and what that adds to the increment of its sprint.
pub fn record(
    backlog: &Backlog,
    around: &Surroundings,
    command: &RecordDone,
    new: &NewIds,
    now: Timestamp,
) -> Result<Decision<Changed>, Error> {
    let Surroundings { item, sprint, definition_of_done, increment } = around;
    if sprint.status != SprintStatus::Started {
        return Err(rule(
            "record_product_backlog_item_done.sprint_id",
            format!("'{}' is not under way", sprint.name),
            "name the sprint that is started",
        ));
    }
    if item.is_done() {
        let message = format!("'{}' is DONE already", item.title);
        return Err(rule("record_product_backlog_item_done.item_id", message, "nothing to do"));
    }
    if item.selected_sprint_id.as_ref() != Some(&sprint.id) {
        return Err(rule(
            "record_product_backlog_item_done.item_id",
            format!("'{}' is not selected for '{}'", item.title, sprint.name),
            "select it with changeSprintBacklog first, or name the sprint it is selected for",
        ));
    }
    let mut draft = Draft::beside(backlog);
    draft.expect(item.key(), item.version);
    // The sprint must not end in between; it does not change itself.
    draft.expect(sprint.key(), sprint.version);
    let done = item.next(Item {
        status: ItemStatus::Done,
        done_definition_of_done_id: Some(definition_of_done.id.clone()),
        done_at: Some(now),
        ..item.state.clone()
    });
    draft.record(ScrumFact::ProductBacklogItemDoneRecorded(done.clone()));
    let increment = match increment {
        Some(before) => {
            draft.expect(before.key(), before.version);
            let after = before.next(delivered(before.state.clone(), &done, command));
            draft.record(ScrumFact::IncrementUpdated(after.clone()));
            after
        }
        None => {
            let empty = Increment {
                id: new.increment.clone(),
                product_id: backlog.product.id.clone(),
                sprint_id: sprint.id.clone(),
                definition_of_done_id: definition_of_done.id.clone(),
                included_item_ids: Vec::new(),
                evidence_refs: Vec::new(),
            };
            draft.expectations.push(Expectation::Absent { key: empty.key() });
            let first = Versioned::first(delivered(empty, &done, command));
            draft.record(ScrumFact::IncrementCreated(first.clone()));
            first
        }
    };
    draft.changed.item = Some(done);
    draft.changed.increment = Some(increment);
    Ok(draft.decided())
}

/// The increment with one more item in it.
fn delivered(mut increment: Increment, item: &Item, command: &RecordDone) -> Increment {
    increment.included_item_ids.push(item.id.clone());
    let known = increment.evidence_refs.clone();
    increment.evidence_refs.extend(command.evidence_refs.iter().filter(|evidence| !known.contains(evidence)).cloned());
    increment
}
