//! Backup and restore.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ledger::conformance::{Harness, Sample, change, folds, record};
use ledger::{At, Effect, Ledger};
use ledger_sqlite::{Options, SqliteLedger, restore};
use scope::TenantId;

use crate::harness::Embedded;

fn message(outcome: Result<(), impl std::fmt::Display>) -> String {
    outcome.err().map_or_else(|| "no error".to_owned(), |error| error.to_string())
}

//
#[tokio::test(flavor = "multi_thread")]
async fn a_backup_under_load_is_of_one_moment() {
    let harness = Embedded::new();
    let ledger = Arc::new(harness.open());
    let (tenant, stop) = (TenantId::new("acme").unwrap(), Arc::new(AtomicBool::new(false)));
    let load = tokio::spawn({
        let (ledger, tenant, stop) = (ledger.clone(), tenant.clone(), stop.clone());
        async move {
            let mut number = 0;
            while !stop.load(Ordering::Relaxed) {
                let effects = vec![Effect::Put(Box::new(record(&format!("r{}", number % 50))))];
                ledger.commit(change(&tenant, effects)).await.unwrap();
                number += 1;
            }
        }
    });
    while ledger.point(&tenant, At::Head).await.unwrap() < 100 {
        tokio::task::yield_now().await;
    }
    let place = tempfile::tempdir().unwrap();
    let mut last = 0;
    for number in 0..3 {
        let before = ledger.point(&tenant, At::Head).await.unwrap();
        let file = place.path().join(format!("{number}.backup"));
        ledger.backup_to(&file).await.unwrap();
        let restored = place.path().join(format!("restored{number}"));
        restore(&file, &restored).unwrap();
        let copy = SqliteLedger::open(&restored, Options::default()).unwrap();
        last = copy.point(&tenant, At::Head).await.unwrap();
        assert!(last >= before);
        assert_eq!(copy.verify(&folds()).await.unwrap().differences, [""; 0]);
    }
    stop.store(true, Ordering::Relaxed);
    load.await.unwrap();
    assert!(ledger.point(&tenant, At::Head).await.unwrap() >= last);
}

//
#[tokio::test]
async fn restore_refuses_what_it_must() {
    let harness = Embedded::new();
    Sample::new(&harness).put(record("a")).await;
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("backup");
    let ledger = harness.open();
    ledger.backup_to(&file).await.unwrap();
    let again = message(ledger.backup_to(&file).await);
    assert_eq!(again, format!("{} exists already; choose a new file name for the backup", file.display()));
    let in_use = message(restore(&file, harness.directory.path()));
    assert!(in_use.ends_with("is in use; stop every Chancery that runs on it and try again"), "{in_use}");
    let full = place.path().join("full");
    restore(&file, &full).unwrap();
    let twice = message(restore(&file, &full));
    assert!(twice.ends_with("chancery.db holds data already; restore into an empty data directory"), "{twice}");
    let missing = message(restore(place.path().join("nothing"), place.path().join("x")));
    assert!(missing.contains("nothing is not a readable backup"), "{missing}");
    std::fs::write(place.path().join("text"), "hello ".repeat(1000)).unwrap();
    let foreign = message(restore(place.path().join("text"), place.path().join("x")));
    assert!(foreign.contains("belongs to another program"), "{foreign}");
}

#[tokio::test]
async fn restore_fills_a_directory_that_was_opened_but_never_written() {
    let harness = Embedded::new();
    Sample::new(&harness).put(record("a")).await;
    let place = tempfile::tempdir().unwrap();
    harness.open().backup_to(place.path().join("backup")).await.unwrap();
    let data = place.path().join("data");
    drop(SqliteLedger::open(&data, Options::default()).unwrap());
    restore(place.path().join("backup"), &data).unwrap();
    let restored: ledger::SharedLedger = Arc::new(SqliteLedger::open(&data, Options::default()).unwrap());
    let sample = Sample { ledger: restored, tenant: TenantId::new("acme").unwrap() };
    assert!(sample.get("a").await.is_some());
}

#[tokio::test]
async fn a_damaged_backup_is_not_restored() {
    let harness = Embedded::new();
    let sample = Sample::new(&harness);
    for number in 0..200 {
        sample.put(record(&format!("r{number}"))).await;
    }
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("backup");
    harness.open().backup_to(&file).await.unwrap();
    let mut bytes = std::fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 4096].fill(0x5a);
    std::fs::write(&file, bytes).unwrap();
    let refused = message(restore(&file, place.path().join("data")));
    assert!(refused.contains("is not a readable backup"), "{refused}");
    drop(harness.ledger());
}
