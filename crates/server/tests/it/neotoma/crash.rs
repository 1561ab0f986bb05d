//! The server is killed in the middle of a large ingest, started again, and asked again.

use std::time::Duration;

use serde_json::{Value, json};

use super::client::{Http, Served, answered};

const ENTITIES: u64 = 1000;
/// How long after the request left the server dies; from before it looks at it to after it has answered.
const KILL_AFTER_MS: [u64; 8] = [0, 20, 60, 120, 200, 350, 600, 1200];

fn batch(round: usize) -> Value {
    let entity = |index| {
        json!({
            "entity_type": "task", "title": format!("Task {index} of round {round}"), "status": "open",
            "due_date": "2026-05-01",
        })
    };
    json!({ "client_request_id": format!("round-{round}"), "entities": (0..ENTITIES).map(entity).collect::<Vec<_>>() })
}

/// How many tasks there are, and how many moments of the timeline.
async fn stored(http: Http) -> (u64, u64) {
    let tasks = http.ok("retrieve_entities", json!({ "entity_type": "task", "limit": 1 })).await;
    let events = http.ok("list_timeline_events", json!({ "limit": 1 })).await;
    (tasks["total"].as_u64().unwrap(), events["total"].as_u64().unwrap())
}

// N-070, N-328
#[tokio::test]
async fn an_ingest_that_is_cut_off_happened_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let (mut cut, mut replayed) = (0, 0);
    for (round, kill_after_ms) in KILL_AFTER_MS.into_iter().enumerate() {
        let served = Served::start(folder.path(), &[]).await;
        let (before, http) = (stored(served.http).await, served.http);
        let call = json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": { "name": "ingest", "arguments": batch(round) },
        });
        let headers = [("content-type", "application/json"), ("accept", "application/json, text/event-stream")];
        let call = call.to_string();
        let asked = tokio::spawn(async move { http.try_send("POST", "/neotoma/mcp", &headers, call.as_bytes()).await });
        tokio::time::sleep(Duration::from_millis(kill_after_ms)).await;
        served.kill().await;
        // An answer that got through counts.
        let first = asked.await.unwrap().ok().map(|response| answered("ingest", response.message()["result"].clone()));
        cut += u32::from(first.is_none());

        let served = Served::start(folder.path(), &[]).await;
        let found = stored(served.http).await;
        let whole = (before.0 + ENTITIES, before.1 + ENTITIES);
        assert!(found == before || found == whole, "round {round}: {found:?} after {before:?}");
        assert!(first.is_none() || found == whole, "round {round}: an answer was given and nothing is there");
        let again = served.http.ok("ingest", batch(round)).await;
        let is_replay = again["idempotent_replay"] == true;
        assert_eq!(is_replay, found == whole, "round {round}: {again}");
        replayed += u32::from(is_replay);
        assert_eq!(again["interpretation"]["entities_created"], ENTITIES);
        if let Some(first) = first {
            let mut expected = first;
            expected["idempotent_replay"] = true.into();
            assert_eq!(again, expected, "round {round}: the replay is exact");
        }
        assert_eq!(stored(served.http).await, whole, "round {round}");
    }
    assert!(cut > 0, "every call was answered before the server died");
    eprintln!("{} rounds: {cut} cut off, {replayed} had happened", KILL_AFTER_MS.len());
    let verified = crate::process::run(folder.path(), &["verify"]).await;
    assert!(verified.success, "{}", verified.stdout);
}
