//! Repetitions, races and the fold.

use std::sync::Arc;

use futures::future::join_all;
use serde_json::json;

use crate::table::{Table, new_entity, new_fact};

#[tokio::test]
async fn a_repeated_write_happens_once() {
    let table = Table::new();
    let (universe, source) = table.world().await;
    let mut arguments = new_entity(&universe, &source);
    arguments["client_request_id"] = json!("k1");
    let first = table.keep("neo4j_create_entity", arguments.clone()).await;
    let second = table.keep("neo4j_create_entity", arguments.clone()).await;
    assert_eq!((&second["entity_id"], &second["receipt"]["idempotent_replay"]), (&first["entity_id"], &json!(true)));
    arguments["name"] = json!("Sam");
    let refused = table.refused("CanonKeeper", "neo4j_create_entity", arguments).await;
    assert!(refused.starts_with("CONSTRAINT_VIOLATION client_request_id: "), "{refused}");
}

#[tokio::test]
async fn of_two_facts_that_deny_each_other_one_becomes_canon() {
    let table = Arc::new(Table::new());
    let (universe, source) = table.world().await;
    let frodo = table.entity((&universe, &source), "Frodo", "character", &[]).await;
    for round in 0..5 {
        let claim = |denial: &str| {
            let mut arguments = new_fact(&universe, &source);
            arguments["statement"] = json!(format!("Frodo was{denial} seen on day {round}"));
            arguments["involved_entity_ids"] = json!([frodo]);
            arguments
        };
        let calls =
            ["", " not", "", " not"].map(|denial| table.call("CanonKeeper", "neo4j_create_fact", claim(denial)));
        let outcomes = join_all(calls).await;
        let statements: Vec<String> = outcomes
            .iter()
            .filter_map(|outcome| Some(outcome.as_ref().ok()?["fact"]["statement"].as_str()?.to_owned()))
            .collect();
        assert!(!statements.is_empty() && statements.iter().all(|one| *one == statements[0]), "{statements:?}");
    }
}

#[tokio::test]
async fn records_are_what_the_facts_make_of_them() {
    let table = Table::new();
    let (universe, source) = table.world().await;
    let frodo = table.entity((&universe, &source), "Frodo", "character", &["alive"]).await;
    table.fact((&universe, &source), "Frodo has the Ring", &[&frodo]).await;
    let change = json!({
        "entity_id": frodo, "state_tag_changes": { "add": ["tired"] }, "authority": "gm", "evidence_refs": [source],
    });
    table.keep("neo4j_update_entity_state", change).await;
    let folds = ledger::Folds::from([("monitor".to_owned(), monitor::Monitor::fold())]);
    let verified = table.ledger.verify(&folds).await.unwrap();
    assert_eq!((verified.differences.as_slice(), verified.facts), (&[] as &[String], 6));
}
