//! The loop on the ledger in memory: a fact that adds to a counter.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use ledger::model::ModelLedger;
use ledger::{AuditFind, LIVE, Record};
use scope::{FixedClock, Scope};
use serde::Deserialize;

use super::*;
use crate::testing::context;

const COUNTER: &str = "test.counter";

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
struct Counted {
    total: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    read_point: Option<Seq>,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_given: Option<String>,
}

struct Counting;

impl Marks<Counted> for Counting {
    fn set_read_point(answer: &mut Counted, seq: Seq) {
        answer.read_point = Some(seq);
    }

    fn mark_replay(answer: &mut Counted, at: Timestamp) {
        answer.first_given = Some(at.to_string());
    }
}

struct Added {
    total: u64,
    rows: usize,
}

impl Recordable for Added {
    fn encode(self, meta: String) -> (NewFact, Vec<Effect>) {
        let body = self.total.to_string();
        let record = Record { body: body.clone(), ..Record::new(counter(), "all", "counter") };
        let fact = NewFact { kind: "test.Added".to_owned(), subject: counter(), body, meta };
        (fact, vec![Effect::Put(Box::new(record))])
    }

    fn rows(&self) -> usize {
        self.rows
    }
}

fn counter() -> RecordKey {
    RecordKey::new(COUNTER, "c")
}

struct World {
    recorder: Recorder<Counting>,
    decided: AtomicU32,
}

impl World {
    fn new() -> Self {
        let clock = Arc::new(FixedClock::at("2026-07-28T10:00:00Z".parse().unwrap()));
        let recorder = Recorder::new(Arc::new(ModelLedger::new(clock)), "chancery/test");
        Self { recorder, decided: AtomicU32::new(0) }
    }

    fn ctx(&self, key: Option<(&str, &str)>) -> Context {
        let effect = key.map(|(key, hash)| contract::Effect {
            operation: "test.add".to_owned(),
            key: key.to_owned(),
            request_hash: hash.to_owned(),
        });
        Context { effect, ..context() }
    }

    /// Adds one to the counter as it is loaded. Somebody else gets in between the first `rivals` times.
    async fn add(&self, ctx: &Context, rivals: u32, is_final: bool) -> Result<Counted, Failure> {
        let decide = || async {
            let tenant = &ctx.scope.tenant;
            let found = self.recorder.ledger().get(tenant, LIVE, &[counter()]).await?.pop().flatten();
            let version = found.as_ref().map(|found| found.version);
            let before: u64 = found.map_or(0, |found| found.record.body.parse().unwrap());
            if self.decided.fetch_add(1, Ordering::Relaxed) < rivals {
                let rival = vec![Added { total: before + 10, rows: 1 }];
                self.recorder.record_unless_done(&self.ctx(None), rival, Vec::new()).await?;
            }
            let expectation = match version {
                Some(version) => Expectation::Version { key: counter(), version },
                None => Expectation::Absent { key: counter() },
            };
            let answer = Counted { total: before + 1, ..Counted::default() };
            let facts = vec![Added { total: before + 1, rows: 1 }];
            Ok(Decision { facts, expectations: vec![expectation], answer, aggregate: counter(), is_final })
        };
        self.recorder.once(ctx, decide).await
    }

    async fn facts(&self) -> usize {
        self.recorder.ledger().facts(&Scope::local().tenant, 0, 100).await.unwrap().len()
    }
}

#[tokio::test(start_paused = true)]
async fn a_conflict_is_decided_again_on_the_new_state_at_most_three_times() {
    let world = World::new();
    let answer = world.add(&world.ctx(None), 2, true).await.unwrap();
    assert_eq!((answer.total, answer.read_point), (21, Some(3)));
    let world = World::new();
    assert_eq!(world.add(&world.ctx(None), 3, true).await, Err(Failure::Contended));
    assert_eq!(world.decided.load(Ordering::Relaxed), 3);
}

#[tokio::test]
async fn a_repetition_has_the_stored_answer_and_no_effect() {
    let world = World::new();
    let first = world.add(&world.ctx(Some(("k", "h"))), 0, true).await.unwrap();
    assert_eq!(first, Counted { total: 1, read_point: Some(1), first_given: None });
    let again = world.add(&world.ctx(Some(("k", "h"))), 0, true).await.unwrap();
    assert_eq!(again, Counted { first_given: Some("2026-07-28T10:00:00.000000Z".to_owned()), ..first });
    assert_eq!(world.facts().await, 1);
    let other = world.add(&world.ctx(Some(("k", "other"))), 0, true).await;
    assert_eq!(other, Err(Failure::KeyReused { key: "k".to_owned() }));
}

