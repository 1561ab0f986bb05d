//! What operators look at.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use futures::future::BoxFuture;
use scope::{FixedClock, Principal, Scope, Timestamp};
use serde_json::json;
use spine::admission::LocalIdentity;
use spine::audit::{Appending, AuditRecord, AuditSink};
use spine::http::Readiness;
use testkit::probe::Probe;
use testkit::raw::{Connection, Request};
use testkit::site::Plan;

use crate::harness::{
    Site, call, fault, in_session, legacy, legacy_call, modern, modern_from, refusal, site, site_with, start,
};

// R-431 (health, metrics)
#[tokio::test]
async fn health_readiness_and_metrics_are_served() {
    let site = site_with(|config| config.limits.tools = [("probe.rare".to_owned(), 1)].into_iter().collect()).await;
    assert_eq!(site.ask(&Request::new("GET", "/health")).await.status, 200);
    assert_eq!(site.ask(&Request::new("GET", "/ready")).await.status, 200);
    site.ask(&call("probe.echo", json!({}))).await;
    site.ask(&call("made.up", json!({}))).await;
    site.ask(&call("probe.echo", json!({})).header("origin", "https://evil.com")).await;
    site.ask(&call("probe.erase", json!({}))).await;
    for _ in 0..2 {
        site.ask(&call("probe.rare", json!({}))).await;
    }
    let metrics = site.ask(&Request::new("GET", "/metrics")).await;
    for counted in [
        r#"chancery_calls_total{target="probe.erase",outcome="refused"} 1"#,
        r#"chancery_calls_total{target="probe.rare",outcome="refused"} 1"#,
        "chancery_call_seconds_count ",
        "chancery_idempotent_replays_total 0",
    ] {
        assert!(metrics.body.contains(counted), "{counted}: {}", metrics.body);
    }
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
    fn append(&self, record: AuditRecord) -> Option<Appending> {
        let code = record.error_code.unwrap_or_default();
        let line = format!("{} {} {} {} {code}", record.principal, record.method, record.target, record.outcome);
        self.0.lock().unwrap().push(line);
        None
    }
}

// R-388: every call leaves one record, refused and failed ones too.
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

// A request that never becomes a call leaves a record too, which names its sender when that is known.
#[tokio::test]
async fn lists_and_refused_requests_leave_a_record_with_their_caller() {
    let kept = Arc::new(Kept::default());
    let mut plan = Plan::of(Probe::default());
    plan.audit = kept.clone();
    let viewer = Principal { roles: ["viewer".to_owned()].into_iter().collect(), ..Principal::local("vera") };
    plan.identity = Arc::new(LocalIdentity::of(viewer, Scope::local()));
    plan.config.limits.calls_per_minute = 8;
    let running = start(plan).await;
    for request in [
        modern("tools/list", json!({})),
        modern("prompts/list", json!({})),
        call("probe.write", json!({ "text": "x" })),
        Request::post("{".to_owned()),
        Request::post("{}".to_owned()),
        Request::post("{}".to_owned()).with("content-type", "text/plain"),
        modern("no/such/method", json!({})),
        Request::new("PUT", "/probe/mcp"),
        call("probe.echo", json!({})),
    ] {
        Connection::open(running.address).await.unwrap().ask(&request).await.unwrap();
    }
    let expected = [
        "local|vera tools/list  ok ",
        "local|vera prompts/list  ok ",
        "local|vera tools/call probe.write refused role",
        "local|vera   refused malformed",
        "local|vera   refused malformed",
        "local|vera   refused media_type",
        "local|vera no/such/method  refused unknown_method",
        "local|vera   refused method",
        "local|vera   refused rate",
    ];
    assert_eq!(*kept.0.lock().unwrap(), expected);
}

