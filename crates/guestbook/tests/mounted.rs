//! A capability that is not in the box: its proto, this crate, one mount line, and it has an endpoint of its own beside the others.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use http_body_util::BodyExt as _;
use ledger::Ledger as _;
use serde_json::{Value, json};
use server::{Config, Platform};
use tower::ServiceExt as _;

struct Box {
    platform: Platform,
    router: Router,
    _folder: tempfile::TempDir,
}

async fn platform() -> Box {
    let folder = tempfile::tempdir().unwrap();
    let config = Config { data: folder.path().to_owned(), open: true, ..Config::default() };
    // The mount line.
    let modules = [server::MODULES, &[&guestbook::Module]].concat();
    let platform = Platform::mount(&config, &modules).await.unwrap();
    let router = platform.site().router();
    Box { platform, router, _folder: folder }
}

impl Box {
    async fn post(&self, path: &str, method: &str, params: Value) -> Value {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
        let request = Request::post(path)
            .header("host", "localhost")
            .header("content-type", "application/json")
            .body(Body::from(body))
            .unwrap();
        let answer =
            self.router.clone().oneshot(request).await.unwrap().into_body().collect().await.unwrap().to_bytes();
        serde_json::from_slice(&answer).unwrap_or_else(|_| json!({ "text": String::from_utf8_lossy(&answer) }))
    }

    async fn call(&self, tool: &str, arguments: Value) -> Value {
        self.post("/guestbook/mcp", "tools/call", json!({ "name": tool, "arguments": arguments })).await["result"]
            .clone()
    }
}

