//! Several calls in one.

use serde_json::{Value, json};

use crate::table::{NOWHERE, Table};

#[tokio::test]
async fn a_batch_answers_in_order_and_each_call_stands_for_itself() {
    let table = Table::new();
    let stage = table.stage().await;
    let scene = table.scene(&stage, "Bag End").await;
    let calls = json!([
        { "name": "neo4j_get_entity", "arguments": { "entity_id": stage.frodo } },
        { "name": "neo4j_get_entity", "arguments": { "entity_id": NOWHERE } },
        { "name": "mongodb_append_turn", "arguments": { "scene_id": scene, "speaker": "gm", "text": "First" } },
        { "name": "mongodb_append_turn", "arguments": { "scene_id": scene, "speaker": "gm", "text": "Second" } },
        { "name": "mongodb_get_scene", "arguments": { "scene_id": scene } },
        { "name": "composite_canonize_scene", "arguments": { "scene_id": scene } },
        { "name": "mongodb_get_scene", "arguments": { "scene_id": "x" } },
        { "name": "neo4j_forget_everything" },
        { "name": "composite_batch_call", "arguments": { "calls": [] } },
    ]);
    let answer = table.ok("Narrator", "composite_batch_call", json!({ "calls": calls })).await;
    let results = answer["results"].as_array().unwrap();
    let codes: Vec<i64> = results.iter().map(|one| one["error"]["code"].as_i64().unwrap_or(0)).collect();
    assert_eq!(codes, [0, -32002, 0, 0, 0, -32001, -32003, -32003, -32003]);
    assert_eq!((&answer["succeeded"], &answer["failed"]), (&json!(4), &json!(5)));
    let called: Vec<&Value> = calls.as_array().unwrap().iter().map(|call| &call["name"]).collect();
    assert_eq!(results.iter().map(|one| &one["name"]).collect::<Vec<_>>(), called);
    assert_eq!(results[0]["result"]["entity"]["name"], "Frodo");
    let turns = results[4]["result"]["scene"]["turns"].as_array().unwrap();
    assert_eq!(turns.iter().map(|turn| turn["text"].as_str().unwrap()).collect::<Vec<_>>(), ["First", "Second"]);
}

#[tokio::test]
async fn a_batch_has_at_most_fifty_calls_and_is_made_once_for_its_key() {
    let table = Table::new();
    let stage = table.stage().await;
    let scene = table.scene(&stage, "Bag End").await;
    for count in [0, 51, 10_000] {
        let calls = vec![json!({ "name": "neo4j_query_universes" }); count];
        let refused = table.refused("Narrator", "composite_batch_call", json!({ "calls": calls })).await;
        assert!(refused.starts_with("VALIDATION_ERROR calls"), "{refused}");
    }
    let turn =
        json!({ "name": "mongodb_append_turn", "arguments": { "scene_id": scene, "speaker": "gm", "text": "Once" } });
    let batch = json!({ "calls": [turn], "client_request_id": "b1" });
    table.ok("Narrator", "composite_batch_call", batch.clone()).await;
    table.ok("Narrator", "composite_batch_call", batch).await;
    let shown = table.ok("Narrator", "mongodb_get_scene", json!({ "scene_id": scene })).await;
    assert_eq!(shown["scene"]["turn_count"], 1);
}
