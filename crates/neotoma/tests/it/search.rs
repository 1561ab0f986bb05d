//! search: what answers a question, with what it rests on.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::desk::{ANN, Caller, Desk};

async fn hits(desk: &Desk, arguments: Value) -> Vec<Value> {
    desk.ok("search", arguments).await["hits"].as_array().unwrap().clone()
}

async fn names(desk: &Desk, arguments: Value) -> Vec<String> {
    hits(desk, arguments).await.iter().map(|hit| hit["name"].as_str().unwrap_or_default().to_owned()).collect()
}

async fn house() -> Desk {
    let desk = Desk::new();
    desk.store(json!([
        {"entity_type": "note", "title": "Repairs", "content": "Call the plumber about the kitchen sink."},
        {"entity_type": "note", "title": "Garden", "content": "The roses want water in the evening."},
        {"entity_type": "company", "name": "Acme Corp", "status": "customer", "city": "Kassel"},
    ]))
    .await;
    desk
}

// N-324
#[tokio::test]
async fn a_hit_says_where_it_is_found_and_who_says_so() {
    let desk = house().await;
    let answer = desk.ok("search", json!({"query": "plumber"})).await;
    let hit = &answer["hits"][0];
    assert_eq!((&hit["name"], &hit["type"], &hit["field"]), (&json!("Repairs"), &json!("note"), &json!("content")));
    assert_eq!(hit["snippet"], "Call the plumber about the kitchen sink.");
    let provenance = desk.ok("get_field_provenance", json!({"entity_id": hit["entity_id"], "field": "content"})).await;
    assert_eq!(hit["source_id"], provenance["source_observation"]["source_id"]);
    assert!((0.0..=1.0).contains(&hit["score"].as_f64().unwrap()));
    // A field that is no prose is named too.
    let hit = &hits(&desk, json!({"query": "who is in Kassel"})).await[0];
    assert_eq!(
        (&hit["name"], &hit["field"], &hit["snippet"]),
        (&json!("Acme"), &json!("city"), &json!("city: Kassel"))
    );
    // By meaning, without a common word.
    assert_eq!(names(&desk, json!({"query": "flowers"})).await[0], "Garden");
}

#[tokio::test]
async fn files_are_found_by_line() {
    let desk = Desk::new();
    let text = "Minutes\n\nThe roof is new.\nThe boiler was repaired by Okonkwo Ltd.\nNext meeting in May.\n";
    let file = json!({"file_content": STANDARD.encode(text), "mime_type": "text/plain", "original_filename": "m.txt"});
    let stored = desk.ok("ingest", file).await;
    let hit = &hits(&desk, json!({"query": "who repaired the boiler?", "types": ["source"]})).await[0];
    assert_eq!((&hit["source_id"], &hit["line"]), (&stored["source_id"], &json!(4)));
    assert_eq!(hit["snippet"], "The boiler was repaired by Okonkwo Ltd.");
    assert_eq!((&hit["name"], &hit["type"]), (&json!("m.txt"), &json!("source")));
    assert!(hit.get("entity_id").is_none());
    assert_eq!(hits(&desk, json!({"query": "boiler", "types": ["note"]})).await, [json!(null); 0]);
}

#[tokio::test]
async fn the_past_is_searched_as_it_was() {
    let desk = Desk::new();
    let point = async |entities: Value| desk.ok("ingest", json!({ "entities": entities })).await["read_point"].clone();
    let march = point(json!([{"entity_type": "company", "name": "Acme", "notes": "They pay late."}])).await;
    let april = point(json!([{"entity_type": "company", "name": "Acme", "notes": "Insolvent since April."}])).await;
    let found = async |at: &Value, query: &str| {
        let hits = hits(&desk, json!({"query": query, "at_ingested": at.to_string(), "types": ["company"]})).await;
        hits.first().map(|hit| hit["snippet"].as_str().unwrap().to_owned()).unwrap_or_default()
    };
    assert_eq!(found(&march, "how does Acme pay").await, "They pay late.");
    assert_eq!(found(&april, "how does Acme pay").await, "Insolvent since April.");
    let id = hits(&desk, json!({"query": "Acme"})).await[0]["entity_id"].clone();
    desk.ok("delete", json!({"id": id})).await;
    assert_eq!(hits(&desk, json!({"query": "Acme"})).await, [json!(null); 0]);
    assert_eq!(found(&march, "Acme late").await, "They pay late.");
}

