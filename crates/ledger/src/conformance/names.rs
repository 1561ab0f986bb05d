//! Unique names: at most one live record holds one.

use super::sample::{end, key, put};
use super::{Harness, Sample, change, record};
use crate::{CommitError, Record, Refusal, UniqueName};

fn unique(space: &str, name: &str) -> UniqueName {
    UniqueName { space: space.to_owned(), name: name.to_owned() }
}

fn named(id: &str, names: &[&str]) -> Record {
    Record { unique: names.iter().map(|name| unique("space", name)).collect(), ..record(id) }
}

fn taken(name: &str, holder: &str) -> Refusal {
    Refusal::NameTaken { name: unique("space", name), holder: holder.to_owned() }
}

async fn refused(sample: &Sample, records: Vec<Record>) -> Refusal {
    sample.refused(change(&sample.tenant, records.into_iter().map(put).collect())).await
}

pub async fn a_name_has_one_holder(harness: &mut dyn Harness) {
    let sample = Sample::new(harness);
    sample.put(named("a", &["x"])).await;
    assert_eq!(refused(&sample, vec![named("b", &["x"])]).await, taken("x", "a"));
    assert_eq!(refused(&sample, vec![named("b", &["free", "x"])]).await, taken("x", "a"));
    assert_eq!(sample.get("b").await, None);
    // The refused change did not claim what was free.
    sample.put(named("c", &["free"])).await;
    // The holder may be written again.
    sample.put(named("a", &["x", "y"])).await;
    assert_eq!(refused(&sample, vec![named("b", &["y"])]).await, taken("y", "a"));
}

pub async fn a_name_is_free_after_rename_and_end(harness: &mut dyn Harness) {
    let sample = Sample::new(harness);
    sample.put(named("a", &["x"])).await;
    sample.put(named("a", &["y"])).await;
    sample.put(named("b", &["x"])).await;
    assert_eq!(refused(&sample, vec![named("c", &["y"])]).await, taken("y", "a"));
    sample.write(vec![end(key("a"))]).await;
    sample.put(named("c", &["y"])).await;
    assert_eq!(refused(&sample, vec![named("a", &["y"])]).await, taken("y", "c"));
    sample.put(named("a", &["z"])).await;
    sample.put(named("a", &[])).await;
    sample.put(named("d", &["z"])).await;
}

pub async fn two_records_may_swap_names_in_one_change(harness: &mut dyn Harness) {
    let sample = Sample::new(harness);
    sample.write(vec![put(named("a", &["x"])), put(named("b", &["y"]))]).await;
    sample.write(vec![put(named("a", &["y"])), put(named("b", &["x"]))]).await;
    assert_eq!(refused(&sample, vec![named("c", &["x"])]).await, taken("x", "b"));
    assert_eq!(refused(&sample, vec![named("c", &["y"])]).await, taken("y", "a"));
    sample.write(vec![put(named("c", &["x"])), end(key("b"))]).await;
    assert_eq!(refused(&sample, vec![named("d", &["x"])]).await, taken("x", "c"));
}

pub async fn two_claims_in_one_change_are_refused(harness: &mut dyn Harness) {
    let sample = Sample::new(harness);
    assert_eq!(refused(&sample, vec![named("a", &["x"]), named("b", &["x"])]).await, taken("x", "a"));
    // Only the outcome counts.
    sample.write(vec![put(named("a", &["x"])), put(named("b", &["x"])), put(named("a", &["y"]))]).await;
    assert_eq!(refused(&sample, vec![named("c", &["x"])]).await, taken("x", "b"));
}

pub async fn the_same_name_in_another_space_or_tenant_is_free(harness: &mut dyn Harness) {
    let (sample, other) = (Sample::of(harness, "acme"), Sample::of(harness, "zenith"));
    sample.put(named("a", &["x"])).await;
    other.put(named("b", &["x"])).await;
    sample.put(Record { unique: vec![unique("elsewhere", "x")], ..record("b") }).await;
    assert_eq!(refused(&other, vec![named("c", &["x"])]).await, taken("x", "b"));
}

pub async fn concurrent_claims_have_one_winner(harness: &mut dyn Harness) {
    let sample = Sample::new(harness);
    let tasks: Vec<_> = (0..16)
        .map(|number| {
            let change = change(&sample.tenant, vec![put(named(&format!("r{number}"), &["x"]))]);
            let ledger = sample.ledger.clone();
            tokio::spawn(async move { ledger.commit(change).await })
        })
        .collect();
    let mut winners = 0;
    for task in tasks {
        match task.await.expect("the task ends") {
            Ok(_) => winners += 1,
            Err(CommitError::Refused(Refusal::NameTaken { .. })) => {}
            Err(other) => panic!("{other}"),
        }
    }
    assert_eq!((winners, sample.head().await), (1, 1));
}
