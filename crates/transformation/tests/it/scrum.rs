//! submitScrumIntent, the product resource, and the items behind it.

use contract::generated::transformation::{ItemStatus, ListProductBacklogItemsRequest, ScrumQueryService};
use contract::{Blob, Capability, Changed};
use ledger::Folds;
use scope::{Principal, Words};
use serde_json::{Value, json};
use transformation::Transformation;

use crate::world::{World, column, outcome};

/// Submits an intent for the product `webshop`; the object has the name of the operation in snake case.
async fn submit(world: &World, operation: &str, object: Value) -> Value {
    let field: String = operation
        .chars()
        .flat_map(|letter| {
            let low = letter.to_ascii_lowercase();
            if letter.is_uppercase() { vec!['_', low] } else { vec![low] }
        })
        .collect();
    let mut arguments = json!({"operation": operation, "product_id": "webshop"});
    arguments[field] = object;
    world.call("submitScrumIntent", arguments).await
}

async fn product(world: &World) -> Value {
    let Blob::Text { text, .. } =
        world.capability.read(&world.ctx(), "transformation://product/webshop").await.unwrap()
    else {
        panic!("a resource is text");
    };
    serde_json::from_str(&text).unwrap()
}

/// A product with two items and a started sprint that selected the first.
async fn under_way() -> World {
    let world = World::new().await;
    for (operation, object) in [
        ("setProductGoal", json!({"description": "Customers pay as they like"})),
        ("createProductBacklogItem", json!({"title": "Pay by invoice", "key": "invoice"})),
        ("createProductBacklogItem", json!({"title": "Pay by card"})),
        ("defineDefinitionOfDone", json!({"text": "Tested and deployed"})),
        (
            "createSprint",
            json!({"name": "Sprint 1", "start_at": "2026-08-03T08:00:00Z", "end_at": "2026-08-14T16:00:00Z"}),
        ),
        ("commitSprintBacklog", json!({"sprint_id": "Sprint 1", "goal": "Invoices", "item_ids": ["invoice"]})),
        ("startSprint", json!({"sprint_id": "sprint 1"})),
    ] {
        let answer = submit(&world, operation, object).await;
        assert_eq!(outcome(&answer), "ok", "{answer}");
    }
    world
}

// R-211, R-216
#[tokio::test]
async fn the_twelve_intents_lead_from_a_goal_to_an_increment() {
    let world = under_way().await;
    let refined =
        submit(&world, "refineProductBacklogItem", json!({"item_id": "invoice", "size": "5", "description": "d"}))
            .await;
    assert_eq!((&refined["item"]["size"], &refined["item"]["version"]), (&json!("5"), &json!(3)));
    let cleared =
        submit(&world, "refineProductBacklogItem", json!({"item_id": "invoice", "update_mask": "description"})).await;
    assert_eq!((&cleared["item"]["size"], &cleared["item"].get("description")), (&json!("5"), &None));
    let ordered = submit(&world, "orderProductBacklog", json!({"item_ids": ["Pay by card", "invoice"]})).await;
    assert_eq!(ordered["product"]["ordered_item_ids"].as_array().map(Vec::len), Some(2));
    assert_eq!(column(&product(&world).await["backlog"], "title"), ["Pay by card", "Pay by invoice"]);
    let changed =
        submit(&world, "changeSprintBacklog", json!({"sprint_id": "Sprint 1", "add_item_ids": ["Pay by card"]})).await;
    assert_eq!(changed["sprint"]["selected_item_ids"].as_array().map(Vec::len), Some(2));
    let done = submit(
        &world,
        "recordProductBacklogItemDone",
        json!({"item_id": "invoice", "sprint_id": "Sprint 1", "definition_of_done_id": "v1", "evidence_refs": ["build 7"]}),
    )
    .await;
    assert_eq!((&done["item"]["status"], &done["outcome"]), (&json!("DONE"), &json!("committed")));
    assert_eq!(done["increment"]["included_item_ids"], json!([done["item"]["id"]]));
    let ended = submit(&world, "endSprint", json!({"sprint_id": "Sprint 1"})).await;
    assert_eq!(ended["sprint"]["status"], "ENDED");
    let next = json!({"name": "Sprint 2", "start_at": "2026-08-17T08:00:00Z", "end_at": "2026-08-28T16:00:00Z"});
    submit(&world, "createSprint", next).await;
    let canceled = submit(&world, "cancelSprint", json!({"sprint_id": "Sprint 2", "reason": "no longer needed"})).await;
    assert_eq!(canceled["sprint"]["cancellation_reason"], "no longer needed");

    let shown = product(&world).await;
    assert_eq!(shown["product"]["goal"]["status"], "ACTIVE");
    assert_eq!(column(&shown["backlog"], "title"), ["Pay by card"]);
    assert_eq!(column(&shown["backlog"], "status"), ["IN_PRODUCT_BACKLOG"]);
    assert_eq!(column(&shown["sprints"], "status"), ["ENDED", "CANCELED"]);
    assert_eq!(shown["definitions_of_done"][0]["version"], 1);
    assert_eq!(shown["increments"][0]["evidence_refs"], json!(["build 7"]));
    let folds = Folds::from([("transformation".to_owned(), Transformation::fold())]);
    assert_eq!(world.ledger.verify(&folds).await.unwrap().differences, Vec::<String>::new());
}

