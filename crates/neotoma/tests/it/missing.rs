//! What is not there is said to be not there, and lists are in an order that is told.

use serde_json::{Value, json};

use crate::desk::Desk;

// N-340
#[tokio::test]
async fn a_missing_id_is_never_an_empty_success() {
    let desk = Desk::new();
    desk.store(json!([{"entity_type": "task", "title": "Here", "status": "open", "due_date": "2027-02-01"}])).await;
    let entity = json!("ent_000000000000000000000000");
    let source = json!("00000000-0000-8000-8000-000000000000");
    for (tool, arguments, code) in [
        ("get_entity_snapshot", json!({"entity_id": entity}), "ENTITY_NOT_FOUND"),
        ("list_observations", json!({"entity_id": entity}), "ENTITY_NOT_FOUND"),
        ("get_field_provenance", json!({"entity_id": entity, "field": "status"}), "ENTITY_NOT_FOUND"),
        ("get_related_entities", json!({"entity_id": entity}), "ENTITY_NOT_FOUND"),
        ("get_graph_neighborhood", json!({"node_id": entity}), "ENTITY_NOT_FOUND"),
        ("get_graph_neighborhood", json!({"node_id": source, "node_type": "source"}), "SOURCE_NOT_FOUND"),
        ("list_relationships", json!({"entity_id": entity}), "ENTITY_NOT_FOUND"),
        ("list_timeline_events", json!({"source_id": source}), "SOURCE_NOT_FOUND"),
    ] {
        assert_eq!(desk.refused(tool, arguments.clone()).await["code"], code, "{tool} {arguments}");
    }
}

// N-145, N-250
#[test]
fn the_order_of_every_list_is_documented_and_ends_in_the_id() {
    let page = include_str!("../../../../docs/neotoma.md");
    let catalog: Value = serde_json::from_str(include_str!("../../../contract/src/gen/neotoma.json")).unwrap();
    let lists = |tool: &&Value| {
        let answers = tool["outputSchema"]["properties"].as_object().unwrap();
        tool["cqrs_side"] == "query" && answers.values().any(|of| of["type"] == "array")
    };
    let mut found = 0;
    for tool in catalog["tools"].as_array().unwrap().iter().filter(lists) {
        let name = tool["name"].as_str().unwrap();
        let row = page.lines().find(|line| line.starts_with(&format!("| `{name}` |"))).unwrap();
        let order = row.split('|').nth(3).unwrap();
        assert!(
            ["then id", "then by id", "by id", "by name"].iter().any(|said| order.contains(said)),
            "{name}: {order}"
        );
        found += 1;
    }
    assert!(found >= 8, "only {found} tools list something");
}
