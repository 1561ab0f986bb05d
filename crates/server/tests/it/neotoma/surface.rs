//! What a client sees of neotoma before it calls anything.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::client::{Client as _, Piped, Served};

/// The actions of the specification.
const ACTIONS: [&str; 16] = [
    "ingest",
    "upload_file",
    "get_file_url",
    "get_entity_snapshot",
    "list_observations",
    "get_field_provenance",
    "retrieve_entities",
    "get_entity_by_identifier",
    "get_related_entities",
    "get_graph_neighborhood",
    "list_timeline_events",
    "correct",
    "reinterpret",
    "merge_entities",
    "create_relationship",
    "list_relationships",
];
/// What we added.
const ADDED: [&str; 6] = ["unmerge_entities", "delete", "restore", "describe_schema", "register_schema", "search"];

/// The tools as they are listed, by name.
async fn listed() -> (BTreeMap<String, Value>, usize) {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::start(folder.path(), &[]).await;
    let response = served.http.ask("tools/list", json!({}), &[]).await;
    assert_eq!(response.status, 200);
    let message = response.message();
    let tools = message["result"]["tools"].as_array().unwrap().clone();
    assert!(message["result"].get("nextCursor").is_none(), "everything is on one page");
    let by_name = tools.into_iter().map(|tool| (tool["name"].as_str().unwrap().to_owned(), tool)).collect();
    (by_name, response.body.len())
}

// N-001
#[tokio::test]
async fn the_actions_of_the_specification_and_ours_are_listed() {
    let (tools, _) = listed().await;
    let mut expected: Vec<&str> = ACTIONS.iter().chain(&ADDED).copied().collect();
    expected.sort_unstable();
    assert_eq!(tools.keys().map(String::as_str).collect::<Vec<_>>(), expected);
}

// N-009
#[tokio::test]
async fn listing_and_instructions_are_short() {
    let (_, bytes) = listed().await;
    assert!(bytes < 16 * 1024, "{bytes} bytes");
    let folder = tempfile::tempdir().unwrap();
    let piped = Piped::start(folder.path(), &[]).await;
    let instructions = piped.greeting["instructions"].as_str().unwrap();
    assert!((1..=2048).contains(&instructions.len()), "{} bytes", instructions.len());
}

// N-253
#[tokio::test]
async fn the_version_of_the_actions_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let piped = Piped::start(folder.path(), &[]).await;
    assert_eq!(piped.greeting["serverInfo"]["description"], "Neotoma, actions 1.1.0");
    assert!(piped.greeting["instructions"].as_str().unwrap().contains("version 1.1.0"));
    drop(piped);
    let served = Served::start(folder.path(), &[]).await;
    let catalog = served.http.send("GET", "/.well-known/mcp-tools.json", &[], b"").await;
    let catalog: Value = serde_json::from_slice(&catalog.body).unwrap();
    let capabilities = catalog["capabilities"].as_array().unwrap();
    let neotoma = capabilities.iter().find(|capability| capability["name"] == "neotoma").unwrap();
    assert_eq!(neotoma["version"], "1.1.0");
}

// N-010
#[tokio::test]
async fn hints_say_what_a_tool_does() {
    // Idempotent means here: the same arguments twice, without a key, change nothing more. A merge is refused the second
    // time, an unmerge too. It says nothing about a tool that only reads.
    let not_idempotent = ["merge_entities", "unmerge_entities"];
    let writing = [
        "ingest",
        "upload_file",
        "correct",
        "reinterpret",
        "merge_entities",
        "create_relationship",
        "unmerge_entities",
        "delete",
        "restore",
        "register_schema",
    ];
    let (tools, _) = listed().await;
    for (name, tool) in tools {
        let mut expected = json!({
            "readOnlyHint": !writing.contains(&name.as_str()),
            "destructiveHint": name == "delete",
            "idempotentHint": !not_idempotent.contains(&name.as_str()),
            "openWorldHint": false,
        });
        if expected["readOnlyHint"] == true {
            expected.as_object_mut().unwrap().remove("idempotentHint");
        }
        assert_eq!(tool["annotations"], expected, "{name}");
    }
    let reading = ACTIONS.iter().filter(|name| !writing.contains(name)).count();
    assert_eq!(reading, 10, "ten actions of the specification read, six write");
}

// N-011
#[tokio::test]
async fn closed_objects_are_closed_and_open_ones_open() {
    let (tools, _) = listed().await;
    for (name, tool) in &tools {
        assert_closed(name, &tool["inputSchema"]);
    }
    let open = [
        ("ingest", "/properties/entities/items"),
        ("reinterpret", "/properties/interpretation_config/properties/feature_flags"),
        ("create_relationship", "/properties/metadata"),
        ("register_schema", "/properties/definition"),
    ];
    for (name, path) in open {
        assert_eq!(tools[name]["inputSchema"].pointer(path).unwrap()["additionalProperties"], true, "{name}{path}");
    }
    assert_eq!(tools["correct"]["inputSchema"]["properties"]["value"], json!({}), "any value");

    let folder = tempfile::tempdir().unwrap();
    let mut served = Served::start(folder.path(), &[]).await;
    let note = json!([{ "entity_type": "note", "title": "a", "anything": { "at": ["all"] } }]);
    served.ok("ingest", json!({ "entities": note })).await;
    let provenance = json!({ "extracted_at": "2026-01-01T00:00:00Z", "extractor_version": "1", "mood": 1 });
    for (tool, arguments, path) in [
        ("ingest", json!({ "entities": note, "mood": 1 }), "mood"),
        ("ingest", json!({ "entities": note, "provenance": provenance }), "provenance.mood"),
        ("ingest", json!({ "entities": note, "interpretation_config": { "mood": 1 } }), "interpretation_config.mood"),
        ("retrieve_entities", json!({ "filters": [{ "field": "a", "mood": 1 }] }), "filters.0.mood"),
    ] {
        let error = served.refused(tool, arguments).await;
        assert_eq!((&error["code"], &error["details"]["field"]), (&json!("VALIDATION_ERROR"), &json!(path)), "{error}");
    }
}

