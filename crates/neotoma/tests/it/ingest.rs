//! Entities go in, snapshots come out.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use contract::Blob;
use neotoma::domain::ids;
use neotoma::projection::row::kind;
use scope::TenantId;
use serde_json::{Value, json};

use crate::desk::{ANN, Desk};

// N-046, N-060, N-067, N-269
#[tokio::test]
async fn an_invoice_is_stored_and_its_snapshot_read() {
    let desk = Desk::new();
    let stored = desk
        .ok("ingest", json!({"entities": [{"entity_type": "invoice", "invoice_number": "INV-001", "amount": 100}]}))
        .await;
    assert_eq!(stored["interpretation"]["entities_created"], 1);
    assert_eq!(stored["interpretation"]["observations_created"], 1);
    assert!(ids::is_uuid(stored["interpretation"]["run_id"].as_str().unwrap()));
    let snapshot = desk.ok("get_entity_snapshot", json!({"entity_id": stored["entities"][0]["id"]})).await;
    assert_eq!(snapshot["snapshot"], json!({"amount": 100, "invoice_number": "INV-001"}));
    assert_eq!(snapshot["provenance"]["amount"], stored["entities"][0]["observation_id"]);
}

// N-294, N-295, N-336
#[tokio::test]
async fn what_is_said_again_counts_only_when_it_is_not_current() {
    let desk = Desk::new();
    let say = |status: &str| json!({"entities": [{"entity_type": "task", "title": "Ship", "status": status}]});
    for (status, deduplicated, observations) in
        [("open", false, 1), ("open", true, 0), ("done", false, 1), ("open", true, 1), ("open", true, 0)]
    {
        let answer = desk.ok("ingest", say(status)).await;
        assert_eq!(answer["deduplicated"], deduplicated, "{status}");
        assert_eq!(answer["interpretation"]["observations_created"], observations, "{status}");
    }
    let snapshot = desk.ok("get_entity_snapshot", json!({"entity_id": "Ship"})).await;
    assert_eq!(snapshot["snapshot"]["status"], "open");
    assert_eq!(snapshot["observation_count"], 3);
}

// N-251, N-291, N-336: at one time the observation whose id sorts first wins, whatever came first and however important.
#[tokio::test]
async fn conflicting_values_at_one_time_follow_the_tie_break() {
    let provenance = json!({"extracted_at": "2024-01-01T00:00:00Z", "extractor_version": "1"});
    let say = |status: &str| json!({"entities": [{"entity_type": "task", "title": "Ship", "status": status}], "source_priority": status.len(), "provenance": provenance});
    let statuses = ["a", "bb", "ccc"];
    let mut snapshots = Vec::new();
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0], [0, 2, 1]] {
        let desk = Desk::new();
        let mut observed = Vec::new();
        for place in order {
            let stored = desk.ok("ingest", say(statuses[place])).await;
            observed.push((stored["entities"][0]["observation_id"].as_str().unwrap().to_owned(), statuses[place]));
        }
        observed.sort();
        let answer = desk.ok("get_field_provenance", json!({"entity_id": "Ship", "field": "status"})).await;
        assert_eq!(answer["source_observation"]["id"], observed[0].0, "{observed:?}");
        assert_eq!(answer["value"], observed[0].1);
        let mut snapshot = desk.snapshot("Ship").await;
        snapshot.as_object_mut().unwrap().shift_remove("read_point");
        snapshots.push(snapshot.to_string());
    }
    assert!(snapshots.windows(2).all(|pair| pair[0] == pair[1]), "whatever came first: {snapshots:?}");
}

fn text(content: &str) -> Value {
    json!({"file_content": STANDARD.encode(content), "mime_type": "text/plain"})
}

/// What is refused, by its code and the field it names; nothing is stored.
#[track_caller]
pub fn refuses(desk: &Desk, arguments: Value, code: &str, field: &str) -> impl Future<Output = Value> {
    let caller = std::panic::Location::caller();
    async move {
        let head = desk.head().await;
        let refused = desk.refused("ingest", arguments).await;
        let shown = (refused["code"].as_str().unwrap(), refused["details"]["field"].as_str().unwrap_or_default());
        assert_eq!(shown, (code, field), "{caller}: {refused}");
        assert_eq!(desk.head().await, head, "{caller}: a refusal stores nothing");
        refused
    }
}

