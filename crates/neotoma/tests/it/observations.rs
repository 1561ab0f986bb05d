//! list_observations: what was said about an entity, newest first.

use serde_json::{Value, json};

use crate::desk::Desk;

/// Says the status of a task at a moment and answers with the observation's id.
async fn say(desk: &Desk, status: &str, at: &str) -> Value {
    let provenance = json!({"extracted_at": at, "extractor_version": "1"});
    let entity = json!({"entity_type": "task", "title": "Ship", "status": status});
    let answer = desk.ok("ingest", json!({"entities": [entity], "provenance": provenance})).await;
    answer["entities"][0]["observation_id"].clone()
}

fn ids(answer: &Value) -> Vec<Value> {
    answer["observations"].as_array().unwrap().iter().map(|one| one["id"].clone()).collect()
}

// N-116, N-117, N-119, N-120, N-122
#[tokio::test]
async fn observations_are_listed_newest_first_whole() {
    let desk = Desk::new();
    let middle = say(&desk, "b", "2024-02-01T00:00:00Z").await;
    let newest = say(&desk, "c", "2024-03-01T00:00:00Z").await;
    let oldest = say(&desk, "a", "2024-01-01T00:00:00Z").await;
    let answer = desk.ok("list_observations", json!({"entity_id": "Ship"})).await;
    assert_eq!(ids(&answer), [newest, middle, oldest]);
    assert_eq!((&answer["total"], &answer["limit"], &answer["offset"]), (&json!(3), &json!(100), &json!(0)));
    let first = &answer["observations"][0];
    assert_eq!(first["fields"], json!({"title": "Ship", "status": "c"}));
    assert_eq!((&first["entity_type"], &first["schema_version"]), (&json!("task"), &json!("1.0")));
    assert_eq!((&first["source_priority"], &first["specificity_score"]), (&json!(100.0), &json!(1.0)));
    assert_eq!(first["observed_at"], "2024-03-01T00:00:00.000000Z");
    assert!(first["created_at"].as_str().unwrap().starts_with("2027-01-15"));
    assert!(answer["observations"].as_array().unwrap().iter().all(|one| one["source_id"].is_string()));
    let entity = desk.ok("get_entity_snapshot", json!({"entity_id": "Ship"})).await;
    assert_eq!(first["entity_id"], entity["entity_id"]);
    desk.requires("list_observations", &json!({"entity_id": "Ship"}), &["entity_id"]).await;
}

// N-118, N-123, N-006
#[tokio::test]
async fn pages_of_equal_times_have_no_gap_and_no_repeat() {
    let desk = Desk::new();
    for number in 0..25 {
        say(&desk, &format!("s{number}"), if number % 2 == 0 { "2024-01-01" } else { "2024-01-02" }).await;
    }
    let whole = desk.ok("list_observations", json!({"entity_id": "Ship"})).await;
    let place = |one: &Value| (one["observed_at"].as_str().unwrap().to_owned(), one["id"].as_str().unwrap().to_owned());
    let places: Vec<_> = whole["observations"].as_array().unwrap().iter().map(place).collect();
    let mut sorted = places.clone();
    sorted.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
    assert_eq!((places.len(), &places), (25, &sorted));
    let mut paged = Vec::new();
    for offset in (0..30).step_by(7) {
        let page = desk.ok("list_observations", json!({"entity_id": "Ship", "limit": 7, "offset": offset})).await;
        assert_eq!((&page["total"], &page["limit"], &page["offset"]), (&json!(25), &json!(7), &json!(offset)));
        paged.extend(ids(&page));
    }
    assert_eq!(paged, ids(&whole));
    for limit in [0, 1001] {
        let refused = desk.refused("list_observations", json!({"entity_id": "Ship", "limit": limit})).await;
        assert_eq!(refused["code"], "VALIDATION_ERROR");
    }
}

// N-110, N-121, N-165, N-244
#[tokio::test]
async fn unknown_and_malformed_entities_are_refused() {
    let desk = Desk::new();
    for (entity_id, code) in [
        (json!("ent_0123456789abcdef01234567"), "ENTITY_NOT_FOUND"),
        (json!("Nobody"), "ENTITY_NOT_FOUND"),
        (json!("ent_x"), "VALIDATION_ERROR"),
        (json!(7), "VALIDATION_ERROR"),
    ] {
        for tool in ["list_observations", "list_relationships", "get_related_entities", "get_entity_snapshot"] {
            let refused = desk.refused(tool, json!({"entity_id": entity_id})).await;
            assert_eq!(
                (&refused["code"], &refused["details"]["field"]),
                (&json!(code), &json!("entity_id")),
                "{tool} {entity_id}"
            );
        }
    }
}
