//! What happens to a call: panics, deadlines, cancellation, progress, and stopping.

use serde_json::json;

use crate::harness::{call, in_session, legacy, legacy_call, modern, refusal, site, site_with, structured};

// A fault of ours is an answer, and the connection lives.
#[tokio::test]
async fn a_panic_is_an_answer() {
    let site = site().await;
    let mut connection = site.connect().await;
    let refused = refusal(&connection.ask(&call("probe.panic", json!({}))).await.unwrap());
    assert_eq!(refused["code"], "INTERNAL");
    assert!(refused["details"]["error_id"].as_str().is_some_and(|id| !id.is_empty()), "{refused}");
    assert!(!refused.to_string().contains("asked to panic"));
    let read = connection.ask(&modern("resources/read", json!({ "uri": "probe://panic" }))).await.unwrap();
    assert_eq!(read.message()["error"]["code"], -32603);
    assert_eq!(structured(&connection.ask(&call("probe.echo", json!({}))).await.unwrap()), json!({}));
    let session = site.open_session(json!({})).await;
    let refused = refusal(&site.ask(&in_session(legacy_call(1, "probe.panic", json!({})), &session)).await);
    assert_eq!(refused["code"], "INTERNAL");
    assert_eq!(site.ask(&in_session(legacy_call(2, "probe.echo", json!({})), &session)).await.status, 200);
}

//
#[tokio::test]
async fn a_call_that_takes_too_long_times_out() {
    let site = site_with(|config| config.limits.call_timeout_ms = 50).await;
    let refused = refusal(&site.ask(&call("probe.wait", json!({}))).await);
    assert_eq!((&refused["code"], &refused["details"]["outcome"]), (&json!("TIMEOUT"), &json!("unknown")));
    site.seen.reaches(&site.seen.over, 1).await;
    let session = site.open_session(json!({})).await;
    let refused = refusal(&site.ask(&in_session(legacy_call(1, "probe.wait", json!({})), &session)).await);
    assert_eq!(refused["code"], "TIMEOUT");
}

//
#[tokio::test]
async fn calls_under_way_are_bounded() {
    let site = site_with(|config| config.limits.calls_max = 1).await;
    let mut busy = site.connect().await;
    busy.send(&call("probe.wait", json!({}))).await.unwrap();
    site.seen.reaches(&site.seen.begun, 1).await;
    assert_eq!(refusal(&site.ask(&call("probe.echo", json!({}))).await)["code"], "SERVICE_UNAVAILABLE");
    site.seen.release.notify_one();
    assert_eq!(structured(&busy.answer().await.unwrap()), json!({ "waited": true }));
    assert_eq!(structured(&site.ask(&call("probe.echo", json!({}))).await), json!({}));
}

//
#[tokio::test]
async fn equal_calls_at_once_have_one_effect_and_equal_answers() {
    let site = site().await;
    let mut connections = Vec::new();
    for _ in 0..8 {
        let mut connection = site.connect().await;
        connection.send(&call("probe.write", json!({ "client_request_id": "k" }))).await.unwrap();
        connections.push(connection);
    }
    site.seen.reaches(&site.seen.begun, 1).await;
    site.seen.release.notify_one();
    for mut connection in connections {
        assert_eq!(structured(&connection.answer().await.unwrap())["waited"], true);
    }
    assert_eq!(*site.seen.begun.borrow(), 1);
}

// R-800 (doors)
#[tokio::test]
async fn closing_the_connection_cancels() {
    let site = site().await;
    for (count, request) in [call("probe.wait", json!({})), legacy_call(1, "probe.wait", json!({}))].iter().enumerate()
    {
        let mut connection = site.connect().await;
        connection.send(request).await.unwrap();
        site.seen.reaches(&site.seen.begun, count + 1).await;
        drop(connection);
        site.seen.reaches(&site.seen.over, count + 1).await;
    }
}

// R-800 (doors)
#[tokio::test]
async fn a_notification_cancels_in_a_session() {
    let site = site().await;
    let session = site.open_session(json!({})).await;
    let mut connection = site.connect().await;
    connection.send(&in_session(legacy_call(11, "probe.wait", json!({})), &session)).await.unwrap();
    site.seen.reaches(&site.seen.begun, 1).await;
    let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 11 } });
    assert_eq!(site.ask(&in_session(legacy(&cancel), &session)).await.status, 202);
    site.seen.reaches(&site.seen.over, 1).await;
    assert_eq!(connection.head().await.unwrap().status, 200);
    assert_eq!(connection.event().await.unwrap(), None);
    assert_eq!(site.ask(&in_session(legacy_call(12, "probe.echo", json!({})), &session)).await.status, 200);
}

// R-800 (doors): losing a connection of the initialize era is not a wish to cancel.
#[tokio::test]
async fn a_session_survives_a_lost_connection() {
    let site = site().await;
    let session = site.open_session(json!({})).await;
    let mut connection = site.connect().await;
    connection.send(&in_session(legacy_call(1, "probe.wait", json!({})), &session)).await.unwrap();
    site.seen.reaches(&site.seen.begun, 1).await;
    drop(connection);
    assert_eq!(site.ask(&in_session(legacy_call(2, "probe.echo", json!({})), &session)).await.status, 200);
    site.seen.release.notify_one();
    site.seen.reaches(&site.seen.over, 1).await;
}

// R-037, R-800 (doors)
#[tokio::test]
async fn progress_turns_the_answer_into_a_stream() {
    let site = site().await;
    let quiet = site.ask(&call("probe.report", json!({}))).await;
    assert!(!quiet.is_stream(), "{quiet:?}");
    let params = json!({ "name": "probe.report", "arguments": {}, "_meta": { "progressToken": "p1" } });
    let told = site.ask(&modern("tools/call", params)).await;
    assert!(told.is_stream(), "{told:?}");
    let messages = told.messages();
    let progress: Vec<_> = messages.iter().filter(|message| message["method"] == "notifications/progress").collect();
    let done: Vec<_> = progress.iter().map(|message| message["params"]["progress"].as_f64().unwrap()).collect();
    assert_eq!(done, [1.0, 2.0, 3.0]);
    assert!(progress.iter().all(|message| message["params"]["progressToken"] == "p1"));
    assert_eq!(structured(&told), json!({ "reported": 3 }));
}

// A server that stops lets the calls under way finish, and ends the streams.
#[tokio::test]
async fn stopping_finishes_calls_and_ends_streams() {
    let site = site().await;
    let session = site.open_session(json!({})).await;
    let mut stream = site.connect().await;
    let follow = testkit::raw::Request::new("GET", "/mcp").header("accept", "text/event-stream");
    stream.send(&in_session(follow, &session)).await.unwrap();
    assert_eq!(stream.head().await.unwrap().status, 200);
    let (mut modern, mut legacy) = (site.connect().await, site.connect().await);
    modern.send(&call("probe.wait", json!({}))).await.unwrap();
    legacy.send(&in_session(legacy_call(3, "probe.wait", json!({})), &session)).await.unwrap();
    site.seen.reaches(&site.seen.begun, 2).await;
    let seen = site.seen.clone();
    let stopping = tokio::spawn(site.running.stop());
    assert_eq!(stream.event().await.unwrap(), None);
    seen.release.notify_waiters();
    assert_eq!(structured(&modern.answer().await.unwrap()), json!({ "waited": true }));
    assert_eq!(structured(&legacy.answer().await.unwrap()), json!({ "waited": true }));
    assert!(stopping.await.unwrap());
}
