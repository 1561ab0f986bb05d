//! The data directory: where the files are, and who may use them.
//!
//! Everyone who opens the store holds a shared lock on `chancery.lock`; a restore holds it alone. The lock
//! goes with the process, however it ends.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use crate::OpenError;

/// A data directory that this process may use.
pub(crate) struct Directory {
    path: PathBuf,
    /// Held open: closing the file gives the lock back.
    _lock: File,
}

impl Directory {
    /// Creates the directory where needed and takes a place in it.
    pub(crate) fn share(path: &Path) -> Result<Self, OpenError> {
        let lock = lock_file(path)?;
        match lock.try_lock_shared() {
            Ok(()) => Ok(Self { path: path.to_owned(), _lock: lock }),
            Err(TryLockError::WouldBlock) => Err(OpenError::Locked { path: path.to_owned() }),
            Err(TryLockError::Error(error)) => Err(OpenError::io(path, &error)),
        }
    }

    /// Takes the directory for this process alone, or nothing if somebody uses it.
    pub(crate) fn alone(path: &Path) -> Result<Option<Self>, OpenError> {
        let lock = lock_file(path)?;
        match lock.try_lock() {
            Ok(()) => Ok(Some(Self { path: path.to_owned(), _lock: lock })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(OpenError::io(path, &error)),
        }
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.path.join("chancery.db")
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

fn lock_file(directory: &Path) -> Result<File, OpenError> {
    create(directory)
        .map_err(|error| OpenError::NoDirectory { path: directory.to_owned(), reason: error.to_string() })?;
    let path = directory.join("chancery.lock");
    let opened = File::options().read(true).write(true).create(true).truncate(false).open(&path);
    opened.map_err(|error| OpenError::io(&path, &error))
}

/// Creates the directory for its owner only: the files hold every tenant's data.
pub(crate) fn create(directory: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)
}
