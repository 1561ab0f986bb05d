//! A request as an intent: exactly the object that `operation` names, and the checks that need nothing else.

use contract::Context;
use contract::generated::transformation::{self as proto, ScrumDomainIntent, ScrumOperation};
use scope::Timestamp;

use crate::Error;
use crate::domain::scrum::intent::{
    CancelSprint, ChangeBacklog, CommitBacklog, CreateItem, CreateSprint, DefineDone, Intent, NewIds, OrderBacklog,
    RecordDone, RefineItem, SetGoal, Submission,
};
use crate::domain::scrum::product::GoalStatus;
use crate::domain::{Name, key, properties};

impl Submission {
    pub fn read(ctx: &Context, request: ScrumDomainIntent) -> Result<Self, Error> {
        let new = NewIds { product: ctx.ids.next(), subject: ctx.ids.next(), increment: ctx.ids.next() };
        let product = request.product_id.clone();
        if product.trim().is_empty() {
            return Err(Error::invalid("product_id", "is empty".to_owned(), "give the id or key of a product"));
        }
        Ok(Self { product, now: ctx.now, new, intent: intent(request)? })
    }
}

fn intent(request: ScrumDomainIntent) -> Result<Intent, Error> {
    let operation = request.operation();
    refuse_others(operation, &request)?;
    match operation {
        ScrumOperation::Unspecified => Err(Error::invalid(
            "operation",
            "is missing".to_owned(),
            format!("give one of {}", ScrumOperation::ALL.iter().map(|of| of.label()).collect::<Vec<_>>().join(", ")),
        )),
        ScrumOperation::SetProductGoal => set_goal(request.set_product_goal.unwrap_or_default()),
        ScrumOperation::CreateProductBacklogItem => {
            create_item(request.create_product_backlog_item.unwrap_or_default())
        }
        ScrumOperation::RefineProductBacklogItem => {
            refine_item(request.refine_product_backlog_item.unwrap_or_default())
        }
        ScrumOperation::OrderProductBacklog => order(request.order_product_backlog.unwrap_or_default()),
        ScrumOperation::CreateSprint => create_sprint(request.create_sprint.unwrap_or_default()),
        ScrumOperation::StartSprint => {
            Ok(Intent::StartSprint { sprint: request.start_sprint.unwrap_or_default().sprint_id })
        }
        ScrumOperation::CancelSprint => cancel(request.cancel_sprint.unwrap_or_default()),
        ScrumOperation::EndSprint => Ok(Intent::EndSprint { sprint: request.end_sprint.unwrap_or_default().sprint_id }),
        ScrumOperation::CommitSprintBacklog => commit(request.commit_sprint_backlog.unwrap_or_default()),
        ScrumOperation::ChangeSprintBacklog => change(request.change_sprint_backlog.unwrap_or_default()),
        ScrumOperation::DefineDefinitionOfDone => define(request.define_definition_of_done.unwrap_or_default()),
        ScrumOperation::RecordProductBacklogItemDone => {
            Ok(record_done(request.record_product_backlog_item_done.unwrap_or_default())?)
        }
    }
}

/// Refuses a request without the object of its operation, and one with another object.
fn refuse_others(operation: ScrumOperation, request: &ScrumDomainIntent) -> Result<(), Error> {
    use ScrumOperation as Of;
    let objects = [
        (Of::SetProductGoal, "set_product_goal", request.set_product_goal.is_some()),
        (Of::CreateProductBacklogItem, "create_product_backlog_item", request.create_product_backlog_item.is_some()),
        (Of::RefineProductBacklogItem, "refine_product_backlog_item", request.refine_product_backlog_item.is_some()),
        (Of::OrderProductBacklog, "order_product_backlog", request.order_product_backlog.is_some()),
        (Of::CreateSprint, "create_sprint", request.create_sprint.is_some()),
        (Of::StartSprint, "start_sprint", request.start_sprint.is_some()),
        (Of::CancelSprint, "cancel_sprint", request.cancel_sprint.is_some()),
        (Of::EndSprint, "end_sprint", request.end_sprint.is_some()),
        (Of::CommitSprintBacklog, "commit_sprint_backlog", request.commit_sprint_backlog.is_some()),
        (Of::ChangeSprintBacklog, "change_sprint_backlog", request.change_sprint_backlog.is_some()),
        (Of::DefineDefinitionOfDone, "define_definition_of_done", request.define_definition_of_done.is_some()),
        (
            Of::RecordProductBacklogItemDone,
            "record_product_backlog_item_done",
            request.record_product_backlog_item_done.is_some(),
        ),
    ];
    let Some((_, wanted, given)) = objects.iter().find(|(of, ..)| *of == operation) else { return Ok(()) };
    let label = operation.label();
    if let Some((of, other, _)) = objects.iter().find(|(of, _, given)| *given && *of != operation) {
        let hint = format!("leave {other} out, or make the operation {}", of.label());
        return Err(Error::argument(*other, format!("does not go with operation {label}"), hint));
    }
    if !given {
        let hint = format!("give what {label} needs as the object {wanted}");
        return Err(Error::argument(*wanted, format!("is missing although operation is {label}"), hint));
    }
    Ok(())
}

