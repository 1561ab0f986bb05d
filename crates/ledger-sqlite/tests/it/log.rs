//! Databases whose log is gathered, seen by connections whose log is not.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};

fn writer(path: &Path) -> Connection {
    let layer = sqlite_log::layer().unwrap();
    let connection = Connection::open_with_flags_and_vfs(path, OpenFlags::default(), layer).unwrap();
    let mode: String = connection.pragma_update_and_check(None, "journal_mode", "wal", |row| row.get(0)).unwrap();
    assert_eq!(mode, "wal");
    connection.execute_batch("CREATE TABLE IF NOT EXISTS t (a INTEGER PRIMARY KEY, b);").unwrap();
    connection
}

/// Number of rows, their sum, and what an integrity check says.
fn seen(connection: &Connection) -> (i64, i64, String) {
    let (rows, sum) = connection
        .query_row("SELECT count(*), coalesce(sum(length(b)), 0) FROM t", [], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap();
    (rows, sum, connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap())
}

fn ok(rows: i64, sum: i64) -> (i64, i64, String) {
    (rows, sum, "ok".to_owned())
}

fn insert(connection: &Connection, from: i64, many: i64) {
    let sql = "WITH RECURSIVE n(a) AS (VALUES (?1) UNION ALL SELECT a + 1 FROM n WHERE a + 1 < ?1 + ?2)
               INSERT INTO t SELECT a, zeroblob(1000) FROM n";
    connection.execute(sql, [from, many]).unwrap();
}

#[test]
fn others_see_a_commit_at_once_and_nothing_before() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.db");
    let (writer, other) = (writer(&path), Connection::open(&path).unwrap());
    for round in 0..20 {
        let synchronous = if round % 2 == 0 { "FULL" } else { "NORMAL" };
        writer.execute_batch(&format!("PRAGMA synchronous = {synchronous}; BEGIN IMMEDIATE")).unwrap();
        insert(&writer, round * 10, 10);
        assert_eq!(seen(&other), ok(round * 10, round * 10_000));
        writer.execute_batch("COMMIT").unwrap();
        assert_eq!(seen(&other), ok(round * 10 + 10, round * 10_000 + 10_000));
    }
    other.execute("INSERT INTO t VALUES (-1, 'x')", []).unwrap();
    assert_eq!(seen(&writer), ok(201, 200_001));
}

/// A transaction larger than its pages in memory: pages go to the log before the commit, are read back and written again.
#[test]
fn a_transaction_that_spills_is_whole_or_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.db");
    let (writer, other) = (writer(&path), Connection::open(&path).unwrap());
    writer.execute_batch("PRAGMA cache_size = 10").unwrap();
    for end in ["ROLLBACK", "COMMIT"] {
        writer.execute_batch("BEGIN IMMEDIATE").unwrap();
        insert(&writer, 0, 4000);
        for pass in 1..4 {
            writer.execute("UPDATE t SET b = zeroblob(1000 + ?1) WHERE a % 7 = ?1", [pass]).unwrap();
        }
        assert_eq!(seen(&writer).0, 4000);
        assert_eq!(seen(&other), ok(0, 0));
        writer.execute_batch(end).unwrap();
    }
    let sum: i64 = (0..4000).map(|a| 1000 + if (1..4).contains(&(a % 7)) { a % 7 } else { 0 }).sum();
    assert_eq!(seen(&other), ok(4000, sum));
    writer.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    assert_eq!(std::fs::metadata(folder.path().join("a.db-wal")).unwrap().len(), 0);
    assert_eq!(seen(&other), ok(4000, sum));
}

/// A log that is begun again after its pages were moved into the database, as it is after many commits.
#[test]
fn a_log_that_starts_over_is_read_right() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.db");
    let (writer, other) = (writer(&path), Connection::open(&path).unwrap());
    writer.execute_batch("PRAGMA wal_autocheckpoint = 20").unwrap();
    for round in 0..100 {
        insert(&writer, round * 5, 5);
        assert_eq!(seen(&other), ok(round * 5 + 5, (round * 5 + 5) * 1000));
    }
}

/// What a killed process leaves: the log as it was at the last commit, and perhaps part of the next one.
#[test]
fn a_log_without_its_process_is_recovered() {
    let folder = tempfile::tempdir().unwrap();
    let (path, copy) = (folder.path().join("a.db"), folder.path().join("b.db"));
    let writer = writer(&path);
    insert(&writer, 0, 50);
    writer.execute_batch("PRAGMA cache_size = 10; BEGIN IMMEDIATE").unwrap();
    insert(&writer, 50, 2000);
    for end in ["", "-wal"] {
        std::fs::copy(format!("{}{end}", path.display()), format!("{}{end}", copy.display())).unwrap();
    }
    assert_eq!(seen(&Connection::open(&copy).unwrap()), ok(50, 50_000));
}

/// The journal of a database without a log, and temporary files, are not ours.
#[test]
fn other_files_are_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.db");
    let connection =
        Connection::open_with_flags_and_vfs(&path, OpenFlags::default(), sqlite_log::layer().unwrap()).unwrap();
    connection.execute_batch("PRAGMA journal_mode = DELETE; CREATE TABLE t (a INTEGER PRIMARY KEY, b);").unwrap();
    connection.execute_batch("CREATE TEMP TABLE s AS SELECT 1; BEGIN").unwrap();
    insert(&connection, 0, 100);
    connection.execute_batch("ROLLBACK").unwrap();
    insert(&connection, 0, 10);
    assert_eq!(seen(&Connection::open(&path).unwrap()), ok(10, 10_000));
}
