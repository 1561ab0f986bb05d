//! Audit: who asked for what and how it ended, in a file of its own (`audit.db`).
//!
//! [`AuditLog::append`] never waits: rows go through a bounded queue to a thread that inserts them in
//! batches. When the queue is full the row is dropped and counted, because a call must not wait for its
//! own trace. Rows are never changed: no statement here does, and the file refuses it.
//! `synchronous = NORMAL`: a power cut may lose the last rows, never the file.

mod find;
mod table;

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::time::Duration;

use ledger::ReadError;
use rusqlite::Connection;
use scope::{TenantId, Timestamp};
use tokio::sync::oneshot;

use crate::readers::{Readers, failed};
use crate::{OpenError, directory};

pub use find::AuditFind;

const QUEUE_ROWS_MAX: usize = 4096;
const LINGER: Duration = Duration::from_millis(20);
const BATCH_ROWS_MAX: usize = 512;
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
    queue: Option<SyncSender<Entry>>,
    thread: Option<std::thread::JoinHandle<()>>,
    readers: Arc<Readers>,
    dropped: Arc<AtomicU64>,
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
        let connection = table::open(&path, BUSY)?;
        let (queue, entries) = sync_channel(QUEUE_ROWS_MAX);
        let dropped = Arc::<AtomicU64>::default();
        let inserter = Inserter { path: path.clone(), connection: Some(connection), dropped: Arc::clone(&dropped) };
        let spawned = std::thread::Builder::new().name("audit-writer".to_owned()).spawn(move || inserter.run(&entries));
        let thread = spawned.map_err(|error| OpenError::io(&path, &error))?;
        Ok(Self {
            queue: Some(queue),
            thread: Some(thread),
            readers: Arc::new(Readers::new(path, BUSY, READERS)),
            dropped,
        })
    }

    /// Hands a row over and returns at once.
    pub fn append(&self, mut row: AuditRow) {
        if row.arguments.len() > ARGUMENTS_BYTES_MAX {
            let end = row.arguments.floor_char_boundary(ARGUMENTS_BYTES_MAX);
            row.arguments.to_mut().truncate(end);
        }
        let sent = self.queue.as_ref().map(|queue| queue.try_send(Entry::Row(Box::new(row))));
        if !matches!(sent, Some(Ok(()))) && self.dropped.fetch_add(1, Ordering::Relaxed) == 0 {
            tracing::warn!("the audit queue is full and rows are dropped; audit_dropped counts them");
        }
    }

    /// How many rows could not be stored.
    pub fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    /// Returns when every row that was appended before is stored or counted as dropped.
    pub async fn flush(&self) {
        let (answer, answered) = oneshot::channel();
        let mut entry = Entry::Flush(answer);
        while let Some(queue) = &self.queue {
            match queue.try_send(entry) {
                Ok(()) => break,
                Err(TrySendError::Disconnected(_)) => return,
                Err(TrySendError::Full(back)) => entry = back,
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        _ = answered.await;
    }

    /// The rows of one correlation, oldest first.
    pub async fn by_correlation(&self, tenant: &TenantId, correlation_id: &str) -> Result<Vec<AuditRow>, ReadError> {
        let (tenant, correlation_id) = (tenant.clone(), correlation_id.to_owned());
        self.readers.read(move |db| table::by_correlation(db, &tenant, &correlation_id).map_err(failed)).await
    }

    /// The rows that fit, newest first, each with its number.
    pub async fn find(&self, tenant: &TenantId, find: AuditFind) -> Result<Vec<(i64, AuditRow)>, ReadError> {
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
        self.queue = None;
        if let Some(thread) = self.thread.take() {
            _ = thread.join();
        }
    }
}

struct Inserter {
    path: PathBuf,
    connection: Option<Connection>,
    dropped: Arc<AtomicU64>,
}

impl Inserter {
    fn run(mut self, entries: &Receiver<Entry>) {
        let (mut rows, mut flushes) = (Vec::new(), Vec::new());
        while let Ok(first) = entries.recv() {
            if matches!(first, Entry::Row(_)) {
                // More will come: rows that share a transaction, and a thread that is woken once, cost a fraction.
                std::thread::sleep(LINGER);
            }
            let mut next = Some(first);
            while let Some(entry) = next {
                match entry {
                    Entry::Row(row) => rows.push(*row),
                    Entry::Flush(answer) => flushes.push(answer),
                }
                next = if rows.len() < BATCH_ROWS_MAX { entries.try_recv().ok() } else { None };
            }
            if let Err(error) = self.insert(&rows) {
                self.dropped.fetch_add(rows.len() as u64, Ordering::Relaxed);
                tracing::error!(%error, rows = rows.len(), "audit rows could not be stored");
            }
            rows.clear();
            flushes.drain(..).for_each(|answer: oneshot::Sender<()>| _ = answer.send(()));
        }
    }

    fn insert(&mut self, rows: &[AuditRow]) -> Result<(), OpenError> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => table::open(&self.path, BUSY)?,
        };
        table::insert(&mut connection, rows).map_err(|error| OpenError::sqlite(&self.path, &error))?;
        self.connection = Some(connection);
        Ok(())
    }
}
