//! Scenes are opened, told and ended.

use serde_json::{Value, json};

use crate::table::{NOWHERE, Table, id};

//
#[tokio::test]
async fn a_scene_is_opened_with_a_cast_of_its_universe() {
    let table = Table::new();
    let stage = table.stage().await;
    let good = json!({
        "story_id": stage.story, "universe_id": stage.universe, "title": "Bag End", "purpose": "A party", "order": 3,
        "location_ref": stage.shire, "participating_entities": [stage.frodo, stage.sam], "gm_notes": "Rain",
    });
    let answer = table.ok("Orchestrator", "mongodb_create_scene", good.clone()).await;
    assert_eq!(answer["status"], "active");
    assert_eq!(answer["created_at"], answer["scene"]["created_at"]);
    let shown = table.ok("Resolver", "mongodb_get_scene", json!({ "scene_id": answer["scene_id"] })).await;
    for (name, value) in good.as_object().unwrap() {
        assert_eq!(shown["scene"][name], *value, "{name}");
    }
    let other = table.universe("Narnia").await;
    let source = table.source(&other).await;
    let aslan = table.entity((&other, &source), "Aslan", "character", &[]).await;
    let elsewhere =
        "CONSTRAINT_VIOLATION participating_entities[0]: participating_entities[0] names \"Aslan\" of another universe";
    for (field, value, expected) in [
        ("story_id", json!(NOWHERE), "NOT_FOUND story_id"),
        ("universe_id", json!(NOWHERE), "NOT_FOUND universe_id"),
        ("universe_id", json!(other), "CONSTRAINT_VIOLATION story_id"),
        ("title", json!(""), "VALIDATION_ERROR title"),
        ("title", json!("Bag \u{415}nd"), "VALIDATION_ERROR title"),
        ("order", json!("first"), "VALIDATION_ERROR order"),
        ("purpose", json!("x".repeat(2001)), "VALIDATION_ERROR purpose"),
        ("location_ref", json!(stage.frodo), "CONSTRAINT_VIOLATION location_ref"),
        ("location_ref", json!(NOWHERE), "NOT_FOUND location_ref"),
        ("participating_entities", json!([aslan]), elsewhere),
        ("participating_entities", json!([NOWHERE]), "NOT_FOUND participating_entities[0]"),
        ("participating_entities", json!(["Frodo"]), "VALIDATION_ERROR participating_entities.0"),
        ("participating_entities", Value::Null, "VALIDATION_ERROR participating_entities"),
    ] {
        let mut bad = good.clone();
        bad[field] = value;
        if bad[field].is_null() {
            bad.as_object_mut().unwrap().remove(field);
        }
        let refused = table.refused("Orchestrator", "mongodb_create_scene", bad).await;
        assert!(refused.starts_with(expected), "{field}: {refused}");
    }
}

