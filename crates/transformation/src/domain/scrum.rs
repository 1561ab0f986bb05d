//! Scrum: a product's goal and backlog, its sprints, and what they deliver.
//!
//! Each intent is a plain function: [`product`] sets goals and orders, [`item`] creates and refines, [`sprint`] plans,
//! starts and ends, [`done`] says what finished means and records it. [`role`] says who may. Nothing here knows what time
//! it is: a sprint ends because somebody says so.
//!
//! Invariants:
//! * a product has at most one ACTIVE goal, and a sprint exactly one goal from the moment its backlog is committed;
//! * an item is DONE by a Definition of Done, inside a started sprint that had selected it, and stays so;
//! * a started sprint never gets a later end;
//! * an increment holds only items that are DONE.

pub mod done;
pub mod fact;
pub mod intent;
pub mod item;
pub mod product;
pub mod refusal;
pub mod role;
pub mod sprint;

use ledger::{Expectation, RecordKey};
use serde::{Deserialize, Serialize};

use super::{Decision, Fact, Notes, Stored};
use done::{DefinitionOfDone, Increment};
pub use fact::ScrumFact;
use item::Item;
use product::{Backlog, Product};
pub use refusal::Refusal;
use sprint::Sprint;

/// The kinds of records that Scrum facts are about.
pub mod kind {
    pub const PRODUCT: &str = "transformation.scrum.product";
    pub const ITEM: &str = "transformation.scrum.item";
    pub const SPRINT: &str = "transformation.scrum.sprint";
    pub const DEFINITION_OF_DONE: &str = "transformation.scrum.definition-of-done";
    pub const INCREMENT: &str = "transformation.scrum.increment";
}

/// A state and the version it has, which grows by one with each fact about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Versioned<T> {
    pub version: u64,
    #[serde(flatten)]
    pub state: T,
}

impl<T> Versioned<T> {
    pub fn first(state: T) -> Self {
        Self { version: 1, state }
    }

    /// What comes after this version.
    pub fn next(&self, state: T) -> Self {
        Self { version: self.version + 1, state }
    }
}

impl<T> From<Stored<T>> for Versioned<T> {
    fn from(stored: Stored<T>) -> Self {
        Self { version: stored.version, state: stored.state }
    }
}

impl<T> std::ops::Deref for Versioned<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.state
    }
}

/// What an intent changed, as it is afterwards.
#[derive(Debug, Clone, Default)]
pub struct Changed {
    pub product_id: String,
    pub product: Option<Versioned<Product>>,
    pub item: Option<Versioned<Item>>,
    pub sprint: Option<Versioned<Sprint>>,
    pub definition_of_done: Option<Versioned<DefinitionOfDone>>,
    pub increment: Option<Versioned<Increment>>,
}

/// A decision on its way: what is recorded, and what must still hold then.
struct Draft {
    changed: Changed,
    facts: Vec<Fact>,
    expectations: Vec<Expectation>,
    notes: Notes,
}

impl Draft {
    /// For an intent that changes the product itself.
    fn changing(backlog: &Backlog) -> Self {
        let product = &backlog.product;
        Self::on(backlog, Expectation::Version { key: product.key(), version: product.version })
    }

    /// For an intent that changes something of the product.
    fn beside(backlog: &Backlog) -> Self {
        Self::on(backlog, Expectation::Exists { key: backlog.product.key() })
    }

    fn on(backlog: &Backlog, expectation: Expectation) -> Self {
        let product = &backlog.product;
        let mut draft = Self {
            changed: Changed { product_id: product.id.clone(), ..Changed::default() },
            facts: Vec::new(),
            expectations: vec![expectation],
            notes: Notes::default(),
        };
        if backlog.is_new {
            draft.expectations = vec![Expectation::Absent { key: product.key() }];
            draft.record(ScrumFact::ProductBacklogCreated(product.clone()));
            draft.changed.product = Some(product.clone());
            let message = format!("Product '{}' did not exist and was created", product.state.key);
            draft.notes.warn("PRODUCT_CREATED", message, "If you meant another product, use its id or key from now on");
        }
        draft
    }

    fn expect(&mut self, key: RecordKey, version: u64) {
        self.expectations.push(Expectation::Version { key, version });
    }

    fn record(&mut self, fact: ScrumFact) {
        self.facts.push(Fact::Scrum(fact));
    }

    fn decided(self) -> Decision<Changed> {
        let Self { changed, facts, expectations, notes } = self;
        Decision { outcome: changed, facts, expectations, notes }
    }
}

#[cfg(test)]
mod tests;
