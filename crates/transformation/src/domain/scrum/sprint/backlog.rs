//! What a sprint is committed to: one goal, and the items selected for it.

use super::{Sprint, SprintStatus, changed, refuse_unless};
use crate::Error;
use crate::domain::Decision;
use crate::domain::scrum::intent::{ChangeBacklog, CommitBacklog};
use crate::domain::scrum::item::{Item, ItemStatus};
use crate::domain::scrum::product::Backlog;
use crate::domain::scrum::refusal::rule;
use crate::domain::scrum::{Changed, ScrumFact, Versioned};

/// Most items of one sprint.
const ITEMS_MAX: usize = 200;

/// Decides what a planned sprint is committed to. It has one goal, so this happens once.
pub fn commit(
    backlog: &Backlog,
    sprint: &Versioned<Sprint>,
    items: &[Versioned<Item>],
    command: &CommitBacklog,
) -> Result<Decision<Changed>, Error> {
    refuse_unless(sprint, &[SprintStatus::Planned], "commit_sprint_backlog.sprint_id")?;
    if let Some(goal) = &sprint.goal {
        return Err(rule(
            "commit_sprint_backlog.goal",
            format!("'{}' has the goal '{goal}', and a sprint has one goal", sprint.name),
            "change its items with changeSprintBacklog",
        ));
    }
    let selected = select(sprint, items, "commit_sprint_backlog.item_ids")?;
    let state = Sprint {
        goal: Some(command.goal.clone()),
        selected_item_ids: selected.iter().map(|(item, _)| item.id.clone()).collect(),
        plan: command.plan.clone(),
        ..sprint.state.clone()
    };
    Ok(changed(backlog, sprint, state, selected, ScrumFact::SprintBacklogCommitted))
}

/// Decides what a sprint takes on or gives back. Its goal stays, and once started its end never moves back.
pub fn change(
    backlog: &Backlog,
    sprint: &Versioned<Sprint>,
    added: &[Versioned<Item>],
    removed: &[Versioned<Item>],
    command: &ChangeBacklog,
) -> Result<Decision<Changed>, Error> {
    refuse_unless(sprint, &[SprintStatus::Planned, SprintStatus::Started], "change_sprint_backlog.sprint_id")?;
    if sprint.goal.is_none() {
        return Err(rule(
            "change_sprint_backlog.sprint_id",
            format!("The backlog of '{}' is not committed yet", sprint.name),
            "commit it with a goal first: commitSprintBacklog",
        ));
    }
    let mut state = sprint.state.clone();
    if let Some(end_at) = command.end_at {
        refuse_end(sprint, end_at)?;
        state.end_at = end_at;
    }
    let mut items = select(sprint, added, "change_sprint_backlog.add_item_ids")?;
    items.extend(give_back(sprint, removed)?);
    state.selected_item_ids.retain(|id| removed.iter().all(|item| item.id != *id));
    state.selected_item_ids.extend(added.iter().map(|item| item.id.clone()));
    if state.selected_item_ids.len() > ITEMS_MAX {
        let message = format!("The sprint would hold more than {ITEMS_MAX} items");
        return Err(rule("change_sprint_backlog.add_item_ids", message, "select fewer items"));
    }
    if command.plan.is_some() {
        state.plan.clone_from(&command.plan);
    }
    if state == sprint.state {
        return Err(rule(
            "change_sprint_backlog",
            "Nothing would change",
            "give add_item_ids, remove_item_ids, plan or end_at",
        ));
    }
    Ok(changed(backlog, sprint, state, items, ScrumFact::SprintBacklogChanged))
}

fn refuse_end(sprint: &Sprint, end_at: scope::Timestamp) -> Result<(), Error> {
    const FIELD: &str = "change_sprint_backlog.end_at";
    if end_at <= sprint.start_at {
        return Err(rule(FIELD, "The sprint would end before it starts", "give an end_at after start_at"));
    }
    if sprint.status == SprintStatus::Started && end_at > sprint.end_at {
        return Err(rule(
            FIELD,
            format!("'{}' is started, and a started sprint is not extended beyond {}", sprint.name, sprint.end_at),
            "end it on time and plan the rest into the next sprint",
        ));
    }
    Ok(())
}

/// The items as pairs of before and after their selection.
fn select(
    sprint: &Sprint,
    items: &[Versioned<Item>],
    field: &'static str,
) -> Result<Vec<(Versioned<Item>, Item)>, Error> {
    let mut selected: Vec<(Versioned<Item>, Item)> = Vec::with_capacity(items.len());
    for item in items {
        if item.is_done() {
            let message = format!("'{}' is DONE and cannot be selected again", item.title);
            return Err(rule(field, message, "leave it out, or create another item for what is still to do"));
        }
        if let Some(other) = &item.selected_sprint_id {
            let message = format!("'{}' is selected for sprint {other}", item.title);
            return Err(rule(field, message, "leave it out, or remove it from that sprint first"));
        }
        if selected.iter().any(|(other, _)| other.id == item.id) {
            return Err(rule(field, format!("'{}' is named twice", item.title), "name every item once"));
        }
        let status = ItemStatus::SelectedForSprint;
        let after = Item { status, selected_sprint_id: Some(sprint.id.clone()), ..item.state.clone() };
        selected.push((item.clone(), after));
    }
    Ok(selected)
}

/// The items as pairs of before and after they leave the sprint.
fn give_back(sprint: &Sprint, items: &[Versioned<Item>]) -> Result<Vec<(Versioned<Item>, Item)>, Error> {
    const FIELD: &str = "change_sprint_backlog.remove_item_ids";
    for (place, item) in items.iter().enumerate() {
        if item.is_done() || item.selected_sprint_id.as_ref() != Some(&sprint.id) {
            let message = format!("'{}' is not an open item of '{}'", item.title, sprint.name);
            return Err(rule(FIELD, message, "name items that are selected for this sprint and not done"));
        }
        if items[..place].iter().any(|other| other.id == item.id) {
            return Err(rule(FIELD, format!("'{}' is named twice", item.title), "name every item once"));
        }
    }
    Ok(super::unfinished(items))
}
