//! Merges and how they are undone.

use neotoma::projection::row::kind;
use serde_json::{Value, json};

use crate::desk::{Caller, Desk};

fn merge(from: &str, to: &str) -> Value {
    json!({"from_entity_id": from, "to_entity_id": to})
}

/// Companies with these names, in order.
async fn companies(desk: &Desk, names: &[&str]) -> Vec<String> {
    let named: Vec<Value> = names.iter().map(|name| json!({"entity_type": "company", "name": name})).collect();
    let stored = desk.ok("ingest", json!({ "entities": named })).await;
    stored["entities"].as_array().unwrap().iter().map(|entity| entity["id"].as_str().unwrap().to_owned()).collect()
}

/// Two contacts that differ in everything but their employer, a note about both, and an edge between them.
async fn rivals(desk: &Desk) -> (String, String) {
    let from = desk
        .store(json!([{"entity_type": "contact", "name": "Acme", "organization": "Holding", "phone": "1",
                       "connected_on": "2027-01-01"}]))
        .await;
    let to = desk
        .store(json!([{"entity_type": "contact", "name": "Acme Group", "organization": "Holding",
                       "email": "a@b.example", "connected_on": "2027-02-02", "first_contact_date": "2026-12-31"}]))
        .await;
    let memo = desk.store(json!([{"entity_type": "note", "title": "Memo", "content": "text"}])).await;
    for (of, source, target, metadata) in [
        ("REFERS_TO", &memo, &from, json!({"page": 1})),
        ("REFERS_TO", &memo, &to, json!({"line": 2})),
        ("DUPLICATE_OF", &from, &to, json!({})),
    ] {
        let ends = json!({"relationship_type": of, "source_entity_id": source, "target_entity_id": target, "metadata": metadata});
        desk.ok("create_relationship", ends).await;
    }
    (from, to)
}

/// Everything that can be read about an entity.
async fn all_about(desk: &Desk, id: &str) -> Value {
    let mut about = vec![
        desk.snapshot(id).await,
        desk.ok("list_relationships", json!({"entity_id": id})).await,
        desk.ok("list_observations", json!({"entity_id": id})).await,
        desk.ok("list_timeline_events", json!({})).await,
    ];
    about.iter_mut().for_each(|answer| _ = answer.as_object_mut().unwrap().shift_remove("read_point"));
    Value::from(about)
}

#[tokio::test]
async fn the_survivor_keeps_its_name() {
    let desk = Desk::new();
    let contact = |name: &str| json!([{"entity_type": "contact", "name": name, "organization": "Holding"}]);
    let to = desk.store(contact("Acme")).await;
    let others = [desk.store(contact("Beta")).await, desk.store(contact("Gamma")).await];
    // What is merged into it was named later, so the snapshot has that name.
    let name = async || desk.ok("retrieve_entities", json!({"entity_type": "contact"})).await["entities"][0].clone();
    for from in &others {
        desk.ok("merge_entities", merge(from, &to)).await;
        assert_eq!(name().await["canonical_name"], "Acme");
    }
    desk.ok("correct", json!({"entity_id": to, "entity_type": "contact", "field": "phone", "value": "1"})).await;
    assert_eq!(name().await["canonical_name"], "Acme");
    // Another part stays; its name is not the survivor's either.
    desk.ok("unmerge_entities", json!({"from_entity_id": others[0]})).await;
    assert_eq!(name().await["canonical_name"], "Acme");
    for known in ["Acme", "Gamma"] {
        let found = desk.ok("get_entity_by_identifier", json!({"identifier": known})).await;
        assert_eq!(found["entities"][0]["id"], to.as_str(), "{known}: {found}");
    }
    // What is said about it afterwards names it.
    desk.ok("correct", json!({"entity_id": to, "entity_type": "contact", "field": "name", "value": "Delta"})).await;
    assert_eq!(name().await["canonical_name"], "Delta");
}

// N-220: the same merge of the same entities gives the same result.
#[tokio::test]
async fn the_same_merge_gives_the_same_result() {
    let mut results = Vec::new();
    for _ in 0..2 {
        let desk = Desk::new();
        let (from, to) = rivals(&desk).await;
        let mut merged = desk.ok("merge_entities", merge(&from, &to)).await;
        let mut snapshot = desk.snapshot(&from).await;
        for answer in [&mut merged, &mut snapshot] {
            answer.as_object_mut().unwrap().shift_remove("merged_at");
        }
        results.push((merged, snapshot, desk.ok("list_relationships", json!({"entity_id": to})).await));
    }
    assert_eq!(results[0], results[1]);
}

