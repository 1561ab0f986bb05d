//! Record rows: how a version is written, ended and read back.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use ledger::{Ends, Record, RecordKey, RecordVersion, Seq, UniqueName};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Row, params};
use scope::{TenantId, Timestamp};

use crate::fields::fields_json;

/// The newest version of a record, live or not.
pub(crate) struct Newest {
    pub slot: i64,
    pub version: u64,
    pub from_seq: Seq,
    pub live: bool,
    pub scope: String,
    pub r#type: String,
    pub listed: bool,
    pub time: Option<i64>,
    pub source: Option<String>,
    pub target: Option<String>,
    /// JSON, as stored.
    pub tags: String,
    /// JSON, as stored.
    pub fields: String,
    /// JSON, as stored.
    pub uniques: String,
}

/// The newest version of a record, or nothing if there never was one.
fn newest(connection: &Connection, tenant: &TenantId, key: &RecordKey) -> rusqlite::Result<Option<Newest>> {
    let mut statement = connection.prepare_cached(
        "SELECT slot, version, from_seq, to_seq IS NULL, scope, type, listed, source, target, tags, uniques, time, fields
           FROM record_versions INDEXED BY history
          WHERE tenant = ?1 AND kind = ?2 AND id = ?3
          ORDER BY from_seq DESC, version DESC
          LIMIT 1",
    )?;
    let read = |row: &Row<'_>| {
        Ok(Newest {
            slot: row.get(0)?,
            version: row.get::<_, i64>(1)?.cast_unsigned(),
            from_seq: row.get::<_, i64>(2)?.cast_unsigned(),
            live: row.get(3)?,
            scope: row.get(4)?,
            r#type: row.get(5)?,
            listed: row.get(6)?,
            source: row.get(7)?,
            target: row.get(8)?,
            tags: row.get(9)?,
            uniques: row.get(10)?,
            time: row.get(11)?,
            fields: row.get(12)?,
        })
    };
    statement.query_row(params![tenant.as_str(), key.kind, key.id], read).optional()
}

/// The newest versions that a change has looked at and not yet written to, so that none is looked up twice.
#[derive(Default)]
pub(crate) struct Seen<'c>(HashMap<&'c RecordKey, Option<Newest>>);

impl<'c> Seen<'c> {
    /// Looks at a record, and remembers it.
    pub(crate) fn look(
        &mut self,
        connection: &Connection,
        tenant: &TenantId,
        key: &'c RecordKey,
    ) -> rusqlite::Result<Option<&Newest>> {
        Ok(match self.0.entry(key) {
            Entry::Occupied(seen) => seen.into_mut(),
            Entry::Vacant(unseen) => unseen.insert(newest(connection, tenant, key)?),
        }
        .as_ref())
    }

    /// Looks at a record that is about to be written, and forgets it.
    pub(crate) fn take(
        &mut self,
        connection: &Connection,
        tenant: &TenantId,
        key: &RecordKey,
    ) -> rusqlite::Result<Option<Newest>> {
        match self.0.remove(key) {
            Some(seen) => Ok(seen),
            None => newest(connection, tenant, key),
        }
    }
}

/// Writes a live version and returns its slot.
pub(crate) fn insert(
    connection: &Connection,
    tenant: &TenantId,
    record: &Record,
    version: u64,
    (seq, at): (Seq, Timestamp),
) -> rusqlite::Result<i64> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO record_versions
                (tenant, kind, id, version, from_seq, to_seq, deleted, at, scope, type, status, name, time,
                 source, target, tags, uniques, text, body, listed, fields)
         VALUES (?1, ?2, ?3, ?4, ?5, NULL, 0, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)",
    )?;
    let ends = record.ends.as_ref();
    statement.insert(params![
        tenant.as_str(),
        record.key.kind,
        record.key.id,
        version.cast_signed(),
        seq.cast_signed(),
        at.0,
        record.scope,
        record.r#type,
        record.status,
        record.name,
        record.time.map(|time| time.0),
        ends.map(|ends| &ends.source),
        ends.map(|ends| &ends.target),
        tags_json(&record.tags),
        uniques_json(&record.unique),
        record.text,
        record.body,
        record.listed,
        fields_json(&record.fields),
    ])
}