#[tokio::test]
async fn a_flood_of_malformed_requests_is_counted_and_not_recorded_one_by_one() {
    let kept = Arc::new(Kept::default());
    let mut plan = Plan::of(Probe::default());
    plan.audit = kept.clone();
    plan.clock = Arc::new(FixedClock::at(Timestamp(1_000_000)));
    let running = start(plan).await;
    let mut connection = Connection::open(running.address).await.unwrap();
    for _ in 0..100 {
        assert_eq!(connection.ask(&Request::post("{".to_owned())).await.unwrap().status, 400);
    }
    assert_eq!(kept.0.lock().unwrap().len(), 60);
    let metrics = connection.ask(&Request::new("GET", "/metrics")).await.unwrap().body;
    assert!(metrics.contains("chancery_audit_summarized_total 40\n"), "{metrics}");
    assert!(metrics.contains(r#"chancery_rejections_total{reason="malformed"} 100"#), "{metrics}");
    assert!(metrics.contains("chancery_audit_dropped_total 0\n"), "{metrics}");
}

/// Keeps the traces of calls.
#[derive(Default)]
struct Traces(Mutex<Vec<String>>);

impl AuditSink for Traces {
    fn append(&self, record: AuditRecord) -> Option<Appending> {
        self.0.lock().unwrap().push(record.trace_id);
        None
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

// R-336: one rule for every path.
#[tokio::test]
async fn a_foreign_page_or_host_sees_none_of_it() {
    let site = site().await;
    for path in ["/health", "/ready", "/metrics", "/.well-known/mcp-tools.json"] {
        let request = Request::new("GET", path);
        let own = format!("http://{}", site.address());
        let status = async |request: Request| site.ask(&request).await.status;
        assert_eq!(status(request.clone().header("origin", "https://evil.com")).await, 403, "{path}");
        assert_eq!(status(request.clone().header("origin", "http://localhost:3000")).await, 403, "{path}");
        assert_eq!(status(request.clone().with("host", "evil.example")).await, 403, "{path}");
        assert_eq!(status(request.clone().path(&format!("http://evil.example{path}"))).await, 400, "{path}");
        let request = request.with("host", &site.address().to_string());
        assert_eq!(status(request.clone()).await, 200, "{path}");
        assert_eq!(status(request.header("origin", &own)).await, 200, "{path}");
    }
}

#[tokio::test]
async fn answers_are_not_stored() {
    let site = site().await;
    let requests = ["/health", "/ready", "/metrics", "/.well-known/mcp-tools.json", "/nothing"];
    let mut requests: Vec<Request> = requests.map(|path| Request::new("GET", path)).to_vec();
    requests.extend([call("probe.echo", json!({})), call("probe.none", json!({})), modern("tools/list", json!({}))]);
    for request in requests {
        assert_eq!(site.ask(&request).await.header("cache-control"), Some("no-store"), "{request:?}");
    }
}

/// What the server stands on, as a test wants it.
#[derive(Default)]
struct Disk(Mutex<Option<String>>);

impl Readiness for Disk {
    fn problem(&self) -> BoxFuture<'_, Option<String>> {
        Box::pin(std::future::ready(self.0.lock().unwrap().clone()))
    }
}

#[tokio::test]
async fn a_server_that_cannot_write_is_not_ready() {
    let disk = Arc::new(Disk::default());
    let mut plan = Plan::of(Probe::default());
    plan.readiness = disk.clone();
    let running = start(plan).await;
    let ask = async |path| {
        let mut connection = Connection::open(running.address).await.unwrap();
        connection.ask(&Request::new("GET", path)).await.unwrap()
    };
    assert_eq!(ask("/ready").await.status, 200);
    *disk.0.lock().unwrap() = Some("the disk is full".to_owned());
    let refused = ask("/ready").await;
    assert_eq!((refused.status, refused.body.as_str()), (503, "the disk is full\n"));
    assert_eq!(ask("/health").await.status, 200);
}

/// Keeps who called.
#[derive(Default)]
struct Clients(Mutex<Vec<Option<String>>>);

impl AuditSink for Clients {
    fn append(&self, record: AuditRecord) -> Option<Appending> {
        self.0.lock().unwrap().push(record.client);
        None
    }
}

#[tokio::test]
async fn the_record_names_the_client_of_every_era() {
    let clients = Arc::new(Clients::default());
    let mut plan = Plan::of(Probe::default());
    plan.audit = clients.clone();
    let site = Site { running: start(plan).await, seen: Probe::default().seen() };
    let session = site.open_session(json!({})).await;
    clients.0.lock().unwrap().clear();
    let legacy = legacy_call(1, "probe.echo", json!({}));
    for request in [
        call("probe.echo", json!({})),
        in_session(legacy.clone(), &session),
        legacy.clone().header("user-agent", "curl/8.5"),
        legacy.clone().header("user-agent", &"x".repeat(500)),
        legacy,
    ] {
        site.ask(&request).await;
    }
    let named = |name: &str| Some(name.to_owned());
    let long = format!("{}…", "x".repeat(128));
    let expected = [named("test/1"), named("test/1"), named("curl/8.5"), named(&long), None];
    assert_eq!(*clients.0.lock().unwrap(), expected);
}

// Nothing that a caller wrote breaks a line or fills a log.
#[tokio::test]
async fn a_record_shows_what_a_caller_wrote_escaped_and_cut() {
    let kept = Arc::new(Kept::default());
    let mut plan = Plan::of(Probe::default());
    plan.audit = kept.clone();
    let running = start(plan).await;
    let mut connection = Connection::open(running.address).await.unwrap();
    let odd = "a\nb\u{1b}[0m";
    let tool = legacy_call(1, odd, json!({}));
    connection.ask(&tool).await.unwrap();
    let long = legacy_call(1, &"x".repeat(1000), json!({}));
    let answer = connection.ask(&long).await.unwrap();
    assert!(answer.body.len() < 1000, "{}", answer.body);
    let method = legacy(&json!({ "jsonrpc": "2.0", "id": 1, "method": "m".repeat(1_000_000) }));
    let answer = connection.ask(&method).await.unwrap();
    assert!(answer.body.len() < 1000, "{}", answer.body.len());
    let shown = format!("{}…", "x".repeat(256));
    let expected = [
        r"local|tester tools/call a\u{a}b\u{1b}[0m refused UNKNOWN_TOOL".to_owned(),
        format!("local|tester tools/call {shown} refused UNKNOWN_TOOL"),
        format!("local|tester {}…  refused unknown_method", "m".repeat(256)),
    ];
    assert_eq!(*kept.0.lock().unwrap(), expected);
}

#[tokio::test]
async fn a_server_that_stops_says_so() {
    let site = site().await;
    site.running.ready.store(false, Ordering::Relaxed);
    assert_eq!(site.ask(&Request::new("GET", "/ready")).await.status, 503);
    assert_eq!(site.ask(&Request::new("GET", "/health")).await.status, 200);
    assert_eq!(fault(&site.ask(&call("probe.echo", json!({}))).await), (503, -32603));
}
