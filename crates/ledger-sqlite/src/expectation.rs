//! Expectations: what must hold before a change is written. Nothing here writes.

use std::collections::HashSet;

use ledger::{Change, Expectation, RecordKey, Refusal, Seq};
use rusqlite::{Connection, OptionalExtension, params};
use scope::TenantId;

use crate::names;
use crate::record::Seen;

/// The first thing that stands against the change, if any. What was looked at on the way is left in `seen`.
pub(crate) fn refusal<'c>(
    connection: &Connection,
    change: &'c Change,
    seen: &mut Seen<'c>,
) -> rusqlite::Result<Option<Refusal>> {
    for expectation in &change.expectations {
        if let Some(refusal) = check(connection, &change.tenant, expectation, seen)? {
            return Ok(Some(refusal));
        }
    }
    names::taken(connection, change)
}

fn check<'c>(
    connection: &Connection,
    tenant: &TenantId,
    expectation: &'c Expectation,
    seen: &mut Seen<'c>,
) -> rusqlite::Result<Option<Refusal>> {
    let mut live = |key: &'c RecordKey| -> rusqlite::Result<Option<u64>> {
        Ok(seen.look(connection, tenant, key)?.filter(|newest| newest.live).map(|newest| newest.version))
    };
    Ok(match expectation {
        Expectation::Version { key, version } => {
            let actual = live(key)?;
            (actual != Some(*version)).then(|| Refusal::Record { key: key.clone(), actual })
        }
        Expectation::Exists { key } => live(key)?.is_none().then(|| Refusal::Record { key: key.clone(), actual: None }),
        Expectation::Absent { key } => {
            live(key)?.map(|version| Refusal::Record { key: key.clone(), actual: Some(version) })
        }
        Expectation::LinksUnchanged { id, since } => {
            let changed = links_changed(connection, tenant, id)?.is_some_and(|seq| seq > *since);
            changed.then(|| Refusal::LinksChanged { id: id.clone(), since: *since })
        }
        Expectation::NoPath { kind, types, from, to } => {
            let leads = path_leads(connection, tenant, (kind, types), (from, to))?;
            leads.then(|| Refusal::Path { from: from.clone(), to: to.clone() })
        }
    })
}

fn links_changed(connection: &Connection, tenant: &TenantId, id: &str) -> rusqlite::Result<Option<Seq>> {
    let mut statement = connection.prepare_cached("SELECT seq FROM link_changes WHERE tenant = ?1 AND id = ?2")?;
    let seq: Option<i64> = statement.query_row(params![tenant.as_str(), id], |row| row.get(0)).optional()?;
    Ok(seq.map(i64::cast_unsigned))
}

/// Whether a chain of live links leads from one record to another; a record leads to itself.
fn path_leads(
    connection: &Connection,
    tenant: &TenantId,
    (kind, types): (&str, &[String]),
    (from, to): (&str, &str),
) -> rusqlite::Result<bool> {
    let mut statement = connection.prepare_cached(
        "SELECT target, type
           FROM record_versions INDEXED BY live_source
          WHERE tenant = ?1 AND source = ?2 AND kind = ?3 AND to_seq IS NULL",
    )?;
    let (mut seen, mut ahead) = (HashSet::from([from.to_owned()]), vec![from.to_owned()]);
    while let Some(here) = ahead.pop() {
        if here == to {
            return Ok(true);
        }
        let mut rows = statement.query(params![tenant.as_str(), here, kind])?;
        while let Some(row) = rows.next()? {
            let (target, link_type): (String, String) = (row.get(0)?, row.get(1)?);
            if (types.is_empty() || types.contains(&link_type)) && seen.insert(target.clone()) {
                ahead.push(target);
            }
        }
    }
    Ok(false)
}
