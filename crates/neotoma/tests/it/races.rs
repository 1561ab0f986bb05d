//! Calls that meet each other: whatever the order, nothing is lost and no rule is broken.

use std::sync::Arc;

use futures::future::join_all;
use serde_json::{Value, json};

use crate::desk::{ANN, Desk};

async fn tasks(desk: &Desk, count: usize) -> Vec<String> {
    let named: Vec<Value> =
        (0..count).map(|number| json!({"entity_type": "task", "title": format!("task {number}x")})).collect();
    let stored = desk.ok("ingest", json!({ "entities": named })).await;
    stored["entities"].as_array().unwrap().iter().map(|entity| entity["id"].as_str().unwrap().to_owned()).collect()
}

/// Makes all calls at once, from as many processes as there are calls, which do not take turns; the codes of their
/// refusals, `ok` for the others.
async fn at_once(desk: &Arc<Desk>, calls: Vec<(&'static str, Value)>) -> Vec<String> {
    let made = calls.into_iter().map(|(tool, arguments)| {
        let desk = Desk::on(desk.ledger.clone(), tempfile::tempdir().unwrap());
        tokio::spawn(async move {
            match desk.call_as(ANN, tool, arguments).await {
                Ok(_) => "ok".to_owned(),
                Err(error) => error.code.into_owned(),
            }
        })
    });
    join_all(made).await.into_iter().map(|outcome| outcome.unwrap()).collect()
}

fn edge(source: &str, target: &str) -> (&'static str, Value) {
    let arguments = json!({"relationship_type": "PART_OF", "source_entity_id": source, "target_entity_id": target});
    ("create_relationship", arguments)
}

// N-235, N-236
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_edges_that_close_a_circle_one_is_refused() {
    let desk = Arc::new(Desk::new());
    for _ in 0..5 {
        let ids = tasks(&desk, 3).await;
        let calls = vec![edge(&ids[0], &ids[1]), edge(&ids[1], &ids[2]), edge(&ids[2], &ids[0])];
        let mut outcomes = at_once(&desk, calls).await;
        outcomes.sort();
        assert_eq!(outcomes, ["CYCLE_DETECTED", "ok", "ok"]);
        let listed = desk.ok("list_relationships", json!({"entity_id": ids[0]})).await;
        for edge in listed["relationships"].as_array().unwrap() {
            desk.ok("delete", json!({"id": edge["id"]})).await;
        }
    }
}

// N-236, N-223
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn merges_and_edges_that_meet_leave_no_circle_and_no_edge_behind() {
    for round in 0..8 {
        let desk = Arc::new(Desk::new());
        let ids = tasks(&desk, 4).await;
        // 0 part of 2, 3 part of 1: with 0 merged into 1, 2 may not be part of 3.
        for (tool, arguments) in [edge(&ids[0], &ids[2]), edge(&ids[3], &ids[1])] {
            desk.ok(tool, arguments).await;
        }
        let merge = ("merge_entities", json!({"from_entity_id": ids[0], "to_entity_id": ids[1]}));
        let back = ("merge_entities", json!({"from_entity_id": ids[1], "to_entity_id": ids[0]}));
        let mut calls = vec![merge, back, edge(&ids[2], &ids[3]), edge(&ids[0], &ids[3])];
        calls.rotate_left(round % 4);
        let outcomes = at_once(&desk, calls).await;
        assert!(outcomes.iter().any(|outcome| outcome != "ok"), "{outcomes:?}");
        let known = ["ok", "CYCLE_DETECTED", "VALIDATION_ERROR", "ENTITY_ALREADY_MERGED"];
        assert!(outcomes.iter().all(|outcome| known.contains(&outcome.as_str())), "{outcomes:?}");
        crate::interleavings::check(&desk).await;
        desk.verify().await;
    }
}

// N-198, N-199
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn corrections_writes_deletions_and_restores_that_meet_are_all_kept() {
    let desk = Arc::new(Desk::new());
    let ids = tasks(&desk, 2).await;
    desk.ok(edge(&ids[0], &ids[1]).0, edge(&ids[0], &ids[1]).1).await;
    // No more calls at once than a write is decided attempts, so each gets its turn.
    for number in 0..3 {
        let corrected = format!("field_{number}");
        let entity =
            |notes: &str| json!({"entity_type": "task", "title": "task 0x", "notes": format!("{notes}{number}")});
        let calls = vec![
            ("correct", json!({"entity_id": ids[0], "entity_type": "task", "field": corrected, "value": number})),
            ("ingest", json!({"entities": [entity("a")]})),
            ("ingest", json!({"entities": [entity("b")]})),
        ];
        assert_eq!(at_once(&desk, calls).await, ["ok"; 3]);
    }
    let snapshot = desk.snapshot(&ids[0]).await;
    assert_eq!(snapshot["observation_count"], 10);
    assert!((0..3).all(|number| snapshot["snapshot"][format!("field_{number}")] == json!(number)));
    for tool in ["delete", "restore"] {
        let both = ids.iter().map(|id| (tool, json!({"id": id}))).collect();
        assert_eq!(at_once(&desk, both).await, ["ok"; 2]);
        crate::interleavings::check(&desk).await;
    }
    assert_eq!(desk.ok("list_relationships", json!({"entity_id": ids[0]})).await["total"], 1);
}