// N-046, N-048, N-052, N-266
#[tokio::test]
async fn either_a_file_or_entities() {
    let desk = Desk::new();
    let both = json!({"file_content": "SGVsbG8=", "mime_type": "text/plain", "entities": [{"entity_type": "note", "title": "a"}]});
    refuses(&desk, both, "VALIDATION_ERROR", "file_content").await;
    refuses(&desk, json!({}), "VALIDATION_ERROR", "entities").await;
    refuses(&desk, json!({"entities": []}), "VALIDATION_ERROR", "entities").await;
    refuses(&desk, json!({"user_id": "", "entities": []}), "VALIDATION_ERROR", "user_id").await;
    refuses(&desk, json!({"mime_type": "text/plain"}), "VALIDATION_ERROR", "file_content").await;
    refuses(&desk, json!({"file_content": "SGVsbG8="}), "VALIDATION_ERROR", "mime_type").await;
}

// N-004, N-044, N-053
#[tokio::test]
async fn every_offending_path_is_named_with_reason_and_fix() {
    let desk = Desk::new();
    let named = |refused: &Value| -> Vec<String> {
        let listed = refused["details"]["violations"].as_array().unwrap();
        for violation in listed {
            assert!(violation["reason"].is_string() && violation["fix"].is_string(), "{violation}");
        }
        let mut fields: Vec<String> = listed.iter().map(|one| one["field"].as_str().unwrap().to_owned()).collect();
        fields.sort();
        fields
    };
    let wrong = json!({"entitys": [], "interpret": 7, "provenance": {"source_refs": "x"}, "source_priority": "high"});
    let refused = desk.refused("ingest", wrong).await;
    assert_eq!(refused["code"], "VALIDATION_ERROR");
    let expected = [
        "entitys",
        "interpret",
        "provenance.extracted_at",
        "provenance.extractor_version",
        "provenance.source_refs",
        "source_priority",
    ];
    assert_eq!(named(&refused), expected);
    assert!(refused["details"]["violations"].to_string().contains("use entities"), "{refused}");

    let wrong = json!({"entities": [
        {"title": "a"}, {"entity_type": "note", "title": "b"}, {"entity_type": 3}, {"entity_type": "note", "x": {"": 1}},
    ]});
    let refused = desk.refused("ingest", wrong).await;
    assert_eq!(refused["code"], "VALIDATION_ERROR");
    assert_eq!(named(&refused), ["entities[0].entity_type", "entities[2].entity_type", "entities[3]/x"]);
    let wrong = json!({"entities": [{"entity_type": "../x"}, {"entity_type": "note"}, {"entity_type": "a b?"}]});
    let refused = desk.refused("ingest", wrong).await;
    assert_eq!(named(&refused), ["entities[0].entity_type", "entities[2].entity_type"]);
    assert_eq!(desk.head().await, 0);
}

// N-008
#[tokio::test]
async fn source_observations_and_snapshot_are_three_things() {
    let desk = Desk::new();
    let say = |status: &str| json!({"entities": [{"entity_type": "task", "title": "Ship", "status": status}]});
    let (first, second) = (desk.ok("ingest", say("open")).await, desk.ok("ingest", say("done")).await);
    let id = &first["entities"][0]["id"];
    for (stored, status) in [(&first, "open"), (&second, "done")] {
        assert_eq!(sent(&desk, &stored["source_id"]).await, say(status)["entities"], "a source is kept as it was sent");
    }
    let observed = desk.ok("list_observations", json!({"entity_id": id})).await;
    let said: Vec<&Value> =
        observed["observations"].as_array().unwrap().iter().map(|one| &one["fields"]["status"]).collect();
    assert_eq!(said, ["done", "open"]);
    assert_eq!(observed["observations"][1]["source_id"], first["source_id"]);
    let snapshot = desk.ok("get_entity_snapshot", json!({"entity_id": id})).await;
    assert_eq!(snapshot["snapshot"], json!({"title": "Ship", "status": "done"}));
    assert_eq!(snapshot["provenance"]["status"], second["entities"][0]["observation_id"]);
}

