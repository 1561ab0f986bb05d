//! Listings of entities: each filter, pages, points in history.

use serde_json::{Value, json};

use crate::table::{Table, id, new_entity};

/// A world of people and places; the universe and its source.
async fn populated(table: &Table) -> (String, String) {
    let (universe, source) = table.world().await;
    let world = (universe.as_str(), source.as_str());
    for (name, kind, tags) in [
        ("Frodo", "character", &["alive", "hidden"] as &[&str]),
        ("Sam", "character", &["alive"]),
        ("Boromir", "character", &["dead"]),
        ("Gandalf the Grey", "character", &["alive", "traveling"]),
        ("Moria", "location", &["dark", "hidden"]),
    ] {
        table.entity(world, name, kind, tags).await;
    }
    let mut wizard = new_entity(&universe, &source);
    wizard["entity_class"] = json!("EntityAxiomatica");
    wizard["name"] = json!("Wizard");
    wizard["confidence"] = json!(0.1);
    table.keep("neo4j_create_entity", wizard).await;
    (universe, source)
}

//
#[tokio::test]
async fn entities_are_found_by_each_filter_and_by_several() {
    let table = Table::new();
    let (universe, _) = populated(&table).await;
    let other = table.universe("Narnia").await;
    let foreign = table.source(&other).await;
    table.entity((&other, &foreign), "Aslan", "character", &["alive"]).await;
    let check = async |filter: Value, expected: &str| {
        let answer = table.ok("Resolver", "neo4j_query_entities", filter.clone()).await;
        let mut names: Vec<String> = answer["entities"].as_array().unwrap().iter().map(|it| id(it, "name")).collect();
        names.sort();
        assert_eq!(names.join(", "), expected, "{filter}");
        assert_eq!(answer["total"], names.len(), "{filter}");
    };
    let tags = |kind: &str, tags: &[&str]| json!({ "universe_id": universe, "state_tags": { kind: tags } });
    check(json!({ "universe_id": universe }), "Boromir, Frodo, Gandalf the Grey, Moria, Sam, Wizard").await;
    check(json!({ "universe_id": other }), "Aslan").await;
    check(json!({}), "Aslan, Boromir, Frodo, Gandalf the Grey, Moria, Sam, Wizard").await;
    check(json!({ "universe_id": universe, "entity_type": "location" }), "Moria").await;
    check(json!({ "universe_id": universe, "entity_type": "faction" }), "").await;
    check(json!({ "universe_id": universe, "entity_class": "EntityAxiomatica" }), "Wizard").await;
    check(json!({ "universe_id": universe, "canon_level": "proposed" }), "Wizard").await;
    check(json!({ "universe_id": universe, "canon_level": "retconned" }), "").await;
    let three = json!({ "entity_type": "character", "entity_class": "EntityConcreta", "canon_level": "canon" });
    check(three, "Aslan, Boromir, Frodo, Gandalf the Grey, Sam").await;
    check(tags("all_of", &["alive"]), "Frodo, Gandalf the Grey, Sam").await;
    check(tags("all_of", &["Alive", "hidden"]), "Frodo").await;
    check(tags("any_of", &["dead", "hidden"]), "Boromir, Frodo, Moria").await;
    check(tags("any_of", &["alive", "hidden"]), "Frodo, Gandalf the Grey, Moria, Sam").await;
    check(tags("none_of", &["alive"]), "Boromir, Moria, Wizard").await;
    let mixed =
        json!({ "state_tags": { "any_of": ["alive", "dead"], "none_of": ["hidden"] }, "universe_id": universe });
    check(mixed, "Boromir, Gandalf the Grey, Sam").await;
    let narrow = json!({ "state_tags": { "all_of": ["alive"] }, "name_pattern": "*grey", "entity_type": "character" });
    check(narrow, "Gandalf the Grey").await;
    check(json!({ "name_pattern": "GAN" }), "Gandalf the Grey").await;
    check(json!({ "name_pattern": "s*" }), "Sam").await;
    check(json!({ "name_pattern": "?am" }), "Sam").await;
    check(json!({ "name_pattern": "m*", "canon_level": "canon" }), "Moria").await;
}

