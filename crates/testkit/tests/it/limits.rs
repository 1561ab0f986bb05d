//! Sizes, slow senders and too many connections.

use serde_json::json;
use testkit::probe::Probe;
use testkit::raw::Request;

use crate::harness::{call, fault, in_session, legacy_call, site, site_of, site_with, structured};

// R-361
#[tokio::test]
async fn an_oversized_body_is_refused() {
    let site = site_with(|config| config.limits.body_bytes_max = 2_000).await;
    let text = "x".repeat(3_000);
    assert_eq!(fault(&site.ask(&call("probe.echo", json!({ "text": text }))).await).0, 413);
    // Without a length the bound is found while reading.
    let mut connection = site.connect().await;
    let head =
        "POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";
    connection.write(head.as_bytes()).await.unwrap();
    connection.write(format!("bb8\r\n{text}\r\n").as_bytes()).await.unwrap();
    assert_eq!(connection.answer().await.unwrap().status, 413);
    assert_eq!(site.ask(&call("probe.echo", json!({ "text": "small" }))).await.status, 200);
}

#[tokio::test]
async fn a_capability_may_take_larger_requests() {
    let site = site_of(Probe::taking(6_000_000)).await;
    let text = "x".repeat(5_000_000);
    let answer = site.ask(&call("probe.echo", json!({ "text": text }))).await;
    assert_eq!(structured(&answer)["text"].as_str().map(str::len), Some(text.len()));
    let session = site.open_session(json!({})).await;
    let request = in_session(legacy_call(2, "probe.echo", json!({ "text": text })), &session);
    assert_eq!(structured(&site.ask(&request).await)["text"].as_str().map(str::len), Some(text.len()));
    // The others stay as they are, and who sends too much learns it.
    let other = site_of(Probe::default()).await;
    let refused = other.ask(&call("probe.echo", json!({ "text": text }))).await;
    assert_eq!(fault(&refused), (413, -32600));
}

#[tokio::test]
async fn a_capability_words_what_is_too_large_for_it() {
    let site = site_of(Probe::taking(5_000_000)).await;
    let mut connection = site.connect().await;
    let head =
        "POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: 60000000\r\n\r\n";
    connection.write(head.as_bytes()).await.unwrap();
    let refused = connection.answer().await.unwrap();
    assert_eq!(refused.status, 413);
    let error = &refused.message()["error"];
    assert_eq!(
        (&error["code"], &error["details"]),
        (&json!("FILE_TOO_LARGE"), &json!({ "size": 60_000_000, "max": 5_000_000 }))
    );
    assert_eq!(error["trace_id"].as_str().map(str::len), Some(32));
}

// R-361
#[tokio::test]
async fn oversized_headers_are_refused() {
    let site = site().await;
    let request = call("probe.echo", json!({})).header("x-long", &"x".repeat(1_000_000));
    let mut connection = site.connect().await;
    // The server may close before it has read everything.
    let _ = connection.send(&request).await;
    let refused = connection.answer().await.map_or(431, |response| response.status);
    assert_eq!(refused, 431);
    assert_eq!(site.ask(&call("probe.echo", json!({}))).await.status, 200);
}

// R-361
#[tokio::test]
async fn a_slow_sender_is_dropped() {
    let site = site_with(|config| config.limits.read_timeout_ms = 100).await;
    let mut connection = site.connect().await;
    connection.write(b"POST /mcp HTTP/1.1\r\nhost: 127").await.unwrap();
    // hyper answers 408 or just closes; either way the connection is over.
    let dropped = connection.answer().await.map_or(408, |response| response.status);
    assert_eq!(dropped, 408);
    let mut connection = site.connect().await;
    let head =
        "POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{";
    connection.write(head.as_bytes()).await.unwrap();
    assert_eq!(connection.answer().await.unwrap().status, 408);
    assert!(connection.is_closed().await);
}

// R-361: nobody holds a connection by saying nothing.
#[tokio::test]
async fn a_silent_connection_is_dropped() {
    let site = site_with(|config| config.limits.read_timeout_ms = 100).await;
    let mut silent = site.connect().await;
    let mut quiet_after_one = site.connect().await;
    assert_eq!(quiet_after_one.ask(&Request::new("GET", "/metrics")).await.unwrap().status, 200);
    let over = |outcome: std::io::Result<testkit::raw::Response>| outcome.map_or(408, |response| response.status);
    assert_eq!(over(silent.answer().await), 408);
    assert_eq!(over(quiet_after_one.answer().await), 408);
}

