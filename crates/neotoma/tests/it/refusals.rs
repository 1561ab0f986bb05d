//! Refusals: a code for each cause, what to do about it, and nothing that the caller sent or stored.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::desk::{ANN, Desk};

/// In everything that is sent or stored here, and in no refusal.
const MARK: &str = "Zxqmarked";

async fn desk() -> Desk {
    let desk = Desk::having(|parts, folder| {
        let uploads = folder.join("uploads");
        std::fs::create_dir(&uploads).unwrap();
        std::fs::write(uploads.join(format!("{MARK}.exe")), MARK).unwrap();
        std::fs::write(uploads.join(format!("{MARK}.json")), format!("{{\"{MARK}")).unwrap();
        std::fs::write(uploads.join(format!("{MARK}.txt")), MARK.repeat(30)).unwrap();
        parts.roots = Arc::new(blobs::jail::Roots::open(&[uploads]).unwrap());
        parts.interpreter = Arc::new(neotoma::interpret::Rules::default());
        parts.config.file_bytes_max = 200;
    });
    let person = |name: String| json!({"entity_type": "person", "name": name, "email": format!("{name}@{MARK}.test").replace(' ', "")});
    desk.store(json!([
        person(format!("{MARK} One")),
        {"entity_type": "company", "name": format!("{MARK} Two"), "website": format!("https://{MARK}.test/")},
        {"entity_type": "company", "name": format!("{MARK} Twin")},
        {"entity_type": "project", "name": format!("{MARK} Twin")},
        {"entity_type": "company", "name": format!("{MARK} Gone")},
        {"entity_type": "company", "name": format!("{MARK} Former")},
    ]))
    .await;
    desk.ok("delete", json!({"id": format!("{MARK} Gone")})).await;
    let merge = json!({"from_entity_id": format!("{MARK} Former"), "to_entity_id": format!("{MARK} Two"), "merge_reason": MARK});
    desk.ok("merge_entities", merge).await;
    let edge = json!({"relationship_type": "DEPENDS_ON", "source_entity_id": format!("{MARK} One"), "target_entity_id": format!("{MARK} Two"), "metadata": {"note": MARK}});
    desk.ok("create_relationship", edge).await;
    desk
}

