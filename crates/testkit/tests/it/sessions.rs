//! Sessions of the initialize era.

use serde_json::{Value, json};
use testkit::raw::Request;
use testkit::site::Plan;

use crate::harness::{
    NamedInHeader, Site, fault, in_session, initialize, legacy, legacy_call, site, site_with, start, structured,
};

fn stream(session: Option<&str>) -> Request {
    let request = Request::new("GET", "/mcp").header("accept", "text/event-stream");
    match session {
        Some(session) => in_session(request, session),
        None => request,
    }
}

fn echo(session: &str) -> Request {
    in_session(legacy_call(1, "probe.echo", json!({ "text": "x" })), session)
}

//
#[tokio::test]
async fn a_stream_needs_a_session() {
    let site = site().await;
    assert_eq!(site.ask(&stream(None)).await.status, 405);
    assert_eq!(site.ask(&Request::new("DELETE", "/mcp")).await.status, 405);
    assert_eq!(site.ask(&stream(Some("made-up"))).await.status, 404);
    let session = site.open_session(json!({})).await;
    let mut connection = site.connect().await;
    connection.send(&stream(Some(&session))).await.unwrap();
    let head = connection.head().await.unwrap();
    assert!(head.status == 200 && head.is_stream(), "{head:?}");
}

//
#[tokio::test]
async fn a_closed_session_is_gone() {
    let site = site().await;
    let session = site.open_session(json!({})).await;
    assert_eq!(structured(&site.ask(&echo(&session)).await), json!({ "text": "x" }));
    let close = in_session(Request::new("DELETE", "/mcp"), &session);
    let closed = site.ask(&close).await.status;
    assert!((200..300).contains(&closed), "{closed}");
    assert_eq!(fault(&site.ask(&echo(&session)).await).0, 404);
    assert_eq!(site.ask(&close).await.status, 404);
}

// A session id is worth nothing to another caller.
#[tokio::test]
async fn a_session_belongs_to_who_opened_it() {
    let site = site().await;
    let session = site.open_session(json!({})).await;
    for request in [echo(&session), stream(Some(&session)), in_session(Request::new("DELETE", "/mcp"), &session)] {
        assert_eq!(site.ask(&request.header("x-test-caller", "mallory")).await.status, 404);
    }
    assert_eq!(site.ask(&echo(&session)).await.status, 200);
}

// The first message of a session does not reach into another one.
#[tokio::test]
async fn initialize_opens_a_session_whatever_is_named_beside_it() {
    let site = site().await;
    let session = site.open_session(json!({})).await;
    let request = in_session(initialize("2025-11-25", json!({})), &session).header("x-test-caller", "mallory");
    let opened = site.ask(&request).await;
    assert_eq!(opened.status, 200, "{opened:?}");
    assert!(opened.header("mcp-session-id").is_some_and(|own| own != session), "{opened:?}");
}

#[tokio::test]
async fn a_session_of_before_a_restart_is_served() {
    let plan = || {
        let mut plan = Plan::of(testkit::probe::Probe::default());
        plan.identity = std::sync::Arc::new(NamedInHeader);
        plan
    };
    let seen = testkit::probe::Probe::default().seen();
    let before = Site { running: start(plan()).await, seen: seen.clone() };
    let session = before.open_session(json!({})).await;
    assert!(before.running.stop().await);
    let after = Site { running: start(plan()).await, seen: seen.clone() };
    assert_eq!(structured(&after.ask(&echo(&session)).await), json!({ "text": "x" }));
    let note = legacy(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    assert_eq!(after.ask(&in_session(note, &session)).await.status, 202);
    // Another process with another key does not know it.
    let elsewhere = Site { running: start(Plan { seal_key: [8; 32], ..plan() }).await, seen };
    assert_eq!(elsewhere.ask(&echo(&session)).await.status, 404);
}

#[tokio::test]
async fn sessions_are_bounded() {
    let site = site_with(|config| config.limits.sessions_max = 2).await;
    let first = site.open_session(json!({})).await;
    site.open_session(json!({})).await;
    let refused = site.ask(&initialize("2025-11-25", json!({}))).await;
    assert_eq!(fault(&refused), (503, -32603));
    assert_eq!(refused.message()["id"], 0);
    site.ask(&in_session(Request::new("DELETE", "/mcp"), &first)).await;
    site.open_session(json!({})).await;
}

#[tokio::test]
async fn a_caller_has_its_share_of_the_sessions() {
    let site = site_with(|config| config.limits.caller_sessions_max = 1).await;
    let first = site.open_session(json!({})).await;
    assert_eq!(fault(&site.ask(&initialize("2025-11-25", json!({}))).await), (503, -32603));
    site.ask(&in_session(Request::new("DELETE", "/mcp"), &first)).await;
    site.open_session(json!({})).await;
}

#[tokio::test]
async fn a_session_answers_pings_and_refuses_what_it_cannot_read() {
    let site = site().await;
    let session = site.open_session(json!({})).await;
    let ask = async |message: Value| site.ask(&in_session(legacy(&message), &session)).await;
    let pong = ask(json!({ "jsonrpc": "2.0", "id": 5, "method": "ping" })).await;
    assert_eq!(pong.message(), json!({ "jsonrpc": "2.0", "id": 5, "result": {} }));
    let odd = ask(json!({ "jsonrpc": "2.0", "id": 6, "method": "tools/call", "params": { "name": 7 } })).await;
    assert_eq!(fault(&odd).1, -32602);
    let stray = ask(json!({ "jsonrpc": "2.0", "id": 99, "result": {} })).await;
    assert_eq!(stray.status, 202);
}

// An answer finds its request by the id.
#[tokio::test]
async fn an_id_that_is_under_way_is_refused() {
    let site = site().await;
    let (session, other) = (site.open_session(json!({})).await, site.open_session(json!({})).await);
    let wait = |id, session: &str| in_session(legacy_call(id, "probe.wait", json!({})), session);
    let mut first = site.connect().await;
    first.send(&wait(1, &session)).await.unwrap();
    site.seen.reaches(&site.seen.begun, 1).await;
    let refused = site.ask(&echo(&session)).await;
    assert_eq!((fault(&refused), &refused.message()["id"]), ((400, -32600), &json!(1)));
    assert!(refused.body.contains("a request with this id is under way"), "{refused:?}");
    // Another id, and another session, do not matter.
    let mine = in_session(legacy_call(2, "probe.echo", json!({})), &session);
    assert_eq!(structured(&site.ask(&mine).await), json!({}));
    assert_eq!(structured(&site.ask(&echo(&other)).await), json!({ "text": "x" }));
    site.seen.release.notify_one();
    assert_eq!(structured(&first.answer().await.unwrap()), json!({ "waited": true }));
    assert_eq!(structured(&site.ask(&echo(&session)).await), json!({ "text": "x" }));
}

#[tokio::test]
async fn an_id_stays_under_way_when_its_caller_hangs_up() {
    let site = site().await;
    let session = site.open_session(json!({})).await;
    let mut first = site.connect().await;
    first.send(&in_session(legacy_call(1, "probe.wait", json!({})), &session)).await.unwrap();
    site.seen.reaches(&site.seen.begun, 1).await;
    drop(first);
    assert_eq!(fault(&site.ask(&echo(&session)).await), (400, -32600));
    site.seen.release.notify_one();
    site.seen.reaches(&site.seen.over, 1).await;
    // Free as soon as the answer has been put together.
    while site.ask(&echo(&session)).await.status != 200 {
        tokio::task::yield_now().await;
    }
}
