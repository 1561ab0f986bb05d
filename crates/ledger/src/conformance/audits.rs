//! Audit records: kept with the change that they are about, and only with it.

use super::sample::{NOON, audit, key, keyed, put};
use super::{Harness, Sample, change, record};
use crate::{AuditFind, Audited, Change, Commit, Expectation};

fn audited(sample: &Sample, id: &str, correlation: &str) -> Change {
    Change { audit: Some(audit(id, correlation)), ..change(&sample.tenant, vec![put(record("a"))]) }
}

fn ids(found: &[Audited]) -> Vec<&str> {
    found.iter().map(|audited| audited.entry.id.as_str()).collect()
}

pub async fn an_audit_record_is_kept_with_its_change(harness: &mut dyn Harness) {
    let (acme, zenith) = (Sample::of(harness, "acme"), Sample::of(harness, "zenith"));
    acme.put(record("a")).await;
    assert_eq!(acme.audited(10).await, []);
    let done = acme.commit(audited(&acme, "call — \0 \u{10ffff}", "c1")).await.expect("it is plain");
    assert_eq!(done, Commit::Done { seq: 2, at: NOON });
    let kept = Audited { entry: audit("call — \0 \u{10ffff}", "c1"), at: NOON, seq: 2 };
    assert_eq!(acme.audited(10).await, [kept]);
    // A change without facts, which only keeps an answer, is one too.
    let idempotency = Some(keyed("alice", "create", "k", "h"));
    let answer_only = Change { idempotency, facts: Vec::new(), ..audited(&acme, "second", "c1") };
    acme.commit(answer_only).await.expect("it is plain");
    assert_eq!(ids(&acme.audited(10).await), ["second", "call — \0 \u{10ffff}"]);
    assert_eq!(zenith.audited(10).await, []);
}

pub async fn a_change_that_does_not_happen_leaves_no_audit_record(harness: &mut dyn Harness) {
    let sample = Sample::new(harness);
    let first = Change { idempotency: Some(keyed("alice", "create", "k", "h1")), ..audited(&sample, "first", "c") };
    sample.commit(first.clone()).await.expect("it is plain");
    let refused =
        Change { expectations: vec![Expectation::Exists { key: key("ghost") }], ..audited(&sample, "refused", "c") };
    sample.refused(refused).await;
    let replayed = Change { audit: Some(audit("replayed", "c")), ..first };
    assert!(matches!(sample.commit(replayed.clone()).await, Ok(Commit::Replayed(_))));
    let other = Some(keyed("alice", "create", "k", "h2"));
    sample.refused(Change { idempotency: other, ..replayed }).await;
    assert_eq!(ids(&sample.audited(10).await), ["first"]);
}

pub async fn audit_records_are_listed_newest_first_without_gaps(harness: &mut dyn Harness) {
    let sample = Sample::new(harness);
    for (number, micros) in [0, 1, 1, 1, 2, 3].into_iter().enumerate() {
        let at = NOON.plus_micros(micros);
        let correlation = if number % 2 == 0 { "even" } else { "odd" };
        let change = Change { at, ..audited(&sample, &number.to_string(), correlation) };
        sample.commit(change).await.expect("it is plain");
    }
    let find = async |correlation: Option<&str>, before: Option<i64>, limit| {
        let before = before.map(|micros| NOON.plus_micros(micros));
        let find = AuditFind { correlation_id: correlation.map(str::to_owned), before, limit };
        let found = sample.ledger.audit(&sample.tenant, find).await.expect("audit records can be read");
        ids(&found).join(" ")
    };
    assert_eq!(find(None, None, usize::MAX).await, "5 4 3 2 1 0");
    assert_eq!(find(None, None, 2).await, "5 4");
    // Three of one moment come together.
    assert_eq!(find(None, Some(2), 1).await, "3 2 1");
    assert_eq!(find(None, Some(1), 10).await, "0");
    assert_eq!(find(None, Some(0), 10).await, "");
    assert_eq!(find(None, None, 0).await, "");
    assert_eq!(find(Some("odd"), None, 10).await, "5 3 1");
    assert_eq!(find(Some("odd"), Some(3), 1).await, "3 1");
    assert_eq!(find(Some("even"), Some(2), 1).await, "2");
    assert_eq!(find(Some("eve"), None, 10).await, "");
}

pub async fn an_audit_record_outlives_a_crash(harness: &mut dyn Harness) {
    let sample = Sample::new(harness);
    sample.commit(audited(&sample, "first", "c")).await.expect("it is plain");
    drop(sample);
    harness.crash();
    let sample = Sample::new(harness);
    // An engine without durability has neither.
    assert_eq!(sample.audited(10).await.len() as u64, sample.head().await);
}
