//! The short way of plain calls: the same answers as the long one, and the same care.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use spine::audit::{Appending, AuditRecord, AuditSink};
use testkit::conformance::Conformance;
use testkit::probe::Probe;
use testkit::raw::{Request, Response};
use testkit::site::Plan;

use crate::harness::{MODERN, Site, call, fault, modern_from, site, start};

/// A call of either way: what rmcp does not know does not change what it answers, and is nothing plain.
fn ways(tool: &str, arguments: &Value, capabilities: &Value) -> [Request; 2] {
    [json!({}), json!({ "io.modelcontextprotocol/unheard-of": true })].map(|mut meta| {
        meta["traceparent"] = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01".into();
        let params = json!({ "name": tool, "arguments": arguments, "_meta": meta });
        modern_from("tools/call", params, capabilities.clone())
    })
}

/// How many calls went the short way.
async fn plain_calls(site: &Site) -> u64 {
    let metrics = site.ask(&Request::new("GET", "/metrics")).await;
    let line = metrics.body.lines().find_map(|line| line.strip_prefix("chancery_plain_calls_total "));
    line.unwrap().parse().unwrap()
}

/// Status, headers and body, without the date and without what is made anew for each call.
fn shown(response: &Response) -> String {
    let headers: Vec<_> = response.headers().iter().filter(|(name, _)| name != "date").collect();
    let message = response.message();
    let error_id = || {
        let text = message["result"]["content"][0]["text"].as_str()?;
        let envelope: Value = serde_json::from_str(text).ok()?;
        Some(envelope["error"]["details"]["error_id"].as_str()?.to_owned())
    };
    let state = message["result"]["requestState"].as_str().map(str::to_owned);
    let body = [error_id(), state].iter().flatten().fold(response.body.clone(), |body, new| body.replace(new, "NEW"));
    format!("{} {headers:?} {body}", response.status)
}

async fn check(tool: &str, arguments: Value, capabilities: Value, part: &str) {
    let mut answers = Vec::new();
    for (request, plain) in ways(tool, &arguments, &capabilities).iter().zip([1, 0]) {
        // Each way has a site of its own, on which nothing has happened yet.
        let site = site().await;
        answers.push(shown(&site.ask(request).await));
        assert_eq!(plain_calls(&site).await, plain, "{tool}");
    }
    assert_eq!(answers[0], answers[1], "{tool}");
    assert!(answers[0].contains(part), "{}", answers[0]);
}

