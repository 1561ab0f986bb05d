use serde_json::json;

use super::*;

fn read(kind: ProposalType, content: Value) -> Result<Content, String> {
    match content {
        Value::Object(content) => parse(kind, &content),
        _ => unreachable!("a content is an object"),
    }
}

#[track_caller]
fn refused(kind: ProposalType, content: Value, expected: &str) {
    assert_eq!(read(kind, content).unwrap_err(), expected);
}

#[track_caller]
fn same(kind: ProposalType, one: Value, other: Value) {
    assert_eq!(read(kind, one).unwrap(), read(kind, other).unwrap());
}

#[test]
fn other_spellings_mean_the_same() {
    same(
        ProposalType::Fact,
        json!({"statement": "s", "involved_entity_ids": ["e", "e"]}),
        json!({"statement": "s", "entity_ids": ["e"], "fact_type": "attribute"}),
    );
    same(
        ProposalType::Relationship,
        json!({"from_entity_id": "a", "to_entity_id": "b", "rel_type": "ALLY_OF"}),
        json!({"from": "a", "to": "b", "relationship_type": "allied with", "remove": false}),
    );
    let changes = [
        json!({"entity_id": "e", "add": ["dead"], "remove": []}),
        json!({"entity_id": "e", "add_tags": ["Dead "]}),
        json!({"entity_id": "e", "tag": "dead", "action": "add"}),
    ];
    for change in &changes[1..] {
        same(ProposalType::StateChange, changes[0].clone(), change.clone());
    }
}

#[test]
fn what_is_wrong_is_named_with_what_to_give() {
    refused(ProposalType::Fact, json!({}), "content.statement is missing; give a text");
    refused(ProposalType::Fact, json!({"statement": 7}), "content.statement is no text; give a text");
    let long = json!({"statement": "x".repeat(2001)});
    refused(ProposalType::Fact, long, "content.statement has 2001 characters; give 2000 at most");
    let odd = json!({"statement": "s", "time_ref": "soon"});
    refused(ProposalType::Fact, odd, "content.time_ref is \"soon\"; give a date and time such as 2026-07-28T10:30:00Z");
    let list = json!({"statement": "s", "involved_entity_ids": "e"});
    refused(ProposalType::Fact, list, "content.involved_entity_ids is no list of texts; give a list such as [\"...\"]");
    let severe = json!({"title": "t", "description": "d", "severity": 11});
    refused(ProposalType::Event, severe, "content.severity is 11; give 0 to 10");
    let kind = json!({"name": "n", "entity_type": "person"});
    let expected =
        "content.entity_type is \"person\"; give one of character, faction, location, object, concept, organization";
    refused(ProposalType::Entity, kind, expected);
    let tagged =
        json!({"name": "n", "entity_type": "concept", "entity_class": "EntityAxiomatica", "state_tags": ["x"]});
    let expected = "content has state_tags or derives_from, which an EntityAxiomatica has not; leave them out";
    refused(ProposalType::Entity, tagged, expected);
    let both = json!({"name": "n", "entity_type": "character", "state_tags": ["dead", "alive"]});
    let expected = "content.state_tags has \"alive\" and \"dead\", which exclude each other; keep one";
    refused(ProposalType::Entity, both, expected);
    let itself = json!({"from": "a", "to": "a", "rel_type": "KNOWS"});
    refused(ProposalType::Relationship, itself, "content.to_entity_id is the entity itself; name another one");
    let action = json!({"entity_id": "e", "tag": "dead", "action": "toggle"});
    refused(ProposalType::StateChange, action, "content.action is \"toggle\"; give add or remove");
    let nothing = json!({"entity_id": "e"});
    refused(ProposalType::StateChange, nothing, "content.add and remove are both empty; name at least one tag");
}
