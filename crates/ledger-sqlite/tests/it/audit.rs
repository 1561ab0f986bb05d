//! The audit file: nothing is lost without being counted, rows are read by tenant and never changed. And the audit records of
//! changes, which are in the ledger.

use std::path::Path;

use ledger::conformance::{change, record};
use ledger::{AuditEntry, AuditFind, Change, Commit, CommitError, Effect, Ledger as _};
use ledger_sqlite::audit::{ARGUMENTS_BYTES_MAX, AuditLog, AuditRow};
use ledger_sqlite::{Options, SqliteLedger};
use rusqlite::Connection;
use scope::{TenantId, Timestamp};

fn row(tenant: &str, number: u64) -> AuditRow {
    AuditRow {
        audit_id: format!("audit-{number}"),
        at: Timestamp(number as i64),
        tenant: TenantId::new(tenant).unwrap(),
        principal: "local|alice".to_owned(),
        principal_kind: "user".into(),
        transport: "stdio".into(),
        client: None,
        method: "tools/call".into(),
        target: "createElement".to_owned(),
        arguments: "{}".into(),
        arguments_hash: "hash".into(),
        request_id: number.to_string(),
        correlation_id: format!("c{}", number % 2),
        trace_id: None,
        decision: "allow".into(),
        outcome: "ok".into(),
        error_code: None,
        duration_us: 12,
    }
}

/// To a queue that has room.
#[track_caller]
fn append(log: &AuditLog, row: AuditRow) {
    assert!(log.append(row).is_none());
}

/// Makes every insert into a table fail, as long as the connection is not told otherwise.
fn refuse_inserts(file: &Path) -> Connection {
    let db = Connection::open(file).unwrap();
    let sql = "CREATE TRIGGER refused BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'not now'); END";
    db.execute_batch(sql).unwrap();
    db
}

//
#[tokio::test]
async fn rows_are_read_back_by_tenant_and_correlation() {
    let directory = tempfile::tempdir().unwrap();
    let log = AuditLog::open(directory.path()).unwrap();
    for number in 0..6 {
        append(&log, row("acme", number));
        append(&log, row("zenith", number));
    }
    log.flush().await;
    let acme = TenantId::new("acme").unwrap();
    assert_eq!(log.by_correlation(&acme, "c1").await.unwrap(), [row("acme", 1), row("acme", 3), row("acme", 5)]);
    assert_eq!(log.recent(&acme, 2).await.unwrap(), [row("acme", 5), row("acme", 4)]);
    assert_eq!(log.recent(&TenantId::new("stranger").unwrap(), 2).await.unwrap(), []);
    assert_eq!(log.dropped(), 0);
    drop(log);
    let log = AuditLog::open(directory.path()).unwrap();
    assert_eq!(log.recent(&acme, 100).await.unwrap().len(), 6);
}

//
#[tokio::test]
async fn rows_cannot_be_changed_or_removed() {
    let directory = tempfile::tempdir().unwrap();
    let log = AuditLog::open(directory.path()).unwrap();
    append(&log, row("acme", 1));
    log.flush().await;
    let db = Connection::open(directory.path().join("audit.db")).unwrap();
    for sql in ["UPDATE audit SET outcome = 'ok'", "DELETE FROM audit"] {
        assert!(db.execute(sql, []).unwrap_err().to_string().contains("audit rows are never"), "{sql}");
    }
}

#[tokio::test]
async fn an_append_to_a_full_queue_waits_for_a_moment_and_counts_what_is_given_up() {
    let directory = tempfile::tempdir().unwrap();
    let log = AuditLog::open(directory.path()).unwrap();
    // Somebody holds the file, so nothing can be stored meanwhile.
    let holder = Connection::open(directory.path().join("audit.db")).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    let mut taken = 0;
    let waiting = loop {
        match log.append(row("acme", taken)) {
            None => taken += 1,
            Some(waiting) => break waiting,
        }
    };
    drop(waiting);
    assert_eq!(log.dropped(), 1);
    let waiting = log.append(row("acme", taken)).unwrap();
    holder.execute_batch("ROLLBACK").unwrap();
    waiting.await;
    log.flush().await;
    let stored = log.recent(&TenantId::new("acme").unwrap(), usize::MAX).await.unwrap().len() as u64;
    assert_eq!((stored, log.written(), log.dropped()), (taken + 1, taken + 1, 1));
}

