//! A product: its goal, and the order of its backlog.

use std::collections::BTreeSet;

use ledger::RecordKey;
use scope::Timestamp;
use serde::{Deserialize, Serialize};

use super::intent::{NewIds, OrderBacklog, SetGoal};
use super::item::Item;
use super::refusal::rule;
use super::{Changed, Draft, ScrumFact, Versioned, kind};
use crate::Error;
use crate::domain::Decision;

/// Goals of the past that a product still shows; facts keep all of them.
const PAST_GOALS_MAX: usize = 50;

/// A product backlog's own state; its items are records of their own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Product {
    pub id: String,
    pub repository_id: String,
    pub key: String,
    /// The ACTIVE goal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<ProductGoal>,
    /// Oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub past_goals: Vec<ProductGoal>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ordering_policy: Option<String>,
    /// Items created after the last order follow in the order of their creation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ordered_item_ids: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProductGoal {
    pub id: String,
    pub description: String,
    pub status: GoalStatus,
    pub effective_from: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effective_to: Option<Timestamp>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum GoalStatus {
    Active,
    Achieved,
    Abandoned,
}

impl Product {
    pub fn key(&self) -> RecordKey {
        Self::key_of(&self.id)
    }

    pub fn key_of(id: &str) -> RecordKey {
        RecordKey::new(kind::PRODUCT, id)
    }
}

/// The product that an intent goes to: it exists, or comes to be with the intent.
#[derive(Debug, Clone)]
pub struct Backlog {
    pub product: Versioned<Product>,
    pub is_new: bool,
}

impl Backlog {
    pub fn existing(product: Versioned<Product>) -> Self {
        Self { product, is_new: false }
    }

    pub fn fresh(id: &str, repository_id: &str, key: &str) -> Self {
        let product = Product {
            id: id.to_owned(),
            repository_id: repository_id.to_owned(),
            key: key.to_owned(),
            goal: None,
            past_goals: Vec::new(),
            ordering_policy: None,
            ordered_item_ids: Vec::new(),
        };
        Self { product: Versioned::first(product), is_new: true }
    }
}

/// Decides the next goal of a product. One goal is fulfilled or abandoned before the next one is taken on.
pub fn set_goal(
    backlog: &Backlog,
    command: &SetGoal,
    new: &NewIds,
    now: Timestamp,
) -> Result<Decision<Changed>, Error> {
    let mut product = backlog.product.state.clone();
    match (product.goal.take(), command.ending) {
        (Some(goal), None) => {
            return Err(rule(
                "set_product_goal.previous_goal",
                format!(
                    "The product has the active goal '{}', and only one goal is active at a time",
                    goal.description
                ),
                "say what became of it: give previous_goal ACHIEVED or ABANDONED",
            ));
        }
        (None, Some(_)) => {
            return Err(rule(
                "set_product_goal.previous_goal",
                "The product has no active goal that could end",
                "leave previous_goal out",
            ));
        }
        (Some(goal), Some(status)) => {
            product.past_goals.push(ProductGoal { status, effective_to: Some(now), ..goal });
            let surplus = product.past_goals.len().saturating_sub(PAST_GOALS_MAX);
            product.past_goals.drain(..surplus);
        }
        (None, None) => {}
    }
    product.goal = Some(ProductGoal {
        id: new.subject.clone(),
        description: command.description.clone(),
        status: GoalStatus::Active,
        effective_from: now,
        effective_to: None,
    });
    let mut draft = Draft::changing(backlog);
    let product = backlog.product.next(product);
    draft.record(ScrumFact::ProductGoalSet(product.clone()));
    draft.changed.product = Some(product);
    draft.notes.suggest("Add what leads to the goal with createProductBacklogItem");
    Ok(draft.decided())
}

/// Decides a new order. `open` are all items that are not done, `given` what the caller named, in the new order.
pub fn order(
    backlog: &Backlog,
    open: &[Versioned<Item>],
    given: &[Versioned<Item>],
    command: &OrderBacklog,
) -> Result<Decision<Changed>, Error> {
    const FIELD: &str = "order_product_backlog.item_ids";
    let mut seen = BTreeSet::new();
    if let Some(twice) = given.iter().find(|item| !seen.insert(item.id.as_str())) {
        return Err(rule(FIELD, format!("'{}' is named twice", twice.title), "name every item once"));
    }
    let missing: Vec<&str> =
        open.iter().filter(|item| !seen.contains(item.id.as_str())).map(|item| item.title.as_str()).collect();
    if !missing.is_empty() {
        let message = format!("The order leaves out {} items that are not done", missing.len());
        return Err(rule(FIELD, message, format!("name every open item; missing are {}", missing.join(", "))));
    }
    let ordered_item_ids = given.iter().filter(|item| !item.is_done()).map(|item| item.id.clone()).collect();
    let ordering_policy = command.ordering_policy.clone().or_else(|| backlog.product.ordering_policy.clone());
    let product = Product { ordered_item_ids, ordering_policy, ..backlog.product.state.clone() };
    let mut draft = Draft::changing(backlog);
    let product = backlog.product.next(product);
    draft.record(ScrumFact::ProductBacklogReordered(product.clone()));
    draft.changed.product = Some(product);
    Ok(draft.decided())
}

/// Items in the order of the backlog: as the Product Owner ordered them, then the rest as they were created.
pub fn in_order(product: &Product, mut items: Vec<Versioned<Item>>) -> Vec<Versioned<Item>> {
    let place = |item: &Versioned<Item>| product.ordered_item_ids.iter().position(|id| *id == item.id);
    items.sort_by_key(|item| (place(item).unwrap_or(usize::MAX), item.id.clone()));
    items
}
