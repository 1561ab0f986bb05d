//! Proposals become canon, or they do not.

use futures::future::join;
use serde_json::{Value, json};

use crate::table::{NOWHERE, Table, id, player};

//
#[tokio::test]
async fn anybody_proposes_and_nothing_becomes_canon_by_it() {
    let table = Table::new();
    let stage = table.stage().await;
    let scene = table.scene(&stage, "Bag End").await;
    let turn = table.turn(&scene, "gm", "Frodo sneezes.").await;
    let good = json!({
        "scene_id": scene, "turn_id": turn, "type": "fact", "confidence": 0.9, "authority": "player",
        "content": { "statement": "Frodo sneezed", "involved_entity_ids": [stage.frodo], "mood": { "any": [1] } },
        "evidence": [{ "type": "turn", "ref_id": turn }, { "type": "source", "ref_id": NOWHERE }],
    });
    let all = ["Orchestrator", "CanonKeeper", "Narrator", "ContextAssembly", "Resolver", "MemoryManager", "Indexer"];
    for agent in all {
        let answer = table.ok(agent, "mongodb_create_proposed_change", good.clone()).await;
        assert_eq!((&answer["status"], &answer["created_at"]), (&json!("pending"), &answer["proposal"]["created_at"]));
        let read = json!({ "proposal_id": answer["proposal_id"] });
        let read = table.ok(agent, "mongodb_get_proposed_change", read).await;
        for (name, value) in good.as_object().unwrap() {
            assert_eq!(read["proposal"][name], *value, "{name}");
        }
        assert_eq!(read["proposal"]["proposer_agent_type"], agent);
    }
    let facts = table.ok("Narrator", "neo4j_query_facts", json!({ "entity_id": stage.frodo })).await;
    assert_eq!(facts["total"], 0);
    for (field, value, expected) in [
        ("scene_id", json!(NOWHERE), "NOT_FOUND scene_id"),
        ("turn_id", json!(NOWHERE), "NOT_FOUND turn_id"),
        ("type", json!("rumor"), "VALIDATION_ERROR type"),
        ("content", json!([]), "VALIDATION_ERROR content"),
        ("content", json!({ "statement": "x".repeat(20_001) }), "VALIDATION_ERROR content"),
        ("evidence", json!([{ "type": "hearsay", "ref_id": turn }]), "VALIDATION_ERROR evidence.0.type"),
        ("evidence", json!([{ "type": "turn" }]), "VALIDATION_ERROR evidence.0.ref_id"),
        ("confidence", json!(1.2), "VALIDATION_ERROR confidence"),
        ("authority", json!("narrator"), "VALIDATION_ERROR authority"),
    ] {
        let mut bad = good.clone();
        bad[field] = value;
        let refused = table.refused("Narrator", "mongodb_create_proposed_change", bad).await;
        assert!(refused.starts_with(expected), "{field}: {refused}");
    }
}

//
#[tokio::test]
async fn canonkeeper_sees_what_is_pending() {
    let table = Table::new();
    let stage = table.stage().await;
    let (one, two) = (table.scene(&stage, "One").await, table.scene(&stage, "Two").await);
    let turn = table.turn(&one, "gm", "x").await;
    let fact = table.propose(&one, &turn, ("fact", "gm", 1.0), json!({ "statement": "a" })).await;
    let entity =
        table.propose(&one, &turn, ("entity", "gm", 1.0), json!({ "name": "Bill", "entity_type": "object" })).await;
    let other = table.propose(&two, &turn, ("fact", "gm", 1.0), json!({ "statement": "b" })).await;
    let pending = async |arguments: Value| {
        let answer = table.keep("mongodb_get_pending_proposals", arguments).await;
        let ids =
            answer["proposals"].as_array().unwrap().iter().map(|one| one["proposal_id"].as_str().unwrap().to_owned());
        let mut ids: Vec<String> = ids.collect();
        ids.sort();
        (ids, answer["total"].as_i64().unwrap())
    };
    assert_eq!(pending(json!({ "scene_id": one })).await, (vec![fact.clone(), entity.clone()], 2));
    assert_eq!(pending(json!({ "scene_id": one, "type": "entity" })).await.0, std::slice::from_ref(&entity));
    assert_eq!(pending(json!({})).await, (vec![fact.clone(), entity, other.clone()], 3));
    assert_eq!(pending(json!({ "type": "fact", "limit": 1 })).await.0.len(), 1);
    table.keep("mongodb_evaluate_proposal", json!({ "proposal_id": fact, "decision": "rejected" })).await;
    assert_eq!(pending(json!({ "type": "fact" })).await.0, [other]);
    let refused = table.refused("CanonKeeper", "mongodb_get_pending_proposals", json!({ "limit": 501 })).await;
    assert!(refused.starts_with("VALIDATION_ERROR limit"), "{refused}");
}

