//! Commits: whole, numbered, in time.

use scope::Timestamp;

use super::sample::{NOON, key, put, tenant};
use super::{Harness, Sample, change, record};
use crate::{At, Change, Commit, Ends, Expectation, Fact, Record, RecordKey, UniqueName};

//
pub async fn a_commit_is_read_back_whole(harness: &mut dyn Harness) {
    let sample = Sample::new(harness);
    let full = Record {
        status: Some("open".to_owned()),
        name: Some("order — \0 \u{10ffff}".to_owned()),
        time: Some(Timestamp(-5)),
        tags: vec!["a \"quoted\" tag".to_owned(), "b".to_owned()],
        ends: Some(Ends { source: "s".to_owned(), target: "t".to_owned() }),
        unique: vec![UniqueName { space: "space".to_owned(), name: "ünïque".to_owned() }],
        text: "some text".to_owned(),
        body: "{\"any\": [1, 2,   3]}".to_owned(),
        ..record("full")
    };
    let seq = sample.put(full.clone()).await;
    let read = sample.get("full").await.expect("it was just put");
    assert_eq!((read.record, read.version, read.seq, read.at), (full, 1, seq, NOON));
}

//
pub async fn records_of_any_id_are_got_together(harness: &mut dyn Harness) {
    let sample = Sample::new(harness);
    let there =
        ["", "7", "a", "a/b", "a\"b", "a\\", "a\\u0000", "a\nb", "ä \u{10ffff}", "a\0", "a\0b", "{}", "[\"a\"]"];
    for id in there {
        sample.put(Record { body: format!("{id:?}"), ..record(id) }).await;
    }
    let missing = ["A", "a ", "a\0c", "a\u{1}", "07"];
    let ids = || there.into_iter().zip(missing.into_iter().cycle()).flat_map(|(one, other)| [one, other, one]);
    let mut keys: Vec<RecordKey> = ids().map(key).collect();
    keys.push(RecordKey::new(super::sample::LINK, "a"));
    let got = sample.ledger.get(&sample.tenant, sample.head().await, &keys).await.expect("records can be read");
    let bodies: Vec<Option<String>> = got.into_iter().map(|found| Some(found?.record.body)).collect();
    let expected = ids().map(|id| there.contains(&id).then(|| format!("{id:?}")));
    assert_eq!(bodies, expected.chain([None]).collect::<Vec<_>>());
}

// R-821 (order)
pub async fn facts_are_numbered_one_by_one_within_a_tenant(harness: &mut dyn Harness) {
    let (acme, zenith) = (Sample::of(harness, "acme"), Sample::of(harness, "zenith"));
    for expected in 1..=3 {
        assert_eq!(acme.put(record("a")).await, expected);
        assert_eq!(zenith.put(record("a")).await, expected);
    }
    let mut three = change(&acme.tenant, Vec::new());
    three.facts = vec![three.facts[0].clone(), three.facts[0].clone(), three.facts[0].clone()];
    assert_eq!(acme.commit(three).await.expect("it is plain"), Commit::Done { seq: 6, at: NOON });
    assert_eq!(zenith.head().await, 3);
    assert_eq!(acme.head().await, 6);
}

// R-821 (order)
pub async fn times_never_run_backwards(harness: &mut dyn Harness) {
    let sample = Sample::new(harness);
    let at = |micros| Change { at: NOON.plus_micros(micros), ..change(&sample.tenant, vec![put(record("a"))]) };
    for (told, kept) in [(10, 10), (5, 10), (-1_000_000, 10), (11, 11)] {
        let Ok(Commit::Done { seq, at }) = sample.commit(at(told)).await else { panic!("it is plain") };
        assert_eq!(at, NOON.plus_micros(kept));
        let facts = sample.ledger.facts(&sample.tenant, seq - 1, 1).await.expect("facts can be read");
        assert_eq!(facts[0].at, at);
    }
    // Another tenant has its own time.
    let other = Change { tenant: tenant("zenith"), ..at(-7) };
    assert_eq!(sample.commit(other).await.expect("it is plain"), Commit::Done { seq: 1, at: NOON.plus_micros(-7) });
}

pub async fn a_change_without_facts_moves_nothing(harness: &mut dyn Harness) {
    let sample = Sample::new(harness);
    let nothing = Change { facts: Vec::new(), ..change(&sample.tenant, Vec::new()) };
    assert_eq!(sample.commit(nothing.clone()).await.expect("it is plain"), Commit::Done { seq: 0, at: NOON });
    assert_eq!(sample.ledger.tenants().await.expect("tenants can be read"), []);
    sample.put(record("a")).await;
    assert_eq!(sample.commit(nothing).await.expect("it is plain"), Commit::Done { seq: 1, at: NOON });
    let tenants = sample.ledger.tenants().await.expect("tenants can be read");
    assert_eq!(tenants, std::slice::from_ref(&sample.tenant));
}

//
pub async fn a_refused_change_leaves_nothing(harness: &mut dyn Harness) {
    let sample = Sample::new(harness);
    sample.put(record("a")).await;
    let mut refused = change(&sample.tenant, vec![put(record("a")), put(record("b"))]);
    refused.expectations = vec![Expectation::Absent { key: key("a") }];
    sample.refused(refused).await;
    assert_eq!(sample.head().await, 1);
    assert_eq!(sample.get("a").await.map(|version| version.version), Some(1));
    assert_eq!(sample.get("b").await, None);
}

pub async fn a_commit_ticks(harness: &mut dyn Harness) {
    let sample = Sample::new(harness);
    let mut ticks = sample.ledger.ticks();
    ticks.mark_unchanged();
    sample.put(record("a")).await;
    ticks.changed().await.expect("the ledger is open");
}

pub async fn facts_are_read_after_a_number(harness: &mut dyn Harness) {
    let sample = Sample::new(harness);
    for id in ["a", "b", "c"] {
        sample.put(record(id)).await;
    }
    let read = async |after, most| -> Vec<Fact> {
        sample.ledger.facts(&sample.tenant, after, most).await.expect("facts can be read")
    };
    let numbers = |facts: &[Fact]| facts.iter().map(|fact| fact.seq).collect::<Vec<_>>();
    assert_eq!(numbers(&read(0, 10).await), [1, 2, 3]);
    assert_eq!(numbers(&read(1, 1).await), [2]);
    assert_eq!(numbers(&read(3, 10).await), [0; 0]);
    assert_eq!(numbers(&read(u64::MAX, 10).await), [0; 0]);
    let (new, _) = change(&sample.tenant, vec![put(record("b"))]).facts.remove(0);
    let expected = Fact { seq: 2, at: NOON, kind: new.kind, subject: new.subject, body: new.body, meta: new.meta };
    assert_eq!(read(1, 1).await, [expected]);
}

// R-821 (order)
pub async fn concurrent_commits_are_serial_within_a_tenant(harness: &mut dyn Harness) {
    let sample = Sample::new(harness);
    let tasks = (0..64).map(|number| {
        let (ledger, tenant) = (sample.ledger.clone(), sample.tenant.clone());
        tokio::spawn(async move { ledger.commit(change(&tenant, vec![put(record(&format!("r{number}")))])).await })
    });
    let mut seqs = Vec::new();
    for task in tasks.collect::<Vec<_>>() {
        let Ok(Ok(Commit::Done { seq, .. })) = task.await else { panic!("it is plain") };
        seqs.push(seq);
    }
    seqs.sort_unstable();
    assert_eq!(seqs, (1..=64).collect::<Vec<_>>());
    assert_eq!(sample.ledger.point(&sample.tenant, At::Head).await.expect("the head can be read"), 64);
}
