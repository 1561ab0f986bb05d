//! `chancery facts`, followed while another process writes.

use std::path::Path;

use serde_json::Value;

use crate::process::{Running, ends_well, run};

async fn create(data: &Path, name: &str) {
    let arguments = format!(r#"{{"type": "Node", "name": "{name}"}}"#);
    let called = run(data, &["call", "transformation.createElement", &arguments]).await;
    assert!(called.success, "{}", called.stdout);
}

fn sequences(events: &[Value]) -> Vec<u64> {
    events.iter().map(|event| event["sequence"].as_str().unwrap().parse().unwrap()).collect()
}

// R-815
#[tokio::test]
async fn a_consumer_that_goes_on_where_it_stopped_misses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    create(folder.path(), "before").await;
    let mut first = Running::start(folder.path(), &["facts", "--follow"]);
    let mut seen = first.next(3).await;
    create(folder.path(), "while").await;
    seen.extend(first.next(1).await);
    drop(first);
    create(folder.path(), "between").await;
    let after = sequences(&seen).pop().unwrap().to_string();
    let mut second = Running::start(folder.path(), &["facts", "--follow", "--after", &after]);
    seen.extend(second.next(1).await);
    create(folder.path(), "again").await;
    seen.extend(second.next(1).await);
    assert_eq!(sequences(&seen), [1, 2, 3, 4, 5, 6]);
    let names: Vec<&str> = seen[2..].iter().map(|event| event["data"]["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["before", "while", "between", "again"]);
    assert_eq!(seen[3]["type"], "io.ameide.transformation.architecture.fact.ElementCreated.v1");

    let all = run(folder.path(), &["facts"]).await;
    let all: Vec<Value> = all.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(all, seen);
    let some = run(folder.path(), &["facts", "--after", "2", "--limit", "2"]).await;
    assert_eq!(some.stdout.lines().count(), 2);
}

#[tokio::test]
async fn following_ends_when_nobody_reads_any_more() {
    let folder = tempfile::tempdir().unwrap();
    create(folder.path(), "first").await;
    let mut running = Running::start(folder.path(), &["facts", "--follow"]);
    running.next(3).await;
    let child = running.close();
    create(folder.path(), "second").await;
    assert!(ends_well(child).await);
}

#[cfg(unix)]
#[tokio::test]
async fn following_ends_with_an_interrupt() {
    let folder = tempfile::tempdir().unwrap();
    create(folder.path(), "first").await;
    let mut running = Running::start(folder.path(), &["facts", "--follow"]);
    running.next(3).await;
    let id = running.child.id().unwrap().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    assert!(ends_well(running.close()).await);
}
