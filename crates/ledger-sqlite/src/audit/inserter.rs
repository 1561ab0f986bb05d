//! The thread that inserts audit rows.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use super::{AuditRow, BUSY, Entry, State, table};
use crate::{OpenError, health};

/// How long a row waits for others: rows that share a transaction, and a thread that is woken once, cost a fraction.
const LINGER: Duration = Duration::from_millis(20);
const BATCH_ROWS_MAX: usize = 512;
/// How long a batch that could not be inserted waits for the next try.
const RETRY_AFTER: Duration = Duration::from_millis(100);

pub(super) struct Inserter {
    path: PathBuf,
    /// `None` after a failure; opened again by the next try.
    connection: Option<Connection>,
    /// The number of the last row that is known to be stored.
    last_number: i64,
    state: Arc<State>,
}

impl Inserter {
    pub(super) fn open(path: &Path, state: Arc<State>) -> Result<Self, OpenError> {
        let connection = table::open(path, BUSY)?;
        let last_number = table::last_number(&connection).map_err(|error| OpenError::sqlite(path, &error))?;
        Ok(Self { path: path.to_owned(), connection: Some(connection), last_number, state })
    }

    /// Works until every sender is gone and the queue is empty.
    pub(super) fn run(mut self, mut entries: mpsc::Receiver<Entry>) {
        let (mut rows, mut flushes) = (Vec::new(), Vec::<oneshot::Sender<()>>::new());
        while let Some(first) = entries.blocking_recv() {
            if matches!(first, Entry::Row(_)) {
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
            self.insert_until_done(&rows);
            rows.clear();
            flushes.drain(..).for_each(|answer| _ = answer.send(()));
        }
    }

    /// Tries until the rows are stored, or nobody will ever know whether they are.
    fn insert_until_done(&mut self, rows: &[AuditRow]) {
        let mut tries = 0_u32;
        loop {
            match self.insert(rows, tries > 0) {
                Ok(()) => {
                    if tries > 0 {
                        tracing::info!(rows = rows.len(), "audit rows are stored again");
                    }
                    self.state.set_problem(None);
                    self.state.written.fetch_add(rows.len() as u64, Ordering::Relaxed);
                    return;
                }
                Err(error) if self.state.closing.load(Ordering::Relaxed) => {
                    tracing::error!(%error, rows = rows.len(), "audit rows are lost: they could not be stored before the end");
                    self.state.drop_rows(rows.len());
                    return;
                }
                Err(error) => {
                    if tries == 0 {
                        tracing::error!(%error, rows = rows.len(), "audit rows cannot be stored; they are kept and tried again");
                        // SQLite calls some disks without space broken.
                        let full = health::check_space(&self.path).err().map(|error| error.to_string());
                        self.state.set_problem(Some(full.unwrap_or_else(|| error.to_string())));
                    }
                }
            }
            tries = tries.saturating_add(1);
            std::thread::sleep(RETRY_AFTER);
        }
    }

    fn insert(&mut self, rows: &[AuditRow], is_retry: bool) -> Result<(), OpenError> {
        let Some(first) = rows.first() else { return Ok(()) };
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => table::open(&self.path, BUSY)?,
        };
        let fail = |error: rusqlite::Error| OpenError::sqlite(&self.path, &error);
        // A commit that failed may have happened all the same.
        let is_stored = is_retry && table::holds(&connection, self.last_number, &first.audit_id).map_err(fail)?;
        if is_stored {
            self.last_number = table::last_number(&connection).map_err(fail)?;
        } else {
            self.last_number = table::insert(&mut connection, rows).map_err(fail)?;
        }
        self.connection = Some(connection);
        Ok(())
    }
}
