//! Stories.

use serde_json::{Value, json};

use crate::table::{NOWHERE, Table, id};

// R-625 (story_id), R-781
#[tokio::test]
async fn a_story_is_begun_told_and_ended() {
    let table = Table::new();
    let universe = table.universe("Middle-earth").await;
    let new = |title: &str, kind: &str, parent: Option<&str>| {
        let mut arguments = json!({
            "universe_id": universe, "title": title, "story_type": kind, "theme": "Heroic journey",
            "premise": "Destroy the One Ring", "start_time_ref": "3018-09-23T00:00:00Z",
        });
        if let Some(parent) = parent {
            arguments["parent_story_id"] = json!(parent);
        }
        arguments
    };
    let created = table.ok("Orchestrator", "neo4j_create_story", new("The War of the Ring", "campaign", None)).await;
    assert_eq!(created["status"], "active");
    assert!(created["created_at"].is_string());
    let campaign = id(&created, "story_id");
    let read = table.ok("Indexer", "neo4j_get_story", json!({ "story_id": campaign })).await["story"].clone();
    for (name, expected) in [
        ("title", "The War of the Ring"),
        ("story_type", "campaign"),
        ("theme", "Heroic journey"),
        ("premise", "Destroy the One Ring"),
        ("universe_id", &universe),
        ("status", "active"),
    ] {
        assert_eq!(read[name], expected, "{name}");
    }
    assert!(read["start_time_ref"].as_str().unwrap().starts_with("3018-09-23T"));
    let arc = id(&table.keep("neo4j_create_story", new("Moria", "arc", Some(&campaign))).await, "story_id");
    let other = table.universe("Narnia").await;
    for (name, value, expected) in [
        ("universe_id", json!(NOWHERE), "NOT_FOUND universe_id: "),
        ("universe_id", json!(other), "CONSTRAINT_VIOLATION parent_story_id: "),
        ("parent_story_id", json!(NOWHERE), "NOT_FOUND parent_story_id: "),
        ("parent_story_id", json!(arc), "CONSTRAINT_VIOLATION parent_story_id: a story of type arc"),
        ("story_type", json!("saga"), "VALIDATION_ERROR story_type: "),
        ("title", json!("t\u{443}t"), "VALIDATION_ERROR title: "),
        ("start_time_ref", json!("then"), "VALIDATION_ERROR start_time_ref: "),
    ] {
        let mut arguments = new("Rohan", "arc", Some(&campaign));
        arguments[name] = value;
        let refused = table.refused("Orchestrator", "neo4j_create_story", arguments).await;
        assert!(refused.starts_with(expected), "{refused}");
    }
    let ended = json!({ "story_id": arc, "status": "completed", "end_time_ref": "3019-01-15T00:00:00Z" });
    let ended = table.keep("neo4j_update_story", ended).await;
    assert_eq!(ended["status"], "completed");
    assert!(ended["completed_at"].is_string() && ended["story"]["end_time_ref"].is_string());
    let again = json!({ "story_id": arc, "status": "active" });
    let refused = table.refused("CanonKeeper", "neo4j_update_story", again).await;
    assert!(refused.starts_with("CONSTRAINT_VIOLATION status: the story is completed"), "{refused}");
    let refused = table.refused("CanonKeeper", "neo4j_update_story", json!({ "story_id": campaign })).await;
    assert!(refused.starts_with("VALIDATION_ERROR status: "), "{refused}");
    let found = async |filter: Value| {
        let answer = table.ok("Narrator", "neo4j_query_stories", filter).await;
        answer["stories"].as_array().unwrap().iter().map(|it| id(it, "title")).collect::<Vec<_>>().join(", ")
    };
    assert_eq!(found(json!({ "universe_id": universe })).await, "The War of the Ring, Moria");
    assert_eq!(found(json!({ "story_type": "arc" })).await, "Moria");
    assert_eq!(found(json!({ "universe_id": universe, "status": "active" })).await, "The War of the Ring");
    assert_eq!(found(json!({ "parent_story_id": campaign })).await, "Moria");
}
