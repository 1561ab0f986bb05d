//! Universes, sources and axioms.

use serde_json::{Value, json};

use crate::table::{NOWHERE, Table, id, player};

//
#[tokio::test]
async fn a_universe_belongs_to_a_multiverse_and_is_read_back() {
    let table = Table::new();
    let made = json!({ "name": "Arda", "system_name": "MERP", "description": "All of it" });
    let multiverse = id(&table.keep("neo4j_create_multiverse", made).await, "multiverse_id");
    let arguments = json!({
        "multiverse_id": multiverse, "name": "Middle-earth", "description": "The third age", "genre": "fantasy",
        "tone": "epic", "tech_level": "medieval", "authority": "source",
    });
    let created = table.keep("neo4j_create_universe", arguments).await;
    assert_eq!((&created["canon_level"], &created["receipt"]["outcome"]), (&json!("canon"), &json!("committed")));
    let universe = id(&created, "universe_id");
    let read = table.ok("Narrator", "neo4j_get_universe", json!({ "universe_id": universe.to_uppercase() })).await;
    for (name, expected) in [
        ("universe_id", universe.as_str()),
        ("multiverse_id", &multiverse),
        ("name", "Middle-earth"),
        ("description", "The third age"),
        ("genre", "fantasy"),
        ("tone", "epic"),
        ("tech_level", "medieval"),
        ("authority", "source"),
        ("canon_level", "canon"),
    ] {
        assert_eq!(read["universe"][name], expected, "{name}");
    }
    assert_eq!(read["counts"]["entities"], 0);
    // Without a multiverse it gets one of its own.
    let other = table.keep("neo4j_create_universe", json!({ "name": "Narnia", "authority": "gm" })).await;
    assert_ne!(other["multiverse_id"], multiverse.as_str());
    let listed = async |arguments: Value| {
        let answer = table.ok("Indexer", "neo4j_query_universes", arguments).await;
        let names: Vec<String> = answer["universes"].as_array().unwrap().iter().map(|it| id(it, "name")).collect();
        (names.join(" "), answer["total"].clone())
    };
    assert_eq!(listed(json!({})).await, ("Middle-earth Narnia".to_owned(), json!(2)));
    assert_eq!(listed(json!({ "multiverse_id": multiverse })).await, ("Middle-earth".to_owned(), json!(1)));
    assert_eq!(listed(json!({ "name_pattern": "nar*" })).await, ("Narnia".to_owned(), json!(1)));
    assert_eq!(listed(json!({ "limit": 1, "offset": 1 })).await, ("Narnia".to_owned(), json!(2)));
}

#[tokio::test]
async fn a_universe_that_pretends_or_hangs_in_the_air_is_refused() {
    let table = Table::new();
    for (arguments, expected) in [
        (json!({ "name": "M\u{456}ddle-earth", "authority": "gm" }), "VALIDATION_ERROR name: name mixes scripts in"),
        (json!({ "name": " ", "authority": "gm" }), "VALIDATION_ERROR name: name is empty"),
        (json!({ "name": "A", "authority": "player" }), "VALIDATION_ERROR authority: authority cannot be \"player\""),
        (json!({ "authority": "gm" }), "VALIDATION_ERROR name: name is required"),
        (
            json!({ "name": "A", "authority": "gm", "multiverse_id": NOWHERE }),
            "NOT_FOUND multiverse_id: multiverse_id names no multiverse",
        ),
    ] {
        let refused = table.refused("CanonKeeper", "neo4j_create_universe", arguments).await;
        assert!(refused.starts_with(expected), "{refused}");
    }
}

//
#[tokio::test]
async fn a_source_is_kept_and_found() {
    let table = Table::new();
    let universe = table.universe("Middle-earth").await;
    let arguments = json!({
        "universe_id": universe, "doc_id": "lotr", "title": "The Fellowship of the Ring", "edition": "2nd",
        "provenance": "the library", "source_type": "lore", "canon_level": "authoritative",
    });
    let created = table.keep("neo4j_create_source", arguments).await;
    assert_eq!(created["canon_level"], "authoritative");
    let source = id(&created, "source_id");
    let read = table.ok("Resolver", "neo4j_get_source", json!({ "source_id": source })).await["source"].clone();
    for (name, expected) in [
        ("doc_id", "lotr"),
        ("title", "The Fellowship of the Ring"),
        ("edition", "2nd"),
        ("provenance", "the library"),
        ("source_type", "lore"),
        ("canon_level", "authoritative"),
        ("universe_id", &universe),
    ] {
        assert_eq!(read[name], expected, "{name}");
    }
    for kind in ["manual", "rulebook", "lore", "session"] {
        for level in ["proposed", "canon", "authoritative"] {
            let arguments = json!({
                "universe_id": universe, "doc_id": kind, "title": level, "source_type": kind, "canon_level": level,
            });
            table.keep("neo4j_create_source", arguments).await;
        }
    }
    let total = async |arguments: Value| table.ok("Indexer", "neo4j_query_sources", arguments).await["total"].clone();
    assert_eq!(total(json!({ "universe_id": universe })).await, 13);
    assert_eq!(total(json!({ "universe_id": universe, "source_type": "lore" })).await, 4);
    assert_eq!(
        total(json!({ "universe_id": universe, "source_type": "lore", "canon_level": "authoritative" })).await,
        2
    );
    assert_eq!(total(json!({ "doc_id": "lotr" })).await, 1);
    let foreign =
        json!({ "universe_id": NOWHERE, "doc_id": "d", "title": "t", "source_type": "lore", "canon_level": "canon" });
    let refused = table.refused("CanonKeeper", "neo4j_create_source", foreign).await;
    assert!(refused.starts_with("NOT_FOUND universe_id: "), "{refused}");
}

