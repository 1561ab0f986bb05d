//! Group commit: waiting changes share a sync.

use std::sync::Arc;

use ledger::conformance::{change, record};
use ledger::{Change, CommitError, Effect, Ledger};
use ledger_sqlite::{Options, SqliteLedger};
use rusqlite::Connection;
use scope::TenantId;

use crate::harness::Embedded;

fn create(id: &str) -> Change {
    change(&TenantId::new("acme").unwrap(), vec![Effect::Put(Box::new(record(id)))])
}

// R-824 (sqlite)
#[tokio::test(flavor = "multi_thread")]
async fn sixty_four_writers_share_syncs() {
    let harness = Embedded::new();
    let ledger = Arc::new(harness.open());
    let lanes: Vec<_> = (0..64)
        .map(|lane| {
            let ledger = ledger.clone();
            tokio::spawn(async move {
                for round in 0..10 {
                    ledger.commit(create(&format!("{lane}-{round}"))).await.unwrap();
                }
            })
        })
        .collect();
    for lane in lanes {
        lane.await.unwrap();
    }
    let stats = ledger.write_stats();
    assert_eq!(stats.changes, 640);
    assert!(stats.transactions <= 160, "{stats:?}");
}

#[tokio::test]
async fn a_batch_takes_no_more_than_its_rows() {
    let harness = Embedded::new();
    for (batch_rows_max, transactions) in [(1, 6), (4, 3), (10_000, 1)] {
        let ledger =
            SqliteLedger::open(tempfile::tempdir().unwrap().keep(), Options { batch_rows_max, ..harness.options() });
        let ledger = ledger.unwrap();
        // All are queued before the writer is let go; each is a fact and its effect.
        let holder = Connection::open(ledger.data_dir().join("chancery.db")).unwrap();
        holder.execute_batch("BEGIN IMMEDIATE").unwrap();
        let mut commits: Vec<_> = (0..6).map(|number| ledger.commit(create(&number.to_string()))).collect();
        commits.iter_mut().for_each(|commit| assert!(futures::FutureExt::now_or_never(commit).is_none()));
        holder.execute_batch("COMMIT").unwrap();
        futures::future::join_all(commits).await.into_iter().for_each(|outcome| _ = outcome.unwrap());
        assert_eq!(ledger.write_stats().transactions, transactions, "{batch_rows_max}");
        std::fs::remove_dir_all(ledger.data_dir()).unwrap();
    }
}

#[tokio::test]
async fn a_change_the_engine_chokes_on_does_not_take_its_neighbours_down() {
    let harness = Embedded::new();
    let ledger = Arc::new(harness.open());
    // SQLite refuses a text of more than a billion bytes.
    let mut poison = create("poison");
    poison.facts[0].0.body = String::from_utf8(vec![0; 1_000_000_001]).unwrap();
    let changes = [create("a"), poison, create("b")];
    let outcomes = futures::future::join_all(changes.into_iter().map(|change| ledger.commit(change))).await;
    assert!(outcomes[0].is_ok() && outcomes[2].is_ok(), "{outcomes:?}");
    assert!(matches!(outcomes[1], Err(CommitError::Unavailable(_))));
}

#[tokio::test]
async fn a_dropped_caller_does_not_stop_the_writer() {
    let harness = Embedded::new();
    let ledger = Arc::new(harness.open());
    for number in 0..20 {
        let commit = ledger.commit(create(&format!("gone{number}")));
        _ = tokio::time::timeout(std::time::Duration::from_micros(1), commit).await;
    }
    ledger.commit(create("last")).await.unwrap();
}

// What is queued when the ledger is dropped is still written.
#[tokio::test]
async fn a_drop_waits_for_what_was_accepted() {
    let harness = Embedded::new();
    let tenant = TenantId::new("acme").unwrap();
    let ledger = harness.open();
    {
        let mut commit = ledger.commit(create("a"));
        assert!(futures::poll!(&mut commit).is_pending());
    }
    drop(ledger);
    let facts = harness.open().facts(&tenant, 0, 10).await.unwrap();
    assert_eq!(facts.len(), 1);
}
