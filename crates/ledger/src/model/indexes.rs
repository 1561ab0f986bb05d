//! What search keeps, in memory.

use std::collections::BTreeMap;
use std::sync::PoisonError;

use futures::FutureExt;
use futures::future::{BoxFuture, ready};
use scope::TenantId;

use super::ModelLedger;
use crate::{CommitError, DocumentRows, IndexBatch, IndexState, KeptRow, ReadError, SearchStore};

#[derive(Default)]
pub(super) struct Indexes {
    /// By tenant and index.
    all: BTreeMap<(TenantId, String), OneIndex>,
    /// The last number that a row was given.
    last: u64,
}

#[derive(Default)]
struct OneIndex {
    state: IndexState,
    rows: Vec<(String, KeptRow)>,
    /// By space and number of the row.
    vectors: BTreeMap<(String, u64), Vec<u8>>,
}

impl OneIndex {
    fn put(&mut self, changed: DocumentRows, space: &str, last: &mut u64) {
        let DocumentRows { document, partition, from, passages } = changed;
        let is_live = |row: &KeptRow| row.document == document && row.to.is_none();
        let stays = |row: &KeptRow| passages.get(row.passage as usize).is_some_and(|passage| passage.hash == row.hash);
        let kept: Vec<u32> = self
            .rows
            .iter()
            .filter(|(place, row)| is_live(row) && *place == partition && stays(row))
            .map(|(_, row)| row.passage)
            .collect();
        let ended = self.rows.iter_mut().filter(|(place, row)| is_live(row) && !(*place == partition && stays(row)));
        ended.for_each(|(_, row)| row.to = Some(from));
        for (passage, row) in (0..).zip(passages) {
            if kept.contains(&passage) {
                continue;
            }
            *last += 1;
            if !row.vector.is_empty() {
                self.vectors.insert((space.to_owned(), *last), row.vector);
            }
            let (document, hash, body) = (document.clone(), row.hash, row.body);
            let row = KeptRow { number: *last, document, passage, from, to: None, hash, body, vector: Vec::new() };
            self.rows.push((partition.clone(), row));
        }
    }
}

impl ModelLedger {
    fn with_index<T>(&self, tenant: &TenantId, index: &str, work: impl FnOnce(&mut OneIndex, &mut u64) -> T) -> T {
        let mut indexes = self.indexes.lock().unwrap_or_else(PoisonError::into_inner);
        let Indexes { all, last } = &mut *indexes;
        work(all.entry((tenant.clone(), index.to_owned())).or_default(), last)
    }
}

impl SearchStore for ModelLedger {
    fn state<'a>(&'a self, tenant: &'a TenantId, index: &'a str) -> BoxFuture<'a, Result<IndexState, ReadError>> {
        ready(Ok(self.with_index(tenant, index, |index, _| index.state.clone()))).boxed()
    }

    fn restart<'a>(
        &'a self,
        tenant: &'a TenantId,
        index: &'a str,
        generation: u64,
        made_by: &'a str,
    ) -> BoxFuture<'a, Result<IndexState, CommitError>> {
        let state = self.with_index(tenant, index, |index, _| {
            if index.state.generation == generation {
                let state = IndexState { generation: generation + 1, through: 0, made_by: made_by.to_owned() };
                *index = OneIndex { state, ..OneIndex::default() };
            }
            index.state.clone()
        });
        ready(Ok(state)).boxed()
    }

    fn append(&self, batch: IndexBatch) -> BoxFuture<'_, Result<bool, CommitError>> {
        let appended = self.with_index(&batch.tenant, &batch.index, |index, last| {
            let fits = index.state.generation == batch.generation && index.state.through == batch.after;
            if fits {
                batch.documents.into_iter().for_each(|document| index.put(document, &batch.space, last));
                index.state.through = batch.through;
            }
            fits
        });
        ready(Ok(appended)).boxed()
    }

    fn rows<'a>(
        &'a self,
        tenant: &'a TenantId,
        (index, partition): (&'a str, &'a str),
        space: &'a str,
        after: u64,
        most: usize,
    ) -> BoxFuture<'a, Result<Vec<KeptRow>, ReadError>> {
        let rows = self.with_index(tenant, index, |index, _| {
            let wanted = index.rows.iter().filter(|(place, row)| place == partition && row.number > after);
            let vector = |row: &KeptRow| index.vectors.get(&(space.to_owned(), row.number)).cloned();
            wanted
                .take(most)
                .map(|(_, row)| KeptRow { vector: vector(row).unwrap_or_default(), ..row.clone() })
                .collect()
        });
        ready(Ok(rows)).boxed()
    }

    fn rows_without_vector<'a>(
        &'a self,
        tenant: &'a TenantId,
        index: &'a str,
        space: &'a str,
        after: u64,
        most: usize,
    ) -> BoxFuture<'a, Result<Vec<KeptRow>, ReadError>> {
        let rows = self.with_index(tenant, index, |index, _| {
            let lacks = |row: &KeptRow| !index.vectors.contains_key(&(space.to_owned(), row.number));
            let wanted = index.rows.iter().filter(|(_, row)| row.number > after && lacks(row));
            wanted.take(most).map(|(_, row)| KeptRow { body: Vec::new(), ..row.clone() }).collect()
        });
        ready(Ok(rows)).boxed()
    }

    fn put_vectors<'a>(
        &'a self,
        tenant: &'a TenantId,
        space: &'a str,
        vectors: Vec<(u64, Vec<u8>)>,
    ) -> BoxFuture<'a, Result<(), CommitError>> {
        let mut indexes = self.indexes.lock().unwrap_or_else(PoisonError::into_inner);
        for (number, vector) in vectors {
            let mut own = indexes.all.iter_mut().filter(|((of, _), _)| of == tenant).map(|(_, index)| index);
            if let Some(index) = own.find(|index| index.rows.iter().any(|(_, row)| row.number == number)) {
                index.vectors.insert((space.to_owned(), number), vector);
            }
        }
        ready(Ok(())).boxed()
    }
}
