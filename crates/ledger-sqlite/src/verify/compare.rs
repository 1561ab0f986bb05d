//! Comparing two databases table by table, row by row, in the order of their keys.

use std::cmp::Ordering;

use ledger::Verification;
use rusqlite::types::Value;
use rusqlite::{Connection, Row, Rows};

use super::DIFFERENCES_MAX;

/// Compares every derived row. Slots are left out, for they number the versions of all tenants as they came; a row that
/// names one is compared by the version it leads to.
pub(super) fn all(stored: &Connection, made: &Connection, found: &mut Verification) -> rusqlite::Result<()> {
    let tables = [
        (
            "record_versions",
            4,
            "SELECT tenant, kind, id, version, from_seq, to_seq, deleted, at, scope, type, status, name, time,
                    source, target, tags, uniques, text, body, listed, fields
               FROM record_versions
              ORDER BY tenant, kind, id, version",
        ),
        ("tenants", 1, "SELECT tenant, number, head, last_at FROM tenants ORDER BY tenant"),
        ("unique_names", 3, "SELECT tenant, space, name, kind, id FROM unique_names ORDER BY tenant, space, name"),
        (
            "record_tags",
            5,
            "SELECT tenant, kind, scope, tag, id FROM record_tags ORDER BY tenant, kind, scope, tag, id",
        ),
        (
            "ended_tags",
            6,
            "SELECT t.tenant, t.kind, t.scope, t.tag, t.id, t.from_seq, t.to_seq, v.version
               FROM ended_tags t
               LEFT JOIN record_versions v ON v.slot = t.slot AND v.tenant = t.tenant AND v.kind = t.kind AND v.id = t.id
              ORDER BY t.tenant, t.kind, t.scope, t.tag, t.id, t.from_seq",
        ),
        (
            "live_fields",
            8,
            "SELECT l.tenant, l.kind, l.scope, l.field, l.type, f.key, f.time, f.id, f.from_seq
               FROM live_fields f
               LEFT JOIN field_lists l ON l.number = f.list
              ORDER BY l.tenant, l.kind, l.scope, l.field, l.type, f.key, f.time, f.id",
        ),
        (
            "ended_fields",
            9,
            "SELECT l.tenant, l.kind, l.scope, l.field, l.type, f.key, f.time, f.id, f.from_seq, f.to_seq
               FROM ended_fields f
               LEFT JOIN field_lists l ON l.number = f.list
              ORDER BY l.tenant, l.kind, l.scope, l.field, l.type, f.key, f.time, f.id, f.from_seq",
        ),
        (
            "record_counts",
            5,
            "SELECT tenant, kind, scope, type, seq, count FROM record_counts ORDER BY tenant, kind, scope, type, seq",
        ),
        ("link_changes", 2, "SELECT tenant, id, seq FROM link_changes ORDER BY tenant, id"),
    ];
    for (table, keys, sql) in tables {
        table_rows(stored, made, (table, keys, sql), found)?;
    }
    words(stored, made, found)
}

/// The search index: which version holds which word.
fn words(stored: &Connection, made: &Connection, found: &mut Verification) -> rusqlite::Result<()> {
    for database in [stored, made] {
        // A view of the index, in the connection's own memory: the file is not touched.
        database.execute_batch(
            "CREATE VIRTUAL TABLE IF NOT EXISTS temp.search_words USING fts5vocab('main', 'search', 'instance')",
        )?;
    }
    let sql = "SELECT w.term, v.tenant, v.kind, v.id, v.version
                 FROM temp.search_words w
                 LEFT JOIN record_versions v ON v.slot = w.doc
                ORDER BY w.term, v.tenant, v.kind, v.id, v.version";
    table_rows(stored, made, ("search", 5, sql), found)
}

fn table_rows(
    stored: &Connection,
    made: &Connection,
    (table, keys, sql): (&str, usize, &str),
    found: &mut Verification,
) -> rusqlite::Result<()> {
    let (mut left, mut right) = (stored.prepare(sql)?, made.prepare(sql)?);
    let columns: Vec<String> = left.column_names().map(str::to_owned).collect();
    let (mut left, mut right) = (left.query([])?, right.query([])?);
    let (mut stored_row, mut made_row) = (next(&mut left, columns.len())?, next(&mut right, columns.len())?);
    while found.differences.len() < DIFFERENCES_MAX {
        match order(stored_row.as_deref(), made_row.as_deref(), keys) {
            None => break,
            Some(Ordering::Less) => {
                let key = show(stored_row.as_deref(), keys);
                found.differences.push(format!("{table} {key}: stored, but no fact makes it"));
                stored_row = next(&mut left, columns.len())?;
            }
            Some(Ordering::Greater) => {
                let key = show(made_row.as_deref(), keys);
                found.differences.push(format!("{table} {key}: missing, though the facts make it"));
                made_row = next(&mut right, columns.len())?;
            }
            Some(Ordering::Equal) => {
                if stored_row != made_row {
                    let changed = changed_columns(&columns, stored_row.as_deref(), made_row.as_deref());
                    let key = show(stored_row.as_deref(), keys);
                    found.differences.push(format!("{table} {key}: {changed} is not what the facts make"));
                }
                stored_row = next(&mut left, columns.len())?;
                made_row = next(&mut right, columns.len())?;
            }
        }
    }
    Ok(())
}

fn next(rows: &mut Rows<'_>, columns: usize) -> rusqlite::Result<Option<Vec<Value>>> {
    let read = |row: &Row<'_>| (0..columns).map(|column| row.get(column)).collect::<rusqlite::Result<Vec<Value>>>();
    rows.next()?.map(read).transpose()
}

/// Which of two rows comes first by its key; nothing when both sides have ended.
fn order(left: Option<&[Value]>, right: Option<&[Value]>, keys: usize) -> Option<Ordering> {
    match (left, right) {
        (None, None) => None,
        (Some(_), None) => Some(Ordering::Less),
        (None, Some(_)) => Some(Ordering::Greater),
        (Some(left), Some(right)) => Some(
            left[..keys]
                .iter()
                .zip(&right[..keys])
                .map(|(left, right)| order_values(left, right))
                .find(|order| order.is_ne())
                .unwrap_or(Ordering::Equal),
        ),
    }
}

/// The order SQLite sorts in, for the types that keys have.
fn order_values(left: &Value, right: &Value) -> Ordering {
    match (left, right) {
        (Value::Null, Value::Null) => Ordering::Equal,
        (Value::Null, _) => Ordering::Less,
        (_, Value::Null) => Ordering::Greater,
        (Value::Integer(left), Value::Integer(right)) => left.cmp(right),
        (Value::Integer(_), _) => Ordering::Less,
        (_, Value::Integer(_)) => Ordering::Greater,
        (Value::Text(left), Value::Text(right)) => left.cmp(right),
        (left, right) => format!("{left:?}").cmp(&format!("{right:?}")),
    }
}

fn show(row: Option<&[Value]>, keys: usize) -> String {
    let text = |value: &Value| match value {
        Value::Text(text) => text.clone(),
        Value::Integer(number) => number.to_string(),
        other => format!("{other:?}"),
    };
    row.unwrap_or_default().iter().take(keys).map(text).collect::<Vec<_>>().join("/")
}

fn changed_columns(columns: &[String], left: Option<&[Value]>, right: Option<&[Value]>) -> String {
    let pairs = left.unwrap_or_default().iter().zip(right.unwrap_or_default());
    let changed: Vec<&str> = columns
        .iter()
        .zip(pairs)
        .filter(|(_, (left, right))| left != right)
        .map(|(column, _)| column.as_str())
        .collect();
    changed.join(", ")
}
