//! get_field_provenance: every value leads to its source.

use serde_json::{Value, json};

use crate::desk::Desk;

async fn ingest(desk: &Desk, fields: Value, priority: u32, at: &str) -> Value {
    let mut entity = json!({"entity_type": "company", "name": "Acme"});
    entity.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    let provenance = json!({"extracted_at": at, "extractor_version": "1"});
    desk.ok("ingest", json!({"entities": [entity], "source_priority": priority, "provenance": provenance})).await
}

// N-125, N-126, N-127, N-128, N-129
#[tokio::test]
async fn a_value_leads_to_its_observation_and_source() {
    let desk = Desk::new();
    let stored = ingest(&desk, json!({"industry": "tools"}), 50, "2024-01-01").await;
    let answer = desk.ok("get_field_provenance", json!({"entity_id": "Acme", "field": "industry"})).await;
    assert_eq!((&answer["field"], &answer["value"]), (&json!("industry"), &json!("tools")));
    assert_eq!(answer["observed_at"], "2024-01-01T00:00:00.000000Z");
    let observation = json!({
        "id": stored["entities"][0]["observation_id"], "source_id": stored["source_id"],
        "observed_at": "2024-01-01T00:00:00.000000Z", "specificity_score": 1.0, "source_priority": 50.0,
    });
    assert_eq!(answer["source_observation"], observation);
    let source = &answer["source_material"];
    assert_eq!((&source["id"], &source["kind"]), (&stored["source_id"], &json!("structured")));
    assert_eq!(source["content_hash"], stored["content_hash"]);
    assert!(source["created_at"].as_str().unwrap().starts_with("2027-01-15"));
    assert_eq!(source["file_urls"], json!([]));
    assert_eq!(answer["other_observations"], json!([]));
    assert_eq!(source["mime_type"], "application/json");
    desk.requires("get_field_provenance", &json!({"entity_id": "Acme", "field": "industry"}), &["entity_id", "field"])
        .await;
}

// N-129: of a file, its type and where it is kept.
#[tokio::test]
async fn a_value_from_a_file_leads_to_the_file() {
    let rules = std::sync::Arc::new(neotoma::interpret::Rules::default());
    let desk = Desk::having(|parts, _| parts.interpreter = rules);
    let content = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, "title,status\nShip,open\n");
    let stored = desk.ok("ingest", json!({"file_content": content, "mime_type": "text/csv"})).await;
    let answer = desk.ok("get_field_provenance", json!({"entity_id": "Ship", "field": "status"})).await;
    let source = &answer["source_material"];
    assert_eq!((&source["id"], &source["mime_type"]), (&stored["source_id"], &json!("text/csv")));
    assert_eq!(source["file_urls"], json!([stored["file_path"]]));
    assert!(source["created_at"].as_str().unwrap().starts_with("2027-01-15"));
    desk.ok("get_file_url", json!({"file_path": source["file_urls"][0]})).await;
    assert_eq!(answer["quote"], "Ship,open");
    // N-292
    let observation = &answer["source_observation"];
    assert_eq!(
        (observation["source_priority"].as_f64(), observation["specificity_score"].as_f64()),
        (Some(0.0), Some(0.5))
    );
}

// N-134
#[tokio::test]
async fn losers_are_listed_in_order_with_why() {
    let desk = Desk::new();
    ingest(&desk, json!({"industry": "old", "website": "low.test"}), 10, "2024-01-01").await;
    ingest(&desk, json!({"website": "high.test"}), 200, "2024-01-02").await;
    ingest(&desk, json!({"industry": "middle", "website": "mid.test"}), 100, "2024-01-03").await;
    ingest(&desk, json!({"industry": "new"}), 10, "2024-01-04").await;
    let losers = async |field: &str| {
        let answer = desk.ok("get_field_provenance", json!({"entity_id": "Acme", "field": field})).await;
        let lost = answer["other_observations"].as_array().unwrap().clone();
        let told: Vec<Value> = lost.iter().map(|one| json!([one["value"], one["reason"]])).collect();
        json!([answer["value"], told])
    };
    assert_eq!(losers("industry").await, json!(["new", [["middle", "older"], ["old", "older"]]]));
    let by_priority = json!(["high.test", [["mid.test", "lower priority"], ["low.test", "lower priority"]]]);
    assert_eq!(losers("website").await, by_priority);
}

