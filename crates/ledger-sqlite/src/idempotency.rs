//! Idempotency keys: which effects happened, and what they answered.

use ledger::{Idempotency, Recalled, StoredAnswer};
use rusqlite::{Connection, OptionalExtension, Row, params};
use scope::{TenantId, Timestamp};

/// How long a key is kept: seven days by the database's clock.
pub const KEY_TTL_MICROS: i64 = 7 * 24 * 60 * 60 * 1_000_000;
/// Expired keys stay a day longer, so that a clock that ran ahead and is set back has removed nothing.
const PURGE_GRACE_MICROS: i64 = 24 * 60 * 60 * 1_000_000;

/// The stored answer of an effect, unless its key has expired.
pub(crate) fn recall(
    connection: &Connection,
    tenant: &TenantId,
    effect: &Idempotency,
    now: Timestamp,
) -> rusqlite::Result<Option<Recalled>> {
    let mut statement = connection.prepare_cached(
        "SELECT request_hash, response_payload, created_at
           FROM idempotency_keys
          WHERE tenant_id = ?1 AND principal = ?2 AND operation = ?3 AND client_request_id = ?4 AND expires_at > ?5",
    )?;
    let read = |row: &Row<'_>| {
        let same_request = row.get_ref(0)?.as_str()? == effect.request_hash;
        Ok(Recalled { same_request, payload: row.get(1)?, at: Timestamp(row.get(2)?) })
    };
    statement
        .query_row(params![tenant.as_str(), effect.principal, effect.operation, effect.key, now.0], read)
        .optional()
}

/// Stores an answer. An expired row with the same key is overwritten in place.
pub(crate) fn store(
    connection: &Connection,
    tenant: &TenantId,
    effect: &Idempotency,
    answer: &StoredAnswer,
    now: Timestamp,
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO idempotency_keys
                (tenant_id, client_request_id, aggregate_type, aggregate_id, response_payload,
                 created_at, expires_at, principal, operation, request_hash)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
             ON CONFLICT (tenant_id, principal, operation, client_request_id)
             DO UPDATE SET aggregate_type = excluded.aggregate_type,
                           aggregate_id = excluded.aggregate_id,
                           response_payload = excluded.response_payload,
                           created_at = excluded.created_at,
                           expires_at = excluded.expires_at,
                           request_hash = excluded.request_hash",
    )?;
    statement.execute(params![
        tenant.as_str(),
        effect.key,
        answer.aggregate_type,
        answer.aggregate_id,
        answer.payload,
        now.0,
        now.plus_micros(KEY_TTL_MICROS).0,
        effect.principal,
        effect.operation,
        effect.request_hash,
    ])?;
    Ok(())
}

/// Removes at most `batch` keys that expired more than a day ago and says how many.
pub(crate) fn purge(connection: &Connection, now: Timestamp, batch: usize) -> rusqlite::Result<usize> {
    let mut statement = connection.prepare_cached(
        "DELETE FROM idempotency_keys
          WHERE rowid IN (SELECT rowid FROM idempotency_keys WHERE expires_at <= ?1 ORDER BY expires_at LIMIT ?2)",
    )?;
    let long_expired = now.plus_micros(-PURGE_GRACE_MICROS);
    statement.execute(params![long_expired.0, i64::try_from(batch).unwrap_or(i64::MAX)])
}