fn set_goal(given: proto::SetProductGoal) -> Result<Intent, Error> {
    let ending = match given.previous_goal() {
        proto::GoalEnding::Unspecified => None,
        proto::GoalEnding::Achieved => Some(GoalStatus::Achieved),
        proto::GoalEnding::Abandoned => Some(GoalStatus::Abandoned),
    };
    Ok(Intent::SetGoal(SetGoal { description: prose("set_product_goal.description", given.description)?, ending }))
}

fn create_item(given: proto::CreateProductBacklogItem) -> Result<Intent, Error> {
    Ok(Intent::CreateItem(CreateItem {
        title: Name::new("create_product_backlog_item.title", &given.title)?,
        key: optional_key("create_product_backlog_item.key", given.key)?,
        description: properties::description("create_product_backlog_item.description", given.description)?,
        acceptance_criteria: lines("create_product_backlog_item.acceptance_criteria", given.acceptance_criteria, 50)?,
        size: short("create_product_backlog_item.size", given.size)?,
    }))
}

fn refine_item(given: proto::RefineProductBacklogItem) -> Result<Intent, Error> {
    const FIELDS: [&str; 4] = ["title", "description", "acceptance_criteria", "size"];
    let mask: Option<Vec<&str>> = given
        .update_mask
        .as_deref()
        .map(|mask| mask.split(',').map(str::trim).filter(|path| !path.is_empty()).collect());
    if let Some(unknown) = mask.iter().flatten().find(|path| !FIELDS.contains(path)) {
        return Err(Error::invalid(
            "refine_product_backlog_item.update_mask",
            format!("names {unknown}"),
            format!("use {} with commas in between", FIELDS.join(", ")),
        ));
    }
    // With a mask its fields are set, and cleared when absent; without one, whatever is given.
    let wanted = |field: &str, given: bool| mask.as_ref().map_or(given, |mask| mask.contains(&field));
    let title = given.title.as_deref().unwrap_or_default();
    let title = wanted("title", given.title.is_some())
        .then(|| Name::new("refine_product_backlog_item.title", title))
        .transpose()?;
    let description = wanted("description", given.description.is_some())
        .then(|| properties::description("refine_product_backlog_item.description", given.description))
        .transpose()?;
    let acceptance_criteria = wanted("acceptance_criteria", !given.acceptance_criteria.is_empty())
        .then(|| lines("refine_product_backlog_item.acceptance_criteria", given.acceptance_criteria, 50))
        .transpose()?;
    let size = wanted("size", given.size.is_some())
        .then(|| short("refine_product_backlog_item.size", given.size))
        .transpose()?;
    Ok(Intent::RefineItem(RefineItem { item: given.item_id, title, description, acceptance_criteria, size }))
}

fn order(given: proto::OrderProductBacklog) -> Result<Intent, Error> {
    Ok(Intent::OrderBacklog(OrderBacklog {
        items: at_most("order_product_backlog.item_ids", given.item_ids, 500)?,
        ordering_policy: properties::description("order_product_backlog.ordering_policy", given.ordering_policy)?,
    }))
}