/// Calls that are refused, with their code and the field that they name.
fn calls() -> Vec<(&'static str, Value, &'static str, &'static str)> {
    let (one, two, twin, gone) =
        (format!("{MARK} One"), format!("{MARK} Two"), format!("{MARK} Twin"), format!("{MARK} Gone"));
    let entity = |fields: Value| json!({"entities": [fields]});
    let nul = format!("{MARK}\0");
    vec![
        // N-027
        (
            "ingest",
            json!({"file_content": MARK, "mime_type": "text/plain", "original_filename": MARK}),
            "VALIDATION_ERROR",
            "file_content",
        ),
        (
            "ingest",
            json!({"file_content": "SGVsbG8=", "mime_type": MARK, "original_filename": MARK}),
            "VALIDATION_ERROR",
            "mime_type",
        ),
        (
            "ingest",
            json!({"file_content": "SGVsbG8=", "mime_type": "text/plain", "original_filename": nul}),
            "VALIDATION_ERROR",
            "original_filename",
        ),
        ("ingest", entity(json!({"name": MARK})), "VALIDATION_ERROR", "entities[0].entity_type"),
        ("ingest", entity(json!({"entity_type": MARK})), "VALIDATION_ERROR", "entities[0].entity_type"),
        (
            "ingest",
            json!({"user_id": MARK, "entities": [{"entity_type": "note", "title": MARK}]}),
            "VALIDATION_ERROR",
            "user_id",
        ),
        ("ingest", json!({"entities": MARK}), "VALIDATION_ERROR", "entities"),
        ("ingest", json!({"entities": [MARK]}), "VALIDATION_ERROR", "entities.0"),
        ("ingest", json!({"entities": [{"entity_type": "note", "title": nul}]}), "VALIDATION_ERROR", "entities.title"),
        (
            "ingest",
            json!({"provenance": {"extracted_at": MARK, "extractor_version": MARK}, "entities": [{"entity_type": "note", "title": MARK}]}),
            "VALIDATION_ERROR",
            "provenance.extracted_at",
        ),
        (
            "ingest",
            json!({"provenance": {"extracted_at": "2024-01-01", "extractor_version": MARK, "kind": MARK}, "entities": [{"entity_type": "note", "title": MARK}]}),
            "VALIDATION_ERROR",
            "provenance.kind",
        ),
        (
            "ingest",
            json!({"client_request_id": MARK.repeat(40), "entities": [{"entity_type": "note", "title": MARK}]}),
            "VALIDATION_ERROR",
            "client_request_id",
        ),
        (
            "ingest",
            json!({"client_request_id": format!("is not a {MARK} {}", MARK.repeat(40)), "entities": [{"entity_type": "note"}]}),
            "VALIDATION_ERROR",
            "client_request_id",
        ),
        (
            "upload_file",
            json!({"file_path": format!("{MARK}.txt"), "properties": MARK}),
            "VALIDATION_ERROR",
            "properties",
        ),
        (
            "upload_file",
            json!({"file_path": format!("{MARK}.txt"), "source_material_id": MARK}),
            "VALIDATION_ERROR",
            "source_material_id",
        ),
        ("get_file_url", json!({"file_path": MARK, "expires_in": MARK}), "VALIDATION_ERROR", "expires_in"),
        ("get_entity_snapshot", json!({"entity_id": format!("ent_{MARK}")}), "VALIDATION_ERROR", "entity_id"),
        ("get_entity_snapshot", json!({"entity_id": one, "at": MARK}), "VALIDATION_ERROR", "at"),
        ("get_entity_snapshot", json!({"entity_id": one, "at_ingested": MARK}), "VALIDATION_ERROR", "at_ingested"),
        ("get_entity_snapshot", json!({"entity_id": twin}), "VALIDATION_ERROR", "entity_id"),
        (
            "correct",
            json!({"entity_id": one, "entity_type": MARK, "field": "name", "value": MARK}),
            "VALIDATION_ERROR",
            "entity_type",
        ),
        (
            "correct",
            json!({"entity_id": one, "entity_type": "person", "field": "name", "value": [7, MARK]}),
            "VALIDATION_ERROR",
            "value",
        ),
        ("merge_entities", json!({"from_entity_id": two, "to_entity_id": two}), "VALIDATION_ERROR", "to_entity_id"),
        ("merge_entities", json!({"from_entity_id": one, "to_entity_id": two}), "VALIDATION_ERROR", "to_entity_id"),
        ("reinterpret", json!({"source_id": MARK, "interpretation_config": {}}), "VALIDATION_ERROR", "source_id"),
        ("retrieve_entities", json!({"cursor": MARK}), "VALIDATION_ERROR", "cursor"),
        ("retrieve_entities", json!({"entity_type": format!("{MARK}!")}), "VALIDATION_ERROR", "entity_type"),
        ("list_relationships", json!({"entity_id": one, "direction": MARK}), "VALIDATION_ERROR", "direction"),
        ("list_timeline_events", json!({"after_date": MARK}), "VALIDATION_ERROR", "after_date"),
        ("register_schema", json!({"entity_type": MARK, "definition": {}}), "VALIDATION_ERROR", "entity_type"),
        // N-028
        ("get_entity_snapshot", json!({"entity_id": MARK}), "ENTITY_NOT_FOUND", "entity_id"),
        ("get_entity_snapshot", json!({"entity_id": gone}), "ENTITY_NOT_FOUND", "entity_id"),
        ("list_observations", json!({"entity_id": MARK}), "ENTITY_NOT_FOUND", "entity_id"),
        (
            "correct",
            json!({"entity_id": MARK, "entity_type": "person", "field": "name", "value": MARK}),
            "ENTITY_NOT_FOUND",
            "entity_id",
        ),
        (
            "create_relationship",
            json!({"relationship_type": "REFERS_TO", "source_entity_id": one, "target_entity_id": MARK}),
            "ENTITY_NOT_FOUND",
            "target_entity_id",
        ),
        ("delete", json!({"id": MARK}), "ENTITY_NOT_FOUND", "id"),
        // N-029
        (
            "reinterpret",
            json!({"source_id": "6f1f8a2e-1111-8222-8333-444455556666", "interpretation_config": {"model_id": MARK}}),
            "SOURCE_NOT_FOUND",
            "source_id",
        ),
        // N-030
        ("upload_file", json!({"file_path": format!("/{MARK}/{MARK}")}), "FILE_NOT_FOUND", "file_path"),
        (
            "get_file_url",
            json!({"file_path": format!("files/{MARK}/{}", "0".repeat(64))}),
            "FILE_NOT_FOUND",
            "file_path",
        ),
        // N-031
        ("upload_file", json!({"file_path": format!("{MARK}.txt")}), "FILE_TOO_LARGE", ""),
        // N-032
        ("upload_file", json!({"file_path": format!("{MARK}.exe")}), "UNSUPPORTED_FILE_TYPE", ""),
        // N-038
        ("upload_file", json!({"file_path": format!("{MARK}.json")}), "ANALYSIS_FAILED", ""),
        // N-040
        ("get_field_provenance", json!({"entity_id": one, "field": MARK}), "FIELD_NOT_FOUND", "field"),
        (
            "create_relationship",
            json!({"relationship_type": MARK, "source_entity_id": one, "target_entity_id": two}),
            "INVALID_RELATIONSHIP_TYPE",
            "relationship_type",
        ),
        (
            "create_relationship",
            json!({"relationship_type": "DEPENDS_ON", "source_entity_id": two, "target_entity_id": one}),
            "CYCLE_DETECTED",
            "target_entity_id",
        ),
        ("ingest", entity(json!({"entity_type": "company", "name": gone})), "ENTITY_DELETED", "entities[0]"),
    ]
}