// R-216
#[tokio::test]
async fn what_scrum_does_not_allow_changes_nothing() {
    let world = under_way().await;
    let facts = world.facts().await;
    for (operation, object, expected) in [
        ("setProductGoal", json!({"description": "Another"}), "PRECONDITION_FAILED set_product_goal.previous_goal"),
        ("orderProductBacklog", json!({"item_ids": ["invoice"]}), "PRECONDITION_FAILED order_product_backlog.item_ids"),
        (
            "changeSprintBacklog",
            json!({"sprint_id": "Sprint 1", "end_at": "2026-08-15T16:00:00Z"}),
            "PRECONDITION_FAILED change_sprint_backlog.end_at",
        ),
        (
            "recordProductBacklogItemDone",
            json!({"item_id": "Pay by card", "sprint_id": "Sprint 1", "definition_of_done_id": "v1"}),
            "PRECONDITION_FAILED record_product_backlog_item_done.item_id",
        ),
        (
            "recordProductBacklogItemDone",
            json!({"item_id": "invoice", "sprint_id": "Sprint 1", "definition_of_done_id": ""}),
            "VALIDATION_ERROR record_product_backlog_item_done.definition_of_done_id",
        ),
        (
            "recordProductBacklogItemDone",
            json!({"item_id": "invoice", "sprint_id": "Sprint 1", "definition_of_done_id": "v2"}),
            "DEFINITION_OF_DONE_NOT_FOUND record_product_backlog_item_done.definition_of_done_id",
        ),
        (
            "commitSprintBacklog",
            json!({"sprint_id": "Sprint 1", "goal": "Another"}),
            "PRECONDITION_FAILED commit_sprint_backlog.sprint_id",
        ),
        ("cancelSprint", json!({"sprint_id": "Sprint 1", "reason": " "}), "VALIDATION_ERROR cancel_sprint.reason"),
        ("startSprint", json!({"sprint_id": "Sprint 9"}), "SPRINT_NOT_FOUND start_sprint.sprint_id"),
    ] {
        assert_eq!(outcome(&submit(&world, operation, object).await), expected, "{operation}");
    }
    assert_eq!(world.facts().await, facts);
}

