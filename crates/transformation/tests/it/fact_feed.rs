//! Facts as CloudEvents, page by page.

use contract::generated::transformation::{CloudEvent, FactQueryService, ListFactsRequest};
use serde_json::json;
use transformation::query::FactQuery;

use crate::world::World;

/// All events after a sequence number, a few at a time.
async fn events(world: &World, mut after: u64) -> Vec<CloudEvent> {
    let query = FactQuery::new(world.ledger.clone());
    let mut all = Vec::new();
    loop {
        let page = query.list_facts(&world.ctx(), ListFactsRequest { after, page_size: 2 }).await.unwrap();
        all.extend(page.events);
        after = page.last_sequence;
        if !page.more {
            return all;
        }
    }
}

#[tokio::test]
async fn a_fact_is_a_cloud_event() {
    let world = World::new().await;
    let id = world.element("Node", "n").await;
    let event = events(&world, 2).await.remove(0);
    let shown = serde_json::to_value(&event).unwrap();
    for (attribute, expected) in [
        ("specversion", "1.0"),
        ("source", "urn:chancery:transformation"),
        ("type", "io.ameide.transformation.architecture.fact.ElementCreated.v1"),
        ("datacontenttype", "application/json"),
        ("tenantid", "local"),
        ("correlationid", "correlation"),
        ("traceparent", "00-trace-parent-01"),
        ("sequence", "00000000000000000003"),
    ] {
        assert_eq!(shown[attribute], expected, "{attribute}");
    }
    assert_eq!(shown["subject"], format!("element/{id}"));
    assert_eq!(shown["data"]["name"], "n");
    assert!(shown["causationid"].as_str().unwrap().starts_with("request-"));
    assert!(shown["time"].as_str().unwrap().starts_with("2026-07-28T10:00:"));
}

//
#[tokio::test]
async fn every_fact_appears_once_and_in_order() {
    let world = World::new().await;
    world.element("Node", "a").await;
    world.call("createElement", json!({"type": "Node", "name": "b", "parent_id": "a"})).await;
    world.call("deleteElement", json!({"id": "a"})).await;
    let all = events(&world, 0).await;
    assert_eq!(all.len(), world.facts().await);
    let sequences: Vec<u64> = all.iter().map(|event| event.sequence.parse().unwrap()).collect();
    assert_eq!(sequences, (1..=u64::try_from(all.len()).unwrap()).collect::<Vec<_>>());
    let mut ids: Vec<&str> = all.iter().map(|event| event.id.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), all.len());
    assert_eq!(events(&world, 4).await, all[4..]);
    assert_eq!(events(&world.other_tenant("other").await, 0).await.len(), 2, "only its own");
}
