//! The audit table: opened, appended to and read. There is no statement that changes or removes a row.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, Row, TransactionBehavior, params};
use scope::{TenantId, Timestamp};

use super::AuditRow;
use crate::connection::Opening;
use crate::{OpenError, connection};

/// Marks the file as ours: "CHAU".
const APPLICATION_ID: i64 = 0x4348_4155;
const FORMAT: i64 = 3;

/// Opens the file and creates the table where needed.
pub(super) fn open(path: &Path, busy: Duration) -> Result<Connection, OpenError> {
    let fail = |error: rusqlite::Error| OpenError::sqlite(path, &error);
    let mut connection = connection::open_writer(path, Opening { busy, ..Opening::default() })?;
    connection.execute_batch("PRAGMA synchronous = NORMAL;").map_err(fail)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(fail)?;
    let number = |pragma: &str| transaction.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0)).map_err(fail);
    match (number("application_id")?, number("user_version")?) {
        (APPLICATION_ID, FORMAT) => {}
        (0, 0) | (APPLICATION_ID, 1 | 2) => {
            let found = number("user_version")?;
            if found == 0 {
                transaction.execute_batch(include_str!("../migrations/audit_0001.sql")).map_err(fail)?;
            }
            if found < 2 {
                transaction.execute_batch(include_str!("../migrations/audit_0002_by_time.sql")).map_err(fail)?;
            }
            transaction.execute_batch(include_str!("../migrations/audit_0003_leaves.sql")).map_err(fail)?;
            transaction.pragma_update(None, "application_id", APPLICATION_ID).map_err(fail)?;
            transaction.pragma_update(None, "user_version", FORMAT).map_err(fail)?;
        }
        (APPLICATION_ID, found) => return Err(OpenError::Newer { path: path.to_owned(), found, known: FORMAT }),
        _ => return Err(OpenError::Foreign { path: path.to_owned() }),
    }
    transaction.commit().map_err(fail)?;
    Ok(connection)
}

/// Writes the number of the format again: a write that changes nothing, to see whether writing works.
pub(super) fn write_nothing(path: &Path, busy: Duration) -> Result<(), OpenError> {
    let connection = open(path, busy)?;
    connection.pragma_update(None, "user_version", FORMAT).map_err(|error| OpenError::sqlite(path, &error))
}

/// The number of the last row, or 0.
pub(super) fn last_number(connection: &Connection) -> rusqlite::Result<i64> {
    connection.prepare_cached("SELECT coalesce(max(number), 0) FROM audit")?.query_row([], |row| row.get(0))
}

/// Whether a row with this id was stored after a number. Rows of other processes may lie between, and they are few.
pub(super) fn holds(connection: &Connection, after: i64, audit_id: &str) -> rusqlite::Result<bool> {
    let mut statement =
        connection.prepare_cached("SELECT EXISTS (SELECT 1 FROM audit WHERE number > ?1 AND audit_id = ?2)")?;
    statement.query_row(params![after, audit_id], |row| row.get(0))
}

/// Appends rows in one transaction, and says the number of the last.
pub(super) fn insert(connection: &mut Connection, rows: &[AuditRow]) -> rusqlite::Result<i64> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut statement = transaction.prepare_cached(
        "INSERT INTO audit
                (audit_id, at, tenant, principal, principal_kind, transport, client, method, target, arguments,
                 arguments_hash, request_id, correlation_id, trace_id, decision, outcome, error_code, duration_us)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)",
    )?;
    for row in rows {
        statement.execute(params![
            row.audit_id,
            row.at.0,
            row.tenant.as_str(),
            row.principal,
            row.principal_kind,
            row.transport,
            row.client,
            row.method,
            row.target,
            row.arguments,
            row.arguments_hash,
            row.request_id,
            row.correlation_id,
            row.trace_id,
            row.decision,
            row.outcome,
            row.error_code,
            row.duration_us.cast_signed(),
        ])?;
    }
    drop(statement);
    let last = transaction.last_insert_rowid();
    transaction.commit()?;
    Ok(last)
}

/// The rows of one correlation, in the order in which they were written.
pub(super) fn by_correlation(
    connection: &Connection,
    tenant: &TenantId,
    correlation_id: &str,
) -> rusqlite::Result<Vec<AuditRow>> {
    let mut statement = connection.prepare_cached(
        "SELECT audit_id, at, tenant, principal, principal_kind, transport, client, method, target, arguments,
                arguments_hash, request_id, correlation_id, trace_id, decision, outcome, error_code, duration_us
           FROM audit
          WHERE tenant = ?1 AND correlation_id = ?2
          ORDER BY number",
    )?;
    statement.query_map(params![tenant.as_str(), correlation_id], from_row)?.collect()
}

/// The last rows of a tenant, newest first.
pub(super) fn recent(connection: &Connection, tenant: &TenantId, limit: usize) -> rusqlite::Result<Vec<AuditRow>> {
    let mut statement = connection.prepare_cached(
        "SELECT audit_id, at, tenant, principal, principal_kind, transport, client, method, target, arguments,
                arguments_hash, request_id, correlation_id, trace_id, decision, outcome, error_code, duration_us
           FROM audit
          WHERE tenant = ?1
          ORDER BY at DESC, number DESC
          LIMIT ?2",
    )?;
    statement.query_map(params![tenant.as_str(), i64::try_from(limit).unwrap_or(i64::MAX)], from_row)?.collect()
}

pub(super) fn from_row(row: &Row<'_>) -> rusqlite::Result<AuditRow> {
    Ok(AuditRow {
        audit_id: row.get(0)?,
        at: Timestamp(row.get(1)?),
        tenant: TenantId::new(row.get_ref(2)?.as_str()?).expect("only valid tenants are written"),
        principal: row.get(3)?,
        principal_kind: row.get::<_, String>(4)?.into(),
        transport: row.get::<_, String>(5)?.into(),
        client: row.get(6)?,
        method: row.get::<_, String>(7)?.into(),
        target: row.get(8)?,
        arguments: row.get::<_, String>(9)?.into(),
        arguments_hash: row.get::<_, String>(10)?.into(),
        request_id: row.get(11)?,
        correlation_id: row.get(12)?,
        trace_id: row.get(13)?,
        decision: row.get::<_, String>(14)?.into(),
        outcome: row.get::<_, String>(15)?.into(),
        error_code: row.get(16)?,
        duration_us: row.get::<_, i64>(17)?.cast_unsigned(),
    })
}
