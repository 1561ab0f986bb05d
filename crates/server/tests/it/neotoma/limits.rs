//! How often a tool may be called.

use std::time::Instant;

use serde_json::{Value, json};

use super::client::{Client as _, Http, Piped, Served, refusal};

// N-259, N-260, N-261, N-263
#[test]
fn the_limits_of_the_specification_are_the_defaults() {
    let stated: Vec<(String, u32)> = contract::generated::neotoma::manifest()
        .tools
        .into_iter()
        .filter(|tool| tool.calls_per_minute > 0)
        .map(|tool| (tool.name, tool.calls_per_minute))
        .collect();
    let expected = [("retrieve_entities", 300), ("ingest", 100), ("upload_file", 10)];
    assert_eq!(stored_names(&stated), expected);
}

fn stored_names(stated: &[(String, u32)]) -> Vec<(&str, u32)> {
    stated.iter().map(|(name, limit)| (name.as_str(), *limit)).collect()
}

/// Calls a tool until it is limited; how many calls went through, and the refusal. While we call, the bucket fills up
/// again, so some more may go through than a minute's worth.
async fn until_limited(http: Http, tool: &str, arguments: Value, per_minute: usize) -> (usize, Value) {
    let started = Instant::now();
    for through in 0.. {
        let result = http.call(tool, arguments.clone()).await;
        if result["isError"] == true {
            let error = refusal(tool, &result);
            if error["code"] == "RATE_LIMIT_EXCEEDED" {
                return (through, error);
            }
        }
        let refilled = started.elapsed().as_millis() as usize * per_minute / 60_000 + 1;
        assert!(through < per_minute + refilled + 1, "{tool} was called {through} times");
    }
    unreachable!("the loop has no end")
}

// N-040, N-259, N-260, N-261, N-262, N-264: one more call than allowed is a tool error that says when to come back.
#[tokio::test]
async fn who_calls_too_often_is_told_when_to_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::start(folder.path(), &[]).await;
    let note = json!({ "entities": [{ "entity_type": "note", "title": "a" }] });
    for (tool, arguments, limit) in [
        ("ingest", note, 100),
        ("upload_file", json!({ "file_path": "a.txt" }), 10),
        ("retrieve_entities", json!({ "limit": 1 }), 300),
    ] {
        let (through, error) = until_limited(served.http, tool, arguments, limit).await;
        assert!(through >= limit, "{tool} was refused after {through} calls");
        let seconds = error["details"]["retry_after_seconds"].as_u64().unwrap();
        assert!((1..=60).contains(&seconds), "{error}");
        assert_eq!(error["message"], format!("Rate limit exceeded. Retry after {seconds} seconds."));
        assert!(error["trace_id"].is_string());
    }
    // Other tools go on.
    served.http.ok("list_timeline_events", json!({})).await;
}

// N-263
#[tokio::test]
async fn an_operator_sets_other_limits() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::start(folder.path(), &["limits.tools=get_entity_by_identifier=2,upload_file=0"]).await;
    let (through, _) = until_limited(served.http, "get_entity_by_identifier", json!({ "identifier": "a" }), 2).await;
    assert!(through >= 2);
    for _ in 0..12 {
        let error = served.http.refused("upload_file", json!({ "file_path": "a.txt" })).await;
        assert_eq!(error["code"], "VALIDATION_ERROR");
    }
}

// N-263
#[tokio::test]
async fn whoever_started_the_server_is_not_limited() {
    let folder = tempfile::tempdir().unwrap();
    let mut piped = Piped::start(folder.path(), &[]).await;
    for _ in 0..25 {
        let error = piped.refused("upload_file", json!({ "file_path": "a.txt" })).await;
        assert_eq!(error["code"], "VALIDATION_ERROR");
    }
}

// N-264: the limit of all calls together answers as HTTP does, with the same envelope.
#[tokio::test]
async fn the_limit_of_all_calls_is_http_429_with_the_same_envelope() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::start(folder.path(), &["limits.calls_per_minute=2"]).await;
    let started = Instant::now();
    let refused = loop {
        let call = json!({ "name": "describe_schema", "arguments": {} });
        let response = served.http.ask("tools/call", call, &[]).await;
        if response.status != 200 {
            break response;
        }
        assert!(started.elapsed().as_secs() < 120, "never refused");
    };
    assert_eq!(refused.status, 429);
    let error = refused.message()["error"].clone();
    let seconds = error["details"]["retry_after_seconds"].as_u64().unwrap();
    assert_eq!(refused.header("retry-after"), Some(seconds.to_string().as_str()));
    assert_eq!(error["code"], "RATE_LIMIT_EXCEEDED");
    assert_eq!(error["message"], format!("Rate limit exceeded. Retry after {seconds} seconds."));
    assert!(error["trace_id"].is_string());
}
