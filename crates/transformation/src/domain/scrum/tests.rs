//! The rules of Scrum, one line each.

use std::collections::BTreeSet;

use scope::Timestamp;

use super::intent::*;
use super::item::{Item, ItemStatus};
use super::product::{self, Backlog, GoalStatus};
use super::sprint::{self, Sprint, SprintStatus};
use super::*;
use crate::Error;
use crate::domain::{Decision, Name};

const NOON: Timestamp = Timestamp(0);

fn backlog() -> Backlog {
    Backlog { is_new: false, ..Backlog::fresh("p", "r", "webshop") }
}

fn new() -> NewIds {
    NewIds { product: "p".to_owned(), subject: "new".to_owned(), increment: "increment".to_owned() }
}

fn item(id: &str, status: ItemStatus, sprint: Option<&str>) -> Versioned<Item> {
    Versioned::first(Item {
        id: id.to_owned(),
        product_id: "p".to_owned(),
        title: Name::new("title", id).unwrap(),
        key: None,
        description: None,
        acceptance_criteria: Vec::new(),
        size: None,
        status,
        selected_sprint_id: sprint.map(str::to_owned),
        done_definition_of_done_id: None,
        done_at: None,
    })
}

fn open(id: &str) -> Versioned<Item> {
    item(id, ItemStatus::InProductBacklog, None)
}

fn selected(id: &str) -> Versioned<Item> {
    item(id, ItemStatus::SelectedForSprint, Some("s"))
}

fn done(id: &str) -> Versioned<Item> {
    item(id, ItemStatus::Done, Some("s"))
}

fn a_sprint(status: SprintStatus, goal: Option<&str>) -> Versioned<Sprint> {
    Versioned::first(Sprint {
        id: "s".to_owned(),
        product_id: "p".to_owned(),
        name: Name::new("name", "Sprint 1").unwrap(),
        key: None,
        start_at: NOON,
        end_at: Timestamp(1_000_000),
        status,
        cancellation_reason: None,
        goal: goal.map(str::to_owned),
        selected_item_ids: vec!["a".to_owned()],
        plan: None,
    })
}

/// The kinds of the facts, or the refusal.
fn show(decided: Result<Decision<Changed>, Error>) -> String {
    match decided {
        Ok(decision) => {
            let kinds = decision.facts.iter().map(|fact| fact.kind().trim_start_matches("transformation.scrum."));
            kinds.collect::<Vec<_>>().join(" ")
        }
        Err(error) => error.to_string(),
    }
}

// R-216
#[test]
fn one_goal_is_active_at_a_time() {
    let goal = |backlog: &Backlog, ending| {
        product::set_goal(backlog, &SetGoal { description: "more sales".to_owned(), ending }, &new(), NOON)
    };
    let first = goal(&backlog(), None).unwrap().outcome.product.unwrap();
    let with_goal = Backlog::existing(first);
    assert_eq!(
        show(goal(&with_goal, None)),
        "The product has the active goal 'more sales', and only one goal is active at a time"
    );
    let next = goal(&with_goal, Some(GoalStatus::Achieved)).unwrap().outcome.product.unwrap();
    assert_eq!(next.past_goals[0].status, GoalStatus::Achieved);
    assert_eq!(next.goal.as_ref().map(|goal| goal.status), Some(GoalStatus::Active));
    assert_eq!(show(goal(&backlog(), Some(GoalStatus::Abandoned))), "The product has no active goal that could end");
    assert_eq!(show(goal(&Backlog::fresh("p", "r", "k"), None)), "ProductBacklogCreated ProductGoalSet");
}

// R-216
#[test]
fn an_order_names_every_open_item_once() {
    // `d` is done, the others are open.
    let item = |id: &&str| if *id == "d" { done(id) } else { open(id) };
    let order = |open: &[&str], given: &[&str]| {
        let (open, given): (Vec<_>, Vec<_>) = (open.iter().map(item).collect(), given.iter().map(item).collect());
        product::order(&backlog(), &open, &given, &OrderBacklog { items: Vec::new(), ordering_policy: None })
    };
    assert_eq!(show(order(&["a", "b"], &["b", "a"])), "ProductBacklogReordered");
    assert_eq!(show(order(&["a", "b"], &["b"])), "The order leaves out 1 items that are not done");
    assert_eq!(show(order(&["a"], &["a", "a"])), "'a' is named twice");
    let whole = order(&["a"], &["d", "a"]).unwrap().outcome.product.unwrap();
    assert_eq!(whole.ordered_item_ids, ["a"], "what is done needs no place");
}

// R-216
#[test]
fn a_sprint_has_one_goal_before_it_starts() {
    let commit = |sprint: &Versioned<Sprint>, items: &[Versioned<Item>]| {
        let goal = "sell".to_owned();
        let command = CommitBacklog { sprint: String::new(), goal, items: Vec::new(), plan: None };
        sprint::backlog::commit(&backlog(), sprint, items, &command)
    };
    let planned = a_sprint(SprintStatus::Planned, None);
    assert_eq!(show(sprint::start(&backlog(), &planned)), "'Sprint 1' has no sprint goal yet");
    assert_eq!(show(commit(&planned, &[open("a")])), "SprintBacklogCommitted");
    assert_eq!(show(commit(&planned, &[done("a")])), "'a' is DONE and cannot be selected again");
    assert_eq!(show(commit(&planned, &[selected("a")])), "'a' is selected for sprint s");
    let committed = a_sprint(SprintStatus::Planned, Some("sell"));
    assert_eq!(show(commit(&committed, &[])), "'Sprint 1' has the goal 'sell', and a sprint has one goal");
    assert_eq!(show(sprint::start(&backlog(), &committed)), "SprintStarted");
    let started = a_sprint(SprintStatus::Started, Some("sell"));
    assert_eq!(show(sprint::start(&backlog(), &started)), "'Sprint 1' is started, not planned");
}

