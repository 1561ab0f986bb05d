//! Writes that fail: never acknowledged, never called a plain failure when nobody knows, and over when the cause is.

use std::path::Path;
use std::process::Command;

use ledger::conformance::{Sample, change, folds, record};
use ledger::{At, CommitError, Effect, Ledger};
use ledger_sqlite::{Options, SqliteLedger};
use scope::TenantId;

use crate::child;

/// A child: commits until a write fails, goes on reading, and commits again once it may.
#[test]
#[ignore = "run by another test as a process of its own"]
fn child_that_hits_a_limit() {
    let Some(directory) = child::directory() else { return };
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        let ledger = SqliteLedger::open(directory, Options::default()).unwrap();
        let tenant = TenantId::new("acme").unwrap();
        let (mut number, mut failed) = (0, false);
        loop {
            number += 1;
            let id = format!("r{number}");
            let big = Effect::Put(Box::new(ledger::Record { body: "x".repeat(20_000), ..record(&id) }));
            match ledger.commit(change(&tenant, vec![big])).await {
                Ok(_) => {
                    child::tell("ack", id);
                    assert_eq!(ledger.health().await, Ok(()));
                    if failed {
                        break;
                    }
                }
                Err(CommitError::Refused(refusal)) => panic!("{refusal}"),
                Err(error) => {
                    assert!(ledger.point(&tenant, At::Head).await.is_ok());
                    // Asked, it tries again; the limit may just have been lifted.
                    if !failed {
                        assert!(ledger.health().await.is_err());
                    }
                    if !failed {
                        child::tell("failed", error);
                    }
                    failed = true;
                    tokio::time::sleep(std::time::Duration::from_millis(5)).await;
                }
            }
        }
        child::tell("done", number);
    });
}

// R-805 (sqlite), SECURITY F06 and F07: a file that may not grow is what a full disk looks like.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_full_disk_loses_nothing_and_writes_come_back() {
    if Command::new("prlimit").arg("--version").output().is_err() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    // The signal for the limit is ignored, so that a write fails like one on a full disk.
    let script = "trap '' XFSZ; ulimit -S -f 1000; exec \"$@\"";
    let mut child =
        child::command_by("bash", &["-c", script, "bash"], "failures::child_that_hits_a_limit", directory.path())
            .spawn()
            .unwrap();
    let mut acknowledged = Vec::new();
    let mut failed = None;
    for (word, value) in child::told(&mut child) {
        match word.as_str() {
            "ack" => acknowledged.push(value),
            "failed" => {
                failed = Some(value);
                lift_limit(child.id());
            }
            _ => {}
        }
    }
    assert!(child.wait().unwrap().success());
    assert!(failed.is_some(), "the limit was never met");
    check(directory.path(), &acknowledged).await;
}

fn lift_limit(process: u32) {
    let lifted =
        Command::new("prlimit").args(["--pid", &process.to_string(), "--fsize=unlimited:unlimited"]).status().unwrap();
    assert!(lifted.success());
}

async fn check(directory: &Path, acknowledged: &[String]) {
    let ledger = std::sync::Arc::new(SqliteLedger::open(directory, Options::default()).unwrap());
    let sample = Sample { ledger: ledger.clone(), tenant: TenantId::new("acme").unwrap() };
    for id in acknowledged {
        assert!(sample.get(id).await.is_some(), "{id} is lost");
    }
    assert_eq!(ledger.verify(&folds()).await.unwrap().differences, [""; 0]);
}
