//! Whatever arguments a tool gets, it answers or refuses; it never breaks, and what it refuses changes nothing.

use std::sync::Arc;

use contract::{NoClient, RequestMeta};
use ledger::{At, Ledger as _};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use scope::Scope;
use serde_json::{Map, Value, json};
use server::{Config, Platform};
use spine::admission::{Arrival, Door};
use spine::{Called, Caller};
use tokio_util::sync::CancellationToken;

/// Words that could mean something to a tool, and words that could hurt one.
fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("default".to_owned()),
        Just("ApplicationComponent".to_owned()),
        Just("Serving".to_owned()),
        Just("createElement".to_owned()),
        Just("invoice".to_owned()),
        Just("entity_type".to_owned()),
        Just("text/plain".to_owned()),
        Just("SGVsbG8=".to_owned()),
        Just("head".to_owned()),
        Just("2026-07-28T10:30:00Z".to_owned()),
        Just("' OR 1=1 --".to_owned()),
        Just("a\" NEAR \"b* AND (".to_owned()),
        Just("\u{0}".to_owned()),
        Just("x".repeat(30_000)),
        Just("Ⓐ\u{202e}\u{200b}é".to_owned()),
        ".{0,12}",
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_filter("JSON has no such number", |number| number.is_finite()).prop_map(Value::from),
        word().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec((word(), inner), 0..4)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

/// For each argument a tool knows: absent, right, or anything.
fn arguments(schema: &Map<String, Value>, example: &Value) -> impl Strategy<Value = Map<String, Value>> + use<> {
    let names: Vec<String> =
        schema["properties"].as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect();
    let example = example.as_object().cloned().unwrap_or_default();
    let choices = proptest::collection::vec((0..3u8, value()), names.len());
    (choices, proptest::option::of((word(), value()))).prop_map(move |(choices, extra)| {
        let mut arguments = Map::new();
        for (name, (choice, random)) in names.iter().zip(choices) {
            match (choice, example.get(name)) {
                (0, _) => {}
                (1, Some(right)) => drop(arguments.insert(name.clone(), right.clone())),
                _ => drop(arguments.insert(name.clone(), random)),
            }
        }
        if let Some((name, random)) = extra {
            arguments.insert(name, random);
        }
        arguments
    })
}

// R-804 (transformation, neotoma): whatever is refused comes with a fix.
#[test]
fn every_tool_answers_or_refuses_whatever_it_gets() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let config = Config { data: folder.path().to_owned(), open: true, ..Config::default() };
    let platform = runtime.block_on(Platform::open(&config)).unwrap();
    let tenant = Scope::local().tenant;
    for endpoint in &platform.endpoints {
        let arrival = Arrival { door: Door::CommandLine, message: None, now: endpoint.clock.now() };
        let admitted = platform.admission.admit(&arrival, endpoint.capability.manifest()).unwrap();
        for tool in endpoint.tools() {
            let example = tool.examples.first().map_or_else(|| json!({}), |example| example.input.clone());
            let mut runner =
                TestRunner::new(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() });
            let outcome = runner.run(&arguments(&tool.input_schema, &example), |arguments| {
                let client = Arc::new(NoClient);
                let caller = Caller {
                    admitted: admitted.clone(),
                    request: RequestMeta { agent_type: crate::world::agent_for(&tool.name), ..RequestMeta::default() },
                    client,
                    cancelled: CancellationToken::new(),
                    verdict: contract::Verdict::default(),
                    audit: contract::AuditDraft::default(),
                };
                let before = runtime.block_on(platform.ledger.point(&tenant, At::Head)).unwrap();
                let called = runtime.block_on(endpoint.call(&caller, &tool.name, arguments));
                let after = runtime.block_on(platform.ledger.point(&tenant, At::Head)).unwrap();
                match called {
                    Called::Answered(_) => {}
                    Called::Refused(error, envelope) => {
                        prop_assert!(error.code != "INTERNAL", "{error:?}");
                        // A file that could not be interpreted is stored all the same.
                        prop_assert!(before == after || error.code == "ANALYSIS_FAILED", "a refusal wrote something");
                        let refusal = &envelope["error"];
                        let hint =
                            [&refusal["suggestions"]["hint"], &refusal["details"]["fix"], &refusal["data"]["fix"]];
                        prop_assert!(hint.iter().any(|hint| hint.is_string()), "no hint in {}", envelope);
                    }
                    Called::UnknownTool { .. } => prop_assert!(false, "the tool is gone"),
                }
                Ok(())
            });
            if let Err(failure) = outcome {
                panic!("{}: {failure}", tool.name);
            }
        }
    }
    let verification = runtime.block_on(platform.ledger.verify(&platform.folds)).unwrap();
    assert_eq!(verification.differences, Vec::<String>::new());
    let snapshots =
        runtime.block_on(neotoma::verify(platform.ledger.as_ref(), platform.files.blobs.as_ref(), &tenant)).unwrap();
    assert_eq!(snapshots.differences, Vec::<String>::new());
}