/// The entities of a source, as its resource shows them.
async fn sent(desk: &Desk, source_id: &Value) -> Value {
    let uri = format!("neotoma://source/{}", source_id.as_str().unwrap());
    let Blob::Text { text, .. } = desk.read_as(ANN, &uri).await.unwrap() else { panic!("a source is text") };
    serde_json::from_str::<Value>(&text).unwrap()["entities"].take()
}

// N-008
#[tokio::test]
async fn a_source_that_speaks_again_holds_what_it_held() {
    let desk = Desk::new();
    let say = |status: &str| json!({"entities": [{"entity_type": "task", "title": "Ship", "status": status}]});
    let first = desk.ok("ingest", say("open")).await;
    desk.ok("ingest", say("done")).await;
    let again = desk.ok("ingest", say("open")).await;
    assert_eq!((&again["source_id"], &again["deduplicated"]), (&first["source_id"], &json!(true)));
    assert_eq!(again["interpretation"]["observations_created"], 1, "the source has a second version");
    assert_eq!(sent(&desk, &first["source_id"]).await, say("open")["entities"]);
    desk.verify().await;
}

// N-047, N-062
#[tokio::test]
async fn base64_is_strict() {
    let desk = Desk::new();
    for bad in [
        "SGVsbG8",
        "SGVs bG8=",
        "SGVsbG8=\n",
        "SGVsbG9=",
        "SGVsbG8==",
        "a-_=",
        "!",
        "=",
        "data:text/plain;base64,SGVsbG8=",
        "",
    ] {
        refuses(&desk, json!({"file_content": bad, "mime_type": "text/plain"}), "VALIDATION_ERROR", "file_content")
            .await;
    }
    let stored = desk.ok("ingest", json!({"file_content": "SGVsbG8=", "mime_type": "text/plain"})).await;
    assert_eq!((&stored["file_size"], &stored["content_hash"]), (&json!(5), &json!(ids::content_hash("Hello"))));
}

// N-048, N-062
#[tokio::test]
async fn a_type_that_the_content_contradicts_is_refused() {
    let desk = Desk::new();
    let pdf = STANDARD.encode(b"%PDF-1.7\n");
    for (content, mime_type, name) in [
        (pdf.as_str(), "text/plain", None),
        (&pdf, "image/png", None),
        (&pdf, "application/pdf", Some("scan.png")),
        ("SGVsbG8=", "application/pdf", None),
        ("SGVsbG8=", "application/json", None),
        ("SGVsbG8=", "image/svg+xml", None),
        ("SGVsbG8=", "nonsense", None),
        (STANDARD.encode(b"a\0b").as_str(), "text/plain", None),
    ] {
        let arguments = json!({"file_content": content, "mime_type": mime_type, "original_filename": name});
        let refused = refuses(&desk, arguments, "VALIDATION_ERROR", "mime_type").await;
        assert!(refused["details"]["fix"].as_str().unwrap().contains("application/pdf"), "{refused}");
    }
}

// N-049, N-050, N-057, N-058, N-060
#[tokio::test]
async fn a_file_is_stored_with_its_name_and_interpreted_unless_told_otherwise() {
    let desk = Desk::new();
    let mut plain = text("Hello");
    plain["original_filename"] = json!("greeting.txt");
    plain["interpret"] = json!(false);
    let stored = desk.ok("ingest", plain.clone()).await;
    assert_eq!(stored["interpretation"], Value::Null);
    assert_eq!(stored.as_object().unwrap().get("interpretation"), Some(&Value::Null), "null, and not left out");
    assert_eq!((&stored["file_size"], &stored["content_hash"]), (&json!(5), &json!(ids::content_hash("Hello"))));
    assert_eq!(stored["entities"], json!([]));
    assert!(desk.records(kind::RUN).await.is_empty());
    let source = desk.records(kind::SOURCE).await.remove(0);
    assert_eq!(source["source"]["original_filename"], "greeting.txt");

    plain.as_object_mut().unwrap().shift_remove("interpret");
    let read = desk.ok("ingest", plain).await;
    assert_eq!(read["source_id"], stored["source_id"]);
    assert!(ids::is_uuid(read["interpretation"]["run_id"].as_str().unwrap()));
    // The interpreter of this desk finds nothing, so the file itself is all there is.
    assert_eq!(read["interpretation"]["entities_created"], 1);
    assert_eq!(read["interpretation"]["observations_created"], 1);
    assert_eq!(read["entities"][0]["entity_type"], "document");
    assert_eq!(desk.records(kind::RUN).await.len(), 1);
}

