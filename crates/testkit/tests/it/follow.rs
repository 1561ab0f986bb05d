//! Following what changes, in both eras.

use std::time::{Duration, Instant};

use contract::Changed;
use scope::{Scope, TenantId};
use serde_json::{Value, json};
use testkit::raw::{Connection, PATIENCE, Request};

use crate::harness::{Site, fault, in_session, legacy, modern, site, site_with};

fn changed(uri: &str) -> Changed {
    Changed::Resource { tenant: Scope::local().tenant, uri: uri.to_owned() }
}

fn changed_elsewhere(uri: &str) -> Changed {
    Changed::Resource { tenant: TenantId::new("another").unwrap(), uri: uri.to_owned() }
}

/// Opens a stream of the stateless era and reads its acknowledgement.
async fn listen(site: &Site, wanted: Value) -> Connection {
    let mut stream = site.connect().await;
    stream.send(&modern("subscriptions/listen", json!({ "notifications": wanted }))).await.unwrap();
    let head = stream.head().await.unwrap();
    assert!(head.status == 200 && head.is_stream(), "{head:?}");
    let first = stream.event().await.unwrap().unwrap();
    assert_eq!(first["method"], "notifications/subscriptions/acknowledged");
    stream
}

/// Opens the stream of a session that follows a resource.
async fn follow(site: &Site, uri: &str) -> (String, Connection) {
    let session = site.open_session(json!({})).await;
    let subscribe = json!({ "jsonrpc": "2.0", "id": 1, "method": "resources/subscribe", "params": { "uri": uri } });
    assert_eq!(fault(&site.ask(&in_session(legacy(&subscribe), &session)).await), (200, 0));
    let mut stream = site.connect().await;
    let request = Request::new("GET", "/mcp").header("accept", "text/event-stream");
    stream.send(&in_session(request, &session)).await.unwrap();
    assert_eq!(stream.head().await.unwrap().status, 200);
    (session, stream)
}

/// Waits until this many streams and sessions look for changes.
async fn followers(site: &Site, count: usize) {
    let started = Instant::now();
    while site.seen.changes.receiver_count() != count {
        assert!(started.elapsed() < PATIENCE, "{} follow, not {count}", site.seen.changes.receiver_count());
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

async fn next(stream: &mut Connection) -> (Value, Value) {
    let event = stream.event().await.unwrap().unwrap();
    (event["method"].clone(), event["params"]["uri"].clone())
}

//
#[tokio::test]
async fn a_stateless_stream_tells_what_was_asked_for() {
    let site = site().await;
    let mut stream = listen(&site, json!({ "toolsListChanged": true, "resourceSubscriptions": ["probe://a"] })).await;
    followers(&site, 1).await;
    for change in
        [Changed::Prompts, changed("probe://b"), changed_elsewhere("probe://a"), changed("probe://a"), Changed::Tools]
    {
        site.seen.changes.send(change).unwrap();
    }
    assert_eq!(next(&mut stream).await, (json!("notifications/resources/updated"), json!("probe://a")));
    assert_eq!(next(&mut stream).await.0, "notifications/tools/list_changed");
    drop(stream);
    followers(&site, 0).await;
}

//
#[tokio::test]
async fn a_session_tells_what_was_subscribed() {
    let site = site().await;
    let (session, mut stream) = follow(&site, "probe://a").await;
    followers(&site, 1).await;
    for change in [changed("probe://b"), changed_elsewhere("probe://a"), changed("probe://a"), Changed::Tools] {
        site.seen.changes.send(change).unwrap();
    }
    assert_eq!(next(&mut stream).await, (json!("notifications/resources/updated"), json!("probe://a")));
    assert_eq!(next(&mut stream).await.0, "notifications/tools/list_changed");
    let unsubscribe =
        json!({ "jsonrpc": "2.0", "id": 2, "method": "resources/unsubscribe", "params": { "uri": "probe://a" } });
    assert_eq!(fault(&site.ask(&in_session(legacy(&unsubscribe), &session)).await), (200, 0));
    site.seen.changes.send(changed("probe://a")).unwrap();
    site.seen.changes.send(Changed::Prompts).unwrap();
    assert_eq!(next(&mut stream).await.0, "notifications/prompts/list_changed");
    // A session that is closed follows nothing any more.
    site.ask(&in_session(Request::new("DELETE", "/mcp"), &session)).await;
    followers(&site, 0).await;
}

// Saying it twice starts nothing twice.
#[tokio::test]
async fn a_session_follows_once() {
    let site = site().await;
    let (session, _stream) = follow(&site, "probe://a").await;
    for _ in 0..3 {
        let again = legacy(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        assert_eq!(site.ask(&in_session(again, &session)).await.status, 202);
    }
    let ping = legacy(&json!({ "jsonrpc": "2.0", "id": 9, "method": "ping" }));
    assert_eq!(site.ask(&in_session(ping, &session)).await.status, 200);
    followers(&site, 1).await;
}

// what does not exist cannot be followed.
#[tokio::test]
async fn only_what_exists_can_be_subscribed() {
    let site = site().await;
    let session = site.open_session(json!({})).await;
    let message =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "resources/subscribe", "params": { "uri": "probe://none" } });
    assert_ne!(fault(&site.ask(&in_session(legacy(&message), &session)).await).1, 0);
}

#[tokio::test]
async fn what_a_session_follows_is_bounded() {
    let site = site_with(|config| config.limits.subscriptions_max = 1).await;
    let (session, _stream) = follow(&site, "probe://a").await;
    for (uri, code) in [("probe://a", 0), ("probe://b", -32603)] {
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "resources/subscribe", "params": { "uri": uri } });
        assert_eq!(fault(&site.ask(&in_session(legacy(&message), &session)).await).1, code, "{uri}");
    }
}

#[tokio::test]
async fn a_caller_has_its_share_of_the_streams() {
    let site = site_with(|config| config.limits.caller_subscriptions_max = 1).await;
    let asking = || modern("subscriptions/listen", json!({ "notifications": { "toolsListChanged": true } }));
    let stream = listen(&site, json!({ "toolsListChanged": true })).await;
    followers(&site, 1).await;
    assert_eq!(site.ask(&asking()).await.message()["error"]["code"], -32603);
    // Whoever goes without a word leaves the share behind.
    drop(stream);
    followers(&site, 0).await;
    let _again = listen(&site, json!({ "toolsListChanged": true })).await;
    followers(&site, 1).await;
}

#[tokio::test]
async fn streams_are_bounded_and_end_with_the_server() {
    let site = site_with(|config| config.limits.subscriptions_max = 1).await;
    let mut stream = listen(&site, json!({ "toolsListChanged": true })).await;
    followers(&site, 1).await;
    let refused =
        site.ask(&modern("subscriptions/listen", json!({ "notifications": { "toolsListChanged": true } }))).await;
    assert_eq!(refused.message()["error"]["code"], -32603, "{refused:?}");
    let stopping = tokio::spawn(site.running.stop());
    while stream.event().await.unwrap().is_some() {}
    assert!(stopping.await.unwrap());
}