//
#[tokio::test]
async fn canonkeeper_decides_single_proposals_once() {
    let table = Table::new();
    let stage = table.stage().await;
    let scene = table.scene(&stage, "Bag End").await;
    let turn = table.turn(&scene, "user", "Frodo limps.").await;
    let state = json!({ "entity_id": stage.frodo, "add": ["limping"] });
    let weak = table.propose(&scene, &turn, ("state_change", "system", 0.1), state).await;
    let accept = json!({ "proposal_id": weak, "decision": "accepted", "rationale": "It was seen" });
    let answer = table.keep("mongodb_evaluate_proposal", accept.clone()).await;
    assert_eq!((&answer["status"], &answer["rationale"]), (&json!("accepted"), &json!("It was seen")));
    let frodo = table
        .ok("Narrator", "neo4j_get_entity", json!({ "entity_id": stage.frodo, "include_state_history": true }))
        .await;
    assert_eq!(frodo["entity"]["state_tags"], json!(["alive", "limping"]));
    assert_eq!(frodo["state_history"][0]["fact_id"], answer["canonical_id"]);
    let error = table.call("CanonKeeper", "mongodb_evaluate_proposal", accept).await.unwrap_err();
    assert_eq!(error["code"], -32004);
    let known = table.fact((&stage.universe, &stage.source), "Frodo limps", &[&stage.frodo]).await;
    let fact =
        async || table.propose(&scene, &turn, ("fact", "player", 0.1), json!({ "statement": "Frodo limps" })).await;
    let same = json!({ "proposal_id": fact().await, "decision": "accepted", "canonical_id": known });
    assert_eq!(table.keep("mongodb_evaluate_proposal", same).await["canonical_id"], json!(known));
    let open = fact().await;
    let lost =
        table.propose(&scene, &turn, ("fact", "gm", 1.0), json!({ "statement": "x", "entity_ids": [NOWHERE] })).await;
    for (arguments, expected) in [
        (json!({ "proposal_id": NOWHERE, "decision": "accepted" }), "NOT_FOUND proposal_id"),
        (json!({ "proposal_id": open, "decision": "maybe" }), "VALIDATION_ERROR decision"),
        (json!({ "proposal_id": open, "decision": "accepted", "canonical_id": NOWHERE }), "NOT_FOUND canonical_id"),
        (json!({ "proposal_id": open, "decision": "accepted", "canonical_id": stage.frodo }), "NOT_FOUND canonical_id"),
        (
            json!({ "proposal_id": open, "decision": "rejected", "canonical_id": known }),
            "VALIDATION_ERROR canonical_id",
        ),
        (json!({ "proposal_id": lost, "decision": "accepted" }), "CONSTRAINT_VIOLATION decision"),
    ] {
        let refused = table.refused("CanonKeeper", "mongodb_evaluate_proposal", arguments).await;
        assert!(refused.starts_with(expected), "{refused}");
    }
}

