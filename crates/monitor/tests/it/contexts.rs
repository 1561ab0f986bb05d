//! What a scene begins with.

use serde_json::{Value, json};

use crate::table::{NOWHERE, Stage, Table};

async fn played(table: &Table) -> (Stage, String) {
    let stage = table.stage().await;
    let first = table.scene(&stage, "Bag End").await;
    let turn = table.turn(&first, "gm", "A grey wizard brings news of the Ring.").await;
    let ring = json!({ "name": "The Ring", "entity_type": "object", "local_ref": "ring" });
    table.propose(&first, &turn, ("entity", "gm", 1.0), ring).await;
    let owns = json!({ "from": stage.frodo, "to": "ring", "rel_type": "OWNS" });
    table.propose(&first, &turn, ("relationship", "gm", 1.0), owns).await;
    let knows = json!({ "statement": "Frodo knows of the Ring", "involved_entity_ids": [stage.frodo, "ring"] });
    table.propose(&first, &turn, ("fact", "gm", 1.0), knows).await;
    table.canonize(&first).await;
    for entity in [&stage.frodo, &stage.sam] {
        let memory = json!({ "entity_id": entity, "text": "The wizard was grey", "emotional_valence": 0, "importance": 0.5, "certainty": 1 });
        table.ok("MemoryManager", "mongodb_create_character_memory", memory).await;
    }
    let rule = json!({ "universe_id": stage.universe, "text": "Who carries the Ring is not seen." });
    table.ok("Indexer", "mongodb_create_snippet", rule).await;
    let next = json!({
        "story_id": stage.story, "universe_id": stage.universe, "title": "The road", "gm_notes": "Riders are near",
        "participating_entities": [stage.frodo], "location_ref": stage.shire,
    });
    let next = table.ok("Orchestrator", "mongodb_create_scene", next).await["scene_id"].as_str().unwrap().to_owned();
    table.turn(&next, "gm", "Frodo thinks of the wizard and of the Ring.").await;
    (stage, next)
}

fn names(list: &Value, member: &str) -> Vec<String> {
    list.as_array().unwrap().iter().map(|one| one[member].as_str().unwrap().to_owned()).collect()
}

//
#[tokio::test]
async fn a_scene_begins_with_canon_narrative_and_recall() {
    let table = Table::new();
    let (stage, scene) = played(&table).await;
    let assemble = async |more: Value| {
        let mut arguments = json!({ "scene_id": scene });
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        table.ok("ContextAssembly", "composite_assemble_scene_context", arguments).await
    };
    let whole = assemble(json!({})).await;
    assert_eq!(names(&whole["canonical"]["entities"], "name"), ["Frodo", "The Shire", "The Ring"]);
    assert_eq!(names(&whole["canonical"]["facts"], "statement"), ["Frodo knows of the Ring"]);
    assert_eq!(names(&whole["canonical"]["relations"], "rel_type"), ["OWNS"]);
    assert_eq!(names(&whole["narrative"]["prior_turns"], "text"), ["Frodo thinks of the wizard and of the Ring."]);
    assert_eq!(whole["narrative"]["scene_summary"], "Bag End. Frodo knows of the Ring.");
    assert_eq!(whole["narrative"]["gm_notes"], "Riders are near");
    assert_eq!(whole["recalled"]["similar_scenes"].as_array().unwrap().len(), 1);
    assert_eq!(names(&whole["recalled"]["character_memories"], "entity_id"), std::slice::from_ref(&stage.frodo));
    assert_eq!(names(&whole["recalled"]["rule_excerpts"], "text"), ["Who carries the Ring is not seen."]);
    let metadata = &whole["metadata"];
    let ids = ["universe_id", "story_id", "scene_id"].map(|name| metadata[name].clone());
    assert_eq!(ids, [json!(stage.universe), json!(stage.story), json!(scene)]);
    assert!(metadata["timestamp"].is_string() && metadata["truncated"] == false);
    for (flag, section, lists) in [
        ("include_canonical", "canonical", &["entities", "facts", "relations"][..]),
        ("include_narrative", "narrative", &["prior_turns"][..]),
        ("include_semantic", "recalled", &["similar_scenes", "character_memories", "rule_excerpts"][..]),
    ] {
        let part = assemble(json!({ flag: false })).await;
        for list in lists {
            assert_eq!(part[section][list], json!([]), "{flag} {list}");
        }
    }
    let asked = assemble(json!({ "semantic_query": "who is not seen" })).await;
    assert_eq!(names(&asked["recalled"]["rule_excerpts"], "text"), ["Who carries the Ring is not seen."]);
    let small = assemble(json!({ "token_budget": 100 })).await;
    assert!(small["metadata"]["tokens"].as_i64() <= Some(100) && small["metadata"]["truncated"] == true, "{small}");
    let past = assemble(json!({ "read_context": whole["read_context"] })).await;
    assert_eq!(past["canonical"], whole["canonical"]);
    for (arguments, expected) in [
        (json!({ "scene_id": NOWHERE }), "NOT_FOUND scene_id"),
        (json!({ "scene_id": scene, "token_budget": 5 }), "VALIDATION_ERROR token_budget"),
    ] {
        let refused = table.refused("ContextAssembly", "composite_assemble_scene_context", arguments).await;
        assert!(refused.starts_with(expected), "{refused}");
    }
}

//
#[tokio::test]
async fn a_scene_is_a_resource() {
    let table = Table::new();
    let (_, scene) = played(&table).await;
    let read = table.read("Narrator", &format!("monitor://scene/{scene}")).await.unwrap();
    assert_eq!(read["scene"]["title"], "The road");
}
