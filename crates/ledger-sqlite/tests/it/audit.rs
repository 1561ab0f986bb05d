//! The audit file: appended to without waiting, read by tenant, never changed.

use ledger_sqlite::audit::{ARGUMENTS_BYTES_MAX, AuditLog, AuditRow};
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

//
#[tokio::test]
async fn rows_are_read_back_by_tenant_and_correlation() {
    let directory = tempfile::tempdir().unwrap();
    let log = AuditLog::open(directory.path()).unwrap();
    for number in 0..6 {
        log.append(row("acme", number));
        log.append(row("zenith", number));
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
    log.append(row("acme", 1));
    log.flush().await;
    let db = Connection::open(directory.path().join("audit.db")).unwrap();
    for sql in ["UPDATE audit SET outcome = 'ok'", "DELETE FROM audit"] {
        assert!(db.execute(sql, []).unwrap_err().to_string().contains("audit rows are never"), "{sql}");
    }
}

#[tokio::test]
async fn an_append_never_waits_and_counts_what_it_drops() {
    let directory = tempfile::tempdir().unwrap();
    let log = AuditLog::open(directory.path()).unwrap();
    // Somebody holds the file, so nothing can be stored meanwhile.
    let holder = Connection::open(directory.path().join("audit.db")).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    let appended = 20_000;
    for number in 0..appended {
        log.append(row("acme", number));
    }
    assert!(log.dropped() > 0);
    holder.execute_batch("ROLLBACK").unwrap();
    log.flush().await;
    let stored = log.recent(&TenantId::new("acme").unwrap(), usize::MAX).await.unwrap().len() as u64;
    assert_eq!(stored + log.dropped(), appended);
    assert!(stored > 0);
}

#[tokio::test]
async fn long_arguments_are_cut_between_characters() {
    let directory = tempfile::tempdir().unwrap();
    let log = AuditLog::open(directory.path()).unwrap();
    log.append(AuditRow { arguments: "é".repeat(ARGUMENTS_BYTES_MAX).into(), ..row("acme", 1) });
    log.flush().await;
    let rows = log.recent(&TenantId::new("acme").unwrap(), 1).await.unwrap();
    assert_eq!(rows[0].arguments, "é".repeat(ARGUMENTS_BYTES_MAX / 2));
}
