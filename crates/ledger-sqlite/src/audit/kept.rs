//! Rows by number, and the removal of those whose time is over.

use std::path::Path;

use ledger::tree::Numbers;
use rusqlite::{Connection, TransactionBehavior, params};
use scope::{TenantId, Timestamp};

use super::table::{self, from_row};
use super::{AuditRow, BUSY};
use crate::OpenError;

/// What this file is called, so that another in its place is not taken for it.
pub(super) fn id(connection: &Connection) -> rusqlite::Result<String> {
    connection.query_row("SELECT id FROM file", [], |row| row.get(0))
}

/// Up to which number rows were removed.
pub(super) fn removed_through(connection: &Connection) -> rusqlite::Result<u64> {
    connection.query_row("SELECT removed_through FROM file", [], |row| Ok(row.get::<_, i64>(0)?.cast_unsigned()))
}

/// Rows in the order of their numbers.
pub(super) fn numbered(connection: &Connection, numbers: &Numbers) -> rusqlite::Result<Vec<(u64, AuditRow)>> {
    let mut statement = connection.prepare_cached(
        "SELECT audit_id, at, tenant, principal, principal_kind, transport, client, method, target, arguments,
                arguments_hash, request_id, correlation_id, trace_id, decision, outcome, error_code, duration_us, number
           FROM audit NOT INDEXED
          WHERE number > ?1 AND number <= ?2 AND (?3 IS NULL OR tenant = ?3)
          ORDER BY number
          LIMIT ?4",
    )?;
    let bounded = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let Numbers { tenant, after, through, most } = numbers;
    let tenant = tenant.as_ref().map(TenantId::as_str);
    let asked = params![bounded(*after), bounded(*through), tenant, bounded(*most as u64)];
    let rows = statement.query_map(asked, |row| Ok((row.get::<_, i64>(18)?.cast_unsigned(), from_row(row)?)))?;
    rows.collect()
}

/// The number of the last row before the first that is as young as `since`.
pub(super) fn last_before(connection: &Connection, since: Timestamp) -> rusqlite::Result<u64> {
    let mut statement = connection.prepare_cached(
        "SELECT coalesce((SELECT number - 1 FROM audit NOT INDEXED WHERE at >= ?1 ORDER BY number LIMIT 1),
                         (SELECT max(number) FROM audit), 0)",
    )?;
    statement.query_row([since.0], |row| Ok(row.get::<_, i64>(0)?.cast_unsigned()))
}

/// Removes rows up to a number and says how many. The newest row always stays, or its number would be used again.
pub(super) fn remove_through(path: &Path, through: u64) -> Result<u64, OpenError> {
    let fail = |error: rusqlite::Error| OpenError::sqlite(path, &error);
    let mut connection = table::open(path, BUSY)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(fail)?;
    let through = through.min(table::last_number(&transaction).map_err(fail)?.cast_unsigned().saturating_sub(1));
    let asked = params![through.cast_signed()];
    transaction.execute("UPDATE file SET removed_through = ?1 WHERE removed_through < ?1", asked).map_err(fail)?;
    let removed = transaction.execute("DELETE FROM audit WHERE number <= ?1", asked).map_err(fail)?;
    transaction.commit().map_err(fail)?;
    Ok(removed as u64)
}
