//! Interpreting what is stored once more.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures::future::BoxFuture;
use neotoma::domain::ids;
use neotoma::interpret::{Document, Failure, Interpreter, Rules, Understood};
use neotoma::projection::row::kind;
use serde_json::{Value, json};

use crate::desk::Desk;

const TASKS: &str = "title,status,due_date\nShip,open,2027-03-01\nRest,done,2027-04-01\n";

fn desk() -> Desk {
    Desk::having(|parts, _| parts.interpreter = Arc::new(Rules::default()))
}

/// Stores a file without looking into it, and answers with its source.
async fn store(desk: &Desk, content: &str, mime_type: &str) -> Value {
    let sent = json!({"file_content": STANDARD.encode(content), "mime_type": mime_type, "interpret": false});
    desk.ok("ingest", sent).await["source_id"].clone()
}

fn run(source: &Value, config: Value) -> Value {
    json!({"source_id": source, "interpretation_config": config})
}

// N-204, N-205, N-206, N-207, N-209, N-213
#[tokio::test]
async fn a_stored_file_is_interpreted() {
    let desk = desk();
    let source = store(&desk, TASKS, "text/csv").await;
    let answer = desk.ok("reinterpret", run(&source, json!({}))).await;
    assert_eq!(answer["source_id"], source);
    assert_eq!((&answer["entities_created"], &answer["observations_created"]), (&json!(2), &json!(2)));
    let observed = desk.ok("list_observations", json!({"entity_id": "Ship"})).await["observations"].clone();
    assert_eq!((&observed[0]["run_id"], &observed[0]["source_id"]), (&answer["run_id"], &source));
    assert_eq!(
        (observed[0]["source_priority"].as_f64(), observed[0]["specificity_score"].as_f64()),
        (Some(0.0), Some(0.5))
    );
    assert_eq!(desk.ok("list_timeline_events", json!({"source_id": source})).await["total"], 2, "readable at once");
}

// N-209, N-210
#[tokio::test]
async fn the_same_run_is_made_once() {
    let desk = desk();
    let source = store(&desk, TASKS, "text/csv").await;
    let config = json!({"provider": "p", "model_id": "m", "temperature": 0.5, "prompt_hash": "h", "code_version": "c", "feature_flags": {"a": true, "b": false}});
    let first = desk.ok("reinterpret", run(&source, config.clone())).await;
    let head = desk.head().await;
    let other_order = json!({"feature_flags": {"b": false, "a": true}, "temperature": 0.5, "code_version": "c", "prompt_hash": "h", "model_id": "m", "provider": "p"});
    for config in [config.clone(), other_order] {
        let mut again = desk.ok("reinterpret", run(&source, config)).await;
        again["read_point"] = first["read_point"].clone();
        assert_eq!(again, first);
    }
    assert_eq!(desk.head().await, head, "nothing was added");
    let expected = ids::run(source.as_str().unwrap(), &config, "chancery-rules/4");
    assert_eq!(first["run_id"], expected, "from source, configuration and extractor");
    let upper = json!(source.as_str().unwrap().to_uppercase());
    assert_eq!(desk.ok("reinterpret", run(&upper, config)).await["run_id"], first["run_id"]);
    let other = desk.ok("reinterpret", run(&source, json!({}))).await;
    assert_ne!(other["run_id"], first["run_id"]);
    let elsewhere = store(&desk, "title,status\nShip,open\n", "text/csv").await;
    assert_ne!(desk.ok("reinterpret", run(&elsewhere, json!({}))).await["run_id"], other["run_id"]);
}

// N-204
#[tokio::test]
async fn earlier_observations_stay_as_they_are() {
    let desk = desk();
    let source = store(&desk, TASKS, "text/csv").await;
    desk.ok("reinterpret", run(&source, json!({}))).await;
    desk.ok("correct", json!({"entity_id": "Ship", "entity_type": "task", "field": "status", "value": "mine"})).await;
    let before = desk.observations().await;
    let again = desk.ok("reinterpret", run(&source, json!({"model_id": "other"}))).await;
    assert_eq!((&again["entities_created"], &again["observations_created"]), (&json!(0), &json!(2)));
    let after = desk.observations().await;
    assert!(before.iter().all(|one| after.contains(one)));
    assert_eq!(after.len(), before.len() + 2);
    let snapshot = desk.ok("get_entity_snapshot", json!({"entity_id": "Ship"})).await;
    assert_eq!(snapshot["snapshot"]["status"], "mine", "a correction outranks every interpretation");
}

