//! Subscribers, prompts, completions.

use contract::{Capability, Changed};
use serde_json::json;

use crate::world::World;

#[tokio::test]
async fn subscribers_learn_which_resource_changed() {
    let world = World::new().await;
    world.call("listModels", json!({})).await;
    let mut changes = world.capability.changes().unwrap();
    // The follower starts at the head, which it reads when it first runs.
    tokio::task::yield_now().await;
    let id = loop {
        let id = world.element("Node", &format!("n{}", world.now())).await;
        if let Ok(changed) = tokio::time::timeout(std::time::Duration::from_secs(2), changes.recv()).await {
            let Changed::Resource { tenant, uri } = changed.unwrap() else { panic!("a resource changed") };
            assert_eq!(tenant, world.scope.tenant);
            break uri.strip_prefix("transformation://element/").unwrap().to_owned();
        }
        assert_ne!(id, "");
    };
    assert!(world.call("updateElement", json!({"id": id, "description": "x"})).await["success"].as_bool().unwrap());
    let Changed::Resource { uri, .. } = changes.recv().await.unwrap() else { panic!("a resource changed") };
    assert!(uri.starts_with("transformation://element/"));
}

#[tokio::test]
async fn a_modelling_session_needs_a_goal() {
    let world = World::new().await;
    let ctx = world.ctx();
    let goal = json!({"goal": "show how orders flow"}).as_object().cloned().unwrap();
    let filled = world.capability.prompt(&ctx, "modelling-session", goal).await.unwrap();
    assert!(format!("{:?}", filled.messages).contains("show how orders flow"));
    let refused = world.capability.prompt(&ctx, "modelling-session", serde_json::Map::new()).await.unwrap_err();
    assert_eq!(refused.field.as_deref(), Some("goal"));
    assert_eq!(world.capability.manifest().prompts.len(), 1);
}

#[tokio::test]
async fn arguments_are_completed() {
    let world = World::new().await;
    world.element("Node", "Mainframe").await;
    let ctx = world.ctx();
    let complete = async |argument: &str, typed: &str| world.capability.complete(&ctx, "", argument, typed).await.unwrap();
    assert_eq!(complete("model_id", "def").await, ["default"]);
    assert_eq!(complete("element_id", "main").await, ["Mainframe"]);
    assert_eq!(complete("element_type", "BusinessP").await[0], "BusinessProcess");
    assert_eq!(complete("goal", "x").await, Vec::<String>::new());
}
