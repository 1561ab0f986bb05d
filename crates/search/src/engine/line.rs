//! A line: the documents of one tenant and one capability, from the first fact to where it has come.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use ledger::{CommitError, DocumentRows, IndexBatch, IndexState, KeptRow, SearchStore, Seq};
use scope::{TenantId, Timestamp};
use tokio::sync::{Mutex, MutexGuard};

use super::{Inner, SearchError};
use crate::derive::{self, Change};
use crate::shelf::Shelf;
use crate::source::Source;
use crate::{Embedder, Space};

/// So many facts are read at once.
const FACTS_PER_PAGE: usize = 256;
/// So many passages go into one transaction, so that commits do not wait long.
const PASSAGES_PER_STEP: usize = 256;
/// With so many changed documents that are not kept yet, nobody waits for the follower.
const PENDING_MAX: usize = 1_024;
const ROWS_PER_PAGE: usize = 5_000;

/// One tenant's documents of one capability.
pub struct Line {
    pub tenant: TenantId,
    pub source: Arc<dyn Source>,
    /// Whether the store was asked how far it has come.
    is_known: AtomicBool,
    /// The last fact that is in the partitions in memory.
    through: AtomicU64,
    /// The last fact that is kept.
    kept: AtomicU64,
    /// Whether every row has a vector of the model.
    pub has_model: AtomicBool,
    /// Rows up to this number have a vector of the model.
    pub embedded: AtomicU64,
    /// Whether rows were found that cannot be read.
    pub is_damaged: AtomicBool,
    state: Mutex<State>,
}

/// Where a line stands.
#[derive(Default)]
struct State {
    /// `None` until the store was asked.
    generation: Option<u64>,
    /// What is in memory and not kept yet, in order.
    pending: Vec<Change>,
    /// When the first of the facts was committed that are not kept yet.
    oldest: Option<Timestamp>,
}

impl Line {
    pub fn new(tenant: TenantId, source: Arc<dyn Source>) -> Self {
        Self {
            tenant,
            source,
            is_known: AtomicBool::default(),
            through: AtomicU64::default(),
            kept: AtomicU64::default(),
            has_model: AtomicBool::default(),
            embedded: AtomicU64::default(),
            is_damaged: AtomicBool::default(),
            state: Mutex::default(),
        }
    }