fn create_sprint(given: proto::CreateSprint) -> Result<Intent, Error> {
    Ok(Intent::CreateSprint(CreateSprint {
        name: Name::new("create_sprint.name", &given.name)?,
        key: optional_key("create_sprint.key", given.key)?,
        start_at: moment("create_sprint.start_at", &given.start_at)?,
        end_at: moment("create_sprint.end_at", &given.end_at)?,
    }))
}

fn cancel(given: proto::CancelSprint) -> Result<Intent, Error> {
    let reason = prose("cancel_sprint.reason", given.reason)?;
    Ok(Intent::CancelSprint(CancelSprint { sprint: given.sprint_id, reason }))
}

fn commit(given: proto::CommitSprintBacklog) -> Result<Intent, Error> {
    Ok(Intent::CommitBacklog(CommitBacklog {
        sprint: given.sprint_id,
        goal: prose("commit_sprint_backlog.goal", given.goal)?,
        items: at_most("commit_sprint_backlog.item_ids", given.item_ids, 100)?,
        plan: properties::description("commit_sprint_backlog.plan", given.plan)?,
    }))
}

fn change(given: proto::ChangeSprintBacklog) -> Result<Intent, Error> {
    Ok(Intent::ChangeBacklog(ChangeBacklog {
        sprint: given.sprint_id,
        add: at_most("change_sprint_backlog.add_item_ids", given.add_item_ids, 100)?,
        remove: at_most("change_sprint_backlog.remove_item_ids", given.remove_item_ids, 100)?,
        plan: properties::description("change_sprint_backlog.plan", given.plan)?,
        end_at: given.end_at.map(|text| moment("change_sprint_backlog.end_at", &text)).transpose()?,
    }))
}

fn define(given: proto::DefineDefinitionOfDone) -> Result<Intent, Error> {
    Ok(Intent::DefineDone(DefineDone { text: prose("define_definition_of_done.text", given.text)? }))
}

fn record_done(given: proto::RecordProductBacklogItemDone) -> Result<Intent, Error> {
    const DEFINITION: &str = "record_product_backlog_item_done.definition_of_done_id";
    if given.definition_of_done_id.is_empty() {
        let hint = "say which Definition of Done was applied: its id, or v1 for the first";
        return Err(Error::invalid(DEFINITION, "is missing".to_owned(), hint));
    }
    Ok(Intent::RecordDone(RecordDone {
        item: given.item_id,
        sprint: given.sprint_id,
        definition_of_done: given.definition_of_done_id,
        evidence_refs: lines("record_product_backlog_item_done.evidence_refs", given.evidence_refs, 20)?,
    }))
}

/// Text that must say something.
fn prose(field: &'static str, text: String) -> Result<String, Error> {
    let checked = properties::description(field, Some(text))?;
    checked.ok_or_else(|| Error::invalid(field, "is empty".to_owned(), format!("give {field} as plain text")))
}

/// Few texts that must each say something.
fn lines(field: &'static str, texts: Vec<String>, most: usize) -> Result<Vec<String>, Error> {
    at_most(field, texts, most)?.into_iter().map(|text| prose(field, text)).collect()
}

/// A word or two; an empty one means none.
fn short(field: &'static str, text: Option<String>) -> Result<Option<String>, Error> {
    let given = text.filter(|text| !text.trim().is_empty());
    Ok(given.map(|text| Name::new(field, &text)).transpose()?.map(|name| name.to_string()))
}

fn optional_key(field: &'static str, given: Option<String>) -> Result<Option<String>, Error> {
    given.map(|given| key::checked_in(field, given)).transpose()
}

fn at_most(field: &'static str, list: Vec<String>, most: usize) -> Result<Vec<String>, Error> {
    if list.len() <= most {
        return Ok(list);
    }
    let reason = format!("holds {} entries; at most {most} are allowed", list.len());
    Err(Error::invalid(field, reason, "give fewer at a time"))
}

fn moment(field: &'static str, text: &str) -> Result<Timestamp, Error> {
    text.parse().map_err(|_| {
        Error::invalid(field, "is not a date and time with an offset".to_owned(), "write it as 2026-07-28T10:30:00Z")
    })
}
