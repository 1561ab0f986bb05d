//! Blobs: the bytes of files, kept beside the ledger.
//!
//! [`Blobs`] is the port: put a stream, ask for a length, read a range. [`FileBlobs`] keeps blobs in a folder; an object
//! store comes later. A blob is found by its [`Key`], whose last part is the SHA-256 of the bytes, so a blob never changes
//! and the same bytes are kept once.
//!
//! Around it, what files need on their way in and out: [`jail`] opens a local file beneath permitted folders only,
//! [`media`] tells a file's type by its bytes, and [`sign`] makes addresses that are good for a while.
//!
//! Invariants:
//! * what `put` answered is on the disk, whole, under its key;
//! * no more than [`CHUNK_BYTES`] of a file are in memory at a time;
//! * one tenant's blob does not exist for another.

pub mod jail;
pub mod media;
pub mod sign;

mod file;
mod key;

use futures::future::BoxFuture;
use tokio::io::AsyncRead;

pub use file::{Copied, FileBlobs, copy};
pub use key::{Folder, InvalidKey, Key, segment};

/// How much of a file is in memory at a time.
pub const CHUNK_BYTES: usize = 64 * 1024;

/// Bytes that arrive as they are asked for.
pub type Reader = Box<dyn AsyncRead + Send + Unpin>;

/// A store of blobs.
pub trait Blobs: Send + Sync + 'static {
    /// Stores what `content` yields, up to `limit`, and says under which key. The same bytes twice are one blob.
    fn put<'a>(
        &'a self,
        folder: &'a Folder,
        content: &'a mut (dyn AsyncRead + Send + Unpin),
        limit: Limit,
    ) -> BoxFuture<'a, Result<StoredBlob, Error>>;

    /// How many bytes a blob has.
    fn len<'a>(&'a self, key: &'a Key) -> BoxFuture<'a, Result<u64, Error>>;

    /// `length` bytes of a blob from `start` on, or as many as there are.
    fn read<'a>(&'a self, key: &'a Key, start: u64, length: u64) -> BoxFuture<'a, Result<Reader, Error>>;
}

/// How large a blob may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    pub bytes_max: u64,
    /// The size that was stated before, which a refusal then names. It is not believed otherwise.
    pub declared: Option<u64>,
}

impl Limit {
    pub fn of(bytes_max: u64) -> Self {
        Self { bytes_max, declared: None }
    }

    /// Refuses a size that is beyond the limit.
    pub fn check(self, size: u64) -> Result<(), Error> {
        if size > self.bytes_max {
            return Err(Error::TooLarge { size: self.declared.unwrap_or(0).max(size), max: self.bytes_max });
        }
        Ok(())
    }
}

/// A blob that is on the disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredBlob {
    pub key: Key,
    pub size: u64,
    /// False when the same bytes were there before.
    pub fresh: bool,
}

impl StoredBlob {
    /// SHA-256 of the bytes, in hex.
    pub fn hash(&self) -> &str {
        self.key.hash()
    }
}

/// Why bytes could not be stored or found.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// `size` is what was declared, or how much was read before it was too much.
    #[error("{size} bytes are more than the limit of {max}")]
    TooLarge { size: u64, max: u64 },
    /// Also for what may not be seen.
    #[error("there is no such file")]
    NotFound,
    /// A file that has other names too: they may lie anywhere, so it cannot be said to be beneath a folder.
    #[error("the file has several names; copy it")]
    SeveralNames,
    #[error("the file could not be read or written")]
    Io(#[from] std::io::Error),
}
