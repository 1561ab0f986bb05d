//! Fields: which keys records have, in lists that finds walk.
//!
//! A list is of one field, type and scope. A record that changes pays for the keys that it gains and loses; the others stay where
//! they are, with the number of the fact that brought them.

use std::collections::HashMap;

use ledger::{FieldKey, Record, RecordKey};
use rusqlite::{Connection, OptionalExtension, params};
use scope::TenantId;

use crate::effect::Cause;
use crate::record::Newest;

/// The time of a record that has none.
pub(crate) const NO_TIME: i64 = i64::MIN;

/// Moves a record from the keys it had to those it has; either side may be nothing.
pub(crate) fn shift(
    connection: &Connection,
    cause: Cause<'_>,
    key: &RecordKey,
    (before, after): (Option<&Newest>, Option<&Record>),
    lists: &mut Lists,
) -> rusqlite::Result<()> {
    let had = before.map_or("[]", |before| &before.fields);
    let has = after.map_or(&[][..], |after| &after.fields);
    if had == "[]" && has.is_empty() {
        return Ok(());
    }
    let stays = match (before, after) {
        (Some(before), Some(after)) => {
            before.scope == after.scope && before.r#type == after.r#type && before.time == after.time.map(|time| time.0)
        }
        _ => false,
    };
    if stays && had == fields_json(has) {
        return Ok(());
    }
    let had = parse_fields(had)?;
    if let Some(before) = before {
        let place = Place { scope: &before.scope, r#type: &before.r#type, time: before.time.unwrap_or(NO_TIME) };
        for (field, lost) in had.iter().filter(|entry| !stays || !has.contains(entry)) {
            let Some(list) = lists.find(connection, cause.tenant, &key.kind, place, field)? else { continue };
            end(connection, cause, key, place, (list, lost))?;
        }
    }
    if let Some(after) = after {
        let time = after.time.map_or(NO_TIME, |time| time.0);
        let place = Place { scope: &after.scope, r#type: &after.r#type, time };
        for (field, gained) in has.iter().filter(|entry| !stays || !had.contains(entry)) {
            let list = lists.find_or_make(connection, cause.tenant, &key.kind, place, field)?;
            begin(connection, cause, key, place, (list, gained))?;
        }
    }
    Ok(())
}

/// Where a record stands, apart from its keys.
#[derive(Clone, Copy)]
struct Place<'a> {
    scope: &'a str,
    r#type: &'a str,
    time: i64,
}

/// The numbers of the lists that a change came by, so that a batch looks each up once. A list stays once it is there.
#[derive(Default)]
pub(crate) struct Lists(HashMap<[String; 4], i64>);

impl Lists {
    fn find(
        &mut self,
        connection: &Connection,
        tenant: &TenantId,
        kind: &str,
        place: Place<'_>,
        field: &str,
    ) -> rusqlite::Result<Option<i64>> {
        let name = [kind, place.scope, place.r#type, field].map(str::to_owned);
        if let Some(known) = self.0.get(&name) {
            return Ok(Some(*known));
        }
        let found = list(connection, tenant, kind, place, field)?;
        self.0.extend(found.map(|number| (name, number)));
        Ok(found)
    }

    fn find_or_make(
        &mut self,
        connection: &Connection,
        tenant: &TenantId,
        kind: &str,
        place: Place<'_>,
        field: &str,
    ) -> rusqlite::Result<i64> {
        if let Some(found) = self.find(connection, tenant, kind, place, field)? {
            return Ok(found);
        }
        let mut insert = connection
            .prepare_cached("INSERT INTO field_lists (tenant, kind, scope, field, type) VALUES (?1, ?2, ?3, ?4, ?5)")?;
        insert.insert(params![tenant.as_str(), kind, place.scope, field, place.r#type])
    }
}

fn begin(
    connection: &Connection,
    cause: Cause<'_>,
    key: &RecordKey,
    place: Place<'_>,
    (list, gained): (i64, &FieldKey),
) -> rusqlite::Result<()> {
    let mut insert = connection.prepare_cached(
        "INSERT INTO live_fields (list, key, time, id, from_seq) VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING",
    )?;
    insert.execute(params![list, gained.as_str(), place.time, key.id, cause.seq.cast_signed()])?;
    Ok(())
}

fn end(
    connection: &Connection,
    cause: Cause<'_>,
    key: &RecordKey,
    place: Place<'_>,
    (list, lost): (i64, &FieldKey),
) -> rusqlite::Result<()> {
    let at = params![list, lost.as_str(), place.time, key.id];
    let mut since = connection
        .prepare_cached("SELECT from_seq FROM live_fields WHERE list = ?1 AND key = ?2 AND time = ?3 AND id = ?4")?;
    let Some(from): Option<i64> = since.query_row(at, |row| row.get(0)).optional()? else { return Ok(()) };
    let mut remove =
        connection.prepare_cached("DELETE FROM live_fields WHERE list = ?1 AND key = ?2 AND time = ?3 AND id = ?4")?;
    remove.execute(at)?;
    // What ends where it began was never visible.
    if from < cause.seq.cast_signed() {
        let mut keep = connection.prepare_cached(
            "INSERT INTO ended_fields (list, key, time, id, from_seq, to_seq) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?;
        keep.execute(params![list, lost.as_str(), place.time, key.id, from, cause.seq.cast_signed()])?;
    }
    Ok(())
}

fn list(
    connection: &Connection,
    tenant: &TenantId,
    kind: &str,
    place: Place<'_>,
    field: &str,
) -> rusqlite::Result<Option<i64>> {
    let mut statement = connection.prepare_cached(
        "SELECT number FROM field_lists WHERE tenant = ?1 AND kind = ?2 AND scope = ?3 AND field = ?4 AND type = ?5",
    )?;
    statement.query_row(params![tenant.as_str(), kind, place.scope, field, place.r#type], |row| row.get(0)).optional()
}

/// The lists of a field in a scope, of one type or of all.
pub(crate) fn lists(
    connection: &Connection,
    tenant: &TenantId,
    (kind, scope): (&str, &str),
    field: &str,
    wanted: Option<&str>,
) -> rusqlite::Result<Vec<i64>> {
    if let Some(wanted) = wanted {
        let place = Place { scope, r#type: wanted, time: NO_TIME };
        return Ok(list(connection, tenant, kind, place, field)?.into_iter().collect());
    }
    let mut statement = connection.prepare_cached(
        "SELECT number FROM field_lists WHERE tenant = ?1 AND kind = ?2 AND scope = ?3 AND field = ?4 ORDER BY type",
    )?;
    statement.query_map(params![tenant.as_str(), kind, scope, field], |row| row.get(0))?.collect()
}

pub(crate) fn fields_json(fields: &[(String, FieldKey)]) -> String {
    if fields.is_empty() { "[]".to_owned() } else { serde_json::to_string(fields).expect("texts are JSON") }
}

pub(crate) fn parse_fields(json: &str) -> rusqlite::Result<Vec<(String, FieldKey)>> {
    if json == "[]" { Ok(Vec::new()) } else { serde_json::from_str(json).map_err(crate::record::damaged) }
}
