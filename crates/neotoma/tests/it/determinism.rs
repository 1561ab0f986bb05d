//! The same calls, made on two stores, give the same bytes: every tool, those that write too.

use serde_json::{Value, json};

use crate::desk::{ANN, Desk};

/// Calls of every tool, the later ones about what the earlier ones made.
async fn conversation(desk: &Desk) -> Vec<(&'static str, String)> {
    let mut told = Vec::new();
    let mut call = async |tool: &'static str, arguments: Value| {
        let answer = desk.call_as(ANN, tool, arguments).await.unwrap();
        told.push((tool, answer.to_string()));
        answer
    };
    let contact = |name: &str| json!({"entity_type": "contact", "name": name, "organization": "Acme", "connected_on": "2027-01-01"});
    let entities = json!([contact("Jo"), contact("Flo"), {"entity_type": "gadget", "name": "G"}]);
    call("ingest", json!({ "entities": entities })).await;
    let (jo, flo) = (json!("Jo"), json!("Flo"));
    let file = call("ingest", json!({"file_content": "SGVsbG8=", "mime_type": "text/plain"})).await;
    call("upload_file", json!({"file_path": "note.txt"})).await;
    call("reinterpret", json!({"source_id": file["source_id"], "interpretation_config": {"model_id": "m"}})).await;
    call("correct", json!({"entity_id": jo, "entity_type": "contact", "field": "role", "value": "cook"})).await;
    let edge = json!({"relationship_type": "REFERS_TO", "source_entity_id": jo, "target_entity_id": flo});
    call("create_relationship", edge).await;
    let definition = json!({"fields": {"title": {"type": "string"}}, "identity": [["title"]]});
    call("register_schema", json!({"entity_type": "recipe", "definition": definition})).await;
    for (tool, arguments) in [
        ("retrieve_entities", json!({"entity_type": "contact", "sort": "-name"})),
        ("get_entity_snapshot", json!({"entity_id": jo})),
        ("get_entity_by_identifier", json!({"identifier": "jo"})),
        ("get_related_entities", json!({"entity_id": jo, "max_hops": 3})),
        ("get_graph_neighborhood", json!({"node_id": jo, "include_observations": true})),
        ("list_observations", json!({"entity_id": jo})),
        ("get_field_provenance", json!({"entity_id": jo, "field": "role"})),
        ("list_relationships", json!({"entity_id": jo})),
        ("list_timeline_events", json!({})),
        ("describe_schema", json!({})),
        ("search", json!({"query": "who cooks"})),
        ("merge_entities", json!({"from_entity_id": flo, "to_entity_id": jo, "merge_reason": "one person"})),
        ("unmerge_entities", json!({"from_entity_id": flo})),
        ("delete", json!({"id": flo})),
        ("restore", json!({"id": flo})),
        ("retrieve_entities", json!({})),
    ] {
        call(tool, arguments).await;
    }
    told
}

// N-068, N-200, N-209, N-220, N-234, N-248, N-249
#[tokio::test]
async fn the_same_calls_on_another_store_give_the_same_bytes() {
    let one = conversation(&crate::files::desk(|_, _| {})).await;
    let other = conversation(&crate::files::desk(|_, _| {})).await;
    for (one, other) in one.iter().zip(&other) {
        assert_eq!(one, other);
    }
    let mut tools: Vec<&str> = one.iter().map(|(tool, _)| *tool).collect();
    tools.sort_unstable();
    tools.dedup();
    let manifest = contract::generated::neotoma::manifest().tools;
    let mut all: Vec<&str> = manifest.iter().map(|tool| tool.name.as_str()).collect();
    all.sort_unstable();
    // The one that holds the time.
    all.retain(|tool| *tool != "get_file_url");
    assert_eq!(tools, all);
}
