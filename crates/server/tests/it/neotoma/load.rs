//! Many clients at once, large calls, and several processes.

use std::collections::BTreeSet;

use futures::future::join_all;
use serde_json::{Value, json};

use super::client::{Client as _, Http, Piped, Served};

const CLIENTS: usize = 16;

/// Sixteen calls at the same moment, each on a connection of its own.
async fn at_once(http: Http, arguments: impl Fn(usize) -> Value) -> Vec<Value> {
    let calls = (0..CLIENTS).map(|index| {
        let arguments = arguments(index);
        tokio::spawn(async move { http.ok("ingest", arguments).await })
    });
    join_all(calls).await.into_iter().map(Result::unwrap).collect()
}

fn invoice(amount: usize) -> Value {
    json!([{
        "entity_type": "invoice", "invoice_number": "INV-7", "vendor_name": "Acme", "invoice_date": "2026-01-31",
        "amount": amount,
    }])
}

fn distinct<'a>(answers: &'a [Value], field: &str) -> BTreeSet<&'a str> {
    answers.iter().map(|answer| answer[field].as_str().unwrap()).collect()
}

// N-327
#[tokio::test]
async fn the_same_payload_from_many_clients_is_one_source_and_one_observation() {
    for keys in ["same", "different", "none"] {
        let folder = tempfile::tempdir().unwrap();
        let served = Served::start(folder.path(), &[]).await;
        let answers = at_once(served.http, |index| {
            let mut arguments = json!({ "entities": invoice(100) });
            match keys {
                "same" => arguments["client_request_id"] = "one".into(),
                "different" => arguments["client_request_id"] = index.to_string().into(),
                _ => {}
            }
            arguments
        })
        .await;
        assert_eq!(distinct(&answers, "source_id").len(), 1, "{keys}");
        let id = answers[0]["entities"][0]["id"].as_str().unwrap();
        let stored = served.http.ok("list_observations", json!({ "entity_id": id })).await;
        assert_eq!(stored["total"], 1, "{keys} keys: {stored}");
        let found = served.http.ok("retrieve_entities", json!({})).await;
        assert_eq!((&found["total"], &found["entities"][0]["observation_count"]), (&json!(1), &json!(1)), "{keys}");
    }
}

// N-327: every value is kept, and the one that ranks first shows.
#[tokio::test]
async fn different_values_from_many_clients_are_all_kept() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::start(folder.path(), &[]).await;
    let answers = at_once(served.http, |index| {
        let minute = (index * 7) % CLIENTS;
        let extracted_at = format!("2026-02-01T00:{minute:02}:00Z");
        json!({
            "entities": invoice(index),
            "provenance": { "extracted_at": extracted_at, "extractor_version": "1" },
        })
    })
    .await;
    assert_eq!(distinct(&answers, "source_id").len(), CLIENTS);
    let id = answers[0]["entities"][0]["id"].as_str().unwrap();
    let stored = served.http.ok("list_observations", json!({ "entity_id": id })).await;
    let observations = stored["observations"].as_array().unwrap();
    let mut amounts: Vec<u64> = observations.iter().map(|seen| seen["fields"]["amount"].as_u64().unwrap()).collect();
    // The newest comes first, and the newest value is the one that holds.
    let winner = (0..CLIENTS as u64).find(|index| index * 7 % CLIENTS as u64 == CLIENTS as u64 - 1).unwrap();
    assert_eq!(amounts[0], winner);
    amounts.sort_unstable();
    assert_eq!(amounts, (0..CLIENTS as u64).collect::<Vec<_>>());
    let snapshot = served.http.ok("get_entity_snapshot", json!({ "entity_id": id })).await;
    assert_eq!(snapshot["snapshot"]["amount"], winner);
    assert_eq!(snapshot["provenance"]["amount"], observations[0]["id"]);
    assert_eq!(snapshot["observation_count"], CLIENTS);
    drop(served);
    let verified = crate::process::run(folder.path(), &["verify"]).await;
    assert!(verified.success, "{}", verified.stdout);
}

// N-072, N-331 (slim, reads): the answer is short, and whoever reads meanwhile is answered.
#[tokio::test]
async fn five_thousand_entities_are_one_call_with_a_short_answer() {
    let folder = tempfile::tempdir().unwrap();
    let served =
        Served::start(folder.path(), &["limits.call_timeout_ms=170000", "limits.tools=retrieve_entities=0"]).await;
    let entity = |index| json!({ "entity_type": "contact", "name": format!("Person {index}"), "external_id": index });
    let many = |count| json!({ "entities": (0..count).map(entity).collect::<Vec<_>>() });
    let error = served.http.refused("ingest", many(5001)).await;
    assert_eq!((&error["code"], &error["details"]["field"]), (&json!("VALIDATION_ERROR"), &json!("entities")));

    let http = served.http;
    let call = json!({ "name": "ingest", "arguments": many(5000) });
    let ingest = tokio::spawn(async move { http.ask("tools/call", call, &[]).await });
    let mut reads = 0;
    while !ingest.is_finished() {
        let found = served.http.ok("retrieve_entities", json!({ "limit": 1, "entity_type": "contact" })).await;
        let total = found["total"].as_u64().unwrap();
        assert!(total == 0 || total == 5000, "{total} of 5000 are seen");
        reads += 1;
    }
    assert!(reads > 0);
    let response = ingest.await.unwrap();
    assert!(response.body.len() < 100_000, "{} bytes", response.body.len());
    eprintln!("an ingest of 5000: {} bytes of answer, {reads} reads meanwhile", response.body.len());
    let answer = super::client::answered("ingest", response.message()["result"].clone());
    assert_eq!(answer["interpretation"]["entities_created"], 5000);
    assert_eq!(answer["truncated"], true);
    let found = served.http.ok("retrieve_entities", json!({ "limit": 1 })).await;
    assert_eq!(found["total"], 5000);
}

