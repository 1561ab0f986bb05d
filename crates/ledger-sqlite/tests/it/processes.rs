//! Several processes on one directory, and processes that die at any moment.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ledger::conformance::{Sample, change, folds, record};
use ledger::{At, Change, Commit, Effect, Idempotency, Ledger, StoredAnswer};
use ledger_sqlite::{Options, SqliteLedger};

use crate::child;

const IN_FLIGHT: usize = 50;

/// A child: commits without end, 50 at a time, and tells each id after it was acknowledged.
#[test]
#[ignore = "run by the other tests as a process of its own"]
fn child_that_commits() {
    let Some(directory) = child::directory() else { return };
    let rounds = std::env::var("LEDGER_CHILD_ROUNDS").map_or(usize::MAX, |text| text.parse().unwrap());
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let ledger = Arc::new(SqliteLedger::open(directory, Options::default()).unwrap());
        let tasks: Vec<_> =
            (0..IN_FLIGHT).map(|lane| tokio::spawn(commit_lane(ledger.clone(), lane, rounds))).collect();
        for task in tasks {
            task.await.unwrap();
        }
        child::tell("done", std::process::id());
    });
}

async fn commit_lane(ledger: Arc<SqliteLedger>, lane: usize, rounds: usize) {
    for round in 0..rounds {
        let id = format!("{}-{lane}-{round}", std::process::id());
        match ledger.commit(create(&id)).await {
            Ok(Commit::Done { .. }) => child::tell("ack", id),
            other => panic!("{other:?}"),
        }
    }
}

fn create(id: &str) -> Change {
    let effect = Idempotency {
        principal: "child".to_owned(),
        operation: "create".to_owned(),
        key: id.to_owned(),
        request_hash: "hash".to_owned(),
    };
    let answer = StoredAnswer { payload: format!("\"{id}\""), aggregate_type: "thing".to_owned(), aggregate_id: None };
    let tenant = scope::TenantId::new("acme").unwrap();
    Change { idempotency: Some((effect, answer)), ..change(&tenant, vec![Effect::Put(Box::new(record(id)))]) }
}

// R-824 (sqlite): with a transaction that begins to write late, one of them would hold a state that is old and be refused.
#[tokio::test]
async fn four_processes_share_a_directory_and_one_is_killed() {
    let directory = tempfile::tempdir().unwrap();
    // The first process to open creates the file; all four race for it.
    let mut children: Vec<_> = (0..4)
        .map(|_| {
            child::command("processes::child_that_commits", directory.path())
                .env("LEDGER_CHILD_ROUNDS", "8")
                .spawn()
                .unwrap()
        })
        .collect();
    let readers: Vec<_> = children.iter_mut().map(child::told).collect();
    let mut victim = children.pop().unwrap();
    let mut acknowledged = BTreeSet::new();
    let mut readers = readers.into_iter().collect::<Vec<_>>();
    let mut victim_told = readers.pop().unwrap();
    acknowledged.extend(victim_told.by_ref().filter(|(word, _)| word == "ack").take(100).map(|(_, id)| id));
    victim.kill().unwrap();
    acknowledged.extend(victim_told.filter(|(word, _)| word == "ack").map(|(_, id)| id));
    for told in readers {
        acknowledged.extend(told.filter(|(word, _)| word == "ack").map(|(_, id)| id));
    }
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    victim.wait().unwrap();
    assert!(acknowledged.len() >= 3 * 8 * IN_FLIGHT + 100, "{}", acknowledged.len());
    check(directory.path(), &acknowledged).await;
}

// R-270 (SECURITY F01; LEDGER_KILLS=200 for the full length)
#[tokio::test]
async fn acknowledged_writes_survive_kills() {
    let directory = tempfile::tempdir().unwrap();
    let kills = std::env::var("LEDGER_KILLS").map_or(5, |text| text.parse().unwrap());
    let mut acknowledged = BTreeSet::new();
    for kill in 0..kills {
        let mut child = child::command("processes::child_that_commits", directory.path()).spawn().unwrap();
        let mut told = child::told(&mut child);
        acknowledged.extend(told.by_ref().filter(|(word, _)| word == "ack").take(150).map(|(_, id)| id));
        std::thread::sleep(Duration::from_micros(kill * 1237 % 5000));
        child.kill().unwrap();
        acknowledged.extend(told.filter(|(word, _)| word == "ack").map(|(_, id)| id));
        child.wait().unwrap();
        check(directory.path(), &acknowledged).await;
    }
}

/// Every acknowledged write is there once, with its key; rows, keys and facts agree with each other.
async fn check(directory: &Path, acknowledged: &BTreeSet<String>) {
    let ledger = Arc::new(SqliteLedger::open(directory, Options::default()).unwrap());
    let sample = Sample { ledger: ledger.clone(), tenant: scope::TenantId::new("acme").unwrap() };
    let facts = ledger.facts(&sample.tenant, 0, usize::MAX).await.unwrap();
    let mut created = BTreeSet::new();
    for fact in &facts {
        let id = fact.body.split("\"id\":\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap().to_owned();
        assert!(created.insert(id), "a write happened twice: {}", fact.body);
    }
    assert_eq!(acknowledged.difference(&created).collect::<Vec<_>>(), Vec::<&String>::new(), "lost");
    assert_eq!(ledger.point(&sample.tenant, At::Head).await.unwrap(), created.len() as u64);
    for id in created.iter().take(500) {
        assert_eq!(sample.get(id).await.unwrap().version, 1);
        let Ok(Commit::Replayed(_)) = ledger.commit(create(id)).await else { panic!("{id} has lost its key") };
    }
    assert_eq!(ledger.verify(&folds()).await.unwrap().differences, [""; 0]);
}

/// A commit of one process is visible to another at once: nothing is cached in between.
#[tokio::test]
async fn another_process_sees_a_commit_at_once() {
    let harness = crate::harness::Embedded::new();
    let (one, other) = (Arc::new(harness.open()), Arc::new(harness.open()));
    let tenant = scope::TenantId::new("acme").unwrap();
    let (one, other) = (Sample { ledger: one, tenant: tenant.clone() }, Sample { ledger: other, tenant });
    for number in 1..=20 {
        let id = format!("r{number}");
        let (writer, reader) = if number % 2 == 0 { (&one, &other) } else { (&other, &one) };
        assert_eq!(writer.put(record(&id)).await, number);
        assert_eq!(reader.head().await, number);
        assert!(reader.get(&id).await.is_some());
    }
}
