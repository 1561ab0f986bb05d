//! client_request_id: the same effect happens once.

use serde_json::json;

use crate::world::{World, outcome};

//
#[tokio::test]
async fn a_repeated_request_is_answered_without_an_effect() {
    let world = World::new().await;
    let request = json!({"type": "Node", "name": "n", "client_request_id": "key-1"});
    let first = world.call("createElement", request.clone()).await;
    assert!(first.get("idempotent_replay").is_none());
    world.call("deleteElement", json!({"id": "n"})).await;
    let facts = world.facts().await;
    let mut again = world.call("createElement", request).await;
    assert_eq!(again["idempotent_replay"], true);
    assert!(again["original_request_time"].as_str().unwrap().starts_with("2026-07-28T10:00:0"));
    assert_eq!(world.facts().await, facts);
    again
        .as_object_mut()
        .unwrap()
        .retain(|field, _| !["idempotent_replay", "original_request_time"].contains(&field.as_str()));
    assert_eq!(again, first);

    let intent = json!({
        "operation": "createElement", "create_element": {"type": "Node", "name": "m"}, "client_request_id": "key-2",
    });
    let first = world.call("submitArchitectureIntent", intent.clone()).await;
    let again = world.call("submitArchitectureIntent", intent).await;
    assert_eq!((&again["success"], &again["idempotent_replay"]), (&json!(true), &json!(true)));
    assert_eq!(again["element"], first["element"]);
    assert!(again["original_request_time"].is_string(), "{again}");
}

//
#[tokio::test]
async fn a_key_is_for_one_request_and_for_successes_only() {
    let world = World::new().await;
    world.element("Node", "taken").await;
    let request = |name: &str| json!({"type": "Node", "name": name, "client_request_id": "key-1"});
    assert_eq!(outcome(&world.call("createElement", request("taken")).await), "DUPLICATE_NAME name");
    assert_eq!(outcome(&world.call("createElement", request("free")).await), "ok");
    let reused = world.call("createElement", request("another")).await;
    assert_eq!(outcome(&reused), "IDEMPOTENCY_KEY_REUSED client_request_id");
    assert!(!reused.to_string().contains("free"));
}

//
#[tokio::test]
async fn keys_of_others_and_of_other_tools_are_independent() {
    let world = World::new().await;
    let request = json!({"type": "Node", "name": "n", "client_request_id": "key-1"});
    world.call("createElement", request.clone()).await;
    let somebody = world.as_principal("somebody");
    assert_eq!(outcome(&somebody.call("createElement", request.clone()).await), "DUPLICATE_NAME name");
    let tenant = world.other_tenant("other").await;
    assert!(tenant.call("createElement", request).await.get("idempotent_replay").is_none());
    let update = world.call("updateElement", json!({"id": "n", "name": "m", "client_request_id": "key-1"})).await;
    assert_eq!(update["new_version"], 2);
    let unkeyed = json!({"type": "Flow", "source_id": "m", "target_id": "m"});
    let (one, other) =
        (world.call("createRelationship", unkeyed.clone()).await, world.call("createRelationship", unkeyed).await);
    assert_ne!(one["relationship"]["id"], other["relationship"]["id"]);
}

//
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn equal_requests_at_once_make_one_object() {
    let world = World::new().await;
    let facts = world.facts().await;
    let request = json!({"type": "Node", "name": "n", "client_request_id": "key-1"});
    let calls = (0..16).map(|_| {
        let (world, request) = (world.clone(), request.clone());
        tokio::spawn(async move { world.call("createElement", request).await })
    });
    let answers = futures::future::join_all(calls).await;
    let elements: Vec<_> = answers.into_iter().map(|answer| answer.unwrap()["element"].to_string()).collect();
    assert!(elements.iter().all(|element| element == &elements[0] && element != "null"), "{elements:?}");
    assert_eq!(world.facts().await, facts + 1);
}

// R-284 (calls, whole): one key for each item of an import, or one for a whole that is made at once.
#[tokio::test]
async fn an_import_is_retried_item_by_item_and_a_template_as_a_whole() {
    let world = World::new().await;
    let item = |number: usize| json!({"type": "Node", "name": format!("Host {number}"), "client_request_id": format!("import-{number}")});
    for number in 0..3 {
        world.call("createElement", item(number)).await;
    }
    let before = world.facts().await;
    for number in 0..5 {
        assert_eq!(world.call("createElement", item(number)).await["success"], true);
    }
    assert_eq!(world.facts().await, before + 2);

    let whole =
        json!({"name": "Fulfillment", "sub_capabilities": ["Picking", "Shipping"], "client_request_id": "whole"});
    let first = world.call("createCapabilityStructure", whole.clone()).await;
    let before = world.facts().await;
    let again = world.call("createCapabilityStructure", whole).await;
    assert_eq!((&again["capability"], &again["idempotent_replay"]), (&first["capability"], &json!(true)));
    assert_eq!(world.facts().await, before);
}