// R-361: who comes when all places are taken hears so, and probes are answered all the same.
#[tokio::test]
async fn connections_are_bounded_and_probes_have_places_of_their_own() {
    let site = site_with(|config| config.limits.connections_max = 1).await;
    let mut first = site.connect().await;
    first.send(&call("probe.wait", json!({}))).await.unwrap();
    site.seen.reaches(&site.seen.begun, 1).await;
    // More silent ones than there are reserved places.
    let mut silent = Vec::new();
    for _ in 0..100 {
        silent.push(site.connect().await);
    }
    assert_eq!(site.ask(&Request::new("GET", "/health")).await.status, 200);
    assert_eq!(site.ask(&Request::new("GET", "/ready")).await.status, 200);
    for request in [call("probe.echo", json!({})), Request::new("GET", "/metrics")] {
        let refused = site.ask(&request).await;
        assert_eq!((refused.status, refused.header("retry-after")), (503, Some("1")), "{refused:?}");
    }
    drop(first);
    // The place is free as soon as the server has seen the end of the connection.
    while site.ask(&call("probe.echo", json!({}))).await.status != 200 {
        tokio::task::yield_now().await;
    }
}

// R-361: who only holds a connection keeps nobody out.
#[tokio::test]
async fn quiet_connections_make_room() {
    let site = site_with(|config| config.limits.connections_max = 4).await;
    let (mut silent, mut half) = (Vec::new(), Vec::new());
    for _ in 0..100 {
        silent.push(site.connect().await);
        let mut connection = site.connect().await;
        connection.write(b"POST /mcp HTTP/1.1\r\nhost: 127").await.unwrap();
        half.push(connection);
        assert_eq!(site.ask(&call("probe.echo", json!({}))).await.status, 200);
    }
    // One that waits for its answer is not quiet.
    let mut kept = site.connect().await;
    kept.send(&call("probe.wait", json!({}))).await.unwrap();
    site.seen.reaches(&site.seen.begun, 1).await;
    for _ in 0..20 {
        silent.push(site.connect().await);
        assert_eq!(site.ask(&call("probe.echo", json!({}))).await.status, 200);
    }
    site.seen.release.notify_one();
    assert_eq!(structured(&kept.answer().await.unwrap()), json!({ "waited": true }));
}

// R-361: one caller has its share of the calls, and writers leave some to readers.
#[tokio::test]
async fn a_caller_has_its_share_of_the_calls() {
    let site = site_with(|config| {
        config.limits.calls_max = 8;
        config.limits.caller_calls_max = 2;
    })
    .await;
    let mut waiting = Vec::new();
    for number in 1..=2 {
        let mut connection = site.connect().await;
        connection.send(&call("probe.wait", json!({}))).await.unwrap();
        site.seen.reaches(&site.seen.begun, number).await;
        waiting.push(connection);
    }
    let refused = site.ask(&call("probe.echo", json!({}))).await;
    assert!(refused.body.contains("RATE_LIMIT_EXCEEDED") && refused.body.contains("calls_max"), "{refused:?}");
    drop(waiting);
    while site.ask(&call("probe.echo", json!({}))).await.body.contains("RATE_LIMIT_EXCEEDED") {
        tokio::task::yield_now().await;
    }
}

// R-361: small values take many times their text in memory.
#[tokio::test]
async fn a_message_of_too_many_values_is_refused() {
    let site = site().await;
    for zeros in [300_000, 2_000_000] {
        let arguments = format!(r#"{{"filter":{{"a":[{}0]}}}}"#, "0,".repeat(zeros));
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"probe.echo","arguments":{arguments}}}}}"#
        );
        let refused = site.ask(&Request::post(body)).await;
        assert_eq!(fault(&refused), (413, -32600), "{refused:?}");
        assert!(refused.body.contains("more than 250000 values in one message; send them in several"), "{refused:?}");
    }
    let many = json!({ "filter": { "a": vec![0; 200_000] } });
    assert_eq!(structured(&site.ask(&call("probe.echo", many.clone())).await), many);
}

#[tokio::test]
async fn blanks_are_no_message() {
    let site = site().await;
    assert_eq!(fault(&site.ask(&Request::post(" ".repeat(2_000_000))).await), (400, -32700));
    let padded = format!("{}{}", " ".repeat(2_000_000), r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
    assert_eq!(site.ask(&Request::post(padded)).await.status, 200);
}

// Nothing is read for a caller over its rate.
#[tokio::test]
async fn a_caller_over_its_pace_is_turned_away_before_its_body() {
    let site = site_with(|config| config.limits.calls_per_minute = 1).await;
    assert_eq!(site.ask(&call("probe.echo", json!({}))).await.status, 200);
    let mut connection = site.connect().await;
    let head =
        "POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n";
    connection.write(head.as_bytes()).await.unwrap();
    assert_eq!(connection.answer().await.unwrap().status, 429);
}

#[tokio::test]
async fn one_connection_carries_many_calls() {
    let site = site().await;
    let mut connection = site.connect().await;
    for count in 0..20 {
        let answer = connection.ask(&call("probe.echo", json!({ "count": count }))).await.unwrap();
        assert_eq!(structured(&answer), json!({ "count": count }));
        let answer = connection.ask(&legacy_call(count, "probe.echo", json!({}))).await.unwrap();
        assert_eq!(answer.message()["id"], count);
    }
}
