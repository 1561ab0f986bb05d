//! Relationships, and the cycles that are refused on every way to make one.

use serde_json::{Value, json};

use crate::desk::{Caller, Desk};

/// What the specification does not name.
const OURS: [&str; 8] =
    ["works_at", "ISSUED_BY", "BILLED_TO", "WORKS_FOR", "ATTENDED", "ASSIGNED_TO", "ATTACHED_TO", "REPLIES_TO"];
const SPEC: [&str; 7] = ["PART_OF", "CORRECTS", "REFERS_TO", "SETTLES", "DUPLICATE_OF", "DEPENDS_ON", "SUPERSEDES"];
const ACYCLIC: [&str; 5] = ["PART_OF", "CORRECTS", "DUPLICATE_OF", "DEPENDS_ON", "SUPERSEDES"];

/// Tasks named by single letters.
async fn tasks(desk: &Desk, names: &str) -> Vec<String> {
    let named = names.chars().map(|name| json!({"entity_type": "task", "title": name.to_string(), "status": "open"}));
    let stored = desk.ok("ingest", json!({"entities": named.collect::<Vec<_>>()})).await;
    stored["entities"].as_array().unwrap().iter().map(|entity| entity["id"].as_str().unwrap().to_owned()).collect()
}

fn edge(of: &str, source: &str, target: &str) -> Value {
    json!({"relationship_type": of, "source_entity_id": source, "target_entity_id": target})
}

async fn total(desk: &Desk, id: &str) -> Value {
    desk.ok("list_relationships", json!({"entity_id": id})).await["total"].clone()
}

// N-226, N-227 (values), N-228, N-229, N-234
#[tokio::test]
async fn every_type_of_the_specification_connects() {
    let desk = Desk::new();
    let ids = tasks(&desk, "ab").await;
    for of in SPEC {
        let mut arguments = edge(of, &ids[0], &ids[1]);
        arguments["metadata"] = json!({"since": 2020, "note": null});
        let made = desk.ok("create_relationship", arguments.clone()).await;
        assert_eq!(
            (&made["relationship_type"], &made["source_entity_id"], &made["target_entity_id"]),
            (&json!(of), &json!(ids[0]), &json!(ids[1]))
        );
        assert_eq!(made["metadata"], json!({"since": 2020, "note": null}));
        assert!(neotoma::domain::ids::is_uuid(made["id"].as_str().unwrap()));
        assert!(made["created_at"].as_str().unwrap().ends_with('Z'));
        let listed = desk.ok("list_relationships", json!({"entity_id": ids[1], "relationship_type": of})).await;
        assert_eq!(listed["relationships"][0]["id"], made["id"]);
        let other = Desk::new();
        assert_eq!(tasks(&other, "ab").await, ids);
        assert_eq!(other.ok("create_relationship", arguments).await["id"], made["id"]);
    }
    let plain = edge("PART_OF", &ids[0], &ids[1]);
    desk.requires("create_relationship", &plain, &["source_entity_id", "target_entity_id"]).await;
    let mut untyped = plain.clone();
    untyped.as_object_mut().unwrap().shift_remove("relationship_type");
    let mut listed = plain;
    listed["metadata"] = json!([1]);
    for (wrong, field) in [(untyped, "relationship_type"), (listed, "metadata")] {
        let refused = desk.refused("create_relationship", wrong).await;
        assert_eq!((&refused["code"], &refused["details"]["field"]), (&json!("VALIDATION_ERROR"), &json!(field)));
    }
    desk.verify().await;
}

// N-230, N-231, N-233
#[tokio::test]
async fn missing_ends_other_types_and_malformed_ids_are_told_apart() {
    let desk = Desk::new();
    let ids = tasks(&desk, "ab").await;
    let nobody = "ent_0123456789abcdef01234567";
    let cases = [
        (edge("PART_OF", nobody, &ids[1]), "ENTITY_NOT_FOUND", "source_entity_id"),
        (edge("PART_OF", &ids[0], nobody), "ENTITY_NOT_FOUND", "target_entity_id"),
        (edge("PART_OF", &ids[0], "no such name"), "ENTITY_NOT_FOUND", "target_entity_id"),
        (edge("PART_OF", "ent_123", &ids[1]), "VALIDATION_ERROR", "source_entity_id"),
        (edge("PART_OF", &ids[0], "ent_XYZ"), "VALIDATION_ERROR", "target_entity_id"),
        (edge("KNOWS", &ids[0], &ids[1]), "INVALID_RELATIONSHIP_TYPE", "relationship_type"),
        (edge("part_of", &ids[0], &ids[1]), "INVALID_RELATIONSHIP_TYPE", "relationship_type"),
    ];
    for (arguments, code, field) in cases {
        let refused = desk.refused("create_relationship", arguments).await;
        assert_eq!((&refused["code"], &refused["details"]["field"]), (&json!(code), &json!(field)));
    }
    let refused = desk.refused("create_relationship", edge("KNOWS", &ids[0], &ids[1])).await;
    let valid = refused["details"]["valid_values"].as_array().unwrap();
    assert!(SPEC.iter().all(|of| valid.contains(&json!(of))));
    let bob = Caller { tenant: "local", user: "bob" };
    let refused = desk.call_as(bob, "create_relationship", edge("PART_OF", &ids[0], &ids[1])).await;
    assert_eq!(refused.unwrap_err().code, "ENTITY_NOT_FOUND");
}

