//! Audit: who asked for what and how it ended, in a file of its own (`audit.db`).
//!
//! Here are the calls that changed nothing; the record of a change is in the commit of the change. Rows go through a bounded
//! queue to a thread that inserts them in batches. A batch that cannot be inserted is tried again until it can; meanwhile the
//! queue fills, and whoever appends to a full queue waits for a moment. A row that is not stored in the end is counted.
//! Rows are never changed: no statement here does, and the file refuses it. They are removed when their time is over, and
//! only up to the number that the file then keeps.
//! `synchronous = NORMAL`: a power cut may lose the last rows, never the file.

mod find;
mod inserter;
mod kept;
mod table;

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use ledger::ReadError;
use ledger::tree::Numbers;
use scope::{TenantId, Timestamp};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use crate::readers::{Readers, failed};
use crate::{BackupError, OpenError, backup, directory};

pub use find::AuditFind;
use inserter::Inserter;

const QUEUE_ROWS_MAX: usize = 4096;
/// How long whoever appends waits for room in the queue.
const WAIT_MAX: Duration = Duration::from_millis(500);
/// How long a flush takes at most, when rows cannot be inserted.
const FLUSH_MAX: Duration = Duration::from_secs(5);
const READERS: usize = 2;
const BUSY: Duration = Duration::from_secs(5);
/// Longer arguments are cut; their hash still tells them apart.
pub const ARGUMENTS_BYTES_MAX: usize = 4096;

/// One call. Texts that most calls share are not copied for each: another thread has to free them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditRow {
    pub audit_id: String,
    pub at: Timestamp,
    pub tenant: TenantId,
    /// [`scope::Principal::id`] of the caller.
    pub principal: String,
    pub principal_kind: Cow<'static, str>,
    /// `stdio`, `http` or `grpc`.
    pub transport: Cow<'static, str>,
    /// What the client calls itself.
    pub client: Option<String>,
    /// The protocol's verb, such as `tools/call` or `resources/read`.
    pub method: Cow<'static, str>,
    /// The tool or the resource.
    pub target: String,
    /// Redacted JSON text; cut at [`ARGUMENTS_BYTES_MAX`].
    pub arguments: Cow<'static, str>,
    pub arguments_hash: Cow<'static, str>,
    pub request_id: String,
    pub correlation_id: String,
    pub trace_id: Option<String>,
    /// What admission said.
    pub decision: Cow<'static, str>,
    pub outcome: Cow<'static, str>,
    pub error_code: Option<String>,
    pub duration_us: u64,
}

/// The audit file of a data directory.
pub struct AuditLog {
    queue: Option<mpsc::Sender<Entry>>,
    thread: Option<std::thread::JoinHandle<()>>,
    readers: Arc<Readers>,
    state: Arc<State>,
    path: PathBuf,
}

/// What became of the rows so far.
#[derive(Debug, Default)]
struct State {
    written: AtomicU64,
    dropped: AtomicU64,
    /// Nobody appends any more, so what cannot be inserted now never will be.
    closing: AtomicBool,
    /// Why the last batch could not be inserted, if it could not.
    problem: Mutex<Option<String>>,
}

impl State {
    fn drop_rows(&self, rows: usize) {
        if self.dropped.fetch_add(rows as u64, Ordering::Relaxed) == 0 {
            tracing::warn!("audit rows are lost; chancery_audit_dropped_total counts them");
        }
    }

    fn set_problem(&self, problem: Option<String>) {
        *self.problem.lock().unwrap_or_else(PoisonError::into_inner) = problem;
    }
}

enum Entry {
    Row(Box<AuditRow>),
    /// Answered when everything before it is stored.
    Flush(oneshot::Sender<()>),
}

impl AuditLog {
    /// Opens `audit.db` in a data directory, and creates both where needed.
    pub fn open(data_dir: impl AsRef<Path>) -> Result<Self, OpenError> {
        let data_dir = data_dir.as_ref();
        directory::create(data_dir).map_err(|error| OpenError::io(data_dir, &error))?;
        let path = data_dir.join("audit.db");
        let state = Arc::<State>::default();
        let inserter = Inserter::open(&path, Arc::clone(&state))?;
        let (queue, entries) = mpsc::channel(QUEUE_ROWS_MAX);
        let spawned = std::thread::Builder::new().name("audit-writer".to_owned()).spawn(move || inserter.run(entries));
        let thread = spawned.map_err(|error| OpenError::io(&path, &error))?;
        Ok(Self {
            queue: Some(queue),
            thread: Some(thread),
            readers: Arc::new(Readers::new(path.clone(), BUSY, READERS)),
            state,
            path,
        })
    }

    /// Hands a row over. `None` when it has its place in the queue; otherwise it has to be waited for, for a moment, and is
    /// counted as dropped when nobody does or there is still no room.
    #[must_use = "a row that nobody waits for is lost when the queue is full"]
    pub fn append(&self, mut row: AuditRow) -> Option<impl Future<Output = ()> + Send + use<>> {
        if row.arguments.len() > ARGUMENTS_BYTES_MAX {
            let end = row.arguments.floor_char_boundary(ARGUMENTS_BYTES_MAX);
            row.arguments.to_mut().truncate(end);
        }
        let queue = self.queue.as_ref().expect("the queue is closed by drop alone");
        match queue.try_send(Entry::Row(Box::new(row))) {
            Ok(()) => None,
            Err(TrySendError::Full(entry) | TrySendError::Closed(entry)) => {
                let waiting = Waiting { entry: Some(entry), state: Arc::clone(&self.state) };
                Some(waiting.send(queue.clone()))
            }
        }
    }

