//! Whatever the arguments, there is an answer.

use std::sync::Arc;

use contract::{Capability, NoClient, RequestMeta};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use scope::Timestamp;
use serde_json::{Map, Value};
use spine::admission::{Arrival, Door};
use spine::{Called, Caller};
use testkit::conformance::Conformance;
use testkit::probe::Probe;
use testkit::site::{Plan, Prepared};
use tokio_util::sync::CancellationToken;

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
    }
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
                Called::UnknownTool => prop_assert!(false, "{} is mounted", tool),
            }
        }
        Ok(())
    });
    calls.unwrap();
}

// nothing that JSON can say makes a tool panic or fall silent.
#[test]
fn every_tool_of_the_fixture_answers_anything() {
    check(Conformance::default(), 64, &[]);
}

//
#[test]
fn every_tool_of_the_probe_answers_anything() {
    check(Probe::default(), 128, &["probe.panic"]);
}
