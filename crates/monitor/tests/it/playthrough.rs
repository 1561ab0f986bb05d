//! A whole game: one universe, two stories, six scenes, forty proposals, a contradiction and a retcon.

use std::fmt::Write as _;

use monitor::portable;
use monitor::projection::Reader;
use serde_json::{Value, json};

use crate::table::{Stage, Table, id, player};

/// What becomes of each scene: reasons with how many proposals got each, in the order of reasons.
const EXPECTED: &str = "\
The Shire 1: accepted 5 rejected 2 retconned 0; below_threshold 1, contradicts_canon 1, needed 1, score 4
The Shire 2: accepted 5 rejected 2 retconned 0; below_threshold 1, contradicts_canon 1, needed 1, score 4
The Shire 3: accepted 5 rejected 2 retconned 0; below_threshold 1, contradicts_canon 1, needed 1, score 4
Mordor 4: accepted 5 rejected 2 retconned 0; below_threshold 1, contradicts_canon 1, needed 1, score 4
Mordor 5: accepted 5 rejected 2 retconned 0; below_threshold 1, contradicts_canon 1, needed 1, score 4
Mordor 6: accepted 4 rejected 1 retconned 1; gm 1, no_evidence 1, score 3
";

//
#[tokio::test]
async fn a_game_is_played_and_its_canon_can_be_followed() {
    let table = Table::new();
    let stage = table.stage().await;
    let mut transcript = String::new();
    let mut proposals = 0;
    let mut brave = String::new();
    for number in 1..=6 {
        let story = if number <= 3 { "The Shire" } else { "Mordor" };
        let mut stage = stage.clone();
        if number > 3 {
            let second = json!({ "universe_id": stage.universe, "title": story, "story_type": "arc" });
            stage.story = match number {
                4 => id(&table.ok("Orchestrator", "neo4j_create_story", second).await, "story_id"),
                _ => stage.story,
            };
        }
        let title = format!("{story} {number}");
        let scene = table.scene(&stage, &title).await;
        proposals += if number < 6 {
            play(&table, &stage, &scene, number).await
        } else {
            end(&table, &stage, &scene, &brave).await
        };
        let answer = table.canonize(&scene).await;
        if number == 1 {
            brave = fact_of(&table, &answer, "Sam 1 is brave").await;
        }
        writeln!(transcript, "{title}: {}", shown(&answer)).unwrap();
        let memory = json!({
            "entity_id": stage.frodo, "text": format!("I was in {title}"), "scene_id": scene,
            "emotional_valence": 0.1, "importance": 0.5, "certainty": 0.9,
        });
        table.ok("MemoryManager", "mongodb_create_character_memory", memory).await;
    }
    assert_eq!((transcript.as_str(), proposals), (EXPECTED, 40));
    // The next scene begins with what became canon.
    let next = table.scene(&stage, "The end").await;
    let context = table.ok("ContextAssembly", "composite_assemble_scene_context", json!({ "scene_id": next })).await;
    let facts = context["canonical"]["facts"].as_array().unwrap();
    assert!(facts.iter().any(|fact| fact["statement"] == "Sam 1 is not brave"));
    assert!(facts.iter().all(|fact| fact["fact_id"] != *brave));
    carried_over(&table, &stage).await;
}

/// Seven proposals of a scene: five of them become canon.
async fn play(table: &Table, stage: &Stage, scene: &str, number: u32) -> usize {
    let turn = table.turn(scene, "user", "They walk on.").await;
    let claim = |text: &str| json!({ "statement": text, "involved_entity_ids": [stage.sam] });
    let companion = json!({ "name": format!("Companion {number}"), "entity_type": "character", "local_ref": "new" });
    let friends = json!({ "from": stage.frodo, "to": "new", "rel_type": "KNOWS" });
    let tired = json!({ "entity_id": stage.frodo, "add": [format!("tired_{number}")] });
    let step = json!({ "title": "A step", "description": "On the road", "involved_entity_ids": [stage.frodo] });
    for (kind, authority, confidence, content) in [
        ("entity", "system", 0.4, companion),
        ("relationship", "player", 0.9, friends),
        ("state_change", "player", 0.8, tired),
        ("event", "source", 0.6, step),
        ("fact", "player", 0.9, claim(&format!("Sam {number} is brave"))),
        ("fact", "player", 1.0, claim(&format!("Sam {number} is not brave"))),
        ("fact", "player", 0.7, claim("Sam whistles")),
    ] {
        table.propose(scene, &turn, (kind, authority, confidence), content).await;
    }
    7
}