//
#[tokio::test]
async fn a_law_has_evidence_and_never_a_player_behind_it() {
    let table = Table::new();
    let (universe, source) = table.world().await;
    let law = |authority: &str, confidence: f64| {
        json!({
            "universe_id": universe, "statement": format!("Magic costs {authority}"), "domain": "Magic",
            "confidence": confidence, "authority": authority, "evidence_refs": [source],
        })
    };
    let level = async |authority: &str, confidence: f64| {
        table.keep("neo4j_create_axiom", law(authority, confidence)).await["canon_level"].clone()
    };
    assert_eq!(level("source", 1.0).await, "canon");
    assert_eq!(level("gm", 0.5).await, "canon");
    assert_eq!(level("system", 0.9).await, "proposed");
    let refused = table.refused("CanonKeeper", "neo4j_create_axiom", law("player", 1.0)).await;
    assert!(refused.starts_with("VALIDATION_ERROR authority: "), "{refused}");
    let mut unproven = law("gm", 1.0);
    unproven["evidence_refs"] = json!([format!("source:{NOWHERE}")]);
    let refused = table.refused("CanonKeeper", "neo4j_create_axiom", unproven).await;
    assert!(refused.starts_with("NOT_FOUND evidence_refs[0]: "), "{refused}");
    let found = async |arguments: Value| {
        let answer = table.ok("Narrator", "neo4j_query_axioms", arguments).await;
        answer["axioms"].as_array().unwrap().len()
    };
    assert_eq!(found(json!({ "universe_id": universe })).await, 3);
    assert_eq!(found(json!({ "universe_id": universe, "domain": "magic" })).await, 3);
    assert_eq!(found(json!({ "universe_id": universe, "domain": "physics" })).await, 0);
    assert_eq!(found(json!({ "canon_level": "proposed" })).await, 1);
}

//
#[tokio::test]
async fn another_tenant_finds_nothing() {
    let table = Table::new();
    let (universe, source) = table.world().await;
    let frodo = table.entity((&universe, &source), "Frodo", "character", &[]).await;
    let fact = table.fact((&universe, &source), "Frodo is here", &[&frodo]).await;
    let story =
        table.keep("neo4j_create_story", json!({ "universe_id": universe, "title": "T", "story_type": "arc" })).await;
    let event = table.keep("neo4j_create_event", crate::table::new_event(&universe, &source)).await;
    let other = crate::table::Player { tenant: "else", ..player("CanonKeeper") };
    for (tool, arguments) in [
        ("neo4j_get_universe", json!({ "universe_id": universe })),
        ("neo4j_get_source", json!({ "source_id": source.trim_start_matches("source:") })),
        ("neo4j_get_entity", json!({ "entity_id": frodo })),
        ("neo4j_get_fact", json!({ "fact_id": fact })),
        ("neo4j_get_event", json!({ "event_id": event["event_id"] })),
        ("neo4j_get_story", json!({ "story_id": story["story_id"] })),
        ("neo4j_query_entities", json!({ "universe_id": universe })),
        ("neo4j_query_facts", json!({ "entity_id": frodo })),
        ("neo4j_create_fact", crate::table::new_fact(&universe, &source)),
        ("neo4j_create_entity", crate::table::new_entity(&universe, &source)),
        ("neo4j_update_story", json!({ "story_id": story["story_id"], "status": "completed" })),
    ] {
        let error = table.call_as(other, tool, arguments).await.unwrap_err();
        assert_eq!((&error["name"], &error["code"]), (&json!("NOT_FOUND"), &json!(-32002)), "{tool}: {error}");
    }
    let empty = table.call_as(other, "neo4j_query_universes", json!({})).await.unwrap();
    assert_eq!(empty["total"], 0);
}