// N-013, N-313
#[tokio::test]
async fn there_are_no_other_types_than_those_of_the_specification_and_registered_ones() {
    let desk = Desk::new();
    let listed = async || {
        let answer = desk.ok("describe_schema", json!({})).await;
        let names = answer["relationship_types"].as_array().unwrap().iter();
        let mut names: Vec<String> = names.map(|one| one["name"].as_str().unwrap().to_owned()).collect();
        names.sort();
        names
    };
    let mut known: Vec<String> = SPEC.iter().chain(&OURS).map(|name| (*name).to_owned()).collect();
    known.sort();
    assert_eq!(listed().await, known);
    let ids = tasks(&desk, "ab").await;
    let refused = desk.refused("create_relationship", edge("MENTORS", &ids[0], &ids[1])).await;
    let mut valid: Vec<&str> =
        refused["details"]["valid_values"].as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect();
    valid.sort_unstable();
    assert_eq!(valid, known);
    desk.ok("create_relationship", edge("works_at", &ids[0], &ids[1])).await;
    desk.ok("register_schema", json!({"relationship_type": "MENTORS"})).await;
    desk.ok("create_relationship", edge("MENTORS", &ids[0], &ids[1])).await;
    known.push("MENTORS".to_owned());
    known.sort();
    assert_eq!(listed().await, known);
}

// N-232, N-235, N-337
#[tokio::test]
async fn acyclic_types_refuse_cycles_and_free_types_take_them() {
    let desk = Desk::new();
    let ids = tasks(&desk, "abc").await;
    for of in SPEC {
        desk.ok("create_relationship", edge(of, &ids[0], &ids[1])).await;
        desk.ok("create_relationship", edge(of, &ids[1], &ids[2])).await;
        let loops = desk.refused("create_relationship", edge(of, &ids[0], &ids[0])).await;
        assert_eq!(loops["code"], "CYCLE_DETECTED", "{of}");
        if ACYCLIC.contains(&of) {
            for back in [edge(of, &ids[2], &ids[0]), edge(of, &ids[1], &ids[0])] {
                let refused = desk.refused("create_relationship", back).await;
                assert_eq!(refused["code"], "CYCLE_DETECTED", "{of}");
                assert_eq!(refused["details"]["relationship_type"], of);
            }
        } else {
            desk.ok("create_relationship", edge(of, &ids[2], &ids[0])).await;
            desk.ok("create_relationship", edge(of, &ids[1], &ids[0])).await;
        }
    }
}

// N-235
#[tokio::test]
async fn cycles_count_within_one_type_and_live_edges() {
    let desk = Desk::new();
    let ids = tasks(&desk, "ab").await;
    let there = desk.ok("create_relationship", edge("PART_OF", &ids[0], &ids[1])).await;
    desk.ok("create_relationship", edge("DEPENDS_ON", &ids[1], &ids[0])).await;
    desk.refused("create_relationship", edge("PART_OF", &ids[1], &ids[0])).await;
    desk.ok("delete", json!({"id": there["id"]})).await;
    desk.ok("create_relationship", edge("PART_OF", &ids[1], &ids[0])).await;
}

// N-237
#[tokio::test]
async fn a_repeated_edge_adds_nothing_unless_it_says_more() {
    let desk = Desk::new();
    let ids = tasks(&desk, "ab").await;
    let say = async |metadata: Value| {
        let mut arguments = edge("REFERS_TO", &ids[0], &ids[1]);
        if !metadata.is_null() {
            arguments["metadata"] = metadata;
        }
        desk.ok("create_relationship", arguments).await
    };
    let first = say(json!({"a": 1, "b": null})).await;
    let commits = desk.commits().await;
    for repeated in [json!({"a": 1, "b": null}), json!({"b": null}), json!({}), Value::Null] {
        assert_eq!(say(repeated).await, first_without_read_point(&first));
    }
    assert_eq!(desk.commits().await, commits);
    let more = say(json!({"a": 2, "c": [1]})).await;
    assert_eq!((&more["id"], &more["metadata"]), (&first["id"], &json!({"a": 2, "b": null, "c": [1]})));
    assert_eq!(desk.commits().await, commits + 1);
    assert_eq!(total(&desk, &ids[0]).await, 1);
}