/// Every object that names its members has no others.
fn assert_closed(path: &str, schema: &Value) {
    if let Some(properties) = schema["properties"].as_object() {
        assert_eq!(schema["additionalProperties"], false, "{path}");
        properties.iter().for_each(|(name, inner)| assert_closed(&format!("{path}.{name}"), inner));
    }
    if schema["items"].is_object() {
        assert_closed(&format!("{path}[]"), &schema["items"]);
    }
}

// N-006
#[tokio::test]
async fn every_listing_has_a_limit_with_a_default_and_a_maximum() {
    let (tools, _) = listed().await;
    for (name, default, maximum) in [
        ("retrieve_entities", 100, 1000),
        ("list_observations", 100, 1000),
        ("list_relationships", 100, 1000),
        ("list_timeline_events", 100, 1000),
        ("get_entity_by_identifier", 20, 100),
    ] {
        let limit = &tools[name]["inputSchema"]["properties"]["limit"];
        assert_eq!((&limit["default"], &limit["maximum"]), (&json!(default), &json!(maximum)), "{name}");
    }
    let hops = &tools["get_related_entities"]["inputSchema"]["properties"]["max_hops"];
    assert_eq!((&hops["default"], &hops["maximum"]), (&json!(1), &json!(5)));
    // What counts what it lists has a limit; of what is around something, what is cut is told. Two tell of one thing.
    for (name, tool) in &tools {
        let (takes, answers) = (&tool["inputSchema"]["properties"], &tool["outputSchema"]["properties"]);
        let lists = answers.as_object().unwrap().values().any(|answer| answer["type"] == "array");
        let reads = tool["annotations"]["readOnlyHint"] == true
            && !["describe_schema", "get_field_provenance"].contains(&name.as_str());
        if reads && lists {
            let is_bounded = takes["limit"]["default"].is_u64() && takes["limit"]["maximum"].is_u64();
            assert!(is_bounded || answers.get("total").is_none() && answers.get("truncated").is_some(), "{name}");
        }
    }
}

// N-072, N-103
#[tokio::test]
async fn the_largest_batch_and_the_longest_link_are_published() {
    let (tools, _) = listed().await;
    let entities = &tools["ingest"]["inputSchema"]["properties"]["entities"];
    assert!(entities["description"].as_str().unwrap().contains("At most 5000"), "{entities}");
    let expires = &tools["get_file_url"]["inputSchema"]["properties"]["expires_in"];
    assert_eq!(
        (&expires["minimum"], &expires["maximum"], &expires["default"]),
        (&json!(1), &json!(604_800), &json!(3600))
    );
}

/// The words of the specification: tool, arguments, fields of the answer.
const WORDS: [(&str, &str, &str); 16] = [
    (
        "ingest",
        "user_id file_content mime_type original_filename interpret interpretation_config entities source_priority provenance",
        "source_id content_hash file_size deduplicated interpretation",
    ),
    (
        "upload_file",
        "file_path source_material_id bucket properties",
        "source_id entity_snapshots file_url file_size content_type",
    ),
    ("get_file_url", "file_path expires_in", "signed_url expires_at"),
    (
        "get_entity_snapshot",
        "entity_id at",
        "entity_id entity_type schema_version snapshot provenance computed_at observation_count last_observation_at",
    ),
    ("list_observations", "entity_id limit offset", "observations total limit offset"),
    ("get_field_provenance", "entity_id field", "field value source_observation source_material observed_at"),
    (
        "retrieve_entities",
        "entity_type user_id limit offset include_snapshots include_merged",
        "entities total excluded_merged",
    ),
    ("get_entity_by_identifier", "identifier entity_type", "entities total"),
    (
        "get_related_entities",
        "entity_id relationship_types direction max_hops include_entities",
        "entities relationships total_entities total_relationships hops_traversed",
    ),
    (
        "get_graph_neighborhood",
        "node_id node_type include_relationships include_sources include_events include_observations",
        "node_id node_type entity entity_snapshot source_material relationships related_entities related_sources timeline_events observations",
    ),
    ("list_timeline_events", "event_type after_date before_date source_id limit offset", "events total"),
    ("correct", "user_id entity_id entity_type field value", "observation_id entity_id field value message"),
    ("reinterpret", "source_id interpretation_config", "run_id entities_created observations_created source_id"),
    (
        "merge_entities",
        "user_id from_entity_id to_entity_id merge_reason",
        "from_entity_id to_entity_id observations_moved merged_at merge_reason",
    ),
    (
        "create_relationship",
        "relationship_type source_entity_id target_entity_id metadata",
        "id relationship_type source_entity_id target_entity_id metadata created_at",
    ),
    ("list_relationships", "entity_id direction relationship_type limit offset", "relationships total limit offset"),
];

// N-007
#[tokio::test]
async fn arguments_and_answers_use_the_words_of_the_specification() {
    let (tools, _) = listed().await;
    for (name, arguments, answers) in WORDS {
        for (schema, words) in [("inputSchema", arguments), ("outputSchema", answers)] {
            let known = &tools[name][schema]["properties"];
            for word in words.split(' ') {
                assert!(known.get(word).is_some(), "{name} has no {word} in its {schema}");
            }
        }
    }
}