// N-131
#[tokio::test]
async fn asked_by_id_it_answers_at_a_point_that_answers_the_same_for_ever() {
    let desk = Desk::new();
    let stored = ingest(&desk, json!({"industry": "old"}), 10, "2024-01-01").await;
    let mut asked = json!({"entity_id": stored["entities"][0]["id"], "field": "industry"});
    let mut answers = Vec::new();
    for (industry, at) in [("middle", "2024-01-02"), ("new", "2024-01-03"), ("last", "2024-01-04")] {
        desk.store(json!([{"entity_type": "note", "title": at, "content": "x"}])).await;
        answers.push(desk.ok("get_field_provenance", asked.clone()).await);
        ingest(&desk, json!({"industry": industry}), 10, at).await;
    }
    for (index, answer) in answers.into_iter().enumerate() {
        assert_eq!(answer["other_observations"].as_array().unwrap().len(), index);
        asked["at_ingested"] = json!(answer["read_point"].to_string());
        assert_eq!(desk.ok("get_field_provenance", asked.clone()).await, answer);
    }
}

// N-132
#[tokio::test]
async fn every_field_of_every_snapshot_resolves() {
    let desk = Desk::new();
    ingest(&desk, json!({"industry": "a", "undeclared": {"x": [1]}, "size": 5, "flag": false}), 10, "2024-01-01").await;
    ingest(&desk, json!({"industry": "b", "undeclared": "text"}), 10, "2024-01-02").await;
    ingest(&desk, json!({"industry": "a", "undeclared": {"x": [1]}, "size": 5, "flag": false}), 10, "2024-01-03").await;
    desk.store(json!([{"entity_type": "gadget", "name": "G", "parts": ["a", "b"]}])).await;
    for name in ["Acme", "G"] {
        let snapshot = desk.ok("get_entity_snapshot", json!({"entity_id": name})).await;
        for (field, value) in snapshot["snapshot"].as_object().unwrap() {
            let answer = desk.ok("get_field_provenance", json!({"entity_id": name, "field": field})).await;
            assert_eq!(
                (&answer["value"], &answer["source_observation"]["id"]),
                (value, &snapshot["provenance"][field])
            );
            assert_eq!(answer["source_material"]["id"], answer["source_observation"]["source_id"]);
        }
    }
}

// N-130
#[tokio::test]
async fn what_has_no_provenance_is_refused() {
    let desk = Desk::new();
    ingest(&desk, json!({"industry": "a"}), 10, "2024-01-01").await;
    ingest(&desk, json!({"phone": "1"}), 10, "2024-01-01").await;
    ingest(&desk, json!({"phone": null}), 10, "2024-01-02").await;
    for (entity_id, field, code) in [
        ("Acme", "nothing", "FIELD_NOT_FOUND"),
        ("Acme", "phone", "FIELD_NOT_FOUND"),
        ("Nobody", "industry", "ENTITY_NOT_FOUND"),
        ("ent_0123456789abcdef01234567", "industry", "ENTITY_NOT_FOUND"),
        ("ent_1", "industry", "VALIDATION_ERROR"),
        ("Acme", "", "VALIDATION_ERROR"),
        ("Acme", "a\u{0}", "VALIDATION_ERROR"),
    ] {
        let refused = desk.refused("get_field_provenance", json!({"entity_id": entity_id, "field": field})).await;
        assert_eq!(refused["code"], code, "{entity_id} {field}");
    }
    let refused = desk.refused("get_field_provenance", json!({"entity_id": "Acme", "field": "nothing"})).await;
    assert_eq!(refused["details"]["known_fields"], json!(["industry", "name"]));
}
