//! The engine: finds in what capabilities hand in, and keeps it up to date.
//!
//! Each capability [attaches](Search::attach) a [`Source`]. Its documents follow from the facts: a [`line::Line`] for each tenant
//! derives what is new, gives it to the partitions in memory, and keeps it in the [`SearchStore`] in steps. A question first
//! has its line catch up to the point that it asks about, so what is committed is found, whichever process committed it. The
//! [follower](follow) does the same in the background, so that there is little to catch up with, and nothing of it is in the
//! way of a write.

mod find;
mod follow;
mod line;
mod reindex;
mod shelves;
mod vectors;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ledger::{SearchStore, SharedLedger};
use scope::TenantId;

use crate::embed::StaticTable;
use crate::rank::Fusion;
use crate::source::{Source, SourceError};
use crate::{Embedder, Index, Ranking, Space};

pub use find::{Drafts, Found};
pub use follow::Lag;
pub use reindex::Progress;

use line::Line;
use shelves::Shelves;

/// Why a question has no answer.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    #[error("the index cannot be read")]
    Read(#[from] ledger::ReadError),
    #[error("the index cannot be written")]
    Write(#[from] ledger::CommitError),
    #[error("documents cannot be read")]
    Source(#[source] SourceError),
}

/// How search works.
#[derive(Clone)]
pub struct Options {
    /// Embeds beside the table in the box, and better.
    pub model: Option<Arc<dyn Embedder>>,
    pub fusion: Fusion,
    /// About how much memory partitions may take that nobody asks at the moment.
    pub cache_bytes_max: usize,
    /// How long a question waits for the index to catch up, and how long for the vector of its words.
    pub patience: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self { model: None, fusion: Fusion::Weighted, cache_bytes_max: 256 << 20, patience: Duration::from_secs(2) }
    }
}

/// Search over all capabilities of a server. Clones are the same.
#[derive(Clone)]
pub struct Search {
    inner: Arc<Inner>,
}

struct Inner {
    ledger: SharedLedger,
    /// Without one, indexes live in memory and are made again by the next process.
    store: Option<Arc<dyn SearchStore>>,
    options: Options,
    table: Arc<StaticTable>,
    sources: Mutex<BTreeMap<&'static str, Arc<dyn Source>>>,
    lines: Mutex<BTreeMap<(TenantId, &'static str), Arc<Line>>>,
    shelves: Shelves,
    lag: follow::Gauges,
}

impl Search {
    /// Search that keeps its indexes in a store.
    pub fn new(ledger: SharedLedger, store: Arc<dyn SearchStore>, options: Options) -> Self {
        Self::with(ledger, Some(store), options)
    }

    /// Search that keeps nothing: every process makes its indexes from the facts.
    pub fn in_memory(ledger: SharedLedger) -> Self {
        Self::with(ledger, None, Options::default())
    }

    fn with(ledger: SharedLedger, store: Option<Arc<dyn SearchStore>>, options: Options) -> Self {
        let shelves = Shelves::new(options.cache_bytes_max);
        let inner = Inner {
            ledger,
            store,
            options,
            table: Arc::default(),
            sources: Mutex::default(),
            lines: Mutex::default(),
            shelves,
            lag: follow::Gauges::default(),
        };
        Self { inner: Arc::new(inner) }
    }

    /// Takes in the documents of a capability, and returns what finds them.
    pub fn attach(&self, source: Arc<dyn Source>) -> Finder {
        let name = source.name();
        lock(&self.inner.sources).insert(name, source);
        Finder { search: self.clone(), name }
    }

    /// What finds the documents of a capability, if it has attached any.
    pub fn finder(&self, name: &str) -> Option<Finder> {
        let name = lock(&self.inner.sources).get(name)?.name();
        Some(Finder { search: self.clone(), name })
    }
}

/// Finds documents of one capability.
#[derive(Clone)]
pub struct Finder {
    search: Search,
    name: &'static str,
}

impl Inner {
    fn sources(&self) -> Vec<Arc<dyn Source>> {
        lock(&self.sources).values().cloned().collect()
    }

    /// The line of a tenant and a capability; `None` if nothing of that name is attached.
    fn line(&self, tenant: &TenantId, name: &str) -> Option<Arc<Line>> {
        let source = lock(&self.sources).get(name).cloned()?;
        let mut lines = lock(&self.lines);
        let line = lines.entry((tenant.clone(), source.name()));
        Some(line.or_insert_with(|| Arc::new(Line::new(tenant.clone(), source))).clone())
    }

    /// An empty index of this space, with the ranking that was chosen.
    fn index(&self, space: &Space) -> Index {
        let ranking = Ranking { fusion: self.options.fusion, ..Ranking::of(Some(space)) };
        Index::new(Some(space.clone())).with_ranking(ranking)
    }

    /// Names the rules by which rows are made; other rules make other rows.
    fn made_by(&self) -> String {
        format!("{}/{}", crate::analysed::VERSION, self.table.space().model)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