#[tokio::test]
async fn an_answer_that_is_not_final_is_not_kept() {
    let world = World::new();
    world.add(&world.ctx(Some(("k", "h"))), 0, false).await.unwrap();
    let again = world.add(&world.ctx(Some(("k", "h"))), 0, true).await.unwrap();
    assert_eq!((again.total, again.first_given), (2, None));
}

#[tokio::test]
async fn nothing_is_committed_for_a_decision_without_facts_and_key() {
    let world = World::new();
    for (key, points) in [(None, None), (Some(("k", "h")), Some(0))] {
        let ctx = world.ctx(key);
        let decide =
            || async { Ok::<_, Failure>(Decision::<Added, _>::new(Vec::new(), counter(), Counted::default())) };
        assert_eq!(world.recorder.once(&ctx, decide).await.unwrap().read_point, points);
    }
    assert_eq!(world.facts().await, 0);
}

#[tokio::test]
async fn a_call_that_was_given_up_writes_nothing() {
    let world = World::new();
    let ctx = world.ctx(None);
    ctx.cancelled.cancel();
    assert_eq!(world.add(&ctx, 0, true).await, Err(Failure::Cancelled));
    assert_eq!(world.facts().await, 0);
}

#[tokio::test]
async fn a_refusal_gives_way_to_the_answer_of_the_same_call_elsewhere() {
    let world = World::new();
    let ctx = world.ctx(Some(("k", "h")));
    let decide = || async {
        // The same call ends elsewhere, and its effect is why this one is refused.
        world.add(&world.ctx(Some(("k", "h"))), 0, true).await?;
        Err::<Decision<Added, Counted>, _>(Failure::argument("total", "is taken", "give another"))
    };
    assert_eq!(world.recorder.once(&ctx, decide).await.unwrap().total, 1);
}

#[tokio::test]
async fn many_rows_are_encoded_elsewhere_and_recorded_in_order() {
    let world = World::new();
    let ctx = world.ctx(None);
    let task = tokio::spawn(async move {
        let decide = || async {
            let facts = (1..=3).map(|total| Added { total, rows: 500 }).collect();
            Ok::<_, Failure>(Decision::new(facts, counter(), Counted::default()))
        };
        world.recorder.once(&ctx, decide).await.unwrap();
        world.recorder.ledger().facts(&ctx.scope.tenant, 0, 10).await.unwrap()
    });
    let bodies: Vec<String> = task.await.unwrap().into_iter().map(|fact| fact.body).collect();
    assert_eq!(bodies, ["1", "2", "3"]);
}

struct Source;

impl contract::AuditSource for Source {
    fn body(&self) -> String {
        r#"{"target":"test.add"}"#.to_owned()
    }
}

#[tokio::test(start_paused = true)]
async fn the_audit_record_of_a_call_is_in_its_commit_and_in_no_other() {
    let world = World::new();
    let audited = async |key, rivals| {
        let ctx = world.ctx(key);
        ctx.audit.prepare(Source);
        let outcome = world.add(&ctx, rivals, true).await;
        let find = AuditFind { correlation_id: None, before: None, limit: 10 };
        let entries = world.recorder.ledger().audit(&Scope::local().tenant, find).await.unwrap();
        let seqs: Vec<Seq> = entries.iter().map(|audited| audited.seq).collect();
        (outcome.is_ok(), ctx.audit.is_committed(), seqs)
    };
    assert_eq!(audited(Some(("k", "h")), 2).await, (true, true, vec![3]));
    // A repetition, and a call that is refused, have no commit that could take it.
    assert_eq!(audited(Some(("k", "h")), 0).await, (true, false, vec![3]));
    assert_eq!(audited(Some(("k", "other")), 0).await, (false, false, vec![3]));
    world.decided.store(0, Ordering::Relaxed);
    assert_eq!(audited(None, 3).await, (false, false, vec![3]));
    // Without a door there is no record.
    world.add(&world.ctx(None), 0, true).await.unwrap();
    assert_eq!(audited(None, 0).await, (true, true, vec![8, 3]));
}

#[test]
fn one_key_too_many_is_refused_with_field_reason_and_fix() {
    let error = contract::CallError::from(too_many_keys(1_000_000));
    assert_eq!((&*error.code, error.field.as_deref()), ("INVALID_ARGUMENT", Some("client_request_id")));
    assert_eq!(error.message, "client_request_id would be one more than the 1000000 that are kept for one caller");
    assert!(error.suggestions["hint"].as_str().unwrap().starts_with("leave client_request_id out"));
}
