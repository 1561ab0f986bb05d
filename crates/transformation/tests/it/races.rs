//! Writers at the same time.

use serde_json::json;

use crate::world::{World, outcome};

//
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_updates_of_different_properties_both_survive() {
    let world = World::new().await;
    world.element("Node", "n").await;
    let update = |key: &'static str| {
        let world = world.clone();
        tokio::spawn(async move { world.call("updateElement", json!({"id": "n", "properties": {key: 1}})).await })
    };
    let (one, other) = (update("one"), update("other"));
    let (one, other) = (one.await.unwrap(), other.await.unwrap());
    assert_eq!((outcome(&one), outcome(&other)), ("ok".to_owned(), "ok".to_owned()));
    let read = world.call("listElements", json!({"model_id": "default"})).await;
    let element = &read["elements"][0];
    assert_eq!(
        (&element["version"], &element["properties"]["one"], &element["properties"]["other"]),
        (&json!(3), &json!(1), &json!(1))
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_of_many_wins_a_name_and_the_others_learn_it() {
    let world = World::new().await;
    let calls = (0..8).map(|_| {
        let world = world.clone();
        tokio::spawn(async move { outcome(&world.call("createElement", json!({"type": "Node", "name": "n"})).await) })
    });
    let mut outcomes: Vec<String> = futures::future::join_all(calls).await.into_iter().map(Result::unwrap).collect();
    outcomes.sort();
    assert_eq!(outcomes.pop().as_deref(), Some("ok"));
    assert!(outcomes.iter().all(|outcome| outcome == "DUPLICATE_NAME name"), "{outcomes:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_processes_may_provision_at_once() {
    let world = World::empty();
    let starts = (0..8).map(|_| {
        let world = world.clone();
        tokio::spawn(async move { world.capability.provision(&world.ctx()).await })
    });
    for start in futures::future::join_all(starts).await {
        start.unwrap().unwrap();
    }
    assert_eq!(world.facts().await, 2);
    assert_eq!(outcome(&world.call("createElement", json!({"type": "Node", "name": "n"})).await), "ok");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_relationship_never_outlives_its_ends() {
    let world = World::new().await;
    for round in 0..10 {
        let (a, b) =
            (world.element("Node", &format!("a{round}")).await, world.element("Node", &format!("b{round}")).await);
        let (linking, deleting) = (world.clone(), world.clone());
        let (source, target) = (a.clone(), b.clone());
        let link = tokio::spawn(async move { linking.relate("Flow", &source, &target).await });
        let gone = tokio::spawn(async move { deleting.call("deleteElement", json!({"id": a})).await });
        let (_, gone) = (link.await.unwrap(), gone.await.unwrap());
        assert_eq!(outcome(&gone), "ok");
    }
    let left = world.call("listRelationships", json!({"model_id": "default"})).await;
    assert_eq!(left["relationships"], json!([]));
}
