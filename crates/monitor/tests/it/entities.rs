//! Entities, their state, and the edges between them.

use serde_json::{Value, json};

use crate::table::{NOWHERE, Player, Table, id, new_entity, player};

//
#[tokio::test]
async fn the_sample_of_the_specification_is_canon() {
    let table = Table::new();
    let (universe, source) = table.world().await;
    let gandalf = json!({
        "entity_class": "EntityConcreta", "universe_id": universe, "name": "Gandalf the Grey", "entity_type": "character",
        "description": "Istari wizard sent to Middle-earth", "properties": { "role": "NPC", "archetype": "wizard" },
        "state_tags": ["alive", "traveling"], "confidence": 1.0, "authority": "source", "evidence_refs": [source],
    });
    let created = table.keep("neo4j_create_entity", gandalf.clone()).await;
    assert_eq!(created["canon_level"], "canon");
    assert!(created["created_at"].as_str().unwrap().parse::<scope::Timestamp>().is_ok());
    let read = table.ok("Narrator", "neo4j_get_entity", json!({ "entity_id": created["entity_id"] })).await;
    for (name, value) in gandalf.as_object().unwrap() {
        assert_eq!(read["entity"][name], *value, "{name}");
    }
    assert_eq!(read["entity"], created["entity"]);
    assert_eq!((&read["relationships"], &read["state_history"]), (&json!([]), &json!([])));
}

//
#[tokio::test]
async fn a_new_entity_must_fit_its_universe_its_class_and_its_evidence() {
    let table = Table::new();
    let (universe, source) = table.world().await;
    let other = table.universe("Narnia").await;
    let foreign_source = table.source(&other).await;
    let archetype = async |universe: &str, source: &str, kind: &str| {
        let mut arguments = new_entity(universe, source);
        arguments["entity_class"] = json!("EntityAxiomatica");
        arguments["entity_type"] = json!(kind);
        id(&table.keep("neo4j_create_entity", arguments).await, "entity_id")
    };
    let wizard = archetype(&universe, &source, "character").await;
    let tower = archetype(&universe, &source, "location").await;
    let faun = archetype(&other, &foreign_source, "character").await;
    let frodo = table.entity((&universe, &source), "Frodo", "character", &[]).await;
    let check = async |name: &str, value: Value, expected: &str| {
        let mut arguments = new_entity(&universe, &source);
        arguments[name] = value;
        let shown = match table.call("CanonKeeper", "neo4j_create_entity", arguments).await {
            Ok(answer) => format!("{} {}", answer["canon_level"], answer["entity"]["derives_from"]),
            Err(error) => crate::table::shown(&error),
        };
        assert!(shown.starts_with(expected), "{name}: {shown}");
    };
    check("derives_from", json!(wizard), &format!("\"canon\" \"{wizard}\"")).await;
    check("derives_from", json!(tower), "CONSTRAINT_VIOLATION derives_from: derives_from names a location, and").await;
    check("derives_from", json!(frodo), "CONSTRAINT_VIOLATION derives_from: ").await;
    check("derives_from", json!(faun), "CONSTRAINT_VIOLATION derives_from: ").await;
    check("derives_from", json!(NOWHERE), "NOT_FOUND derives_from: ").await;
    check("universe_id", json!(NOWHERE), "NOT_FOUND universe_id: ").await;
    check("universe_id", json!("Middle-earth"), "VALIDATION_ERROR universe_id: ").await;
    check("entity_type", json!("deity"), "VALIDATION_ERROR entity_type: ").await;
    check("confidence", json!(1.2), "VALIDATION_ERROR confidence: ").await;
    check("confidence", json!(-0.1), "VALIDATION_ERROR confidence: ").await;
    check("authority", json!("nobody"), "VALIDATION_ERROR authority: ").await;
    check("properties", json!("none"), "VALIDATION_ERROR properties: ").await;
    check("evidence_refs", json!([]), "VALIDATION_ERROR evidence_refs: evidence_refs is empty").await;
    check("evidence_refs", json!(["the book"]), "VALIDATION_ERROR evidence_refs[0]: ").await;
    check("evidence_refs", json!([source, format!("turn:{NOWHERE}")]), "NOT_FOUND evidence_refs[1]: ").await;
    check("evidence_refs", json!([foreign_source]), "CONSTRAINT_VIOLATION evidence_refs[0]: ").await;
    check("state_tags", json!(["alive", "dead"]), "VALIDATION_ERROR state_tags: ").await;
    check("name", json!("G\u{430}ndalf"), "VALIDATION_ERROR name: name mixes scripts").await;
    check("name", json!("x".repeat(201)), "VALIDATION_ERROR name: ").await;
    for (name, value) in [("state_tags", json!(["alive"])), ("derives_from", json!(wizard))] {
        let mut arguments = new_entity(&universe, &source);
        arguments["entity_class"] = json!("EntityAxiomatica");
        arguments[name] = value;
        let refused = table.refused("CanonKeeper", "neo4j_create_entity", arguments).await;
        assert!(refused.starts_with(&format!("VALIDATION_ERROR {name}: {name} is given, and an Entity")), "{refused}");
    }
}

