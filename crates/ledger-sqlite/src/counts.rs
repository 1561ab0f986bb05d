//! Counts: how many records of a type there are, kept as they come and go.

use std::collections::BTreeMap;

use ledger::{ReadError, Record, RecordKey, Seq};
use rusqlite::{Connection, OptionalExtension, params};
use scope::TenantId;

use crate::effect::Cause;
use crate::point;
use crate::readers::failed;
use crate::record::Newest;

/// What one fact changes about the counts: kind, scope and type with how many more there are.
#[derive(Default)]
pub(crate) struct Tally(BTreeMap<(String, String, String), i64>);

impl Tally {
    /// Notes that a record became another one; either side may be nothing.
    pub(crate) fn shift(&mut self, key: &RecordKey, before: Option<&Newest>, after: Option<&Record>) {
        let before = before.filter(|before| before.listed || before.time.is_some());
        let before = before.map(|before| (before.scope.as_str(), before.r#type.as_str()));
        let after = after.filter(|after| after.is_counted());
        let after = after.map(|after| (after.scope.as_str(), after.r#type.as_str()));
        if before != after {
            before.into_iter().for_each(|place| self.add(key, place, -1));
            after.into_iter().for_each(|place| self.add(key, place, 1));
        }
    }

    fn add(&mut self, key: &RecordKey, (scope, r#type): (&str, &str), many: i64) {
        *self.0.entry((key.kind.clone(), scope.to_owned(), r#type.to_owned())).or_default() += many;
    }

    /// Writes the counts that hold from this fact on.
    pub(crate) fn flush(&mut self, connection: &Connection, cause: Cause<'_>) -> rusqlite::Result<()> {
        for ((kind, scope, r#type), many) in std::mem::take(&mut self.0).into_iter().filter(|(_, many)| *many != 0) {
            let mut last = connection.prepare_cached(
                "SELECT count
                   FROM record_counts
                  WHERE tenant = ?1 AND kind = ?2 AND scope = ?3 AND type = ?4
                  ORDER BY seq DESC
                  LIMIT 1",
            )?;
            let tenant = cause.tenant.as_str();
            let counted: Option<i64> =
                last.query_row(params![tenant, kind, scope, r#type], |row| row.get(0)).optional()?;
            let mut insert = connection.prepare_cached(
                "INSERT INTO record_counts (tenant, kind, scope, type, seq, count) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?;
            let count = counted.unwrap_or_default() + many;
            insert.execute(params![tenant, kind, scope, r#type, cause.seq.cast_signed(), count])?;
        }
        Ok(())
    }
}

/// How many records of each type there were at `at`.
pub(crate) fn counts(
    connection: &Connection,
    tenant: &TenantId,
    at: Seq,
    (kind, scope): (&str, &str),
) -> Result<Vec<(String, u64)>, ReadError> {
    point::check(connection, tenant, at)?;
    by_type(connection, tenant, at, (kind, scope)).map_err(failed)
}

fn by_type(
    connection: &Connection,
    tenant: &TenantId,
    at: Seq,
    (kind, scope): (&str, &str),
) -> rusqlite::Result<Vec<(String, u64)>> {
    // From type to type by the index, not over all the counts that a type ever had.
    let mut statement = connection.prepare_cached(
        "WITH RECURSIVE types (type) AS (
             SELECT min(type) FROM record_counts WHERE tenant = ?1 AND kind = ?2 AND scope = ?3
              UNION ALL
             SELECT (SELECT min(type) FROM record_counts WHERE tenant = ?1 AND kind = ?2 AND scope = ?3 AND type > types.type)
               FROM types
              WHERE types.type IS NOT NULL)
         SELECT type, (SELECT count
                         FROM record_counts
                        WHERE tenant = ?1 AND kind = ?2 AND scope = ?3 AND type = types.type AND seq <= ?4
                        ORDER BY seq DESC
                        LIMIT 1)
           FROM types
          WHERE type IS NOT NULL",
    )?;
    let mut counts = Vec::new();
    let mut rows = statement.query(params![tenant.as_str(), kind, scope, at.cast_signed()])?;
    while let Some(row) = rows.next()? {
        let count = row.get::<_, Option<i64>>(1)?.unwrap_or_default().cast_unsigned();
        if count > 0 {
            counts.push((row.get(0)?, count));
        }
    }
    Ok(counts)
}
