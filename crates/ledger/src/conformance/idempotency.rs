//! Idempotency: an effect happens once, whoever asks again.

use super::sample::{end, key, keyed, put};
use super::{Harness, Sample, change, record};
use crate::{Change, Commit, Expectation, Idempotency, Recalled, Refusal};

const DAY_MICROS: i64 = 24 * 60 * 60 * 1_000_000;

fn create(sample: &Sample, id: &str, principal: &str, operation: &str, key: &str, hash: &str) -> Change {
    let idempotency = Some(keyed(principal, operation, key, hash));
    Change { idempotency, ..change(&sample.tenant, vec![put(record(id))]) }
}

fn plain(sample: &Sample, hash: &str) -> Change {
    create(sample, "a", "alice", "create", "k", hash)
}

async fn done(sample: &Sample, change: Change) -> u64 {
    match sample.commit(change).await {
        Ok(Commit::Done { seq, .. }) => seq,
        other => panic!("expected a new effect, not {other:?}"),
    }
}

async fn replayed(sample: &Sample, change: Change) -> Recalled {
    match sample.commit(change).await {
        Ok(Commit::Replayed(recalled)) => recalled,
        other => panic!("expected a replay, not {other:?}"),
    }
}

async fn recall(sample: &Sample, effect: &Idempotency) -> Option<Recalled> {
    sample.ledger.recall(&sample.tenant, effect).await.expect("a key can be read")
}

// R-271, R-274, R-276
pub async fn the_same_request_is_replayed(harness: &mut dyn Harness) {
    let sample = Sample::new(harness);
    let (effect, answer) = keyed("alice", "create", "k", "h1");
    assert_eq!(recall(&sample, &effect).await, None);
    done(&sample, plain(&sample, "h1")).await;
    let first = replayed(&sample, plain(&sample, "h1")).await;
    assert!(first.same_request);
    assert_eq!(first.payload, answer.payload);
    assert_eq!(recall(&sample, &effect).await, Some(first.clone()));
    assert_eq!(replayed(&sample, plain(&sample, "h1")).await, first);
    assert_eq!(sample.head().await, 1);
    assert_eq!(sample.get("a").await.map(|version| version.version), Some(1));
}

// R-271
pub async fn a_replay_survives_change_and_deletion(harness: &mut dyn Harness) {
    let sample = Sample::new(harness);
    done(&sample, plain(&sample, "h1")).await;
    let first = replayed(&sample, plain(&sample, "h1")).await;
    sample.put(record("a")).await;
    assert_eq!(replayed(&sample, plain(&sample, "h1")).await, first);
    sample.write(vec![end(key("a"))]).await;
    assert_eq!(replayed(&sample, plain(&sample, "h1")).await, first);
    assert_eq!(sample.get("a").await, None);
}

// R-286
pub async fn another_hash_is_refused(harness: &mut dyn Harness) {
    let sample = Sample::new(harness);
    done(&sample, plain(&sample, "h1")).await;
    let first = replayed(&sample, plain(&sample, "h1")).await;
    assert_eq!(sample.refused(plain(&sample, "h2")).await, Refusal::KeyReused { at: first.at });
    let (other, _) = keyed("alice", "create", "k", "h2");
    assert_eq!(recall(&sample, &other).await, Some(Recalled { same_request: false, ..first }));
    assert_eq!(sample.head().await, 1);
}

// R-266, R-285
pub async fn another_tenant_principal_or_operation_is_independent(harness: &mut dyn Harness) {
    let (sample, other) = (Sample::of(harness, "acme"), Sample::of(harness, "zenith"));
    done(&sample, create(&sample, "a", "alice", "create", "k", "h")).await;
    done(&other, create(&other, "a", "alice", "create", "k", "h")).await;
    done(&sample, create(&sample, "a", "bob", "create", "k", "h")).await;
    done(&sample, create(&sample, "a", "alice", "rename", "k", "h")).await;
    done(&sample, create(&sample, "a", "alice", "create", "k2", "h")).await;
    // The parts must not run into each other.
    done(&sample, create(&sample, "a", "alicec", "reate", "k", "h")).await;
    assert_eq!((sample.head().await, other.head().await), (5, 1));
}

