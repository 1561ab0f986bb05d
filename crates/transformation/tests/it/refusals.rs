//! Refusals name the field, say why and give the fix.

use serde_json::{Value, json};

use crate::world::{World, column, outcome};

//
#[tokio::test]
async fn an_unknown_element_type_comes_with_the_nearest_ones() {
    let world = World::new().await;
    let answer = world.call("createElement", json!({"type": "AppComponent", "name": "x"})).await;
    assert_eq!(outcome(&answer), "INVALID_ELEMENT_TYPE type");
    let suggestions = &answer["error"]["suggestions"];
    assert_eq!(answer["error"]["message"], "Element type 'AppComponent' is not valid");
    assert_eq!(suggestions["did_you_mean"][0], "ApplicationComponent");
    assert!(suggestions["valid_types_for_context"].as_array().unwrap().contains(&json!("DataObject")));
    assert!(suggestions["hint"].is_string());
    let filter = world.call("listElements", json!({"model_id": "default", "element_type": "AppComponent"})).await;
    assert_eq!(outcome(&filter), "INVALID_ELEMENT_TYPE element_type");
    let pairs = world.call("getRelationshipTypes", json!({"source_type": "AppComponent"})).await;
    assert_eq!(pairs["error"]["suggestions"]["did_you_mean"][0], "ApplicationComponent");
}

//
#[tokio::test]
async fn an_unknown_element_comes_with_similar_ones() {
    let world = World::new().await;
    let id = world.element("ApplicationComponent", "OrderService").await;
    world.element("ApplicationComponent", "OrderProcessor").await;
    world.element("Node", "Mainframe").await;
    for reference in ["OrderServce", "order"] {
        let answer = world.call("updateElement", json!({"id": reference, "name": "x"})).await;
        assert_eq!(outcome(&answer), "ELEMENT_NOT_FOUND id");
        let suggestions = &answer["error"]["suggestions"];
        let names = column(&suggestions["similar_elements"], "name");
        assert!(names.contains(&"OrderService") && !names.contains(&"Mainframe"), "{reference}: {names:?}");
        assert!(suggestions["hint"].as_str().unwrap().contains("transformation.semanticSearch"));
    }
    let answer = world.call("updateElement", json!({"id": "OrderServce", "name": "x"})).await;
    let first = &answer["error"]["suggestions"]["similar_elements"][0];
    assert_eq!(first, &json!({"id": id, "name": "OrderService", "type": "ApplicationComponent"}));
}

//
#[tokio::test]
async fn a_taken_name_comes_with_free_ones() {
    let world = World::new().await;
    let id = world.element("ApplicationComponent", "OrderService").await;
    let alternatives = async || {
        let answer = world.call("createElement", json!({"type": "ApplicationComponent", "name": "orderservice"})).await;
        assert_eq!(outcome(&answer), "DUPLICATE_NAME name");
        let suggestions = answer["error"]["suggestions"].clone();
        assert_eq!(suggestions["existing_element"], json!({"id": id, "type": "ApplicationComponent"}));
        assert!(suggestions["hint"].as_str().unwrap().contains("updateElement"));
        suggestions["alternatives"].clone()
    };
    assert_eq!(alternatives().await, json!(["orderservice2", "orderserviceV2", "Neworderservice"]));
    world.element("ApplicationComponent", "OrderService2").await;
    assert_eq!(alternatives().await, json!(["orderservice3", "orderserviceV2", "Neworderservice"]));
    let rename = world.element("ApplicationComponent", "Other").await;
    let answer = world.call("updateElement", json!({"id": rename, "name": "OrderService"})).await;
    assert_eq!(outcome(&answer), "DUPLICATE_NAME name");
}

// R-147 (transformation), R-244, R-517 (references), R-804 (transformation).
#[tokio::test]
async fn references_are_ids_keys_or_unique_names() {
    let world = World::new().await;
    let keyed = json!({"type": "Node", "name": "Host", "key": "host-1"});
    let id = world.call("createElement", keyed.clone()).await["element"]["id"].clone();
    for reference in [id.as_str().unwrap(), "host-1", "HOST"] {
        let answer = world.call("updateElement", json!({"id": reference, "description": reference})).await;
        assert_eq!(answer["element"]["id"], id, "{reference}");
    }
    assert_eq!(
        outcome(&world.call("createElement", json!({"type": "Device", "name": "d", "key": "host-1"})).await),
        "DUPLICATE_NAME key"
    );
    let twin = world.element("Device", "Host").await;
    let answer = world.call("updateElement", json!({"id": "Host", "name": "x"})).await;
    assert_eq!(outcome(&answer), "NEEDS_DISAMBIGUATION id");
    let candidates = &answer["error"]["suggestions"]["candidates"];
    let expected =
        [json!({"id": id, "name": "Host", "type": "Node"}), json!({"id": twin, "name": "Host", "type": "Device"})];
    assert!(expected.iter().all(|candidate| candidates.as_array().unwrap().contains(candidate)), "{candidates}");
}