/// Writes the version that tells of a deletion. It keeps scope, type and sort, and nothing it could be found by.
pub(crate) fn insert_deletion(
    connection: &Connection,
    tenant: &TenantId,
    key: &RecordKey,
    newest: &Newest,
    (seq, at): (Seq, Timestamp),
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO record_versions
                (tenant, kind, id, version, from_seq, to_seq, deleted, at, scope, type, tags, uniques, text, body, listed)
         VALUES (?1, ?2, ?3, ?4, ?5, ?5, 1, ?6, ?7, ?8, '[]', '[]', '', '', ?9)",
    )?;
    let (version, seq) = ((newest.version + 1).cast_signed(), seq.cast_signed());
    let Newest { scope, r#type, listed, .. } = newest;
    statement.execute(params![tenant.as_str(), key.kind, key.id, version, seq, at.0, scope, r#type, listed])?;
    Ok(())
}

/// Says until when a version was live.
pub(crate) fn close(connection: &Connection, slot: i64, seq: Seq) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached("UPDATE record_versions SET to_seq = ?2 WHERE slot = ?1")?;
    statement.execute(params![slot, seq.cast_signed()])?;
    Ok(())
}

/// The records as they were at `at`, in order, and the tenant's last fact; nothing where a record was not live then. One
/// statement looks at all, which costs less than one for each and shows one moment.
pub(crate) fn versions_at(
    connection: &Connection,
    tenant: &TenantId,
    keys: &[RecordKey],
    at: Seq,
) -> rusqlite::Result<(Vec<Option<RecordVersion>>, Seq)> {
    // The newest version up to the point is the only one that can be visible there.
    let mut statement = connection.prepare_cached(
        "SELECT v.kind, v.id, v.version, v.from_seq, v.at, v.scope, v.type, v.status, v.name, v.time, v.source, v.target,
                v.tags, v.uniques, v.text, v.body, v.listed, v.to_seq, (SELECT head FROM tenants WHERE tenant = ?2)
           FROM json_each(?1) AS wanted
           LEFT JOIN record_versions AS v
                  ON v.slot = (SELECT slot
                                 FROM record_versions INDEXED BY history
                                WHERE tenant = ?2 AND kind = wanted.value AND id = wanted.key AND from_seq <= ?3
                                ORDER BY from_seq DESC, version DESC
                                LIMIT 1)",
    )?;
    let (at, mut head) = (at.cast_signed(), 0);
    let mut found = Vec::with_capacity(keys.len());
    let mut rows = statement.query(params![ids_with_kinds(keys), tenant.as_str(), at])?;
    while let Some(row) = rows.next()? {
        let is_there = row.get_ref(0)? != ValueRef::Null;
        found.push(if is_there { visible(row, at)? } else { None });
        head = row.get::<_, Option<i64>>(18)?.unwrap_or_default();
    }
    Ok((found, head.cast_unsigned()))
}

/// A JSON object with the kind of each record under its id. That an id may stand there twice is no matter to SQLite.
fn ids_with_kinds(keys: &[RecordKey]) -> String {
    let mut json = Vec::with_capacity(64 * keys.len());
    let entries = keys.iter().map(|key| (&key.id, &key.kind));
    serde::Serializer::collect_map(&mut serde_json::Serializer::new(&mut json), entries).expect("texts are JSON");
    String::from_utf8(json).expect("JSON is UTF-8")
}

/// The version of a row whose `to_seq` is the column after those of the version, if it is visible at `at`.
fn visible(row: &Row<'_>, at: i64) -> rusqlite::Result<Option<RecordVersion>> {
    let to_seq: Option<i64> = row.get(17)?;
    if to_seq.is_none_or(|to_seq| to_seq > at) { from_row(row).map(Some) } else { Ok(None) }
}

/// The record as it was at `at`, and the tenant's last fact, or nothing if the record had no version until then.
pub(crate) fn version_and_head(
    connection: &Connection,
    tenant: &TenantId,
    key: &RecordKey,
    at: Seq,
) -> rusqlite::Result<Option<(Option<RecordVersion>, Seq)>> {
    // The newest version up to the point is the only one that can be visible there.
    let mut statement = connection.prepare_cached(
        "SELECT kind, id, version, from_seq, at, scope, type, status, name, time, source, target, tags, uniques, text, body,
                listed, to_seq, (SELECT head FROM tenants WHERE tenant = ?1)
           FROM record_versions INDEXED BY history
          WHERE tenant = ?1 AND kind = ?2 AND id = ?3 AND from_seq <= ?4
          ORDER BY from_seq DESC, version DESC
          LIMIT 1",
    )?;
    let at = at.cast_signed();
    let read = |row: &Row<'_>| Ok((visible(row, at)?, row.get::<_, i64>(18)?.cast_unsigned()));
    statement.query_row(params![tenant.as_str(), key.kind, key.id, at], read).optional()
}

/// The versions in these slots, in order. One statement walks the list: a statement for each costs more than its row.
pub(crate) fn in_slots(connection: &Connection, slots: &[i64]) -> rusqlite::Result<Vec<RecordVersion>> {
    let mut statement = connection.prepare_cached(
        "SELECT kind, id, version, from_seq, at, scope, type, status, name, time, source, target, tags, uniques, text, body,
                listed
           FROM (SELECT value AS wanted FROM json_each(?1))
          CROSS JOIN record_versions ON slot = wanted",
    )?;
    let list = serde_json::to_string(slots).expect("numbers are JSON");
    let mut found = Vec::with_capacity(slots.len());
    let mut rows = statement.query([list])?;
    while let Some(row) = rows.next()? {
        found.push(from_row(row)?);
    }
    if found.len() < slots.len() { Err(rusqlite::Error::QueryReturnedNoRows) } else { Ok(found) }
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<RecordVersion> {
    let (source, target): (Option<String>, Option<String>) = (row.get(10)?, row.get(11)?);
    let record = Record {
        key: RecordKey { kind: row.get(0)?, id: row.get(1)? },
        scope: row.get(5)?,
        r#type: row.get(6)?,
        status: row.get(7)?,
        name: row.get(8)?,
        time: row.get::<_, Option<i64>>(9)?.map(Timestamp),
        ends: source.zip(target).map(|(source, target)| Ends { source, target }),
        tags: parse_tags(row.get_ref(12)?.as_str()?)?,
        // For finding only.
        fields: Vec::new(),
        unique: parse_uniques(row.get_ref(13)?.as_str()?)?,
        text: row.get(14)?,
        body: row.get(15)?,
        listed: row.get(16)?,
    };
    Ok(RecordVersion {
        record,
        version: row.get::<_, i64>(2)?.cast_unsigned(),
        seq: row.get::<_, i64>(3)?.cast_unsigned(),
        at: Timestamp(row.get(4)?),
    })
}

pub(crate) fn tags_json(tags: &[String]) -> String {
    if tags.is_empty() { "[]".to_owned() } else { serde_json::to_string(tags).expect("texts are JSON") }
}

pub(crate) fn uniques_json(names: &[UniqueName]) -> String {
    if names.is_empty() { "[]".to_owned() } else { serde_json::to_string(names).expect("texts are JSON") }
}

pub(crate) fn parse_tags(json: &str) -> rusqlite::Result<Vec<String>> {
    if json == "[]" { Ok(Vec::new()) } else { serde_json::from_str(json).map_err(damaged) }
}

pub(crate) fn parse_uniques(json: &str) -> rusqlite::Result<Vec<UniqueName>> {
    if json == "[]" { Ok(Vec::new()) } else { serde_json::from_str(json).map_err(damaged) }
}

pub(crate) fn damaged(error: serde_json::Error) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(0, rusqlite::types::Type::Text, Box::new(error))
}
