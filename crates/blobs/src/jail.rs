//! Local files, opened beneath permitted folders and nowhere else.
//!
//! The folders are opened once and held. A file is opened relative to such a handle, and the kernel sees to it that no `..`
//! and no link leads out; what is then read is that handle, so nothing can be swapped in between. What lies outside, what
//! is not a regular file and what is not there are all the same: not found. A file with several names (hard links) is
//! refused, because another of them may lie outside.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use crate::Error;

/// Folders beneath which files may be opened. Without any, no file can be.
#[derive(Debug, Default)]
pub struct Roots {
    roots: Vec<Root>,
}

#[derive(Debug)]
struct Root {
    /// As it was configured, and without links; a caller may name either.
    names: [PathBuf; 2],
    folder: File,
}

/// A regular file beneath one of the folders.
#[derive(Debug)]
pub struct LocalFile {
    file: File,
    size: u64,
}

impl Roots {
    /// Opens the folders. One that is not there is an error of the operator's.
    pub fn open(folders: &[PathBuf]) -> io::Result<Self> {
        let root = |folder: &PathBuf| {
            let real = folder.canonicalize()?;
            if !real.is_dir() {
                return Err(io::ErrorKind::NotADirectory.into());
            }
            Ok(Root { folder: File::open(&real)?, names: [folder.clone(), real] })
        };
        let named = |folder: &PathBuf, error: io::Error| {
            io::Error::new(error.kind(), format!("upload folder {}: {error}", folder.display()))
        };
        let roots = folders.iter().map(|folder| root(folder).map_err(|error| named(folder, error)));
        Ok(Self { roots: roots.collect::<io::Result<_>>()? })
    }

    pub fn is_empty(&self) -> bool {
        self.roots.is_empty()
    }

    /// Opens a file: by a path that starts with one of the folders, or relative to the first of them that has it.
    pub fn file(&self, path: &Path) -> Result<LocalFile, Error> {
        for root in &self.roots {
            let relative = if path.is_absolute() {
                root.names.iter().find_map(|name| path.strip_prefix(name).ok())
            } else {
                Some(path)
            };
            let Some(relative) = relative.filter(|relative| !relative.as_os_str().is_empty()) else { continue };
            match beneath(&root.folder, relative) {
                Ok(file) => {
                    let known = file.metadata()?;
                    if known.is_file() {
                        one_name(&known)?;
                        return Ok(LocalFile { file, size: known.len() });
                    }
                }
                Err(error) if is_fault(&error) => return Err(Error::Io(error)),
                Err(_) => {}
            }
        }
        Err(Error::NotFound)
    }
}

impl LocalFile {
    /// The size when it was opened. The file may grow while it is read, so reading is bounded by other means too.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The first bytes, without moving on.
    pub fn head(&mut self, bytes_max: usize) -> Result<Vec<u8>, Error> {
        use std::io::{Read as _, Seek as _};
        let mut head = Vec::new();
        (&self.file).take(bytes_max as u64).read_to_end(&mut head)?;
        self.file.rewind()?;
        Ok(head)
    }

    /// To be read from the start.
    pub fn into_reader(self) -> tokio::fs::File {
        let mut file = tokio::fs::File::from_std(self.file);
        file.set_max_buf_size(crate::CHUNK_BYTES);
        file
    }
}

#[cfg(unix)]
fn one_name(file: &std::fs::Metadata) -> Result<(), Error> {
    if std::os::unix::fs::MetadataExt::nlink(file) > 1 { Err(Error::SeveralNames) } else { Ok(()) }
}

#[cfg(not(unix))]
fn one_name(_: &std::fs::Metadata) -> Result<(), Error> {
    Ok(())
}

/// True for what an operator must look at; all else is a file that is not there for the caller.
fn is_fault(error: &io::Error) -> bool {
    #[cfg(unix)]
    {
        use rustix::io::Errno;
        let number = error.raw_os_error();
        [Errno::MFILE, Errno::NFILE, Errno::NOMEM, Errno::IO].iter().any(|fault| Some(fault.raw_os_error()) == number)
    }
    #[cfg(not(unix))]
    {
        error.kind() == io::ErrorKind::OutOfMemory
    }
}

#[cfg(unix)]
fn beneath(folder: &File, path: &Path) -> io::Result<File> {
    #[cfg(target_os = "linux")]
    match unix::resolved_by_the_kernel(folder, path) {
        // An old kernel, or a container that does not know the call.
        Err(error) if error.kind() == io::ErrorKind::Unsupported => {}
        outcome => return outcome,
    }
    unix::step_by_step(folder, path)
}

/// Elsewhere there is no way to be sure yet.
#[cfg(not(unix))]
fn beneath(_: &File, _: &Path) -> io::Result<File> {
    Err(io::ErrorKind::NotFound.into())
}

#[cfg(unix)]
mod unix {
    use std::fs::File;
    use std::io;
    use std::path::{Component, Path};

    use rustix::fs::{Mode, OFlags, openat};

    /// A FIFO or a device must not hold up whoever opens it, and none becomes our terminal.
    fn reading() -> OFlags {
        OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY
    }

    /// Links are followed as long as they stay beneath the folder.
    #[cfg(target_os = "linux")]
    pub fn resolved_by_the_kernel(folder: &File, path: &Path) -> io::Result<File> {
        use rustix::fs::{ResolveFlags, openat2};
        use rustix::io::Errno;
        /// The kernel gives up when somebody renames folders at the same moment.
        const TRIES_MAX: usize = 8;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        let mut tries = 0;
        loop {
            tries += 1;
            match openat2(folder, path, reading(), Mode::empty(), resolve) {
                Ok(file) => return Ok(File::from(file)),
                Err(Errno::AGAIN) if tries < TRIES_MAX => {}
                Err(Errno::NOSYS) => return Err(io::ErrorKind::Unsupported.into()),
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Part by part, each relative to the handle of the one before. No link is followed and no `..` taken.
    pub fn step_by_step(folder: &File, path: &Path) -> io::Result<File> {
        let mut at = folder.try_clone()?;
        let mut parts = path.components().filter(|part| *part != Component::CurDir).peekable();
        while let Some(part) = parts.next() {
            let Component::Normal(name) = part else { return Err(io::ErrorKind::NotFound.into()) };
            let kind = if parts.peek().is_some() { OFlags::DIRECTORY } else { OFlags::empty() };
            at = File::from(openat(&at, name, reading() | OFlags::NOFOLLOW | kind, Mode::empty())?);
        }
        Ok(at)
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