#[tokio::test]
async fn merged_entities_are_found_as_one() {
    let desk = house().await;
    desk.store(json!([{"entity_type": "company", "name": "Acme Holding", "notes": "Owns a zeppelin."}])).await;
    let id = async |name: &str| desk.snapshot(name).await["entity_id"].clone();
    let (from, to) = (id("Acme Holding").await, id("Acme Corp").await);
    desk.ok("merge_entities", json!({"from_entity_id": from, "to_entity_id": to})).await;
    let found = hits(&desk, json!({"query": "zeppelin", "types": ["company"]})).await;
    assert_eq!(found.iter().map(|hit| &hit["entity_id"]).collect::<Vec<_>>(), [&to]);
}

#[tokio::test]
async fn who_said_it_when_and_in_which_conversation_counts() {
    let desk = Desk::new();
    let said = |turn: u32, text: &str, time: &str| {
        json!({"entity_type": "message", "message_id": format!("m{turn}"), "conversation": "c", "turn": turn,
               "text": text, "time": time})
    };
    desk.store(json!([
        said(1, "Caroline: I went to the museum.", "2026-03-01T10:00:00Z"),
        said(2, "Melanie: I went to the museum.", "2026-03-02T10:00:00Z"),
        said(3, "Melanie: Nice!", "2026-04-01T10:00:00Z"),
    ]))
    .await;
    let first = &hits(&desk, json!({"query": "When did Melanie go to the museum?"})).await[0];
    assert_eq!((&first["author"], &first["time"]), (&json!("Melanie"), &json!("2026-03-02T10:00:00.000000Z")));
    assert_eq!(first["snippet"], "I went to the museum.");
    let within = json!({"query": "museum", "from": "2026-03-02T00:00:00Z", "to": "2026-03-31T00:00:00Z"});
    let within = hits(&desk, within).await;
    assert_eq!(within.iter().map(|hit| hit["author"].as_str().unwrap()).collect::<Vec<_>>(), ["Melanie"]);
    let refused = desk.refused("search", json!({"query": "x", "from": "yesterday"})).await;
    assert_eq!(refused["details"]["field"], "from");
}

#[tokio::test]
async fn nobody_finds_what_belongs_to_others() {
    let desk = house().await;
    let alone = desk.ok("search", json!({"query": "plumber sink"})).await;
    for caller in [Caller { tenant: "other", user: "ann" }, Caller { tenant: "local", user: "bob" }] {
        let none = desk.call_as(caller, "search", json!({"query": "plumber sink"})).await.unwrap();
        assert_eq!(none["hits"], json!([]));
        let same =
            json!([{"entity_type": "note", "title": "Repairs", "content": "Call the plumber about the kitchen sink."}]);
        desk.call_as(caller, "ingest", json!({"entities": same})).await.unwrap();
        let own = desk.call_as(caller, "search", json!({"query": "plumber sink"})).await.unwrap();
        assert_eq!(own["hits"].as_array().unwrap().len(), 1, "{own}");
    }
    let again = desk.call_as(ANN, "search", json!({"query": "plumber sink"})).await.unwrap();
    assert_eq!(again["hits"], alone["hits"], "neither hits nor scores");
}

#[tokio::test]
async fn strange_questions_are_words() {
    let desk = house().await;
    let refused = desk.refused("search", json!({"query": "  "})).await;
    assert_eq!(refused["details"]["field"], "query");
    let refused = desk.refused("search", json!({"query": "x".repeat(20_000)})).await;
    assert_eq!(refused["details"]["field"], "query");
    let hundred = "plumber Klempner plombier fontanero loodgieter 水道屋 водопроводчик سباك नलसाज 배관공 ".repeat(100);
    for query in
        ["\"plumber\" AND (sink OR NOT *) NEAR/2 : - ^", "plumber; DROP TABLE search_rows --", hundred.as_str()]
    {
        assert_eq!(names(&desk, json!({"query": query})).await[0], "Repairs", "{query}");
    }
    assert_eq!(hits(&desk, json!({"query": "*** ((("})).await, [json!(null); 0]);
    let refused = desk.refused("search", json!({"query": "x", "types": ["nothing like it"]})).await;
    assert_eq!(
        (&refused["code"], &refused["details"]["field"]),
        (&json!("VALIDATION_ERROR"), &json!("types")),
        "{refused}"
    );
}
