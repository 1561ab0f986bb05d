//! How often a tool may be called, with a clock that the test moves.

use std::sync::Arc;

use scope::{FixedClock, Timestamp};
use serde_json::{Value, json};
use spine::Config;
use testkit::probe::Probe;
use testkit::raw::Request;
use testkit::site::Plan;

use crate::harness::{NamedInHeader, Site, call, refusal, start, structured};

/// `probe.rare` may be called twice a minute.
fn rare() -> Request {
    call("probe.rare", json!({}))
}

async fn world(change: impl FnOnce(&mut Config)) -> (Site, Arc<FixedClock>) {
    let (probe, clock) = (Probe::default(), Arc::new(FixedClock::at(Timestamp(1_000_000))));
    let seen = probe.seen();
    let mut plan = Plan { clock: clock.clone(), identity: Arc::new(NamedInHeader), ..Plan::of(probe) };
    change(&mut plan.config);
    (Site { running: start(plan).await, seen }, clock)
}

#[track_caller]
fn check_refused(refused: &Value, seconds: u64) {
    assert_eq!(refused["code"], "RATE_LIMIT_EXCEEDED");
    assert_eq!(refused["message"], format!("Rate limit exceeded. Retry after {seconds} seconds."));
    assert_eq!(refused["details"], json!({ "retry_after_seconds": seconds }));
}

// N-262, N-263
#[tokio::test]
async fn a_tool_called_too_often_says_when_it_will_succeed() {
    let (site, clock) = world(|_| {}).await;
    let ask = async || site.ask(&rare()).await;
    assert_eq!(structured(&ask().await), json!({}));
    assert_eq!(structured(&site.ask(&call("probe_rare", json!({}))).await), json!({}));
    check_refused(&refusal(&ask().await), 30);
    clock.advance_micros(29_100_000);
    check_refused(&refusal(&ask().await), 1);
    clock.advance_micros(900_000);
    assert_eq!(structured(&ask().await), json!({}));
    check_refused(&refusal(&ask().await), 30);
    // Whoever waits a long time has a burst again, and not more.
    clock.advance_micros(3_600_000_000);
    assert_eq!((structured(&ask().await), structured(&ask().await)), (json!({}), json!({})));
    check_refused(&refusal(&ask().await), 30);
}

// N-263
#[tokio::test]
async fn each_caller_and_each_tool_has_its_own_limit() {
    let (site, _) = world(|_| {}).await;
    for _ in 0..2 {
        structured(&site.ask(&rare()).await);
    }
    refusal(&site.ask(&rare()).await);
    structured(&site.ask(&rare().header("x-test-caller", "someone else")).await);
    structured(&site.ask(&call("probe.echo", json!({}))).await);
}

// N-263
#[tokio::test]
async fn an_operator_sets_the_limits_of_tools() {
    let (site, _) = world(|config| {
        config.limits.tools = [("probe.rare".to_owned(), 0), ("probe_echo".to_owned(), 1)].into_iter().collect();
    })
    .await;
    for _ in 0..5 {
        structured(&site.ask(&rare()).await);
    }
    structured(&site.ask(&call("probe.echo", json!({}))).await);
    check_refused(&refusal(&site.ask(&call("probe.echo", json!({}))).await), 60);
}
