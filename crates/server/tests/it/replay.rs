//! Idempotency through both layers: the forgetful cache of a process, and the ledger that decides.

use serde_json::{Value, json};

use crate::world::World;

fn create(key: &str) -> Value {
    json!({ "type": "Node", "name": "host", "client_request_id": key })
}

async fn replays(world: &World) -> String {
    let metrics = world.get("/metrics").await;
    metrics.lines().find(|line| line.starts_with("chancery_idempotent_replays_total ")).unwrap_or_default().to_owned()
}

//
#[tokio::test]
async fn a_retry_in_the_same_process_is_answered_by_its_cache() {
    let world = World::new().await;
    let first = world.call("createElement", create("k")).await;
    assert_eq!(replays(&world).await, "chancery_idempotent_replays_total 0");
    let again = world.call("createElement", create("k")).await;
    assert_eq!(replays(&world).await, "chancery_idempotent_replays_total 1");
    assert_eq!((&again["element"], &again["idempotent_replay"]), (&first["element"], &json!(true)));
}

//
#[tokio::test]
async fn a_retry_elsewhere_or_after_a_restart_is_answered_by_the_ledger() {
    let world = World::new().await;
    let first = world.call("createElement", create("k")).await;
    let elsewhere = World::on(world.folder.clone()).await;
    drop(world);
    let again = elsewhere.call("createElement", create("k")).await;
    assert_eq!(replays(&elsewhere).await, "chancery_idempotent_replays_total 0");
    assert_eq!((&again["element"], &again["idempotent_replay"]), (&first["element"], &json!(true)));
}

//
#[tokio::test]
async fn the_cache_never_answers_for_other_arguments() {
    let world = World::new().await;
    world.call("createElement", create("k")).await;
    let other = json!({ "type": "Node", "name": "another", "client_request_id": "k" });
    assert_eq!(world.call("createElement", other).await["error"]["code"], "IDEMPOTENCY_KEY_REUSED");
}
