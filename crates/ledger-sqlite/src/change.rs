//! Changes: one change, written inside the transaction of its batch.
//!
//! Everything that can be refused is looked at before the first row is written, so a refusal leaves nothing
//! behind and needs no savepoint. That saves a copy of every touched page for each change.

use ledger::{Change, Commit, Fact, NewFact, Recalled, Refusal, Seq};
use rusqlite::{Connection, OptionalExtension, params};
use scope::{TenantId, Timestamp, pace};

use crate::effect::{self, Cause, Notes};
use crate::idempotency::KeyCounts;
use crate::record::Seen;
use crate::{audited, expectation, idempotency, names};

/// Estimated CPU time of writing an effect, in nanoseconds.
const PER_EFFECT: u32 = 10_000;

/// Writes the change, or says why it does not happen. `now` is the database's clock.
pub(crate) fn apply(
    connection: &Connection,
    change: &Change,
    now: Timestamp,
    keys: &KeyCounts,
) -> rusqlite::Result<Result<Commit, Refusal>> {
    if let Some((effect, _)) = &change.idempotency {
        match idempotency::recall(connection, &change.tenant, effect, now)? {
            Some(recalled @ Recalled { same_request: true, .. }) => return Ok(Ok(Commit::Replayed(recalled))),
            Some(Recalled { at, .. }) => return Ok(Err(Refusal::KeyReused { at })),
            None => {}
        }
    }
    let mut seen = Seen::default();
    if let Some(refusal) = expectation::refusal(connection, change, &mut seen)? {
        return Ok(Err(refusal));
    }
    if let Some((effect, _)) = &change.idempotency
        && let Some(refusal) = keys.refusal(connection, &change.tenant, effect, now)?
    {
        return Ok(Err(refusal));
    }
    let (seq, at) = write_facts(connection, change, seen)?;
    if let Some((effect, answer)) = &change.idempotency {
        idempotency::store(connection, &change.tenant, effect, answer, now)?;
    }
    if let Some(entry) = &change.audit {
        audited::store(connection, &change.tenant, entry, (seq, at))?;
    }
    Ok(Ok(Commit::Done { seq, at }))
}

fn write_facts(connection: &Connection, change: &Change, seen: Seen<'_>) -> rusqlite::Result<(Seq, Timestamp)> {
    let tenant = &change.tenant;
    let known = tenant_row(connection, tenant)?;
    let (mut seq, last_at) = known.as_ref().map_or((0, change.at), |row| (row.head, row.last_at));
    let at = change.at.max(last_at);
    if change.facts.is_empty() {
        return Ok((seq, at));
    }
    let tenant_number = match known {
        Some(row) => row.number,
        None => insert_tenant(connection, tenant)?,
    };
    let (mut held, mut notes) = (Vec::new(), Notes { seen, ..Notes::default() });
    for (fact, effects) in &change.facts {
        seq += 1;
        let cause = Cause { tenant, tenant_number, seq, at };
        write_fact(connection, cause, fact)?;
        for effect in effects {
            held.push((effect, effect::apply(connection, cause, effect, &mut notes)?));
            pace::spend(PER_EFFECT);
        }
        notes.tally.flush(connection, cause)?;
    }
    names::settle(connection, tenant, &held)?;
    move_head(connection, tenant_number, seq, at)?;
    Ok((seq, at))
}

/// Where a tenant's history stands.
pub(crate) struct TenantRow {
    pub number: i64,
    pub head: Seq,
    pub last_at: Timestamp,
}

/// Where the tenant's history stands, or nothing before its first fact.
pub(crate) fn tenant_row(connection: &Connection, tenant: &TenantId) -> rusqlite::Result<Option<TenantRow>> {
    let mut statement = connection.prepare_cached("SELECT number, head, last_at FROM tenants WHERE tenant = ?1")?;
    let read = |row: &rusqlite::Row<'_>| {
        Ok(TenantRow {
            number: row.get(0)?,
            head: row.get::<_, i64>(1)?.cast_unsigned(),
            last_at: Timestamp(row.get(2)?),
        })
    };
    statement.query_row([tenant.as_str()], read).optional()
}

/// Adds a tenant and returns its number.
pub(crate) fn insert_tenant(connection: &Connection, tenant: &TenantId) -> rusqlite::Result<i64> {
    let mut statement = connection.prepare_cached("INSERT INTO tenants (tenant, head, last_at) VALUES (?1, 0, 0)")?;
    statement.insert([tenant.as_str()])
}

/// Says which fact of the tenant is the last one.
pub(crate) fn move_head(connection: &Connection, number: i64, head: Seq, at: Timestamp) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached("UPDATE tenants SET head = ?2, last_at = ?3 WHERE number = ?1")?;
    statement.execute(params![number, head.cast_signed(), at.0])?;
    Ok(())
}

/// Appends a fact.
pub(crate) fn write_fact(connection: &Connection, cause: Cause<'_>, fact: &NewFact) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO facts (tenant, seq, at, kind, subject_kind, subject_id, meta, body)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?;
    let (tenant, seq, at) = (cause.tenant.as_str(), cause.seq.cast_signed(), cause.at.0);
    statement.execute(params![tenant, seq, at, fact.kind, fact.subject.kind, fact.subject.id, fact.meta, fact.body])?;
    Ok(())
}

/// The facts of a tenant after a number, in order.
pub(crate) fn facts(
    connection: &Connection,
    tenant: &TenantId,
    after: Seq,
    most: usize,
) -> rusqlite::Result<Vec<Fact>> {
    let mut statement = connection.prepare_cached(
        "SELECT seq, at, kind, subject_kind, subject_id, body, meta
           FROM facts
          WHERE tenant = ?1 AND seq > ?2
          ORDER BY seq
          LIMIT ?3",
    )?;
    let after = i64::try_from(after).unwrap_or(i64::MAX);
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let read = |row: &rusqlite::Row<'_>| {
        Ok(Fact {
            seq: row.get::<_, i64>(0)?.cast_unsigned(),
            at: Timestamp(row.get(1)?),
            kind: row.get(2)?,
            subject: ledger::RecordKey { kind: row.get(3)?, id: row.get(4)? },
            body: row.get(5)?,
            meta: row.get(6)?,
        })
    };
    statement.query_map(params![tenant.as_str(), after, most], read)?.collect()
}

/// All tenants that have a fact, in the order in which they came.
pub(crate) fn tenants(connection: &Connection) -> rusqlite::Result<Vec<TenantId>> {
    let mut statement = connection.prepare_cached("SELECT tenant FROM tenants ORDER BY number")?;
    let texts = statement.query_map([], |row| row.get::<_, String>(0))?.collect::<rusqlite::Result<Vec<_>>>()?;
    Ok(texts.iter().map(|text| TenantId::new(text).expect("only valid tenants are written")).collect())
}