//
#[tokio::test]
async fn related_entities_come_with_the_entity_when_asked_for() {
    let table = Table::new();
    let (universe, source) = table.world().await;
    let world = (universe.as_str(), source.as_str());
    let frodo = table.entity(world, "Frodo", "character", &[]).await;
    let sam = table.entity(world, "Sam", "character", &[]).await;
    let shire = table.entity(world, "Shire", "location", &[]).await;
    let edge = |from: &str, to: &str, rel_type: &str| {
        json!({
            "from_entity_id": from, "to_entity_id": to, "rel_type": rel_type, "confidence": 1, "authority": "source",
            "evidence_refs": [source], "properties": { "role": "friend" },
        })
    };
    let created = table.keep("neo4j_create_relationship", edge(&sam, &frodo, "allied with")).await;
    assert_eq!((&created["relationship"]["rel_type"], &created["canon_level"]), (&json!("ALLY_OF"), &json!("canon")));
    table.keep("neo4j_create_relationship", edge(&frodo, &shire, "LOCATED_IN")).await;
    let read = async |include: bool| {
        let arguments = json!({ "entity_id": frodo, "include_relationships": include });
        let answer = table.ok("Resolver", "neo4j_get_entity", arguments).await;
        let names = answer["related_entities"].as_array().unwrap().iter().map(|it| id(it, "name"));
        let mut names: Vec<String> = names.collect();
        names.sort();
        (names.join(" "), answer["relationships"].as_array().unwrap().len())
    };
    assert_eq!(read(true).await, ("Sam Shire".to_owned(), 2));
    assert_eq!(read(false).await, (String::new(), 0));
    let missing = table.refused("Narrator", "neo4j_get_entity", json!({ "entity_id": NOWHERE })).await;
    assert!(missing.starts_with("NOT_FOUND entity_id: "), "{missing}");
    let total =
        async |arguments: Value| table.ok("Indexer", "neo4j_query_relationships", arguments).await["total"].clone();
    assert_eq!(total(json!({ "entity_id": frodo })).await, 2);
    assert_eq!(total(json!({ "entity_id": frodo, "rel_type": "ally_of" })).await, 1);
    assert_eq!(total(json!({ "universe_id": universe, "rel_type": "LOCATED_IN" })).await, 1);
    assert_eq!(total(json!({ "universe_id": universe, "canon_level": "retconned" })).await, 0);
}

//
#[tokio::test]
async fn a_relationship_that_cannot_be_is_refused() {
    let table = Table::new();
    let (universe, source) = table.world().await;
    let world = (universe.as_str(), source.as_str());
    let other = table.universe("Narnia").await;
    let foreign = table.source(&other).await;
    let aslan = table.entity((&other, &foreign), "Aslan", "character", &[]).await;
    let [frodo, sam, mordor, shire] =
        [("Frodo", "character"), ("Sam", "character"), ("Mordor", "location"), ("Shire", "location")]
            .map(|(name, kind)| (name, kind));
    let mut ids = Vec::new();
    for (name, kind) in [frodo, sam, mordor, shire] {
        ids.push(table.entity(world, name, kind, &[]).await);
    }
    let check = async |from: &str, to: &str, rel_type: &str, expected: &str| {
        let arguments = json!({
            "from_entity_id": from, "to_entity_id": to, "rel_type": rel_type, "confidence": 1, "authority": "source",
            "evidence_refs": [source],
        });
        let shown = match table.call("CanonKeeper", "neo4j_create_relationship", arguments).await {
            Ok(answer) => answer["canon_level"].to_string(),
            Err(error) => crate::table::shown(&error),
        };
        assert!(shown.starts_with(expected), "{shown}");
    };
    let [frodo, sam, mordor, shire] = [&ids[0], &ids[1], &ids[2], &ids[3]];
    check(frodo, frodo, "KNOWS", "VALIDATION_ERROR to_entity_id: ").await;
    check(frodo, sam, "INVOLVES", "VALIDATION_ERROR rel_type: ").await;
    check(frodo, &aslan, "KNOWS", "CONSTRAINT_VIOLATION to_entity_id: ").await;
    check(frodo, NOWHERE, "KNOWS", "NOT_FOUND to_entity_id: ").await;
    check(frodo, sam, "ALLY_OF", "\"canon\"").await;
    check(frodo, sam, "ENEMY_OF", "CONSTRAINT_VIOLATION rel_type: rejected (contradicts_canon)").await;
    check(frodo, shire, "LOCATED_IN", "\"canon\"").await;
    check(frodo, mordor, "LOCATED_IN", "CONSTRAINT_VIOLATION rel_type: rejected (contradicts_canon)").await;
}

