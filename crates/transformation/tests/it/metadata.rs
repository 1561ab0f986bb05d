//! What is remembered about a write.

use ledger::Folds;
use serde_json::{Value, json};
use transformation::Transformation;

use crate::world::World;

//
#[tokio::test]
async fn a_fact_carries_the_envelope_of_its_call() {
    let world = World::new().await;
    world.call("createElement", json!({"type": "Node", "name": "n", "client_request_id": "key-1"})).await;
    world.call("createElement", json!({"type": "Node", "name": "m", "parent_id": "n"})).await;
    let facts = world.ledger.facts(&world.scope.tenant, 2, 10).await.unwrap();
    let metas: Vec<Value> = facts.iter().map(|fact| serde_json::from_str(&fact.meta).unwrap()).collect();
    let kinds: Vec<&str> = facts.iter().map(|fact| fact.kind.as_str()).collect();
    assert_eq!(
        kinds,
        ["transformation.ElementCreated", "transformation.ElementCreated", "transformation.ElementRelationshipCreated"]
    );
    assert_eq!(metas[0]["client_request_id"], "key-1");
    assert_eq!(metas[0]["correlation_id"], "correlation");
    assert_eq!(metas[0]["tenant_id"], "local");
    assert_eq!(metas[0]["traceparent"], "00-trace-parent-01");
    assert_eq!(metas[0]["actor"], "local|tester");
    assert!(metas[0]["occurred_at"].as_str().unwrap().starts_with("2026-07-28T10:00:0"));
    assert!(metas[1]["causation_id"].is_string());
    assert_eq!(metas[1]["causation_id"], metas[2]["causation_id"]);
    let mut ids: Vec<&str> = metas.iter().map(|meta| meta["message_id"].as_str().unwrap()).collect();
    assert!(ids.iter().all(|id| id.split('-').map(str::len).eq([8, 4, 4, 4, 12])), "{ids:?}");
    ids.dedup();
    assert_eq!(ids.len(), metas.len());
}

//
#[test]
fn the_envelope_keeps_the_field_numbers_of_the_specification() {
    use contract::generated::transformation::TransformationMessageMeta as Meta;
    use prost::Message as _;
    let text = || "x".to_owned();
    let moment = Some(prost_types::Timestamp { seconds: 1, nanos: 0 });
    let fields = [
        Meta { message_id: text(), ..Meta::default() },
        Meta { correlation_id: text(), ..Meta::default() },
        Meta { tenant_id: text(), ..Meta::default() },
        Meta { occurred_at: moment, ..Meta::default() },
        Meta { client_request_id: text(), ..Meta::default() },
    ];
    // The first byte holds the field number, shifted by the three bits of the wire type.
    assert_eq!(fields.map(|meta| meta.encode_to_vec()[0] >> 3), [1, 2, 3, 4, 5]);
}

// R-823 (sqlite): records are a fold of the facts.
#[tokio::test]
async fn replaying_the_facts_makes_the_same_rows() {
    let world = World::new().await;
    world.element("Node", "a").await;
    world
        .call(
            "createElement",
            json!({"type": "Node", "name": "b", "parent_id": "a", "key": "b-key", "properties": {"x": [1, "two"]}}),
        )
        .await;
    world.call("updateElement", json!({"id": "b", "properties": {"x": null, "y": 2.5}})).await;
    world.call("deleteElement", json!({"id": "a"})).await;
    let folds = Folds::from([("transformation".to_owned(), Transformation::fold())]);
    let verification = world.ledger.verify(&folds).await.unwrap();
    assert_eq!(verification.differences, Vec::<String>::new());
    assert!(verification.facts >= 7 && verification.versions >= 7);
}
