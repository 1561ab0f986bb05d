//! get_entity_snapshot: the truth about an entity, now and at a time.

use serde_json::{Value, json};

use crate::desk::Desk;

/// Says something about a task as of a moment; the answer of ingest.
async fn say(desk: &Desk, fields: Value, at: &str) -> Value {
    let mut entity = json!({"entity_type": "task", "title": "Ship"});
    entity.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    let provenance = json!({"extracted_at": at, "extractor_version": "1"});
    desk.ok("ingest", json!({"entities": [entity], "provenance": provenance})).await
}

// N-104, N-105, N-107, N-108, N-112, N-115
#[tokio::test]
async fn a_snapshot_says_what_is_true_and_who_said_so() {
    let desk = Desk::new();
    let first = say(&desk, json!({"status": "open", "mood": "good"}), "2024-01-01").await;
    let second = say(&desk, json!({"status": "done"}), "2024-02-01").await;
    let id = first["entities"][0]["id"].clone();
    let snapshot = desk.ok("get_entity_snapshot", json!({"entity_id": id})).await;
    assert_eq!((&snapshot["entity_id"], &snapshot["entity_type"]), (&id, &json!("task")));
    assert_eq!((&snapshot["schema_version"], &snapshot["observation_count"]), (&json!("1.0"), &json!(2)));
    assert_eq!(snapshot["snapshot"], json!({"mood": "good", "status": "done", "title": "Ship"}));
    let (older, newer) = (&first["entities"][0]["observation_id"], &second["entities"][0]["observation_id"]);
    assert_eq!(snapshot["provenance"], json!({"mood": older, "status": newer, "title": newer}));
    for moment in ["computed_at", "last_observation_at"] {
        assert_eq!(snapshot[moment], "2024-02-01T00:00:00.000000Z", "{moment}");
    }
    assert_eq!(snapshot["unvalidated"], json!(["mood"]));
    desk.tick(1_000_000_000);
    assert_eq!(desk.ok("get_entity_snapshot", json!({"entity_id": id})).await.to_string(), snapshot.to_string());
}

// N-106, N-113, N-114
#[tokio::test]
async fn a_snapshot_is_cut_by_when_it_was_true_and_by_when_it_was_known() {
    let desk = Desk::new();
    say(&desk, json!({"status": "b"}), "2024-02-01").await;
    let known = desk.ok("get_entity_snapshot", json!({"entity_id": "Ship"})).await["read_point"].to_string();
    desk.tick(3_600_000_000);
    say(&desk, json!({"status": "a"}), "2024-01-01").await;
    say(&desk, json!({"status": "c"}), "2024-03-01").await;
    for (at, at_ingested, expected) in [
        (None, None, Some(("c", 3))),
        (Some("2024-02-15T00:00:00Z"), None, Some(("b", 2))),
        (Some("2024-02-01T00:00:00Z"), None, Some(("b", 2))),
        (Some("2024-01-31T23:59:59Z"), None, Some(("a", 1))),
        (Some("2023-12-31T00:00:00Z"), None, None),
        (None, Some(known.as_str()), Some(("b", 1))),
        (Some("2024-01-15T00:00:00Z"), Some(known.as_str()), None),
        (Some("2024-02-15T00:00:00Z"), Some(known.as_str()), Some(("b", 1))),
        (None, Some("1"), Some(("b", 1))),
        (None, Some("0"), None),
    ] {
        let arguments = json!({"entity_id": "Ship", "at": at, "at_ingested": at_ingested});
        let mut arguments = arguments.as_object().unwrap().clone();
        arguments.retain(|_, value| !value.is_null());
        match expected {
            Some((status, count)) => {
                let snapshot = desk.ok("get_entity_snapshot", Value::Object(arguments)).await;
                let seen = (&snapshot["snapshot"]["status"], &snapshot["observation_count"]);
                assert_eq!(seen, (&json!(status), &json!(count)), "{at:?} {at_ingested:?}");
            }
            None => {
                let refused = desk.refused("get_entity_snapshot", Value::Object(arguments)).await;
                assert_eq!(refused["code"], "ENTITY_NOT_FOUND", "{at:?} {at_ingested:?}");
            }
        }
    }
}

// N-110
#[tokio::test]
async fn what_is_unknown_or_malformed_is_refused() {
    let desk = Desk::new();
    say(&desk, json!({"status": "a"}), "2024-01-01").await;
    for (arguments, code, field) in [
        (json!({"entity_id": "ent_0123456789abcdef01234567"}), "ENTITY_NOT_FOUND", "entity_id"),
        (json!({"entity_id": "Nobody"}), "ENTITY_NOT_FOUND", "entity_id"),
        (json!({"entity_id": "ent_12"}), "VALIDATION_ERROR", "entity_id"),
        (json!({}), "VALIDATION_ERROR", "entity_id"),
        (json!({"entity_id": "Ship", "at": "then"}), "VALIDATION_ERROR", "at"),
        (json!({"entity_id": "Ship", "at_ingested": "then"}), "VALIDATION_ERROR", "at_ingested"),
    ] {
        let refused = desk.refused("get_entity_snapshot", arguments.clone()).await;
        assert_eq!((&refused["code"], &refused["details"]["field"]), (&json!(code), &json!(field)), "{arguments}");
    }
}
