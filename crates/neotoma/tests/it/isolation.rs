//! What belongs to another user or tenant is not there, in whatever way one asks.

use serde_json::{Value, json};

use crate::desk::{ANN, Caller, Desk};

const BOB: Caller<'static> = Caller { tenant: "local", user: "bob" };
const OTHER_ANN: Caller<'static> = Caller { tenant: "elsewhere", user: "ann" };

/// Stores what nobody else may see, and answers with ids of an entity and a source.
async fn secrets(desk: &Desk) -> (Value, Value) {
    let stored = desk
        .ok("ingest", json!({"entities": [
            {"entity_type": "secretive", "name": "Hidden Treasure", "email": "hidden@x.test", "found_on": "2024-01-01"},
            {"entity_type": "company", "name": "Hidden Company"},
        ]}))
        .await;
    let edge = json!({"relationship_type": "REFERS_TO", "source_entity_id": "Hidden Treasure", "target_entity_id": "Hidden Company"});
    desk.ok("create_relationship", edge).await;
    (stored["entities"][0]["id"].clone(), stored["source_id"].clone())
}

async fn outcome(desk: &Desk, caller: Caller<'_>, tool: &str, arguments: Value) -> Value {
    match desk.call_as(caller, tool, arguments).await {
        Ok(mut answer) => {
            answer.as_object_mut().unwrap().shift_remove("read_point");
            answer.as_object_mut().unwrap().shift_remove("next_cursor");
            answer
        }
        Err(error) => desk.envelope(&error),
    }
}

// N-019, N-020
#[tokio::test]
async fn what_others_have_answers_like_what_does_not_exist() {
    let desk = Desk::new();
    for caller in [BOB, OTHER_ANN] {
        let own = json!({"entities": [{"entity_type": "note", "title": "Mine", "content": "x"}]});
        desk.call_as(caller, "ingest", own).await.unwrap();
    }
    let (id, source) = secrets(&desk).await;
    // The same calls about what nobody has.
    let nothing = json!("ent_0123456789abcdef01234567");
    let no_source = json!("6f1f8a2e-1111-8222-8333-444455556666");
    let calls = |id: &Value, source: &Value, name: &str, email: &str, of: &str| {
        [
            ("get_entity_snapshot", json!({"entity_id": id})),
            ("get_entity_snapshot", json!({"entity_id": name})),
            ("list_observations", json!({"entity_id": id})),
            ("list_observations", json!({"entity_id": name})),
            ("get_field_provenance", json!({"entity_id": id, "field": "name"})),
            ("get_field_provenance", json!({"entity_id": email, "field": "name"})),
            ("list_relationships", json!({"entity_id": id})),
            ("list_relationships", json!({"entity_id": name})),
            ("get_related_entities", json!({"entity_id": id, "max_hops": 3})),
            ("get_related_entities", json!({"entity_id": name})),
            ("get_graph_neighborhood", json!({"node_id": id})),
            ("get_graph_neighborhood", json!({"node_id": source, "node_type": "source", "include_observations": true})),
            ("get_entity_by_identifier", json!({"identifier": name})),
            ("get_entity_by_identifier", json!({"identifier": email})),
            ("get_entity_by_identifier", json!({"identifier": &name[..5]})),
            ("retrieve_entities", json!({})),
            ("retrieve_entities", json!({"include_merged": true, "limit": 1})),
            ("retrieve_entities", json!({"entity_type": of})),
            ("retrieve_entities", json!({"sort": "name"})),
            ("retrieve_entities", json!({"filters": [{"field": "email", "op": "exists"}]})),
            ("list_timeline_events", json!({})),
            ("list_timeline_events", json!({"event_type": "FoundOn"})),
            ("list_timeline_events", json!({"source_id": source})),
            ("describe_schema", json!({})),
            ("describe_schema", json!({"entity_type": of})),
        ]
    };
    let theirs = calls(&id, &source, "Hidden Treasure", "hidden@x.test", "secretive");
    let nobodys = calls(&nothing, &no_source, "Wobbly Nonsense", "wobbly@y.test", "zzzzzzzzz");
    for caller in [BOB, OTHER_ANN] {
        for ((tool, arguments), (_, unknown)) in theirs.iter().zip(&nobodys) {
            let seen = outcome(&desk, caller, tool, arguments.clone()).await;
            assert_eq!(seen, outcome(&desk, caller, tool, unknown.clone()).await, "{tool} {arguments}");
            let text = seen.to_string();
            assert!(!text.contains("Hidden") && !text.contains(id.as_str().unwrap()), "{tool} {text}");
        }
        for uri in [
            format!("neotoma://entity/{}", id.as_str().unwrap()),
            format!("neotoma://source/{}", source.as_str().unwrap()),
        ] {
            let error = desk.read_as(caller, &uri).await.unwrap_err();
            assert_eq!(desk.envelope(&error)["code"], "RESOURCE_NOT_FOUND");
        }
    }
    for (tool, arguments) in theirs {
        desk.call_as(ANN, tool, arguments).await.unwrap_or_else(|error| panic!("{tool}: {error}"));
    }
}

// N-019
#[tokio::test]
async fn a_cursor_of_another_user_is_refused() {
    let desk = Desk::new();
    secrets(&desk).await;
    let cursor = desk.ok("retrieve_entities", json!({"limit": 1})).await["next_cursor"].clone();
    for caller in [BOB, OTHER_ANN] {
        let refused = outcome(&desk, caller, "retrieve_entities", json!({"limit": 1, "cursor": cursor})).await;
        assert_eq!(refused["code"], "VALIDATION_ERROR", "{refused}");
    }
}

// N-018, N-019
#[tokio::test]
async fn two_users_with_the_same_names_have_their_own() {
    let desk = Desk::new();
    let say = |country: &str| json!({"entities": [{"entity_type": "company", "name": "Acme", "country": country, "founded_on": "2001-01-01"}]});
    desk.call_as(BOB, "ingest", say("DE")).await.unwrap();
    desk.call_as(ANN, "ingest", say("FR")).await.unwrap();
    for (caller, country) in [(ANN, "FR"), (BOB, "DE")] {
        let found = desk.call_as(caller, "get_entity_by_identifier", json!({"identifier": "acme"})).await.unwrap();
        assert_eq!((&found["total"], &found["entities"][0]["snapshot"]["country"]), (&json!(1), &json!(country)));
        let listed = desk.call_as(caller, "retrieve_entities", json!({"entity_type": "company"})).await.unwrap();
        assert_eq!((&listed["total"], &listed["entities"][0]["id"]), (&json!(1), &found["entities"][0]["id"]));
        let snapshot = desk.call_as(caller, "get_entity_snapshot", json!({"entity_id": "Acme"})).await.unwrap();
        assert_eq!(snapshot["snapshot"]["country"], country);
    }
}
