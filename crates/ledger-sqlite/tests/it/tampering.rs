//! Verify finds what somebody changed behind the ledger's back.

use ledger::conformance::{Harness, Sample, folds, link, record};
use ledger::{Effect, Record, UniqueName};
use rusqlite::Connection;

use crate::harness::Embedded;

async fn lived() -> Embedded {
    let harness = Embedded::new();
    let sample = Sample::new(&harness);
    let rich = Record {
        unique: vec![UniqueName { space: "s".to_owned(), name: "x".to_owned() }],
        tags: vec!["red".to_owned()],
        text: "some words".to_owned(),
        ..record("a")
    };
    sample.put(rich.clone()).await;
    sample.write(vec![Effect::Put(Box::new(rich)), Effect::Put(Box::new(link("l", "a", "b")))]).await;
    harness
}

// R-303, R-823 (sqlite)
async fn check(sql: &str, expected: &str) {
    let harness = lived().await;
    let db = Connection::open(harness.directory.path().join("chancery.db")).unwrap();
    assert_eq!(harness.ledger().verify(&folds()).await.unwrap().differences, [""; 0]);
    db.execute_batch(sql).unwrap();
    let found = harness.ledger().verify(&folds()).await.unwrap().differences;
    assert!(found.iter().any(|line| line.starts_with(expected)), "{sql}: {found:#?}");
    let left: Vec<_> =
        std::fs::read_dir(harness.directory.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().starts_with("verify-")), "{left:?}");
}

const A: &str = "acme/conformance.thing/a";

#[tokio::test]
async fn a_changed_body_is_found() {
    let sql = "UPDATE record_versions SET body = '{}' WHERE id = 'a' AND version = 1";
    check(sql, &format!("record_versions {A}/1: body is not what the facts make")).await;
}

#[tokio::test]
async fn a_changed_time_is_found() {
    let sql = "UPDATE record_versions SET at = at + 1 WHERE id = 'a' AND version = 2";
    check(sql, &format!("record_versions {A}/2: at is not what the facts make")).await;
}

#[tokio::test]
async fn a_removed_version_is_found() {
    let sql = "DELETE FROM record_versions WHERE id = 'a' AND version = 1";
    check(sql, &format!("record_versions {A}/1: missing, though the facts make it")).await;
}

#[tokio::test]
async fn an_added_version_is_found() {
    let sql = "INSERT INTO record_versions (tenant, kind, id, version, from_seq, deleted, at, scope, type, tags, uniques, text, body)
               VALUES ('acme', 'conformance.thing', 'ghost', 1, 1, 0, 0, '', '', '[]', '[]', '', '')";
    check(sql, "record_versions acme/conformance.thing/ghost/1: stored, but no fact makes it").await;
}

#[tokio::test]
async fn a_changed_fact_is_found() {
    let sql =
        "DROP TRIGGER facts_are_never_changed; UPDATE facts SET body = replace(body, 'words', 'lies') WHERE seq = 2";
    check(sql, &format!("record_versions {A}/2: text is not what the facts make")).await;
}

#[tokio::test]
async fn a_removed_fact_is_found() {
    let sql = "DROP TRIGGER facts_are_never_removed; DELETE FROM facts WHERE seq = 1";
    check(sql, "acme: fact 2 follows fact 0").await;
}

#[tokio::test]
async fn changed_names_tags_links_heads_and_words_are_found() {
    check("DELETE FROM unique_names", "unique_names acme/s/x: missing").await;
    check("UPDATE record_tags SET tag = 'blue'", "record_tags acme/conformance.thing/m1/blue/a: stored").await;
    check("UPDATE ended_tags SET to_seq = 9", "ended_tags acme/conformance.thing/m1/red/a/1: to_seq").await;
    check("UPDATE ended_tags SET slot = 2", "ended_tags acme/conformance.thing/m1/red/a/1: version").await;
    check("DELETE FROM ended_tags", "ended_tags acme/conformance.thing/m1/red/a/1: missing").await;
    check("UPDATE link_changes SET seq = 1 WHERE id = 'b'", "link_changes acme/b: seq").await;
    check("UPDATE tenants SET head = 3", "tenants acme: head").await;
    check("INSERT INTO search (rowid, words) VALUES (1, '1xextra')", "search 1xextra/acme").await;
}

#[test]
fn facts_refuse_to_be_changed() {
    let harness = Embedded::new();
    let db = Connection::open(harness.directory.path().join("chancery.db")).unwrap();
    let insert = "INSERT INTO facts VALUES (1, 't', 1, 0, 'k', 'k', 'i', '{}', '{}')";
    db.execute(insert, []).unwrap();
    for sql in ["UPDATE facts SET body = ''", "DELETE FROM facts"] {
        assert!(db.execute(sql, []).unwrap_err().to_string().contains("facts are never"), "{sql}");
    }
}
