//! Connections: how a database file is opened, and what is checked before it is used.
//!
//! WAL lets readers go on while one writes; `synchronous = FULL` makes a commit survive a power cut. Both
//! are read back, because a file system can refuse the first and a build can change the second.

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::{OpenError, directory};

/// Pages in the log before they are moved into the database; larger is faster for bursts.
const LOG_PAGES_MAX: i64 = 10_000;
/// Memory for pages that the writer has at hand. When a page was split, a commit looks at each of them once, so that more
/// memory made commits slower; other pages come from the memory of the system.
const WRITER_PAGES_KIB: i64 = 4096;
const STATEMENTS_MAX: usize = 96;

/// How a file is opened for writing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Opening {
    /// How long to wait for another process that writes.
    pub busy: Duration,
    /// Whether commits go to the log in one piece (`sqlite_log`).
    pub gather_log: bool,
}

impl Default for Opening {
    fn default() -> Self {
        Self { busy: Duration::from_secs(5), gather_log: true }
    }
}

/// Opens the file for writing and checks that what is committed stays.
pub(crate) fn open_writer(path: &Path, Opening { busy, gather_log }: Opening) -> Result<Connection, OpenError> {
    directory::keep_private(path).map_err(|error| OpenError::io(path, &error))?;
    let fail = |error: rusqlite::Error| OpenError::sqlite(path, &error);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = match sqlite_log::layer().filter(|_| gather_log) {
        Some(layer) => Connection::open_with_flags_and_vfs(path, flags, layer),
        None => Connection::open_with_flags(path, flags),
    };
    let connection = prepare(connection.map_err(fail)?, busy).map_err(fail)?;
    if connection.is_readonly(rusqlite::MAIN_DB).map_err(fail)? {
        return Err(OpenError::ReadOnly { path: path.to_owned() });
    }
    let mode = log_mode(&connection, busy).map_err(fail)?;
    connection.execute_batch("PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY;").map_err(fail)?;
    connection.pragma_update(None, "cache_size", -WRITER_PAGES_KIB).map_err(fail)?;
    connection.pragma_update(None, "wal_autocheckpoint", LOG_PAGES_MAX).map_err(fail)?;
    let synchronous: i64 = connection.pragma_query_value(None, "synchronous", |row| row.get(0)).map_err(fail)?;
    match lacking(&mode, synchronous) {
        Some(setting) => Err(OpenError::NotDurable { path: path.to_owned(), setting }),
        None => Ok(connection),
    }
}

/// What a commit would need to survive a power cut and has not.
fn lacking(mode: &str, synchronous: i64) -> Option<&'static str> {
    if mode != "wal" {
        return Some("a write-ahead log");
    }
    (synchronous != 2).then_some("synchronous = FULL")
}

/// Opens the file for reading only.
pub(crate) fn open_reader(path: &Path, busy: Duration) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    prepare(Connection::open_with_flags(path, flags)?, busy)
}

fn prepare(mut connection: Connection, busy: Duration) -> rusqlite::Result<Connection> {
    connection.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
    // Plans must not depend on values. Without this, SQLite compiles every statement on a table with partial
    // indexes again for each new value, which costs more than running it.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    let mut since = Instant::now();
    connection.busy_handler(Some(move |tries: i32| {
        if tries == 0 {
            since = Instant::now();
        }
        wait_a_little(tries);
        since.elapsed() < busy
    }))?;
    Ok(connection)
}

/// Short waits of random length: a lock of another process is held for one group commit, and equal waits
/// would meet the same process again and again.
fn wait_a_little(tries: i32) {
    let longest_us = 500_u64 << tries.clamp(0, 4);
    std::thread::sleep(Duration::from_micros(rand::random_range(100..=longest_us)));
}

/// Switches to WAL. SQLite does not ask the busy handler here when another process switches too.
fn log_mode(connection: &Connection, busy: Duration) -> rusqlite::Result<String> {
    let since = Instant::now();
    loop {
        let mode = connection.pragma_update_and_check(None, "journal_mode", "wal", |row| row.get(0));
        match mode {
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) && since.elapsed() < busy => {
                wait_a_little(2)
            }
            outcome => return outcome,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // R-824 (sqlite)
    #[test]
    fn what_is_not_durable_is_not_opened() {
        assert_eq!(lacking("wal", 2), None);
        assert_eq!(lacking("memory", 2), Some("a write-ahead log"));
        assert_eq!(lacking("wal", 1), Some("synchronous = FULL"));
        let folder = tempfile::tempdir().unwrap();
        let writer = open_writer(&folder.path().join("chancery.db"), Opening::default()).unwrap();
        let mode: String = writer.pragma_query_value(None, "journal_mode", |row| row.get(0)).unwrap();
        let synchronous: i64 = writer.pragma_query_value(None, "synchronous", |row| row.get(0)).unwrap();
        assert_eq!((mode.as_str(), synchronous), ("wal", 2));
    }
}
