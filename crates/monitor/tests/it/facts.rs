//! Facts and events.

use serde_json::{Value, json};

use crate::table::{NOWHERE, Table, id, new_event, new_fact};

//
#[tokio::test]
async fn a_fact_says_when_for_how_long_and_about_whom() {
    let table = Table::new();
    let (universe, source) = table.world().await;
    let world = (universe.as_str(), source.as_str());
    let frodo = table.entity(world, "Frodo", "character", &[]).await;
    let mut arguments = new_fact(&universe, &source);
    arguments["statement"] = json!("Frodo carries the Ring");
    arguments["involved_entity_ids"] = json!([frodo]);
    arguments["time_ref"] = json!("3018-09-23T00:00:00Z");
    arguments["duration"] = json!(86_400);
    let created = table.keep("neo4j_create_fact", arguments.clone()).await;
    assert_eq!(created["canon_level"], "canon");
    assert!(created["created_at"].is_string());
    let read = table.ok("Narrator", "neo4j_get_fact", json!({ "fact_id": created["fact_id"] })).await["fact"].clone();
    assert_eq!(read["duration"], 86_400);
    assert!(read["time_ref"].as_str().unwrap().starts_with("3018-09-23T00:00:00"));
    assert_eq!((&read["involved_entity_ids"], &read["evidence_refs"]), (&json!([frodo]), &json!([source])));
    // The links stand in the ledger: to the entity and to the source.
    let fact = id(&created, "fact_id");
    let tenant = scope::Scope::local().tenant;
    let touching = Some((fact, ledger::Direction::Outgoing));
    let find = ledger::Find { touching, ..ledger::Find::all("monitor.link") };
    let links = table.ledger.find(&tenant, ledger::LIVE, find).await.unwrap().items;
    let mut links: Vec<(String, String)> =
        links.into_iter().map(|link| (link.record.r#type, link.record.ends.unwrap().target)).collect();
    links.sort();
    let source_id = source.trim_start_matches("source:").to_owned();
    assert_eq!(links, [("INVOLVES".to_owned(), frodo.clone()), ("SUPPORTED_BY".to_owned(), source_id)]);

    let other = table.universe("Narnia").await;
    let foreign = table.source(&other).await;
    let aslan = table.entity((&other, &foreign), "Aslan", "character", &[]).await;
    for (name, value, expected) in [
        ("universe_id", json!(NOWHERE), "NOT_FOUND universe_id: "),
        ("involved_entity_ids", json!([frodo, NOWHERE]), "NOT_FOUND involved_entity_ids[1]: "),
        ("involved_entity_ids", json!([aslan]), "CONSTRAINT_VIOLATION involved_entity_ids[0]: "),
        ("involved_entity_ids", json!([frodo, frodo]), "VALIDATION_ERROR involved_entity_ids[1]: "),
        ("statement", json!(" "), "VALIDATION_ERROR statement: "),
        ("statement", json!("x".repeat(2001)), "VALIDATION_ERROR statement: "),
        ("time_ref", json!("yesterday"), "VALIDATION_ERROR time_ref: "),
        ("duration", json!(-1), "VALIDATION_ERROR duration: "),
        ("duration", json!(1.5), "VALIDATION_ERROR duration: "),
        ("confidence", json!(2), "VALIDATION_ERROR confidence: "),
        ("evidence_refs", json!([format!("snippet:{NOWHERE}")]), "NOT_FOUND evidence_refs[0]: "),
    ] {
        let mut arguments = arguments.clone();
        arguments[name] = value;
        let refused = table.refused("CanonKeeper", "neo4j_create_fact", arguments).await;
        assert!(refused.starts_with(expected), "{refused}");
    }
}

#[tokio::test]
async fn a_fact_of_little_weight_is_kept_as_proposed_and_a_denial_is_refused() {
    let table = Table::new();
    let (universe, source) = table.world().await;
    let frodo = table.entity((&universe, &source), "Frodo", "character", &[]).await;
    let fact = |statement: &str, authority: &str, confidence: f64| {
        let mut arguments = new_fact(&universe, &source);
        arguments["statement"] = json!(statement);
        arguments["authority"] = json!(authority);
        arguments["confidence"] = json!(confidence);
        arguments["involved_entity_ids"] = json!([frodo]);
        arguments
    };
    for (authority, confidence, level) in [
        ("source", 0.5, "canon"),
        ("source", 0.49, "proposed"),
        ("gm", 0.5, "canon"),
        ("gm", 0.4, "proposed"),
        ("player", 0.72, "canon"),
        ("player", 0.7, "proposed"),
        ("system", 1.0, "canon"),
        ("system", 0.99, "proposed"),
    ] {
        let statement = format!("Frodo said {authority} {confidence}");
        let created = table.keep("neo4j_create_fact", fact(&statement, authority, confidence)).await;
        assert_eq!(created["canon_level"], level, "{authority} {confidence}");
    }
    table.keep("neo4j_create_fact", fact("Frodo has the Ring", "source", 1.0)).await;
    let refused = table.refused("CanonKeeper", "neo4j_create_fact", fact("Frodo has not the Ring", "gm", 1.0)).await;
    assert!(refused.starts_with("CONSTRAINT_VIOLATION statement: rejected (contradicts_canon)"), "{refused}");
}

//
#[tokio::test]
async fn an_event_leads_to_others_and_never_back() {
    let table = Table::new();
    let (universe, source) = table.world().await;
    let world = (universe.as_str(), source.as_str());
    let frodo = table.entity(world, "Frodo", "character", &[]).await;
    let event = |title: &str, time: &str, causes: &[&str]| {
        let mut arguments = new_event(&universe, &source);
        arguments["title"] = json!(title);
        arguments["time_ref"] = json!(time);
        arguments["severity"] = json!(7);
        arguments["causes_event_ids"] = json!(causes);
        arguments["involved_entity_ids"] = json!([frodo]);
        arguments
    };
    let fall = table.keep("neo4j_create_event", event("The fall", "3019-03-25T00:00:00Z", &[])).await;
    assert_eq!(fall["canon_level"], "canon");
    assert!(fall["created_at"].is_string());
    let fall = id(&fall, "event_id");
    let council = table.keep("neo4j_create_event", event("The council", "3018-10-25T00:00:00Z", &[&fall])).await;
    let council_id = id(&council, "event_id");
    assert_eq!((&council["event"]["causes_event_ids"], &council["event"]["severity"]), (&json!([fall]), &json!(7)));
    let read = table.ok("Narrator", "neo4j_get_event", json!({ "event_id": fall })).await;
    assert_eq!(read["caused_by_event_ids"], json!([council_id]));
    // Severity is 0 where nothing is said.
    let plain = table.keep("neo4j_create_event", new_event(&universe, &source)).await;
    assert_eq!(plain["event"]["severity"], 0);
    let other = table.universe("Narnia").await;
    let foreign = table.source(&other).await;
    let elsewhere = id(&table.keep("neo4j_create_event", new_event(&other, &foreign)).await, "event_id");
    for (name, value, expected) in [
        ("causes_event_ids", json!([NOWHERE]), "NOT_FOUND causes_event_ids[0]: "),
        ("causes_event_ids", json!([elsewhere]), "CONSTRAINT_VIOLATION causes_event_ids[0]: "),
        ("scene_id", json!(NOWHERE), "NOT_FOUND scene_id: "),
        ("severity", json!(11), "VALIDATION_ERROR severity: "),
        ("severity", json!(-1), "VALIDATION_ERROR severity: "),
        (
            "time_ref",
            json!("3020-01-01T00:00:00Z"),
            "CONSTRAINT_VIOLATION causes_event_ids: rejected (contradicts_canon)",
        ),
        ("involved_entity_ids", json!([NOWHERE]), "NOT_FOUND involved_entity_ids[0]: "),
    ] {
        let mut arguments = event("Later", "3018-01-01T00:00:00Z", &[&fall]);
        arguments[name] = value;
        let refused = table.refused("CanonKeeper", "neo4j_create_event", arguments).await;
        assert!(refused.starts_with(expected), "{refused}");
    }
    let total = async |arguments: Value| table.ok("Indexer", "neo4j_query_events", arguments).await["total"].clone();
    assert_eq!(total(json!({ "universe_id": universe })).await, 3);
    assert_eq!(total(json!({ "entity_id": frodo })).await, 2);
    let range = json!({ "start": "3019-01-01T00:00:00Z", "end": "3019-12-31T00:00:00Z" });
    assert_eq!(total(json!({ "universe_id": universe, "time_range": range })).await, 1);
    assert_eq!(total(json!({ "entity_id": frodo, "canon_level": "retconned" })).await, 0);
    assert_eq!(total(json!({ "scene_id": NOWHERE })).await, 0);
}

//
#[tokio::test]
async fn facts_are_found_by_each_filter_and_by_all_of_them() {
    let table = Table::new();
    let (universe, source) = table.world().await;
    let world = (universe.as_str(), source.as_str());
    let frodo = table.entity(world, "Frodo", "character", &[]).await;
    let sam = table.entity(world, "Sam", "character", &[]).await;
    let other = table.universe("Narnia").await;
    let foreign = table.source(&other).await;
    table.fact((&other, &foreign), "It snows", &[]).await;
    let mut number = 0;
    for (entity, authority, confidence, year) in [
        (&frodo, "source", 1.0, "3001"),
        (&frodo, "gm", 1.0, "3002"),
        (&frodo, "player", 0.1, "3003"),
        (&sam, "source", 1.0, "3002"),
        (&sam, "system", 0.2, "3004"),
    ] {
        number += 1;
        let mut arguments = new_fact(&universe, &source);
        arguments["statement"] = json!(format!("Thing number {number}"));
        arguments["involved_entity_ids"] = json!([entity]);
        arguments["authority"] = json!(authority);
        arguments["confidence"] = json!(confidence);
        arguments["time_ref"] = json!(format!("{year}-06-01T00:00:00Z"));
        table.keep("neo4j_create_fact", arguments).await;
    }
    let found = async |filter: Value| {
        let answer = table.ok("Narrator", "neo4j_query_facts", filter).await;
        let facts = answer["facts"].as_array().unwrap();
        let mut numbers: Vec<String> =
            facts.iter().map(|fact| id(fact, "statement").rsplit(' ').next().unwrap().to_owned()).collect();
        numbers.sort();
        assert_eq!(answer["total"], numbers.len());
        numbers.join("")
    };
    let year = |from: &str, to: &str| json!({ "start": format!("{from}-01-01T00:00:00Z"), "end": format!("{to}-12-31T00:00:00Z") });
    assert_eq!(found(json!({ "universe_id": universe })).await, "12345");
    assert_eq!(found(json!({ "entity_id": frodo })).await, "123");
    assert_eq!(found(json!({ "entity_id": frodo, "universe_id": other })).await, "");
    assert_eq!(found(json!({ "universe_id": universe, "canon_level": "canon" })).await, "124");
    assert_eq!(found(json!({ "universe_id": universe, "canon_level": "proposed" })).await, "35");
    assert_eq!(found(json!({ "universe_id": universe, "canon_level": "retconned" })).await, "");
    assert_eq!(found(json!({ "universe_id": universe, "authority": "source" })).await, "14");
    assert_eq!(found(json!({ "authority": "gm" })).await, "2");
    assert_eq!(found(json!({ "authority": "system", "canon_level": "proposed" })).await, "5");
    assert_eq!(found(json!({ "universe_id": universe, "time_range": year("3002", "3003") })).await, "234");
    assert_eq!(found(json!({ "time_range": { "start": "3004-06-01T00:00:00Z" } })).await, "5");
    assert_eq!(found(json!({ "time_range": { "end": "3001-06-01T00:00:00Z" } })).await, "1");
    assert_eq!(found(json!({ "time_range": year("3002", "3003"), "authority": "source" })).await, "4");
    let all = json!({
        "universe_id": universe, "entity_id": frodo, "time_range": year("3001", "3002"), "canon_level": "canon",
        "authority": "gm",
    });
    assert_eq!(found(all).await, "2");
    let page = json!({ "universe_id": universe, "limit": 2, "offset": 4 });
    let page = table.ok("Narrator", "neo4j_query_facts", page).await;
    assert_eq!((page["facts"].as_array().unwrap().len(), &page["total"]), (1, &json!(5)));
    for (name, value, expected) in [
        ("limit", json!(0), "VALIDATION_ERROR limit: "),
        ("limit", json!(501), "VALIDATION_ERROR limit: limit is 501"),
        ("offset", json!(-1), "VALIDATION_ERROR offset: "),
        ("entity_id", json!(NOWHERE), "NOT_FOUND entity_id: "),
        (
            "time_range",
            json!({ "start": "3002-01-01T00:00:00Z", "end": "3001-01-01T00:00:00Z" }),
            "VALIDATION_ERROR time_range.end: ",
        ),
        ("authority", json!("God"), "VALIDATION_ERROR authority: "),
    ] {
        let refused = table.refused("Narrator", "neo4j_query_facts", json!({ name: value })).await;
        assert!(refused.starts_with(expected), "{refused}");
    }
}

//
#[tokio::test]
async fn a_retcon_keeps_both_facts() {
    let table = Table::new();
    let (universe, source) = table.world().await;
    let frodo = table.entity((&universe, &source), "Frodo", "character", &[]).await;
    let old = table.fact((&universe, &source), "Frodo lives in Bree", &[&frodo]).await;
    let arguments = json!({
        "fact_id": old, "canon_level": "retconned", "replacement_statement": "Frodo lives in the Shire", "authority": "gm",
        "evidence_refs": [source],
    });
    let answer = table.keep("neo4j_update_fact_canon_level", arguments.clone()).await;
    assert_eq!(
        (&answer["canon_level"], &answer["fact"]["replaced_by"]),
        (&json!("retconned"), &answer["replacement_fact_id"])
    );
    let read = async |id: &Value| table.ok("Narrator", "neo4j_get_fact", json!({ "fact_id": id })).await;
    let before = read(&json!(old)).await;
    assert_eq!(
        (&before["fact"]["canon_level"], &before["fact"]["statement"]),
        (&json!("retconned"), &json!("Frodo lives in Bree"))
    );
    assert_eq!(before["dependent_ids"], json!([answer["replacement_fact_id"]]));
    let after = read(&answer["replacement_fact_id"]).await["fact"].clone();
    assert_eq!((&after["statement"], &after["canon_level"]), (&json!("Frodo lives in the Shire"), &json!("canon")));
    assert_eq!((&after["replaces"], &after["involved_entity_ids"]), (&json!(old), &json!([frodo])));
    let again = table.refused("CanonKeeper", "neo4j_update_fact_canon_level", arguments).await;
    assert!(again.starts_with("CONSTRAINT_VIOLATION canon_level: the fact is retconned"), "{again}");
}
