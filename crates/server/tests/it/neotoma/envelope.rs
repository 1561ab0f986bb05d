//! The shape of every refusal.

use axum::body::Body;
use axum::http::Request;
use futures::future::join;
use http_body_util::BodyExt as _;
use scope::Scope;
use serde_json::{Value, json};
use tower::ServiceExt as _;

use super::client::{Client, Piped, Served, refusal};
use crate::codes::{BREAKS, NEVER_ENDS, frail_world};
use crate::world::World;

/// The parts of a refusal, each of which is there.
#[track_caller]
fn whole(error: &Value) {
    let names: Vec<&String> = error.as_object().unwrap().keys().collect();
    assert_eq!(names, ["code", "message", "details", "trace_id"], "{error}");
    assert!(error["code"].is_string() && error["message"].is_string() && error["details"].is_object(), "{error}");
    let trace = error["trace_id"].as_str().unwrap();
    assert!(trace.len() == 32 && trace.bytes().all(|byte| byte.is_ascii_hexdigit()), "{error}");
}

async fn check(client: &mut impl Client) {
    for (tool, arguments, code) in [
        ("ingest", json!({ "user_id": "", "entities": [] }), "VALIDATION_ERROR"),
        ("ingest", json!({}), "VALIDATION_ERROR"),
        ("get_entity_snapshot", json!({ "entity_id": "ent_0123456789abcdef01234567" }), "ENTITY_NOT_FOUND"),
        ("get_entity_snapshot", json!({}), "VALIDATION_ERROR"),
        ("get_file_url", json!({ "file_path": "files/a/b" }), "FILE_NOT_FOUND"),
    ] {
        let error = client.refused(tool, arguments).await;
        whole(&error);
        assert_eq!(error["code"], code);
    }
    // What is no call of a tool is a fault of the protocol.
    let unknown = client.ask("tools/call", json!({ "name": "no_such_tool", "arguments": {} })).await;
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    let unknown = client.ask("no/such/method", json!({})).await;
    assert_eq!(unknown["error"]["code"], -32601, "{unknown}");
}

// N-021, N-022, N-266
#[tokio::test]
async fn a_refusal_is_the_envelope_in_one_block_of_text() {
    let folder = tempfile::tempdir().unwrap();
    check(&mut Served::start(folder.path(), &[]).await).await;
    check(&mut Piped::start(folder.path(), &[]).await).await;
}

// N-022, N-329
#[tokio::test]
async fn what_is_not_a_message_is_a_fault_of_the_protocol_and_the_connection_lives() {
    let folder = tempfile::tempdir().unwrap();
    let mut served = Served::start(folder.path(), &[]).await;
    let headers = [("content-type", "application/json"), ("accept", "application/json, text/event-stream")];
    let mut piped = Piped::start(folder.path(), &[]).await;
    for (text, code) in [("{\"jsonrpc\": \"2.0\", \"id\": 1,", -32700), ("{\"id\": 1}", -32600)] {
        let answer = served.http.send("POST", "/neotoma/mcp", &headers, text.as_bytes()).await;
        assert_eq!((answer.status, &answer.message()["error"]["code"]), (400, &json!(code)), "{text}");
        assert_eq!(piped.line(text).await["error"]["code"], code, "{text}");
    }
    served.ok("retrieve_entities", json!({})).await;
    piped.ok("retrieve_entities", json!({})).await;
}

