//! Long writes say how far they are, and leave nothing when the caller gives up.

use std::sync::{Arc, Mutex};

use contract::{Ask, CallError, Capability, Client, Reply};
use futures::future::BoxFuture;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::world::{World, outcome};

/// A client that notes progress and gives up at a message.
#[derive(Default)]
struct Watcher {
    seen: Mutex<Vec<(f64, f64)>>,
    gives_up_at: Option<&'static str>,
    cancelled: CancellationToken,
}

impl Client for Watcher {
    fn progress<'a>(&'a self, done: f64, total: Option<f64>, message: Option<&'a str>) -> BoxFuture<'a, ()> {
        self.seen.lock().unwrap().push((done, total.unwrap()));
        if self.gives_up_at.is_some_and(|text| message == Some(text)) {
            self.cancelled.cancel();
        }
        Box::pin(std::future::ready(()))
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

async fn watched(world: &World, tool: &str, arguments: Value, gives_up_at: Option<&'static str>) -> (String, usize) {
    let watcher = Arc::new(Watcher { gives_up_at, ..Watcher::default() });
    let mut ctx = world.ctx();
    (ctx.client, ctx.cancelled) = (watcher.clone(), watcher.cancelled.clone());
    let arguments = arguments.as_object().cloned().unwrap();
    let answer = world.capability.call(&ctx, &format!("transformation.{tool}"), arguments).await;
    let seen = watcher.seen.lock().unwrap().clone();
    assert!(seen.windows(2).all(|pair| pair[0].0 <= pair[1].0), "{seen:?}");
    assert!(seen.iter().all(|(done, total)| done <= total), "{seen:?}");
    let shown =
        answer.map_or_else(|error| outcome(&world.capability.envelope(&ctx.request, &error)), |_| "ok".to_owned());
    (shown, seen.len())
}

// R-800 (transformation): progress is reported, and a call that is cancelled mid-way leaves nothing.
#[tokio::test]
async fn baselines_report_progress_and_a_cancelled_one_leaves_nothing() {
    let world = World::new().await;
    let mut names = Vec::new();
    for number in 0..60 {
        world.element("Node", &format!("n{number}")).await;
        names.push(format!("n{number}"));
    }
    let chosen = |name: &str| json!({"name": name, "element_ids": names});
    let before = world.facts().await;
    for moment in ["reading the chosen elements", "reading relationships", "writing the baseline"] {
        let (shown, _) = watched(&world, "createBaseline", chosen("gone"), Some(moment)).await;
        assert_eq!((shown.as_str(), world.facts().await), ("TIMEOUT -", before), "{moment}");
    }
    let (shown, reports) = watched(&world, "createBaseline", chosen("kept"), None).await;
    assert_eq!(shown, "ok");
    assert!(reports >= 5, "{reports}");

    let before = world.facts().await;
    let promote = json!({"baseline_id": "kept"});
    let given_up = watched(&world, "promoteBaseline", promote.clone(), Some("publishing the baseline")).await;
    assert_eq!((given_up.0.as_str(), world.facts().await), ("TIMEOUT -", before));
    assert_eq!(watched(&world, "promoteBaseline", promote, None).await, ("ok".to_owned(), 1));
}
