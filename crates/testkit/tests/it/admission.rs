//! Hosts, origins, browsers, media types, and who may do what.

use serde_json::json;
use testkit::raw::{Request, Response};

use crate::harness::{call, fault, modern, site_with};

async fn send(change: impl FnOnce(Request) -> Request) -> Response {
    let site = site_with(|config| {
        config.hosts = vec!["mcp.example.org".to_owned()];
        config.origins = vec!["https://portal.ameide.io".to_owned(), "vscode-webview://*".to_owned()];
    })
    .await;
    site.ask(&change(modern("tools/list", json!({})))).await
}

async fn status(name: &'static str, value: &'static str) -> u16 {
    send(|request| request.with(name, value)).await.status
}

//
#[tokio::test]
async fn an_origin_must_be_permitted() {
    assert_eq!(status("origin", "https://portal.ameide.io").await, 200);
    assert_eq!(status("origin", "vscode-webview://abc").await, 200);
    assert_eq!(status("origin", "http://localhost:5173").await, 200);
    for foreign in ["https://evil.com", "null", "https://portal.ameide.io.evil.com", "http://portal.ameide.io"] {
        let refused = send(|request| request.header("origin", foreign)).await;
        assert_eq!(refused.status, 403, "{foreign}");
        assert!(refused.body.contains("origin not allowed"), "{refused:?}");
    }
}

//
#[tokio::test]
async fn no_origin_is_no_browser() {
    assert_eq!(send(|request| request).await.status, 200);
}

// a name that was rebound to loopback shows in Host.
#[tokio::test]
async fn a_host_must_be_ours() {
    assert_eq!(status("host", "mcp.example.org").await, 200);
    assert_eq!(status("host", "localhost:8080").await, 200);
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

// foreign streams and preflights are refused like foreign calls.
#[tokio::test]
async fn a_foreign_page_gets_no_stream_and_no_preflight() {
    let site = site_with(|_| {}).await;
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
    let foreign = site.ask(&preflight("https://evil.com")).await;
    assert_eq!(foreign.header("access-control-allow-origin"), None);
}

//
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
}

// R-807 (mcp), R-353, N-264
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

//
#[tokio::test]
async fn old_endpoints_and_other_methods_are_not_served() {
    let site = site_with(|_| {}).await;
    assert_eq!(site.ask(&Request::new("GET", "/sse")).await.status, 404);
    assert_eq!(site.ask(&Request::new("PUT", "/mcp")).await.status, 405);
    let upgrade = Request::new("GET", "/mcp").header("connection", "upgrade").header("upgrade", "websocket");
    assert_eq!(fault(&site.ask(&upgrade).await).0, 405);
}