#[tokio::test]
async fn rows_that_cannot_be_stored_are_kept_and_stored_later() {
    let directory = tempfile::tempdir().unwrap();
    let log = AuditLog::open(directory.path()).unwrap();
    assert_eq!(log.problem(), None);
    let db = refuse_inserts(&directory.path().join("audit.db"));
    for number in 0..3 {
        append(&log, row("acme", number));
    }
    while log.problem().is_none() {
        tokio::task::yield_now().await;
    }
    assert!(log.problem().unwrap().contains("not now"));
    db.execute_batch("DROP TRIGGER refused").unwrap();
    log.flush().await;
    assert_eq!((log.problem(), log.written(), log.dropped()), (None, 3, 0));
    assert_eq!(log.recent(&TenantId::new("acme").unwrap(), 10).await.unwrap().len(), 3);
}

#[tokio::test]
async fn a_file_of_the_first_format_is_brought_forward_with_its_rows() {
    let directory = tempfile::tempdir().unwrap();
    let log = AuditLog::open(directory.path()).unwrap();
    append(&log, row("acme", 1));
    drop(log);
    let db = Connection::open(directory.path().join("audit.db")).unwrap();
    db.execute_batch(
        "DROP INDEX audit_recent; CREATE INDEX audit_recent ON audit (tenant, number); DROP TABLE file; PRAGMA user_version = 1;",
    )
    .unwrap();
    drop(db);
    let log = AuditLog::open(directory.path()).unwrap();
    assert_eq!(log.recent(&TenantId::new("acme").unwrap(), 10).await.unwrap(), [row("acme", 1)]);
}

// A change and its audit record happen together or not at all.
#[tokio::test]
async fn a_change_whose_audit_record_cannot_be_written_does_not_happen() {
    let directory = tempfile::tempdir().unwrap();
    let ledger = SqliteLedger::open(directory.path(), Options::default()).unwrap();
    let tenant = TenantId::new("acme").unwrap();
    let db = refuse_inserts(&directory.path().join("chancery.db"));
    let entry = AuditEntry {
        id: "call".to_owned(),
        principal: "alice".to_owned(),
        correlation_id: "c".to_owned(),
        body: "{}".to_owned(),
    };
    let put = |id: &str| vec![Effect::Put(Box::new(record(id)))];
    let audited = Change { audit: Some(entry), ..change(&tenant, put("a")) };
    // In a batch with another, which is not its fault.
    let (refused, other) = tokio::join!(ledger.commit(audited.clone()), ledger.commit(change(&tenant, put("b"))));
    assert!(matches!(refused, Err(CommitError::Unavailable(_))), "{refused:?}");
    assert!(matches!(other, Ok(Commit::Done { seq: 1, .. })), "{other:?}");
    let found = ledger.get(&tenant, 1, &[record("a").key, record("b").key]).await.unwrap();
    assert_eq!((found[0].is_some(), found[1].is_some()), (false, true));
    db.execute_batch("DROP TRIGGER refused").unwrap();
    ledger.commit(audited).await.unwrap();
    let find = AuditFind { correlation_id: None, before: None, limit: 10 };
    assert_eq!(ledger.audit(&tenant, find).await.unwrap().len(), 1);
    assert!(ledger.get(&tenant, 2, &[record("a").key]).await.unwrap()[0].is_some());
    for sql in ["UPDATE audit SET body = ''", "DELETE FROM audit"] {
        assert!(db.execute(sql, []).unwrap_err().to_string().contains("audit rows are never"), "{sql}");
    }
}

#[tokio::test]
async fn long_arguments_are_cut_between_characters() {
    let directory = tempfile::tempdir().unwrap();
    let log = AuditLog::open(directory.path()).unwrap();
    append(&log, AuditRow { arguments: "é".repeat(ARGUMENTS_BYTES_MAX).into(), ..row("acme", 1) });
    log.flush().await;
    let rows = log.recent(&TenantId::new("acme").unwrap(), 1).await.unwrap();
    assert_eq!(rows[0].arguments, "é".repeat(ARGUMENTS_BYTES_MAX / 2));
}
