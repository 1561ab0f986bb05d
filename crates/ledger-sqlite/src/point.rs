//! Points: how a moment becomes a sequence number, and whether a number has happened yet.

use ledger::{At, LIVE, ReadError, Seq};
use rusqlite::{Connection, params};
use scope::{TenantId, Timestamp};

use crate::change::tenant_row;
use crate::readers::failed;

/// The sequence number that `at` means.
pub(crate) fn resolve(connection: &Connection, tenant: &TenantId, at: At) -> Result<Seq, ReadError> {
    match at {
        At::Head => head(connection, tenant).map_err(failed),
        At::Seq(seq) => {
            let head = head(connection, tenant).map_err(failed)?;
            // Whatever is live is no moment of its own, so its number is one too far like any other.
            if seq > head { Err(ReadError::NotYet { at: seq, head }) } else { Ok(seq) }
        }
        At::Time(moment) => last_until(connection, tenant, moment).map_err(failed),
    }
}

/// Refuses a number that has not happened yet; otherwise says whether it is the last one, or whatever is live.
pub(crate) fn check(connection: &Connection, tenant: &TenantId, at: Seq) -> Result<bool, ReadError> {
    if at == LIVE {
        return Ok(true);
    }
    let head = head(connection, tenant).map_err(failed)?;
    has_happened(at, head).map(|()| at == head)
}

/// Refuses a number beyond the last one.
pub(crate) fn has_happened(at: Seq, head: Seq) -> Result<(), ReadError> {
    if at > head && at != LIVE { Err(ReadError::NotYet { at, head }) } else { Ok(()) }
}

fn head(connection: &Connection, tenant: &TenantId) -> rusqlite::Result<Seq> {
    Ok(tenant_row(connection, tenant)?.map_or(0, |row| row.head))
}

/// The last fact at or before the moment. Times never run backwards, so the facts are searched by halves.
fn last_until(connection: &Connection, tenant: &TenantId, moment: Timestamp) -> rusqlite::Result<Seq> {
    let Some(row) = tenant_row(connection, tenant)? else { return Ok(0) };
    if row.last_at <= moment {
        return Ok(row.head);
    }
    let mut statement = connection.prepare_cached("SELECT at FROM facts WHERE tenant = ?1 AND seq = ?2")?;
    let (mut before, mut after) = (0, row.head);
    while after - before > 1 {
        let middle = before + (after - before) / 2;
        let at: i64 = statement.query_row(params![tenant.as_str(), middle.cast_signed()], |row| row.get(0))?;
        if Timestamp(at) <= moment { before = middle } else { after = middle }
    }
    Ok(before)
}
