//! Answers and what a filter compares with are bounded, with a mark and a way to the rest.

use contract::Blob;
use serde_json::{Value, json};

use crate::desk::{ANN, Desk};

/// Far more than any answer may take.
const LONG: usize = 900_000;
/// No answer is longer than this, in characters of JSON.
const ANSWER_CHARS_MAX: usize = 400_000;

/// An entity with long texts and many fields, and others around it.
async fn large() -> (Desk, String) {
    let desk = Desk::new();
    let mut fields = json!({"entity_type": "box", "name": "Box", "text": "x".repeat(LONG), "other": "y".repeat(LONG)});
    for number in 0..300 {
        fields[format!("field_{number}")] = json!("a value");
    }
    let id = desk.store(json!([fields])).await;
    for number in 0..6 {
        let name = format!("part {number}");
        desk.store(json!([{"entity_type": "box", "name": name, "text": "z".repeat(LONG)}])).await;
        let edge = json!({"relationship_type": "PART_OF", "source_entity_id": name, "target_entity_id": id, "metadata": {"note": "n".repeat(LONG)}});
        desk.ok("create_relationship", edge).await;
    }
    desk.ok("correct", json!({"entity_id": id, "entity_type": "box", "field": "text", "value": "w".repeat(LONG)}))
        .await;
    (desk, id)
}

#[tokio::test]
async fn no_answer_is_without_bound_and_what_is_cut_is_marked() {
    let (desk, id) = large().await;
    for (tool, arguments, truncated) in [
        ("get_entity_snapshot", json!({"entity_id": id}), json!(true)),
        ("get_graph_neighborhood", json!({"node_id": id, "include_observations": true}), Value::Null),
        ("get_related_entities", json!({"entity_id": id}), json!(true)),
        ("list_observations", json!({"entity_id": id}), json!(true)),
        ("list_relationships", json!({"entity_id": id}), Value::Null),
        ("retrieve_entities", json!({"entity_type": "box"}), Value::Null),
        ("get_entity_by_identifier", json!({"identifier": "Box"}), Value::Null),
        ("list_timeline_events", json!({}), Value::Null),
    ] {
        let answer = desk.ok(tool, arguments).await;
        let chars = answer.to_string().chars().count();
        assert!(chars <= ANSWER_CHARS_MAX, "{tool} answers with {chars} characters");
        if truncated != Value::Null {
            assert_eq!(answer["truncated"], truncated, "{tool}");
            assert!(answer["more"].as_str().is_some_and(|more| !more.is_empty()), "{tool}");
        }
    }
    let around = desk.ok("get_graph_neighborhood", json!({"node_id": id, "include_observations": true})).await;
    for part in ["entity_snapshot", "related_entities", "observations"] {
        assert!(around["truncated"].as_array().unwrap().contains(&json!(part)), "{part}: {}", around["truncated"]);
    }
    let listed = desk.ok("retrieve_entities", json!({"entity_type": "box", "limit": 1})).await;
    assert_eq!(listed["entities"][0]["truncated"], true);
}

#[tokio::test]
async fn a_field_can_be_read_in_full() {
    let (desk, id) = large().await;
    let cut = desk.snapshot(&id).await["snapshot"]["text"].as_str().unwrap().to_owned();
    assert!(cut.len() < LONG && cut.ends_with("more characters)"), "{}", &cut[cut.len() - 60..]);
    let whole = desk.ok("get_field_provenance", json!({"entity_id": id, "field": "text"})).await;
    assert_eq!(whole["value"].as_str().unwrap(), "w".repeat(LONG));
    let loser = whole["other_observations"][0]["value"].as_str().unwrap();
    assert!(loser.len() < 2000 && loser.ends_with("more characters)"), "{loser}");
}

/// A part of a source, as its resource shows it.
async fn part(desk: &Desk, uri: &str) -> Value {
    let Blob::Text { text, .. } = desk.read_as(ANN, uri).await.unwrap() else { panic!("a source is text") };
    assert!(text.chars().count() <= ANSWER_CHARS_MAX, "{} characters", text.chars().count());
    serde_json::from_str(&text).unwrap()
}

#[tokio::test]
async fn the_resource_of_a_source_is_bounded_and_goes_on() {
    let desk = Desk::new();
    let entities: Vec<Value> = (0..1500)
        .map(|number| json!({"entity_type": "box", "name": format!("B{number}"), "text": "x".repeat(200)}))
        .collect();
    let stored = desk.ok("ingest", json!({"entities": entities})).await;
    let mut uri = format!("neotoma://source/{}", stored["source_id"].as_str().unwrap());
    let (mut read, mut ids) = (Vec::new(), std::collections::BTreeSet::new());
    loop {
        let part = part(&desk, &uri).await;
        read.extend(part["entities"].as_array().unwrap().iter().cloned());
        ids.extend(part["entity_ids"].as_array().unwrap().iter().map(|id| id.as_str().unwrap().to_owned()));
        let Some(more) = part.get("more") else {
            assert_eq!(part.get("truncated"), None);
            break;
        };
        assert_eq!(part["truncated"], true);
        uri = more.as_str().unwrap().split(' ').find(|word| word.starts_with("neotoma://")).unwrap().to_owned();
        assert!(uri.contains(";from="), "{uri}");
    }
    assert_eq!((read, ids.len()), (entities, 1500));
    for nowhere in ["from=x", "from=-1", "form=2"] {
        let error = desk.read_as(ANN, &format!("{};{nowhere}", uri.split(';').next().unwrap())).await.unwrap_err();
        assert_eq!(desk.envelope(&error)["code"], "RESOURCE_NOT_FOUND", "{nowhere}");
    }
}

#[tokio::test]
async fn a_long_value_of_a_source_is_cut_with_a_mark() {
    let desk = Desk::new();
    let stored =
        desk.ok("ingest", json!({"entities": [{"entity_type": "box", "name": "B", "text": "x".repeat(LONG)}]})).await;
    let part = part(&desk, &format!("neotoma://source/{}", stored["source_id"].as_str().unwrap())).await;
    assert!(part["entities"][0]["text"].as_str().unwrap().ends_with("more characters)"));
    assert_eq!(
        (&part["truncated"], &part["more"]),
        (&json!(true), &json!("get_field_provenance shows a value in full"))
    );
}

#[tokio::test]
async fn a_filter_compares_with_a_text_of_bounded_length() {
    let desk = Desk::new();
    let filter = |value: String| json!({"filters": [{"field": "title", "op": "contains", "value": value}]});
    let refused = desk.refused("retrieve_entities", filter("x".repeat(1 << 20))).await;
    assert_eq!(refused["details"]["field"], "filters.0.value");
    assert_eq!(refused["message"], "filters.0.value is longer than 1000 characters");
    assert!(refused.to_string().len() < 2000);
    desk.ok("retrieve_entities", filter("x".repeat(900))).await;
}

#[tokio::test]
async fn a_filter_on_a_field_that_is_not_there_says_so() {
    let desk = Desk::new();
    desk.store(json!([{"entity_type": "invoice", "invoice_number": "INV-1", "vendor_name": "Acme"}])).await;
    let find = |field: &str| json!({"entity_type": "invoice", "filters": [{"field": field, "value": "Acme"}]});
    let nothing = desk.ok("retrieve_entities", find("vendorname")).await;
    assert_eq!(
        nothing["warnings"],
        json!(["filters.0.field is not a declared field of invoice; did you mean vendor_name"])
    );
    assert_eq!(desk.ok("retrieve_entities", find("vendor_name")).await["warnings"], json!([]));
}
