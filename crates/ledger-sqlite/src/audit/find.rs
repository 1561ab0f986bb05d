//! What an operator asks the audit log.

use rusqlite::{Connection, params};
use scope::{TenantId, Timestamp};

use super::AuditRow;
use super::table::from_row;

/// Which rows are wanted. What is `None` does not matter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuditFind {
    pub since: Option<Timestamp>,
    /// The whole id of a caller, or the name in it.
    pub principal: Option<String>,
    /// The whole name of a tool or resource, or what follows its last dot.
    pub target: Option<String>,
    pub outcome: Option<String>,
    /// Only rows with smaller numbers: the last one seen, to go on where a page ended.
    pub before: Option<i64>,
    pub limit: usize,
}

/// The rows that fit, newest first, each with its number.
pub(super) fn rows(
    connection: &Connection,
    tenant: &TenantId,
    find: &AuditFind,
) -> rusqlite::Result<Vec<(i64, AuditRow)>> {
    let mut statement = connection.prepare_cached(
        "SELECT audit_id, at, tenant, principal, principal_kind, transport, client, method, target, arguments,
                arguments_hash, request_id, correlation_id, trace_id, decision, outcome, error_code, duration_us, number
           FROM audit
          WHERE tenant = ?1 AND number < ?2 AND at >= ?3
            AND (?4 IS NULL OR principal = ?4 OR substr(principal, -length(?4) - 1) = '|' || ?4)
            AND (?5 IS NULL OR target = ?5 OR substr(target, -length(?5) - 1) = '.' || ?5)
            AND (?6 IS NULL OR outcome = ?6)
          ORDER BY number DESC
          LIMIT ?7",
    )?;
    let found = params![
        tenant.as_str(),
        find.before.unwrap_or(i64::MAX),
        find.since.map_or(i64::MIN, |since| since.0),
        find.principal,
        find.target,
        find.outcome,
        i64::try_from(find.limit).unwrap_or(i64::MAX),
    ];
    statement.query_map(found, |row| Ok((row.get(18)?, from_row(row)?)))?.collect()
}
