//! What an agent may do for a person, and what only a person may.

use serde_json::{Value, json};

use crate::desk::{ANN, Caller, Desk};
use crate::faults;

const AGENT: Caller<'static> = Caller { tenant: "local", user: "ann/agent" };

/// A desk with two companies of ANN's and what became of a third and a fourth.
async fn desk() -> Desk {
    let desk = Desk::new();
    let named = ["Acme", "Birke", "Gone", "Former"].map(|name| json!({"entity_type": "company", "name": name}));
    desk.store(json!(named)).await;
    desk.ok("delete", json!({"id": "Gone"})).await;
    desk.ok("merge_entities", json!({"from_entity_id": "Former", "to_entity_id": "Birke"})).await;
    desk
}

async fn as_agent(desk: &Desk, tool: &str, arguments: Value) -> Value {
    match desk.call_as(AGENT, tool, arguments).await {
        Ok(answer) => answer,
        Err(error) => desk.envelope(&error),
    }
}

#[tokio::test]
async fn an_agent_does_not_make_writes_of_high_risk_and_a_person_does() {
    let desk = desk().await;
    let former = desk.records(neotoma::projection::row::kind::MERGE).await[0]["merge"]["from"].clone();
    for (tool, arguments) in [
        ("merge_entities", json!({"from_entity_id": "Acme", "to_entity_id": "Birke"})),
        ("unmerge_entities", json!({"from_entity_id": former})),
        ("delete", json!({"id": "Acme"})),
        ("register_schema", json!({"relationship_type": "MENTORS"})),
    ] {
        let head = desk.head().await;
        let refused = as_agent(&desk, tool, arguments.clone()).await;
        assert_eq!(refused["code"], "PERMISSION_DENIED", "{tool}: {refused}");
        assert!(refused["details"]["fix"].as_str().unwrap().contains("admin or curator"), "{refused}");
        assert_eq!(desk.head().await, head, "{tool}");
        desk.call_as(ANN, tool, arguments).await.unwrap();
    }
    for (tool, arguments) in [
        ("restore", json!({"id": "Gone"})),
        ("ingest", json!({"entities": [{"entity_type": "note", "title": "New"}]})),
        (
            "create_relationship",
            json!({"relationship_type": "REFERS_TO", "source_entity_id": "Gone", "target_entity_id": "New"}),
        ),
    ] {
        assert!(as_agent(&desk, tool, arguments).await.get("code").is_none(), "{tool}");
    }
}

#[tokio::test]
async fn an_agent_does_not_overrule_what_a_person_corrected() {
    let desk = desk().await;
    let correct =
        |value: &str| json!({"entity_id": "Acme", "entity_type": "company", "field": "country", "value": value});
    let country = async || desk.snapshot(&id_of(&desk, "Acme").await).await["snapshot"]["country"].clone();
    let answer = as_agent(&desk, "correct", correct("DE")).await;
    assert!(answer["message"].as_str().unwrap().contains("a person"), "{answer}");
    assert_eq!(country().await, "DE");
    let repeated = as_agent(&desk, "correct", correct("DE")).await;
    assert_eq!(repeated["observation_id"], answer["observation_id"]);
    desk.ok("correct", correct("FR")).await;
    assert_eq!(country().await, "FR");
    let refused = as_agent(&desk, "correct", correct("DE")).await;
    assert_eq!((&refused["code"], &refused["details"]["field"]), (&json!("PERMISSION_DENIED"), &json!("field")));
    assert_eq!(country().await, "FR");
    let kinds: Vec<Value> = desk.observations().await.iter().map(|row| row["observation"]["kind"].clone()).collect();
    assert!(kinds.contains(&json!("llm_summary")) && kinds.contains(&json!("human")), "{kinds:?}");
}

async fn id_of(desk: &Desk, name: &str) -> String {
    let found = desk.ok("get_entity_by_identifier", json!({ "identifier": name })).await;
    found["entities"][0]["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn an_agent_does_not_call_itself_a_human_nor_outrank_one() {
    let desk = Desk::new();
    let sent = |more: Value| {
        let mut sent = json!({"entities": [{"entity_type": "note", "title": "New"}]});
        sent.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        sent
    };
    let provenance = |kind: &str| json!({"provenance": {"extracted_at": "2027-01-01T00:00:00Z", "extractor_version": "1", "kind": kind}});
    for (more, field) in
        [(provenance("human"), "provenance.kind"), (json!({"source_priority": 101}), "source_priority")]
    {
        let refused = as_agent(&desk, "ingest", sent(more.clone())).await;
        assert_eq!((&refused["code"], &refused["details"]["field"]), (&json!("PERMISSION_DENIED"), &json!(field)));
        desk.ok("ingest", sent(more)).await;
    }
    let other = json!({"entities": [{"entity_type": "note", "title": "Other"}]});
    as_agent(&desk, "ingest", other).await;
    let kinds: Vec<Value> = desk.observations().await.iter().map(|row| row["observation"]["kind"].clone()).collect();
    assert_eq!(kinds.iter().filter(|kind| **kind == json!("llm_summary")).count(), 1, "{kinds:?}");
}

// R-831 (neotoma)
#[tokio::test]
async fn every_write_is_ruled_by_the_policy_and_says_that_it_happened() {
    let desk = faults::healthy().await;
    for (number, (tool, arguments, _)) in faults::writes(&desk).await.into_iter().enumerate() {
        let risky = ["merge_entities", "unmerge_entities", "delete", "register_schema"].contains(&tool);
        if risky {
            let refused = desk.refused_as(AGENT, tool, arguments.clone()).await;
            assert_eq!(refused["code"], "PERMISSION_DENIED", "{tool}: {refused}");
        }
        let arguments = faults::keyed(arguments, &format!("k{number}"));
        for _ in 0..2 {
            assert_eq!(desk.ok(tool, arguments.clone()).await["outcome"], "committed", "{tool}");
        }
    }
}
