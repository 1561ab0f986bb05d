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
    pub correlation_id: Option<String>,
    /// Only older rows: the moment of the last one seen, to go on where a page ended.
    pub before: Option<Timestamp>,
    /// How many are wanted. Others of the same moment as the last one come with it, so that no page ends within a moment.
    pub limit: usize,
}

impl AuditFind {
    /// Whether a row is one of those that are wanted.
    pub fn fits(&self, row: &AuditRow) -> bool {
        let ends_with = |text: &str, separator: char, name: &str| {
            text == name || text.strip_suffix(name).is_some_and(|before| before.ends_with(separator))
        };
        self.since.is_none_or(|since| row.at >= since)
            && self.before.is_none_or(|before| row.at < before)
            && self.principal.as_ref().is_none_or(|name| ends_with(&row.principal, '|', name))
            && self.target.as_ref().is_none_or(|name| ends_with(&row.target, '.', name))
            && self.outcome.as_ref().is_none_or(|outcome| row.outcome == *outcome)
            && self.correlation_id.as_ref().is_none_or(|correlation| row.correlation_id == *correlation)
    }
}

/// The rows that fit, newest first, up to the end of a moment.
pub(super) fn rows(connection: &Connection, tenant: &TenantId, find: &AuditFind) -> rusqlite::Result<Vec<AuditRow>> {
    let mut statement = connection.prepare_cached(
        "SELECT audit_id, at, tenant, principal, principal_kind, transport, client, method, target, arguments,
                arguments_hash, request_id, correlation_id, trace_id, decision, outcome, error_code, duration_us
           FROM audit
          WHERE tenant = ?1 AND at < ?2 AND at >= ?3
            AND (?4 IS NULL OR principal = ?4 OR substr(principal, -length(?4) - 1) = '|' || ?4)
            AND (?5 IS NULL OR target = ?5 OR substr(target, -length(?5) - 1) = '.' || ?5)
            AND (?6 IS NULL OR outcome = ?6)
            AND (?7 IS NULL OR correlation_id = ?7)
          ORDER BY at DESC, number DESC",
    )?;
    let asked = params![
        tenant.as_str(),
        find.before.map_or(i64::MAX, |before| before.0),
        find.since.map_or(i64::MIN, |since| since.0),
        find.principal,
        find.target,
        find.outcome,
        find.correlation_id,
    ];
    let mut found = Vec::<AuditRow>::new();
    let mut rows = statement.query(asked)?;
    while let Some(row) = rows.next()? {
        let row = from_row(row)?;
        if found.len() >= find.limit && found.last().is_none_or(|last| last.at != row.at) {
            break;
        }
        found.push(row);
    }
    Ok(found)
}