// N-076, N-332
#[tokio::test]
async fn half_a_character_is_refused_with_its_field() {
    let folder = tempfile::tempdir().unwrap();
    let mut served = Served::start(folder.path(), &[]).await;
    let mut piped = Piped::start(folder.path(), &[]).await;
    let headers = [("content-type", "application/json"), ("accept", "application/json, text/event-stream")];
    for half in [r"\ud800", r"\udc00", r"a\udc00\ud800b", r"\u0000"] {
        let entity = format!(r#"{{"entity_type": "note", "title": "{half}"}}"#);
        let params = format!(r#"{{"name": "ingest", "arguments": {{"entities": [{entity}]}}}}"#);
        let text = format!(r#"{{"jsonrpc": "2.0", "id": 99, "method": "tools/call", "params": {params}}}"#);
        let over_http = served.http.send("POST", "/neotoma/mcp", &headers, text.as_bytes()).await.message();
        for answer in [over_http, piped.line(&text).await] {
            let error = refusal("ingest", &answer["result"]);
            assert_eq!(
                (&error["code"], &error["details"]["field"]),
                (&json!("VALIDATION_ERROR"), &json!("entities.title"))
            );
        }
    }
    assert_eq!(served.ok("retrieve_entities", json!({})).await["total"], 0);
}

const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

// N-023, R-387
#[tokio::test]
async fn the_trace_of_the_call_is_in_the_refusal_and_in_the_audit_record() {
    let world = World::new().await;
    let missing = json!({ "entity_id": "ent_0123456789abcdef01234567" });
    let traced = refusal("", &post(&world, "get_entity_snapshot", missing.clone(), Some(PARENT)).await);
    assert_eq!(traced["trace_id"], TRACE);
    let started = refusal("", &post(&world, "get_entity_snapshot", missing, None).await);
    whole(&started);
    assert_ne!(started["trace_id"], TRACE);
    world.platform.audit.flush().await;
    let rows = world.platform.audit.recent(&Scope::local().tenant, 10).await.unwrap();
    let mut traces: Vec<Option<&str>> = rows.iter().map(|row| row.trace_id.as_deref()).collect();
    let mut expected = vec![Some(TRACE), started["trace_id"].as_str()];
    traces.sort_unstable();
    expected.sort_unstable();
    assert_eq!(traces, expected);
}

/// The result of a call over HTTP.
async fn post(world: &World, tool: &str, arguments: Value, traceparent: Option<&str>) -> Value {
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": tool, "arguments": arguments } });
    let mut request = Request::post("/neotoma/mcp")
        .header("host", "localhost")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream");
    if let Some(parent) = traceparent {
        request = request.header("traceparent", parent);
    }
    let answer = world.router().oneshot(request.body(Body::from(call.to_string())).unwrap()).await.unwrap();
    let body = answer.into_body().collect().await.unwrap().to_bytes();
    let text = std::str::from_utf8(&body).unwrap();
    let event = text.lines().rev().filter_map(|line| line.strip_prefix("data:")).find(|data| !data.trim().is_empty());
    let message: Value = serde_json::from_str(event.unwrap_or(text)).unwrap();
    message["result"].clone()
}

fn file(name: &str, key: &str) -> Value {
    json!({
        "file_content": "SGVsbG8=", "mime_type": "text/plain", "original_filename": name, "client_request_id": key,
    })
}

// N-025: a panic is a refusal like any other, and says nothing of what happened.
#[tokio::test]
async fn a_panic_is_told_in_the_envelope() {
    let world = frail_world().await;
    let error = refusal("", &post(&world, "ingest", file(BREAKS, "a"), None).await);
    whole(&error);
    assert_eq!((&error["code"], &error["message"]), (&json!("INTERNAL"), &json!("the call failed inside the server")));
    assert!(error["details"]["error_id"].is_string() && !error.to_string().contains("asked to panic"), "{error}");
}

// N-025, N-043: whoever waits too long is told in the envelope, as is the call that it waited for.
#[tokio::test]
async fn a_call_without_end_and_one_that_waits_for_it_are_told_in_the_envelope() {
    let world = frail_world().await;
    // Nothing reaches the store, so that the clock may jump.
    tokio::time::pause();
    let call = || world.call_neotoma("ingest", file(NEVER_ENDS, "k"));
    let (first, second) = Box::pin(join(call(), call())).await;
    assert_eq!(first["error"]["code"], "TIMEOUT");
    assert_eq!(first["error"]["details"]["outcome"], "unknown");
    assert_eq!(second["error"]["code"], "IDEMPOTENCY_IN_PROGRESS");
    assert_eq!(second["error"]["details"]["field"], "client_request_id");
    assert!(second["error"]["details"]["retry_after_ms"].as_u64().is_some_and(|wait| wait > 0));
    for answer in [first, second] {
        let names: Vec<&String> = answer["error"].as_object().unwrap().keys().collect();
        assert_eq!(names, ["code", "message", "details", "trace_id"]);
    }
}

// N-043
#[tokio::test]
async fn a_key_stands_for_one_request() {
    let folder = tempfile::tempdir().unwrap();
    let note =
        |title: &str| json!({ "entities": [{ "entity_type": "note", "title": title }], "client_request_id": "k" });
    let mut served = Served::start(folder.path(), &[]).await;
    let first = served.ok("ingest", note("a")).await;
    let again = served.ok("ingest", note("a")).await;
    assert_eq!((&again["idempotent_replay"], &again["entities"]), (&json!(true), &first["entities"]));
    let error = served.refused("ingest", note("b")).await;
    whole(&error);
    assert_eq!(
        (&error["code"], &error["details"]["field"]),
        (&json!("IDEMPOTENCY_KEY_REUSED"), &json!("client_request_id"))
    );
    // Another process knows it as well, and gives the whole answer again.
    let mut other = Piped::start(folder.path(), &[]).await;
    assert_eq!(other.refused("ingest", note("b")).await["code"], "IDEMPOTENCY_KEY_REUSED");
    let mut expected = first.clone();
    expected["idempotent_replay"] = true.into();
    assert_eq!(other.ok("ingest", note("a")).await, expected);
    assert_eq!(served.ok("retrieve_entities", json!({})).await["total"], 1);
}
