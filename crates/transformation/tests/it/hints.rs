//! What the hints of a tool promise, held by calling it twice.

use contract::Capability;
use serde_json::{Value, json};

use crate::world::{World, outcome};

// the second of two equal calls of a tool that is called idempotent changes nothing.
#[tokio::test]
async fn a_tool_that_is_called_idempotent_has_no_second_effect() {
    let world = World::new().await;
    let tools = world.capability.manifest().tools.clone();
    let writes = tools.iter().filter(|tool| tool.hints.idempotent && !tool.hints.read_only);
    let names: Vec<&str> = writes.map(|tool| tool.name.trim_start_matches("transformation.")).collect();
    assert!(!names.is_empty());
    for tool in names {
        for arguments in prepared(&world, tool).await {
            let first = world.call(tool, arguments.clone()).await;
            assert_eq!(outcome(&first), "ok", "{tool} {arguments}");
            let before = world.facts().await;
            let second = world.call(tool, arguments.clone()).await;
            assert_eq!(world.facts().await, before, "{tool} {arguments}: {second}");
        }
    }
}

/// Calls that have an effect the first time.
async fn prepared(world: &World, tool: &str) -> Vec<Value> {
    let name = format!("for {tool}");
    match tool {
        "updateElement" => {
            world.element("Capability", &name).await;
            let profile = json!({"owner": "Ann", "criticality": "High", "lifecycle": "Active"});
            vec![
                json!({"id": name, "description": "other"}),
                json!({"id": name, "properties": {"tier": 1, "gone": null}}),
                json!({"id": name, "profile": profile}),
                json!({"id": name, "name": name.to_uppercase()}),
            ]
        }
        "deleteElement" => {
            world.element("Node", &name).await;
            vec![json!({"id": name})]
        }
        "promoteBaseline" => {
            world.call("createBaseline", json!({"name": name})).await;
            vec![json!({"baseline_id": name})]
        }
        other => panic!("{other} is called idempotent: say here how it is called twice"),
    }
}

#[tokio::test]
async fn an_update_that_changes_nothing_makes_no_version() {
    let world = World::new().await;
    world.element("Node", "Host").await;
    let change = json!({"id": "Host", "description": "runs all"});
    assert_eq!(world.call("updateElement", change.clone()).await["new_version"], 2);
    let again = world.call("updateElement", change.clone()).await;
    assert_eq!((&again["previous_version"], &again["new_version"]), (&json!(2), &json!(2)));
    assert_eq!(again["warnings"][0]["code"], "UNCHANGED");
    let filed = world.as_agent().call("updateElement", change).await;
    assert_eq!((filed.get("proposal"), &filed["outcome"]), (None, &json!("committed")), "there is nothing to decide");

    let link = world.relate("Association", "Host", "Host").await["relationship"]["id"].clone();
    let rename = json!({"operation": "updateRelationship", "update_relationship": {"id": link, "name": "near"}});
    world.call("submitArchitectureIntent", json!({"operation": "createView", "create_view": {"name": "V"}})).await;
    let nodes = json!([{"element_id": "Host", "x": 1, "y": 1}]);
    let draw =
        json!({"operation": "recordViewLayout", "record_view_layout": {"view_id": "V", "layout": {"nodes": nodes}}});
    for (intent, object) in [(rename, "relationship"), (draw, "view")] {
        assert_eq!(world.call("submitArchitectureIntent", intent.clone()).await[object]["version"], 2);
        let before = world.facts().await;
        assert_eq!(world.call("submitArchitectureIntent", intent).await[object]["version"], 2);
        assert_eq!(world.facts().await, before);
    }
}
