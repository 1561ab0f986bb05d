//! get_entity_by_identifier: exact, then near.

use serde_json::{Value, json};

use crate::desk::Desk;

async fn desk() -> Desk {
    let desk = Desk::new();
    desk.store(json!([
        {"entity_type": "company", "name": "Acme Corp", "email": "info@acme.test", "tax_id": "DE 123.456"},
        {"entity_type": "company", "name": "Acme Holding"},
        {"entity_type": "company", "name": "100% Pure_Water"},
        {"entity_type": "person", "name": "Dr. Zoë Müller", "phone": "+49 30 1234"},
        {"entity_type": "note", "title": "Acme", "content": "About them"},
    ]))
    .await;
    desk
}

/// Names and marks of what an identifier finds.
async fn found(desk: &Desk, arguments: Value) -> Vec<(String, String)> {
    let answer = desk.ok("get_entity_by_identifier", arguments).await;
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let entities = answer["entities"].as_array().unwrap();
    entities.iter().map(|entity| (text(&entity["canonical_name"]), text(&entity["match"]))).collect()
}

// N-148, N-149, N-151
#[tokio::test]
async fn names_addresses_and_numbers_are_found_in_any_notation() {
    let desk = desk().await;
    for (identifier, name) in [
        ("acme holding", "Acme Holding"),
        (" ACME  HOLDING, Inc. ", "Acme Holding"),
        ("INFO@acme.test", "Acme"),
        ("de 123 456", "Acme"),
        ("zoë müller", "Zoë Müller"),
        ("ZOE\u{308} MU\u{308}LLER", "Zoë Müller"),
        ("+49 30 1234", "Zoë Müller"),
    ] {
        let found = found(&desk, json!({"identifier": identifier})).await;
        assert_eq!(found.first(), Some(&(name.to_owned(), "exact".to_owned())), "{identifier}");
    }
    let answer = desk.ok("get_entity_by_identifier", json!({"identifier": "info@acme.test"})).await;
    let first = &answer["entities"][0];
    assert_eq!((&first["entity_type"], &first["snapshot"]["tax_id"]), (&json!("company"), &json!("DE 123.456")));
    assert_eq!((&answer["total"], &desk.snapshot("DE 123.456").await["entity_id"]), (&json!(1), &first["id"]));
}

// N-154
#[tokio::test]
async fn exact_matches_come_before_near_ones() {
    let desk = desk().await;
    let all = found(&desk, json!({"identifier": "Acme"})).await;
    let marks: Vec<&str> = all.iter().map(|(_, mark)| mark.as_str()).collect();
    assert_eq!(marks, ["exact", "exact", "near"]);
    assert_eq!(all[2].0, "Acme Holding");
    assert_eq!(found(&desk, json!({"identifier": "holding something"})).await, [near("Acme Holding")]);
    assert_eq!(found(&desk, json!({"identifier": "Acme Hold"})).await.first(), Some(&near("Acme Holding")));
    assert_eq!(found(&desk, json!({"identifier": "Acne Holdign"})).await, [near("Acme Holding")]);
    assert_eq!(found(&desk, json!({"identifier": "Müler"})).await.len(), 0);
}

// N-154
#[tokio::test]
async fn beside_an_exact_match_names_that_go_on_are_near() {
    let desk = Desk::new();
    let titles = [
        "Pay the rent",
        "Pay the rent of the garage",
        "Pay the rents",
        "Pay the taxes",
        "Rent to pay",
        "AB",
        "ABC",
        "ab c",
    ];
    let tasks: Vec<Value> =
        titles.iter().map(|title| json!({"entity_type": "task", "title": title, "status": "open"})).collect();
    desk.store(json!(tasks)).await;
    let exact = |name: &str| (name.to_owned(), "exact".to_owned());
    for arguments in
        [json!({"identifier": "pay THE rent"}), json!({"identifier": "Pay the rent", "entity_type": "task"})]
    {
        let expected = [exact("Pay the rent"), near("Pay the rents"), near("Pay the rent of the garage")];
        assert_eq!(found(&desk, arguments).await, expected);
    }
    // A short identifier stands for whole words only.
    assert_eq!(found(&desk, json!({"identifier": "ab"})).await, [exact("AB"), near("ab c")]);
    let without_exact = found(&desk, json!({"identifier": "pay rent"})).await;
    assert_eq!(without_exact.len(), 5, "{without_exact:?}");
}