/// Five proposals of the last scene: a game master takes back what became canon in the first.
async fn end(table: &Table, stage: &Stage, scene: &str, brave: &str) -> usize {
    let (told, said) = (table.turn(scene, "user", "It is done.").await, table.turn(scene, "gm", "Sam breaks.").await);
    let not = json!({ "statement": "Sam 1 is not brave", "involved_entity_ids": [stage.sam], "replaces": brave });
    table.propose(scene, &said, ("fact", "gm", 0.2), not).await;
    for word in ["home", "far", "late"] {
        table.propose(scene, &told, ("fact", "source", 0.9), json!({ "statement": format!("It is {word}") })).await;
    }
    let bare = json!({
        "scene_id": scene, "type": "fact", "content": { "statement": "Nobody saw it" }, "evidence": [],
        "confidence": 1, "authority": "source",
    });
    table.ok("Narrator", "mongodb_create_proposed_change", bare).await;
    5
}

fn shown(answer: &Value) -> String {
    let count = |name: &str| answer[name].as_array().unwrap().len();
    let mut reasons = std::collections::BTreeMap::<&str, usize>::new();
    for decision in answer["decisions"].as_array().unwrap() {
        *reasons.entry(decision["reason"].as_str().unwrap()).or_default() += 1;
    }
    let reasons: Vec<String> = reasons.into_iter().map(|(reason, count)| format!("{reason} {count}")).collect();
    let counts = ["accepted_proposals", "rejected_proposals", "retconned_fact_ids"].map(count);
    format!("accepted {} rejected {} retconned {}; {}", counts[0], counts[1], counts[2], reasons.join(", "))
}

async fn fact_of(table: &Table, answer: &Value, statement: &str) -> String {
    for fact in answer["canonical_fact_ids"].as_array().unwrap() {
        let read = table.ok("Narrator", "neo4j_get_fact", json!({ "fact_id": fact })).await;
        if read["fact"]["statement"] == statement {
            return fact.as_str().unwrap().to_owned();
        }
    }
    panic!("{statement} is not canon")
}

/// The universe as one value, read in by another tenant, is the same universe.
async fn carried_over(table: &Table, stage: &Stage) {
    let own = table.context(player("CanonKeeper"), None);
    let reader = Reader::at(table.ledger.as_ref(), &own, None).await.unwrap();
    let world = portable::export(&reader, &stage.universe).await.unwrap();
    let again = portable::import(table.ledger.clone(), &own, world.clone()).await.unwrap_err();
    assert!(again.to_string().contains("is here already"), "{again}");
    let other = table.context(crate::table::Player { tenant: "other", ..player("CanonKeeper") }, None);
    portable::import(table.ledger.clone(), &other, world.clone()).await.unwrap();
    let reader = Reader::at(table.ledger.as_ref(), &other, None).await.unwrap();
    let copied = portable::export(&reader, &stage.universe).await.unwrap();
    assert_eq!(serde_json::to_value(&copied).unwrap(), serde_json::to_value(&world).unwrap());
}

