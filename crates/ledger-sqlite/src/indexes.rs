//! What search keeps: rows and vectors, written between commits in transactions of their own.

use std::collections::BTreeMap;

use futures::FutureExt;
use futures::future::BoxFuture;
use ledger::{CommitError, DocumentRows, IndexBatch, IndexState, KeptRow, ReadError, SearchStore};
use rusqlite::{Connection, OptionalExtension, Row, params};
use scope::TenantId;
use tokio::sync::oneshot;

use crate::readers::failed;
use crate::writer::Job;
use crate::{SqliteLedger, stopped_midway};

/// Rows of an earlier generation that are removed at once. Commits go on in between.
const REMOVED_AT_ONCE: usize = 1_000;

impl SqliteLedger {
    /// Runs something in a transaction of the writer.
    async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, CommitError> {
        let (answer, answered) = oneshot::channel();
        let job = Job::Work(Box::new(move |writer| _ = answer.send(writer.work(work))));
        self.enqueue(job).await?;
        answered.await.unwrap_or_else(|_| Err(stopped_midway()))
    }
}

impl SearchStore for SqliteLedger {
    fn state<'a>(&'a self, tenant: &'a TenantId, index: &'a str) -> BoxFuture<'a, Result<IndexState, ReadError>> {
        self.readers.look_up_plain(move |db| state(db, tenant, index).map_err(failed)).boxed()
    }

    fn restart<'a>(
        &'a self,
        tenant: &'a TenantId,
        index: &'a str,
        generation: u64,
        made_by: &'a str,
    ) -> BoxFuture<'a, Result<IndexState, CommitError>> {
        async move {
            let (of, name, by) = (tenant.clone(), index.to_owned(), made_by.to_owned());
            let state = self.write(move |db| restart(db, &of, &name, generation, &by)).await?;
            loop {
                let (of, name, kept) = (tenant.clone(), index.to_owned(), state.generation);
                if self.write(move |db| remove_earlier(db, &of, &name, kept)).await? < REMOVED_AT_ONCE {
                    return Ok(state);
                }
            }
        }
        .boxed()
    }

    fn append(&self, batch: IndexBatch) -> BoxFuture<'_, Result<bool, CommitError>> {
        self.write(move |db| append(db, &batch)).boxed()
    }

    fn rows<'a>(
        &'a self,
        tenant: &'a TenantId,
        (index, partition): (&'a str, &'a str),
        space: &'a str,
        after: u64,
        most: usize,
    ) -> BoxFuture<'a, Result<Vec<KeptRow>, ReadError>> {
        let (tenant, index, partition) = (tenant.clone(), index.to_owned(), partition.to_owned());
        let space = space.to_owned();
        let read = move |db: &Connection| rows(db, &tenant, (&index, &partition), &space, after, most).map_err(failed);
        self.readers.read(read).boxed()
    }

    fn rows_without_vector<'a>(
        &'a self,
        tenant: &'a TenantId,
        index: &'a str,
        space: &'a str,
        after: u64,
        most: usize,
    ) -> BoxFuture<'a, Result<Vec<KeptRow>, ReadError>> {
        let (tenant, index, space) = (tenant.clone(), index.to_owned(), space.to_owned());
        let read = move |db: &Connection| without_vector(db, &tenant, &index, &space, after, most).map_err(failed);
        self.readers.read(read).boxed()
    }

    fn put_vectors<'a>(
        &'a self,
        tenant: &'a TenantId,
        space: &'a str,
        vectors: Vec<(u64, Vec<u8>)>,
    ) -> BoxFuture<'a, Result<(), CommitError>> {
        let (tenant, space) = (tenant.clone(), space.to_owned());
        self.write(move |db| put_vectors(db, &tenant, &space, &vectors)).boxed()
    }
}

fn state(db: &Connection, tenant: &TenantId, index: &str) -> rusqlite::Result<IndexState> {
    let mut statement =
        db.prepare_cached("SELECT generation, through, made_by FROM search_state WHERE tenant = ?1 AND name = ?2")?;
    let read = |row: &Row<'_>| {
        Ok(IndexState {
            generation: row.get::<_, i64>(0)?.cast_unsigned(),
            through: row.get::<_, i64>(1)?.cast_unsigned(),
            made_by: row.get(2)?,
        })
    };
    Ok(statement.query_row(params![tenant.as_str(), index], read).optional()?.unwrap_or_default())
}

