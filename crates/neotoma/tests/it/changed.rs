//! What reads show of entities that were corrected, merged or deleted.

use serde_json::{Value, json};

use crate::desk::Desk;

/// Two companies, each with a date and an edge to a person, with these statements about each; their ids.
async fn twins(desk: &Desk, statements: usize) -> (String, String) {
    let mut ids = Vec::new();
    for (name, day) in [("Acme", "2001-01-01"), ("Zenith", "2002-02-02")] {
        for number in 0..statements {
            let at = format!("2024-01-{:02}", 1 + (number * 7 + name.len()) % 28);
            let provenance = json!({"extracted_at": at, "extractor_version": "1"});
            let entity = json!({"entity_type": "company", "name": name, "founded_on": day, "industry": format!("{name} {number}")});
            let answer = desk.ok("ingest", json!({"entities": [entity], "provenance": provenance})).await;
            if number == 0 {
                ids.push(answer["entities"][0]["id"].as_str().unwrap().to_owned());
            }
        }
        let person = json!([{"entity_type": "person", "name": format!("{name} Boss")}]);
        let person = desk.store(person).await;
        let id = ids.last().unwrap();
        let edge = json!({"relationship_type": "REFERS_TO", "source_entity_id": person, "target_entity_id": id});
        desk.ok("create_relationship", edge).await;
    }
    (ids[0].clone(), ids[1].clone())
}

async fn merge(desk: &Desk, from: &str, to: &str) {
    desk.ok("merge_entities", json!({"from_entity_id": from, "to_entity_id": to})).await;
}

fn ids(items: &Value) -> Vec<&str> {
    items.as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect()
}

// N-140, N-142
#[tokio::test]
async fn merged_entities_are_listed_only_when_asked_for() {
    let desk = Desk::new();
    let (acme, zenith) = twins(&desk, 1).await;
    merge(&desk, &acme, &zenith).await;
    let live = desk.ok("retrieve_entities", json!({"entity_type": "company"})).await;
    assert_eq!((ids(&live["entities"]), &live["total"]), (vec![zenith.as_str()], &json!(1)));
    assert_eq!(live["excluded_merged"], true);
    let both = vec![acme.as_str(), zenith.as_str()];
    for arguments in [json!({}), json!({"limit": 1}), json!({"filters": [{"field": "name", "op": "exists"}]})] {
        let mut arguments = arguments;
        arguments["entity_type"] = json!("company");
        arguments["include_merged"] = json!(true);
        let mut found = Vec::new();
        loop {
            let page = desk.ok("retrieve_entities", arguments.clone()).await;
            assert_eq!((&page["total"], &page["excluded_merged"]), (&json!(2), &json!(false)));
            for entity in page["entities"].as_array().unwrap() {
                let into = if entity["id"] == json!(acme) { json!(zenith) } else { Value::Null };
                assert_eq!(entity["merged_into"], into);
                found.push(entity["id"].as_str().unwrap().to_owned());
            }
            match page.get("next_cursor") {
                Some(next) => arguments["cursor"] = next.clone(),
                None => break,
            }
        }
        assert_eq!(found, both);
    }
    let second = json!({"entity_type": "company", "include_merged": true, "offset": 1});
    assert_eq!(ids(&desk.ok("retrieve_entities", second).await["entities"]), both[1..]);
}

// N-124, N-123
#[tokio::test]
async fn observations_of_merged_entities_are_listed_with_the_survivor() {
    let desk = Desk::new();
    let (acme, zenith) = twins(&desk, 12).await;
    merge(&desk, &acme, &zenith).await;
    let whole = desk.ok("list_observations", json!({"entity_id": zenith})).await;
    let all = whole["observations"].as_array().unwrap();
    assert_eq!((all.len(), &whole["total"]), (24, &json!(24)));
    assert!(all.iter().all(|one| one["source_id"].is_string()));
    let place = |one: &Value| (one["observed_at"].as_str().unwrap().to_owned(), one["id"].as_str().unwrap().to_owned());
    let mut sorted: Vec<_> = all.iter().map(place).collect();
    sorted.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
    assert_eq!(all.iter().map(place).collect::<Vec<_>>(), sorted);
    let written_to = |id: &str| all.iter().filter(|one| one["entity_id"] == json!(id)).count();
    assert_eq!((written_to(&acme), written_to(&zenith)), (12, 12));
    let mut paged = Vec::new();
    for offset in (0..24).step_by(5) {
        let page = desk.ok("list_observations", json!({"entity_id": acme, "limit": 5, "offset": offset})).await;
        paged.extend(ids(&page["observations"]).into_iter().map(str::to_owned));
    }
    assert_eq!(paged, ids(&whole["observations"]));
    let corrected = json!({"entity_id": zenith, "entity_type": "company", "field": "country", "value": "DE"});
    desk.ok("correct", corrected).await;
    desk.ok("delete", json!({"id": zenith})).await;
    desk.ok("restore", json!({"id": zenith})).await;
    let whole = desk.ok("list_observations", json!({"entity_id": zenith})).await;
    assert_eq!(whole["total"], 27);
    assert!(whole["observations"].as_array().unwrap().iter().all(|one| one["source_id"].is_string()), "{whole}");
}

