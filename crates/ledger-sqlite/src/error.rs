//! Why a data directory cannot be opened, copied or restored. Each text is one line that says what to do.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

/// Why the store could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("{path} cannot be created ({reason}); choose another data directory or correct its permissions", path = path.display())]
    NoDirectory { path: PathBuf, reason: String },
    #[error("{path} is being restored or migrated by another process; wait until it is done and start again", path = path.display())]
    Locked { path: PathBuf },
    #[error("{path} cannot be migrated: another process of an older version uses this data directory; stop it and start again", path = path.display())]
    OlderProcess { path: PathBuf },
    #[error("{path} was written by a newer Chancery (format {found}, this one knows {known}); use that version or a newer one", path = path.display())]
    Newer { path: PathBuf, found: i64, known: i64 },
    #[error("{path} belongs to another program; choose another data directory", path = path.display())]
    Foreign { path: PathBuf },
    #[error("{path} is damaged ({reason}); restore the last backup into an empty data directory", path = path.display())]
    Damaged { path: PathBuf, reason: String },
    #[error("{path} cannot be written; make the file and its directory writable for this user", path = path.display())]
    ReadOnly { path: PathBuf },
    #[error("there is no space left for {path}; free some disk space and start again", path = path.display())]
    Full { path: PathBuf },
    #[error("{path} stays locked by another process; stop the program that holds it and start again", path = path.display())]
    Busy { path: PathBuf },
    #[error("{path} does not keep {setting}, so a power cut could lose writes; move the data to a local disk", path = path.display())]
    NotDurable { path: PathBuf, setting: &'static str },
    #[error("{path} cannot be opened ({reason}); check that the data directory is readable and on a local disk", path = path.display())]
    Failed { path: PathBuf, reason: String },
}

impl OpenError {
    /// Says what an engine error means for someone who wants to open `path`.
    pub(crate) fn sqlite(path: &Path, error: &rusqlite::Error) -> Self {
        let (path, reason) = (path.to_owned(), error.to_string());
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => Self::Foreign { path },
            Some(ErrorCode::DatabaseCorrupt) => Self::Damaged { path, reason },
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => Self::ReadOnly { path },
            Some(ErrorCode::DiskFull) => Self::Full { path },
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy { path },
            _ => Self::Failed { path, reason },
        }
    }

    /// Says what a file system error means for someone who wants to use `path`.
    pub(crate) fn io(path: &Path, error: &io::Error) -> Self {
        let (path, reason) = (path.to_owned(), error.to_string());
        match error.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => Self::ReadOnly { path },
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::Full { path },
            _ => Self::Failed { path, reason },
        }
    }
}

/// Why a copy could not be made or put back.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    #[error("{path} exists already; choose a new file name for the backup", path = path.display())]
    Exists { path: PathBuf },
    #[error("{path} is not a readable backup ({reason}); use another one", path = path.display())]
    Unreadable { path: PathBuf, reason: String },
    #[error("{path} holds data already; restore into an empty data directory", path = path.display())]
    NotEmpty { path: PathBuf },
    #[error("{path} is in use; stop every Chancery that runs on it and try again", path = path.display())]
    InUse { path: PathBuf },
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error("the copy to {path} failed ({reason}); check the free space and try again", path = path.display())]
    Failed { path: PathBuf, reason: String },
}