    pub fn name(&self) -> &'static str {
        self.source.name()
    }

    pub fn through(&self) -> Seq {
        self.through.load(Ordering::Acquire)
    }

    pub fn kept(&self) -> Seq {
        self.kept.load(Ordering::Acquire)
    }

    /// Derives what the facts up to `to` changed, page by page.
    pub async fn catch_up(&self, inner: &Inner, to: Seq) -> Result<(), SearchError> {
        while !self.is_known.load(Ordering::Acquire) || self.through() < to {
            let mut state = self.known(inner).await?;
            if self.through() >= to || !self.next_page(inner, &mut state).await? {
                break;
            }
            if state.pending.len() >= PENDING_MAX {
                self.flush(inner, &mut state).await?;
            }
        }
        Ok(())
    }

    /// Keeps what is not kept yet. Returns when the first fact of it was committed.
    pub async fn keep(&self, inner: &Inner) -> Result<Option<Timestamp>, SearchError> {
        let mut state = self.known(inner).await?;
        let oldest = state.oldest;
        self.flush(inner, &mut state).await?;
        Ok(oldest)
    }

    /// Starts anew: what is kept goes, and is made again from the facts.
    pub async fn restart(&self, inner: &Inner) -> Result<(), SearchError> {
        let mut state = self.known(inner).await?;
        if let (Some(store), Some(generation)) = (&inner.store, state.generation) {
            let new = store.restart(&self.tenant, self.name(), generation, &inner.made_by()).await?;
            self.begin(inner, &mut state, &new);
        }
        self.is_damaged.store(false, Ordering::Relaxed);
        Ok(())
    }

    /// The partition, read from the store if it is not in memory.
    pub async fn shelf(&self, inner: &Inner, partition: &str) -> Result<Arc<Shelf>, SearchError> {
        if let Some(shelf) = inner.shelves.get(&self.tenant, self.name(), partition) {
            return Ok(shelf);
        }
        // While this is held, nothing is added to what is kept or pending.
        let state = self.known(inner).await?;
        if let Some(shelf) = inner.shelves.get(&self.tenant, self.name(), partition) {
            return Ok(shelf);
        }
        let shelf = Arc::new(Shelf::new(partition, inner.index(&self.space(inner))));
        if let Some(store) = &inner.store {
            self.load(store.as_ref(), partition, &shelf).await?;
        }
        let mut content = shelf.write();
        state.pending.iter().for_each(|change| content.change(change));
        drop(content);
        inner.shelves.insert(&self.tenant, self.name(), partition, shelf.clone());
        Ok(shelf)
    }

    /// The space that questions are asked in: the model's, once all rows have a vector of it.
    pub fn space(&self, inner: &Inner) -> Space {
        match &inner.options.model {
            Some(model) if self.has_model.load(Ordering::Relaxed) => model.space().clone(),
            _ => inner.table.space().clone(),
        }
    }

    async fn load(&self, store: &dyn SearchStore, partition: &str, shelf: &Arc<Shelf>) -> Result<(), SearchError> {
        let space = shelf.read().index.space().map(|space| space.model.clone()).unwrap_or_default();
        // What another process has added since is left out: it follows from facts that this one has yet to take in.
        let at = self.kept().min(self.through());
        let mut after = 0;
        loop {
            let place = (self.name(), partition);
            let page = store.rows(&self.tenant, place, &space, after, ROWS_PER_PAGE).await?;
            let Some(last) = page.last() else { return Ok(()) };
            after = last.number;
            let shelf = Arc::clone(shelf);
            let restore = move || {
                let mut content = shelf.write();
                let then = page.into_iter().filter(|row| row.from <= at);
                let then = then.map(|row| KeptRow { to: row.to.filter(|to| *to <= at), ..row });
                then.filter_map(|row| content.restore(row).err()).count()
            };
            let damaged = tokio::task::spawn_blocking(restore).await.unwrap_or(0);
            if damaged > 0 && !self.is_damaged.swap(true, Ordering::Relaxed) {
                let (tenant, index) = (self.tenant.as_str(), self.name());
                tracing::warn!(tenant, index, damaged, "rows of search cannot be read; the index is made again");
            }
        }
    }

    /// The state, once the store was asked for it. An index that was made by other rules starts anew.
    async fn known(&self, inner: &Inner) -> Result<MutexGuard<'_, State>, SearchError> {
        let mut state = self.state.lock().await;
        if state.generation.is_some() {
            return Ok(state);
        }
        let Some(store) = &inner.store else {
            state.generation = Some(0);
            self.is_known.store(true, Ordering::Release);
            return Ok(state);
        };
        let mut kept = store.state(&self.tenant, self.name()).await?;
        if kept.made_by != inner.made_by() {
            kept = store.restart(&self.tenant, self.name(), kept.generation, &inner.made_by()).await?;
        }
        self.begin(inner, &mut state, &kept);
        Ok(state)
    }

    fn begin(&self, inner: &Inner, state: &mut State, kept: &IndexState) {
        inner.shelves.forget(&self.tenant, self.name());
        *state = State { generation: Some(kept.generation), ..State::default() };
        self.kept.store(kept.through, Ordering::Release);
        self.through.store(kept.through, Ordering::Release);
        self.is_known.store(true, Ordering::Release);
        self.has_model.store(false, Ordering::Relaxed);
        self.embedded.store(0, Ordering::Release);
    }

    /// Takes in the next page of facts; whether there was one.
    async fn next_page(&self, inner: &Inner, state: &mut State) -> Result<bool, SearchError> {
        let facts = inner.ledger.facts(&self.tenant, self.through(), FACTS_PER_PAGE).await?;
        let Some((first, last)) = facts.first().zip(facts.last()) else { return Ok(false) };
        let changes = derive::changes(self.source.as_ref(), &self.tenant, &facts, last.seq, &inner.table)
            .await
            .map_err(SearchError::Source)?;
        for (_, shelf) in inner.shelves.of(&self.tenant, self.name()) {
            let mut content = shelf.write();
            changes.iter().for_each(|change| content.change(change));
        }
        self.through.store(last.seq, Ordering::Release);
        // Without a store all of it stays pending, for partitions that are yet to be asked.
        let kept = self.kept();
        state.pending.extend(changes.into_iter().filter(|change| change.from > kept));
        state.oldest.get_or_insert(first.at);
        Ok(true)
    }

    /// Writes what is pending, step by step. Where another process was faster, what it wrote is the same.
    async fn flush(&self, inner: &Inner, state: &mut State) -> Result<(), SearchError> {
        let (Some(store), Some(generation)) = (&inner.store, state.generation) else { return Ok(()) };
        while self.kept() < self.through() {
            let (count, through) = next_step(&state.pending, self.through());
            let batch = IndexBatch {
                tenant: self.tenant.clone(),
                index: self.name().to_owned(),
                generation,
                after: self.kept(),
                through,
                space: inner.table.space().model.clone(),
                documents: state.pending[..count].iter().map(DocumentRows::from).collect(),
            };
            if store.append(batch).await? {
                state.pending.drain(..count);
                self.kept.store(through, Ordering::Release);
                continue;
            }
            let kept = store.state(&self.tenant, self.name()).await.map_err(SearchError::Read)?;
            if kept.generation != generation {
                self.begin(inner, state, &kept);
                return Ok(());
            }
            if kept.through == self.kept() {
                return Err(CommitError::Unavailable("the index does not go on".to_owned()).into());
            }
            self.kept.store(kept.through, Ordering::Release);
            state.pending.retain(|change| change.from > kept.through);
        }
        state.pending.clear();
        state.oldest = None;
        Ok(())
    }
}

/// How many changes make the next step, and how far it leads. A point is never split.
fn next_step(pending: &[Change], through: Seq) -> (usize, Seq) {
    let mut passages = 0;
    for (count, change) in pending.iter().enumerate() {
        if passages >= PASSAGES_PER_STEP && pending[count - 1].from < change.from {
            return (count, pending[count - 1].from);
        }
        passages += change.passages.len().max(1);
    }
    (pending.len(), through)
}
