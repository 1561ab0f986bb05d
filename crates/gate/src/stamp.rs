//! Whether a file is still the one that was read.

use std::path::Path;
use std::time::SystemTime;

/// What tells one content of a file from another without reading it. Files here are replaced, never written in place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    modified: Option<SystemTime>,
    bytes: u64,
    node: u64,
}

impl Stamp {
    /// Of a file as it is now; `None` when there is none.
    pub fn of(path: &Path) -> Option<Self> {
        let found = std::fs::metadata(path).ok()?;
        Some(Self { modified: found.modified().ok(), bytes: found.len(), node: node(&found) })
    }
}

#[cfg(unix)]
fn node(found: &std::fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(found)
}

#[cfg(not(unix))]
fn node(_found: &std::fs::Metadata) -> u64 {
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_was_replaced_is_another() {
        let folder = tempfile::tempdir().unwrap();
        let (path, aside) = (folder.path().join("file"), folder.path().join("aside"));
        assert_eq!(Stamp::of(&path), None);
        std::fs::write(&path, "one").unwrap();
        let first = Stamp::of(&path).unwrap();
        assert_eq!(Stamp::of(&path), Some(first));
        std::fs::write(&aside, "two").unwrap();
        std::fs::rename(&aside, &path).unwrap();
        assert_ne!(Stamp::of(&path), Some(first));
    }
}
