//! Unique names: who holds which, judged and written for a change as a whole.
//!
//! Inside a change names may move freely between records; only its outcome counts. So claims are checked
//! against the outcome before anything is written, and names are given up before others are taken.

use std::collections::HashMap;

use ledger::{Change, Effect, RecordKey, Refusal, UniqueName};
use rusqlite::{Connection, OptionalExtension, params};
use scope::TenantId;

use crate::record;

/// A name that the change claims while another record keeps it.
pub(crate) fn taken(connection: &Connection, change: &Change) -> rusqlite::Result<Option<Refusal>> {
    let effects = || change.facts.iter().flat_map(|(_, effects)| effects);
    if effects().all(|effect| names_after(effect).is_empty()) {
        return Ok(None);
    }
    let outcome: HashMap<&RecordKey, &Effect> = effects().map(|effect| (key_of(effect), effect)).collect();
    let keeps = |key: &RecordKey, name: &UniqueName| outcome.get(key).map(|effect| names_after(effect).contains(name));
    let mut claimed: HashMap<&UniqueName, &RecordKey> = HashMap::new();
    // In the order of the change, so that the same change is always refused for the same name.
    for (key, name) in effects().flat_map(|effect| names_after(effect).iter().map(move |name| (key_of(effect), name))) {
        if keeps(key, name) != Some(true) {
            continue;
        }
        let refusal = |holder: &RecordKey| Some(Refusal::NameTaken { name: name.clone(), holder: holder.id.clone() });
        if let Some(other) = claimed.insert(name, key).filter(|other| *other != key) {
            return Ok(refusal(other));
        }
        match holder(connection, &change.tenant, name)? {
            Some(holder) if holder != *key && keeps(&holder, name) != Some(false) => return Ok(refusal(&holder)),
            _ => {}
        }
    }
    Ok(None)
}

/// Gives up and takes names after all effects of a change, each with the names (JSON) its record held before.
pub(crate) fn settle(
    connection: &Connection,
    tenant: &TenantId,
    effects: &[(&Effect, Option<String>)],
) -> rusqlite::Result<()> {
    let idle = |(effect, before): &(&Effect, Option<String>)| {
        names_after(effect).is_empty() && before.as_deref().is_none_or(|before| before == "[]")
    };
    if effects.iter().all(idle) {
        return Ok(());
    }
    // What the record held before its first effect, and what it holds after its last.
    let mut moves: HashMap<&RecordKey, (Option<&str>, &[UniqueName])> = HashMap::new();
    for (effect, before) in effects {
        let entry = moves.entry(key_of(effect)).or_insert((before.as_deref(), &[]));
        entry.1 = names_after(effect);
    }
    // First all releases, then all claims: a name may move within the change.
    let mut claims = Vec::new();
    for (key, (before, after)) in moves {
        let before = record::parse_uniques(before.unwrap_or("[]"))?;
        before
            .iter()
            .filter(|name| !after.contains(name))
            .try_for_each(|name| release(connection, tenant, key, name))?;
        claims.extend(after.iter().filter(|name| !before.contains(name)).map(|name| (key, name)));
    }
    claims.into_iter().try_for_each(|(key, name)| claim(connection, tenant, key, name))
}

/// Takes all names that live records hold, into an empty table.
pub(crate) fn hold_all(connection: &Connection, tenant: &TenantId) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(
        "SELECT kind, id, uniques FROM record_versions WHERE tenant = ?1 AND to_seq IS NULL AND uniques <> '[]'",
    )?;
    let mut rows = statement.query([tenant.as_str()])?;
    while let Some(row) = rows.next()? {
        let key = RecordKey { kind: row.get(0)?, id: row.get(1)? };
        let names = record::parse_uniques(row.get_ref(2)?.as_str()?)?;
        names.iter().try_for_each(|name| claim(connection, tenant, &key, name))?;
    }
    Ok(())
}

fn release(connection: &Connection, tenant: &TenantId, key: &RecordKey, name: &UniqueName) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(
        "DELETE FROM unique_names WHERE tenant = ?1 AND space = ?2 AND name = ?3 AND kind = ?4 AND id = ?5",
    )?;
    statement.execute(params![tenant.as_str(), name.space, name.name, key.kind, key.id])?;
    Ok(())
}

fn claim(connection: &Connection, tenant: &TenantId, key: &RecordKey, name: &UniqueName) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO unique_names (tenant, space, name, kind, id) VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING",
    )?;
    statement.execute(params![tenant.as_str(), name.space, name.name, key.kind, key.id])?;
    Ok(())
}

fn holder(connection: &Connection, tenant: &TenantId, name: &UniqueName) -> rusqlite::Result<Option<RecordKey>> {
    let mut statement = connection
        .prepare_cached("SELECT kind, id FROM unique_names WHERE tenant = ?1 AND space = ?2 AND name = ?3")?;
    let read = |row: &rusqlite::Row<'_>| Ok(RecordKey { kind: row.get(0)?, id: row.get(1)? });
    statement.query_row(params![tenant.as_str(), name.space, name.name], read).optional()
}

fn key_of(effect: &Effect) -> &RecordKey {
    match effect {
        Effect::Put(record) => &record.key,
        Effect::End(key) => key,
    }
}

fn names_after(effect: &Effect) -> &[UniqueName] {
    match effect {
        Effect::Put(record) => &record.unique,
        Effect::End(_) => &[],
    }
}
