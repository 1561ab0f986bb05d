//! Expectations: what must hold before a change is written. Nothing here writes.

use std::collections::{HashMap, HashSet};

use ledger::{Change, Effect, Expectation, Record, RecordKey, Refusal, Seq, UniqueName};
use rusqlite::{Connection, OptionalExtension, params};
use scope::TenantId;

use crate::record;

/// The first thing that stands against the change, if any.
pub(crate) fn refusal(connection: &Connection, change: &Change) -> rusqlite::Result<Option<Refusal>> {
    for expectation in &change.expectations {
        if let Some(refusal) = check(connection, &change.tenant, expectation)? {
            return Ok(Some(refusal));
        }
    }
    taken_name(connection, change)
}

fn check(connection: &Connection, tenant: &TenantId, expectation: &Expectation) -> rusqlite::Result<Option<Refusal>> {
    let live = |key: &RecordKey| -> rusqlite::Result<Option<u64>> {
        Ok(record::newest(connection, tenant, key)?.filter(|newest| newest.live).map(|newest| newest.version))
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
           FROM record_versions INDEXED BY links_source
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

/// A name that the change claims while another record keeps it. Judged by the outcome of the whole change.
fn taken_name(connection: &Connection, change: &Change) -> rusqlite::Result<Option<Refusal>> {
    let effects = || change.facts.iter().flat_map(|(_, effects)| effects);
    if effects().all(|effect| {
        matches!(effect, Effect::Put(record) if record.unique.is_empty()) || matches!(effect, Effect::End(_))
    }) {
        return Ok(None);
    }
    let mut outcome: HashMap<&RecordKey, Option<&Record>> = HashMap::new();
    for effect in effects() {
        match effect {
            Effect::Put(record) => outcome.insert(&record.key, Some(record)),
            Effect::End(key) => outcome.insert(key, None),
        };
    }
    let mut claimed: HashMap<&UniqueName, &RecordKey> = HashMap::new();
    // In the order of the change, so that the same change is always refused for the same name.
    for (record, name) in
        effects().filter_map(put_record).flat_map(|record| record.unique.iter().map(move |name| (record, name)))
    {
        if !outcome.get(&record.key).copied().flatten().is_some_and(|last| last.unique.contains(name)) {
            continue;
        }
        let taken = |holder: &RecordKey| Some(Refusal::NameTaken { name: name.clone(), holder: holder.id.clone() });
        if let Some(other) = claimed.insert(name, &record.key).filter(|other| **other != record.key) {
            return Ok(taken(other));
        }
        if let Some(holder) = holder(connection, &change.tenant, name)?.filter(|holder| *holder != record.key) {
            let kept =
                outcome.get(&holder).is_none_or(|after| after.is_some_and(|record| record.unique.contains(name)));
            if kept {
                return Ok(taken(&holder));
            }
        }
    }
    Ok(None)
}

fn put_record(effect: &Effect) -> Option<&Record> {
    match effect {
        Effect::Put(record) => Some(record),
        Effect::End(_) => None,
    }
}

fn holder(connection: &Connection, tenant: &TenantId, name: &UniqueName) -> rusqlite::Result<Option<RecordKey>> {
    let mut statement = connection
        .prepare_cached("SELECT kind, id FROM unique_names WHERE tenant = ?1 AND space = ?2 AND name = ?3")?;
    statement
        .query_row(params![tenant.as_str(), name.space, name.name], |row| {
            Ok(RecordKey { kind: row.get(0)?, id: row.get(1)? })
        })
        .optional()
}
