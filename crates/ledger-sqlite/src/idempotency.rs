//! Idempotency keys: which effects happened, and what they answered.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use ledger::{Idempotency, Recalled, Refusal, StoredAnswer};
use rusqlite::{Connection, OptionalExtension, Row, params};
use scope::{TenantId, Timestamp};

/// How long a key is kept: seven days by the database's clock.
pub const KEY_TTL_MICROS: i64 = 7 * 24 * 60 * 60 * 1_000_000;
/// Expired keys stay a day longer, so that a clock that ran ahead and is set back has removed nothing.
const PURGE_GRACE_MICROS: i64 = 24 * 60 * 60 * 1_000_000;

/// A caller who has as many keys as are kept is counted again after this time: some may have been removed.
const RECOUNT_FULL_MICROS: i64 = 10 * 1_000_000;
/// Any other caller, whose keys another process may have stored.
const RECOUNT_MICROS: i64 = 10 * 60 * 1_000_000;
/// How many callers are remembered.
const CALLERS_MAX: usize = 10_000;

/// How many keys callers have. They are counted when a caller is first met, and again from time to time; in between this
/// process counts its own. So the bound costs no write, and processes that share a file may exceed it by what they store meanwhile.
pub(crate) struct KeyCounts {
    most: u64,
    callers: Mutex<HashMap<(TenantId, String), Counted>>,
}

#[derive(Clone, Copy)]
struct Counted {
    keys: u64,
    at: Timestamp,
}

impl KeyCounts {
    pub(crate) fn new(most: u64) -> Self {
        Self { most, callers: Mutex::default() }
    }

    /// Makes room for one more key of a caller, or refuses it.
    pub(crate) fn refusal(
        &self,
        connection: &Connection,
        tenant: &TenantId,
        effect: &Idempotency,
        now: Timestamp,
    ) -> rusqlite::Result<Option<Refusal>> {
        let mut callers = self.callers.lock().unwrap_or_else(PoisonError::into_inner);
        if callers.len() >= CALLERS_MAX {
            callers.clear();
        }
        let caller = (tenant.clone(), effect.principal.clone());
        let known = callers.get(&caller).copied().filter(|known| {
            let recount = if known.keys >= self.most { RECOUNT_FULL_MICROS } else { RECOUNT_MICROS };
            (0..recount).contains(&(now.0 - known.at.0))
        });
        let mut counted = match known {
            Some(known) => known,
            None => Counted { keys: count(connection, tenant, effect, self.most)?, at: now },
        };
        let is_full = counted.keys >= self.most;
        counted.keys += u64::from(!is_full);
        callers.insert(caller, counted);
        Ok(is_full.then_some(Refusal::TooManyKeys { most: self.most }))
    }
}

/// How many keys a caller has, counted up to `most`: one index, without its rows.
fn count(connection: &Connection, tenant: &TenantId, effect: &Idempotency, most: u64) -> rusqlite::Result<u64> {
    let mut statement = connection.prepare_cached(
        "SELECT count(*)
           FROM (SELECT 1 FROM idempotency_keys WHERE tenant_id = ?1 AND principal = ?2 LIMIT ?3)",
    )?;
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    statement
        .query_row(params![tenant.as_str(), effect.principal, most], |row| row.get::<_, i64>(0))
        .map(i64::cast_unsigned)
}

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
///
/// Two plain statements instead of an upsert, here and in the other tables: an upsert opens a savepoint, and
/// every savepoint makes FTS5 write out the words it holds back until the commit.
pub(crate) fn store(
    connection: &Connection,
    tenant: &TenantId,
    effect: &Idempotency,
    answer: &StoredAnswer,
    now: Timestamp,
) -> rusqlite::Result<()> {
    let row = params![
        tenant.as_str(),
        effect.principal,
        effect.operation,
        effect.key,
        answer.aggregate_type,
        answer.aggregate_id,
        answer.payload,
        now.0,
        now.plus_micros(KEY_TTL_MICROS).0,
        effect.request_hash,
    ];
    let mut update = connection.prepare_cached(
        "UPDATE idempotency_keys
            SET aggregate_type = ?5, aggregate_id = ?6, response_payload = ?7,
                created_at = ?8, expires_at = ?9, request_hash = ?10
          WHERE tenant_id = ?1 AND principal = ?2 AND operation = ?3 AND client_request_id = ?4",
    )?;
    if update.execute(row)? == 0 {
        let mut insert = connection.prepare_cached(
            "INSERT INTO idempotency_keys
                    (tenant_id, principal, operation, client_request_id, aggregate_type, aggregate_id,
                     response_payload, created_at, expires_at, request_hash)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        )?;
        insert.execute(row)?;
    }
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
