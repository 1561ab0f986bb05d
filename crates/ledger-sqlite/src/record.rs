//! Record rows: how a version is written, ended and read back.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use ledger::{Ends, Record, RecordKey, RecordVersion, Seq, UniqueName};
use rusqlite::{Connection, OptionalExtension, Row, params};
use scope::{TenantId, Timestamp};

/// The newest version of a record, live or not.
pub(crate) struct Newest {
    pub slot: i64,
    pub version: u64,
    pub from_seq: Seq,
    pub live: bool,
    pub scope: String,
    pub r#type: String,
    pub listed: bool,
    pub source: Option<String>,
    pub target: Option<String>,
    /// JSON, as stored.
    pub tags: String,
    /// JSON, as stored.
    pub uniques: String,
}

/// The newest version of a record, or nothing if there never was one.
fn newest(connection: &Connection, tenant: &TenantId, key: &RecordKey) -> rusqlite::Result<Option<Newest>> {
    let mut statement = connection.prepare_cached(
        "SELECT slot, version, from_seq, to_seq IS NULL, scope, type, listed, source, target, tags, uniques
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
                 source, target, tags, uniques, text, body, listed)
         VALUES (?1, ?2, ?3, ?4, ?5, NULL, 0, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)",
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

/// The record as it was at `at`, or nothing if it was not live then.
pub(crate) fn version_at(
    connection: &Connection,
    tenant: &TenantId,
    key: &RecordKey,
    at: Seq,
) -> rusqlite::Result<Option<RecordVersion>> {
    let mut statement = connection.prepare_cached(
        "SELECT kind, id, version, from_seq, at, scope, type, status, name, time, source, target, tags, uniques, text, body,
                listed, to_seq
           FROM record_versions INDEXED BY history
          WHERE tenant = ?1 AND kind = ?2 AND id = ?3 AND from_seq <= ?4
          ORDER BY from_seq DESC, version DESC
          LIMIT 1",
    )?;
    let at = at.cast_signed();
    let newest = statement.query_row(params![tenant.as_str(), key.kind, key.id, at], |row| visible(row, at)).optional();
    Ok(newest?.flatten())
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

/// The version in a slot.
pub(crate) fn in_slot(connection: &Connection, slot: i64) -> rusqlite::Result<RecordVersion> {
    Ok(in_slots(connection, &[slot])?.remove(0))
}

/// The versions in these slots, in order.
pub(crate) fn in_slots(connection: &Connection, slots: &[i64]) -> rusqlite::Result<Vec<RecordVersion>> {
    let mut statement = connection.prepare_cached(
        "SELECT kind, id, version, from_seq, at, scope, type, status, name, time, source, target, tags, uniques, text, body,
                listed
           FROM record_versions
          WHERE slot = ?1",
    )?;
    slots.iter().map(|slot| statement.query_row([slot], from_row)).collect()
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

fn damaged(error: serde_json::Error) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(0, rusqlite::types::Type::Text, Box::new(error))
}
