//! Scrum states as messages of the contract.

use contract::generated::transformation as proto;

use crate::domain::scrum::Versioned;
use crate::domain::scrum::done::{DefinitionOfDone, Increment};
use crate::domain::scrum::item::{Item, ItemStatus};
use crate::domain::scrum::product::{GoalStatus, Product, ProductGoal};
use crate::domain::scrum::sprint::{Sprint, SprintStatus};

pub fn product(product: &Versioned<Product>) -> proto::Product {
    proto::Product {
        id: product.id.clone(),
        key: product.state.key.clone(),
        goal: product.goal.as_ref().map(goal),
        ordered_item_ids: product.ordered_item_ids.clone(),
        ordering_policy: product.ordering_policy.clone(),
        version: product.version,
    }
}

pub fn goal(goal: &ProductGoal) -> proto::ProductGoal {
    let status = match goal.status {
        GoalStatus::Active => proto::GoalStatus::GoalActive,
        GoalStatus::Achieved => proto::GoalStatus::GoalAchieved,
        GoalStatus::Abandoned => proto::GoalStatus::GoalAbandoned,
    };
    proto::ProductGoal {
        id: goal.id.clone(),
        description: goal.description.clone(),
        status: status.into(),
        effective_from: goal.effective_from.to_string(),
        effective_to: goal.effective_to.map(|moment| moment.to_string()),
    }
}

pub fn item(item: &Versioned<Item>) -> proto::ProductBacklogItem {
    let status = match item.status {
        ItemStatus::InProductBacklog => proto::ItemStatus::ItemInProductBacklog,
        ItemStatus::SelectedForSprint => proto::ItemStatus::ItemSelectedForSprint,
        ItemStatus::Done => proto::ItemStatus::ItemDone,
    };
    proto::ProductBacklogItem {
        id: item.id.clone(),
        product_id: item.product_id.clone(),
        title: item.title.to_string(),
        key: item.state.key.clone(),
        description: item.description.clone(),
        acceptance_criteria: item.acceptance_criteria.clone(),
        size: item.size.clone(),
        status: status.into(),
        selected_sprint_id: item.selected_sprint_id.clone(),
        done_definition_of_done_id: item.done_definition_of_done_id.clone(),
        done_at: item.done_at.map(|moment| moment.to_string()),
        version: item.version,
    }
}

pub fn sprint(sprint: &Versioned<Sprint>) -> proto::Sprint {
    let status = match sprint.status {
        SprintStatus::Planned => proto::SprintStatus::SprintPlanned,
        SprintStatus::Started => proto::SprintStatus::SprintStarted,
        SprintStatus::Ended => proto::SprintStatus::SprintEnded,
        SprintStatus::Canceled => proto::SprintStatus::SprintCanceled,
    };
    proto::Sprint {
        id: sprint.id.clone(),
        product_id: sprint.product_id.clone(),
        name: sprint.name.to_string(),
        key: sprint.state.key.clone(),
        start_at: sprint.start_at.to_string(),
        end_at: sprint.end_at.to_string(),
        status: status.into(),
        cancellation_reason: sprint.cancellation_reason.clone(),
        goal: sprint.goal.clone(),
        selected_item_ids: sprint.selected_item_ids.clone(),
        plan: sprint.plan.clone(),
        version: sprint.version,
    }
}

pub fn definition_of_done(definition: &DefinitionOfDone) -> proto::DefinitionOfDone {
    proto::DefinitionOfDone {
        id: definition.id.clone(),
        product_id: definition.product_id.clone(),
        text: definition.text.clone(),
        version: definition.number,
        effective_from: definition.effective_from.to_string(),
    }
}

pub fn increment(increment: &Versioned<Increment>) -> proto::Increment {
    proto::Increment {
        id: increment.id.clone(),
        product_id: increment.product_id.clone(),
        sprint_id: increment.sprint_id.clone(),
        definition_of_done_id: increment.definition_of_done_id.clone(),
        included_item_ids: increment.included_item_ids.clone(),
        evidence_refs: increment.evidence_refs.clone(),
        version: increment.version,
    }
}

/// The status behind a number of the proto enum; none for "unspecified".
pub fn item_status(number: i32) -> Option<ItemStatus> {
    match proto::ItemStatus::try_from(number).ok()? {
        proto::ItemStatus::ItemInProductBacklog => Some(ItemStatus::InProductBacklog),
        proto::ItemStatus::ItemSelectedForSprint => Some(ItemStatus::SelectedForSprint),
        proto::ItemStatus::ItemDone => Some(ItemStatus::Done),
        proto::ItemStatus::Unspecified => None,
    }
}
