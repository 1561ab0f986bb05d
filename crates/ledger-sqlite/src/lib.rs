//! Ledger on SQLite: the embedded engine. One file, one writer thread, a few readers, nothing to install.
//!
//! [`SqliteLedger::open`] takes a data directory. Commits go to the writer thread, which shares one sync
//! among all that wait; reads go to read-only connections. Several processes may open the same
//! directory: SQLite's locks order their writes, and nothing is cached that another could have changed.
//! Start with `writer` for commits and `find` for reads; the tables are in `migrations/`.
//!
//! Invariants:
//! * a commit is answered after it is on disk (WAL, `synchronous = FULL`);
//! * rows that are not facts are made by `effect` alone, so [`ledger::Ledger::verify`] can make them again;
//! * every statement names the tenant.

mod backup;
mod change;
mod connection;
mod directory;
mod effect;
mod error;
mod expectation;
mod find;
mod idempotency;
mod point;
mod readers;
mod record;
mod schema;
mod search;
mod traverse;
mod verify;
mod writer;

pub mod audit;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use ledger::{
    At, Change, Commit, CommitError, Fact, Find, Folds, Idempotency, Ledger, Page, ReadError, Recalled, RecordKey,
    RecordVersion, Search, SearchHit, Seq, Traversal, Traverse, Verification,
};
use scope::{Clock, SystemClock, TenantId};
use tokio::sync::{mpsc, oneshot, watch};

pub use backup::restore;
pub use error::{BackupError, OpenError};
pub use idempotency::KEY_TTL_MICROS;

use directory::Directory;
use readers::{Readers, failed};
use writer::{Counters, Job, Writer};

/// More keys than this are read on a thread that may block.
const KEYS_INLINE_MAX: usize = 32;

/// How the ledger is opened.
#[derive(Clone)]
pub struct Options {
    /// The database's clock: it decides when an idempotency key expires.
    pub clock: Arc<dyn Clock>,
    /// Read-only connections, opened when needed.
    pub readers: usize,
    /// Commits that may wait for the writer before callers have to.
    pub queue: usize,
    /// Commits that may share one sync.
    pub batch_max: usize,
    /// How long to wait for another process that writes.
    pub busy: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self { clock: Arc::new(SystemClock), readers: 4, queue: 1024, batch_max: 256, busy: Duration::from_secs(5) }
    }
}

/// How much was written since the ledger was opened; changes per transaction show how well syncs are shared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WriteStats {
    pub transactions: u64,
    pub changes: u64,
}

/// A ledger in a data directory.
pub struct SqliteLedger {
    // Dropped in this order: the writer ends when its queue is closed, and the lock goes last.
    jobs: Option<mpsc::Sender<Job>>,
    thread: Option<std::thread::JoinHandle<()>>,
    readers: Arc<Readers>,
    clock: Arc<dyn Clock>,
    counters: Arc<Counters>,
    ticks: watch::Receiver<u64>,
    directory: Directory,
    busy: Duration,
}

impl SqliteLedger {
    /// Opens `chancery.db` in a data directory, and creates both where needed.
    pub fn open(data_dir: impl AsRef<Path>, options: Options) -> Result<Self, OpenError> {
        let directory = Directory::share(data_dir.as_ref())?;
        let path = directory.database();
        let mut connection = connection::open_writer(&path, options.busy)?;
        schema::migrate(&mut connection, &path)?;
        let (jobs, queue) = mpsc::channel(options.queue.max(1));
        let (ticks, ticked) = watch::channel(0);
        let counters = Arc::<Counters>::default();
        let writer = Writer {
            path: path.clone(),
            busy: options.busy,
            batch_max: options.batch_max.max(1),
            clock: Arc::clone(&options.clock),
            counters: Arc::clone(&counters),
            ticks,
            connection: Some(connection),
            purged: None,
        };
        let spawned = std::thread::Builder::new().name("ledger-writer".to_owned()).spawn(move || writer.run(queue));
        let thread = spawned.map_err(|error| OpenError::io(&path, &error))?;
        Ok(Self {
            jobs: Some(jobs),
            thread: Some(thread),
            readers: Arc::new(Readers::new(path, options.busy, options.readers)),
            clock: options.clock,
            counters,
            ticks: ticked,
            directory,
            busy: options.busy,
        })
    }

    pub fn data_dir(&self) -> &Path {
        self.directory.path()
    }

    pub fn write_stats(&self) -> WriteStats {
        let read = |counter: &std::sync::atomic::AtomicU64| counter.load(Ordering::Relaxed);
        WriteStats { transactions: read(&self.counters.transactions), changes: read(&self.counters.changes) }
    }

    /// Removes at most `batch` expired idempotency keys and says how many. The writer does this by itself
    /// from time to time; call it to do more.
    pub async fn purge_expired(&self, batch: usize) -> Result<usize, CommitError> {
        let (answer, answered) = oneshot::channel();
        self.enqueue(Job::Purge(batch, answer)).await?;
        answered.await.unwrap_or_else(|_| Err(writer_stopped_midway()))
    }