// N-024, N-027, N-028, N-029, N-030, N-031, N-032, N-038, N-044
#[tokio::test]
async fn refusals_have_code_field_and_fix_and_repeat_nothing() {
    let desk = desk().await;
    let head = desk.head().await;
    for (tool, arguments, code, field) in calls() {
        let refused = desk.refused(tool, arguments.clone()).await;
        let shown = (refused["code"].as_str().unwrap(), refused["details"]["field"].as_str().unwrap_or_default());
        assert_eq!(shown, (code, field), "{tool} {arguments}: {refused}");
        assert!(refused["details"]["fix"].as_str().is_some_and(|fix| !fix.is_empty()), "{tool}: {refused}");
        if code == "VALIDATION_ERROR" {
            let reason = refused["details"]["reason"].as_str();
            assert!(reason.is_some_and(|reason| !reason.is_empty()), "{tool} {arguments}: {refused}");
        }
        assert!(!refused.to_string().contains(MARK), "{tool} {arguments}: {refused}");
    }
    // The file that could not be interpreted is stored; nothing else is.
    assert_eq!(desk.head().await, head + 1);
}

// N-024
#[tokio::test]
async fn warnings_and_hints_name_fields_and_ids_only() {
    let desk = desk().await;
    let sent = json!({"entities": [{"entity_type": "invoice", "invoice_number": 7, "amount_due": MARK, "currency": [MARK]}, {"entity_type": "person", "name": MARK}]});
    let stored = desk.ok("ingest", sent).await;
    assert!(stored["entities"][1]["possible_duplicates"].is_array(), "{stored}");
    assert!(!stored["warnings"].as_array().unwrap().is_empty());
    assert!(!stored.to_string().contains(MARK), "{stored}");
}

// N-044
#[tokio::test]
async fn the_fix_names_the_nearest_name_the_valid_values_and_the_bounds() {
    let desk = desk().await;
    let likes = json!({"relationship_type": "LIKES", "source_entity_id": format!("{MARK} One"), "target_entity_id": format!("{MARK} Two")});
    for (tool, arguments, fix) in [
        ("get_entity_snapshot", json!({"entity_ID": "x"}), "use entity_id"),
        (
            "list_relationships",
            json!({"entity_id": "x", "direction": "inbond"}),
            "use inbound; permitted are inbound, outbound, both",
        ),
        ("ingest", json!({"source_priority": 1000, "entities": [{"entity_type": "note", "title": "T"}]}), "below 1000"),
        ("create_relationship", likes.clone(), "register_schema"),
    ] {
        let refused = desk.refused(tool, arguments).await;
        let all = refused["details"].to_string();
        assert!(all.contains(fix), "{tool}: {refused}");
    }
    let refused = desk.refused("retrieve_entities", json!({"limit": 1001})).await;
    assert!(refused["message"].as_str().unwrap().contains("1000"), "{refused}");
    let refused =
        desk.refused("get_field_provenance", json!({"entity_id": format!("{MARK} One"), "field": "nam"})).await;
    assert_eq!(refused["details"]["known_fields"], json!(["email", "name"]));
    let refused = desk.refused("create_relationship", likes.clone()).await;
    assert!(refused["details"]["valid_values"].as_array().unwrap().contains(&json!("PART_OF")), "{refused}");
}

// N-039
#[tokio::test]
async fn a_call_that_was_given_up_writes_nothing_and_says_so() {
    let desk = desk().await;
    let head = desk.head().await;
    let error = desk
        .cancelled_as(ANN, "ingest", json!({"entities": [{"entity_type": "note", "title": "T"}]}))
        .await
        .unwrap_err();
    let refused = desk.envelope(&error);
    assert_eq!((&refused["code"], refused["details"].get("outcome")), (&json!("SERVICE_UNAVAILABLE"), None));
    assert_eq!(desk.head().await, head);
}

