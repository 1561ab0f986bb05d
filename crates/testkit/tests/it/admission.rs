//! Hosts, origins, browsers, media types, and who may do what.

use serde_json::json;
use testkit::raw::{Request, Response};

use crate::harness::{LEGACY, call, fault, in_session, initialize, legacy, legacy_call, modern, site_with};

async fn send(change: impl FnOnce(Request) -> Request) -> Response {
    let site = site_with(|config| {
        config.hosts = vec!["mcp.example.org".to_owned()];
        config.origins =
            ["https://portal.ameide.io", "https://claude.ai", "vscode-webview://*", "http://localhost:6274"]
                .map(str::to_owned)
                .to_vec();
    })
    .await;
    site.ask(&change(modern("tools/list", json!({})))).await
}

async fn status(name: &'static str, value: &'static str) -> u16 {
    send(|request| request.with(name, value)).await.status
}

// R-336, R-340, R-343, R-345 (SEC-01, TestOriginValidation_RejectsUnknownOrigin), R-346 (SEC-02,
// TestOriginValidation_AcceptsAllowedOrigin), R-356 (SEC-12, TestLocalhost_RejectsNonLocalhostOrigin)
#[tokio::test]
async fn an_origin_must_be_permitted() {
    assert_eq!(status("origin", "https://portal.ameide.io").await, 200);
    assert_eq!(status("origin", "https://claude.ai").await, 200);
    assert_eq!(status("origin", "vscode-webview://abc").await, 200);
    assert_eq!(status("origin", "http://localhost:6274").await, 200);
    // As it comes, no page of another machine is let in.
    let own = site_with(|config| config.origins.clear()).await;
    let portal = modern("tools/list", json!({})).header("origin", "https://portal.ameide.io");
    assert_eq!(own.ask(&portal).await.status, 403);
    // The test's requests name 127.0.0.1 without a port.
    assert_eq!(status("origin", "http://127.0.0.1").await, 200);
    for foreign in [
        "https://evil.com",
        "null",
        "http://localhost:5173",
        "http://127.0.0.1:6274",
        "https://portal.ameide.io.evil.com",
        "http://portal.ameide.io",
    ] {
        let refused = send(|request| request.header("origin", foreign)).await;
        assert_eq!(refused.status, 403, "{foreign}");
        assert!(refused.body.contains("origin not allowed"), "{refused:?}");
    }
}

// R-341, R-347 (SEC-03, TestOriginValidation_AcceptsNoOrigin)
#[tokio::test]
async fn no_origin_is_no_browser() {
    assert_eq!(send(|request| request).await.status, 200);
}

// A name that was rebound to loopback shows in Host.
#[tokio::test]
async fn a_host_must_be_ours() {
    assert_eq!(status("host", "mcp.example.org").await, 200);
    assert_eq!(status("host", "localhost:8080").await, 200);
    assert_eq!(status("host", "127.0.0.2:8080").await, 200);
    assert_eq!(status("host", "evil.example").await, 403);
    assert_eq!(status("host", "127.0.0.1.evil.example").await, 403);
}

// R-808 (headers)
#[tokio::test]
async fn doubled_headers_are_refused() {
    let origins =
        send(|request| request.header("origin", "http://localhost").header("origin", "https://evil.com")).await;
    assert_eq!(origins.status, 400);
    let hosts = send(|request| request.header("host", "evil.example")).await;
    assert_eq!(hosts.status, 400);
    let tokens = send(|request| request.header("authorization", "a").header("authorization", "b")).await;
    assert_eq!(tokens.status, 400);
}

// R-336: foreign streams and preflights are refused like foreign calls.
#[tokio::test]
async fn a_foreign_page_gets_no_stream_and_no_preflight() {
    let site = site_with(|config| config.origins = vec!["http://localhost:6274".to_owned()]).await;
    let stream = Request::new("GET", "/mcp").header("origin", "https://evil.com");
    assert_eq!(site.ask(&stream).await.status, 403);
    let preflight = |origin| {
        Request::new("OPTIONS", "/mcp")
            .header("origin", origin)
            .header("access-control-request-method", "POST")
            .header("access-control-request-headers", "content-type,mcp-protocol-version,mcp-method,mcp-name")
    };
    let own = site.ask(&preflight("http://localhost:6274")).await;
    assert_eq!(own.header("access-control-allow-origin"), Some("http://localhost:6274"));
    assert!(own.header("access-control-allow-headers").unwrap().contains("mcp-name"), "{own:?}");
    for foreign in ["https://evil.com", "http://localhost:6275"] {
        assert_eq!(site.ask(&preflight(foreign)).await.header("access-control-allow-origin"), None);
    }
}