//
#[tokio::test]
async fn a_scene_that_was_left_finalizing_is_brought_to_its_end() {
    for polls in 1..12 {
        let table = Table::new();
        let stage = table.stage().await;
        let scene = table.scene(&stage, "Bag End").await;
        let turn = table.turn(&scene, "gm", "x").await;
        for number in 0..4 {
            let content = json!({ "statement": format!("Fact {number}"), "involved_entity_ids": [stage.frodo] });
            table.propose(&scene, &turn, ("fact", "gm", 1.0), content).await;
        }
        // The call is dropped after so many of its waits, wherever it stands then.
        let mut canonizing =
            Box::pin(table.call("CanonKeeper", "composite_canonize_scene", json!({ "scene_id": scene })));
        let mut left = polls;
        let ended = std::future::poll_fn(|cx| {
            left -= 1;
            match canonizing.as_mut().poll(cx) {
                std::task::Poll::Ready(_) => std::task::Poll::Ready(true),
                std::task::Poll::Pending if left == 0 => std::task::Poll::Ready(false),
                std::task::Poll::Pending => std::task::Poll::Pending,
            }
        })
        .await;
        drop(canonizing);
        let anew = table.anew();
        let own = anew.context(player("CanonKeeper"), None);
        anew.monitor.recover(&own).await.unwrap();
        let shown = anew.ok("Narrator", "mongodb_get_scene", json!({ "scene_id": scene })).await;
        if shown["scene"]["status"] == "active" {
            assert!(!ended);
            anew.canonize(&scene).await;
        }
        let facts = anew.ok("Narrator", "neo4j_query_facts", json!({ "entity_id": stage.frodo })).await;
        assert_eq!(facts["total"], 4, "after {polls} waits");
        let shown = anew.ok("Narrator", "mongodb_get_scene", json!({ "scene_id": scene })).await;
        assert_eq!(shown["scene"]["canonical_outcomes"].as_array().unwrap().len(), 4);
        let error =
            anew.call("CanonKeeper", "composite_canonize_scene", json!({ "scene_id": scene })).await.unwrap_err();
        assert_eq!(error["code"], -32006);
    }
}

// no result is kept between calls, so none is ever stale.
#[tokio::test]
async fn a_read_after_a_write_is_never_stale() {
    let table = Table::new();
    let stage = table.stage().await;
    let total = async || {
        table.ok("Narrator", "neo4j_query_entities", json!({ "universe_id": stage.universe })).await["total"].clone()
    };
    assert_eq!(total().await, 3);
    table.entity((&stage.universe, &stage.source), "Merry", "character", &[]).await;
    assert_eq!(total().await, 4);
    let tags = async || {
        table.ok("Narrator", "neo4j_get_entity", json!({ "entity_id": stage.sam })).await["entity"]["state_tags"]
            .clone()
    };
    assert_eq!(tags().await, json!(["alive"]));
    let tired = json!({
        "entity_id": stage.sam, "state_tag_changes": { "add": ["tired"] }, "authority": "gm", "evidence_refs": [stage.source],
    });
    table.keep("neo4j_update_entity_state", tired).await;
    assert_eq!(tags().await, json!(["alive", "tired"]));
    let tired = json!({ "universe_id": stage.universe, "state_tags": { "all_of": ["tired"] } });
    assert_eq!(table.ok("Narrator", "neo4j_query_entities", tired).await["total"], 1);
    let scene = table.scene(&stage, "Bag End").await;
    let turns = async || {
        let read = table.ok("Narrator", "mongodb_get_scene", json!({ "scene_id": scene })).await;
        (read["scene"]["turn_count"].clone(), read["scene"]["status"].clone())
    };
    assert_eq!(turns().await, (json!(0), json!("active")));
    let turn = table.turn(&scene, "gm", "x").await;
    assert_eq!(turns().await, (json!(1), json!("active")));
    let wet = json!({ "entity_id": stage.sam, "add": ["wet"] });
    table.propose(&scene, &turn, ("state_change", "gm", 1.0), wet).await;
    table.canonize(&scene).await;
    assert_eq!(turns().await, (json!(1), json!("completed")));
    assert_eq!(tags().await, json!(["alive", "tired", "wet"]));
}