//
#[tokio::test]
async fn pages_follow_each_other_without_gaps() {
    let table = Table::new();
    let (universe, _) = populated(&table).await;
    for filter in [
        json!({ "universe_id": universe }),
        json!({}),
        json!({ "universe_id": universe, "canon_level": "canon" }),
        json!({ "universe_id": universe, "state_tags": { "none_of": ["dark"] } }),
        json!({ "state_tags": { "any_of": ["alive", "dead", "hidden"] } }),
    ] {
        let page = async |limit: usize, offset: usize| {
            let mut arguments = filter.clone();
            arguments["limit"] = json!(limit);
            arguments["offset"] = json!(offset);
            let answer = table.ok("Indexer", "neo4j_query_entities", arguments).await;
            answer["entities"].as_array().unwrap().iter().map(|it| id(it, "entity_id")).collect::<Vec<_>>()
        };
        let all = page(500, 0).await;
        let mut paged = Vec::new();
        for offset in (0..=all.len()).step_by(2) {
            paged.extend(page(2, offset).await);
        }
        assert_eq!(paged, all, "{filter}");
        assert!(page(5, 100).await.is_empty());
    }
    for (limit, offset) in [(0, 0), (501, 0), (-1, 0), (1, -1)] {
        let refused =
            table.refused("Indexer", "neo4j_query_entities", json!({ "limit": limit, "offset": offset })).await;
        assert!(refused.starts_with("VALIDATION_ERROR"), "{refused}");
    }
}

#[tokio::test]
async fn the_past_is_read_as_it_was() {
    let table = Table::new();
    let (universe, source) = populated(&table).await;
    let read = async |point: Option<Value>| {
        let mut arguments = json!({ "universe_id": universe });
        if let Some(point) = point {
            arguments["read_context"] = point;
        }
        table.ok("Narrator", "neo4j_query_entities", arguments).await
    };
    let then = read(None).await;
    let sequence = then["read_context"]["sequence"].clone();
    table.entity((&universe, &source), "Gollum", "character", &[]).await;
    assert_eq!(read(None).await["total"], 7);
    assert_eq!(read(Some(json!({ "sequence": sequence }))).await, then);
    assert_eq!(read(Some(json!({ "as_of": "2027-01-15T08:00:05Z" }))).await["total"], 4);
    let refuse =
        async |point: Value| table.refused("Narrator", "neo4j_query_entities", json!({ "read_context": point })).await;
    assert!(refuse(json!({ "sequence": 9999 })).await.starts_with("VALIDATION_ERROR read_context.sequence: "));
    assert!(refuse(json!({ "sequence": -1 })).await.starts_with("VALIDATION_ERROR read_context.sequence: "));
    let both = json!({ "sequence": 1, "as_of": "2027-01-15T08:00:05Z" });
    assert!(refuse(both).await.starts_with("VALIDATION_ERROR read_context: "));
    assert!(refuse(json!({ "as_of": "once" })).await.starts_with("VALIDATION_ERROR read_context.as_of: "));
}

//
#[tokio::test]
async fn what_exists_is_a_resource() {
    let table = Table::new();
    let (universe, source) = table.world().await;
    let frodo = table.entity((&universe, &source), "Frodo", "character", &[]).await;
    let story = json!({ "universe_id": universe, "title": "Moria", "story_type": "arc" });
    let story = id(&table.keep("neo4j_create_story", story).await, "story_id");
    for (uri, member, name) in [
        (format!("monitor://universe/{universe}"), "universe", "universe_id"),
        (format!("monitor://entity/{frodo}"), "entity", "entity_id"),
        (format!("monitor://story/{story}"), "story", "story_id"),
    ] {
        let read = table.read("Indexer", &uri).await.unwrap();
        assert!(uri.ends_with(read[member][name].as_str().unwrap()), "{read}");
        let missing = format!("{}{}", &uri[..uri.len() - 4], "ffff");
        assert_eq!(table.read("Indexer", &missing).await.unwrap_err()["name"], "NOT_FOUND");
    }
}