fn restart(
    db: &Connection,
    tenant: &TenantId,
    index: &str,
    generation: u64,
    made_by: &str,
) -> rusqlite::Result<IndexState> {
    if state(db, tenant, index)?.generation == generation {
        let mut statement = db.prepare_cached(
            "INSERT INTO search_state (tenant, name, generation, through, made_by) VALUES (?1, ?2, ?3, 0, ?4)
             ON CONFLICT (tenant, name)
             DO UPDATE SET generation = excluded.generation, through = 0, made_by = excluded.made_by",
        )?;
        statement.execute(params![tenant.as_str(), index, (generation + 1).cast_signed(), made_by])?;
    }
    state(db, tenant, index)
}

/// Removes some rows of generations before this one, with their vectors, and says how many.
fn remove_earlier(db: &Connection, tenant: &TenantId, index: &str, generation: u64) -> rusqlite::Result<usize> {
    let mut find = db.prepare_cached(
        "SELECT number
           FROM search_rows INDEXED BY search_partition
          WHERE tenant = ?1 AND name = ?2 AND generation < ?3
          LIMIT ?4",
    )?;
    let asked = params![tenant.as_str(), index, generation.cast_signed(), REMOVED_AT_ONCE as i64];
    let numbers: Vec<i64> = find.query_map(asked, |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    let spaces = spaces(db, tenant)?;
    let mut vectors =
        db.prepare_cached("DELETE FROM search_vectors WHERE tenant = ?1 AND space = ?2 AND number = ?3")?;
    let mut rows = db.prepare_cached("DELETE FROM search_rows WHERE tenant = ?1 AND number = ?2")?;
    for number in &numbers {
        for space in &spaces {
            vectors.execute(params![tenant.as_str(), space, number])?;
        }
        rows.execute(params![tenant.as_str(), number])?;
    }
    Ok(numbers.len())
}

/// The spaces of which a tenant has vectors, each found by one step in the index.
fn spaces(db: &Connection, tenant: &TenantId) -> rusqlite::Result<Vec<String>> {
    let mut next = db.prepare_cached("SELECT min(space) FROM search_vectors WHERE tenant = ?1 AND space > ?2")?;
    let mut spaces: Vec<String> = Vec::new();
    loop {
        let last = spaces.last().map_or("", String::as_str);
        match next.query_row(params![tenant.as_str(), last], |row| row.get::<_, Option<String>>(0))? {
            Some(space) => spaces.push(space),
            None => return Ok(spaces),
        }
    }
}

fn append(db: &Connection, batch: &IndexBatch) -> rusqlite::Result<bool> {
    let mut go_on = db.prepare_cached(
        "UPDATE search_state SET through = ?5
          WHERE tenant = ?1 AND name = ?2 AND generation = ?3 AND through = ?4",
    )?;
    let (generation, after) = (batch.generation.cast_signed(), batch.after.cast_signed());
    let moved =
        go_on.execute(params![batch.tenant.as_str(), batch.index, generation, after, batch.through.cast_signed()])?;
    if moved == 0 {
        return Ok(false);
    }
    for document in &batch.documents {
        put(db, batch, document)?;
    }
    Ok(true)
}

/// A live row: its number, its partition and its hash.
type Live = (i64, String, Vec<u8>);

fn put(db: &Connection, batch: &IndexBatch, document: &DocumentRows) -> rusqlite::Result<()> {
    let (tenant, generation, from) =
        (batch.tenant.as_str(), batch.generation.cast_signed(), document.from.cast_signed());
    let live = live(db, batch, &document.document)?;
    let mut end = db.prepare_cached("UPDATE search_rows SET to_seq = ?3 WHERE tenant = ?1 AND number = ?2")?;
    let mut insert = db.prepare_cached(
        "INSERT INTO search_rows (tenant, name, generation, partition, document, passage, from_seq, to_seq, hash, body)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, NULL, ?8, ?9)",
    )?;
    let mut keep =
        db.prepare_cached("INSERT INTO search_vectors (tenant, space, number, vector) VALUES (?1, ?2, ?3, ?4)")?;
    for (passage, (number, partition, hash)) in &live {
        let after = usize::try_from(*passage).ok().and_then(|passage| document.passages.get(passage));
        if *partition != document.partition || after.is_none_or(|after| after.hash[..] != hash[..]) {
            end.execute(params![tenant, number, from])?;
        }
    }
    for (place, passage) in (0_i64..).zip(&document.passages) {
        let stays = live
            .get(&place)
            .is_some_and(|(_, partition, hash)| *partition == document.partition && passage.hash[..] == hash[..]);
        if stays {
            continue;
        }
        let (index, partition, id) = (&batch.index, &document.partition, &document.document);
        let row = params![tenant, index, generation, partition, id, place, from, passage.hash, passage.body];
        let number = insert.insert(row)?;
        if !passage.vector.is_empty() {
            keep.execute(params![tenant, batch.space, number, passage.vector])?;
        }
    }
    Ok(())
}

/// The live rows of a document, by passage.
fn live(db: &Connection, batch: &IndexBatch, document: &str) -> rusqlite::Result<BTreeMap<i64, Live>> {
    let mut statement = db.prepare_cached(
        "SELECT passage, number, partition, hash
           FROM search_rows INDEXED BY search_live
          WHERE tenant = ?1 AND name = ?2 AND generation = ?3 AND document = ?4 AND to_seq IS NULL",
    )?;
    let asked = params![batch.tenant.as_str(), batch.index, batch.generation.cast_signed(), document];
    statement.query_map(asked, |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?, row.get(3)?))))?.collect()
}

