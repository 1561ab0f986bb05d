//! validateWrite says what the write would say.

use serde_json::{Value, json};

use crate::world::{Dice, World, column, outcome};

//
#[tokio::test]
async fn the_example_of_the_specification_is_valid_with_a_warning() {
    let world = World::new().await;
    world.element("ApplicationComponent", "OrderProcessor").await;
    world.element("ApplicationInterface", "OrderAPI").await;
    let facts = world.facts().await;
    let request =
        json!({"operation": "createElement", "payload": {"type": "ApplicationComponent", "name": "OrderService"}});
    let answer = world.call("validateWrite", request).await;
    assert_eq!((&answer["valid"], &answer["errors"]), (&json!(true), &json!([])));
    let warning = json!({"code": "MISSING_DESCRIPTION", "message": "Element has no description", "suggestion": "Add a description for better discoverability"});
    assert_eq!(answer["warnings"], json!([warning]));
    let suggestions: Vec<&str> = answer["suggestions"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    //
    assert!(
        suggestions.contains(&"Similar element 'OrderProcessor' exists - consider if this is a duplicate"),
        "{suggestions:?}"
    );
    assert!(
        suggestions.iter().any(|text| text.starts_with("Consider adding relationships to 'OrderAPI'")),
        "{suggestions:?}"
    );
    assert_eq!(world.facts().await, facts);
}

//
#[tokio::test]
async fn a_write_fails_exactly_when_its_validation_does_and_with_the_same_code() {
    let world = World::new().await;
    let a = world.element("Capability", "a").await;
    world.element("Capability", "b").await;
    world.element("Node", "b").await;
    world.relate("Composition", "a", &a).await;
    let writes = [
        ("createElement", json!({"type": "Node", "name": "new"})),
        ("createElement", json!({"type": "Capability", "name": "A"})),
        ("createElement", json!({"type": "Capabilty", "name": "x"})),
        ("createElement", json!({"type": "Node", "name": ""})),
        ("createElement", json!({"type": "Node", "name": "x", "version": 1})),
        ("createElement", json!({"name": "x"})),
        ("createElement", json!({"type": "Node", "name": "x", "parent_id": "a"})),
        ("createElement", json!({"type": "Node", "name": "x", "model_id": "none"})),
        ("createRelationship", json!({"type": "Realization", "source_id": "a", "target_id": "new"})),
        ("createRelationship", json!({"type": "Serving", "source_id": "a", "target_id": "b"})),
        ("createRelationship", json!({"type": "Composition", "source_id": "a", "target_id": "a"})),
        ("createRelationship", json!({"type": "Association", "source_id": "a", "target_id": "new"})),
        ("createRelationship", json!({"type": "Serves", "source_id": "a", "target_id": "new"})),
        ("updateElement", json!({"id": "a"})),
        ("updateElement", json!({"id": "a", "expected_version": 9, "name": "z"})),
        ("updateElement", json!({"id": "a", "name": "renamed"})),
        ("deleteElement", json!({"id": "renamed", "cascade": false})),
        ("deleteElement", json!({"id": "nothing"})),
        ("deleteElement", json!({"id": "renamed"})),
    ];
    for (operation, payload) in writes {
        let validation = world.call("validateWrite", json!({"operation": operation, "payload": payload})).await;
        let write = world.call(operation, payload.clone()).await;
        let valid = validation["valid"].as_bool().unwrap();
        assert_eq!(valid, outcome(&write) == "ok", "{operation} {payload} {validation} {write}");
        if !valid {
            assert_eq!(column(&validation["errors"], "code")[0], write["error"]["code"], "{operation} {payload}");
            assert_eq!(validation["errors"][0]["field"], write["error"]["field"]);
        }
    }
}

// R-259, as a property: any write, on any state.
#[tokio::test]
async fn random_writes_agree_with_their_validation() {
    let world = World::new().await;
    let mut dice = Dice(42);
    let mut refused = 0;
    for _ in 0..150 {
        let (operation, payload) = random_write(&mut dice);
        let validation = world.call("validateWrite", json!({"operation": operation, "payload": payload})).await;
        let write = world.call(operation, payload.clone()).await;
        let valid = validation["valid"].as_bool().unwrap();
        assert_eq!(valid, outcome(&write) == "ok", "{operation} {payload} {validation} {write}");
        if !valid {
            refused += 1;
            assert_eq!(validation["errors"][0]["code"], write["error"]["code"], "{operation} {payload}");
        }
    }
    assert!((20..130).contains(&refused), "{refused} of 150 were refused, so one side is hardly tested");
}

fn random_write(dice: &mut Dice) -> (&'static str, Value) {
    let types = ["Capability", "ValueStream", "Node", "ApplicationComponent", "Nonsense"];
    let relationships = ["Composition", "Aggregation", "Realization", "Specialization", "Association"];
    let names = ["a", "b", "c", "d", "e", "A ", ""];
    match dice.below(6) {
        0 | 1 => ("createElement", json!({"type": dice.pick(&types), "name": dice.pick(&names)})),
        2 => (
            "createElement",
            json!({"type": dice.pick(&types), "name": dice.pick(&names), "parent_id": dice.pick(&names)}),
        ),
        3 => (
            "createRelationship",
            json!({"type": dice.pick(&relationships), "source_id": dice.pick(&names), "target_id": dice.pick(&names)}),
        ),
        4 => ("updateElement", json!({"id": dice.pick(&names), "name": dice.pick(&names)})),
        _ => ("deleteElement", json!({"id": dice.pick(&names), "cascade": dice.below(2) == 0})),
    }
}