fn first_without_read_point(answer: &Value) -> Value {
    let mut answer = answer.clone();
    answer.as_object_mut().unwrap().shift_remove("read_point");
    answer
}

// N-237
#[tokio::test]
async fn ends_are_followed_through_merges() {
    let desk = Desk::new();
    let ids = tasks(&desk, "abc").await;
    desk.ok("merge_entities", json!({"from_entity_id": ids[0], "to_entity_id": ids[1]})).await;
    let made = desk.ok("create_relationship", edge("PART_OF", &ids[0], &ids[2])).await;
    assert_eq!(made["source_entity_id"], json!(ids[1]));
    assert_eq!(desk.ok("create_relationship", edge("PART_OF", &ids[1], &ids[2])).await["id"], made["id"]);
    let refused = desk.refused("create_relationship", edge("REFERS_TO", &ids[0], &ids[1])).await;
    assert_eq!(refused["code"], "CYCLE_DETECTED");
}

// N-238
#[tokio::test]
async fn registered_types_have_their_own_rule() {
    let desk = Desk::new();
    let ids = tasks(&desk, "ab").await;
    for (name, acyclic) in [("MENTORS", true), ("knows", false)] {
        desk.ok("register_schema", json!({"relationship_type": name, "acyclic": acyclic})).await;
        desk.ok("create_relationship", edge(name, &ids[0], &ids[1])).await;
        let back = desk.call_as(crate::desk::ANN, "create_relationship", edge(name, &ids[1], &ids[0])).await;
        assert_eq!(back.map_err(|error| error.code.into_owned()).err().as_deref(), acyclic.then_some("CYCLE_DETECTED"));
    }
}

// N-236, N-337
#[tokio::test]
async fn reference_fields_merges_and_restores_keep_to_the_same_rule() {
    let desk = Desk::new();
    let definition = json!({
        "fields": {"name": {}, "parent": {}},
        "reference_fields": [{"field": "parent", "relationship_type": "PART_OF", "target_type": "folder"}],
    });
    desk.ok("register_schema", json!({"entity_type": "folder", "definition": definition})).await;
    let folder =
        |name: &str, parent: &str| json!({"entities": [{"entity_type": "folder", "name": name, "parent": parent}]});
    desk.ok("ingest", folder("a", "b")).await;
    desk.ok("ingest", folder("b", "c")).await;
    // A reference inside an ingest.
    let commits = desk.commits().await;
    assert_eq!(desk.refused("ingest", folder("c", "a")).await["code"], "CYCLE_DETECTED");
    assert_eq!(desk.commits().await, commits);
    // A correction of a reference.
    let correct = json!({"entity_id": "c", "entity_type": "folder", "field": "parent", "value": "a"});
    assert_eq!(desk.refused("correct", correct).await["code"], "CYCLE_DETECTED");
    // A merge: a part of b part of c; with c in a, b would be part of itself.
    let merge = json!({"from_entity_id": "c", "to_entity_id": "a"});
    assert_eq!(desk.refused("merge_entities", merge).await["code"], "CYCLE_DETECTED");
    assert_eq!(desk.commits().await, commits);
    // A direct edge becomes a loop, and folds.
    desk.ok("merge_entities", json!({"from_entity_id": "a", "to_entity_id": "b"})).await;
    desk.verify().await;
}

// N-236, N-337
#[tokio::test]
async fn a_restore_that_would_close_a_cycle_is_refused() {
    let desk = Desk::new();
    let ids = tasks(&desk, "abc").await;
    let there = desk.ok("create_relationship", edge("PART_OF", &ids[0], &ids[1])).await;
    desk.ok("create_relationship", edge("PART_OF", &ids[1], &ids[2])).await;
    // An edge.
    desk.ok("delete", json!({"id": there["id"]})).await;
    let back = desk.ok("create_relationship", edge("PART_OF", &ids[2], &ids[0])).await;
    let commits = desk.commits().await;
    assert_eq!(desk.refused("restore", json!({"id": there["id"]})).await["code"], "CYCLE_DETECTED");
    assert_eq!(desk.commits().await, commits);
    // An entity, whose edges come back with it.
    desk.ok("delete", json!({"id": back["id"]})).await;
    desk.ok("restore", json!({"id": there["id"]})).await;
    desk.ok("delete", json!({"id": ids[1]})).await;
    desk.ok("restore", json!({"id": back["id"]})).await;
    assert_eq!(desk.refused("restore", json!({"id": ids[1]})).await["code"], "CYCLE_DETECTED");
    desk.ok("delete", json!({"id": back["id"]})).await;
    desk.ok("restore", json!({"id": ids[1]})).await;
    assert_eq!(total(&desk, &ids[1]).await, 2);
    desk.verify().await;
}