//
#[tokio::test]
async fn turns_are_told_in_an_active_scene_in_their_order() {
    let table = Table::new();
    let stage = table.stage().await;
    let scene = table.scene(&stage, "Bag End").await;
    let roll = json!({
        "scene_id": scene, "actor_id": stage.frodo, "action": "Jump", "action_type": "skill", "resolution_type": "dice",
        "success_level": "success", "mechanics": { "formula": "1d20+3", "roll": { "total": 17 } }, "margin": 2.5,
    });
    let resolution = id(&table.ok("Resolver", "mongodb_create_resolution", roll.clone()).await, "resolution_id");
    let mut turns = Vec::new();
    for (speaker, entity, resolution) in
        [("gm", None, None), ("user", None, None), ("entity", Some(&stage.sam), Some(&resolution))]
    {
        let mut turn = json!({ "scene_id": scene, "speaker": speaker, "text": format!("{speaker} speaks") });
        entity.iter().for_each(|entity| turn["entity_id"] = json!(entity));
        resolution.iter().for_each(|resolution| turn["resolution_ref"] = json!(resolution));
        let answer = table.ok("Narrator", "mongodb_append_turn", turn).await;
        turns.push((answer["turn_id"].clone(), answer["timestamp"].clone()));
    }
    let shown = table.ok("Indexer", "mongodb_get_scene", json!({ "scene_id": scene })).await;
    let told: Vec<_> = shown["scene"]["turns"].as_array().unwrap().iter().collect();
    assert_eq!(told.iter().map(|turn| (turn["turn_id"].clone(), turn["timestamp"].clone())).collect::<Vec<_>>(), turns);
    assert!(turns.is_sorted_by(|one, other| one.1.as_str() < other.1.as_str()));
    assert_eq!((&told[2]["entity_id"], &told[2]["resolution_ref"]), (&json!(stage.sam), &json!(resolution)));
    let read = table.ok("Narrator", "mongodb_get_resolution", json!({ "resolution_id": resolution })).await;
    for (name, value) in roll.as_object().unwrap() {
        assert_eq!(read["resolution"][name], *value, "{name}");
    }
    let good = json!({ "scene_id": scene, "speaker": "gm", "text": "And then" });
    for (field, value, expected) in [
        ("scene_id", json!(NOWHERE), "NOT_FOUND scene_id"),
        ("speaker", json!("narrator"), "VALIDATION_ERROR speaker"),
        ("speaker", json!("entity"), "VALIDATION_ERROR entity_id"),
        ("entity_id", json!(stage.sam), "VALIDATION_ERROR entity_id"),
        ("text", json!(" "), "VALIDATION_ERROR text"),
        ("text", json!("x".repeat(10_001)), "VALIDATION_ERROR text"),
        ("resolution_ref", json!(NOWHERE), "NOT_FOUND resolution_ref"),
    ] {
        let mut bad = good.clone();
        bad[field] = value;
        let refused = table.refused("Narrator", "mongodb_append_turn", bad).await;
        assert!(refused.starts_with(expected), "{field}: {refused}");
    }
    let mut wrong = roll;
    wrong["mechanics"]["roll"]["total"] = json!(99);
    let refused = table.refused("Resolver", "mongodb_create_resolution", wrong.clone()).await;
    assert!(refused.starts_with("VALIDATION_ERROR mechanics.roll.total"), "{refused}");
    wrong["mechanics"] = json!({ "formula": "lots" });
    let refused = table.refused("Resolver", "mongodb_create_resolution", wrong).await;
    assert!(refused.starts_with("VALIDATION_ERROR mechanics.formula"), "{refused}");
}

//
#[tokio::test]
async fn a_scene_shows_as_much_as_was_asked_for() {
    let table = Table::new();
    let stage = table.stage().await;
    let scene = table.scene(&stage, "Bag End").await;
    let mut last = String::new();
    for number in 1..=5 {
        last = table.turn(&scene, "gm", &format!("turn {number}")).await;
    }
    let content = json!({ "statement": "It rains", "involved_entity_ids": [] });
    table.propose(&scene, &last, ("fact", "gm", 0.9), content).await;
    let shown = async |agent: &str, more: Value| {
        let mut arguments = json!({ "scene_id": scene });
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let answer = table.ok(agent, "mongodb_get_scene", arguments).await;
        let count = |name: &str| answer["scene"][name].as_array().map_or(0, Vec::len);
        (count("turns"), count("proposed_changes"), answer)
    };
    let (turns, proposals, _) = shown("Orchestrator", json!({})).await;
    assert_eq!((turns, proposals), (5, 0));
    assert_eq!(shown("Orchestrator", json!({ "include_turns": false })).await.0, 0);
    let (turns, _, answer) = shown("Orchestrator", json!({ "turn_limit": 2 })).await;
    assert_eq!(
        (turns, &answer["scene"]["turns"][1]["text"], &answer["truncated"]),
        (2, &json!("turn 5"), &Value::Null)
    );
    // CanonKeeper sees all of a proposal, its author too, others that it is there.
    for (agent, sees) in [("CanonKeeper", true), ("Narrator", true), ("Resolver", false)] {
        let (_, proposals, answer) = shown(agent, json!({ "include_proposals": true })).await;
        let proposal = &answer["scene"]["proposed_changes"][0];
        assert_eq!(
            (proposals, &proposal["status"], &proposal["type"]),
            (1, &json!("pending"), &json!("fact")),
            "{agent}"
        );
        assert_eq!(proposal["content"].is_object(), sees, "{agent}");
    }
    let refused = table.refused("Narrator", "mongodb_get_scene", json!({ "scene_id": NOWHERE })).await;
    assert!(refused.starts_with("NOT_FOUND scene_id"), "{refused}");
    let refused = table.refused("Narrator", "mongodb_get_scene", json!({ "scene_id": scene, "turn_limit": 0 })).await;
    assert!(refused.starts_with("VALIDATION_ERROR turn_limit"), "{refused}");
}

