//! Readers: a few read-only connections, opened when they are first needed.
//!
//! Each read is one transaction: all it asks is of one moment, and the file is locked once instead of for each
//! statement. A read of one statement is a transaction by itself and needs no other around it. It sees the file as it is, so a commit of another process is visible at once; nothing is
//! cached between reads but SQLite's own pages, which it checks itself.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ledger::ReadError;
use rusqlite::Connection;
use tokio::sync::Semaphore;

use crate::connection;

pub(crate) struct Readers {
    path: PathBuf,
    busy: Duration,
    idle: Mutex<Vec<Connection>>,
    permits: Arc<Semaphore>,
}

impl Readers {
    pub(crate) fn new(path: PathBuf, busy: Duration, count: usize) -> Self {
        Self { path, busy, idle: Mutex::default(), permits: Arc::new(Semaphore::new(count.max(1))) }
    }

    /// Runs a read that may take long on a thread that may block.
    pub(crate) async fn read<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Connection) -> Result<T, ReadError> + Send + 'static,
    ) -> Result<T, ReadError> {
        let permit = Arc::clone(&self.permits).acquire_owned().await.map_err(closed)?;
        let readers = Arc::clone(self);
        let task = tokio::task::spawn_blocking(move || {
            let outcome = readers.with_connection(work);
            drop(permit);
            outcome
        });
        task.await.map_err(|error| ReadError::Unavailable(error.to_string()))?
    }

    /// Runs a long read on a connection of its own, which has cached nothing yet.
    pub(crate) async fn read_afresh<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Connection) -> Result<T, ReadError> + Send + 'static,
    ) -> Result<T, ReadError> {
        let readers = Arc::clone(self);
        let task = tokio::task::spawn_blocking(move || {
            let connection = connection::open_reader(&readers.path, readers.busy).map_err(failed)?;
            execute(&connection, "BEGIN").map_err(failed)?;
            work(&connection)
        });
        task.await.map_err(|error| ReadError::Unavailable(error.to_string()))?
    }

    /// Runs a look-up by key right here. It takes microseconds and touches a handful of pages, less than
    /// handing it to another thread and back would; a page that must come from the disk delays the
    /// executor like any page fault does.
    pub(crate) async fn look_up<T>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        let _permit = self.permits.acquire().await.map_err(closed)?;
        self.with_connection(work)
    }

    /// Runs a look-up that is one statement, or whose statements may each see another moment.
    pub(crate) async fn look_up_plain<T>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        let _permit = self.permits.acquire().await.map_err(closed)?;
        self.lend(work)
    }

    fn with_connection<T>(&self, work: impl FnOnce(&Connection) -> Result<T, ReadError>) -> Result<T, ReadError> {
        self.lend(|connection| {
            execute(connection, "BEGIN").map_err(failed)?;
            let outcome = work(connection);
            execute(connection, "COMMIT").map_err(failed)?;
            outcome
        })
    }

    fn lend<T>(&self, work: impl FnOnce(&Connection) -> Result<T, ReadError>) -> Result<T, ReadError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connection = match idle {
            Some(connection) => connection,
            None => connection::open_reader(&self.path, self.busy).map_err(failed)?,
        };
        let outcome = work(&connection);
        // After a failure the connection may be the reason: the next read opens another one.
        if !matches!(outcome, Err(ReadError::Unavailable(_))) {
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
        }
        outcome
    }
}

fn execute(connection: &Connection, sql: &'static str) -> rusqlite::Result<()> {
    connection.prepare_cached(sql)?.execute([])?;
    Ok(())
}

pub(crate) fn failed(error: rusqlite::Error) -> ReadError {
    ReadError::Unavailable(error.to_string())
}

fn closed(_: tokio::sync::AcquireError) -> ReadError {
    ReadError::Unavailable("the ledger is closed".to_owned())
}
