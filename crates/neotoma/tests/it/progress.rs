//! Long calls report how far they are, and one that ends half way leaves nothing.

use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use contract::{Ask, CallError, Client, Reply};
use futures::future::BoxFuture;
use neotoma::interpret::Rules;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::desk::Desk;

/// Notes progress, and ends the call at a step.
#[derive(Clone)]
struct Watching {
    seen: Arc<Mutex<Vec<(f64, f64)>>>,
    ends_at: usize,
    cancelled: CancellationToken,
}

impl Client for Watching {
    fn progress<'a>(&'a self, done: f64, total: Option<f64>, _: Option<&'a str>) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            let count = {
                let mut seen = self.seen.lock().unwrap();
                seen.push((done, total.unwrap()));
                seen.len()
            };
            if count == self.ends_at {
                self.cancelled.cancel();
                // The next look at the call finds that it has ended.
                tokio::task::yield_now().await;
            }
        })
    }

    fn log<'a>(&'a self, _: &'a str, _: Value) -> BoxFuture<'a, ()> {
        Box::pin(std::future::ready(()))
    }

    fn can_answer(&self, _: &Ask) -> bool {
        false
    }

    fn ask<'a>(&'a self, _: Vec<(String, Ask)>) -> BoxFuture<'a, Result<Vec<Reply>, CallError>> {
        Box::pin(std::future::ready(Err(CallError::precondition("nobody is there"))))
    }

    fn remembered(&self) -> Option<Value> {
        None
    }

    fn remember(&self, _: Value) {}
}

/// A desk with things to work on, and the long calls on them.
async fn long_calls() -> (Desk, Vec<(&'static str, Value)>) {
    let desk = Desk::having(|parts, _| parts.interpreter = Arc::new(Rules::default()));
    let content = STANDARD.encode("title,status\nShip,open\nRest,done\n");
    let file = json!({"file_content": content, "mime_type": "text/csv", "interpret": false});
    let source = desk.ok("ingest", file).await["source_id"].clone();
    let boxes: Vec<Value> =
        (0..40).map(|n| json!({"entity_type": "box", "name": format!("box {n}"), "tags": "a"})).collect();
    desk.ok("ingest", json!({"entities": boxes})).await;
    let notes: Vec<Value> = (0..50).map(|n| json!({"entity_type": "note", "title": format!("note {n}")})).collect();
    let definition = json!({"fields": {"name": {"type": "string"}, "tags": {"type": "string"}}, "identity": [["name"]], "reducers": {"tags": {"strategy": "highest_priority"}}});
    let other = STANDARD.encode("Remember the milk.");
    let calls = vec![
        ("ingest", json!({"entities": notes})),
        ("ingest", json!({"file_content": other, "mime_type": "text/plain"})),
        ("reinterpret", json!({"source_id": source, "interpretation_config": {}})),
        ("register_schema", json!({"entity_type": "box", "definition": definition})),
    ];
    (desk, calls)
}

async fn watched(
    desk: &Desk,
    tool: &str,
    arguments: Value,
    ends_at: usize,
) -> (Result<Value, CallError>, Vec<(f64, f64)>) {
    let seen = Arc::<Mutex<Vec<(f64, f64)>>>::default();
    let watching = |cancelled| Arc::new(Watching { seen: seen.clone(), ends_at, cancelled }) as Arc<dyn Client>;
    let outcome = desk.call_with(watching, tool, arguments).await;
    let seen = seen.lock().unwrap().clone();
    (outcome, seen)
}

// R-800 (neotoma)
#[tokio::test]
async fn long_calls_report_how_far_they_are() {
    let (desk, calls) = long_calls().await;
    for (tool, arguments) in calls {
        let (outcome, seen) = watched(&desk, tool, arguments, usize::MAX).await;
        assert!(outcome.is_ok(), "{tool}: {outcome:?}");
        assert!(seen.len() >= 2, "{tool}: {seen:?}");
        assert!(seen.windows(2).all(|pair| pair[0].0 < pair[1].0), "{tool}: {seen:?}");
        assert!(seen.iter().all(|(done, total)| done <= total && *total == seen[0].1), "{tool}: {seen:?}");
        assert_eq!(seen.last().map(|(done, total)| done == total), Some(true), "{tool}: {seen:?}");
    }
}

// R-800 (neotoma)
#[tokio::test]
async fn a_long_call_that_is_cancelled_half_way_leaves_nothing() {
    let (desk, calls) = long_calls().await;
    for (tool, arguments) in calls {
        let head = desk.head().await;
        // The last step is reported when everything is stored.
        for ends_at in 1.. {
            let (outcome, seen) = watched(&desk, tool, arguments.clone(), ends_at).await;
            if outcome.is_ok() || seen.last().is_some_and(|(done, total)| done == total) {
                assert!(ends_at > 1, "{tool} reports nothing before its end");
                break;
            }
            assert_eq!(seen.len(), ends_at, "{tool}");
            assert_eq!(desk.head().await, head, "{tool} {ends_at}");
        }
        assert!(desk.head().await > head, "{tool}");
        desk.verify().await;
    }
}