//
#[tokio::test]
async fn a_finalized_scene_stays_as_it_is_and_its_summary_is_found() {
    let table = Table::new();
    let stage = table.stage().await;
    let scene = table.scene(&stage, "Bag End").await;
    let turn = table.turn(&scene, "gm", "A knock at the door.").await;
    let fact = table.fact((&stage.universe, &stage.source), "Gandalf knocked", &[&stage.frodo]).await;
    let proposal = table.propose(&scene, &turn, ("fact", "player", 0.1), json!({ "statement": "Sam hid" })).await;
    let end = json!({ "scene_id": scene, "canonical_outcome_ids": [fact], "summary": "A wizard came to tea." });
    let error = table.call("CanonKeeper", "mongodb_finalize_scene", end.clone()).await.unwrap_err();
    assert_eq!((&error["code"], &error["data"]["pending_proposals"]), (&json!(-32004), &json!([proposal])));
    let decide = json!({ "proposal_id": proposal, "decision": "rejected" });
    table.keep("mongodb_evaluate_proposal", decide).await;
    for (field, value, expected) in [
        ("canonical_outcome_ids", json!([NOWHERE]), "NOT_FOUND canonical_outcome_ids[0]"),
        ("canonical_outcome_ids", json!([scene]), "NOT_FOUND canonical_outcome_ids[0]"),
        ("summary", json!(""), "VALIDATION_ERROR summary"),
        ("summary", json!("x".repeat(2001)), "VALIDATION_ERROR summary"),
        ("scene_id", json!(NOWHERE), "NOT_FOUND scene_id"),
    ] {
        let mut bad = end.clone();
        bad[field] = value;
        let refused = table.refused("CanonKeeper", "mongodb_finalize_scene", bad).await;
        assert!(refused.starts_with(expected), "{field}: {refused}");
    }
    let done = table.keep("mongodb_finalize_scene", end.clone()).await;
    assert_eq!((&done["scene_id"], &done["status"]), (&json!(scene), &json!("completed")));
    assert_eq!(done["completed_at"], done["scene"]["completed_at"]);
    assert_eq!(done["scene"]["canonical_outcomes"], json!([fact]));
    let say = json!({ "scene_id": scene, "speaker": "gm", "text": "More" });
    let propose = json!({
        "scene_id": scene, "type": "fact", "content": { "statement": "x" }, "evidence": [], "confidence": 1, "authority": "gm",
    });
    for (agent, tool, arguments) in [
        ("CanonKeeper", "mongodb_finalize_scene", end),
        ("CanonKeeper", "composite_canonize_scene", json!({ "scene_id": scene })),
        ("Narrator", "mongodb_append_turn", say),
        ("Narrator", "mongodb_create_proposed_change", propose),
    ] {
        let error = table.call(agent, tool, arguments).await.unwrap_err();
        assert_eq!((&error["code"], &error["name"]), (&json!(-32006), &json!("ALREADY_CANONIZED")), "{tool}");
    }
    let search = json!({ "query_text": "wizard tea", "collection": "scene_chunks" });
    let found = table.ok("Narrator", "qdrant_semantic_search", search).await;
    assert_eq!(
        (&found["results"][0]["id"], &found["results"][0]["payload"]["type"]),
        (&json!(scene), &json!("scene_summary"))
    );
}

//
#[tokio::test]
async fn scenes_are_listed_by_story_status_and_participant() {
    let table = Table::new();
    let stage = table.stage().await;
    let (one, two) = (table.scene(&stage, "One").await, table.scene(&stage, "Two").await);
    let alone = json!({
        "story_id": stage.story, "universe_id": stage.universe, "title": "Three", "participating_entities": [stage.sam],
    });
    let three = id(&table.ok("Orchestrator", "mongodb_create_scene", alone).await, "scene_id");
    table.canonize(&one).await;
    for (arguments, expected) in [
        (json!({}), vec![&one, &two, &three]),
        (json!({ "universe_id": stage.universe }), vec![&one, &two, &three]),
        (json!({ "story_id": stage.story, "status": "completed" }), vec![&one]),
        (json!({ "status": "active" }), vec![&two, &three]),
        (json!({ "entity_id": stage.frodo }), vec![&one, &two]),
        (json!({ "entity_id": stage.sam, "story_id": stage.story, "limit": 1, "offset": 2 }), vec![&three]),
    ] {
        let answer = table.ok("Indexer", "mongodb_query_scenes", arguments.clone()).await;
        let ids: Vec<&str> =
            answer["scenes"].as_array().unwrap().iter().filter_map(|scene| scene["scene_id"].as_str()).collect();
        assert_eq!(ids, expected, "{arguments}");
    }
}