// R-713 (canonization), R-714, R-715, R-716, R-717, R-719, R-721
#[tokio::test]
async fn a_scene_is_canonized_once_and_a_game_master_retcons() {
    let table = Table::new();
    let stage = table.stage().await;
    let old = table.fact((&stage.universe, &stage.source), "Sam fears the dark", &[&stage.sam]).await;
    let scene = table.scene(&stage, "The cave").await;
    let told = table.turn(&scene, "user", "Sam laughs at the dark.").await;
    let said = table.turn(&scene, "gm", "Sam does not fear the dark any more.").await;
    let brave = json!({ "statement": "Sam does not fear the dark", "involved_entity_ids": [stage.sam] });
    let player = table.propose(&scene, &told, ("fact", "player", 1.0), brave.clone()).await;
    let gm = table.propose(&scene, &said, ("fact", "gm", 0.1), brave).await;
    let lamp = json!({ "name": "The lamp", "entity_type": "object", "local_ref": "lamp" });
    let lamp = table.propose(&scene, &told, ("entity", "system", 0.2), lamp).await;
    let owns = json!({ "from": stage.sam, "to": "lamp", "rel_type": "owns" });
    let owns = table.propose(&scene, &told, ("relationship", "player", 0.9), owns).await;
    let event =
        json!({ "title": "Light", "description": "The lamp is lit", "involved_entity_ids": ["lamp", stage.sam] });
    let event = table.propose(&scene, &told, ("event", "source", 0.5), event).await;
    let answer = table.canonize(&scene).await;
    let reasons = |id: &str| {
        let decisions = answer["decisions"].as_array().unwrap();
        decisions
            .iter()
            .find(|one| one["proposal_id"] == id)
            .map(|one| one["reason"].as_str().unwrap().to_owned())
            .unwrap()
    };
    let all = [&player, &gm, &lamp, &owns, &event].map(|id| reasons(id));
    assert_eq!(all, ["contradicts_canon", "gm", "needed", "score", "score"]);
    assert_eq!((&answer["scene_id"], &answer["rejected_proposals"]), (&json!(scene), &json!([player])));
    assert_eq!(answer["accepted_proposals"], json!([gm, lamp, owns, event]));
    assert_eq!(answer["retconned_fact_ids"], json!([old]));
    let count = |name: &str| answer[name].as_array().unwrap().len();
    let made =
        ["canonical_fact_ids", "canonical_event_ids", "canonical_entity_ids", "relationships_created"].map(count);
    assert_eq!(made, [1, 1, 1, 1]);
    let before = table.ok("Narrator", "neo4j_get_fact", json!({ "fact_id": old })).await;
    assert_eq!(
        (&before["fact"]["canon_level"], &before["fact"]["replaced_by"]),
        (&json!("retconned"), &answer["canonical_fact_ids"][0])
    );
    let new = table.ok("Narrator", "neo4j_get_fact", json!({ "fact_id": answer["canonical_fact_ids"][0] })).await;
    assert_eq!((&new["fact"]["replaces"], &new["fact"]["canon_level"]), (&json!(old), &json!("canon")));
    assert_eq!(new["fact"]["evidence_refs"], json!([format!("turn:{said}"), format!("scene:{scene}")]));
    let shown = table.ok("Narrator", "mongodb_get_scene", json!({ "scene_id": scene })).await;
    assert_eq!((&shown["scene"]["status"], &shown["scene"]["summary"]), (&json!("completed"), &answer["summary"]));
    let again = table.call("CanonKeeper", "composite_canonize_scene", json!({ "scene_id": scene })).await.unwrap_err();
    assert_eq!(again["code"], -32006);
    let nothing = table.refused("CanonKeeper", "composite_canonize_scene", json!({ "scene_id": NOWHERE })).await;
    assert!(nothing.starts_with("NOT_FOUND scene_id"), "{nothing}");
}

#[tokio::test]
async fn without_judgement_a_scene_is_only_finished() {
    let table = Table::new();
    let stage = table.stage().await;
    let scene = table.scene(&stage, "Bag End").await;
    let turn = table.turn(&scene, "gm", "x").await;
    let proposal = table.propose(&scene, &turn, ("fact", "gm", 1.0), json!({ "statement": "It rains" })).await;
    let finish = json!({ "scene_id": scene, "evaluate_proposals": false });
    let error = table.call("CanonKeeper", "composite_canonize_scene", finish.clone()).await.unwrap_err();
    assert_eq!((&error["code"], &error["data"]["pending_proposals"]), (&json!(-32004), &json!([proposal])));
    let accept = json!({ "proposal_id": proposal, "decision": "accepted" });
    let fact = table.keep("mongodb_evaluate_proposal", accept).await["canonical_id"].clone();
    assert_eq!(table.keep("composite_canonize_scene", finish).await["canonical_fact_ids"], json!([fact]));
}