// N-114
#[tokio::test]
async fn every_read_of_a_merged_id_answers_with_the_survivor() {
    let desk = Desk::new();
    let (acme, zenith) = twins(&desk, 2).await;
    merge(&desk, &acme, &zenith).await;
    for (tool, name) in [
        ("list_observations", "entity_id"),
        ("list_relationships", "entity_id"),
        ("get_related_entities", "entity_id"),
        ("get_graph_neighborhood", "node_id"),
    ] {
        let of_merged = desk.ok(tool, json!({name: acme})).await;
        assert_eq!(of_merged, desk.ok(tool, json!({name: zenith})).await, "{tool}");
        assert_eq!(of_merged, desk.ok(tool, json!({name: "Acme"})).await, "{tool}");
    }
    let snapshot = desk.ok("get_entity_snapshot", json!({"entity_id": acme})).await;
    assert_eq!((&snapshot["entity_id"], &snapshot["merged_from"]), (&json!(zenith), &json!([acme])));
    let related = desk.ok("get_related_entities", json!({"entity_id": acme})).await;
    assert_eq!((&related["total_entities"], &related["total_relationships"]), (&json!(2), &json!(2)));
    let found = desk.ok("get_entity_by_identifier", json!({"identifier": "acme"})).await;
    assert_eq!((&found["entities"][0]["id"], &found["entities"][0]["match"]), (&json!(zenith), &json!("exact")));
    let events = desk.ok("list_timeline_events", json!({})).await;
    assert_eq!((&events["total"], &events["events"][0]["entity_ids"]), (&json!(1), &json!([zenith])));
    let snapshot = &snapshot["snapshot"];
    for (field, value) in snapshot.as_object().unwrap() {
        let answer = desk.ok("get_field_provenance", json!({"entity_id": acme, "field": field})).await;
        assert_eq!(answer["value"], *value);
    }
    let source =
        desk.ok("list_observations", json!({"entity_id": acme, "limit": 1})).await["observations"][0]["source_id"]
            .clone();
    let around = desk.ok("get_graph_neighborhood", json!({"node_id": source, "node_type": "source"})).await;
    assert_eq!(ids(&around["related_entities"]), [zenith]);
}

// N-132, N-133, N-134, N-188
#[tokio::test]
async fn a_corrected_field_leads_to_its_correction() {
    let desk = Desk::new();
    let (acme, _) = twins(&desk, 2).await;
    let correct = |field: &str, value: Value| json!({"entity_id": acme, "entity_type": "company", "field": field, "value": value});
    let corrected = desk.ok("correct", correct("industry", json!("tools"))).await;
    let later = json!([{"entity_type": "company", "name": "Acme", "industry": "later"}]);
    desk.store(later).await;
    let answer = desk.ok("get_field_provenance", json!({"entity_id": acme, "field": "industry"})).await;
    assert_eq!(
        (&answer["value"], &answer["source_observation"]["id"]),
        (&json!("tools"), &corrected["observation_id"])
    );
    assert_eq!(answer["source_material"]["kind"], "internal");
    let lost = answer["other_observations"].as_array().unwrap();
    assert_eq!(lost.len(), 3);
    assert!(lost.iter().all(|one| one["reason"] == "outranked by a correction"), "{lost:?}");
    assert_eq!(lost[0]["value"], "later");
    desk.ok("correct", correct("founded_on", json!("2011-11-11"))).await;
    let events = desk.ok("list_timeline_events", json!({"after_date": "2010-01-01"})).await;
    assert_eq!((&events["total"], &events["events"][0]["entity_ids"]), (&json!(1), &json!([acme])));
    assert_eq!(desk.ok("list_timeline_events", json!({})).await["total"], 2);
}

