//! Backup and restore: a copy of one moment, and the way back.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::Connection;
use rusqlite::backup::{Backup, StepResult};

use crate::connection::Opening;
use crate::directory::{self, Directory};
use crate::{BackupError, connection, schema};

/// Copies the database to a new file: written under another name, synced, then renamed.
pub(crate) fn copy(from: &Path, to: &Path, busy: Duration) -> Result<(), BackupError> {
    if to.exists() {
        return Err(BackupError::Exists { path: to.to_owned() });
    }
    let failed = |reason: String| BackupError::Failed { path: to.to_owned(), reason };
    let partial = beside(to, "partial");
    let outcome = connection::open_reader(from, busy)
        .and_then(|source| write_copy(&source, &partial))
        .map_err(|error| failed(error.to_string()))
        .and_then(|()| publish(&partial, to).map_err(|error| failed(error.to_string())));
    if outcome.is_err() {
        _ = fs::remove_file(&partial);
    }
    outcome
}

/// Puts a backup into a data directory that holds no facts yet. Nothing may run on the directory meanwhile.
pub fn restore(from: impl AsRef<Path>, data_dir: impl AsRef<Path>) -> Result<(), BackupError> {
    Restoring::begin(from, data_dir)?.finish()
}

/// A backup that can be restored: it is sound, and there is room for it. The directory is locked until this is dropped.
pub struct Restoring {
    source: Connection,
    directory: Directory,
}

impl Restoring {
    /// Checks both sides and changes nothing.
    pub fn begin(from: impl AsRef<Path>, data_dir: impl AsRef<Path>) -> Result<Self, BackupError> {
        let busy = Duration::from_secs(5);
        let source = checked_backup(from.as_ref(), busy)?;
        let Some(directory) = Directory::alone(data_dir.as_ref())? else {
            return Err(BackupError::InUse { path: data_dir.as_ref().to_owned() });
        };
        let database = directory.database();
        if holds_facts(&database, busy)? {
            Err(BackupError::NotEmpty { path: database })
        } else {
            Ok(Self { source, directory })
        }
    }

    /// Puts the database into its place.
    pub fn finish(self) -> Result<(), BackupError> {
        let database = self.directory.database();
        let failed = |reason: String| BackupError::Failed { path: database.clone(), reason };
        let partial = beside(&database, "restoring");
        _ = fs::remove_file(&partial);
        write_copy(&self.source, &partial).map_err(|error| failed(error.to_string()))?;
        for leftover in ["-wal", "-shm"] {
            let mut path = database.clone().into_os_string();
            path.push(leftover);
            _ = fs::remove_file(PathBuf::from(path));
        }
        publish(&partial, &database).map_err(|error| failed(error.to_string()))
    }
}

/// Opens a backup after it proved to be one, of a format this program knows, and sound.
fn checked_backup(path: &Path, busy: Duration) -> Result<Connection, BackupError> {
    let unreadable = |reason: String| BackupError::Unreadable { path: path.to_owned(), reason };
    let source = connection::open_reader(path, busy).map_err(|error| unreadable(error.to_string()))?;
    if schema::format(&source, path)? == 0 {
        return Err(unreadable("it holds no Chancery data".to_owned()));
    }
    let verdict: String = source
        .query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))
        .map_err(|error| unreadable(error.to_string()))?;
    if verdict != "ok" { Err(unreadable(verdict)) } else { Ok(source) }
}

fn holds_facts(database: &Path, busy: Duration) -> Result<bool, BackupError> {
    if !database.exists() {
        return Ok(false);
    }
    let existing = connection::open_writer(database, Opening { busy, ..Opening::default() })?;
    if schema::format(&existing, database)? == 0 {
        return Ok(false);
    }
    let any: rusqlite::Result<bool> = existing.query_row("SELECT EXISTS (SELECT 1 FROM facts)", [], |row| row.get(0));
    any.map_err(|error| crate::OpenError::sqlite(database, &error).into())
}

/// All pages in one step, so the copy is of one moment; in WAL mode writers go on meanwhile.
fn write_copy(source: &Connection, to: &Path) -> rusqlite::Result<()> {
    // SQLite gives a journal the mode of its database, so the copy is private before it holds anything.
    directory::keep_private(to).map_err(|error| cannot_open(&error))?;
    let mut copy = Connection::open(to)?;
    copy.execute_batch("PRAGMA synchronous = FULL;")?;
    let step = Backup::new(source, &mut copy)?.step(-1)?;
    if step != StepResult::Done {
        let busy = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_BUSY);
        return Err(rusqlite::Error::SqliteFailure(busy, Some("the database stays locked".to_owned())));
    }
    // One file without a log, which opens anywhere, also where nothing can be written.
    copy.pragma_update_and_check(None, "journal_mode", "delete", |_| Ok(()))?;
    copy.close().map_err(|(_, error)| error)
}

fn cannot_open(error: &std::io::Error) -> rusqlite::Error {
    let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CANTOPEN);
    rusqlite::Error::SqliteFailure(code, Some(error.to_string()))
}

/// Gives a finished file its name, durably.
fn publish(partial: &Path, to: &Path) -> std::io::Result<()> {
    fs::File::open(partial)?.sync_all()?;
    fs::rename(partial, to)?;
    let directory = to.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::File::open(directory)?.sync_all()
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{suffix}"));
    PathBuf::from(name)
}