#[tokio::test]
async fn a_browser_sees_the_headers_it_needs() {
    let response = send(|request| request.header("origin", "http://localhost:6274")).await;
    assert_eq!(response.header("access-control-allow-origin"), Some("http://localhost:6274"));
    assert!(response.header("access-control-expose-headers").unwrap().contains("mcp-session-id"), "{response:?}");
}

#[tokio::test]
async fn media_types_are_read_kindly() {
    assert_eq!(status("accept", "*/*").await, 200);
    assert_eq!(send(|request| request.without("accept")).await.status, 200);
    assert_eq!(status("accept", "application/json;q=0.9, */*;q=0.1").await, 200);
    assert_eq!(status("content-type", "application/json; charset=utf-8").await, 200);
    assert_eq!(status("content-type", "Application/JSON").await, 200);
    assert_eq!(status("content-type", "text/plain").await, 415);
    assert_eq!(status("content-type", "application/json; charset=utf-16").await, 415);
    assert_eq!(status("content-encoding", "identity").await, 200);
    for coding in ["gzip", "br", "made-up"] {
        let refused = send(|request| request.with("content-encoding", coding)).await;
        assert_eq!(fault(&refused), (415, -32600));
        assert!(refused.body.contains("send the body without Content-Encoding"), "{refused:?}");
    }
}

#[tokio::test]
async fn a_target_of_another_server_is_refused() {
    assert_eq!(send(|request| request.path("http://127.0.0.1/mcp")).await.status, 200);
    assert_eq!(fault(&send(|request| request.path("http://evil.example/mcp")).await), (400, -32600));
}

// A client that takes JSON and nothing else gets JSON, also in a session and after reports of progress.
#[tokio::test]
async fn a_client_that_takes_json_only_gets_json() {
    let site = site_with(|_| {}).await;
    let session = site.open_session(json!({})).await;
    let report = json!({ "name": "probe.report", "arguments": {}, "_meta": { "progressToken": 1 } });
    for request in [
        call("probe.echo", json!({})),
        modern("tools/list", json!({})),
        modern("tools/call", report.clone()),
        legacy_call(1, "probe.echo", json!({})),
        in_session(legacy_call(1, "probe.echo", json!({})), &session),
        in_session(legacy(&json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": report })), &session),
        initialize(LEGACY, json!({})),
    ] {
        let answer = site.ask(&request.clone().with("accept", "application/json")).await;
        assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/json")), "{request:?}");
        assert!(answer.message()["result"].is_object(), "{answer:?}");
    }
    let listen = modern("subscriptions/listen", json!({ "notifications": { "toolsListChanged": true } }));
    assert_eq!(site.ask(&listen.with("accept", "application/json")).await.status, 406);
    assert_eq!(site.ask(&call("probe.echo", json!({})).with("accept", "text/html")).await.status, 406);
}

// R-339, R-353 (SEC-09, TestRateLimit_RejectsExcessiveRequests), N-264
#[tokio::test]
async fn a_caller_over_its_pace_is_told_when_to_come_back() {
    let site = site_with(|config| config.limits.calls_per_minute = 1).await;
    assert_eq!(site.ask(&call("probe.echo", json!({}))).await.status, 200);
    let refused = site.ask(&call("probe.echo", json!({}))).await;
    assert_eq!(refused.status, 429);
    let seconds = refused.header("retry-after").unwrap().parse::<u64>().unwrap();
    assert!((59..=60).contains(&seconds), "{refused:?}");
    let error = &refused.message()["error"];
    assert_eq!(error["code"], "RATE_LIMIT_EXCEEDED");
    assert_eq!(error["message"], format!("Rate limit exceeded. Retry after {seconds} seconds."));
    assert_eq!(error["details"]["retry_after_seconds"], seconds);
    assert_eq!(error["trace_id"].as_str().map(str::len), Some(32));
    let other = site.ask(&call("probe.echo", json!({})).header("x-test-caller", "someone else")).await;
    assert_eq!(other.status, 200);
}

// R-039, R-040
#[tokio::test]
async fn old_endpoints_and_other_methods_are_not_served() {
    let site = site_with(|_| {}).await;
    assert_eq!(site.ask(&Request::new("GET", "/sse")).await.status, 404);
    assert_eq!(site.ask(&Request::new("PUT", "/mcp")).await.status, 405);
    let upgrade = Request::new("GET", "/mcp").header("connection", "upgrade").header("upgrade", "websocket");
    assert_eq!(fault(&site.ask(&upgrade).await).0, 405);
}
