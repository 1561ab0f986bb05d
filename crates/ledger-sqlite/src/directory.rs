//! The data directory: where the files are, and who may use them.
//!
//! Everyone who opens the store holds a shared lock on `chancery.lock`; a restore holds it alone, and so does a migration,
//! because a process of an older version may go on writing rows of its own format. The lock goes with the process, however it ends.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use crate::OpenError;

/// A data directory that this process may use.
pub(crate) struct Directory {
    path: PathBuf,
    /// Held open: closing the file gives the lock back.
    _lock: File,
}

impl Directory {
    /// Creates the directory where needed and takes a place in it, or nothing if somebody has it alone.
    pub(crate) fn share(path: &Path) -> Result<Option<Self>, OpenError> {
        Self::take(path, File::try_lock_shared)
    }

    /// Takes the directory for this process alone, or nothing if somebody uses it.
    pub(crate) fn alone(path: &Path) -> Result<Option<Self>, OpenError> {
        Self::take(path, File::try_lock)
    }

    fn take(path: &Path, how: fn(&File) -> Result<(), TryLockError>) -> Result<Option<Self>, OpenError> {
        let lock = lock_file(path)?;
        match how(&lock) {
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
    keep_private(&path).map_err(|error| OpenError::io(&path, &error))?;
    let opened = File::options().read(true).write(true).open(&path);
    opened.map_err(|error| OpenError::io(&path, &error))
}

/// Creates the directory for its owner only, whatever the umask: the files hold every tenant's data. One that is there and
/// open to others is closed to them. A new one is there after a power cut too, or what is committed in it would not be.
pub(crate) fn create(directory: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    let missing: Vec<&Path> = directory.ancestors().take_while(|above| !above.exists()).collect();
    builder.create(directory)?;
    missing.into_iter().filter_map(Path::parent).try_for_each(sync_directory)?;
    close_to_others(directory);
    Ok(())
}

#[cfg(unix)]
fn sync_directory(path: &Path) -> io::Result<()> {
    let here = Path::new(".");
    File::open(if path.as_os_str().is_empty() { here } else { path })?.sync_all()
}

/// Elsewhere a directory cannot be synced, and a new name is durable by itself.
#[cfg(not(unix))]
fn sync_directory(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Creates the file for its owner only, whatever the umask, or closes one that is there to others. What SQLite puts beside a
/// database has the mode of the database.
pub(crate) fn keep_private(path: &Path) -> io::Result<()> {
    if path.exists() {
        close_to_others(path);
        return Ok(());
    }
    let mut options = File::options();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop)
}

/// Takes the rights of group and others away. Only the owner of a file may; anybody else is warned.
#[cfg(unix)]
fn close_to_others(path: &Path) {
    use std::os::unix::fs::PermissionsExt as _;

    let Ok(found) = fs::metadata(path) else { return };
    let mode = found.permissions().mode() & 0o7777;
    if mode & 0o077 == 0 {
        return;
    }
    let closed = fs::set_permissions(path, fs::Permissions::from_mode(mode & !0o077));
    match closed {
        Ok(()) => {
            tracing::warn!(path = %path.display(), "was open to other users of this machine and is closed to them now")
        }
        Err(error) => {
            tracing::warn!(path = %path.display(), %error, "is open to other users of this machine; let its owner close it")
        }
    }
}

#[cfg(not(unix))]
fn close_to_others(_: &Path) {}