// R-216
#[test]
fn a_started_sprint_is_not_extended() {
    let end_at = |status, micros| {
        let command = ChangeBacklog {
            sprint: String::new(),
            add: Vec::new(),
            remove: Vec::new(),
            plan: None,
            end_at: Some(Timestamp(micros)),
        };
        sprint::backlog::change(&backlog(), &a_sprint(status, Some("sell")), &[], &[], &command)
    };
    assert_eq!(
        show(end_at(SprintStatus::Started, 2_000_000)),
        "'Sprint 1' is started, and a started sprint is not extended beyond 1970-01-01T00:00:01.000000Z"
    );
    assert_eq!(show(end_at(SprintStatus::Started, 500_000)), "SprintBacklogChanged");
    assert_eq!(show(end_at(SprintStatus::Planned, 2_000_000)), "SprintBacklogChanged");
    assert_eq!(show(end_at(SprintStatus::Planned, -1)), "The sprint would end before it starts");
}

// R-216
#[test]
fn what_is_not_done_goes_back_when_a_sprint_ends() {
    let ended = sprint::end(&backlog(), &a_sprint(SprintStatus::Started, Some("g")), &[selected("a"), done("d")]);
    let Fact::Scrum(ScrumFact::SprintEnded(change)) = &ended.unwrap().facts[0] else { panic!("a sprint ended") };
    let moved: Vec<(&str, ItemStatus, u64)> =
        change.items.iter().map(|item| (item.id.as_str(), item.status, item.version)).collect();
    assert_eq!(moved, [("a", ItemStatus::InProductBacklog, 2)]);
    assert_eq!(
        show(sprint::end(&backlog(), &a_sprint(SprintStatus::Ended, None), &[])),
        "'Sprint 1' is ended, not started"
    );
}

// R-216
#[test]
fn done_needs_a_started_sprint_that_selected_the_item() {
    let record = |item: Versioned<Item>, status, increment| {
        let definition_of_done = done::DefinitionOfDone {
            id: "dod".to_owned(),
            product_id: "p".to_owned(),
            text: "tested".to_owned(),
            number: 1,
            effective_from: NOON,
        };
        let around = done::Surroundings { item, sprint: a_sprint(status, Some("g")), definition_of_done, increment };
        let command = RecordDone {
            item: String::new(),
            sprint: String::new(),
            definition_of_done: String::new(),
            evidence_refs: vec!["build 7".to_owned()],
        };
        done::record(&backlog(), &around, &command, &new(), NOON)
    };
    let first = record(selected("a"), SprintStatus::Started, None);
    assert_eq!(show(first.clone()), "ProductBacklogItemDoneRecorded IncrementCreated");
    let increment = first.unwrap().outcome.increment;
    let second = record(selected("b"), SprintStatus::Started, increment);
    assert_eq!(show(second.clone()), "ProductBacklogItemDoneRecorded IncrementUpdated");
    let Changed { item, increment, .. } = second.unwrap().outcome;
    assert_eq!(increment.unwrap().included_item_ids, ["a", "b"]);
    assert_eq!(item.unwrap().done_definition_of_done_id.as_deref(), Some("dod"));
    assert_eq!(show(record(open("a"), SprintStatus::Started, None)), "'a' is not selected for 'Sprint 1'");
    assert_eq!(show(record(done("a"), SprintStatus::Started, None)), "'a' is DONE already");
    assert_eq!(show(record(selected("a"), SprintStatus::Planned, None)), "'Sprint 1' is not under way");
}

// R-216
#[test]
fn roles_decide_who_may() {
    let check = |roles: &[&str], intent: &Intent, expected: &str| {
        let roles: BTreeSet<String> = roles.iter().map(|role| (*role).to_owned()).collect();
        let shown = role::permit(&roles, intent).map_or_else(|refusal| refusal.to_string(), |()| "ok".to_owned());
        assert_eq!(shown, expected);
    };
    let cancel = Intent::CancelSprint(CancelSprint { sprint: String::new(), reason: String::new() });
    check(&["product-owner"], &cancel, "ok");
    check(&["admin"], &cancel, "ok");
    check(&["developer", "scrum-master"], &cancel, "Canceling a sprint needs the role product-owner");
    let start = Intent::StartSprint { sprint: String::new() };
    check(&["scrum-master"], &start, "ok");
    check(&["viewer"], &start, "Changing a product needs the role product-owner or developer or scrum-master");
    let size = Intent::RefineItem(RefineItem {
        item: String::new(),
        title: None,
        description: None,
        acceptance_criteria: None,
        size: Some(Some("3".to_owned())),
    });
    check(&["product-owner"], &size, "Sizing an item needs the role developer");
}

#[test]
fn a_fact_is_read_back_as_it_was() {
    let change = fact::SprintChange { sprint: a_sprint(SprintStatus::Started, Some("g")), items: vec![selected("a")] };
    for fact in [
        ScrumFact::ProductGoalSet(backlog().product),
        ScrumFact::ProductBacklogItemCreated(open("a")),
        ScrumFact::SprintBacklogCommitted(change),
    ] {
        assert_eq!(ScrumFact::read(fact.kind(), &fact.body()), Some(Ok(fact.clone())));
        let body: serde_json::Value = serde_json::from_str(&fact.body()).unwrap();
        assert!(body["aggregate_type"].is_string() && body["id"].is_string() && body["version"] == 1, "{body}");
    }
}