// N-004, N-027: every argument of every tool.
#[tokio::test]
async fn every_tool_names_every_argument_that_is_wrong() {
    let desk = Desk::new();
    for tool in contract::generated::neotoma::manifest().tools {
        let mut arguments = json!({"no_such_argument": 1});
        let mut expected = vec!["no_such_argument".to_owned()];
        for (name, schema) in tool.input_schema["properties"].as_object().unwrap() {
            arguments[name] = match schema["type"].as_str() {
                Some("object") => json!(7),
                Some(_) => json!({"no": {"such": "value"}, "more": 1}),
                // Any value will do.
                None => continue,
            };
            expected.push(name.clone());
        }
        let refused = desk.refused(&tool.name, arguments).await;
        assert_eq!(refused["code"], "VALIDATION_ERROR", "{}", tool.name);
        let mut named: Vec<&str> = refused["details"]["violations"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["field"].as_str().unwrap())
            .collect();
        named.retain(|name| *name != "value");
        named.sort_unstable();
        expected.sort();
        assert_eq!(named, expected, "{}", tool.name);
    }
    assert_eq!(desk.head().await, 0);
}

// N-004: by the schema, and by what only the capability knows.
#[tokio::test]
async fn every_offending_path_is_named() {
    let desk = Desk::new();
    let refused = desk.refused("correct", json!({"entity_id": 7, "field": [], "valeu": 1})).await;
    let named: Vec<&str> =
        refused["details"]["violations"].as_array().unwrap().iter().map(|one| one["field"].as_str().unwrap()).collect();
    for path in ["entity_id", "entity_type", "field", "valeu"] {
        assert!(named.contains(&path), "{path}: {refused}");
        assert!(refused["message"].as_str().unwrap().contains(path), "{path}: {refused}");
    }
    let wrong = json!({
        "entities": [{"name": "a"}, {"entity_type": "note", "title": "b"}, {"entity_type": 7}],
        "provenance": {"extracted_at": "soon", "extractor_version": "1"},
        "source_priority": 5000,
        "original_filename": "x".repeat(100_000),
    });
    let refused = desk.refused("ingest", wrong).await;
    let named: Vec<&str> =
        refused["details"]["violations"].as_array().unwrap().iter().map(|one| one["field"].as_str().unwrap()).collect();
    let expected = [
        "entities[0].entity_type",
        "entities[2].entity_type",
        "provenance.extracted_at",
        "source_priority",
        "original_filename",
    ];
    assert_eq!(named, expected);
    assert!(expected.iter().all(|path| refused["message"].as_str().unwrap().contains(path)), "{refused}");
}

#[tokio::test]
async fn ids_are_known_in_other_clothes_and_near_ones_are_suggested() {
    let desk = Desk::new();
    let id = desk.store(json!([{"entity_type": "note", "title": "One"}])).await;
    for worn in [id.to_uppercase(), format!(" {id}\n"), format!("\"{id}\""), format!("`{id}`")] {
        assert_eq!(desk.snapshot(&worn).await["entity_id"], id, "{worn}");
    }
    let stored = desk.ok("ingest", json!({"file_content": "SGVsbG8=", "mime_type": "text/plain"})).await;
    let source = stored["source_id"].as_str().unwrap().to_uppercase();
    let again = json!({"source_id": format!("urn:uuid:{source}"), "interpretation_config": {}});
    assert_eq!(desk.ok("reinterpret", again).await["source_id"], stored["source_id"]);
    let (lost, swapped) = (format!("{}{}", &id[..12], &id[13..]), {
        let mut letters: Vec<char> = id.chars().collect();
        let at = (14..26).find(|at| letters[*at] != letters[at + 1]).unwrap();
        letters.swap(at, at + 1);
        letters.into_iter().collect::<String>()
    });
    for (misspelt, code) in [(lost, "VALIDATION_ERROR"), (swapped, "ENTITY_NOT_FOUND")] {
        let refused = desk.refused("get_entity_snapshot", json!({"entity_id": misspelt})).await;
        assert_eq!(refused["code"], code, "{refused}");
        assert_eq!(refused["details"]["did_you_mean"], json!([id]), "{refused}");
        // Nobody is told about the entities of others.
        let stranger = crate::desk::Caller { tenant: "local", user: "bob" };
        let refused = desk.refused_as(stranger, "get_entity_snapshot", json!({"entity_id": misspelt})).await;
        assert!(refused["details"].get("did_you_mean").is_none(), "{refused}");
    }
}

#[tokio::test]
async fn a_key_is_printable_and_not_empty() {
    let desk = Desk::new();
    let keyed = |key: &str| json!({"client_request_id": key, "entities": [{"entity_type": "note", "title": "One"}]});
    for key in ["", "\u{1}", "a\nb", "\u{200b}", "schl\u{fc}ssel"] {
        let refused = desk.refused("ingest", keyed(key)).await;
        assert_eq!(refused["details"]["field"], "client_request_id", "{key:?}: {refused}");
    }
    assert_eq!(desk.head().await, 0);
    desk.ok("ingest", keyed("k-1")).await;
}
