//! Effects: what a fact does to the rows. The writer and the replay of `verify` share this code, so both
//! make the same rows.

use ledger::words::words;
use ledger::{Effect, Record, RecordKey, Seq};
use rusqlite::{Connection, params};
use scope::{TenantId, Timestamp};

use crate::counts::Tally;
use crate::fields::{self, Lists};
use crate::record::{self, Newest, Seen};

/// The fact whose effects are written.
#[derive(Clone, Copy)]
pub(crate) struct Cause<'a> {
    pub tenant: &'a TenantId,
    /// Marks the tenant's words in the search index.
    pub tenant_number: i64,
    pub seq: Seq,
    pub at: Timestamp,
}

/// What is known while a change is written.
#[derive(Default)]
pub(crate) struct Notes<'c> {
    pub seen: Seen<'c>,
    pub tally: Tally,
    pub lists: Lists,
}

/// Writes what one effect does to records, tags, fields, links and words, and notes what it does to the counts. Returns the
/// unique names (JSON) that the record held before; [`crate::names`] settles them when the whole change is written.
pub(crate) fn apply(
    connection: &Connection,
    cause: Cause<'_>,
    effect: &Effect,
    notes: &mut Notes<'_>,
) -> rusqlite::Result<Option<String>> {
    match effect {
        Effect::Put(record) => put(connection, cause, record, notes),
        Effect::End(key) => end(connection, cause, key, notes),
    }
}

fn put(
    connection: &Connection,
    cause: Cause<'_>,
    after: &Record,
    notes: &mut Notes<'_>,
) -> rusqlite::Result<Option<String>> {
    let key = &after.key;
    let newest = notes.seen.take(connection, cause.tenant, key)?;
    let version = newest.as_ref().map_or(1, |newest| newest.version + 1);
    let live = newest.filter(|newest| newest.live);
    if let Some(before) = &live {
        close(connection, cause, key, before)?;
    }
    let slot = record::insert(connection, cause.tenant, after, version, (cause.seq, cause.at))?;
    let tags = live.as_ref().map_or("[]", |before| &before.tags);
    let scope = live.as_ref().map_or(after.scope.as_str(), |before| &before.scope);
    retag(connection, cause, key, (scope, tags), (&after.scope, &after.tags))?;
    if let Some(ends) = &after.ends {
        touch_link(connection, cause, Some(&ends.source), Some(&ends.target))?;
    }
    fields::shift(connection, cause, key, (live.as_ref(), Some(after)), &mut notes.lists)?;
    notes.tally.shift(key, live.as_ref(), Some(after));
    index_words(connection, cause, slot, &after.text)?;
    Ok(live.map(|before| before.uniques))
}

fn end(
    connection: &Connection,
    cause: Cause<'_>,
    key: &RecordKey,
    notes: &mut Notes<'_>,
) -> rusqlite::Result<Option<String>> {
    let Some(before) = notes.seen.take(connection, cause.tenant, key)?.filter(|newest| newest.live) else {
        return Ok(None);
    };
    close(connection, cause, key, &before)?;
    record::insert_deletion(connection, cause.tenant, key, &before, (cause.seq, cause.at))?;
    retag(connection, cause, key, (&before.scope, &before.tags), (&before.scope, &[]))?;
    fields::shift(connection, cause, key, (Some(&before), None), &mut notes.lists)?;
    notes.tally.shift(key, Some(&before), None);
    Ok(Some(before.uniques))
}

/// Ends a live version: its row, its tags and its links are of the past from here on.
fn close(connection: &Connection, cause: Cause<'_>, key: &RecordKey, before: &Newest) -> rusqlite::Result<()> {
    record::close(connection, before.slot, cause.seq)?;
    // What ends where it began was never visible, and nobody looks for its tags.
    if before.from_seq < cause.seq {
        keep_tags(connection, cause, key, before)?;
    }
    touch_link(connection, cause, before.source.as_deref(), before.target.as_deref())
}

/// Keeps the tags of a version that ends, for listings of the past.
fn keep_tags(connection: &Connection, cause: Cause<'_>, key: &RecordKey, before: &Newest) -> rusqlite::Result<()> {
    let mut keep = connection.prepare_cached(
        "INSERT INTO ended_tags (tenant, kind, scope, tag, id, from_seq, to_seq, slot)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT DO NOTHING",
    )?;
    let (from, to) = (before.from_seq.cast_signed(), cause.seq.cast_signed());
    for tag in record::parse_tags(&before.tags)? {
        keep.execute(params![cause.tenant.as_str(), key.kind, before.scope, tag, key.id, from, to, before.slot])?;
    }
    Ok(())
}

/// Moves the record from its old tags to its new ones.
fn retag(
    connection: &Connection,
    cause: Cause<'_>,
    key: &RecordKey,
    (scope_before, before): (&str, &str),
    (scope_after, after): (&str, &[String]),
) -> rusqlite::Result<()> {
    if (before == "[]" && after.is_empty()) || (scope_before == scope_after && before == record::tags_json(after)) {
        return Ok(());
    }
    let mut remove = connection.prepare_cached(
        "DELETE FROM record_tags WHERE tenant = ?1 AND kind = ?2 AND scope = ?3 AND tag = ?4 AND id = ?5",
    )?;
    for tag in record::parse_tags(before)? {
        remove.execute(params![cause.tenant.as_str(), key.kind, scope_before, tag, key.id])?;
    }
    let mut add = connection.prepare_cached(
        "INSERT INTO record_tags (tenant, kind, scope, tag, id) VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING",
    )?;
    for tag in after {
        add.execute(params![cause.tenant.as_str(), key.kind, scope_after, tag, key.id])?;
    }
    Ok(())
}

/// Notes that the links at these records changed.
fn touch_link(
    connection: &Connection,
    cause: Cause<'_>,
    source: Option<&str>,
    target: Option<&str>,
) -> rusqlite::Result<()> {
    for id in [source, target].into_iter().flatten() {
        let row = params![cause.tenant.as_str(), id, cause.seq.cast_signed()];
        let mut update = connection.prepare_cached("UPDATE link_changes SET seq = ?3 WHERE tenant = ?1 AND id = ?2")?;
        if update.execute(row)? == 0 {
            let mut insert =
                connection.prepare_cached("INSERT INTO link_changes (tenant, id, seq) VALUES (?1, ?2, ?3)")?;
            insert.execute(row)?;
        }
    }
    Ok(())
}

fn index_words(connection: &Connection, cause: Cause<'_>, slot: i64, text: &str) -> rusqlite::Result<()> {
    if text.is_empty() {
        return Ok(());
    }
    let mut marked = String::with_capacity(text.len() + text.len() / 2);
    for word in words(text) {
        marked.push_str(&marked_word(cause.tenant_number, &word));
        marked.push(' ');
    }
    let mut statement = connection.prepare_cached("INSERT INTO search (rowid, words) VALUES (?1, ?2)")?;
    statement.execute(params![slot, marked])?;
    Ok(())
}

/// A word as the index knows it: letters and digits only, so it has no meaning in the query language.
pub(crate) fn marked_word(tenant_number: i64, word: &str) -> String {
    format!("{tenant_number}x{word}")
}
