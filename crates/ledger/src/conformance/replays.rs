//! Replays: the rows are a fold of the facts, and a crash takes nothing that was answered.

use super::sample::{LINK, end, key, put};
use super::{Harness, Sample, change, folds, link, record};
use crate::{Change, Record, RecordKey, UniqueName, Verification};

async fn lived(harness: &dyn Harness) -> (u64, u64) {
    let name = |name: &str| vec![UniqueName { space: "s".to_owned(), name: name.to_owned() }];
    for tenant in ["acme", "zenith"] {
        let sample = Sample::of(harness, tenant);
        let rich =
            Record { unique: name("x"), tags: vec!["t".to_owned()], text: "some words".to_owned(), ..record("a") };
        sample.put(rich.clone()).await;
        sample.write(vec![put(link("l", "a", "b")), put(Record { unique: name("y"), ..record("b") })]).await;
        sample
            .write(vec![put(Record { unique: name("y"), ..rich }), put(Record { unique: name("x"), ..record("b") })])
            .await;
        sample.write(vec![end(RecordKey::new(LINK, "l")), end(key("a"))]).await;
        sample.put(record("a")).await;
    }
    (10, 16)
}

// R-303, R-823 (sqlite)
pub async fn a_healthy_store_verifies(harness: &mut dyn Harness) {
    let (facts, versions) = lived(harness).await;
    let found = harness.ledger().verify(&folds()).await.expect("it can be verified");
    assert_eq!(found, Verification { tenants: 2, facts, versions, differences: Vec::new() });
}

pub async fn an_unknown_fact_is_reported(harness: &mut dyn Harness) {
    let sample = Sample::new(harness);
    let mut strange: Change = change(&sample.tenant, vec![put(record("a"))]);
    strange.facts[0].0.kind = "martian.Landed".to_owned();
    sample.commit(strange).await.expect("the ledger does not judge facts");
    let found = sample.ledger.verify(&folds()).await.expect("it can be verified");
    assert!(!found.differences.is_empty());
}

pub async fn everything_survives_a_crash(harness: &mut dyn Harness) {
    lived(harness).await;
    let before = Sample::new(harness);
    let (head, a) = (before.head().await, before.get("a").await);
    let facts = before.ledger.facts(&before.tenant, 0, 100).await.expect("facts can be read");
    drop(before);
    harness.crash();
    let after = Sample::new(harness);
    assert_eq!((after.head().await, after.get("a").await), (head, a));
    assert_eq!(after.ledger.facts(&after.tenant, 0, 100).await.expect("facts can be read"), facts);
    let found = after.ledger.verify(&folds()).await.expect("it can be verified");
    assert_eq!(found.differences, [""; 0]);
}
