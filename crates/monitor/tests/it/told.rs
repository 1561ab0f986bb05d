//! Memories, documents and search.

use serde_json::{Value, json};

use crate::table::{NOWHERE, Table, id};

//
#[tokio::test]
async fn memories_are_kept_and_recalled_by_importance_or_by_a_question() {
    let table = Table::new();
    let stage = table.stage().await;
    let scene = table.scene(&stage, "Bag End").await;
    let fact = table.fact((&stage.universe, &stage.source), "Bilbo left", &[&stage.frodo]).await;
    let good = json!({
        "entity_id": stage.frodo, "text": "The old mill wheel turned", "linked_fact_id": fact, "scene_id": scene,
        "emotional_valence": -0.5, "importance": 0.4, "certainty": 0.8,
    });
    let kept = table.ok("MemoryManager", "mongodb_create_character_memory", good.clone()).await;
    assert_eq!(kept["created_at"], kept["memory"]["created_at"]);
    for (text, importance) in [("A dragon burned the town", 0.9), ("Breakfast was late", 0.1)] {
        let mut more = good.clone();
        (more["text"], more["importance"]) = (json!(text), json!(importance));
        table.ok("MemoryManager", "mongodb_create_character_memory", more).await;
    }
    let recall = async |more: Value| {
        let mut arguments = json!({ "entity_id": stage.frodo });
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        table.ok("ContextAssembly", "mongodb_retrieve_character_memories", arguments).await["memories"].clone()
    };
    let texts = |memories: Value| -> Vec<String> {
        memories.as_array().unwrap().iter().map(|one| one["text"].as_str().unwrap().to_owned()).collect()
    };
    let all = recall(json!({})).await;
    for (name, value) in good.as_object().unwrap() {
        assert_eq!(all[1][name], *value, "{name}");
    }
    assert_eq!(texts(all), ["A dragon burned the town", "The old mill wheel turned", "Breakfast was late"]);
    assert_eq!(texts(recall(json!({ "min_importance": 0.4 })).await).len(), 2);
    assert_eq!(texts(recall(json!({ "limit": 1 })).await), ["A dragon burned the town"]);
    let asked = recall(json!({ "semantic_query": "the mill wheel" })).await;
    assert_eq!(asked[0]["text"], "The old mill wheel turned");
    assert!(asked[0]["score"].as_f64() > asked[1]["score"].as_f64());
    for (field, value, expected) in [
        ("entity_id", json!(NOWHERE), "NOT_FOUND entity_id"),
        ("text", json!(""), "VALIDATION_ERROR text"),
        ("text", json!("x".repeat(2001)), "VALIDATION_ERROR text"),
        ("linked_fact_id", json!(NOWHERE), "NOT_FOUND linked_fact_id"),
        ("scene_id", json!(NOWHERE), "NOT_FOUND scene_id"),
        ("emotional_valence", json!(-1.1), "VALIDATION_ERROR emotional_valence"),
        ("importance", json!(1.1), "VALIDATION_ERROR importance"),
        ("certainty", json!(-0.1), "VALIDATION_ERROR certainty"),
    ] {
        let mut bad = good.clone();
        bad[field] = value;
        let refused = table.refused("MemoryManager", "mongodb_create_character_memory", bad).await;
        assert!(refused.starts_with(expected), "{field}: {refused}");
    }
    for (field, value) in
        [("limit", json!(0)), ("limit", json!(101)), ("min_importance", json!(2)), ("semantic_query", json!(""))]
    {
        let mut bad = json!({ "entity_id": stage.frodo });
        bad[field] = value;
        let refused = table.refused("MemoryManager", "mongodb_retrieve_character_memories", bad).await;
        assert!(refused.starts_with(&format!("VALIDATION_ERROR {field}")), "{refused}");
    }
}