#[tokio::test]
async fn both_ways_answer_alike() {
    let none = || json!({});
    check(
        "probe.echo",
        json!({ "text": "\u{7}\"é\"", "filter": { "b": 1.50, "a": [null] } }),
        none(),
        "structuredContent",
    )
    .await;
    check("probe_echo", json!({}), none(), "serverInfo").await;
    check("probe.report", json!({}), none(), r#""reported":3"#).await;
}

#[tokio::test]
async fn both_ways_refuse_alike() {
    let none = || json!({});
    check("probe.echo", json!({ "no": 1 }), none(), "VALIDATION_ERROR").await;
    check("probe.none", json!({}), none(), "-32602").await;
    check("probe.panic", json!({}), none(), "INTERNAL").await;
}

#[tokio::test]
async fn both_ways_ask_alike() {
    let erase = json!({ "id": "1" });
    check("probe.erase", erase.clone(), json!({ "elicitation": {} }), "Erase 1?").await;
    check("probe.erase", erase, json!({}), r#""erased":1"#).await;
    check("probe.ask", json!({}), json!({ "elicitation": {} }), "Who?").await;
    check("probe.ask", json!({}), json!({}), "-32021").await;
}

// A question that was asked on the short way is answered on the long one.
#[tokio::test]
async fn an_answer_comes_back_to_its_question() {
    let site = site().await;
    let asked = site.ask(&ways("probe.ask", &json!({}), &json!({ "elicitation": {} }))[0]).await;
    let state = asked.message()["result"]["requestState"].clone();
    let answer = json!({ "who": { "action": "accept", "content": { "name": "Ann" } } });
    let params = json!({ "name": "probe.ask", "arguments": {}, "requestState": state, "inputResponses": answer });
    let answered = site.ask(&modern_from("tools/call", params, json!({ "elicitation": {} }))).await;
    assert_eq!(answered.message()["result"]["structuredContent"]["who"], "Ann");
    assert_eq!(plain_calls(&site).await, 1);
}

/// A call whose headers do not fit is refused, and not by us.
#[tokio::test]
async fn headers_that_do_not_fit_are_refused_as_before() {
    let site = site().await;
    let echo = || call("probe.echo", json!({}));
    for (request, expected) in [
        (echo().with("mcp-name", "probe.other"), (400, -32020)),
        (echo().with("mcp-name", "=?base64?!?="), (400, -32020)),
        (echo().header("mcp-name", "probe.echo"), (400, -32020)),
        (echo().without("mcp-name"), (400, -32020)),
        (echo().with("mcp-method", "tools/list"), (400, -32020)),
        (echo().header("mcp-method", "tools/call"), (400, -32020)),
        (echo().without("mcp-method"), (400, -32020)),
        (echo().with("mcp-protocol-version", "2025-11-25"), (400, -32020)),
        (echo().without("mcp-protocol-version"), (400, -32020)),
        (echo().with("accept", "text/html"), (406, 0)),
        (echo().with("mcp-name", "=?base64?cHJvYmUuZWNobw==?="), (200, 0)),
    ] {
        assert_eq!(fault(&site.ask(&request).await), expected, "{request:?}");
    }
    assert_eq!(plain_calls(&site).await, 0);
    assert_eq!(site.ask(&echo().with("accept", "*/*").path("/probe/mcp?names=dot")).await.status, 200);
    assert_eq!(plain_calls(&site).await, 1);
}

/// A tool with an argument that a header repeats: the comparison is rmcp's.
// R-043
#[tokio::test]
async fn arguments_in_headers_take_the_long_way() {
    let site = Site { running: start(Plan::of(Conformance::default())).await, seen: Probe::default().seen() };
    let request = call("test_header_argument", json!({ "region": "eu" }));
    assert_eq!(fault(&site.ask(&request).await), (400, -32020));
    assert_eq!(fault(&site.ask(&request.clone().header("mcp-param-region", "us")).await), (400, -32020));
    assert_eq!(fault(&site.ask(&request.header("mcp-param-region", "eu")).await), (200, 0));
    assert_eq!(plain_calls(&site).await, 0);
}

/// Passes records on.
struct Told(Mutex<tokio::sync::mpsc::UnboundedSender<String>>);

impl AuditSink for Told {
    fn append(&self, record: AuditRecord) -> Option<Appending> {
        let code = record.error_code.unwrap_or_default();
        let line = format!("{} {} {code}", record.target, record.client.unwrap_or_default());
        self.0.lock().unwrap().send(line).unwrap();
        None
    }
}

// R-800 (doors): whoever hangs up cancels the call, and the call leaves its record all the same.
#[tokio::test]
async fn a_call_whose_caller_hung_up_is_recorded() {
    let (sender, mut told) = tokio::sync::mpsc::unbounded_channel();
    let probe = Probe::default();
    let seen = probe.seen();
    let mut plan = Plan::of(probe);
    plan.audit = Arc::new(Told(Mutex::new(sender)));
    let site = Site { running: start(plan).await, seen };
    for (count, request) in ways("probe.wait", &json!({}), &json!({})).iter().enumerate() {
        let mut connection = site.connect().await;
        connection.send(request).await.unwrap();
        site.seen.reaches(&site.seen.begun, count + 1).await;
        drop(connection);
        assert_eq!(told.recv().await.unwrap(), "probe.wait test/1 CANCELLED");
        assert_eq!(*site.seen.over.borrow(), count + 1);
    }
    assert_eq!(plain_calls(&site).await, 1);
}

#[tokio::test]
async fn other_revisions_take_the_long_way() {
    let site = site().await;
    let mut params = json!({ "name": "probe.echo", "arguments": {} });
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2025-11-25".into();
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
    let body = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params }).to_string();
    site.ask(&Request::post(body.clone()).header("mcp-protocol-version", "2025-11-25")).await;
    site.ask(&Request::post(body).header("mcp-protocol-version", MODERN)).await;
    assert_eq!(plain_calls(&site).await, 0);
}
