//! listDefinitions, the definition resource, and the typed writes behind them.

use contract::generated::transformation::{
    DefinitionKind, DefinitionWriteService, PromoteDefinitionRequest, UpsertDefinitionRequest,
};
use contract::{Blob, CallError, Capability, Object};
use ledger::Folds;
use serde_json::{Value, json};
use transformation::Transformation;
use transformation::write::DefinitionWrite;

use crate::world::{World, column, outcome};

fn agent(name: &str, image: &str) -> Value {
    json!({
        "apiVersion": "ameide.io/v1",
        "kind": "AgentDefinition",
        "metadata": {"name": name},
        "spec": {"runtime": {"image": image}},
    })
}

async fn upsert(world: &World, kind: DefinitionKind, name: &str, payload: Value) -> Result<u64, CallError> {
    let request = UpsertDefinitionRequest {
        kind: kind.into(),
        name: name.to_owned(),
        payload: Some(Object(payload.as_object().cloned().unwrap())),
        ..Default::default()
    };
    let answer = DefinitionWrite::new(world.ledger.clone()).upsert_definition(&world.ctx(), request).await?;
    Ok(answer.definition.unwrap().version)
}

async fn promote(world: &World, name: &str) -> Result<Option<u64>, CallError> {
    let request = PromoteDefinitionRequest { definition_id: name.to_owned(), ..Default::default() };
    let answer = DefinitionWrite::new(world.ledger.clone()).promote_definition(&world.ctx(), request).await?;
    Ok(answer.definition.unwrap().promoted_version)
}

async fn resource(world: &World, reference: &str) -> Result<Value, CallError> {
    let uri = format!("transformation://definition/{reference}");
    let Blob::Text { text, .. } = world.capability.read(&world.ctx(), &uri).await? else {
        panic!("a resource is text");
    };
    Ok(serde_json::from_str(&text).unwrap())
}

/// One agent and one process.
async fn two() -> World {
    let world = World::new().await;
    assert_eq!(upsert(&world, DefinitionKind::DefinitionAgent, "reviewer", agent("reviewer", "i:1")).await.unwrap(), 1);
    let steps = json!({"steps": ["ask", "answer"]});
    assert_eq!(upsert(&world, DefinitionKind::DefinitionProcess, "Review", steps).await.unwrap(), 1);
    world
}

//
#[tokio::test]
async fn process_and_agent_definitions_are_listed() {
    let world = two().await;
    promote(&world, "reviewer").await.unwrap();
    let names = async |arguments: Value| {
        let answer = world.call("listDefinitions", arguments).await;
        column(&answer["definitions"], "name").join(" ")
    };
    assert_eq!(names(json!({})).await, "reviewer Review");
    assert_eq!(names(json!({"kind": "process"})).await, "Review");
    assert_eq!(names(json!({"kind": "agent", "status": "promoted"})).await, "reviewer");
    assert_eq!(names(json!({"status": "draft"})).await, "Review");
    assert_eq!(names(json!({"kind": "extension"})).await, "");
    let first = world.call("listDefinitions", json!({"page_size": 1})).await;
    let rest = json!({"page_size": 1, "page_token": first["next_page_token"]});
    assert_eq!(names(rest).await, "Review");
    let other = world.other_tenant("other").await;
    assert_eq!(other.call("listDefinitions", json!({})).await["definitions"], json!([]));
}

//
#[tokio::test]
async fn a_definition_is_a_resource() {
    let world = two().await;
    let shown = resource(&world, "reviewer").await.unwrap();
    let definition = &shown["definition"];
    assert_eq!((&definition["kind"], &definition["status"]), (&json!("agent"), &json!("draft")));
    assert_eq!(definition["payload"], agent("reviewer", "i:1"));
    let id = definition["id"].as_str().unwrap();
    assert_eq!(definition["version_id"], format!("{id}@1"));
    assert_eq!(resource(&world, id).await.unwrap(), shown);
    let missing = resource(&world, "nobody").await.unwrap_err();
    assert_eq!((&*missing.code, missing.kind), ("DEFINITION_NOT_FOUND", contract::ErrorKind::NotFound));
}