//
#[tokio::test]
async fn a_recall_is_counted_behind_the_read_and_not_in_the_past() {
    let table = Table::new();
    let stage = table.stage().await;
    let memory =
        json!({ "entity_id": stage.sam, "text": "Potatoes", "emotional_valence": 1, "importance": 1, "certainty": 1 });
    let kept = table.ok("MemoryManager", "mongodb_create_character_memory", memory).await;
    let recall = async |more: Value| {
        let mut arguments = json!({ "entity_id": stage.sam });
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        table.ok("MemoryManager", "mongodb_retrieve_character_memories", arguments).await["memories"][0].clone()
    };
    let first = recall(json!({})).await;
    assert_eq!((&first["access_count"], &first["last_accessed"]), (&json!(0), &first["created_at"]));
    let mut seen = first.clone();
    while seen["access_count"] == 0 {
        tokio::task::yield_now().await;
        seen = recall(json!({})).await;
    }
    assert!(seen["last_accessed"].as_str() > first["last_accessed"].as_str());
    let past = recall(json!({ "read_context": { "sequence": kept["receipt"]["sequence"] } })).await;
    assert_eq!((&past["access_count"], &past["last_accessed"]), (&Value::Null, &Value::Null));
}

//
#[tokio::test]
async fn documents_are_cut_into_snippets_that_are_found() {
    let table = Table::new();
    let stage = table.stage().await;
    let source = stage.source.strip_prefix("source:").unwrap();
    let text = "# Falling\n\nA fall hurts by one die for ten feet.\n\n# Swimming\n\nHeavy armour drowns a swimmer.";
    let document = json!({
        "universe_id": stage.universe, "source_id": source, "title": "House rules", "text": text, "document_kind": "rulebook",
    });
    let answer = table.ok("Indexer", "mongodb_create_document", document.clone()).await;
    assert_eq!((&answer["snippet_count"], answer["snippet_ids"].as_array().unwrap().len()), (&json!(2), 2));
    let again = table.ok("Indexer", "mongodb_create_document", document.clone()).await;
    assert_eq!(again["snippet_ids"], answer["snippet_ids"]);
    let one = json!({ "universe_id": stage.universe, "text": "Rope burns at noon.", "section": "Fire", "page": 7 });
    let one = id(&table.ok("Indexer", "mongodb_create_snippet", one).await, "snippet_id");
    let search = async |more: Value| {
        let mut arguments = json!({ "query_text": "how does falling hurt", "collection": "snippet_chunks" });
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        table.ok("Resolver", "qdrant_semantic_search", arguments).await["results"].as_array().unwrap().clone()
    };
    let found = search(json!({})).await;
    assert_eq!(found[0]["id"], answer["snippet_ids"][0]);
    assert_eq!(
        (&found[0]["text"], &found[0]["payload"]["section"]),
        (&json!("A fall hurts by one die for ten feet."), &json!("Falling"))
    );
    assert!(found.is_sorted_by(|one, other| one["score"].as_f64() >= other["score"].as_f64()));
    let rope = search(json!({ "query_text": "rope noon" })).await;
    assert_eq!((&rope[0]["id"], &rope[0]["payload"]["page"]), (&json!(one), &json!(7)));
    assert!(
        search(json!({ "query_text": "rope noon", "filters": { "source_id": source } }))
            .await
            .iter()
            .all(|hit| hit["id"] != *one)
    );
    let other = table.universe("Narnia").await;
    assert!(search(json!({ "filters": { "universe_id": other } })).await.is_empty());
    assert_eq!(search(json!({ "limit": 1 })).await.len(), 1);
    let best = found[0]["score"].as_f64().unwrap();
    assert!(search(json!({ "min_score": best })).await.iter().all(|hit| hit["score"].as_f64() >= Some(best)));
    for (field, value, expected) in [
        ("query_text", json!(""), "VALIDATION_ERROR query_text"),
        ("query_text", json!("x".repeat(1001)), "VALIDATION_ERROR query_text"),
        ("collection", json!("rumors"), "VALIDATION_ERROR collection"),
        ("filters", json!({ "entity_id": stage.frodo }), "VALIDATION_ERROR filters.entity_id"),
        ("limit", json!(101), "VALIDATION_ERROR limit"),
        ("limit", json!(0), "VALIDATION_ERROR limit"),
        ("min_score", json!(1.5), "VALIDATION_ERROR min_score"),
    ] {
        let mut bad = json!({ "query_text": "x", "collection": "snippet_chunks" });
        bad[field] = value;
        let refused = table.refused("Narrator", "qdrant_semantic_search", bad).await;
        assert!(refused.starts_with(expected), "{field}: {refused}");
    }
    for (field, value, expected) in [
        ("universe_id", json!(NOWHERE), "NOT_FOUND universe_id"),
        ("source_id", json!(NOWHERE), "NOT_FOUND source_id"),
        ("text", json!(" "), "VALIDATION_ERROR text"),
        ("content_base64", json!("eA=="), "VALIDATION_ERROR content_base64"),
    ] {
        let mut bad = document.clone();
        bad[field] = value;
        let refused = table.refused("Indexer", "mongodb_create_document", bad).await;
        assert!(refused.starts_with(expected), "{field}: {refused}");
    }
}

