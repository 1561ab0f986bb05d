//! All blobs of one folder in another: for backups, and back.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{FileBlobs, INCOMING, Incoming, make_folders};
use crate::{Error, Limit};

/// What was copied.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Copied {
    /// How many blobs the other folder has now.
    pub blobs: u64,
    /// Those that are not what their name says, relative to the folder. They were not copied.
    pub damaged: Vec<PathBuf>,
}

/// Copies each blob in `from` that `to` does not have. `from` is only read, and `to` is made when there is something for it.
pub async fn copy(from: &Path, to: &Path) -> Result<Copied, Error> {
    let (mut copied, store) = (Copied::default(), FileBlobs::at(to));
    for blob in blobs_below(from)? {
        let size = fs::metadata(from.join(&blob))?.len();
        let place = to.join(&blob);
        let is_there = fs::metadata(&place).is_ok_and(|known| known.is_file() && known.len() == size);
        if is_there || copy_one(&from.join(&blob), &place, &store).await? {
            copied.blobs += 1;
        } else {
            copied.damaged.push(blob);
        }
    }
    Ok(copied)
}

/// False when the bytes are not those that the name stands for.
async fn copy_one(blob: &Path, place: &Path, store: &FileBlobs) -> Result<bool, Error> {
    make_folders(&store.root.join(INCOMING))?;
    let incoming = Incoming(store.root.join(INCOMING).join(uuid::Uuid::now_v7().to_string()));
    let mut bytes = tokio::fs::File::open(blob).await?;
    let (hash, size) = incoming.receive(&mut bytes, Limit::of(u64::MAX)).await?;
    if blob.file_name() != Some(OsStr::new(&hex::encode(hash))) {
        return Ok(false);
    }
    store.settle(&incoming, place, size)?;
    Ok(true)
}

/// The blobs in a folder, relative to it, in order. A folder that is not there has none.
fn blobs_below(root: &Path) -> io::Result<Vec<PathBuf>> {
    let (mut blobs, mut folders) = (Vec::new(), vec![PathBuf::new()]);
    while let Some(folder) = folders.pop() {
        let entries = match fs::read_dir(root.join(&folder)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && folder.as_os_str().is_empty() => return Ok(blobs),
            entries => entries?,
        };
        for entry in entries {
            let entry = entry?;
            let (path, kind) = (folder.join(entry.file_name()), entry.file_type()?);
            if kind.is_dir() && entry.file_name() != INCOMING {
                folders.push(path);
            } else if kind.is_file() {
                blobs.push(path);
            }
        }
    }
    blobs.sort();
    Ok(blobs)
}
