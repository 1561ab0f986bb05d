//! Subscribers, prompts, completions.

use contract::{Capability, Changed};
use serde_json::json;

use crate::world::World;

#[tokio::test]
async fn subscribers_learn_which_resources_changed() {
    let world = World::new().await;
    let mut changes = world.capability.changes().unwrap();
    let mut next = async || match changes.recv().await.unwrap() {
        Changed::Resource { tenant, uri } if tenant == world.scope.tenant => uri,
        other => panic!("{other:?}"),
    };
    let created = world.call("createElement", json!({"type": "Node", "name": "n"})).await;
    let element = &created["element"];
    assert_eq!(next().await, format!("transformation://element/{}", element["id"].as_str().unwrap()));
    assert_eq!(next().await, format!("transformation://model/{}", element["model_id"].as_str().unwrap()));
    world.call("updateElement", json!({"id": "n", "description": "x"})).await;
    assert_eq!(next().await, format!("transformation://element/{}", element["id"].as_str().unwrap()));
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
}

// each prompt is offered with its arguments, and these are completed from the model.
#[tokio::test]
async fn prompts_of_the_capability_complete_their_arguments() {
    let world = World::new().await;
    world.element("Capability", "Order Management").await;
    world.element("ApplicationComponent", "OrderService").await;
    let names: Vec<&str> = world.capability.manifest().prompts.iter().map(|prompt| prompt.name.as_str()).collect();
    assert_eq!(names, ["modelling-session", "capability-review", "impact-analysis"]);
    let ctx = world.ctx();
    let complete =
        async |prompt: &str, argument: &str| world.capability.complete(&ctx, prompt, argument, "order").await.unwrap();
    assert_eq!(complete("capability-review", "capability").await, ["Order Management"]);
    assert_eq!(complete("impact-analysis", "element").await, ["Order Management", "OrderService"]);
    let arguments = json!({"capability": "Order Management"}).as_object().cloned().unwrap();
    let review = world.capability.prompt(&ctx, "capability-review", arguments).await.unwrap();
    assert_eq!(review.description.as_deref(), Some("Review of Order Management"));
    let refused = world.capability.prompt(&ctx, "impact-analysis", serde_json::Map::new()).await.unwrap_err();
    assert_eq!(refused.field.as_deref(), Some("element"));
}

#[tokio::test]
async fn arguments_are_completed() {
    let world = World::new().await;
    world.element("Node", "Mainframe").await;
    world.baseline("Release 1").await;
    let ctx = world.ctx();
    let complete =
        async |argument: &str, typed: &str| world.capability.complete(&ctx, "", argument, typed).await.unwrap();
    assert_eq!(complete("model_id", "def").await, ["default"]);
    assert_eq!(complete("baseline_id", "rel").await, ["Release 1"]);
    assert_eq!(complete("element_id", "main").await, ["Mainframe"]);
    assert_eq!(complete("element_type", "BusinessP").await[0], "BusinessProcess");
    assert_eq!(complete("goal", "x").await, Vec::<String>::new());
}
