//! Architecture intents: one operation and the one object that it names.

use serde_json::{Value, json};

use crate::world::{World, column, outcome};

async fn submit(world: &World, operation: &str, object: &str, given: Value) -> Value {
    let mut arguments = json!({"operation": operation});
    arguments[object] = given;
    world.call("submitArchitectureIntent", arguments).await
}

//
#[tokio::test]
async fn elements_and_relationships_are_created_changed_and_deleted() {
    let world = World::new().await;
    let made =
        submit(&world, "createElement", "create_element", json!({"type": "Capability", "name": "Fulfillment"})).await;
    assert_eq!((&made["element"]["layer"], &made["outcome"]), (&json!("strategy"), &json!("committed")));
    submit(&world, "createElement", "create_element", json!({"type": "application component", "name": "App"})).await;
    let changed = submit(&world, "updateElement", "update_element", json!({"id": "App", "description": "x"})).await;
    assert_eq!(changed["element"]["version"], 2);
    let ends = json!({"type": "realization", "source_id": "App", "target_id": "Fulfillment"});
    let linked = submit(&world, "createRelationship", "create_relationship", ends).await;
    let relationship = linked["relationship"]["id"].as_str().unwrap().to_owned();
    let named = json!({"id": relationship, "name": "delivers", "expected_version": 1});
    let renamed = submit(&world, "updateRelationship", "update_relationship", named.clone()).await;
    assert_eq!(
        (&renamed["relationship"]["name"], &renamed["relationship"]["version"]),
        (&json!("delivers"), &json!(2))
    );
    let stale = submit(&world, "updateRelationship", "update_relationship", named).await;
    assert_eq!(outcome(&stale), "VERSION_CONFLICT expected_version");
    assert_eq!(
        outcome(&submit(&world, "deleteRelationship", "delete_relationship", json!({"id": relationship})).await),
        "ok"
    );
    let gone = submit(&world, "deleteRelationship", "delete_relationship", json!({"id": relationship})).await;
    assert_eq!(outcome(&gone), "RELATIONSHIP_NOT_FOUND delete_relationship.id");
    assert_eq!(outcome(&submit(&world, "deleteElement", "delete_element", json!({"id": "App"})).await), "ok");
    let left = world.call("listElements", json!({"model_id": "default"})).await;
    assert_eq!(column(&left["elements"], "name"), ["Fulfillment"]);
}

//
#[tokio::test]
async fn exactly_the_named_object_must_be_there() {
    let world = World::new().await;
    let element = json!({"type": "Node", "name": "Host"});
    let before = world.facts().await;
    for (arguments, expected) in [
        (json!({"operation": "createElement"}), "VALIDATION_ERROR create_element"),
        (json!({"operation": "deleteElement", "create_element": element}), "VALIDATION_ERROR create_element"),
        (
            json!({"operation": "createElement", "create_element": element, "delete_element": {"id": "x"}}),
            "VALIDATION_ERROR delete_element",
        ),
        (
            json!({"operation": "createElement", "create_element": {"type": "Nod", "name": "Host"}}),
            "INVALID_ELEMENT_TYPE create_element.type",
        ),
    ] {
        assert_eq!(outcome(&world.call("submitArchitectureIntent", arguments.clone()).await), expected, "{arguments}");
    }
    assert_eq!(world.facts().await, before);
}

#[tokio::test]
async fn an_intent_is_validated_with_the_same_rules() {
    let world = World::new().await;
    world.element("Node", "Host").await;
    let payload = json!({"operation": "createElement", "create_element": {"type": "Node", "name": "host"}});
    let answer =
        world.call("validateWrite", json!({"operation": "submitArchitectureIntent", "payload": payload})).await;
    assert_eq!((&answer["valid"], &answer["errors"][0]["code"]), (&json!(false), &json!("DUPLICATE_NAME")));
    assert_eq!(outcome(&world.call("submitArchitectureIntent", payload).await), "DUPLICATE_NAME name");
}