//
#[tokio::test]
async fn turns_are_found_by_who_takes_part_and_an_index_made_again_is_the_same() {
    let table = Table::new();
    let stage = table.stage().await;
    let scene = table.scene(&stage, "Bag End").await;
    let turn = table.turn(&scene, "gm", "A black rider sniffs at the hedge.").await;
    let search = |entity: &str| {
        json!({
            "query_text": "black rider", "collection": "scene_chunks", "filters": { "entity_id": entity, "universe_id": stage.universe },
        })
    };
    let found = table.ok("Narrator", "qdrant_semantic_search", search(&stage.sam)).await;
    assert_eq!(
        (&found["results"][0]["id"], &found["results"][0]["payload"]["scene_id"]),
        (&json!(turn), &json!(scene))
    );
    let nobody = table.ok("Narrator", "qdrant_semantic_search", search(&stage.shire)).await;
    assert_eq!(nobody["results"], json!([]));
    let anew = table.anew();
    let again = anew.ok("Narrator", "qdrant_semantic_search", search(&stage.sam)).await;
    assert_eq!(again["results"], found["results"]);
}

//
#[tokio::test]
async fn another_tenant_finds_nothing_of_it() {
    let table = Table::new();
    let stage = table.stage().await;
    let scene = table.scene(&stage, "Bag End").await;
    let turn = table.turn(&scene, "gm", "A black rider.").await;
    let proposal = table.propose(&scene, &turn, ("fact", "gm", 1.0), json!({ "statement": "x" })).await;
    for (agent, tool, arguments) in [
        ("Narrator", "mongodb_get_scene", json!({ "scene_id": scene })),
        ("Narrator", "mongodb_append_turn", json!({ "scene_id": scene, "speaker": "gm", "text": "x" })),
        ("CanonKeeper", "composite_canonize_scene", json!({ "scene_id": scene })),
        ("CanonKeeper", "mongodb_evaluate_proposal", json!({ "proposal_id": proposal, "decision": "rejected" })),
        ("CanonKeeper", "mongodb_get_proposed_change", json!({ "proposal_id": proposal })),
        ("ContextAssembly", "composite_assemble_scene_context", json!({ "scene_id": scene })),
        ("MemoryManager", "mongodb_retrieve_character_memories", json!({ "entity_id": stage.frodo })),
    ] {
        let stranger = crate::table::Player { tenant: "other", ..crate::table::player(agent) };
        let error = table.call_as(stranger, tool, arguments).await.unwrap_err();
        assert_eq!(error["code"], -32002, "{tool}");
    }
    let stranger = crate::table::Player { tenant: "other", ..crate::table::player("Narrator") };
    let search = json!({ "query_text": "black rider", "collection": "scene_chunks" });
    assert_eq!(table.call_as(stranger, "qdrant_semantic_search", search).await.unwrap()["results"], json!([]));
}