#[tokio::test]
async fn an_earlier_state_stays_readable() {
    let world = two().await;
    let before = world.call("listDefinitions", json!({"kind": "agent"})).await;
    promote(&world, "reviewer").await.unwrap();
    upsert(&world, DefinitionKind::DefinitionAgent, "reviewer", agent("reviewer", "i:2")).await.unwrap();
    let then = json!({"kind": "agent", "read_context": before["read_context"]});
    assert_eq!(world.call("listDefinitions", then).await, before);
    let moment = json!({"kind": "agent", "read_context": {"as_of": before["definitions"][0]["updated_at"]}});
    assert_eq!(world.call("listDefinitions", moment).await["definitions"], before["definitions"]);
}

#[tokio::test]
async fn promotion_keeps_the_version_that_counts() {
    let world = two().await;
    assert_eq!(promote(&world, "reviewer").await.unwrap(), Some(1));
    assert_eq!(promote(&world, "reviewer").await.unwrap_err().code, "PRECONDITION_FAILED");
    let changed = upsert(&world, DefinitionKind::DefinitionAgent, "reviewer", agent("reviewer", "i:2")).await;
    assert_eq!(changed.unwrap(), 3);
    let definition = resource(&world, "reviewer").await.unwrap()["definition"].clone();
    assert_eq!((&definition["status"], &definition["promoted_version"]), (&json!("draft"), &json!(1)));
    let facts = world.facts().await;
    assert_eq!(upsert(&world, DefinitionKind::DefinitionAgent, "reviewer", agent("reviewer", "i:2")).await.unwrap(), 3);
    assert_eq!(world.facts().await, facts, "the same content is no new version");
    let folds = Folds::from([("transformation".to_owned(), Transformation::fold())]);
    assert_eq!(world.ledger.verify(&folds).await.unwrap().differences, Vec::<String>::new());
}

//
#[tokio::test]
async fn an_agent_that_does_not_make_sense_is_refused() {
    let world = World::new().await;
    let mut wrong = agent("reviewer", "i:1");
    wrong["spec"]["triggers"] = json!([{"type": "fact", "topic": "t"}, {"type": "facts", "topic": "t"}]);
    let refusal = upsert(&world, DefinitionKind::DefinitionAgent, "reviewer", wrong).await.unwrap_err();
    assert_eq!((&*refusal.code, refusal.field.as_deref()), ("VALIDATION_ERROR", Some("spec.triggers[1].type")));
    assert_eq!(refusal.suggestions["hint"], "use fact");
}

#[tokio::test]
async fn a_name_is_unique_among_its_kind() {
    let world = two().await;
    let steps = json!({"steps": []});
    assert_eq!(upsert(&world, DefinitionKind::DefinitionExtension, "reviewer", steps).await.unwrap(), 1);
    let refusal = promote(&world, "reviewer").await.unwrap_err();
    assert_eq!((&*refusal.code, refusal.field.as_deref()), ("NEEDS_DISAMBIGUATION", Some("definition_id")));
}

//
#[tokio::test]
async fn writes_of_definitions_are_no_tools() {
    let world = World::new().await;
    for name in ["upsertDefinition", "promoteDefinition"] {
        let tool = format!("transformation.{name}");
        assert!(world.capability.manifest().tools.iter().all(|known| known.name != tool));
        assert!(world.capability.call(&world.ctx(), &tool, serde_json::Map::new()).await.is_err());
    }
    assert_eq!(outcome(&world.call("listDefinitions", json!({"kind": "agents"})).await), "VALIDATION_ERROR kind");
}

#[tokio::test]
async fn agents_do_not_write_what_governs_them() {
    let world = two().await;
    let agent = world.as_agent();
    let steps = json!({"steps": ["a"]});
    let refused = upsert(&agent, DefinitionKind::DefinitionProcess, "Mine", steps).await.unwrap_err();
    assert_eq!(refused.code, "PERMISSION_DENIED");
    assert_eq!(promote(&agent, "reviewer").await.unwrap_err().code, "PERMISSION_DENIED");
}
