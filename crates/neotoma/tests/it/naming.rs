//! Which type and which entity is meant, however it is written.

use serde_json::{Value, json};

use crate::desk::Desk;
use crate::ingest::refuses;

// N-332
#[tokio::test]
async fn many_ways_to_write_one_name_are_one_entity() {
    let desk = Desk::new();
    let groups: [&[&str]; 4] = [
        &[
            "Café Müller",
            "Cafe\u{301} Mu\u{308}ller",
            "CAFÉ MÜLLER",
            "Ｃａｆé Müller",
            "Ca\u{200b}fé\u{200d} Müller",
            "\u{202e}Café Müller",
        ],
        &["Straße Zwei", "STRASSE ZWEI", "strasse  zwei", "Strasse, Zwei"],
        &["Louis XIV", "Louis ⅩⅣ"],
        &["İstanbul Ofis", "I\u{307}stanbul Ofis", "istanbul ofis"],
    ];
    for names in groups {
        let mut found: Vec<Value> = Vec::new();
        for name in names {
            found.push(desk.store(json!([{"entity_type": "project", "name": name}])).await.into());
        }
        found.dedup();
        assert_eq!(found.len(), 1, "{names:?}");
    }
    assert_eq!(desk.ok("retrieve_entities", json!({})).await["total"], groups.len());
}

// N-013, N-299, N-335
#[tokio::test]
async fn hostile_type_names_are_refused_by_pattern() {
    let desk = Desk::new();
    let long = "a".repeat(5000);
    let sixty_five = "a".repeat(65);
    for bad in [
        "../../etc",
        "'; DROP TABLE entities; --",
        &long,
        &sixty_five,
        "__proto__",
        "constructor",
        "Constructor()",
        "",
        " ",
        "1abc",
        "_x",
        "a/b",
        "a.b",
        "ｎｏｔｅｘ",
        "größe",
        "a\nb",
        "ent\u{200b}ity",
    ] {
        let refused = refuses(
            &desk,
            json!({"entities": [{"entity_type": bad, "name": "X"}]}),
            "VALIDATION_ERROR",
            "entities[0].entity_type",
        )
        .await;
        assert!(refused["details"]["fix"].as_str().unwrap().contains("^[a-z][a-z0-9_]{0,63}$"), "{refused}");
        assert!(bad.trim().is_empty() || !refused.to_string().contains(bad), "{refused}");
    }
    for (given, meant) in [
        ("Bills", "invoice"),
        ("factura", "invoice"),
        ("People", "person"),
        ("my_own", "my_own"),
        (&sixty_five[1..], &sixty_five[1..]),
    ] {
        let stored = desk.ok("ingest", json!({"entities": [{"entity_type": given, "name": "X"}]})).await;
        assert_eq!(stored["entities"][0]["entity_type"], meant);
    }
}

// N-062, N-283, N-302
#[tokio::test]
async fn a_strict_type_refuses_what_no_rule_identifies() {
    let desk = Desk::new();
    let definition = json!({"fields": {"vin": {"type": "string"}, "plate": {"type": "string"}, "country": {"type": "string"}}, "identity": [["vin"], ["plate", "country"]], "strict": true});
    desk.ok("register_schema", json!({"entity_type": "car", "definition": definition})).await;
    let batch = json!({"entities": [{"entity_type": "car", "vin": "V1"}, {"entity_type": "car", "name": "Marked Car", "plate": "B-1"}]});
    let refused = refuses(&desk, batch, "VALIDATION_ERROR", "entities[1]").await;
    assert!(refused["details"]["fix"].as_str().unwrap().contains("vin, or plate + country"), "{refused}");
    assert!(!refused.to_string().contains("Marked"), "{refused}");
    desk.store(json!([{"entity_type": "car", "plate": "B-1", "country": "DE"}])).await;
}

