//! How callers name models and elements: in which form, with which slip, and not at all.

use contract::generated::transformation::{CreateModelRequest, ModelWriteService};
use contract::{CallError, Capability};
use scope::PrincipalKind;
use serde_json::{Value, json};
use transformation::Config;
use transformation::write::ModelWrite;

use crate::world::{World, column, outcome};

async fn create_model(world: &World, key: &str) -> Result<Value, CallError> {
    let write = ModelWrite::new(world.ledger.clone(), &Config::default());
    let request = CreateModelRequest { key: key.to_owned(), name: Some("Platform".to_owned()), description: None };
    let answer = write.create_model(&world.ctx(), request).await?;
    Ok(serde_json::to_value(answer).unwrap())
}

#[tokio::test]
async fn a_model_is_created_once_by_those_who_may_write() {
    let world = World::new().await;
    let created = create_model(&world, "platform-architecture").await.unwrap();
    assert_eq!((&created["outcome"], &created["model"]["key"]), (&json!("committed"), &json!("platform-architecture")));
    let again = create_model(&world, "platform-architecture").await.unwrap_err();
    assert_eq!((again.code.as_ref(), again.field.as_deref()), ("DUPLICATE_NAME", Some("key")));
    assert_eq!(create_model(&world, "two words").await.unwrap_err().field.as_deref(), Some("key"));
    let viewer = world.as_caller("viewer", PrincipalKind::User, &["viewer"]);
    for caller in [world.as_agent(), viewer] {
        assert_eq!(create_model(&caller, "other").await.unwrap_err().code, "PERMISSION_DENIED");
    }
    // the specification's sample runs as it stands.
    let sample = json!({"model_id": "platform-architecture", "layer": "application"});
    world.call("createElement", json!({"type": "Node", "name": "n", "model_id": "platform-architecture"})).await;
    let component = json!({"type": "ApplicationComponent", "name": "c", "model_id": "platform-architecture"});
    world.call("createElement", component).await;
    assert_eq!(column(&world.call("listElements", sample).await["elements"], "name"), ["c"]);
    assert_eq!(world.call("listElements", json!({"model_id": "default"})).await["elements"], json!([]));
}

// published as required, and filled in with the active model where the specification's usage leaves it out.
#[tokio::test]
async fn a_list_without_a_model_reads_the_active_one() {
    let world = World::new().await;
    create_model(&world, "platform-architecture").await.unwrap();
    let orders = world.element("ApplicationComponent", "orders").await;
    world.element("ApplicationComponent", "billing").await;
    let usage = json!({"element_type": "ApplicationComponent", "name": "orders"});
    assert_eq!(column(&world.call("listElements", usage).await["elements"], "id"), [orders.as_str()]);
    world.relate("Flow", "orders", "billing").await;
    let touching = world.call("listRelationships", json!({"element_id": "orders"})).await;
    assert_eq!(touching["relationships"].as_array().unwrap().len(), 1);
    for tool in world.capability.manifest().tools.iter().filter(|tool| tool.name.contains(".list")) {
        if let Some(model_id) = tool.input_schema["properties"].get("model_id").filter(|it| it.get("default").is_some())
        {
            assert_eq!(model_id["default"], "active", "{}", tool.name);
            assert!(tool.input_schema["required"].as_array().unwrap().contains(&json!("model_id")), "{}", tool.name);
        }
    }
}

#[tokio::test]
async fn an_id_is_taken_in_any_usual_form() {
    let world = World::new().await;
    let id = world.element("Node", "Host").await;
    for form in
        [id.to_uppercase(), format!("\"{id}\""), format!("urn:uuid:{id}"), format!("transformation://element/{id}")]
    {
        let shown = world.call("updateElement", json!({"id": form, "description": "d"})).await;
        assert_eq!(shown["element"]["id"], id.as_str(), "{form}: {shown}");
    }
    let proposal = world.call("createElement", json!({"type": "Node", "name": "x", "commit_mode": "propose"})).await;
    let proposal = proposal["proposal"]["id"].as_str().unwrap().to_uppercase();
    assert_eq!(outcome(&world.call("getProposal", json!({"proposal_id": proposal})).await), "ok");
}

#[tokio::test]
async fn a_slip_in_an_id_finds_the_near_ones_of_the_caller_only() {
    let world = World::new().await;
    let id = world.element("Node", "Host").await;
    let (lost, mut swapped) = (id[..35].to_owned(), id.clone().into_bytes());
    swapped.swap(30, 35);
    let swapped = String::from_utf8(swapped).unwrap();
    for slip in [&lost, &swapped] {
        let refused = world.call("updateElement", json!({"id": slip, "name": "x"})).await;
        assert_eq!(outcome(&refused), "ELEMENT_NOT_FOUND id", "{refused}");
        assert_eq!(column(&refused["error"]["suggestions"]["similar_elements"], "id"), [id.as_str()], "{slip}");
    }
    let other = world.other_tenant("other").await;
    let refused = other.call("updateElement", json!({"id": lost, "name": "x"})).await;
    assert_eq!(refused["error"]["suggestions"]["similar_elements"], json!([]));
}

#[tokio::test]
async fn a_chosen_id_may_be_a_plain_handle() {
    let world = World::new().await;
    let profile = json!({"owner": "Supply Chain", "criticality": "High", "lifecycle": "Active"});
    let capability = json!({"id": "cap-abc-123", "name": "Fulfillment", "profile": profile});
    let made = world.call("createCapability", capability.clone()).await;
    assert_eq!(made["capability"]["id"], "cap-abc-123", "{made}");
    let again = world.call("createCapability", json!({"id": "cap-abc-123", "name": "Other", "profile": profile})).await;
    assert_eq!(outcome(&again), "DUPLICATE_NAME id");
    assert_eq!(
        outcome(&world.call("createCapability", json!({"id": "a b", "name": "x", "profile": profile})).await),
        "VALIDATION_ERROR id"
    );
}

#[tokio::test]
async fn a_moment_before_the_model_is_refused_with_when_it_began() {
    let world = World::new().await;
    let early = json!({"model_id": "default", "read_context": {"as_of": "2020-01-01T00:00:00Z"}});
    let refused = world.call("listElements", early).await;
    assert_eq!(outcome(&refused), "MODEL_NOT_FOUND model_id");
    let hint = refused["error"]["suggestions"]["hint"].as_str().unwrap();
    assert!(hint.starts_with("the model began at 2026-07-28T10:00:"), "{hint}");
}