// R-282
pub async fn keys_are_compared_byte_for_byte(harness: &mut dyn Harness) {
    let sample = Sample::new(harness);
    for key in ["k", "K", " k", "k ", "k%", "k'--"] {
        done(&sample, create(&sample, "a", "alice", "create", key, "h")).await;
    }
    assert_eq!(sample.head().await, 6);
}

// R-281
pub async fn without_a_key_every_call_executes(harness: &mut dyn Harness) {
    let sample = Sample::new(harness);
    for version in 1..=3 {
        sample.put(record("a")).await;
        assert_eq!(sample.get("a").await.map(|found| found.version), Some(version));
    }
}

// R-264, R-492
pub async fn a_key_lives_seven_days(harness: &mut dyn Harness) {
    let sample = Sample::new(harness);
    done(&sample, plain(&sample, "h1")).await;
    harness.advance_micros(7 * DAY_MICROS - 1);
    replayed(&sample, plain(&sample, "h1")).await;
    // A clock that jumps back does not shorten it either.
    harness.advance_micros(-3 * DAY_MICROS);
    replayed(&sample, plain(&sample, "h1")).await;
}

// R-279, R-280
pub async fn an_expired_key_is_processed_as_new(harness: &mut dyn Harness) {
    let sample = Sample::new(harness);
    done(&sample, plain(&sample, "h1")).await;
    let first = replayed(&sample, plain(&sample, "h1")).await;
    harness.advance_micros(7 * DAY_MICROS);
    let (effect, _) = keyed("alice", "create", "k", "h1");
    assert_eq!(recall(&sample, &effect).await, None);
    assert_eq!(done(&sample, plain(&sample, "h2")).await, 2);
    let second = replayed(&sample, plain(&sample, "h2")).await;
    assert_eq!(second.at, first.at.plus_micros(7 * DAY_MICROS));
    assert_eq!(second.payload, r#"{"first":"h2"}"#);
    sample.refused(plain(&sample, "h1")).await;
}

// R-288
pub async fn a_refused_change_stores_no_key(harness: &mut dyn Harness) {
    let sample = Sample::new(harness);
    let refused = Change { expectations: vec![Expectation::Exists { key: key("ghost") }], ..plain(&sample, "h1") };
    sample.refused(refused).await;
    let (effect, _) = keyed("alice", "create", "k", "h1");
    assert_eq!(recall(&sample, &effect).await, None);
    assert_eq!(done(&sample, plain(&sample, "corrected")).await, 1);
}

// R-287
pub async fn many_equal_requests_have_one_effect(harness: &mut dyn Harness) {
    let sample = Sample::new(harness);
    let tasks: Vec<_> = (0..32)
        .map(|_| {
            let (ledger, change) = (sample.ledger.clone(), plain(&sample, "h1"));
            tokio::spawn(async move { ledger.commit(change).await })
        })
        .collect();
    let mut executed = 0;
    for task in tasks {
        match task.await.expect("the task ends").expect("it is not refused") {
            Commit::Done { .. } => executed += 1,
            Commit::Replayed(recalled) => assert_eq!(recalled.payload, r#"{"first":"h1"}"#),
        }
    }
    assert_eq!((executed, sample.head().await), (1, 1));
}

// R-270, R-277
pub async fn a_key_outlives_a_crash(harness: &mut dyn Harness) {
    let sample = Sample::new(harness);
    done(&sample, plain(&sample, "h1")).await;
    drop(sample);
    harness.crash();
    let sample = Sample::new(harness);
    replayed(&sample, plain(&sample, "h1")).await;
    assert_eq!(sample.head().await, 1);
}