// N-188, N-214, N-215, N-216, N-220, N-221, N-222
#[tokio::test]
async fn a_merge_loses_nothing() {
    let desk = Desk::new();
    let (from, to) = rivals(&desk).await;
    let mut arguments = merge(&from, &to);
    arguments["merge_reason"] = json!("the same people");
    let merged = desk.ok("merge_entities", arguments).await;
    assert_eq!((&merged["from_entity_id"], &merged["to_entity_id"]), (&json!(from), &json!(to)));
    assert_eq!((&merged["observations_moved"], &merged["merge_reason"]), (&json!(1), &json!("the same people")));
    assert!(merged["merged_at"].as_str().unwrap().ends_with('Z'));

    for id in [&from, &to] {
        let snapshot = desk.snapshot(id).await;
        assert_eq!(snapshot["entity_id"], json!(to));
        assert_eq!(
            (&snapshot["snapshot"]["phone"], &snapshot["snapshot"]["email"]),
            (&json!("1"), &json!("a@b.example"))
        );
        assert_eq!(snapshot["observation_count"], 2);
    }
    assert_eq!(desk.snapshot(&to).await["aliases"], json!(["Acme"]));
    assert_eq!(desk.snapshot("Acme").await["entity_id"], json!(to));

    // The two mentions fold into one that knows both, the two employments into one, the loop is gone.
    let edges = desk.ok("list_relationships", json!({"entity_id": from})).await;
    let mut types: Vec<&str> = edges["relationships"]
        .as_array()
        .unwrap()
        .iter()
        .map(|edge| edge["relationship_type"].as_str().unwrap())
        .collect();
    types.sort_unstable();
    assert_eq!(types, ["REFERS_TO", "works_at"]);
    let mention = desk.ok("list_relationships", json!({"entity_id": to, "relationship_type": "REFERS_TO"})).await;
    assert_eq!(mention["relationships"][0]["metadata"], json!({"page": 1, "line": 2}));
    assert_eq!(mention["relationships"][0]["target_entity_id"], json!(to));

    // One event for each date of the one that is left.
    let events = desk.ok("list_timeline_events", json!({})).await;
    let about: Vec<&Value> = events["events"].as_array().unwrap().iter().map(|event| &event["entity_ids"][0]).collect();
    assert_eq!(about, [&json!(to), &json!(to)]);

    // Observations are where they were written.
    let listed = desk.ok("list_observations", json!({"entity_id": to})).await;
    let mut written: Vec<&str> =
        listed["observations"].as_array().unwrap().iter().map(|seen| seen["entity_id"].as_str().unwrap()).collect();
    written.sort_unstable();
    let mut both = [from.as_str(), to.as_str()];
    both.sort_unstable();
    assert_eq!(written, both);
    desk.verify().await;
}

// N-225
#[tokio::test]
async fn an_undone_merge_leaves_both_as_they_were() {
    let desk = Desk::new();
    let (from, to) = rivals(&desk).await;
    let before = (all_about(&desk, &from).await, all_about(&desk, &to).await);
    desk.ok("merge_entities", merge(&from, &to)).await;
    assert_ne!(all_about(&desk, &to).await, before.1);
    let undone = desk.ok("unmerge_entities", json!({"from_entity_id": from})).await;
    assert_eq!((&undone["from_entity_id"], &undone["to_entity_id"]), (&json!(from), &json!(to)));
    assert_eq!((all_about(&desk, &from).await, all_about(&desk, &to).await), before);
    // And it can be done again, also the other way round.
    desk.ok("merge_entities", merge(&to, &from)).await;
    desk.ok("unmerge_entities", json!({"from_entity_id": "Acme Group"})).await;
    assert_eq!((all_about(&desk, &from).await, all_about(&desk, &to).await), before);
    desk.verify().await;
}