// R-209: the Scrum half.
#[tokio::test]
async fn an_intent_is_exactly_the_object_of_its_operation() {
    let world = World::new().await;
    let call = async |mut arguments: Value| {
        arguments["product_id"] = json!("webshop");
        let answer = world.call("submitScrumIntent", arguments).await;
        let hint = answer["error"]["suggestions"]["hint"].as_str().unwrap().to_owned();
        (outcome(&answer), hint)
    };
    let goal = json!({"description": "g"});
    let none = call(json!({"operation": "setProductGoal"})).await;
    assert_eq!(none.0, "INVALID_ARGUMENT set_product_goal");
    assert_eq!(none.1, "give what setProductGoal needs as the object set_product_goal");
    let mismatch = call(json!({"operation": "startSprint", "set_product_goal": goal})).await;
    assert_eq!(mismatch.0, "INVALID_ARGUMENT set_product_goal");
    assert_eq!(mismatch.1, "leave set_product_goal out, or make the operation setProductGoal");
    let both = json!({"operation": "setProductGoal", "set_product_goal": goal, "end_sprint": {"sprint_id": "s"}});
    assert_eq!(call(both).await.0, "INVALID_ARGUMENT end_sprint");
    let tool = world.capability.manifest().tools.iter().find(|tool| tool.name.ends_with("submitScrumIntent")).unwrap();
    let schema = Value::Object(tool.input_schema.clone()).to_string();
    assert!(!schema.contains("oneOf") && schema.len() < 4_000, "{}", schema.len());
    assert_eq!(tool.rpc, "ScrumWriteService.SubmitIntent");
}

// R-216
#[tokio::test]
async fn roles_of_the_caller_decide() {
    let world = under_way().await;
    let with = |roles: &[&str]| {
        let roles: Words = roles.iter().map(|role| (*role).to_owned()).collect();
        let mut theirs = world.clone();
        theirs.principal = Principal { roles, ..Principal::local("someone") };
        theirs
    };
    let order = json!({"item_ids": ["Pay by card", "invoice"]});
    let refused = submit(&with(&["developer"]), "orderProductBacklog", order.clone()).await;
    assert_eq!(outcome(&refused), "PERMISSION_DENIED -");
    assert_eq!(refused["error"]["details"]["roles_needed"], json!(["product-owner"]));
    assert_eq!(outcome(&submit(&with(&["product-owner"]), "orderProductBacklog", order).await), "ok");
    let cancel = json!({"sprint_id": "Sprint 1", "reason": "r"});
    assert_eq!(outcome(&submit(&with(&["scrum-master"]), "cancelSprint", cancel).await), "PERMISSION_DENIED -");
    let done = json!({"item_id": "invoice", "sprint_id": "Sprint 1", "definition_of_done_id": "v1"});
    let by_owner = submit(&with(&["product-owner"]), "recordProductBacklogItemDone", done.clone()).await;
    assert_eq!(outcome(&by_owner), "PERMISSION_DENIED -");
    assert_eq!(outcome(&submit(&with(&["developer"]), "recordProductBacklogItemDone", done).await), "ok");
}

#[tokio::test]
async fn a_product_comes_to_be_with_its_first_intent_only() {
    let world = World::new().await;
    let unknown = submit(&world, "startSprint", json!({"sprint_id": "s"})).await;
    assert_eq!(outcome(&unknown), "PRODUCT_NOT_FOUND product_id");
    let first = submit(&world, "createProductBacklogItem", json!({"title": "First"})).await;
    assert_eq!(column(&first["warnings"], "code"), ["PRODUCT_CREATED"]);
    let second = submit(&world, "createProductBacklogItem", json!({"title": "First"})).await;
    assert_eq!(second["warnings"], json!([]));
    assert_eq!(first["item"]["product_id"], second["item"]["product_id"]);
    let ambiguous = submit(&world, "refineProductBacklogItem", json!({"item_id": "First", "size": "1"})).await;
    assert_eq!(outcome(&ambiguous), "NEEDS_DISAMBIGUATION refine_product_backlog_item.item_id");
    let other = world.other_tenant("other").await;
    let theirs = submit(&other, "orderProductBacklog", json!({"item_ids": []})).await;
    assert_eq!(outcome(&theirs), "PRODUCT_NOT_FOUND product_id");
}

