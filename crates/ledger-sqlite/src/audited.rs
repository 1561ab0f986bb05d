//! Audit records of changes, in the transaction of their change. There is no statement that changes or removes one.

use ledger::{AuditEntry, AuditFind, Audited, Seq};
use rusqlite::{Connection, Row, named_params};
use scope::{TenantId, Timestamp};

/// Keeps the record of a change that happens now.
pub(crate) fn store(
    connection: &Connection,
    tenant: &TenantId,
    entry: &AuditEntry,
    (seq, at): (Seq, Timestamp),
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO audit (tenant, at, seq, id, principal, correlation_id, body)
         VALUES (:tenant, :at, :seq, :id, :principal, :correlation_id, :body)",
    )?;
    statement.execute(named_params! {
        ":tenant": tenant.as_str(),
        ":at": at.0,
        ":seq": seq.cast_signed(),
        ":id": entry.id,
        ":principal": entry.principal,
        ":correlation_id": entry.correlation_id,
        ":body": entry.body,
    })?;
    Ok(())
}

/// The records that fit, newest first, up to the end of a moment.
pub(crate) fn find(connection: &Connection, tenant: &TenantId, find: &AuditFind) -> rusqlite::Result<Vec<Audited>> {
    let Some(last) = find.limit.checked_sub(1) else { return Ok(Vec::new()) };
    let before = find.before.map_or(i64::MAX, |before| before.0);
    let last = i64::try_from(last).unwrap_or(i64::MAX);
    match &find.correlation_id {
        None => {
            let mut statement = connection.prepare_cached(
                "SELECT id, principal, correlation_id, body, at, seq
                   FROM audit
                  WHERE tenant = :tenant AND at < :before
                    AND at >= coalesce((SELECT at FROM audit
                                         WHERE tenant = :tenant AND at < :before
                                         ORDER BY at DESC LIMIT 1 OFFSET :last), -9223372036854775808)
                  ORDER BY at DESC, number DESC",
            )?;
            let asked = named_params! { ":tenant": tenant.as_str(), ":before": before, ":last": last };
            statement.query_map(asked, from_row)?.collect()
        }
        Some(correlation) => {
            let mut statement = connection.prepare_cached(
                "SELECT id, principal, correlation_id, body, at, seq
                   FROM audit
                  WHERE tenant = :tenant AND correlation_id = :correlation AND at < :before
                    AND at >= coalesce((SELECT at FROM audit
                                         WHERE tenant = :tenant AND correlation_id = :correlation AND at < :before
                                         ORDER BY at DESC LIMIT 1 OFFSET :last), -9223372036854775808)
                  ORDER BY at DESC, number DESC",
            )?;
            let asked = named_params! {
                ":tenant": tenant.as_str(), ":correlation": correlation, ":before": before, ":last": last,
            };
            statement.query_map(asked, from_row)?.collect()
        }
    }
}

/// A record from the columns `id, principal, correlation_id, body, at, seq`.
pub(crate) fn from_row(row: &Row<'_>) -> rusqlite::Result<Audited> {
    let entry = AuditEntry { id: row.get(0)?, principal: row.get(1)?, correlation_id: row.get(2)?, body: row.get(3)? };
    Ok(Audited { entry, at: Timestamp(row.get(4)?), seq: row.get::<_, i64>(5)?.cast_unsigned() })
}