// N-225
#[tokio::test]
async fn later_observations_stay_where_they_were_written() {
    let desk = Desk::new();
    let ids = companies(&desk, &["Acme", "Globex"]).await;
    desk.ok("merge_entities", merge(&ids[0], &ids[1])).await;
    desk.store(json!([{"entity_type": "company", "name": "Acme", "industry": "steel"}])).await;
    desk.ok("unmerge_entities", json!({"from_entity_id": ids[0]})).await;
    assert!(desk.snapshot(&ids[0]).await["snapshot"].get("industry").is_none());
    assert_eq!(desk.snapshot(&ids[1]).await["snapshot"]["industry"], "steel");
    let refused = desk.refused("unmerge_entities", json!({"from_entity_id": ids[0]})).await;
    assert_eq!(refused["code"], "VALIDATION_ERROR");
}

// N-215, N-217
#[tokio::test]
async fn both_entities_have_to_be_there() {
    let desk = Desk::new();
    let ids = companies(&desk, &["Acme", "Globex", "Gone"]).await;
    desk.ok("delete", json!({"id": ids[2]})).await;
    let nobody = "ent_0123456789abcdef01234567";
    for (arguments, field) in [
        (merge(nobody, &ids[0]), "from_entity_id"),
        (merge(&ids[0], nobody), "to_entity_id"),
        (merge("no such name", &ids[0]), "from_entity_id"),
        (merge(&ids[2], &ids[0]), "from_entity_id"),
        (merge(&ids[0], &ids[2]), "to_entity_id"),
    ] {
        let refused = desk.refused("merge_entities", arguments).await;
        assert_eq!((&refused["code"], &refused["details"]["field"]), (&json!("ENTITY_NOT_FOUND"), &json!(field)));
    }
    for (wrong, field) in [
        (json!({"to_entity_id": ids[0]}), "from_entity_id"),
        (json!({"from_entity_id": ids[0]}), "to_entity_id"),
        (json!({"from_entity_id": 7, "to_entity_id": ids[0]}), "from_entity_id"),
        (json!({"from_entity_id": ids[0], "to_entity_id": [ids[1], ids[2]]}), "to_entity_id"),
    ] {
        let refused = desk.refused("merge_entities", wrong).await;
        assert_eq!((&refused["code"], &refused["details"]["field"]), (&json!("VALIDATION_ERROR"), &json!(field)));
    }
    let bob = Caller { tenant: "local", user: "bob" };
    assert_eq!(
        desk.call_as(bob, "merge_entities", merge(&ids[0], &ids[1])).await.unwrap_err().code,
        "ENTITY_NOT_FOUND"
    );
    let undo = json!({"from_entity_id": ids[0]});
    assert_eq!(desk.call_as(bob, "unmerge_entities", undo).await.unwrap_err().code, "ENTITY_NOT_FOUND");
}

// N-218, N-223, N-333
#[tokio::test]
async fn into_itself_back_again_and_into_another_type_are_refused() {
    let desk = Desk::new();
    let ids = companies(&desk, &["Acme", "Globex", "Initech"]).await;
    let person = desk.store(json!([{"entity_type": "person", "name": "Ann"}])).await;
    let commits = desk.commits().await;
    for arguments in [merge(&ids[0], &ids[0]), merge("Acme", &ids[0]), merge(&ids[0], &person), merge(&person, &ids[0])]
    {
        assert_eq!(desk.refused("merge_entities", arguments).await["code"], "VALIDATION_ERROR");
    }
    assert_eq!(desk.commits().await, commits);
    desk.ok("merge_entities", merge(&ids[0], &ids[1])).await;
    let again = desk.refused("merge_entities", merge(&ids[0], &ids[2])).await;
    assert_eq!((&again["code"], &again["details"]["merged_into"]), (&json!("ENTITY_ALREADY_MERGED"), &json!(ids[1])));
    // Back: the target resolves to the source.
    assert_eq!(desk.refused("merge_entities", merge(&ids[1], &ids[0])).await["code"], "VALIDATION_ERROR");
    assert_eq!(desk.snapshot(&ids[0]).await["entity_id"], json!(ids[1]));
}

