//! What may become of a definition.

use serde_json::{Map, Value, json};

use super::*;

fn payload(value: Value) -> Properties {
    value.as_object().cloned().unwrap_or_else(Map::new)
}

fn command(kind: Kind, content: Value) -> UpsertDefinition {
    UpsertDefinition {
        id: "d".to_owned(),
        now: Timestamp(0),
        kind,
        name: Name::new("name", "review").unwrap(),
        payload: Some(payload(content)),
        source_version_id: None,
        retired: false,
        expected_version: None,
    }
}

fn stored(status: Status) -> Stored<Definition> {
    let first = upsert("r", None, &command(Kind::Process, json!({"steps": 1}))).unwrap().outcome.definition;
    Stored { state: Definition { status, ..first }, version: 3, at: Timestamp(0) }
}

fn promotion(expected_version: Option<u64>) -> PromoteDefinition {
    PromoteDefinition { definition: "review".to_owned(), now: Timestamp(1), expected_version }
}

#[test]
fn a_new_version_is_a_draft_and_the_same_content_changes_nothing() {
    let existing = stored(Status::Promoted);
    let changed = upsert("r", Some(&existing), &command(Kind::Process, json!({"steps": 2}))).unwrap();
    assert_eq!((changed.outcome.version, changed.outcome.definition.status), (4, Status::Draft));
    assert_eq!(changed.facts[0].kind(), "transformation.ProcessDefinitionUpserted");
    let same = upsert("r", Some(&existing), &command(Kind::Process, json!({"steps": 1}))).unwrap();
    assert_eq!((same.facts.len(), same.outcome.version, same.outcome.definition.status), (0, 3, Status::Promoted));
}

#[test]
fn a_draft_is_promoted_once() {
    let promoted = promote(&stored(Status::Draft), &promotion(None)).unwrap();
    assert_eq!((promoted.outcome.version, promoted.outcome.definition.promoted_version), (4, Some(3)));
    assert_eq!(promoted.facts[0].kind(), "transformation.DefinitionPromoted");
    let refusal = |status, expected| promote(&stored(status), &promotion(expected)).unwrap_err().to_string();
    assert_eq!(refusal(Status::Promoted, None), "'review' is promoted already");
    assert_eq!(refusal(Status::Retired, None), "'review' is retired");
    assert_eq!(refusal(Status::Draft, Some(2)), "The definition is at version 3, not 2");
}

// R-385
#[test]
fn the_payload_of_an_agent_is_an_agent_definition_of_the_same_name() {
    let refusal = |content| upsert("r", None, &command(Kind::Agent, content)).unwrap_err().to_string();
    assert_eq!(refusal(json!({})), "apiVersion is missing");
    let other = json!({
        "apiVersion": "ameide.io/v1",
        "kind": "AgentDefinition",
        "metadata": {"name": "other"},
        "spec": {"runtime": {"image": "i"}},
    });
    assert_eq!(refusal(other), "metadata.name is \"other\", but the definition is named review");
    let none = UpsertDefinition { payload: None, ..command(Kind::Process, json!({})) };
    assert_eq!(upsert("r", None, &none).unwrap_err().to_string(), "payload is missing");
}
