//! What is remembered about a product. Each fact names its aggregate and carries the whole new state of all it changed.

use ledger::RecordKey;
use serde::{Deserialize, Serialize};

use super::Versioned;
use super::done::{DefinitionOfDone, Increment};
use super::item::Item;
use super::product::Product;
use super::sprint::Sprint;
use crate::domain::fact::{state, text};

/// Something that happened to a product.
#[derive(Debug, Clone, PartialEq)]
pub enum ScrumFact {
    ProductBacklogCreated(Versioned<Product>),
    ProductGoalSet(Versioned<Product>),
    ProductBacklogReordered(Versioned<Product>),
    ProductBacklogItemCreated(Versioned<Item>),
    ProductBacklogItemRefined(Versioned<Item>),
    ProductBacklogItemDoneRecorded(Versioned<Item>),
    SprintCreated(SprintChange),
    SprintStarted(SprintChange),
    SprintCanceled(SprintChange),
    SprintEnded(SprintChange),
    SprintBacklogCommitted(SprintChange),
    SprintBacklogChanged(SprintChange),
    DefinitionOfDoneDefined(Versioned<DefinitionOfDone>),
    IncrementCreated(Versioned<Increment>),
    IncrementUpdated(Versioned<Increment>),
}

/// A sprint, and the items that its change selected or gave back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SprintChange {
    #[serde(flatten)]
    pub sprint: Versioned<Sprint>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<Versioned<Item>>,
}

/// The aggregate that a fact is about, with its new state.
#[derive(Debug, Clone, Copy)]
pub enum Subject<'a> {
    Product(&'a Versioned<Product>),
    Item(&'a Versioned<Item>),
    Sprint(&'a SprintChange),
    DefinitionOfDone(&'a Versioned<DefinitionOfDone>),
    Increment(&'a Versioned<Increment>),
}

/// A body as it is kept: the state, and what sort of aggregate it is of.
#[derive(Serialize)]
struct Body<'a, T> {
    aggregate_type: &'static str,
    #[serde(flatten)]
    state: &'a T,
}

impl ScrumFact {
    /// The kind under which the ledger keeps it.
    pub fn kind(&self) -> &'static str {
        self.parts().0
    }

    pub fn subject(&self) -> RecordKey {
        match self.parts().1 {
            Subject::Product(product) => product.key(),
            Subject::Item(item) => item.key(),
            Subject::Sprint(change) => change.sprint.key(),
            Subject::DefinitionOfDone(definition) => definition.key(),
            Subject::Increment(increment) => increment.key(),
        }
    }

    /// The product that it is about, as a whole.
    pub fn product_id(&self) -> &str {
        match self.parts().1 {
            Subject::Product(product) => &product.id,
            Subject::Item(item) => &item.product_id,
            Subject::Sprint(change) => &change.sprint.product_id,
            Subject::DefinitionOfDone(definition) => &definition.product_id,
            Subject::Increment(increment) => &increment.product_id,
        }
    }

    pub fn body(&self) -> String {
        match self.parts().1 {
            Subject::Product(state) => text(&Body { aggregate_type: "ProductBacklog", state }),
            Subject::Item(state) => text(&Body { aggregate_type: "ProductBacklogItem", state }),
            Subject::Sprint(state) => text(&Body { aggregate_type: "Sprint", state }),
            Subject::DefinitionOfDone(state) => text(&Body { aggregate_type: "DefinitionOfDone", state }),
            Subject::Increment(state) => text(&Body { aggregate_type: "Increment", state }),
        }
    }

    /// The fact that the ledger keeps under this kind; none if it is of another family.
    pub fn read(kind: &str, body: &str) -> Option<Result<Self, String>> {
        Some(match kind.strip_prefix("transformation.scrum.")? {
            "ProductBacklogCreated" => state(body).map(Self::ProductBacklogCreated),
            "ProductGoalSet" => state(body).map(Self::ProductGoalSet),
            "ProductBacklogReordered" => state(body).map(Self::ProductBacklogReordered),
            "ProductBacklogItemCreated" => state(body).map(Self::ProductBacklogItemCreated),
            "ProductBacklogItemRefined" => state(body).map(Self::ProductBacklogItemRefined),
            "ProductBacklogItemDoneRecorded" => state(body).map(Self::ProductBacklogItemDoneRecorded),
            "SprintCreated" => state(body).map(Self::SprintCreated),
            "SprintStarted" => state(body).map(Self::SprintStarted),
            "SprintCanceled" => state(body).map(Self::SprintCanceled),
            "SprintEnded" => state(body).map(Self::SprintEnded),
            "SprintBacklogCommitted" => state(body).map(Self::SprintBacklogCommitted),
            "SprintBacklogChanged" => state(body).map(Self::SprintBacklogChanged),
            "DefinitionOfDoneDefined" => state(body).map(Self::DefinitionOfDoneDefined),
            "IncrementCreated" => state(body).map(Self::IncrementCreated),
            "IncrementUpdated" => state(body).map(Self::IncrementUpdated),
            _ => return None,
        })
    }

    /// Its kind and its aggregate.
    pub fn parts(&self) -> (&'static str, Subject<'_>) {
        match self {
            Self::ProductBacklogCreated(product) => {
                ("transformation.scrum.ProductBacklogCreated", Subject::Product(product))
            }
            Self::ProductGoalSet(product) => ("transformation.scrum.ProductGoalSet", Subject::Product(product)),
            Self::ProductBacklogReordered(product) => {
                ("transformation.scrum.ProductBacklogReordered", Subject::Product(product))
            }
            Self::ProductBacklogItemCreated(item) => {
                ("transformation.scrum.ProductBacklogItemCreated", Subject::Item(item))
            }
            Self::ProductBacklogItemRefined(item) => {
                ("transformation.scrum.ProductBacklogItemRefined", Subject::Item(item))
            }
            Self::ProductBacklogItemDoneRecorded(item) => {
                ("transformation.scrum.ProductBacklogItemDoneRecorded", Subject::Item(item))
            }
            Self::SprintCreated(change) => ("transformation.scrum.SprintCreated", Subject::Sprint(change)),
            Self::SprintStarted(change) => ("transformation.scrum.SprintStarted", Subject::Sprint(change)),
            Self::SprintCanceled(change) => ("transformation.scrum.SprintCanceled", Subject::Sprint(change)),
            Self::SprintEnded(change) => ("transformation.scrum.SprintEnded", Subject::Sprint(change)),
            Self::SprintBacklogCommitted(change) => {
                ("transformation.scrum.SprintBacklogCommitted", Subject::Sprint(change))
            }
            Self::SprintBacklogChanged(change) => {
                ("transformation.scrum.SprintBacklogChanged", Subject::Sprint(change))
            }
            Self::DefinitionOfDoneDefined(definition) => {
                ("transformation.scrum.DefinitionOfDoneDefined", Subject::DefinitionOfDone(definition))
            }
            Self::IncrementCreated(increment) => {
                ("transformation.scrum.IncrementCreated", Subject::Increment(increment))
            }
            Self::IncrementUpdated(increment) => {
                ("transformation.scrum.IncrementUpdated", Subject::Increment(increment))
            }
        }
    }
}