    /// Copies the database as it is now to a new file, while reads and writes go on.
    pub async fn backup_to(&self, path: impl AsRef<Path>) -> Result<(), BackupError> {
        let (from, to, busy) = (self.directory.database(), path.as_ref().to_owned(), self.busy);
        let failed_path = to.clone();
        let task = tokio::task::spawn_blocking(move || backup::copy(&from, &to, busy));
        task.await.unwrap_or_else(|error| Err(BackupError::Failed { path: failed_path, reason: error.to_string() }))
    }

    async fn enqueue(&self, job: Job) -> Result<(), CommitError> {
        let stopped = || CommitError::Unavailable("the writer has stopped".to_owned());
        self.jobs.as_ref().ok_or_else(stopped)?.send(job).await.map_err(|_| stopped())
    }
}

impl Drop for SqliteLedger {
    fn drop(&mut self) {
        // Waits for what is queued. Whoever sent it may be gone, but it was accepted.
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            _ = thread.join();
        }
    }
}

fn writer_stopped_midway() -> CommitError {
    CommitError::Unknown("the writer stopped before it answered".to_owned())
}

impl Ledger for SqliteLedger {
    fn commit(&self, change: Change) -> BoxFuture<'_, Result<Commit, CommitError>> {
        async move {
            let (answer, answered) = oneshot::channel();
            self.enqueue(Job::Commit(Box::new(change), answer)).await?;
            answered.await.unwrap_or_else(|_| Err(writer_stopped_midway()))
        }
        .boxed()
    }

    fn recall<'a>(
        &'a self,
        tenant: &'a TenantId,
        effect: &'a Idempotency,
    ) -> BoxFuture<'a, Result<Option<Recalled>, ReadError>> {
        let now = self.clock.now();
        self.readers.look_up(move |db| idempotency::recall(db, tenant, effect, now).map_err(failed)).boxed()
    }

    fn point<'a>(&'a self, tenant: &'a TenantId, at: At) -> BoxFuture<'a, Result<Seq, ReadError>> {
        self.readers.look_up(move |db| point::resolve(db, tenant, at)).boxed()
    }

    fn get<'a>(
        &'a self,
        tenant: &'a TenantId,
        at: Seq,
        keys: &'a [RecordKey],
    ) -> BoxFuture<'a, Result<Vec<Option<RecordVersion>>, ReadError>> {
        if keys.len() <= KEYS_INLINE_MAX {
            return self.readers.look_up(move |db| get(db, tenant, at, keys)).boxed();
        }
        let (tenant, keys) = (tenant.clone(), keys.to_vec());
        self.readers.read(move |db| get(db, &tenant, at, &keys)).boxed()
    }

    fn find<'a>(
        &'a self,
        tenant: &'a TenantId,
        at: Seq,
        find: Find,
    ) -> BoxFuture<'a, Result<Page<RecordVersion>, ReadError>> {
        let tenant = tenant.clone();
        self.readers.read(move |db| find::page(db, &tenant, at, &find)).boxed()
    }

    fn count<'a>(
        &'a self,
        tenant: &'a TenantId,
        at: Seq,
        find: Find,
        most: u64,
    ) -> BoxFuture<'a, Result<u64, ReadError>> {
        let tenant = tenant.clone();
        self.readers.read(move |db| find::count(db, &tenant, at, find, most)).boxed()
    }

    fn traverse<'a>(
        &'a self,
        tenant: &'a TenantId,
        at: Seq,
        traverse: Traverse,
    ) -> BoxFuture<'a, Result<Traversal, ReadError>> {
        let tenant = tenant.clone();
        self.readers.read(move |db| traverse::traverse(db, &tenant, at, &traverse)).boxed()
    }

    fn search<'a>(
        &'a self,
        tenant: &'a TenantId,
        at: Seq,
        search: Search,
    ) -> BoxFuture<'a, Result<Vec<SearchHit>, ReadError>> {
        let tenant = tenant.clone();
        self.readers.read(move |db| search::search(db, &tenant, at, &search)).boxed()
    }

    fn facts<'a>(
        &'a self,
        tenant: &'a TenantId,
        after: Seq,
        most: usize,
    ) -> BoxFuture<'a, Result<Vec<Fact>, ReadError>> {
        let tenant = tenant.clone();
        self.readers.read(move |db| change::facts(db, &tenant, after, most).map_err(failed)).boxed()
    }

    fn tenants(&self) -> BoxFuture<'_, Result<Vec<TenantId>, ReadError>> {
        self.readers.read(|db| change::tenants(db).map_err(failed)).boxed()
    }

    fn ticks(&self) -> watch::Receiver<u64> {
        self.ticks.clone()
    }

    fn verify<'a>(&'a self, folds: &'a Folds) -> BoxFuture<'a, Result<Verification, ReadError>> {
        let (folds, scratch) = (folds.clone(), self.directory.path().to_owned());
        self.readers.read(move |db| verify::verify(db, &scratch, &folds).map_err(failed)).boxed()
    }
}

fn get(
    db: &rusqlite::Connection,
    tenant: &TenantId,
    at: Seq,
    keys: &[RecordKey],
) -> Result<Vec<Option<RecordVersion>>, ReadError> {
    point::check(db, tenant, at)?;
    keys.iter().map(|key| record::version_at(db, tenant, key, at).map_err(failed)).collect()
}
