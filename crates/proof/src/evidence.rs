//! Evidence: all that a third party needs to check one leaf offline.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use tlog_tiles::tlog::{Hash, check_record};

use crate::{Error, Signed, VerifyingKey, leaf_hash};

/// A leaf, its way to the root, and who signed the root. `key` is what the signer says; whoever checks compares it with the
/// key that they were given elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// `facts` or `audit`.
    pub tree: String,
    /// Of the leaf, from 0.
    pub index: u64,
    /// The text that was hashed.
    pub leaf: String,
    /// Base64 hashes from the leaf upwards.
    pub path: Vec<String>,
    /// The signed note.
    pub checkpoint: String,
    pub key: String,
}

impl Evidence {
    /// Checks everything, with keys that are trusted.
    pub fn check(&self, keys: &[VerifyingKey]) -> Result<Signed, Error> {
        let signed = Signed::verified(&self.checkpoint, keys)?;
        if !signed.origin.ends_with(&format!("/{}", self.tree)) {
            return Err(Error::Note("it is of another tree"));
        }
        let path = self.path.iter().map(|text| Hash::parse_hash(text)).collect::<Result<Vec<_>, _>>()?;
        check_record(&path, signed.size, signed.root, self.index, leaf_hash(&self.leaf))?;
        Ok(signed)
    }
}

pub(crate) fn encoded(path: &[Hash]) -> Vec<String> {
    path.iter().map(|hash| STANDARD.encode(hash.0)).collect()
}
