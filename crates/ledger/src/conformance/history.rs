//! History: versions, points, and reads that stay the same.

use super::sample::{NOON, THING, end, key, put};
use super::{Harness, Sample, change, record};
use crate::{At, Change, Find, ReadError, Record, Seq, Traverse};

fn with_body(id: &str, body: &str) -> Record {
    Record { body: body.to_owned(), ..record(id) }
}

//
pub async fn versions_grow_without_gaps_through_deletion(harness: &mut dyn Harness) {
    let sample = Sample::new(harness);
    let version = async || sample.get("a").await.map(|found| found.version);
    sample.put(record("a")).await;
    sample.put(record("a")).await;
    assert_eq!(version().await, Some(2));
    sample.write(vec![end(key("a"))]).await;
    assert_eq!(version().await, None);
    sample.put(record("a")).await;
    assert_eq!(version().await, Some(4));
    sample.write(vec![end(key("a")), put(record("a"))]).await;
    assert_eq!(version().await, Some(6));
}

//
pub async fn a_read_in_the_past_stays_the_same(harness: &mut dyn Harness) {
    let sample = Sample::new(harness);
    let one = sample.put(with_body("a", "1")).await;
    let two = sample.put(with_body("a", "2")).await;
    let gone = sample.write(vec![end(key("a"))]).await;
    let back = sample.put(with_body("a", "3")).await;
    let body = async |at: Seq| sample.get_at("a", at).await.map(|found| (found.record.body, found.version, found.seq));
    for _ in 0..3 {
        assert_eq!(body(0).await, None);
        assert_eq!(body(one).await, Some(("1".to_owned(), 1, one)));
        assert_eq!(body(two).await, Some(("2".to_owned(), 2, two)));
        assert_eq!(body(gone).await, None);
        assert_eq!(body(back).await, Some(("3".to_owned(), 4, back)));
        sample.put(with_body("b", "other")).await;
        sample.put(with_body("a", "later")).await;
    }
}

//
pub async fn a_moment_means_the_last_fact_until_then(harness: &mut dyn Harness) {
    let sample = Sample::new(harness);
    for micros in [0, 10, 10, 10, 20, 35] {
        let at = NOON.plus_micros(micros);
        sample.commit(Change { at, ..change(&sample.tenant, vec![put(record("a"))]) }).await.expect("it is plain");
    }
    for (micros, seq) in [(-1, 0), (0, 1), (9, 1), (10, 4), (19, 4), (20, 5), (34, 5), (35, 6), (1000, 6)] {
        let found = sample.ledger.point(&sample.tenant, At::Time(NOON.plus_micros(micros))).await;
        assert_eq!(found.expect("a moment can be found"), seq, "at {micros}");
    }
    let stranger = Sample::of(harness, "stranger");
    assert_eq!(stranger.ledger.point(&stranger.tenant, At::Time(NOON)).await.expect("a moment can be found"), 0);
}

pub async fn what_has_not_happened_is_refused(harness: &mut dyn Harness) {
    let sample = Sample::new(harness);
    sample.put(record("a")).await;
    let (ledger, tenant) = (&sample.ledger, &sample.tenant);
    let walk = Traverse {
        from: "a".to_owned(),
        kind: "k".to_owned(),
        types: Vec::new(),
        direction: crate::Direction::Both,
        hops_max: 1,
        records_max: 1,
    };
    for at in [2, u64::MAX] {
        let not_yet = |error: Option<ReadError>| {
            assert!(matches!(error, Some(ReadError::NotYet { at: told, head: 1 }) if told == at), "{error:?}");
        };
        not_yet(ledger.point(tenant, At::Seq(at)).await.err());
        not_yet(ledger.get(tenant, at, &[key("a")]).await.err());
        not_yet(ledger.find(tenant, at, Find::all("k")).await.err());
        not_yet(ledger.count(tenant, at, Find::all("k"), 5).await.err());
        not_yet(ledger.counts(tenant, at, "k", "m1").await.err());
        not_yet(ledger.traverse(tenant, at, walk.clone()).await.err());
        not_yet(ledger.search(tenant, at, super::searches::any("a")).await.err());
    }
    // The number that stands for whatever is live names no point.
    for at in [crate::LIVE, i64::MAX as u64, crate::LIVE - 1] {
        let named = ledger.point(tenant, At::Seq(at)).await;
        assert!(matches!(named, Err(ReadError::NotYet { at: told, head: 1 }) if told == at), "{named:?}");
    }
    assert_eq!(ledger.point(tenant, At::Seq(0)).await.expect("it has happened"), 0);
    assert_eq!(ledger.point(tenant, At::Seq(1)).await.expect("it has happened"), 1);
}

/// Reads at [`crate::LIVE`] see the last commit, whichever it is.
pub async fn a_live_read_sees_the_last_commit(harness: &mut dyn Harness) {
    let sample = Sample::new(harness);
    let (ledger, tenant) = (&sample.ledger, &sample.tenant);
    for id in ["a", "b"] {
        sample.put(record(id)).await;
        let found = ledger.find(tenant, crate::LIVE, Find::all(THING)).await.expect("it can be read");
        assert_eq!(found.items.last().map(|version| version.record.key.id.as_str()), Some(id));
        let got = ledger.get(tenant, crate::LIVE, &[key(id)]).await.expect("it can be read");
        assert!(got[0].is_some());
    }
}

pub async fn ending_what_is_not_there_does_nothing(harness: &mut dyn Harness) {
    let sample = Sample::new(harness);
    assert_eq!(sample.write(vec![end(key("a"))]).await, 1);
    sample.put(record("a")).await;
    assert_eq!(sample.get("a").await.map(|found| found.version), Some(1));
    sample.write(vec![end(key("a"))]).await;
    sample.write(vec![end(key("a"))]).await;
    sample.put(record("a")).await;
    assert_eq!(sample.get("a").await.map(|found| found.version), Some(3));
}

pub async fn several_versions_in_one_change_show_the_last(harness: &mut dyn Harness) {
    let sample = Sample::new(harness);
    let seq = sample.write(vec![put(with_body("a", "1")), put(with_body("a", "2")), put(with_body("a", "3"))]).await;
    let found = sample.get_at("a", seq).await.expect("it was put");
    assert_eq!((found.record.body.as_str(), found.version), ("3", 3));
    assert_eq!(sample.ids(Find::all(found.record.key.kind)).await, ["a"]);
    sample.write(vec![put(record("b")), end(key("b"))]).await;
    assert_eq!(sample.get("b").await, None);
}

pub async fn many_keys_are_answered_in_order(harness: &mut dyn Harness) {
    let sample = Sample::new(harness);
    sample.write((0..100).map(|number| put(record(&format!("r{number}")))).collect()).await;
    let ids: Vec<String> = (0..120).rev().map(|number| format!("r{number}")).collect();
    let keys: Vec<_> = ids.iter().map(|id| key(id)).collect();
    let found = sample.ledger.get(&sample.tenant, 1, &keys).await.expect("records can be read");
    assert_eq!(found.len(), 120);
    for (id, found) in ids.iter().zip(found) {
        let known = id[1..].parse::<u32>().is_ok_and(|number| number < 100);
        assert_eq!(found.map(|version| version.record.key.id), known.then(|| id.clone()));
    }
    assert_eq!(sample.ledger.get(&sample.tenant, 1, &[]).await.expect("nothing can be read"), []);
}
