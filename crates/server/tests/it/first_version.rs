//! What the specification of writes demands of a first version, on the product as it is wired.

use ledger::{Ledger as _, Seq};
use scope::Scope;
use serde_json::{Map, Value, json};

use crate::world::World;

//
#[tokio::test]
async fn three_fields_are_enough_and_the_rest_is_supplied() {
    let world = World::new().await;
    let answer = world.call("createElement", json!({ "type": "ApplicationComponent", "name": "OrderService" })).await;
    let element = &answer["element"];
    assert_eq!((&element["layer"], &element["version"]), (&json!("application"), &json!(1)));
    assert_eq!(element["id"].as_str().map(str::len), Some(36));
    assert!(element["created_at"].is_string() && element["version_id"].is_string(), "{element}");
    let facts = world.platform.ledger.facts(&Scope::local().tenant, Seq::MIN, 100).await.unwrap();
    let meta: Value = serde_json::from_str(&facts.last().unwrap().meta).unwrap();
    assert!(["message_id", "correlation_id", "tenant_id", "occurred_at"].iter().all(|name| meta[name].is_string()));
    assert_eq!(answer["warnings"][0]["code"], "MISSING_DESCRIPTION");
}

//
#[tokio::test]
async fn discovery_says_what_may_be_written() {
    let world = World::new().await;
    let types = world.call("getElementTypes", json!({})).await;
    let listed: usize =
        types["layers"].as_object().unwrap().values().map(|layer| layer.as_array().unwrap().len()).sum();
    assert_eq!(listed, 61);
    let pair = json!({ "source_type": "ApplicationComponent", "target_type": "ApplicationService" });
    let relationships = world.call("getRelationshipTypes", pair).await;
    let names: Vec<&str> =
        relationships["relationships"].as_array().unwrap().iter().map(|of| of["type"].as_str().unwrap()).collect();
    assert_eq!(names.len(), 6, "f i o r t v: {names:?}");
}

//
#[tokio::test]
async fn a_refusal_has_code_message_and_suggestions() {
    let world = World::new().await;
    let refusal = world.call("createElement", json!({ "type": "AppComponent", "name": "x" })).await;
    assert_eq!(refusal["error"]["code"], "INVALID_ELEMENT_TYPE");
    assert_eq!(refusal["error"]["suggestions"]["did_you_mean"][0], "ApplicationComponent");
    assert_eq!(refusal["error"]["message"], "Element type 'AppComponent' is not valid");
    assert!(refusal["error"]["suggestions"]["hint"].is_string(), "{refusal}");
}

//
#[tokio::test]
async fn validation_comes_first_and_changes_nothing() {
    let world = World::new().await;
    let payload = json!({ "type": "Node", "name": "host" });
    let dry = world.call("validateWrite", json!({ "operation": "createElement", "payload": payload })).await;
    assert_eq!(dry["valid"], true);
    let listed = world.call("listElements", json!({ "model_id": "default" })).await;
    assert_eq!(listed["elements"], json!([]));
    assert_eq!(world.call("createElement", payload).await["success"], true);
}

//
#[tokio::test]
async fn the_key_of_the_caller_reaches_the_envelope_of_the_fact() {
    let world = World::new().await;
    world.call("createElement", json!({ "type": "Node", "name": "host", "client_request_id": "k9" })).await;
    let facts = world.platform.ledger.facts(&Scope::local().tenant, Seq::MIN, 100).await.unwrap();
    let meta: Value = serde_json::from_str(&facts.last().unwrap().meta).unwrap();
    assert_eq!((&meta["client_request_id"], &meta["correlation_id"]), (&json!("k9"), &json!("c1")));
}

//
#[tokio::test]
async fn write_schemas_are_flat_objects() {
    let world = World::new().await;
    for tool in world.platform.endpoints.iter().flat_map(|endpoint| endpoint.tools()) {
        assert_eq!(tool.input_schema["type"], "object", "{}", tool.name);
        assert_eq!(tool.input_schema["additionalProperties"], false, "{}", tool.name);
        assert!(tool.input_schema["properties"].is_object(), "{}", tool.name);
        assert!(depth(&tool.input_schema) <= 2, "{}", tool.name);
    }
    // What the contract closes is closed for a client too.
    let create = world.platform.endpoint("transformation").unwrap().tool("transformation.createElement").unwrap();
    let types = create.input_schema["properties"]["type"]["enum"].as_array().unwrap();
    assert_eq!((types.len(), &create.input_schema["required"]), (61, &json!(["type", "name"])));
}

/// Levels of objects below the root.
fn depth(schema: &Map<String, Value>) -> usize {
    let inner = schema
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .filter_map(|(_, inner)| inner.as_object());
    inner
        .filter(|inner| inner.get("type").is_some_and(|of| of == "object"))
        .map(|inner| 1 + depth(inner))
        .max()
        .unwrap_or_default()
}

//
#[tokio::test]
async fn the_catalog_is_published() {
    let world = World::new().await;
    for path in ["/.well-known/mcp-tools.json", "/.well-known/mcp-tools.v1.json", "/.well-known/mcp-tools.dev.json"] {
        let catalog: Value = serde_json::from_str(&world.get(path).await).unwrap();
        let tools = contract::generated::transformation::manifest().tools.len();
        assert_eq!(catalog["capabilities"][0]["tools"].as_array().map(Vec::len), Some(tools), "{path}");
    }
}