// N-051
#[tokio::test]
async fn the_configuration_of_an_interpretation_is_part_of_the_run() {
    let desk = Desk::new();
    let with = |config: Value| {
        let mut arguments = text("Hello");
        arguments["interpretation_config"] = config;
        arguments
    };
    let config =
        json!({"provider": "p", "model_id": "m", "temperature": 0.25, "prompt_hash": "h", "code_version": "c"});
    let one = desk.ok("ingest", with(config.clone())).await;
    let other = desk.ok("ingest", with(json!({"provider": "q"}))).await;
    assert_eq!(one["source_id"], other["source_id"]);
    assert_ne!(one["interpretation"]["run_id"], other["interpretation"]["run_id"]);
    let runs = desk.records(kind::RUN).await;
    assert!(runs.iter().any(|run| run["run"]["config"] == config), "{runs:?}");
    refuses(&desk, with(json!({"temperature": "hot"})), "VALIDATION_ERROR", "interpretation_config.temperature").await;
    refuses(&desk, with(json!({"modell": "m"})), "VALIDATION_ERROR", "interpretation_config.modell").await;
}

// N-053
#[tokio::test]
async fn all_other_keys_are_the_fields_of_the_entity() {
    let desk = Desk::new();
    let id = desk.store(json!([{"entity_type": "note", "title": "T", "id": "x", "user_id": 3, "interpret": false, "__proto__": {"a": 1}}])).await;
    let snapshot = desk.ok("get_entity_snapshot", json!({"entity_id": id})).await;
    assert_eq!(
        snapshot["snapshot"],
        json!({"__proto__": {"a": 1}, "id": "x", "interpret": false, "title": "T", "user_id": 3})
    );
}

// N-054, N-073, N-292
#[tokio::test]
async fn priorities_below_the_tier_of_corrections_are_taken() {
    let desk = Desk::new();
    let say = |priority: Value, status: &str| json!({"source_priority": priority, "entities": [{"entity_type": "task", "title": "Ship", "status": status}]});
    for refused in [json!(-1), json!(-0.001), json!(1000), json!(1001), json!(1e300)] {
        refuses(&desk, say(refused, "x"), "VALIDATION_ERROR", "source_priority").await;
    }
    for (priority, kept) in [(json!(0), 0.0), (json!(999.5), 999.5), (Value::Null, 100.0), (json!(42), 42.0)] {
        desk.ok("ingest", say(priority, &kept.to_string())).await;
        let newest =
            desk.ok("list_observations", json!({"entity_id": "Ship", "limit": 1})).await["observations"][0].clone();
        assert_eq!((newest["source_priority"].as_f64(), newest["specificity_score"].as_f64()), (Some(kept), Some(1.0)));
    }
    desk.ok("correct", json!({"entity_id": "Ship", "entity_type": "task", "field": "status", "value": "done"})).await;
    let newest =
        desk.ok("list_observations", json!({"entity_id": "Ship", "limit": 1})).await["observations"][0].clone();
    assert_eq!((newest["source_priority"].as_f64(), newest["specificity_score"].as_f64()), (Some(1000.0), Some(1.0)));
    let other = desk.store(json!([{"entity_type": "task", "title": "Rest"}])).await;
    let edge = json!({"relationship_type": "DEPENDS_ON", "source_entity_id": other, "target_entity_id": "Ship"});
    desk.ok("create_relationship", edge).await;
    let said = desk.records(kind::RELATIONSHIP).await[0]["relationship"]["observations"][0].clone();
    assert_eq!((said["source_priority"].as_f64(), said["specificity_score"].as_f64()), (Some(100.0), Some(0.8)));
    for (tool, priority) in [("delete", 1000.0), ("restore", 1001.0)] {
        desk.ok(tool, json!({"id": newest["entity_id"]})).await;
        let observed = desk.observations().await;
        let marked = observed.iter().map(|row| &row["observation"]).find(|one| one["marker"] == format!("{tool}d"));
        assert_eq!(marked.unwrap()["source_priority"].as_f64(), Some(priority), "{tool}");
    }
}

