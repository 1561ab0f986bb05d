//! The client examples of the specification, with three agents of one client over MCP.

use serde_json::{Value, json};

use super::wire::{Table, outcome};

/// Calls a tool as a type of agent, which `_meta` names with its id.
async fn call(table: &Table, agent: &str, tool: &str, arguments: Value) -> Value {
    let params = json!({ "name": tool, "arguments": arguments });
    let message = table.ask("all", Some(agent), "tools/call", params).await;
    outcome(&message).unwrap_or_else(|error| panic!("{tool}: {error}"))
}

fn text(answer: &Value, name: &str) -> String {
    answer[name].as_str().unwrap_or_else(|| panic!("{name} in {answer}")).to_owned()
}

//
#[tokio::test]
async fn an_orchestrator_a_narrator_and_a_canon_keeper_play_a_scene() {
    let table = Table::new().await;
    let keep = async |tool: &str, arguments: Value| call(&table, "CanonKeeper", tool, arguments).await;
    let universe = keep("neo4j_create_universe", json!({ "name": "Middle-earth", "authority": "source" })).await;
    let universe = text(&universe, "universe_id");
    let source = json!({
        "universe_id": universe, "doc_id": "lotr", "title": "The book", "source_type": "lore", "canon_level": "authoritative",
    });
    let source = format!("source:{}", text(&keep("neo4j_create_source", source).await, "source_id"));
    let mut ids = Vec::new();
    for (name, kind) in
        [("Rivendell", "location"), ("Gandalf", "character"), ("Aragorn", "character"), ("Frodo", "character")]
    {
        let entity = json!({
            "entity_class": "EntityConcreta", "universe_id": universe, "name": name, "entity_type": kind,
            "description": "Of the council", "properties": {}, "confidence": 1.0, "authority": "source",
            "evidence_refs": [source],
        });
        ids.push(text(&keep("neo4j_create_entity", entity).await, "entity_id"));
    }
    let [rivendell, gandalf, aragorn, frodo] = ids.as_slice() else { panic!("four were made") };

    // 12.1
    let story = json!({
        "universe_id": universe, "title": "The Fellowship of the Ring", "story_type": "campaign", "theme": "Heroic journey",
        "premise": "Destroy the One Ring",
    });
    let story = text(&call(&table, "Orchestrator", "neo4j_create_story", story).await, "story_id");
    let scene = json!({
        "story_id": story, "universe_id": universe, "title": "Council of Elrond", "purpose": "Form the fellowship",
        "location_ref": rivendell, "participating_entities": [gandalf, aragorn, frodo],
    });
    let scene = call(&table, "Orchestrator", "mongodb_create_scene", scene).await;
    assert_eq!(scene["status"], "active");
    let scene = text(&scene, "scene_id");

    // 12.2
    let turn = json!({
        "scene_id": scene, "speaker": "gm",
        "text": "Gandalf stands and addresses the council: 'We must destroy the Ring!'",
    });
    let turn = call(&table, "Narrator", "mongodb_append_turn", turn).await;
    assert!(turn["timestamp"].is_string());
    let proposal = json!({
        "scene_id": scene, "turn_id": turn["turn_id"], "type": "fact",
        "content": { "statement": "Gandalf calls for the end of the Ring", "involved_entity_ids": [gandalf] },
        "evidence": [{ "type": "turn", "ref_id": turn["turn_id"] }], "confidence": 0.9, "authority": "gm",
    });
    let proposal = text(&call(&table, "Narrator", "mongodb_create_proposed_change", proposal).await, "proposal_id");

    // 12.3
    let arguments = json!({ "scene_id": scene, "evaluate_proposals": true });
    let result = keep("composite_canonize_scene", arguments.clone()).await;
    assert_eq!((&result["scene_id"], &result["accepted_proposals"]), (&json!(scene), &json!([proposal])));
    assert_eq!(result["canonical_fact_ids"].as_array().unwrap().len(), 1);
    for name in ["rejected_proposals", "canonical_event_ids", "canonical_entity_ids"] {
        assert_eq!(result[name], json!([]), "{name}");
    }
    let fact = call(&table, "Narrator", "neo4j_get_fact", json!({ "fact_id": result["canonical_fact_ids"][0] })).await;
    assert_eq!((&fact["fact"]["canon_level"], &fact["fact"]["authority"]), (&json!("canon"), &json!("gm")));
    let params = json!({ "name": "composite_canonize_scene", "arguments": arguments });
    let again = outcome(&table.ask("all", Some("CanonKeeper"), "tools/call", params).await).unwrap_err();
    assert_eq!((&again["code"], &again["name"]), (&json!(-32006), &json!("ALREADY_CANONIZED")));
    // Who filed the proposal is kept with it.
    let filed = keep("mongodb_get_proposed_change", json!({ "proposal_id": proposal })).await["proposal"].clone();
    assert_eq!(
        (&filed["proposer_agent_id"], &filed["proposer_agent_type"]),
        (&json!("narrator-001"), &json!("Narrator"))
    );
}