fn near(name: &str) -> (String, String) {
    (name.to_owned(), "near".to_owned())
}

// N-154
#[tokio::test]
async fn all_of_the_words_find_what_is_older_than_all_that_hold_some() {
    let desk = Desk::new();
    desk.store(json!([{"entity_type": "note", "title": "Harbour crane"}])).await;
    // More of each word than are weighed.
    let some: Vec<Value> = (0..320)
        .map(|number| ["Harbour", "Crane"].map(|word| format!("{word} of {number}"))[number % 2].clone())
        .map(|title| json!({"entity_type": "note", "title": title}))
        .collect();
    desk.store(json!(some)).await;
    for arguments in
        [json!({"identifier": "crane harbour"}), json!({"identifier": "crane harbour", "entity_type": "note"})]
    {
        let found = found(&desk, arguments).await;
        assert_eq!((found.len(), &found[0]), (20, &near("Harbour crane")));
    }
    assert_eq!(found(&desk, json!({"identifier": "crane harbour", "entity_type": "task"})).await, []);
    // What is misspelt is found by the longest beginning that a name shares, among however many.
    assert_eq!(found(&desk, json!({"identifier": "Harbourcrane"})).await, [near("Harbour crane")]);
}

// N-154
#[tokio::test]
async fn an_earlier_name_still_finds() {
    let desk = Desk::new();
    desk.store(json!([{"entity_type": "person", "email": "jo@x.test", "name": "Jo Doe"}])).await;
    desk.store(json!([{"entity_type": "person", "email": "jo@x.test", "name": "Jo Smith"}])).await;
    let exact = |name: &str| vec![(name.to_owned(), "exact".to_owned())];
    assert_eq!(found(&desk, json!({"identifier": "Jo Smith"})).await, exact("Jo Smith"));
    assert_eq!(found(&desk, json!({"identifier": "jo doe"})).await, exact("Jo Smith"));
}

// N-154
#[tokio::test]
async fn wildcards_are_plain_characters() {
    let desk = desk().await;
    for identifier in ["%", "_", "%%", "A%", "*", "A?me", "' OR 1=1 --", "\"", "("] {
        assert_eq!(found(&desk, json!({"identifier": identifier})).await, [], "{identifier}");
    }
    let pure = found(&desk, json!({"identifier": "100% pure_water"})).await;
    assert_eq!(pure[0].1, "exact");
}

// N-150, N-155
#[tokio::test]
async fn type_and_limit_narrow() {
    let desk = desk().await;
    assert_eq!(found(&desk, json!({"identifier": "Acme", "entity_type": "note"})).await.len(), 1);
    assert_eq!(found(&desk, json!({"identifier": "Acme", "entity_type": "Companies"})).await.len(), 2);
    assert_eq!(found(&desk, json!({"identifier": "Acme", "entity_type": "task"})).await.len(), 0);
    let answer = desk.ok("get_entity_by_identifier", json!({"identifier": "Acme", "limit": 1})).await;
    assert_eq!((answer["entities"].as_array().unwrap().len(), &answer["total"]), (1, &json!(3)));
    let many: Vec<Value> = (0..30)
        .map(|number| json!({"entity_type": "note", "title": format!("Memo {number}"), "content": "x"}))
        .collect();
    desk.ok("ingest", json!({"entities": many})).await;
    let answer = desk.ok("get_entity_by_identifier", json!({"identifier": "memo"})).await;
    assert_eq!((answer["entities"].as_array().unwrap().len(), &answer["total"]), (20, &json!(30)));
}

