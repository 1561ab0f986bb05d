//! What an entity is, and what it was.

use serde_json::{Value, json};

use crate::desk::Desk;

/// Says the status of a task as of a day in January 2024.
async fn say(desk: &Desk, status: &str, day: u32) -> Value {
    let provenance = json!({"extracted_at": format!("2024-01-{day:02}T12:00:00Z"), "extractor_version": "x"});
    let task = json!({"entity_type": "task", "title": "Ship", "status": status});
    desk.ok("ingest", json!({"entities": [task], "provenance": provenance})).await
}

async fn status(desk: &Desk, mut more: Value) -> Value {
    more["entity_id"] = json!("Ship");
    desk.ok("get_entity_snapshot", more).await["snapshot"]["status"].clone()
}

// N-104, N-105, N-107, N-108
#[tokio::test]
async fn a_snapshot_says_where_each_field_is_from() {
    let desk = Desk::new();
    let first = say(&desk, "open", 1).await;
    let more = json!({"entities": [{"entity_type": "task", "title": "Ship", "priority": "high"}]});
    let second = desk.ok("ingest", more).await;
    let snapshot = desk.ok("get_entity_snapshot", json!({"entity_id": first["entities"][0]["id"]})).await;
    let (one, two) = (&first["entities"][0]["observation_id"], &second["entities"][0]["observation_id"]);
    assert_eq!(snapshot["entity_id"], first["entities"][0]["id"]);
    assert_eq!(snapshot["entity_type"], "task");
    assert_eq!(snapshot["snapshot"], json!({"priority": "high", "status": "open", "title": "Ship"}));
    assert_eq!(snapshot["provenance"], json!({"priority": two, "status": one, "title": two}));
    assert_eq!(snapshot["observation_count"], 2);
    assert_eq!(snapshot["last_observation_at"], snapshot["computed_at"]);
    let declared = desk.ok("describe_schema", json!({"entity_type": "task"})).await;
    assert!(declared.to_string().contains(&format!("\"schema_version\":{}", snapshot["schema_version"])), "{declared}");
    // The answer is there for the name too.
    let named = desk.ok("get_entity_snapshot", json!({"entity_id": "ship"})).await;
    assert_eq!(named, snapshot);
}

// N-106, N-113, N-114
#[tokio::test]
async fn at_cuts_by_when_it_was_observed() {
    let desk = Desk::new();
    say(&desk, "third", 20).await;
    say(&desk, "first", 5).await;
    say(&desk, "second", 10).await;
    for (at, expected) in [
        ("2024-01-05T12:00:00Z", "first"),
        ("2024-01-05T13:00:00+01:00", "first"),
        ("2024-01-10T11:59:59.999999Z", "first"),
        ("2024-01-10T12:00:00Z", "second"),
        ("2024-01-20", "second"),
        ("2024-01-21", "third"),
        ("2999-01-01T00:00:00Z", "third"),
    ] {
        assert_eq!(status(&desk, json!({"at": at})).await, expected, "{at}");
    }
    let then = desk.ok("get_entity_snapshot", json!({"entity_id": "Ship", "at": "2024-01-11"})).await;
    assert_eq!((&then["observation_count"], &then["computed_at"]), (&json!(2), &json!("2024-01-10T12:00:00.000000Z")));
    for before in ["2024-01-05T11:59:59Z", "1970-01-01"] {
        let refused = desk.refused("get_entity_snapshot", json!({"entity_id": "Ship", "at": before})).await;
        assert_eq!((&refused["code"], &refused["details"]["field"]), (&json!("ENTITY_NOT_FOUND"), &json!("entity_id")));
    }
}