// N-206, N-211, N-212
#[tokio::test]
async fn runs_are_recorded_with_their_configuration_and_have_ended() {
    let desk = desk();
    let config = json!({"model_id": "m", "temperature": 0.25, "feature_flags": {"fast": true}});
    for (content, mime_type) in [
        (TASKS, "text/csv"),
        ("Remember the milk.", "text/plain"),
        (r#"{"entity_type": "note", "title": "T", "content": "x"}"#, "application/json"),
        ("{", "application/json"),
        ("%PDF-1.7\nnot really", "application/pdf"),
    ] {
        let source = store(&desk, content, mime_type).await;
        // What is broken fails; and either way the run has ended.
        let _ = desk.call_as(crate::desk::ANN, "reinterpret", run(&source, config.clone())).await;
    }
    let runs = desk.records(kind::RUN).await;
    assert_eq!(runs.len(), 5);
    for run in &runs {
        let run = &run["run"];
        assert!(["completed", "failed"].contains(&run["status"].as_str().unwrap()), "{run}");
        assert_eq!((&run["config"], &run["extractor"]), (&config, &json!("chancery-rules/4")));
    }
    assert!(runs.iter().any(|run| run["run"]["status"] == "failed"));
}

// N-209, N-211
#[tokio::test]
async fn the_same_bytes_give_the_same_entities_on_another_day() {
    let mut seen = Vec::new();
    for late in [0, 86_400_000_000] {
        let desk = desk();
        desk.tick(late);
        let source = store(&desk, TASKS, "text/csv").await;
        let answer = desk.ok("reinterpret", run(&source, json!({}))).await;
        let entities = desk.ok("retrieve_entities", json!({})).await["entities"].clone();
        let shown: Vec<Value> =
            entities.as_array().unwrap().iter().map(|one| json!([one["id"], one["snapshot"]])).collect();
        seen.push((answer["run_id"].clone(), shown));
    }
    assert_eq!(seen[0], seen[1]);
}

// N-205, N-206, N-208
#[tokio::test]
async fn what_cannot_be_interpreted_is_told_apart() {
    let desk = desk();
    let structured =
        desk.ok("ingest", json!({"entities": [{"entity_type": "note", "title": "T"}]})).await["source_id"].clone();
    let source = store(&desk, "{", "application/json").await;
    for (arguments, code, field) in [
        (run(&json!("6f1f8a2e-1111-8222-8333-444455556666"), json!({})), "SOURCE_NOT_FOUND", "source_id"),
        (run(&json!("nonsense"), json!({})), "VALIDATION_ERROR", "source_id"),
        (run(&json!(""), json!({})), "VALIDATION_ERROR", "source_id"),
        (run(&structured, json!({})), "VALIDATION_ERROR", "source_id"),
        (json!({"source_id": source}), "VALIDATION_ERROR", "interpretation_config"),
        (json!({"interpretation_config": {}}), "VALIDATION_ERROR", "source_id"),
        (run(&source, json!({"feature_flags": {"a": 1}})), "VALIDATION_ERROR", "interpretation_config.feature_flags"),
        (run(&source, json!({"temperature": "hot"})), "VALIDATION_ERROR", "interpretation_config.temperature"),
        (run(&source, json!({})), "ANALYSIS_FAILED", ""),
    ] {
        let refused = desk.refused("reinterpret", arguments.clone()).await;
        let shown = (refused["code"].as_str().unwrap(), refused["details"]["field"].as_str().unwrap_or_default());
        assert_eq!(shown, (code, field), "{arguments}");
        if code == "ANALYSIS_FAILED" {
            assert_eq!(refused["details"]["source_id"], source);
        }
    }
}

/// Stores a file and interprets it until the caller gives up.
async fn given_up(is_metered: bool, interpretations_max: u64) -> (Desk, Value) {
    let asked = Arc::new(tokio::sync::Notify::new());
    let endless = Endless { asked: asked.clone(), is_metered };
    let desk = Desk::having(|parts, _| {
        parts.interpreter = Arc::new(endless);
        parts.config.interpretations_max = interpretations_max;
    });
    let source = store(&desk, "Hello", "text/plain").await;
    tokio::select! {
        outcome = desk.call_as(crate::desk::ANN, "reinterpret", run(&source, json!({}))) => panic!("it ended: {outcome:?}"),
        () = asked.notified() => {}
    }
    (desk, source)
}

// N-210, N-212
#[tokio::test]
async fn a_run_whose_caller_gave_up_leaves_nothing_behind() {
    let (desk, _) = given_up(false, 1).await;
    assert_eq!(desk.head().await, 1, "the source alone");
    assert!(desk.records(kind::RUN).await.is_empty());
}

// N-212, N-265: what costs something counts, whatever comes of it.
#[tokio::test]
async fn a_run_of_a_model_counts_from_its_beginning() {
    let (desk, source) = given_up(true, 1).await;
    let runs = desk.records(kind::RUN).await;
    assert_eq!((runs.len(), &runs[0]["run"]["status"]), (1, &json!("failed")));
    let refused = desk.refused("reinterpret", run(&source, json!({"model_id": "other"}))).await;
    assert_eq!(refused["code"], "QUOTA_EXCEEDED");
    desk.verify().await;
}

/// An interpreter that says when it begins and never ends.
struct Endless {
    asked: Arc<tokio::sync::Notify>,
    is_metered: bool,
}

impl Interpreter for Endless {
    fn is_metered(&self) -> bool {
        self.is_metered
    }

    fn version(&self) -> String {
        "endless/1".to_owned()
    }

    fn interpret<'a>(&'a self, _: Document<'a>, _: &'a contract::Object) -> BoxFuture<'a, Result<Understood, Failure>> {
        self.asked.notify_one();
        Box::pin(std::future::pending())
    }
}
