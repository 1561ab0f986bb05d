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
//! * every statement that reads or writes records names the tenant.

mod audited;
mod backup;
mod change;
mod connection;
mod counts;
mod directory;
mod effect;
mod enter;
mod error;
mod expectation;
mod fields;
mod find;
mod health;
mod idempotency;
mod indexes;
mod names;
mod point;
mod port;
mod readers;
mod rebuild;
mod record;
mod schema;
mod search;
mod traverse;
mod tree;
mod verify;
mod writer;

pub mod audit;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use ledger::{CommitError, Folds};
use scope::{Clock, SystemClock};
use tokio::sync::{mpsc, oneshot, watch};

pub use backup::{Restoring, restore};
pub use error::{BackupError, OpenError};
pub use idempotency::KEY_TTL_MICROS;

use connection::Opening;
use directory::Directory;
use health::Health;
use idempotency::KeyCounts;
use readers::Readers;
use writer::{Counters, Job, Writer};

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
    /// A batch that holds this many facts and effects takes no further commit, so that nobody waits long for large neighbours.
    pub batch_rows_max: usize,
    /// Idempotency keys that are kept for one caller. Those of a call are kept for seven days, and removed a day later.
    pub keys_per_caller_max: u64,
    /// How long to wait for another process that writes, or that is in the way of a migration.
    pub busy: Duration,
    /// Whether commits go to SQLite's log in one piece. Without it SQLite writes its log by itself, which takes longer.
    pub gather_log: bool,
    /// How the facts of all capabilities become records. Files of an older format need them to be brought forward.
    pub folds: Folds,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            clock: Arc::new(SystemClock),
            readers: 4,
            queue: 1024,
            batch_max: 256,
            batch_rows_max: 10_000,
            keys_per_caller_max: 1_000_000,
            busy: Duration::from_secs(5),
            gather_log: true,
            folds: Folds::new(),
        }
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
    health: Arc<Health>,
    ticks: watch::Receiver<u64>,
    directory: Directory,
    busy: Duration,
}

impl SqliteLedger {
    /// Opens `chancery.db` in a data directory, and creates both where needed. A file of an older format is migrated, while no
    /// other process uses the directory.
    pub fn open(data_dir: impl AsRef<Path>, options: Options) -> Result<Self, OpenError> {
        let opening = Opening { busy: options.busy, gather_log: options.gather_log };
        let (directory, connection) = enter::enter(data_dir.as_ref(), opening, &options.folds)?;
        let path = directory.database();
        let (jobs, queue) = mpsc::channel(options.queue.max(1));
        let (ticks, ticked) = watch::channel(0);
        let counters = Arc::<Counters>::default();
        let health = Arc::<Health>::default();
        let writer = Writer {
            path: path.clone(),
            opening,
            batch_max: options.batch_max.max(1),
            batch_rows_max: options.batch_rows_max,
            clock: Arc::clone(&options.clock),
            counters: Arc::clone(&counters),
            health: Arc::clone(&health),
            ticks,
            connection: Some(connection),
            purged: None,
            keys: Arc::new(KeyCounts::new(options.keys_per_caller_max)),
        };
        let spawned = std::thread::Builder::new().name("ledger-writer".to_owned()).spawn(move || writer.run(queue));
        let thread = spawned.map_err(|error| OpenError::io(&path, &error))?;
        Ok(Self {
            jobs: Some(jobs),
            thread: Some(thread),
            readers: Arc::new(Readers::new(path, options.busy, options.readers)),
            clock: options.clock,
            counters,
            health,
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

    /// Removes at most `batch` idempotency keys that expired more than a day ago and says how many. The writer does this by itself
    /// from time to time; call it to do more.
    pub async fn purge_expired(&self, batch: usize) -> Result<usize, CommitError> {
        let (answer, answered) = oneshot::channel();
        self.enqueue(Job::Purge(batch, answer)).await?;
        answered.await.unwrap_or_else(|_| Err(stopped_midway()))
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

fn stopped_midway() -> CommitError {
    CommitError::Unknown("the writer stopped before it answered".to_owned())
}
