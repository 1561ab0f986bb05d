//! What operators look at.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use serde_json::json;
use spine::audit::{AuditRecord, AuditSink};
use testkit::probe::Probe;
use testkit::raw::{Connection, Request};
use testkit::site::Plan;

use crate::harness::{call, fault, modern, modern_from, refusal, site, start};

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

/// Keeps what was recorded: method, target and outcome.
#[derive(Default)]
struct Kept(Mutex<Vec<String>>);

impl AuditSink for Kept {
    fn append(&self, record: AuditRecord) {
        let code = record.error_code.unwrap_or_default();
        let line = format!("{} {} {} {} {code}", record.principal, record.method, record.target, record.outcome);
        self.0.lock().unwrap().push(line);
    }
}

// R-807 (mcp): every call leaves one record, refused ones too.
#[tokio::test]
async fn every_call_leaves_one_record() {
    let kept = Arc::new(Kept::default());
    let mut plan = Plan::of(Probe::default());
    plan.audit = kept.clone();
    let running = start(plan).await;
    let mut connection = Connection::open(running.address).await.unwrap();
    for request in [
        call("probe_echo", json!({ "text": "x" })),
        call("probe.echo", json!({ "no": 1 })),
        call("probe.panic", json!({})),
        call("probe.none", json!({})),
        call("probe.echo", json!({})).header("origin", "https://evil.com"),
        modern("resources/read", json!({ "uri": "probe://a" })),
        modern_from(
            "tools/call",
            json!({ "name": "probe.erase", "arguments": { "id": "1" } }),
            json!({ "elicitation": {} }),
        ),
    ] {
        connection.ask(&request).await.unwrap();
    }
    let expected = [
        "local|tester tools/call probe.echo ok ",
        "local|tester tools/call probe.echo refused VALIDATION_ERROR",
        "local|tester tools/call probe.panic failed INTERNAL",
        "local|tester tools/call probe.none refused UNKNOWN_TOOL",
        "   refused origin",
        "local|tester resources/read probe://a ok ",
        "local|tester tools/call probe.erase asked INPUT_REQUIRED",
    ];
    assert_eq!(*kept.0.lock().unwrap(), expected);
}

/// Keeps the traces of calls.
#[derive(Default)]
struct Traces(Mutex<Vec<String>>);

impl AuditSink for Traces {
    fn append(&self, record: AuditRecord) {
        self.0.lock().unwrap().push(record.trace_id);
    }
}

// N-023, N-025
#[tokio::test]
async fn every_failure_has_the_envelope_and_the_trace_of_its_record() {
    let traces = Arc::new(Traces::default());
    let mut plan = Plan::of(Probe::default());
    plan.audit = traces.clone();
    plan.config.limits.call_timeout_ms = 50;
    plan.config.limits.tools = [("probe.rare".to_owned(), 1)].into_iter().collect();
    let running = start(plan).await;
    let mut connection = Connection::open(running.address).await.unwrap();
    connection.ask(&call("probe.rare", json!({}))).await.unwrap();
    traces.0.lock().unwrap().clear();
    let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    let mut shown = Vec::new();
    for (tool, code) in [
        ("probe.panic", "INTERNAL"),
        ("probe.wait", "TIMEOUT"),
        ("probe.rare", "RATE_LIMIT_EXCEEDED"),
        ("probe.erase", "VALIDATION_ERROR"),
    ] {
        for header in [None, Some(format!("00-{trace}-00f067aa0ba902b7-01"))] {
            let request = call(tool, json!({}));
            let request = header.iter().fold(request, |request, parent| request.header("traceparent", parent));
            let refused = refusal(&connection.ask(&request).await.unwrap());
            assert_eq!(refused["code"], code);
            let told = refused["trace_id"].as_str().unwrap().to_owned();
            assert!(told.len() == 32 && told.bytes().all(|byte| byte.is_ascii_hexdigit()), "{told}");
            assert_eq!(told == trace, header.is_some());
            shown.push(told);
        }
    }
    assert_eq!(*traces.0.lock().unwrap(), shown);
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