// N-152, N-155, N-006
#[tokio::test]
async fn what_is_no_identifier_is_refused() {
    let desk = desk().await;
    for (arguments, field) in [
        (json!({"identifier": ""}), "identifier"),
        (json!({"identifier": " \t\n"}), "identifier"),
        (json!({"identifier": "\u{200b}\u{200d}"}), "identifier"),
        (json!({"identifier": "a\u{0}b"}), "identifier"),
        (json!({"identifier": "x".repeat(1001)}), "identifier"),
        (json!({"identifier": 5}), "identifier"),
        (json!({}), "identifier"),
        (json!({"identifier": "x", "limit": 0}), "limit"),
        (json!({"identifier": "x", "limit": 101}), "limit"),
        (json!({"identifier": "x", "entity_type": "no type"}), "entity_type"),
    ] {
        let refused = desk.refused("get_entity_by_identifier", arguments.clone()).await;
        assert_eq!(
            (&refused["code"], &refused["details"]["field"]),
            (&json!("VALIDATION_ERROR"), &json!(field)),
            "{arguments}"
        );
    }
}

/// Arguments with one more.
fn with(arguments: &Value, name: &str, value: &str) -> Value {
    let mut arguments = arguments.clone();
    arguments[name] = json!(value);
    arguments
}

// N-012
#[tokio::test]
async fn an_entity_is_named_by_id_or_by_a_unique_name() {
    let desk = desk().await;
    let id = desk.ok("get_entity_snapshot", json!({"entity_id": "+49 30 1234"})).await["entity_id"].clone();
    let twins =
        desk.ok("get_entity_by_identifier", json!({"identifier": "Acme", "limit": 2})).await["entities"].clone();
    let mut expected: Vec<Value> = twins
        .as_array()
        .unwrap()
        .iter()
        .map(|one| json!({"id": one["id"], "entity_type": one["entity_type"]}))
        .collect();
    expected.sort_by_key(Value::to_string);
    assert_eq!(expected.len(), 2);
    let correct = json!({"entity_type": "person", "field": "role", "value": "x"});
    let edge = json!({"relationship_type": "REFERS_TO"});
    for (tool, argument, more) in [
        ("get_entity_snapshot", "entity_id", json!({})),
        ("list_observations", "entity_id", json!({})),
        ("get_field_provenance", "entity_id", json!({"field": "name"})),
        ("list_relationships", "entity_id", json!({})),
        ("get_related_entities", "entity_id", json!({})),
        ("get_graph_neighborhood", "node_id", json!({})),
        ("correct", "entity_id", correct),
        ("create_relationship", "source_entity_id", with(&edge, "target_entity_id", "Acme Holding")),
        ("create_relationship", "target_entity_id", with(&edge, "source_entity_id", "Acme Holding")),
        ("merge_entities", "from_entity_id", json!({"to_entity_id": "Acme Holding"})),
        ("merge_entities", "to_entity_id", json!({"from_entity_id": "Acme Holding"})),
        ("delete", "id", json!({})),
    ] {
        let ambiguous = desk.refused(tool, with(&more, argument, "Acme")).await;
        assert_eq!(
            (&ambiguous["code"], &ambiguous["details"]["field"]),
            (&json!("VALIDATION_ERROR"), &json!(argument))
        );
        let mut candidates = ambiguous["details"]["candidates"].as_array().unwrap().clone();
        candidates.sort_by_key(Value::to_string);
        assert_eq!(candidates, expected, "{tool}");
        for malformed in ["ent_1", "ent_0123456789abcdef0123456g"] {
            let refused = desk.refused(tool, with(&more, argument, malformed)).await;
            assert_eq!(
                (&refused["code"], &refused["details"]["field"]),
                (&json!("VALIDATION_ERROR"), &json!(argument)),
                "{tool} {malformed}"
            );
        }
        // Who is deleted or merged into another type is not looked up again below.
        if !["merge_entities", "delete"].contains(&tool) {
            for reference in [id.as_str().unwrap(), "Zoë Müller", "+49 30 1234"] {
                desk.ok(tool, with(&more, argument, reference)).await;
            }
        }
    }
    desk.ok("delete", json!({"id": "+49 30 1234"})).await;
    assert_eq!(desk.refused("get_entity_snapshot", json!({"entity_id": id})).await["code"], "ENTITY_NOT_FOUND");
}