// N-221, N-224, N-333
#[tokio::test]
async fn a_chain_leads_to_its_end_and_comes_apart_in_any_order() {
    let desk = Desk::new();
    let ids = companies(&desk, &["Acme", "Globex", "Initech"]).await;
    let alone: Vec<Value> = vec![desk.snapshot(&ids[0]).await["snapshot"].clone()];
    desk.ok("merge_entities", merge(&ids[0], &ids[1])).await;
    // The end of a chain is meant, whichever part is named.
    let merged = desk.ok("merge_entities", merge(&ids[1], &ids[2])).await;
    assert_eq!(merged["observations_moved"], 2, "those that led to it before lead further now");
    for id in &ids {
        assert_eq!(desk.snapshot(id).await["entity_id"], json!(ids[2]));
    }
    let stored =
        desk.ok("ingest", json!({"entities": [{"entity_type": "company", "name": "Acme", "country": "NL"}]})).await;
    assert_eq!((&stored["entities"][0]["id"], &stored["entities"][0]["action"]), (&json!(ids[2]), &json!("extended")));
    assert_eq!(desk.snapshot(&ids[2]).await["snapshot"]["country"], "NL");
    // Out of the middle of the chain.
    desk.ok("unmerge_entities", json!({"from_entity_id": ids[0]})).await;
    assert_eq!(desk.snapshot(&ids[0]).await["snapshot"], alone[0]);
    assert_eq!(desk.snapshot(&ids[1]).await["entity_id"], json!(ids[2]));
    assert_eq!(desk.snapshot(&ids[2]).await["observation_count"], 3);
    desk.ok("unmerge_entities", json!({"from_entity_id": ids[1]})).await;
    assert_eq!(desk.snapshot(&ids[1]).await["observation_count"], 1);
    desk.verify().await;
}

// N-224
#[tokio::test]
async fn what_is_said_under_the_old_id_is_said_of_the_survivor() {
    let desk = Desk::new();
    let release = |id: &str, status: &str| json!([{"entity_type": "release", "id": id, "status": status}]);
    let (old, new) = (desk.store(release("r1", "open")).await, desk.store(release("r2", "open")).await);
    desk.ok("merge_entities", merge(&old, &new)).await;
    assert_eq!(desk.store(release("r1", "shipped")).await, new);
    assert_eq!(desk.snapshot(&new).await["snapshot"]["status"], "shipped");
}

// N-223, N-333
#[tokio::test]
async fn a_chain_is_never_too_long_to_follow() {
    let desk = Desk::new();
    let names: Vec<String> = (0..70).map(|index| format!("Company {index:02}x")).collect();
    let ids = companies(&desk, &names.iter().map(String::as_str).collect::<Vec<_>>()).await;
    let mut refused = 0;
    for pair in ids.windows(2) {
        match desk.call_as(crate::desk::ANN, "merge_entities", merge(&pair[0], &pair[1])).await {
            Ok(_) => {}
            Err(error) => {
                assert_eq!(error.code, "VALIDATION_ERROR");
                refused += 1;
            }
        }
        assert!(desk.call_as(crate::desk::ANN, "get_entity_snapshot", json!({"entity_id": ids[0]})).await.is_ok());
    }
    assert_eq!(refused, 1);
    for id in &ids {
        desk.snapshot(id).await;
    }
}

// N-221
#[tokio::test]
async fn a_merge_is_one_appended_fact() {
    let desk = Desk::new();
    let (from, to) = rivals(&desk).await;
    let tenant = scope::TenantId::new("local").unwrap();
    let before = desk.commits().await;
    desk.ok("merge_entities", merge(&from, &to)).await;
    let facts = desk.ledger.facts(&tenant, before as u64, 10).await.unwrap();
    assert_eq!(facts.len(), 1);
    assert_eq!(facts[0].kind, "neotoma.Merged");
    let body: Value = serde_json::from_str(&facts[0].body).unwrap();
    let rows = body["rows"].as_array().unwrap();
    assert!(rows.iter().all(|row| row.get("observation").is_none()), "no observation is written again");
    assert!(rows.iter().any(|row| row.get("merge").is_some()));
    let ended = body["ends"].as_array().unwrap();
    assert!(ended.iter().all(|key| key["kind"] == kind::EVENT));
}

#[tokio::test]
async fn a_merge_that_is_repeated_with_its_key_is_done_once() {
    let desk = Desk::new();
    let ids = companies(&desk, &["Acme", "Globex"]).await;
    let mut arguments = merge("Acme", "Globex");
    arguments["client_request_id"] = json!("once");
    let first = desk.ok("merge_entities", arguments.clone()).await;
    let again = desk.ok("merge_entities", arguments).await;
    assert_eq!((&again["idempotent_replay"], &again["merged_at"]), (&json!(true), &first["merged_at"]));
    assert_eq!(first["from_entity_id"], json!(ids[0]));
}
