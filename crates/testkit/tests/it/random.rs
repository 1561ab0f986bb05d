//! Whatever the arguments, there is an answer.

use std::cell::RefCell;
use std::sync::Arc;

use contract::{Capability, NoClient, RequestMeta};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use scope::Timestamp;
use serde_json::{Map, Value, json};
use spine::admission::{Arrival, Door};
use spine::{Called, Caller};
use testkit::conformance::Conformance;
use testkit::probe::Probe;
use testkit::raw::{Connection, Request};
use testkit::site::{Plan, Prepared};
use tokio_util::sync::CancellationToken;

use crate::harness::{MODERN, start};

/// Any JSON, a few levels deep, with names that tools know among the others.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((any_name(), inner), 0..6)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

const KNOWN: &[&str] =
    &["text", "count", "filter", "words", "color", "id", "client_request_id", "prompt", "message", "region"];

fn any_name() -> impl Strategy<Value = String> {
    prop_oneof![prop::sample::select(KNOWN).prop_map(str::to_owned), any::<String>()]
}

fn any_arguments() -> impl Strategy<Value = Map<String, Value>> {
    prop::collection::vec((any_name(), any_json()), 0..6).prop_map(|pairs| pairs.into_iter().collect())
}

fn caller(prepared: &Prepared) -> Caller {
    let arrival = Arrival { door: Door::CommandLine, message: None, now: Timestamp(0) };
    let admitted = prepared.admission.admit(&arrival, prepared.endpoint.capability.manifest()).unwrap();
    Caller {
        admitted,
        request: RequestMeta::default(),
        client: Arc::new(NoClient),
        cancelled: CancellationToken::new(),
        verdict: contract::Verdict::default(),
        audit: contract::AuditDraft::default(),
    }
}

/// A message that is nearly right: known methods and members, with anything inside.
fn any_message() -> impl Strategy<Value = Value> {
    const METHODS: &[&str] = &[
        "initialize",
        "ping",
        "server/discover",
        "tools/list",
        "tools/call",
        "resources/list",
        "resources/read",
        "resources/subscribe",
        "resources/templates/list",
        "prompts/list",
        "prompts/get",
        "completion/complete",
        "logging/setLevel",
        "notifications/initialized",
        "notifications/cancelled",
        "tasks/get",
        "no/such",
    ];
    const MEMBERS: &[&str] =
        &["name", "arguments", "uri", "cursor", "ref", "requestState", "inputResponses", "_meta", "level"];
    let meta = Just(json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": { "elicitation": {} },
    }));
    let member = prop_oneof![any_json(), meta, Just(json!("probe.echo")), Just(json!("probe.ask")), Just(json!({}))];
    let params = prop::collection::vec((prop::sample::select(MEMBERS).prop_map(str::to_owned), member), 0..5)
        .prop_map(|pairs| Value::Object(pairs.into_iter().collect()));
    let params = prop_oneof![8 => params, 1 => any_json()];
    let id = prop_oneof![Just(json!(1)), Just(json!("a")), any_json()];
    let method = prop::sample::select(METHODS);
    (id, method, params)
        .prop_map(|(id, method, params)| json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
}

/// Calls every tool but some with random arguments; a panic inside would show as `INTERNAL`.
fn check(capability: impl Capability, cases: u32, except: &[&str]) {
    let mut plan = Plan::of(capability);
    plan.config.limits.call_timeout_ms = 10;
    let prepared = plan.prepare();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let tools: Vec<String> = prepared.endpoint.tools().iter().map(|tool| tool.name.clone()).collect();
    let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    let calls = runner.run(&any_arguments(), |arguments| {
        for tool in tools.iter().filter(|tool| !except.contains(&tool.as_str())) {
            let called = runtime.block_on(prepared.endpoint.call(&caller(&prepared), tool, arguments.clone()));
            match called {
                Called::Answered(_) => {}
                Called::Refused(error, envelope) => {
                    prop_assert_ne!(error.code.as_ref(), "INTERNAL");
                    prop_assert!(envelope.is_object());
                }
                Called::UnknownTool { .. } => prop_assert!(false, "{} is mounted", tool),
            }
        }
        Ok(())
    });
    calls.unwrap();
}

// Nothing that JSON can say makes a tool panic or fall silent.
#[test]
fn every_tool_of_the_fixture_answers_anything() {
    check(Conformance::default(), 64, &[]);
}

#[test]
fn every_tool_of_the_probe_answers_anything() {
    check(Probe::default(), 128, &["probe.panic"]);
}

// Every message gets an answer that a client can read, and none of them is a fault of the server.
#[test]
fn every_message_is_answered() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let running = runtime.block_on(start(Plan::of(Probe::default())));
    let mut runner = TestRunner::new(Config { cases: 300, failure_persistence: None, ..Config::default() });
    let connection = RefCell::new(runtime.block_on(Connection::open(running.address)).unwrap());
    let answers = runner.run(&(any_message(), any::<bool>()), |(message, stateless)| {
        let request = Request::post(message.to_string());
        let method = message["method"].as_str().unwrap();
        let name = message["params"]["name"].as_str().or(message["params"]["uri"].as_str()).unwrap_or("x");
        let name: String = name.chars().filter(char::is_ascii_graphic).collect();
        let request = match stateless {
            true => {
                request.header("mcp-protocol-version", MODERN).header("mcp-method", method).header("mcp-name", &name)
            }
            false => request,
        };
        let response = runtime.block_on(connection.borrow_mut().ask(&request)).unwrap();
        prop_assert!(matches!(response.status, 200 | 202 | 400 | 404), "{:?}", response);
        if response.status != 202 {
            let answer = response.message();
            prop_assert_eq!(&answer["jsonrpc"], "2.0", "{:?}", response);
            prop_assert!(answer.get("result").is_some() || answer["error"]["code"].is_i64(), "{:?}", response);
        }
        Ok(())
    });
    answers.unwrap();
}