fn names(answer: &Value) -> Vec<&str> {
    answer["result"]["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

// R-430 (catalog), R-816 (crate), R-017, R-459
#[tokio::test]
async fn it_has_an_endpoint_and_a_tool_list_of_its_own() {
    let platform = platform().await;
    let own = platform.post("/guestbook/mcp", "tools/list", json!({})).await;
    assert_eq!(names(&own), ["guestbook_listEntries", "guestbook_sign"]);
    let other = platform.post("/transformation/mcp", "tools/list", json!({})).await;
    assert!(names(&other).iter().all(|name| name.starts_with("transformation_")));
    // Nobody reaches another capability through it.
    let foreign = json!({ "name": "transformation.listModels", "arguments": {} });
    assert_eq!(platform.post("/transformation/mcp", "tools/call", foreign.clone()).await["result"]["isError"], false);
    assert_eq!(platform.post("/guestbook/mcp", "tools/call", foreign).await["error"]["code"], -32602);
    let catalog: Value = serde_json::from_str(&platform.platform.catalog()).unwrap();
    let listed: Vec<&str> =
        catalog["capabilities"].as_array().unwrap().iter().map(|entry| entry["name"].as_str().unwrap()).collect();
    let mounted = server::MODULES.iter().map(|module| module.name());
    assert_eq!(listed, mounted.chain(["guestbook"]).collect::<Vec<_>>());
}

#[tokio::test]
async fn what_it_writes_is_read_cited_replayed_and_verified() {
    let platform = platform().await;
    let arguments = json!({ "name": "Ada", "line": "What a fine engine.", "client_request_id": "k1" });
    let signed = platform.call("guestbook.sign", arguments.clone()).await;
    let id = signed["structuredContent"]["entry"]["id"].as_str().unwrap().to_owned();
    assert_eq!(signed["content"][0]["resource"]["uri"], format!("guestbook://entry/{id}"));
    let again = platform.call("guestbook_sign", arguments).await;
    assert_eq!(again["structuredContent"]["entry"]["id"], id);
    assert_eq!(again["structuredContent"]["idempotent_replay"], true);
    let listed = platform.call("guestbook.listEntries", json!({})).await;
    let listed = &listed["structuredContent"];
    assert_eq!(listed["entries"].as_array().unwrap().len(), 1);
    let cited = |entry: &Value| (entry["id"] == id.as_str(), entry["version"].clone());
    assert_eq!((cited(&listed["entries"][0]), listed["sequence"].is_u64()), ((true, json!(1)), true));
    let read =
        platform.post("/guestbook/mcp", "resources/read", json!({ "uri": format!("guestbook://entry/{id}") })).await;
    let read: Value = serde_json::from_str(read["result"]["contents"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!((cited(&read["entry"]), &read["sequence"]), ((true, json!(1)), &listed["sequence"]));
    assert_eq!(read["entry"]["line"], "What a fine engine.");
    let verification = platform.platform.ledger.verify(&platform.platform.folds).await.unwrap();
    assert_eq!(verification.differences, Vec::<String>::new());
}

#[tokio::test]
async fn pages_are_of_one_point_and_a_token_belongs_to_its_listing() {
    let platform = platform().await;
    let sign = async |name: &str| platform.call("guestbook.sign", json!({ "name": name, "line": "x" })).await;
    sign("Ada").await;
    sign("Ben").await;
    let first = platform.call("guestbook.listEntries", json!({ "page_size": 1 })).await;
    let (first, token) = (&first["structuredContent"], &first["structuredContent"]["next_page_token"]);
    sign("Eve").await;
    let rest = json!({ "page_size": 1, "page_token": token });
    let second = platform.call("guestbook.listEntries", rest).await["structuredContent"].clone();
    let shown = [&first["entries"][0]["name"], &second["entries"][0]["name"]];
    assert_eq!((shown, &second["sequence"]), ([&json!("Ada"), &json!("Ben")], &first["sequence"]));
    assert_eq!(second["next_page_token"], Value::Null);
    let other = platform.call("guestbook.listEntries", json!({ "page_size": 2, "page_token": token })).await;
    let error: Value = serde_json::from_str(other["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(error["error"]["field"], "page_token");
    assert_eq!(error["error"]["message"], "page_token belongs to a query with other arguments");
}

//
#[tokio::test]
async fn a_method_without_annotation_is_unreachable() {
    let platform = platform().await;
    for name in
        ["guestbook.countEntries", "guestbook.CountEntries", "CountEntries", "GuestbookQueryService.CountEntries"]
    {
        let answer = platform.post("/guestbook/mcp", "tools/call", json!({ "name": name, "arguments": {} })).await;
        assert_eq!(answer["error"]["code"], -32602, "{name}: {answer}");
    }
}

//
#[tokio::test]
async fn a_misspelt_argument_is_refused_with_the_nearest() {
    let platform = platform().await;
    let refused = platform.call("guestbook.sign", json!({ "nmae": "Ada", "line": "x" })).await;
    assert_eq!(refused["isError"], true);
    let error: Value = serde_json::from_str(refused["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(
        (error["error"]["field"].as_str(), error["error"]["suggestions"]["hint"].as_str()),
        (Some("nmae"), Some("use name"))
    );
}

// Whoever stands on the desk has the record of a write in its commit, and writes not a line for it.
#[tokio::test]
async fn the_audit_record_of_a_write_is_part_of_its_commit() {
    let platform = platform().await;
    platform.call("guestbook.sign", json!({ "name": "Ada", "line": "hello" })).await;
    let tenant = scope::Scope::local().tenant;
    let find = ledger::AuditFind { correlation_id: None, before: None, limit: 10 };
    let records = platform.platform.ledger.audit(&tenant, find).await.unwrap();
    let bodies: Vec<Value> = records.iter().map(|audited| serde_json::from_str(&audited.entry.body).unwrap()).collect();
    assert_eq!(bodies.len(), 1);
    assert_eq!((&bodies[0]["target"], &bodies[0]["outcome"]), (&json!("guestbook.sign"), &json!("ok")));
    assert_eq!(records[0].seq, platform.platform.ledger.point(&tenant, ledger::At::Head).await.unwrap());
    platform.platform.audit.flush().await;
    assert_eq!(platform.platform.audit.log.recent(&tenant, 10).await.unwrap(), []);
}