// N-246, N-247
#[tokio::test]
async fn another_process_sees_every_change_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut one = Served::start(folder.path(), &[]).await;
    let mut other = Piped::start(folder.path(), &[]).await;
    let company = |name: &str, founded: &str| json!({ "entity_type": "company", "name": name, "founded_on": founded });
    let both = json!([company("Acme", "2001-01-01"), company("Apex", "2002-02-02")]);
    let stored = one.ok("ingest", json!({ "entities": both })).await;
    let [acme, apex] = [0, 1].map(|index| stored["entities"][index]["id"].clone());
    let edge = json!({ "relationship_type": "REFERS_TO", "source_entity_id": acme, "target_entity_id": apex });
    other.ok("create_relationship", edge).await;
    let mut count = seen_by_both(&mut one, &mut other, &acme, 1).await;
    for (write, arguments) in [
        ("ingest", json!({ "entities": [company("Acme", "2003-03-03")] })),
        (
            "correct",
            json!({ "entity_id": acme, "entity_type": "company", "field": "founded_on", "value": "2004-04-04" }),
        ),
        ("merge_entities", json!({ "from_entity_id": apex, "to_entity_id": acme })),
    ] {
        // The one writes, and then the other.
        one.ok(write, arguments).await;
        let edges = u64::from(write != "merge_entities");
        let after = seen_by_both(&mut one, &mut other, &acme, edges).await;
        let corrected = json!({ "entity_id": acme, "entity_type": "company", "field": "industry", "value": write });
        other.ok("correct", corrected).await;
        let last = seen_by_both(&mut one, &mut other, &acme, edges).await;
        assert_eq!((after, last), (count + 1, count + 2), "{write}");
        count = last;
    }
    assert_eq!(other.ok("retrieve_entities", json!({})).await["total"], 1);
    other.ok("unmerge_entities", json!({ "from_entity_id": apex })).await;
    assert_eq!(one.ok("retrieve_entities", json!({})).await["total"], 2);
}

/// What every reading tool answers to both, which is the same and agrees with the snapshot; how many observations that has.
async fn seen_by_both(one: &mut Served, other: &mut Piped, id: &Value, edges: u64) -> u64 {
    let mut both = async |tool: &str, arguments: Value| {
        let answer = one.ok(tool, arguments.clone()).await;
        assert_eq!(other.ok(tool, arguments).await, answer, "{tool}");
        answer
    };
    let told = both("get_entity_snapshot", json!({ "entity_id": id })).await;
    let (snapshot, count) = (&told["snapshot"], &told["observation_count"]);
    let founded = snapshot["founded_on"].as_str().unwrap();
    let listed = both("retrieve_entities", json!({})).await;
    let entity = listed["entities"].as_array().unwrap().iter().find(|entity| entity["id"] == *id).unwrap();
    assert_eq!((&entity["snapshot"], &entity["observation_count"]), (snapshot, count));
    let found = both("get_entity_by_identifier", json!({ "identifier": "Acme" })).await;
    assert_eq!(found["entities"][0]["snapshot"], *snapshot);
    let around = both("get_graph_neighborhood", json!({ "node_id": id, "include_observations": true })).await;
    assert_eq!(around["entity_snapshot"], *snapshot);
    assert_eq!(json!(around["observations"].as_array().unwrap().len()), *count);
    assert_eq!(both("list_observations", json!({ "entity_id": id })).await["total"], *count);
    let origin = both("get_field_provenance", json!({ "entity_id": id, "field": "founded_on" })).await;
    assert_eq!(
        (&origin["value"], &origin["source_observation"]["id"]),
        (&json!(founded), &told["provenance"]["founded_on"])
    );
    assert_eq!(both("get_related_entities", json!({ "entity_id": id })).await["total_relationships"], edges);
    assert_eq!(both("list_relationships", json!({ "entity_id": id })).await["total"], edges);
    let events = both("list_timeline_events", json!({})).await;
    let event = events["events"].as_array().unwrap().iter().find(|event| event["entity_ids"] == json!([id])).unwrap();
    assert!(event["event_timestamp"].as_str().unwrap().starts_with(founded), "{event}");
    both("describe_schema", json!({})).await;
    count.as_u64().unwrap()
}