// N-284
#[tokio::test]
async fn a_better_name_renames_and_a_taken_one_does_not() {
    let desk = Desk::new();
    let known = json!({"entity_type": "person", "email": "ada@x.test", "name": "Ada"});
    let id = desk.store(json!([known])).await;
    desk.store(json!([{"entity_type": "person", "email": "other@x.test", "name": "Ada King"}])).await;
    let renamed = desk
        .ok("ingest", json!({"entities": [{"entity_type": "person", "email": "ada@x.test", "name": "Ada Lovelace"}]}))
        .await;
    assert_eq!((&renamed["entities"][0]["id"], &renamed["warnings"]), (&json!(id), &json!([])));
    let snapshot = desk.ok("get_entity_snapshot", json!({"entity_id": id})).await;
    assert_eq!((&snapshot["canonical_name"], &snapshot["aliases"]), (&json!("Ada Lovelace"), &json!(["Ada"])));

    let taken = desk
        .ok("ingest", json!({"entities": [{"entity_type": "person", "email": "ada@x.test", "name": "Ada King"}]}))
        .await;
    assert!(taken["warnings"][0]["message"].as_str().unwrap().contains("another entity has the new name"), "{taken}");
    let snapshot = desk.ok("get_entity_snapshot", json!({"entity_id": id})).await;
    assert_eq!(snapshot["canonical_name"], "Ada Lovelace");
    assert_eq!(snapshot["snapshot"]["name"], "Ada King", "what was said is shown all the same");
}

// N-061, N-285
#[tokio::test]
async fn a_single_word_reports_longer_names_and_never_merges() {
    let desk = Desk::new();
    let ada = desk.store(json!([{"entity_type": "person", "name": "Ada Lovelace"}])).await;
    let king = desk.store(json!([{"entity_type": "person", "name": "Ada King"}])).await;
    desk.store(json!([{"entity_type": "person", "name": "Adalbert Stifter"}])).await;
    let stored = desk.ok("ingest", json!({"entities": [{"entity_type": "person", "name": "Ada"}]})).await;
    let mut hints: Vec<&str> = stored["entities"][0]["possible_duplicates"]
        .as_array()
        .unwrap()
        .iter()
        .map(|id| id.as_str().unwrap())
        .collect();
    hints.sort_unstable();
    let mut expected = [ada.as_str(), king.as_str()];
    expected.sort_unstable();
    assert_eq!(hints, expected);
    assert_eq!(stored["entities"][0]["action"], "created");
    assert_eq!(desk.ok("retrieve_entities", json!({"entity_type": "person"})).await["total"], 4);
    let two_words = desk.ok("ingest", json!({"entities": [{"entity_type": "person", "name": "Grace Hopper"}]})).await;
    assert_eq!(two_words["entities"][0].get("possible_duplicates"), None);
}

#[tokio::test]
async fn a_name_that_looks_like_another_is_refused() {
    let desk = Desk::new();
    let named = |name: &str| json!({"entities": [{"entity_type": "company", "name": name}]});
    let refused = desk.refused("ingest", named("\u{0440}aypal Ltd")).await;
    assert_eq!(refused["details"]["field"], "entities[0].name");
    assert_eq!(refused["message"], "entities[0].name mixes alphabets to look like another name");
    for name in [
        "Paypal Ltd",
        "Gr\u{f6}\u{df}e",
        "\u{0417}\u{0430}\u{043a}\u{0430}\u{0437}\u{044b}",
        "\u{6ce8}\u{6587}",
        "\u{03bc}Torrent",
    ] {
        desk.ok("ingest", named(name)).await;
    }
}

#[tokio::test]
async fn names_of_files_and_fields_are_plain() {
    let desk = Desk::new();
    let file = |name: &str| json!({"file_content": "SGVsbG8=", "mime_type": "text/plain", "original_filename": name});
    for name in ["x".repeat(100_000), "a\u{202e}txt.exe".to_owned(), "a\nb.txt".to_owned(), " ".to_owned()] {
        let refused = desk.refused("ingest", file(&name)).await;
        assert_eq!(refused["details"]["field"], "original_filename", "{refused}");
        assert!(refused.to_string().len() < 1000);
    }
    desk.ok("ingest", file("Gr\u{f6}\u{df}e 1.txt")).await;
    let hidden = json!({"entities": [{"entity_type": "note", "title": "T", "ti\u{200b}tle": "U"}]});
    let refused = desk.refused("ingest", hidden).await;
    assert!(refused["message"].as_str().unwrap().contains("invisible character U+200B"), "{refused}");
}