// what another tenant owns does not exist.
#[tokio::test]
async fn nothing_of_another_tenant_shows() {
    let world = World::new().await;
    let id = world.element("ApplicationComponent", "SecretService").await;
    let other = world.other_tenant("other").await;
    for reference in [id.as_str(), "SecretService", "SecretServic"] {
        let answer = other.call("updateElement", json!({"id": reference, "name": "x"})).await;
        assert_eq!(outcome(&answer), "ELEMENT_NOT_FOUND id");
        assert_eq!(answer["error"]["suggestions"]["similar_elements"], json!([]), "{reference}");
    }
    let unknown = |answer: Value| answer.to_string().replace(&id, "ID");
    let foreign = unknown(other.call("deleteElement", json!({"id": id})).await);
    assert_eq!(foreign, unknown(other.call("deleteElement", json!({"id": "ID"})).await));
    assert_eq!(other.call("listElements", json!({"model_id": "default"})).await["elements"], json!([]));
}

// R-804 (transformation).
#[tokio::test]
async fn every_refusal_has_the_published_shape_and_a_hint() {
    let world = World::new().await;
    world.element("Node", "n").await;
    let refused = [
        ("createElement", json!({"type": "Node", "name": "  "}), "VALIDATION_ERROR name"),
        ("createElement", json!({"type": "Node", "name": "a\u{0}b"}), "VALIDATION_ERROR name"),
        ("createElement", json!({"type": "Node"}), "VALIDATION_ERROR name"),
        ("createElement", json!({"name": "x"}), "VALIDATION_ERROR type"),
        ("createRelationship", json!({"source_id": "n", "target_id": "n"}), "VALIDATION_ERROR type"),
        ("createRelationship", json!({"type": "Flow", "target_id": "n"}), "VALIDATION_ERROR source_id"),
        ("createRelationship", json!({"type": "Flow", "source_id": "n"}), "VALIDATION_ERROR target_id"),
        ("updateElement", json!({"name": "x"}), "VALIDATION_ERROR id"),
        ("deleteElement", json!({}), "VALIDATION_ERROR id"),
        ("getArchimateModel", json!({}), "VALIDATION_ERROR model_id"),
        ("getView", json!({}), "VALIDATION_ERROR view_id"),
        ("searchCapabilities", json!({}), "VALIDATION_ERROR query"),
        ("createElement", json!({"type": "Node", "name": "x", "layer": "technology"}), "VALIDATION_ERROR layer"),
        ("createElement", json!({"type": "Node", "name": "x", "model_id": "none"}), "MODEL_NOT_FOUND model_id"),
        ("createElement", json!({"type": "Node", "name": "n"}), "DUPLICATE_NAME name"),
        (
            "createRelationship",
            json!({"type": "Realisation", "source_id": "n", "target_id": "n"}),
            "INVALID_RELATIONSHIP type",
        ),
        ("updateElement", json!({"id": "n", "type": "Device"}), "VALIDATION_ERROR type"),
        ("listElements", json!({"model_id": "none"}), "MODEL_NOT_FOUND model_id"),
        (
            "listElements",
            json!({"model_id": "default", "read_context": {"selector": "published"}}),
            "NO_PUBLISHED_BASELINE read_context.selector",
        ),
        (
            "listElements",
            json!({"model_id": "default", "read_context": {"baseline_id": "b"}}),
            "BASELINE_NOT_FOUND read_context.baseline_id",
        ),
        (
            "listElements",
            json!({"model_id": "default", "read_context": {"sequence": 999}}),
            "INVALID_ARGUMENT read_context.sequence",
        ),
        ("listElements", json!({"model_id": "default", "page_token": "nonsense"}), "INVALID_ARGUMENT page_token"),
    ];
    for (tool, arguments, expected) in refused {
        let answer = world.call(tool, arguments.clone()).await;
        assert_eq!(outcome(&answer), expected, "{tool} {arguments}");
        assert_eq!(answer["success"], false);
        assert!(answer["error"]["suggestions"]["hint"].is_string(), "{answer}");
        assert!(answer["error"]["details"].is_object(), "{answer}");
    }
    let model = world.call("createElement", json!({"type": "Node", "name": "x", "model_id": "none"})).await;
    let suggestions = &model["error"]["suggestions"];
    assert_eq!(suggestions["models"][0]["key"], "default");
    assert_eq!(suggestions["models"][0]["id"], suggestions["active_model_id"]);
}