fn rows(
    db: &Connection,
    tenant: &TenantId,
    (index, partition): (&str, &str),
    space: &str,
    after: u64,
    most: usize,
) -> rusqlite::Result<Vec<KeptRow>> {
    let mut statement = db.prepare_cached(
        "SELECT r.number, r.document, r.passage, r.from_seq, r.to_seq, r.hash, r.body, v.vector
           FROM search_rows AS r INDEXED BY search_partition
           LEFT JOIN search_vectors AS v ON v.tenant = ?1 AND v.space = ?4 AND v.number = r.number
          WHERE r.tenant = ?1 AND r.name = ?2 AND r.partition = ?3 AND r.number > ?5
            AND r.generation = (SELECT generation FROM search_state WHERE tenant = ?1 AND name = ?2)
          ORDER BY r.number
          LIMIT ?6",
    )?;
    let (after, most) = (number(after), i64::try_from(most).unwrap_or(i64::MAX));
    let asked = params![tenant.as_str(), index, partition, space, after, most];
    statement.query_map(asked, from_row)?.collect()
}

fn without_vector(
    db: &Connection,
    tenant: &TenantId,
    index: &str,
    space: &str,
    after: u64,
    most: usize,
) -> rusqlite::Result<Vec<KeptRow>> {
    let mut statement = db.prepare_cached(
        "SELECT r.number, r.document, r.passage, r.from_seq, r.to_seq, r.hash, x'', NULL
           FROM search_rows AS r NOT INDEXED
          WHERE r.number > ?4 AND r.tenant = ?1 AND r.name = ?2
            AND r.generation = (SELECT generation FROM search_state WHERE tenant = ?1 AND name = ?2)
            AND NOT EXISTS (SELECT 1 FROM search_vectors WHERE tenant = ?1 AND space = ?3 AND number = r.number)
          ORDER BY r.number
          LIMIT ?5",
    )?;
    let (after, most) = (number(after), i64::try_from(most).unwrap_or(i64::MAX));
    statement.query_map(params![tenant.as_str(), index, space, after, most], from_row)?.collect()
}

fn put_vectors(db: &Connection, tenant: &TenantId, space: &str, vectors: &[(u64, Vec<u8>)]) -> rusqlite::Result<()> {
    let mut statement = db.prepare_cached(
        "INSERT INTO search_vectors (tenant, space, number, vector)
         SELECT ?1, ?2, number, ?4 FROM search_rows WHERE tenant = ?1 AND number = ?3
             ON CONFLICT (tenant, space, number) DO UPDATE SET vector = excluded.vector",
    )?;
    for (row, vector) in vectors {
        statement.execute(params![tenant.as_str(), space, number(*row), vector])?;
    }
    Ok(())
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<KeptRow> {
    Ok(KeptRow {
        number: row.get::<_, i64>(0)?.cast_unsigned(),
        document: row.get(1)?,
        passage: row.get(2)?,
        from: row.get::<_, i64>(3)?.cast_unsigned(),
        to: row.get::<_, Option<i64>>(4)?.map(i64::cast_unsigned),
        hash: row.get(5)?,
        body: row.get(6)?,
        vector: row.get::<_, Option<Vec<u8>>>(7)?.unwrap_or_default(),
    })
}

fn number(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
