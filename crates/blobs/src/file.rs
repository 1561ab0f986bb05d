//! Blobs in a folder of this machine.
//!
//! A blob is written under a name of its own in `.incoming`, synced, and renamed to where it belongs; then the folder is
//! synced. Whoever looks sees all of a blob or nothing, after a power cut too.

mod copy;

use std::collections::HashSet;
use std::fs;
use std::io::{self, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use futures::FutureExt as _;
use futures::future::BoxFuture;
use sha2::{Digest, Sha256};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncSeekExt as _, AsyncWriteExt as _};

pub use copy::{Copied, copy};

use crate::{Blobs, CHUNK_BYTES, Error, Folder, Key, Limit, Reader, StoredBlob};

/// Where blobs are while they arrive. No part of a key starts with a dot.
const INCOMING: &str = ".incoming";
/// After this long nobody is still writing; other processes share the folder.
const ABANDONED_AFTER: Duration = Duration::from_secs(60 * 60);

/// A store in a folder.
#[derive(Debug, Clone)]
pub struct FileBlobs {
    root: PathBuf,
    /// Folders that this process knows to be there after a power cut. Another one may have made them and not come further.
    synced: Arc<Mutex<HashSet<PathBuf>>>,
}

impl FileBlobs {
    /// Opens the store, makes its folders, and removes what crashed writers left behind.
    pub fn open(root: impl Into<PathBuf>) -> Result<Self, Error> {
        let root = root.into();
        let incoming = root.join(INCOMING);
        make_folders(&incoming)?;
        remove_abandoned(&incoming)?;
        Ok(Self::at(root))
    }

    fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), synced: Arc::default() }
    }

    fn location(&self, key: &Key) -> PathBuf {
        self.root.join(key.folder().location()).join(key.hash())
    }

    async fn store(
        &self,
        folder: &Folder,
        content: &mut (dyn AsyncRead + Send + Unpin),
        limit: Limit,
    ) -> Result<StoredBlob, Error> {
        let incoming = Incoming(self.root.join(INCOMING).join(uuid::Uuid::now_v7().to_string()));
        let (hash, size) = incoming.receive(content, limit).await?;
        let key = Key::new(folder, hash);
        let (place, blobs) = (self.location(&key), self.clone());
        let fresh = blocking(move || blobs.settle(&incoming, &place, size)).await?;
        Ok(StoredBlob { key, size, fresh })
    }

    /// Moves a blob to its place. False when it was there before.
    fn settle(&self, incoming: &Incoming, place: &Path, size: u64) -> io::Result<bool> {
        let folder = place.parent().unwrap_or(&self.root);
        self.keep_folder(folder)?;
        let fresh = !fs::metadata(place).is_ok_and(|known| known.is_file() && known.len() == size);
        if fresh {
            fs::rename(&incoming.0, place)?;
        }
        // Also for what was there: whoever renamed it may not have come this far.
        sync_folder(folder)?;
        Ok(fresh)
    }

    /// Makes a folder and sees to it that it stays: its name stands in the folder above, and so on up to the one that holds the
    /// store.
    fn keep_folder(&self, folder: &Path) -> io::Result<()> {
        if self.synced.lock().unwrap_or_else(PoisonError::into_inner).contains(folder) {
            return Ok(());
        }
        make_folders(folder)?;
        let mut above = folder.ancestors().take_while(|inner| inner.starts_with(&self.root)).filter_map(Path::parent);
        above.try_for_each(sync_folder)?;
        self.synced.lock().unwrap_or_else(PoisonError::into_inner).insert(folder.to_owned());
        Ok(())
    }
}

impl Blobs for FileBlobs {
    fn put<'a>(
        &'a self,
        folder: &'a Folder,
        content: &'a mut (dyn AsyncRead + Send + Unpin),
        limit: Limit,
    ) -> BoxFuture<'a, Result<StoredBlob, Error>> {
        self.store(folder, content, limit).boxed()
    }

    fn len<'a>(&'a self, key: &'a Key) -> BoxFuture<'a, Result<u64, Error>> {
        async move { Ok(tokio::fs::metadata(self.location(key)).await.map_err(absent)?.len()) }.boxed()
    }

    fn read<'a>(&'a self, key: &'a Key, start: u64, length: u64) -> BoxFuture<'a, Result<Reader, Error>> {
        async move {
            let mut file = tokio::fs::File::open(self.location(key)).await.map_err(absent)?;
            // Otherwise the file keeps as much in memory as was once asked for.
            file.set_max_buf_size(CHUNK_BYTES);
            file.seek(SeekFrom::Start(start)).await?;
            Ok(Box::new(file.take(length)) as Reader)
        }
        .boxed()
    }
}

/// A file that is being written. Dropped, it is gone, unless it was moved.
struct Incoming(PathBuf);

impl Incoming {
    /// Writes everything, hashing on the way, and syncs it.
    async fn receive(
        &self,
        content: &mut (dyn AsyncRead + Send + Unpin),
        limit: Limit,
    ) -> Result<([u8; 32], u64), Error> {
        let mut options = tokio::fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        options.mode(0o600);
        let mut file = options.open(&self.0).await?;
        file.set_max_buf_size(CHUNK_BYTES);
        let (mut hash, mut size) = (Sha256::new(), 0_u64);
        let mut chunk = vec![0; CHUNK_BYTES];
        loop {
            let read = content.read(&mut chunk).await?;
            if read == 0 {
                break;
            }
            size += read as u64;
            limit.check(size)?;
            hash.update(&chunk[..read]);
            file.write_all(&chunk[..read]).await?;
        }
        file.flush().await?;
        file.sync_all().await?;
        Ok((hash.finalize().into(), size))
    }
}

impl Drop for Incoming {
    fn drop(&mut self) {
        // It is not there any more when all went well; what cannot be removed now is removed at the next start.
        let _ = fs::remove_file(&self.0);
    }
}

fn make_folders(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

#[cfg(unix)]
fn sync_folder(path: &Path) -> io::Result<()> {
    let here = Path::new(".");
    fs::File::open(if path.as_os_str().is_empty() { here } else { path })?.sync_all()
}

/// Elsewhere a folder cannot be synced, and a rename is durable by itself.
#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

fn remove_abandoned(incoming: &Path) -> io::Result<()> {
    let now = SystemTime::now();
    for entry in fs::read_dir(incoming)? {
        let entry = entry?;
        let modified = entry.metadata().and_then(|known| known.modified());
        if modified.is_ok_and(|then| now.duration_since(then).is_ok_and(|age| age > ABANDONED_AFTER)) {
            // Another process may have been faster.
            let _ = fs::remove_file(entry.path());
            tracing::info!("removed a file that was never received completely");
        }
    }
    Ok(())
}

/// What is not there is not a fault.
fn absent(error: io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Error::NotFound,
        _ => Error::Io(error),
    }
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> Result<T, Error> {
    match tokio::task::spawn_blocking(work).await {
        Ok(outcome) => Ok(outcome?),
        Err(error) => Err(Error::Io(io::Error::other(error))),
    }
}

#[cfg(test)]
mod tests;