// N-114, N-168, N-188, N-293
#[tokio::test]
async fn what_is_deleted_is_nowhere_and_comes_back() {
    let desk = Desk::new();
    let (acme, zenith) = twins(&desk, 1).await;
    let edge = json!({"relationship_type": "PART_OF", "source_entity_id": zenith, "target_entity_id": acme});
    desk.ok("create_relationship", edge).await;
    desk.ok("delete", json!({"id": acme})).await;
    for (tool, name) in [
        ("get_entity_snapshot", "entity_id"),
        ("list_observations", "entity_id"),
        ("list_relationships", "entity_id"),
        ("get_related_entities", "entity_id"),
        ("get_graph_neighborhood", "node_id"),
    ] {
        for reference in [acme.as_str(), "Acme"] {
            assert_eq!(desk.refused(tool, json!({name: reference})).await["code"], "ENTITY_NOT_FOUND", "{tool}");
        }
    }
    let refused = desk.refused("get_field_provenance", json!({"entity_id": acme, "field": "name"})).await;
    assert_eq!(refused["code"], "ENTITY_NOT_FOUND");
    for arguments in [json!({}), json!({"include_merged": true}), json!({"sort": "name"})] {
        let listed = desk.ok("retrieve_entities", arguments).await;
        assert!(!ids(&listed["entities"]).contains(&acme.as_str()));
        assert_eq!(listed["total"], 3);
    }
    let found = desk.ok("get_entity_by_identifier", json!({"identifier": "Acme"})).await;
    assert!(!ids(&found["entities"]).contains(&acme.as_str()));
    assert_eq!(desk.ok("list_timeline_events", json!({})).await["total"], 1);
    let related = desk.ok("get_related_entities", json!({"entity_id": zenith})).await;
    assert_eq!((&related["total_entities"], &related["total_relationships"]), (&json!(1), &json!(1)));
    let around = desk.ok("get_graph_neighborhood", json!({"node_id": zenith})).await;
    assert_eq!((ids(&around["related_entities"]).len(), ids(&around["relationships"]).len()), (1, 1));
    desk.ok("restore", json!({"id": acme})).await;
    assert_eq!(desk.ok("get_related_entities", json!({"entity_id": zenith})).await["total_entities"], 2);
}

// N-109, N-132
#[tokio::test]
async fn a_merged_array_names_all_that_contribute() {
    let desk = Desk::new();
    let definition = json!({
        "fields": {"title": {"type": "string", "required": true}, "tags": {"type": "array"}},
        "identity": [["title"]], "reducers": {"tags": {"strategy": "merge_array"}},
    });
    desk.ok("register_schema", json!({"entity_type": "recipe", "definition": definition})).await;
    let mut observations = Vec::new();
    for (tags, priority) in [(json!(["b", "a"]), 100), (json!(["c"]), 100), (json!(["low"]), 10)] {
        let entity = json!({"entity_type": "recipe", "title": "Soup", "tags": tags});
        let answer = desk.ok("ingest", json!({"entities": [entity], "source_priority": priority})).await;
        observations.push(answer["entities"][0]["observation_id"].as_str().unwrap().to_owned());
    }
    let answer = desk.ok("get_field_provenance", json!({"entity_id": "Soup", "field": "tags"})).await;
    assert_eq!(answer["value"], json!(["a", "b", "c"]));
    let mut both = observations[..2].to_vec();
    both.sort();
    assert_eq!(answer["contributors"], json!(both));
    assert!(both.contains(&answer["source_observation"]["id"].as_str().unwrap().to_owned()));
    assert_eq!(ids(&answer["other_observations"]), [observations[2].as_str()]);
    assert_eq!(answer["other_observations"][0]["reason"], "lower priority");
    let listed = desk.ok("retrieve_entities", json!({"entity_type": "recipe"})).await;
    assert_eq!(listed["entities"][0]["snapshot"], json!({"tags": ["a", "b", "c"], "title": "Soup"}));
}
