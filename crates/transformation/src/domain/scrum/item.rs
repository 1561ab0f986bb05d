//! Items of a product backlog: created, refined, and later selected and done.

use ledger::RecordKey;
use scope::Timestamp;
use serde::{Deserialize, Serialize};

use super::intent::{CreateItem, NewIds, RefineItem};
use super::product::Backlog;
use super::refusal::rule;
use super::{Changed, Draft, ScrumFact, Versioned, kind};
use crate::Error;
use crate::domain::{Decision, Name};

/// An item's state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Item {
    pub id: String,
    pub product_id: String,
    pub title: Name,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub acceptance_criteria: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<String>,
    pub status: ItemStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selected_sprint_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub done_definition_of_done_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub done_at: Option<Timestamp>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ItemStatus {
    InProductBacklog,
    SelectedForSprint,
    Done,
}

impl Item {
    pub fn key(&self) -> RecordKey {
        Self::key_of(&self.id)
    }

    pub fn key_of(id: &str) -> RecordKey {
        RecordKey::new(kind::ITEM, id)
    }

    pub fn is_done(&self) -> bool {
        self.status == ItemStatus::Done
    }
}

/// Decides a new item at the end of the backlog. `key_holder` is the item that has its key already.
pub fn create(
    backlog: &Backlog,
    key_holder: Option<&Item>,
    command: &CreateItem,
    new: &NewIds,
) -> Result<Decision<Changed>, Error> {
    if let Some(holder) = key_holder {
        return Err(rule(
            "create_product_backlog_item.key",
            format!("The key belongs to '{}'", holder.title),
            "choose another key, or refine that item",
        ));
    }
    let item = Versioned::first(Item {
        id: new.subject.clone(),
        product_id: backlog.product.id.clone(),
        title: command.title.clone(),
        key: command.key.clone(),
        description: command.description.clone(),
        acceptance_criteria: command.acceptance_criteria.clone(),
        size: command.size.clone(),
        status: ItemStatus::InProductBacklog,
        selected_sprint_id: None,
        done_definition_of_done_id: None,
        done_at: None,
    });
    let mut draft = Draft::beside(backlog);
    draft.record(ScrumFact::ProductBacklogItemCreated(item.clone()));
    draft.notes.suggest("It stands at the end of the backlog; orderProductBacklog moves it");
    draft.changed.item = Some(item);
    Ok(draft.decided())
}

/// Decides what a refinement makes of an item.
pub fn refine(backlog: &Backlog, item: &Versioned<Item>, command: &RefineItem) -> Result<Decision<Changed>, Error> {
    if item.is_done() {
        return Err(rule(
            "refine_product_backlog_item.item_id",
            format!("'{}' is DONE and stays as it was judged", item.title),
            "create another item for what is still to do",
        ));
    }
    let mut state = item.state.clone();
    if let Some(title) = &command.title {
        state.title = title.clone();
    }
    if let Some(description) = &command.description {
        state.description.clone_from(description);
    }
    if let Some(criteria) = &command.acceptance_criteria {
        state.acceptance_criteria.clone_from(criteria);
    }
    if let Some(size) = &command.size {
        state.size.clone_from(size);
    }
    if state == item.state {
        return Err(rule(
            "refine_product_backlog_item",
            "The item says all of this already",
            "give at least one of title, description, acceptance_criteria and size with a new value",
        ));
    }
    let mut draft = Draft::beside(backlog);
    draft.expect(item.key(), item.version);
    let refined = item.next(state);
    draft.record(ScrumFact::ProductBacklogItemRefined(refined.clone()));
    draft.changed.item = Some(refined);
    Ok(draft.decided())
}