//
#[tokio::test]
async fn a_change_of_state_is_documented_by_a_fact() {
    let table = Table::new();
    let (universe, source) = table.world().await;
    let world = (universe.as_str(), source.as_str());
    let frodo = table.entity(world, "Frodo", "character", &["alive", "hidden"]).await;
    let change = json!({
        "entity_id": frodo, "state_tag_changes": { "add": ["Wounded"], "remove": ["hidden"] }, "authority": "gm",
        "evidence_refs": [source],
    });
    let changed = table.keep("neo4j_update_entity_state", change.clone()).await;
    assert_eq!(changed["new_state_tags"], json!(["alive", "wounded"]));
    let facts = changed["fact_ids"].as_array().unwrap();
    assert_eq!(facts.len(), 1);
    let fact = table.ok("Narrator", "neo4j_get_fact", json!({ "fact_id": facts[0] })).await["fact"].clone();
    assert_eq!((&fact["fact_type"], &fact["involved_entity_ids"]), (&json!("state"), &json!([frodo])));
    assert_eq!((&fact["authority"], &fact["evidence_refs"]), (&json!("gm"), &json!([source])));
    let read = |history: bool| json!({ "entity_id": frodo, "include_state_history": history });
    let with = table.ok("Narrator", "neo4j_get_entity", read(true)).await;
    assert_eq!(with["state_history"], json!([fact]));
    assert_eq!(with["entity"]["state_tags"], json!(["alive", "wounded"]));
    assert_eq!(table.ok("Narrator", "neo4j_get_entity", read(false)).await["state_history"], json!([]));
    // The state before is still there to be read.
    let before = changed["receipt"]["sequence"].as_i64().unwrap() - 1;
    let past = json!({ "entity_id": frodo, "read_context": { "sequence": before } });
    assert_eq!(
        table.ok("Narrator", "neo4j_get_entity", past).await["entity"]["state_tags"],
        json!(["alive", "hidden"])
    );

    let mut archetype = new_entity(&universe, &source);
    archetype["entity_class"] = json!("EntityAxiomatica");
    let archetype = id(&table.keep("neo4j_create_entity", archetype).await, "entity_id");
    for (name, value, expected) in [
        ("entity_id", json!(archetype), "CONSTRAINT_VIOLATION entity_id: "),
        ("entity_id", json!(NOWHERE), "NOT_FOUND entity_id: "),
        ("authority", json!("source"), "VALIDATION_ERROR authority: "),
        ("state_tag_changes", json!({}), "VALIDATION_ERROR state_tag_changes.add: "),
        ("state_tag_changes", json!({ "add": ["a"], "remove": ["a"] }), "VALIDATION_ERROR state_tag_changes.remove: "),
        ("state_tag_changes", json!({ "add": ["a", "a"] }), "VALIDATION_ERROR state_tag_changes.add: "),
        ("evidence_refs", json!([]), "VALIDATION_ERROR evidence_refs: "),
    ] {
        let mut arguments = change.clone();
        arguments[name] = value;
        let refused = table.refused("CanonKeeper", "neo4j_update_entity_state", arguments).await;
        assert!(refused.starts_with(expected), "{refused}");
    }
    // Who is alive does not become dead on anybody's word; a game master's changes the canon.
    let death = json!({
        "entity_id": frodo, "state_tag_changes": { "add": ["dead"] }, "authority": "player", "evidence_refs": [source],
    });
    let refused = table.refused("CanonKeeper", "neo4j_update_entity_state", death.clone()).await;
    assert!(refused.starts_with("CONSTRAINT_VIOLATION state_tag_changes: rejected (contradicts_canon)"), "{refused}");
    let mut told = death;
    told["authority"] = json!("gm");
    let gm = Player { roles: &["service", "gm"], ..player("CanonKeeper") };
    let dead = table.call_as(gm, "neo4j_update_entity_state", told).await.unwrap();
    assert_eq!(dead["new_state_tags"], json!(["dead", "wounded"]));
}
