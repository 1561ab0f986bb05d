//! Points in history that have not happened.

use contract::Capability as _;
use serde_json::json;

use crate::desk::Desk;

#[tokio::test]
async fn every_read_refuses_a_point_above_the_last_one() {
    let desk = Desk::new();
    let id = desk.store(json!([{"entity_type": "company", "name": "Acme"}])).await;
    let calls = [
        ("retrieve_entities", json!({})),
        ("get_entity_snapshot", json!({"entity_id": id})),
        ("get_entity_by_identifier", json!({"identifier": "acme"})),
        ("get_related_entities", json!({"entity_id": id})),
        ("get_graph_neighborhood", json!({"node_id": id})),
        ("list_observations", json!({"entity_id": id})),
        ("get_field_provenance", json!({"entity_id": id, "field": "name"})),
        ("list_relationships", json!({"entity_id": id})),
        ("list_timeline_events", json!({})),
        ("search", json!({"query": "acme"})),
    ];
    let takes_a_point = |tool: &&contract::Tool| tool.input_schema["properties"].get("at_ingested").is_some();
    let tools = &desk.neotoma.manifest().tools;
    let mut taking: Vec<&str> = tools.iter().filter(takes_a_point).map(|tool| &*tool.name).collect();
    let mut called: Vec<&str> = calls.iter().map(|(tool, _)| *tool).collect();
    taking.sort_unstable();
    called.sort_unstable();
    assert_eq!(called, taking, "every tool that takes a point is called");
    let head = desk.head().await;
    // The largest of these is the one that means "live" inside the ledger.
    for above in [head + 1, ledger::LIVE - 1, ledger::LIVE, u64::MAX] {
        for (tool, arguments) in &calls {
            let mut arguments = arguments.clone();
            arguments["at_ingested"] = json!(above.to_string());
            let refused = desk.refused(tool, arguments).await;
            let details = &refused["details"];
            assert_eq!((&refused["code"], &details["field"]), (&json!("VALIDATION_ERROR"), &json!("at_ingested")));
            assert_eq!(details["last_read_point"], head, "{tool} {above}");
            assert_eq!(details["fix"], "give a time that has passed, or a read_point of an answer");
        }
    }
    for (tool, arguments) in calls {
        let mut arguments = arguments;
        arguments["at_ingested"] = json!(head.to_string());
        assert_eq!(desk.ok(tool, arguments).await["read_point"], head, "{tool}");
    }
}