// R-216
#[tokio::test]
async fn facts_name_their_aggregate_and_count_its_versions() {
    let world = under_way().await;
    let facts = world.ledger.facts(&world.scope.tenant, 2, 100).await.unwrap();
    let shown: Vec<String> = facts
        .iter()
        .map(|fact| {
            let body: Value = serde_json::from_str(&fact.body).unwrap();
            let name = fact.kind.trim_start_matches("transformation.scrum.");
            format!("{name} {} {}", body["aggregate_type"].as_str().unwrap(), body["version"])
        })
        .collect();
    assert_eq!(
        shown,
        [
            "ProductBacklogCreated ProductBacklog 1",
            "ProductGoalSet ProductBacklog 2",
            "ProductBacklogItemCreated ProductBacklogItem 1",
            "ProductBacklogItemCreated ProductBacklogItem 1",
            "DefinitionOfDoneDefined DefinitionOfDone 1",
            "SprintCreated Sprint 1",
            "SprintBacklogCommitted Sprint 2",
            "SprintStarted Sprint 3",
        ]
    );
}

#[tokio::test]
async fn a_retry_with_the_same_key_happens_once() {
    let world = World::new().await;
    let arguments = json!({
        "operation": "createProductBacklogItem",
        "product_id": "webshop",
        "create_product_backlog_item": {"title": "Once"},
        "client_request_id": "k1",
    });
    let first = world.call("submitScrumIntent", arguments.clone()).await;
    let facts = world.facts().await;
    let again = world.call("submitScrumIntent", arguments).await;
    assert_eq!((&again["item"], &again["idempotent_replay"]), (&first["item"], &json!(true)));
    assert_eq!(world.facts().await, facts);
}

#[tokio::test]
async fn items_finished_at_the_same_moment_share_an_increment() {
    let world = under_way().await;
    submit(&world, "changeSprintBacklog", json!({"sprint_id": "Sprint 1", "add_item_ids": ["Pay by card"]})).await;
    let done = |item: &str| json!({"item_id": item, "sprint_id": "Sprint 1", "definition_of_done_id": "v1"});
    let (one, other) = tokio::join!(
        submit(&world, "recordProductBacklogItemDone", done("invoice")),
        submit(&world, "recordProductBacklogItemDone", done("Pay by card")),
    );
    assert_eq!((outcome(&one).as_str(), outcome(&other).as_str()), ("ok", "ok"));
    let increments = product(&world).await["increments"].clone();
    assert_eq!(increments.as_array().map(Vec::len), Some(1));
    assert_eq!(increments[0]["included_item_ids"].as_array().map(Vec::len), Some(2));
}

#[tokio::test]
async fn subscribers_learn_that_a_product_changed() {
    let world = World::new().await;
    let mut changes = world.capability.changes().unwrap();
    let answer = submit(&world, "setProductGoal", json!({"description": "g"})).await;
    let uri = format!("transformation://product/{}", answer["product"]["id"].as_str().unwrap());
    let tenant = world.scope.tenant.clone();
    assert_eq!(changes.recv().await.unwrap(), Changed::Resource { tenant, uri });
}

#[tokio::test]
async fn items_are_listed_in_pages() {
    let world = under_way().await;
    submit(&world, "createProductBacklogItem", json!({"title": "Third"})).await;
    let query = &world.capability.services().scrum_query;
    let mut request =
        ListProductBacklogItemsRequest { product_id: "webshop".to_owned(), page_size: 2, ..Default::default() };
    let first = query.list_product_backlog_items(&world.ctx(), request.clone()).await.unwrap();
    request.page_token = first.next_page_token.clone();
    let second = query.list_product_backlog_items(&world.ctx(), request.clone()).await.unwrap();
    let titles: Vec<&str> = first.items.iter().chain(&second.items).map(|item| item.title.as_str()).collect();
    assert_eq!(titles, ["Pay by invoice", "Pay by card", "Third"]);
    assert_eq!(second.next_page_token, None);
    let selected = ListProductBacklogItemsRequest {
        status: ItemStatus::ItemSelectedForSprint.into(),
        page_token: None,
        ..request
    };
    let selected = query.list_product_backlog_items(&world.ctx(), selected).await.unwrap();
    assert_eq!(selected.items.len(), 1);
}