    /// How many rows were stored.
    pub fn written(&self) -> u64 {
        self.state.written.load(Ordering::Relaxed)
    }

    /// How many rows could not be stored.
    pub fn dropped(&self) -> u64 {
        self.state.dropped.load(Ordering::Relaxed)
    }

    /// Why rows cannot be stored now, if they cannot.
    pub fn problem(&self) -> Option<String> {
        self.state.problem.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether rows could be stored now; otherwise why not.
    pub async fn check_writable(&self) -> Result<(), String> {
        let path = self.path.clone();
        let trial = tokio::task::spawn_blocking(move || table::write_nothing(&path, BUSY));
        trial.await.map_err(|error| error.to_string())?.map_err(|error| error.to_string())
    }

    /// Returns when every row that was appended before is stored, or after a few seconds in which it could not be.
    pub async fn flush(&self) {
        let Some(queue) = &self.queue else { return };
        let flushing = async {
            let (answer, answered) = oneshot::channel();
            if queue.send(Entry::Flush(answer)).await.is_ok() {
                _ = answered.await;
            }
        };
        _ = timeout(FLUSH_MAX, flushing).await;
    }

    /// What this file is called; another in its place has another name.
    pub async fn id(&self) -> Result<String, ReadError> {
        self.readers.look_up_plain(|db| kept::id(db).map_err(failed)).await
    }

    /// Rows in the order of their numbers.
    pub async fn numbered(&self, numbers: Numbers) -> Result<Vec<(u64, AuditRow)>, ReadError> {
        self.readers.read(move |db| kept::numbered(db, &numbers).map_err(failed)).await
    }

    /// Up to which number rows were removed.
    pub async fn removed_through(&self) -> Result<u64, ReadError> {
        self.readers.look_up_plain(|db| kept::removed_through(db).map_err(failed)).await
    }

    /// The number of the last row before the first that is as young as `since`.
    pub async fn last_before(&self, since: Timestamp) -> Result<u64, ReadError> {
        self.readers.read(move |db| kept::last_before(db, since).map_err(failed)).await
    }

    /// Removes rows up to a number and says how many.
    pub async fn remove_through(&self, through: u64) -> Result<u64, OpenError> {
        let path = self.path.clone();
        let removal = tokio::task::spawn_blocking(move || kept::remove_through(&path, through));
        removal
            .await
            .unwrap_or_else(|error| Err(OpenError::Failed { path: self.path.clone(), reason: error.to_string() }))
    }

    /// Copies the file as it is now to a new one.
    pub async fn backup_to(&self, path: impl AsRef<Path>) -> Result<(), BackupError> {
        let (from, to) = (self.path.clone(), path.as_ref().to_owned());
        let failed_path = to.clone();
        let task = tokio::task::spawn_blocking(move || backup::copy(&from, &to, BUSY));
        task.await.unwrap_or_else(|error| Err(BackupError::Failed { path: failed_path, reason: error.to_string() }))
    }

    /// The rows of one correlation, oldest first.
    pub async fn by_correlation(&self, tenant: &TenantId, correlation_id: &str) -> Result<Vec<AuditRow>, ReadError> {
        let (tenant, correlation_id) = (tenant.clone(), correlation_id.to_owned());
        self.readers.read(move |db| table::by_correlation(db, &tenant, &correlation_id).map_err(failed)).await
    }

    /// The rows that fit, newest first.
    pub async fn find(&self, tenant: &TenantId, find: AuditFind) -> Result<Vec<AuditRow>, ReadError> {
        let tenant = tenant.clone();
        self.readers.read(move |db| find::rows(db, &tenant, &find).map_err(failed)).await
    }

    /// The last rows of a tenant, newest first.
    pub async fn recent(&self, tenant: &TenantId, limit: usize) -> Result<Vec<AuditRow>, ReadError> {
        let tenant = tenant.clone();
        self.readers.read(move |db| table::recent(db, &tenant, limit).map_err(failed)).await
    }
}

impl Drop for AuditLog {
    fn drop(&mut self) {
        self.state.closing.store(true, Ordering::Relaxed);
        self.queue = None;
        if let Some(thread) = self.thread.take() {
            _ = thread.join();
        }
    }
}

/// A row that waits for room in the queue. Given up, it is counted.
struct Waiting {
    entry: Option<Entry>,
    state: Arc<State>,
}

impl Waiting {
    async fn send(mut self, queue: mpsc::Sender<Entry>) {
        let Ok(Ok(place)) = timeout(WAIT_MAX, queue.reserve()).await else { return };
        if let Some(entry) = self.entry.take() {
            place.send(entry);
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if self.entry.is_some() {
            self.state.drop_rows(1);
        }
    }
}
