//! What operators look at.

use std::sync::atomic::Ordering;

use serde_json::json;
use testkit::raw::Request;

use crate::harness::{call, fault, site};

#[tokio::test]
async fn health_readiness_and_metrics_are_served() {
    let site = site().await;
    assert_eq!(site.ask(&Request::new("GET", "/health")).await.status, 200);
    assert_eq!(site.ask(&Request::new("GET", "/ready")).await.status, 200);
    site.ask(&call("probe.echo", json!({}))).await;
    site.ask(&call("made.up", json!({}))).await;
    site.ask(&call("probe.echo", json!({})).header("origin", "https://evil.com")).await;
    let metrics = site.ask(&Request::new("GET", "/metrics")).await;
    assert!(metrics.body.contains(r#"chancery_calls_total{target="probe.echo",outcome="ok"} 1"#), "{}", metrics.body);
    assert!(metrics.body.contains(r#"chancery_rejections_total{reason="origin"} 1"#), "{}", metrics.body);
    assert!(!metrics.body.contains("made.up"), "{}", metrics.body);
    assert!(metrics.body.ends_with("# EOF\n"));
    assert_eq!(site.ask(&Request::new("GET", "/.well-known/mcp-tools.json")).await.status, 200);
}

// R-336
#[tokio::test]
async fn a_foreign_page_sees_none_of_it() {
    let site = site().await;
    for path in ["/health", "/ready", "/metrics", "/.well-known/mcp-tools.json"] {
        let request = Request::new("GET", path);
        assert_eq!(site.ask(&request.clone().header("origin", "https://evil.com")).await.status, 403, "{path}");
        assert_eq!(site.ask(&request.clone().header("origin", "http://localhost:3000")).await.status, 200, "{path}");
        // A probe names the pod's address.
        assert_eq!(site.ask(&request.with("host", "10.0.0.7:8080")).await.status, 200, "{path}");
    }
}

#[tokio::test]
async fn a_server_that_stops_says_so() {
    let site = site().await;
    site.running.ready.store(false, Ordering::Relaxed);
    assert_eq!(site.ask(&Request::new("GET", "/ready")).await.status, 503);
    assert_eq!(site.ask(&Request::new("GET", "/health")).await.status, 200);
    assert_eq!(fault(&site.ask(&call("probe.echo", json!({}))).await), (503, -32603));
}
