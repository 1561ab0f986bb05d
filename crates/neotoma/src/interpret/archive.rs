//! Archives: what is packed in a ZIP, an office document or a spreadsheet, unpacked within bounds.
//!
//! The sizes that an archive tells are not believed: every byte counts when it comes out. Encrypted members are refused.

use std::io::{Cursor, Read};

use zip::ZipArchive;

use super::Failure;
use super::effort::Effort;

/// Members that are looked at.
pub const MEMBERS_MAX: usize = 1_000;
/// Bytes that one archive may unpack to, all members together.
const UNPACKED_BYTES_MAX: u64 = 64 << 20;
/// A member may unpack to so many times its size, and to this much in any case.
const RATIO_MAX: u64 = 200;
const RATIO_FREE_BYTES: u64 = 1 << 20;

/// An open archive.
pub struct Archive<'a> {
    inner: ZipArchive<Cursor<&'a [u8]>>,
    left: u64,
}

impl<'a> Archive<'a> {
    pub fn open(bytes: &'a [u8]) -> Result<Self, Failure> {
        let inner = ZipArchive::new(Cursor::new(bytes)).map_err(|_| failure("the archive is damaged"))?;
        if inner.len() > MEMBERS_MAX {
            return Err(failure("the archive has more than 1,000 members"));
        }
        Ok(Self { inner, left: UNPACKED_BYTES_MAX })
    }

    /// The names of its files, sorted.
    pub fn names(&self) -> Vec<String> {
        let names = self.inner.file_names().filter_map(|name| Some(name.ok()?.into_owned()));
        let mut names: Vec<String> = names.filter(|name| !name.ends_with('/')).collect();
        names.sort_unstable();
        names
    }

    /// The bytes of a file; nothing when there is none of that name.
    pub fn read(&mut self, name: &str, effort: &Effort) -> Result<Option<Vec<u8>>, Failure> {
        let Some(at) = self.inner.index_for_name(name) else { return Ok(None) };
        let member =
            self.inner.by_index(at).map_err(|_| failure("the archive is damaged or protected by a password"))?;
        let allowed = self.left.min(RATIO_FREE_BYTES.max(member.compressed_size().saturating_mul(RATIO_MAX)));
        let mut bytes = Vec::new();
        let read = member.take(allowed + 1).read_to_end(&mut bytes);
        let read = read.map_err(|_| failure("the archive is damaged"))? as u64;
        if read > allowed {
            return Err(failure("the archive unpacks to more than what is looked into"));
        }
        self.left -= read;
        effort.unpacked(bytes.len());
        effort.spend(bytes.len())?;
        Ok(Some(bytes))
    }

    /// Unpacks everything once, so that a reader of its own can be trusted with the archive.
    pub fn check(&mut self, effort: &Effort) -> Result<(), Failure> {
        for name in self.names() {
            self.read(&name, effort)?;
        }
        Ok(())
    }
}

fn failure(reason: &str) -> Failure {
    Failure { reason: reason.to_owned() }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use zip::write::SimpleFileOptions;

    use super::super::effort::ample;
    use super::*;

    fn packed(name: &str, content: &[u8]) -> Vec<u8> {
        let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
        archive.start_file(name, SimpleFileOptions::default()).unwrap();
        archive.write_all(content).unwrap();
        archive.finish().unwrap().into_inner()
    }

    #[test]
    fn members_are_read_by_name() {
        let bytes = packed("a.txt", b"hello");
        let mut archive = Archive::open(&bytes).unwrap();
        assert_eq!(archive.names(), ["a.txt"]);
        assert_eq!(archive.read("a.txt", &ample()).unwrap().unwrap(), b"hello");
        assert_eq!(archive.read("b.txt", &ample()).unwrap(), None);
    }

    #[test]
    fn what_unpacks_to_too_much_is_refused() {
        let bytes = packed("a.txt", &vec![b'x'; 8 << 20]);
        let refused = Archive::open(&bytes).unwrap().read("a.txt", &ample()).unwrap_err();
        assert_eq!(refused.reason, "the archive unpacks to more than what is looked into");
    }

    #[test]
    fn what_is_no_archive_is_damaged() {
        assert_eq!(Archive::open(b"PK\x03\x04 nothing").err().unwrap().reason, "the archive is damaged");
    }
}
