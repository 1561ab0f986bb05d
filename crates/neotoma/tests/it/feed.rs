//! What consumers and subscribers learn of what happened.

use ::desk::Module as _;
use ::desk::feed;
use serde_json::{Value, json};

use crate::desk::{ANN, Desk};

#[tokio::test]
async fn everything_that_happened_is_an_event_with_its_type_and_subject() {
    let desk = Desk::new();
    let stored = desk.ok("ingest", json!({"entities": [{"entity_type": "company", "name": "Acme"}]})).await;
    let one = stored["entities"][0]["id"].as_str().unwrap().to_owned();
    let two = desk.store(json!([{"entity_type": "company", "name": "Birke"}])).await;
    desk.ok("correct", json!({"entity_id": one, "entity_type": "company", "field": "name", "value": "Acme!"})).await;
    let edge = json!({"relationship_type": "PART_OF", "source_entity_id": one, "target_entity_id": two});
    desk.ok("create_relationship", edge).await;
    desk.ok("merge_entities", json!({"from_entity_id": two, "to_entity_id": one})).await;
    desk.ok("unmerge_entities", json!({"from_entity_id": two})).await;
    desk.ok("delete", json!({"id": two})).await;
    desk.ok("restore", json!({"id": two})).await;
    let ctx = desk.context(ANN, None);
    let of = |fact: &ledger::Fact| Some(neotoma::Module.event_type(fact));
    let page = feed::page(desk.ledger.as_ref(), &ctx, 0, 0, of).await.unwrap();
    let told: Vec<(String, String)> = page
        .events
        .into_iter()
        .map(|event| (event.r#type, event.subject.split_once('/').unwrap().0.to_owned()))
        .collect();
    let expected = [
        ("Ingested", "source"),
        ("Ingested", "source"),
        ("Corrected", "entity"),
        ("Related", "relationship"),
        ("Merged", "merge"),
        ("Unmerged", "merge"),
        ("Deleted", "entity"),
        ("Restored", "entity"),
    ];
    let expected = expected.map(|(name, subject)| (format!("io.ameide.neotoma.fact.{name}.v1"), subject.to_owned()));
    assert_eq!(told, expected);
    let first = feed::page(desk.ledger.as_ref(), &ctx, 0, 1, of).await.unwrap().events.remove(0);
    assert_eq!(first.source, "urn:chancery:neotoma");
    assert_eq!(Value::from(first.subject), format!("source/{}", stored["source_id"].as_str().unwrap()));
}