// N-113, N-114
#[tokio::test]
async fn at_ingested_cuts_by_when_it_was_stored_and_both_may_be_combined() {
    let desk = Desk::new();
    let zero = desk.ok("ingest", json!({"entities": [{"entity_type": "note", "title": "Before"}]})).await["read_point"]
        .clone();
    let one = say(&desk, "third", 20).await["read_point"].to_string();
    desk.tick(60_000_000);
    let two = say(&desk, "first", 5).await["read_point"].to_string();
    say(&desk, "second", 10).await;
    for (at_ingested, at, expected) in [
        (one.as_str(), None, "third"),
        (&two, None, "third"),
        (&two, Some("2024-01-15"), "first"),
        ("2027-01-15T08:00:30Z", None, "third"),
        ("2027-01-15T09:00:00Z", Some("2024-01-15"), "second"),
    ] {
        let found = status(&desk, json!({"at_ingested": at_ingested, "at": at})).await;
        assert_eq!(found, expected, "{at_ingested} {at:?}");
    }
    for (at_ingested, at) in
        [(zero.to_string(), None), ("2027-01-15T07:00:00Z".to_owned(), None), (one, Some("2024-01-15"))]
    {
        let asked = json!({"entity_id": "Ship", "at_ingested": at_ingested, "at": at});
        assert_eq!(desk.refused("get_entity_snapshot", asked).await["code"], "ENTITY_NOT_FOUND", "{at_ingested}");
    }
}

// N-110
#[tokio::test]
async fn malformed_ids_and_times_are_told_from_unknown_ones() {
    let desk = Desk::new();
    say(&desk, "open", 1).await;
    for (arguments, code, field) in [
        (json!({"entity_id": "ent_0123456789abcdef01234567"}), "ENTITY_NOT_FOUND", "entity_id"),
        (json!({"entity_id": "Nobody"}), "ENTITY_NOT_FOUND", "entity_id"),
        (json!({"entity_id": "ent_0123"}), "VALIDATION_ERROR", "entity_id"),
        (json!({"entity_id": "ent_0123456789ABCDEF01234567"}), "ENTITY_NOT_FOUND", "entity_id"),
        (json!({"entity_id": "ent_0123456789abcdef0123456g"}), "VALIDATION_ERROR", "entity_id"),
        (json!({"entity_id": "Ship", "at": "2024-01-15T00:00:00+24:00"}), "VALIDATION_ERROR", "at"),
        (json!({"entity_id": ""}), "VALIDATION_ERROR", "entity_id"),
        (json!({}), "VALIDATION_ERROR", "entity_id"),
        (json!({"entity_id": 7}), "VALIDATION_ERROR", "entity_id"),
        (json!({"entity_id": "Ship", "at": "soon"}), "VALIDATION_ERROR", "at"),
        (json!({"entity_id": "Ship", "at": "2024-13-01"}), "VALIDATION_ERROR", "at"),
        (json!({"entity_id": "Ship", "at": "2024-02-30T00:00:00Z"}), "VALIDATION_ERROR", "at"),
        (json!({"entity_id": "Ship", "at": ""}), "VALIDATION_ERROR", "at"),
        (json!({"entity_id": "Ship", "at_ingested": "soon"}), "VALIDATION_ERROR", "at_ingested"),
        (json!({"entity_id": "Ship", "at_ingested": "999"}), "VALIDATION_ERROR", "at_ingested"),
        (json!({"entity_id": "Ship", "at_ingested": "-1"}), "VALIDATION_ERROR", "at_ingested"),
    ] {
        let refused = desk.refused("get_entity_snapshot", arguments.clone()).await;
        let shown = (refused["code"].as_str().unwrap(), refused["details"]["field"].as_str().unwrap());
        assert_eq!(shown, (code, field), "{arguments}");
        assert!(refused["details"]["fix"].is_string(), "{refused}");
    }
}

// N-111, N-112, N-249
#[tokio::test]
async fn two_reads_are_byte_equal_and_computed_at_is_not_the_clock() {
    let desk = Desk::new();
    say(&desk, "open", 1).await;
    say(&desk, "done", 3).await;
    let read = |more: Value| {
        let mut arguments = json!({"entity_id": "Ship"});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        desk.ok("get_entity_snapshot", arguments)
    };
    for more in [json!({}), json!({"at": "2024-01-02"}), json!({"at_ingested": "1"})] {
        let first = read(more.clone()).await.to_string();
        desk.tick(3_600_000_000);
        assert_eq!(read(more).await.to_string(), first);
    }
    let now = read(json!({})).await;
    assert_eq!(now["computed_at"], "2024-01-03T12:00:00.000000Z");
    // What is said later about earlier days does not make it newer.
    say(&desk, "late", 2).await;
    assert_eq!(read(json!({})).await["computed_at"], now["computed_at"]);
}