// the cells of the policy that evidence and roles decide, through the tools.
#[tokio::test]
async fn a_game_master_is_believed_by_turn_or_by_role() {
    let table = Table::new();
    let stage = table.stage().await;
    let scene = table.scene(&stage, "Bag End").await;
    let (user, gm) = (table.turn(&scene, "user", "u").await, table.turn(&scene, "gm", "g").await);
    let say = |number: u8, evidence: Value| {
        json!({
            "scene_id": scene, "type": "fact", "content": { "statement": format!("Claim {number}") },
            "evidence": evidence, "confidence": 0.1, "authority": "gm",
        })
    };
    let turn = |id: &str| json!([{ "type": "turn", "ref_id": id }]);
    let mut filed = Vec::new();
    for (number, evidence, roles, expected) in [
        (1, turn(&user), &["service"][..], "below_threshold"),
        (2, turn(&gm), &["service"][..], "gm"),
        (3, turn(&user), &["service", "gm"][..], "gm"),
        (4, json!([]), &["service", "gm"][..], "no_evidence"),
        (5, turn(NOWHERE), &["service"][..], "no_evidence"),
    ] {
        let caller = crate::table::Player { roles, ..player("Narrator") };
        let answer = table.call_as(caller, "mongodb_create_proposed_change", say(number, evidence)).await.unwrap();
        filed.push((id(&answer, "proposal_id"), expected));
    }
    let answer = table.canonize(&scene).await;
    for (id, expected) in filed {
        let decision = answer["decisions"].as_array().unwrap().iter().find(|one| one["proposal_id"] == *id).unwrap();
        assert_eq!(decision["reason"], expected, "{decision}");
        assert!(decision["rationale"].as_str().unwrap().contains(expected));
    }
}

#[tokio::test]
async fn two_canonizations_at_once_have_one_outcome_and_scenes_do_not_wait_for_each_other() {
    let table = Table::new();
    let stage = table.stage().await;
    let mut scenes = Vec::new();
    for title in ["One", "Two"] {
        let scene = table.scene(&stage, title).await;
        let turn = table.turn(&scene, "gm", "x").await;
        for number in 0..6 {
            let content = json!({ "statement": format!("{title} {number}"), "involved_entity_ids": [stage.frodo] });
            table.propose(&scene, &turn, ("fact", "gm", 1.0), content).await;
        }
        scenes.push(scene);
    }
    let canonize = |scene: &str| {
        let arguments = json!({ "scene_id": scene });
        async { table.call("CanonKeeper", "composite_canonize_scene", arguments).await }
    };
    let (first, (second, other)) = join(canonize(&scenes[0]), join(canonize(&scenes[0]), canonize(&scenes[1]))).await;
    let (won, lost): (Vec<_>, Vec<_>) = [first, second].into_iter().partition(Result::is_ok);
    assert_eq!((won.len(), lost.len()), (1, 1));
    assert_eq!(lost[0].as_ref().unwrap_err()["code"], -32006);
    assert_eq!(other.unwrap()["accepted_proposals"].as_array().unwrap().len(), 6);
    let facts = table.ok("Narrator", "neo4j_query_facts", json!({ "entity_id": stage.frodo })).await;
    assert_eq!(facts["total"], 12);
}

#[tokio::test]
async fn a_canonization_that_is_repeated_with_its_key_answers_the_same() {
    let table = Table::new();
    let stage = table.stage().await;
    let scene = table.scene(&stage, "Bag End").await;
    let arguments = json!({ "scene_id": scene, "client_request_id": "c1" });
    let first = table.keep("composite_canonize_scene", arguments.clone()).await;
    let second = table.keep("composite_canonize_scene", arguments).await;
    assert_eq!(second["receipt"]["idempotent_replay"], true);
    assert_eq!(first["summary"], second["summary"]);
}