// N-055, N-074
#[tokio::test]
async fn what_the_sender_says_about_its_time_is_when_it_was_observed() {
    let desk = Desk::new();
    let say = |status: &str, provenance: Value| json!({"provenance": provenance, "entities": [{"entity_type": "task", "title": "Ship", "status": status}]});
    let full = json!({"source_refs": ["mail 7", "b"], "extracted_at": "2024-02-03T04:05:06+01:00", "extractor_version": "x/1", "agent_id": "a"});
    desk.ok("ingest", say("old", full.clone())).await;
    let source = desk.records(kind::SOURCE).await.remove(0);
    assert_eq!(source["source"]["provenance"], full, "kept as it was said");
    desk.ok("ingest", say("new", Value::Null)).await;
    let observed = desk.ok("list_observations", json!({"entity_id": "Ship"})).await["observations"].clone();
    assert_eq!(observed[1]["observed_at"], "2024-02-03T03:05:06.000000Z");
    for at in [&observed[0]["observed_at"], &observed[0]["created_at"], &observed[1]["created_at"]] {
        assert!(at.as_str().unwrap().starts_with("2027-01-15T08:00:00"), "{at}");
    }
    assert_eq!(observed[0]["observed_at"], observed[0]["created_at"]);

    for missing in [json!({"extractor_version": "x"}), json!({"extracted_at": "2024-01-01"})] {
        let field = if missing.get("extracted_at").is_some() {
            "provenance.extractor_version"
        } else {
            "provenance.extracted_at"
        };
        refuses(&desk, say("x", missing), "VALIDATION_ERROR", field).await;
    }
    let malformed = json!({"extracted_at": "yesterday", "extractor_version": "x"});
    refuses(&desk, say("x", malformed), "VALIDATION_ERROR", "provenance.extracted_at").await;
}

// N-056, N-057, N-059, N-066, N-068, N-248
#[tokio::test]
async fn the_same_content_is_one_source_in_whatever_order_its_keys_are() {
    let desk = Desk::new();
    let texts = [
        r#"{"entities": [{"entity_type": "note", "title": "T", "nested": {"b": 1, "a": [1.0, 2]}, "n": 100}]}"#,
        r#"{"entities": [{"n": 1e2, "nested": {"a": [1, 2.0], "b": 1}, "title": "T", "entity_type": "note"}]}"#,
    ];
    let mut seen = Vec::new();
    for text in texts {
        let answer = desk.ok("ingest", serde_json::from_str(text).unwrap()).await;
        assert!(ids::is_uuid(answer["source_id"].as_str().unwrap()));
        assert_eq!(answer["content_hash"].as_str().unwrap().len(), 64);
        assert_eq!(answer["deduplicated"], !seen.is_empty());
        seen.push((
            answer["content_hash"].clone(),
            answer["source_id"].clone(),
            answer["interpretation"]["run_id"].clone(),
        ));
    }
    assert_eq!(seen[0], seen[1]);
    let canonical = r#"[{"entity_type":"note","n":100,"nested":{"a":[1,2],"b":1},"title":"T"}]"#;
    assert_eq!(seen[0].0, ids::content_hash(canonical));
    let swapped =
        json!({"entities": [{"entity_type": "note", "title": "T", "nested": {"b": 1, "a": [2, 1]}, "n": 100}]});
    assert_ne!(desk.ok("ingest", swapped).await["source_id"], seen[0].1, "the order of a list does matter");
    assert_eq!(desk.ok("ingest", text("Hello")).await["deduplicated"], false);
    assert_eq!(desk.ok("ingest", text("Hello")).await["deduplicated"], true);
    assert_eq!(desk.records(kind::SOURCE).await.len(), 3);
}

