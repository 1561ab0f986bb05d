//! Syncs and writes that fail underneath: nothing unacknowledged is called done, and the same key settles it.

use std::collections::BTreeSet;
use std::process::Command;
use std::sync::Arc;

use ledger::conformance::{Sample, change, folds, record};
use ledger::{Change, CommitError, Effect, Idempotency, Ledger, StoredAnswer};
use ledger_sqlite::{Options, SqliteLedger};
use scope::TenantId;

use crate::child;

fn create(id: &str) -> Change {
    let effect = Idempotency {
        principal: "child".to_owned(),
        operation: "create".to_owned(),
        key: id.to_owned(),
        request_hash: "hash".to_owned(),
    };
    let answer = StoredAnswer { payload: "{}".to_owned(), aggregate_type: "thing".to_owned(), aggregate_id: None };
    let tenant = TenantId::new("acme").unwrap();
    Change { idempotency: Some((effect, answer)), ..change(&tenant, vec![Effect::Put(Box::new(record(id)))]) }
}

/// A child: creates six records, asks again with the same key where it got no answer, and tells what it heard.
#[test]
#[ignore = "run by another test as a process of its own"]
fn child_whose_disk_fails() {
    let Some(directory) = child::directory() else { return };
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        let ledger = match SqliteLedger::open(directory, Options::default()) {
            Ok(ledger) => ledger,
            Err(error) => return child::tell("closed", error),
        };
        for number in 0..6 {
            let id = format!("r{number}");
            loop {
                match ledger.commit(create(&id)).await {
                    Ok(_) => break child::tell("ack", &id),
                    Err(CommitError::Refused(refusal)) => panic!("{refusal}"),
                    Err(CommitError::Unknown(error)) => child::tell("unknown", error),
                    Err(CommitError::Unavailable(error)) => child::tell("unavailable", error),
                }
            }
        }
        child::tell("done", 6);
    });
}

/// Fails the `nth` call of each thread and says which words the child told.
async fn check(calls: &str, nth: usize) -> BTreeSet<String> {
    let directory = tempfile::tempdir().unwrap();
    let (trace, inject) = (format!("trace={calls}"), format!("inject={calls}:error=EIO:when={nth}"));
    let arguments = ["-f", "-qq", "-o", "/dev/null", "-e", &trace, "-e", &inject];
    let mut child = child::command_by("strace", &arguments, "sync_errors::child_whose_disk_fails", directory.path())
        .spawn()
        .unwrap();
    let told: Vec<(String, String)> = child::told(&mut child).collect();
    assert!(child.wait().unwrap().success(), "{calls} {nth}: {told:?}");
    let ledger = Arc::new(SqliteLedger::open(directory.path(), Options::default()).unwrap());
    let sample = Sample { ledger: ledger.clone(), tenant: TenantId::new("acme").unwrap() };
    let acknowledged = told.iter().filter(|(word, _)| word == "ack").map(|(_, id)| id.clone()).collect::<BTreeSet<_>>();
    assert_eq!(
        ledger.facts(&sample.tenant, 0, 100).await.unwrap().len(),
        acknowledged.len(),
        "{calls} {nth}: {told:?}"
    );
    for id in &acknowledged {
        assert_eq!(sample.get(id).await.unwrap().version, 1, "{calls} {nth}");
    }
    assert_eq!(ledger.verify(&folds()).await.unwrap().differences, [""; 0], "{calls} {nth}");
    told.into_iter().map(|(word, _)| word).collect()
}

fn strace_works() -> bool {
    Command::new("strace").args(["-o", "/dev/null", "true"]).status().is_ok_and(|status| status.success())
}

// N-070, R-805 (sqlite), SECURITY F07 (LEDGER_FAULTS=200 for the full length)
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_failed_sync_is_unknown_and_the_same_key_settles_it() {
    if !strace_works() {
        return;
    }
    let most = std::env::var("LEDGER_FAULTS").map_or(8, |text| text.parse().unwrap());
    let mut told = BTreeSet::new();
    for nth in 1..=most {
        told.append(&mut check("fsync,fdatasync", nth).await);
    }
    assert!(told.contains("unknown") && told.contains("closed"), "{told:?}");
}

// R-805 (sqlite), SECURITY F07
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_failed_write_is_never_acknowledged() {
    if !strace_works() {
        return;
    }
    let most = std::env::var("LEDGER_FAULTS").map_or(40, |text| text.parse().unwrap());
    for nth in (1..=most).step_by(5) {
        check("pwrite64", nth).await;
    }
}
