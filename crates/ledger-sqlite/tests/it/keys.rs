//! Idempotency keys: the table as specified, its bound and its cleaning.

use std::sync::Arc;

use ledger::conformance::{Harness, change, record};
use ledger::{Change, Commit, CommitError, Effect, Idempotency, Ledger, Refusal, StoredAnswer};
use ledger_sqlite::{Options, SqliteLedger};
use rusqlite::Connection;
use scope::{FixedClock, TenantId, Timestamp};

use crate::harness::Embedded;

const DAY_MICROS: i64 = 24 * 60 * 60 * 1_000_000;

fn create(number: usize) -> Change {
    let effect = Idempotency {
        principal: "alice".to_owned(),
        operation: "create".to_owned(),
        key: format!("k{number}"),
        request_hash: "hash".to_owned(),
    };
    let answer = StoredAnswer { payload: "{}".to_owned(), aggregate_type: "thing".to_owned(), aggregate_id: None };
    let tenant = TenantId::new("acme").unwrap();
    Change { idempotency: Some((effect, answer)), ..change(&tenant, vec![Effect::Put(Box::new(record("a")))]) }
}

fn keys(harness: &Embedded) -> i64 {
    let db = Connection::open(harness.directory.path().join("chancery.db")).unwrap();
    db.query_row("SELECT count(*) FROM idempotency_keys", [], |row| row.get(0)).unwrap()
}

// R-267 (sqlite), R-268, R-269, R-456
#[test]
fn the_table_has_the_specified_columns_key_and_index() {
    let harness = Embedded::new();
    let db = Connection::open(harness.directory.path().join("chancery.db")).unwrap();
    let mut statement =
        db.prepare("SELECT name, type, \"notnull\", pk FROM pragma_table_info('idempotency_keys')").unwrap();
    let columns: Vec<String> = statement
        .query_map([], |row| {
            let (name, kind): (String, String) = (row.get(0)?, row.get(1)?);
            let (required, place): (bool, i64) = (row.get(2)?, row.get(3)?);
            Ok(format!(
                "{name} {kind}{}{}",
                if required { "" } else { " null" },
                if place > 0 { format!(" pk{place}") } else { String::new() }
            ))
        })
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let expected = [
        "tenant_id TEXT pk1",
        "client_request_id TEXT pk4",
        "aggregate_type TEXT",
        "aggregate_id TEXT null",
        "response_payload TEXT",
        "created_at INTEGER",
        "expires_at INTEGER",
        "principal TEXT pk2",
        "operation TEXT pk3",
        "request_hash TEXT",
    ];
    assert_eq!(columns, expected);
    let indexed: String =
        db.query_row("SELECT name FROM pragma_index_info('idx_idempotency_expires')", [], |row| row.get(0)).unwrap();
    assert_eq!(indexed, "expires_at");
}

//
#[tokio::test]
async fn a_write_without_a_key_stores_none() {
    let harness = Embedded::new();
    let unkeyed = || Change { idempotency: None, ..create(1) };
    harness.ledger().commit(unkeyed()).await.unwrap();
    harness.ledger().commit(unkeyed()).await.unwrap();
    assert_eq!(keys(&harness), 0);
    let tenant = TenantId::new("acme").unwrap();
    assert_eq!(harness.ledger().facts(&tenant, 0, 10).await.unwrap().len(), 2);
}

//
#[tokio::test]
async fn expired_keys_are_removed_in_small_batches() {
    let harness = Embedded::new();
    let ledger = harness.open();
    for number in 0..30 {
        ledger.commit(create(number)).await.unwrap();
    }
    assert_eq!(ledger.purge_expired(10).await.unwrap(), 0);
    // Expired keys stay another day, in case the clock ran ahead.
    harness.advance_micros(7 * DAY_MICROS);
    assert_eq!(ledger.purge_expired(10).await.unwrap(), 0);
    harness.advance_micros(DAY_MICROS);
    assert_eq!(ledger.purge_expired(10).await.unwrap(), 10);
    assert_eq!(keys(&harness), 20);
    assert_eq!(ledger.purge_expired(100).await.unwrap(), 20);
    assert_eq!(keys(&harness), 0);
}

//
#[tokio::test]
async fn the_writer_cleans_up_after_itself() {
    let mut harness = Embedded::new();
    for number in 0..30 {
        harness.ledger().commit(create(number)).await.unwrap();
    }
    harness.advance_micros(9 * DAY_MICROS);
    // A ledger that was just opened looks once, after its first commit.
    harness.crash();
    harness.ledger().commit(create(0)).await.unwrap();
    harness.ledger().commit(create(1)).await.unwrap();
    // It cleans up after it has answered, so a look may come too early; each further commit gives it another turn.
    for number in 2..100 {
        if keys(&harness) <= number + 2 {
            return;
        }
        harness.ledger().commit(create(usize::try_from(number).unwrap())).await.unwrap();
    }
    panic!("{} keys are left", keys(&harness));
}

// an expired row is overwritten in place.
#[tokio::test]
async fn an_expired_key_takes_no_second_row() {
    let harness = Embedded::new();
    let ledger = harness.open();
    ledger.commit(create(1)).await.unwrap();
    harness.advance_micros(7 * DAY_MICROS);
    ledger.commit(create(1)).await.unwrap();
    assert_eq!(keys(&harness), 1);
}

// The keys of one caller are bounded: nobody else pays for them, and room comes back when they are removed.
#[tokio::test]
async fn a_caller_has_so_many_keys_and_no_more() {
    let directory = tempfile::tempdir().unwrap();
    let clock = Arc::new(FixedClock::at(Timestamp(0)));
    let options = Options { keys_per_caller_max: 3, clock: clock.clone(), ..Options::default() };
    let ledger = SqliteLedger::open(directory.path(), options.clone()).unwrap();
    for number in 0..3 {
        ledger.commit(create(number)).await.unwrap();
    }
    let refused = async |ledger: &SqliteLedger, number| match ledger.commit(create(number)).await {
        Err(CommitError::Refused(refusal)) => Some(refusal),
        other => other.map(|_| None).unwrap(),
    };
    let full = Some(Refusal::TooManyKeys { most: 3 });
    assert_eq!(refused(&ledger, 3).await, full);
    // A repetition needs no new key, a call without one none at all, and another caller has their own.
    assert!(matches!(ledger.commit(create(1)).await, Ok(Commit::Replayed(_))));
    let keyless = Change { idempotency: None, ..create(3) };
    ledger.commit(keyless).await.unwrap();
    let mut other = create(3);
    other.idempotency.as_mut().unwrap().0.principal = "bob".to_owned();
    ledger.commit(other).await.unwrap();
    drop(ledger);
    let ledger = SqliteLedger::open(directory.path(), options).unwrap();
    assert_eq!(refused(&ledger, 4).await, full);
    clock.advance_micros(9 * DAY_MICROS);
    ledger.purge_expired(100).await.unwrap();
    assert_eq!(refused(&ledger, 5).await, None);
}