// N-109
#[tokio::test]
async fn a_merged_list_names_all_who_contributed() {
    let desk = Desk::new();
    let definition = json!({"fields": {"title": {"type": "string"}, "tags": {"type": "array"}}, "identity": [["title"]], "reducers": {"tags": {"strategy": "merge_array"}}});
    desk.ok("register_schema", json!({"entity_type": "page", "definition": definition})).await;
    let mut all = Vec::new();
    for (tags, day) in [(json!(["b", "a"]), 1), (json!(["c", "a"]), 2)] {
        let provenance = json!({"extracted_at": format!("2024-01-0{day}"), "extractor_version": "x"});
        let sent = json!({"entities": [{"entity_type": "page", "title": "P", "tags": tags}], "provenance": provenance});
        all.push(desk.ok("ingest", sent).await["entities"][0]["observation_id"].as_str().unwrap().to_owned());
    }
    let snapshot = desk.ok("get_entity_snapshot", json!({"entity_id": "P"})).await;
    assert_eq!(snapshot["snapshot"]["tags"], json!(["a", "b", "c"]));
    let field = desk.ok("get_field_provenance", json!({"entity_id": "P", "field": "tags"})).await;
    assert_eq!(field["source_observation"]["id"], snapshot["provenance"]["tags"], "the one that ranks first");
    all.sort();
    assert_eq!(snapshot["contributors"]["tags"], json!(all));
    assert_eq!(field["contributors"], json!(all));
}

// N-114
#[tokio::test]
async fn merged_and_deleted_are_said() {
    let desk = Desk::new();
    let one = desk.store(json!([{"entity_type": "company", "name": "Acme", "country": "DE"}])).await;
    let two = desk.store(json!([{"entity_type": "company", "name": "Acme Holding", "website": "a.test"}])).await;
    let before = desk.ok("get_entity_snapshot", json!({"entity_id": one})).await;
    assert_eq!(before["merged_from"], json!([]));
    desk.ok("merge_entities", json!({"from_entity_id": one, "to_entity_id": two})).await;
    let merged = desk.ok("get_entity_snapshot", json!({"entity_id": one})).await;
    assert_eq!((&merged["entity_id"], &merged["merged_from"]), (&json!(two), &json!([one])));
    assert_eq!(merged["snapshot"]["country"], "DE");
    assert_eq!(merged["snapshot"]["website"], "a.test");
    let survivor = desk.ok("get_entity_snapshot", json!({"entity_id": two})).await;
    assert_eq!(survivor["snapshot"], merged["snapshot"]);
    // History knows both.
    let then = desk
        .ok("get_entity_snapshot", json!({"entity_id": one, "at_ingested": before["read_point"].to_string()}))
        .await;
    assert_eq!(then, before);
    let point = merged["read_point"].to_string();
    desk.ok("delete", json!({"id": two})).await;
    for id in [&one, &two] {
        assert_eq!(desk.refused("get_entity_snapshot", json!({"entity_id": id})).await["code"], "ENTITY_NOT_FOUND");
        assert_eq!(
            desk.ok("get_entity_snapshot", json!({"entity_id": id, "at_ingested": point})).await["entity_id"],
            *two
        );
    }
}

// N-115, N-301
#[tokio::test]
async fn fields_that_no_schema_declares_are_shown_and_named() {
    let desk = Desk::new();
    let id = desk
        .store(json!([{"entity_type": "task", "title": "Ship", "status": "open", "mood": "good", "weather": 7}]))
        .await;
    let snapshot = desk.ok("get_entity_snapshot", json!({"entity_id": id})).await;
    assert_eq!(snapshot["unvalidated"], json!(["mood", "weather"]));
    assert_eq!((&snapshot["snapshot"]["mood"], &snapshot["snapshot"]["weather"]), (&json!("good"), &json!(7)));
    let then = desk.ok("get_entity_snapshot", json!({"entity_id": id, "at": "2999-01-01"})).await;
    assert_eq!(then["unvalidated"], snapshot["unvalidated"]);
}