// N-061, N-067
#[tokio::test]
async fn the_answer_says_what_became_of_each_entity() {
    let desk = Desk::new();
    let company = |country: &str| json!({"entity_type": "company", "name": "Acme", "country": country});
    let task = json!({"entity_type": "task", "title": "Ship", "status": "open", "due_date": "2027-03-01"});
    let first = desk.ok("ingest", json!({"entities": [company("DE"), task, task]})).await;
    let actions = |answer: &Value| -> Vec<String> {
        answer["entities"].as_array().unwrap().iter().map(|one| one["action"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(actions(&first), ["created", "created", "matched"]);
    assert_eq!(first["entities"][0]["entity_type"], "company");
    assert_eq!(first["entities"][2]["id"], first["entities"][1]["id"]);
    assert_eq!(first["interpretation"]["observations_created"], 2);
    let second = desk.ok("ingest", json!({"entities": [company("FR"), task]})).await;
    assert_eq!(actions(&second), ["extended", "extended"], "another source that says the same is heard too");
    assert_eq!(second["interpretation"]["entities_created"], 0);
    let again = desk.ok("ingest", json!({"entities": [company("FR"), task]})).await;
    assert_eq!(actions(&again), ["matched", "matched"]);
    // All of it is readable at once.
    let contact = json!({"entity_type": "contact", "name": "Ada", "organization": "Acme"});
    let named = desk.ok("ingest", json!({"entities": [contact]})).await["entities"][0]["id"].clone();
    let edge = desk.ok("list_relationships", json!({"entity_id": named})).await["relationships"][0].clone();
    assert_eq!(
        (&edge["relationship_type"], &edge["target_entity_id"]),
        (&json!("works_at"), &first["entities"][0]["id"])
    );
    let id = &first["entities"][1]["id"];
    let observed = desk.ok("list_observations", json!({"entity_id": id})).await;
    assert_eq!(observed["observations"][1]["id"], first["entities"][1]["observation_id"]);
    assert_eq!(sent(&desk, &first["source_id"]).await, json!([company("DE"), task, task]));
    assert_eq!(desk.snapshot(id.as_str().unwrap()).await["snapshot"]["status"], "open");
    assert_eq!(desk.ok("list_timeline_events", json!({})).await["events"][0]["entity_ids"], json!([id]));
    assert_eq!(desk.ok("retrieve_entities", json!({"entity_type": "task"})).await["entities"][0]["id"], *id);
}

// N-061, N-302
#[tokio::test]
async fn what_a_schema_does_not_expect_is_stored_and_warned_about() {
    let desk = Desk::new();
    let sent = json!({"entities": [{"entity_type": "note", "title": "a", "content": "x"}, {"entity_type": "invoice", "invoice_number": "I-1", "amount_due": "a lot"}]});
    let stored = desk.ok("ingest", sent).await;
    let warned: Vec<(u64, &str)> = stored["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["index"].as_u64().unwrap(), one["field"].as_str().unwrap()))
        .collect();
    assert_eq!(warned, [(1, "amount_due"), (1, "currency"), (1, "invoice_date")]);
    assert!(!stored["warnings"].to_string().contains("a lot"), "{stored}");
    let snapshot = desk.ok("get_entity_snapshot", json!({"entity_id": stored["entities"][1]["id"]})).await;
    assert_eq!(snapshot["snapshot"]["amount_due"], "a lot");
}

// N-070, N-071, N-339
#[tokio::test]
async fn one_deleted_entity_refuses_the_whole_batch() {
    let desk = Desk::new();
    let id = desk.store(json!([{"entity_type": "company", "name": "Gone"}])).await;
    desk.ok("delete", json!({"id": id})).await;
    let batch = json!({"entities": [
        {"entity_type": "company", "name": "Fresh"}, {"entity_type": "company", "name": "Gone", "country": "DE"}, {"entity_type": "brand_new", "name": "X"},
    ]});
    let sources = desk.records(kind::SOURCE).await.len();
    let refused = refuses(&desk, batch.clone(), "ENTITY_DELETED", "entities[1]").await;
    assert_eq!(refused["details"]["entity_id"], id.as_str());
    assert_eq!(desk.ok("retrieve_entities", json!({})).await["total"], 0);
    assert_eq!(desk.records(kind::SOURCE).await.len(), sources);
    assert!(desk.records(kind::SCHEMA).await.is_empty());
    assert_eq!(desk.refused("get_entity_snapshot", json!({"entity_id": id})).await["code"], "ENTITY_NOT_FOUND");
    desk.ok("restore", json!({"id": id})).await;
    assert_eq!(desk.ok("ingest", batch).await["interpretation"]["entities_created"], 2);
    assert_eq!(desk.ok("get_entity_snapshot", json!({"entity_id": id})).await["snapshot"]["country"], "DE");
}

// N-070
#[tokio::test]
async fn one_call_is_one_fact() {
    let desk = Desk::new();
    let entities: Vec<Value> = (0..30).map(|n| json!({"entity_type": "contact", "name": format!("C {n}"), "organization": "Acme", "first_contact_date": "2024-01-01"})).collect();
    let stored = desk.ok("ingest", json!({"entities": entities, "client_request_id": "once"})).await;
    assert_eq!(stored["interpretation"]["entities_created"], 31);
    assert_eq!(desk.head().await, 1);
    let again = desk.ok("ingest", json!({"entities": entities, "client_request_id": "once"})).await;
    assert_eq!((&again["idempotent_replay"], &again["source_id"]), (&json!(true), &stored["source_id"]));
    assert_eq!(desk.head().await, 1);
}

// N-072
#[tokio::test]
async fn five_thousand_entities_and_no_more() {
    let desk = Desk::new();
    let batch = |many: usize| {
        let entities: Vec<Value> =
            (0..many).map(|n| json!({"entity_type": "note", "title": format!("Note {n}"), "content": "x"})).collect();
        json!({"entities": entities})
    };
    refuses(&desk, batch(5001), "VALIDATION_ERROR", "entities").await;
    let stored = desk.ok("ingest", batch(5000)).await;
    assert_eq!(stored["interpretation"]["entities_created"], 5000);
    assert_eq!((stored["entities"].as_array().unwrap().len(), &stored["truncated"]), (150, &json!(true)));
    assert!(stored.to_string().len() < 64 * 1024, "the answer is slim: {}", stored.to_string().len());
    assert_eq!(desk.ok("retrieve_entities", json!({"limit": 1})).await["total"], 5000);
}

// N-008, N-070
#[tokio::test]
async fn a_large_batch_is_several_facts_of_one_moment() {
    let desk = Desk::new();
    // The content is the last row that the first of them has room for, and its source the one after it.
    let tasks: Vec<Value> = (0..511).map(|n| json!({"entity_type": "task", "title": format!("Task {n}")})).collect();
    let stored = desk.ok("ingest", json!({"entities": tasks})).await;
    let facts = desk.ledger.facts(&TenantId::new(ANN.tenant).unwrap(), 0, 10).await.unwrap();
    let rows =
        |fact: &ledger::Fact| serde_json::from_str::<Value>(&fact.body).unwrap()["rows"].as_array().unwrap().len();
    assert_eq!(facts.iter().map(rows).collect::<Vec<_>>(), [513, 511]);
    assert!(facts[0].at == facts[1].at && facts[0].meta != facts[1].meta);
    assert_eq!(stored["read_point"], 2);
    assert_eq!(sent(&desk, &stored["source_id"]).await, json!(tasks));
    desk.verify().await;
}

// N-075
#[tokio::test]
async fn values_are_stored_as_they_were_sent() {
    let desk = Desk::new();
    let text = r#"{"entity_type":"receipt","merchant_name":"  CAFÉ  Two ","amount_total":10.12345,"currency":"eur","date_purchased":"03/04/2024",
        "items":["z","a","z",{"n":1}],"notes":"line one\r\n\tline  two\n","big":9007199254740993,"huge":18446744073709551615,"negative":-9223372036854775808,
        "tiny":1e-7,"long":0.1234567890123456789,"zero":0.0,"truth":true,"nothing":{"deep":[[],{}]},"decomposed":"e\u0301","wide":"ＡＢＣ","empty":""}"#;
    let mut sent: Value = serde_json::from_str(text).unwrap();
    let id = desk.store(json!([sent])).await;
    sent.as_object_mut().unwrap().shift_remove("entity_type");
    let observed = desk.ok("list_observations", json!({"entity_id": id})).await;
    assert_eq!(observed["observations"][0]["fields"], sent);
    assert_eq!(desk.ok("get_entity_snapshot", json!({"entity_id": id})).await["snapshot"], sent);
    for (field, written) in
        [("big", "9007199254740993"), ("huge", "18446744073709551615"), ("amount_total", "10.12345"), ("zero", "0.0")]
    {
        assert_eq!(observed["observations"][0]["fields"][field].to_string(), written);
    }
}

// N-062, N-332
#[tokio::test]
async fn nul_is_refused() {
    let desk = Desk::new();
    let note = |field: &str, value: Value| json!({"entities": [{"entity_type": "note", "title": "T", field: value}]});
    for (field, value) in [
        ("content", json!("a\0b")),
        ("tags", json!(["x", "\0"])),
        ("meta", json!({"deep": {"k\0": 1}})),
        ("a\0", json!(1)),
    ] {
        let refused = desk.refused("ingest", note(field, value)).await;
        assert_eq!(refused["code"], "VALIDATION_ERROR", "{refused}");
        assert!(refused["details"]["field"].as_str().unwrap().starts_with("entities"), "{refused}");
    }
    let named = json!({"file_content": "SGVsbG8=", "mime_type": "text/plain", "original_filename": "a\0.txt"});
    refuses(&desk, named, "VALIDATION_ERROR", "original_filename").await;
    assert_eq!(desk.head().await, 0);
}

// N-267, N-268, N-269
#[tokio::test]
async fn what_the_specification_tests() {
    let desk = Desk::new();
    desk.store(json!([{"entity_type": "invoice", "invoice_number": "INV-001", "amount": 100}])).await;
    desk.store(json!([{"entity_type": "company", "name": "A"}, {"entity_type": "company", "name": "B"}])).await;
    let invoices = desk.ok("retrieve_entities", json!({"entity_type": "invoice"})).await;
    assert_eq!(invoices["entities"][0]["snapshot"], json!({"invoice_number": "INV-001", "amount": 100}));
    let companies = || desk.ok("retrieve_entities", json!({"entity_type": "company"}));
    assert_eq!(companies().await.to_string(), companies().await.to_string());
    let declared = desk.ok("describe_schema", json!({"entity_type": "invoice"})).await;
    assert!(declared.to_string().contains("\"amount\""));
}

// N-291, N-294
#[tokio::test]
async fn what_one_call_says_twice_is_one_observation_however_far_apart() {
    let desk = Desk::new();
    let task = |status: &str| json!({"entity_type": "task", "title": "Ship", "status": status});
    let mut said = std::collections::BTreeMap::new();
    for (first, second) in [("a", "b"), ("b", "a")] {
        let filler = (0..100).map(|n| json!({"entity_type": "note", "title": format!("{first} {n}")}));
        let mut entities = vec![task(first), task(second)];
        entities.extend(filler);
        entities.extend([task(first), task(second)]);
        let provenance = json!({"extracted_at": format!("2024-01-0{}", first.len()), "extractor_version": "x"});
        let stored = desk.ok("ingest", json!({"entities": entities, "provenance": provenance})).await;
        assert_eq!(stored["interpretation"]["observations_created"], 102, "{first}");
        // Of several values of one field at one time, in one call or two, that of the smallest id counts.
        for (place, status) in [first, second].into_iter().enumerate() {
            said.insert(stored["entities"][place]["observation_id"].as_str().unwrap().to_owned(), status);
        }
        let (_, winner) = said.first_key_value().unwrap();
        assert_eq!(desk.snapshot("Ship").await["snapshot"]["status"], *winner, "{said:?}");
    }
    let rows = desk.observations().await;
    let of_task = rows.iter().filter(|row| row["observation"]["entity_type"] == "task").count();
    let snapshot = desk.ok("get_entity_snapshot", json!({"entity_id": "Ship"})).await;
    assert_eq!(snapshot["observation_count"], of_task);
}
