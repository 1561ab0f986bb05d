//! Signed notes that hold a checkpoint: a text, an empty line, and a line for each signature.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use scope::{TenantId, Timestamp};
use tlog_tiles::checkpoint::Checkpoint;
use tlog_tiles::tlog::Hash;

use ledger::tree::Tree;

use crate::{Error, SigningKey, VerifyingKey};

/// What a checkpoint says about a tree.
#[derive(Debug, Clone, PartialEq)]
pub struct Signed {
    pub origin: String,
    pub size: u64,
    pub root: Hash,
}

/// The name of a tenant's tree among all trees that keys of this name sign.
pub(crate) fn origin(key_name: &str, tenant: &TenantId, tree: Tree) -> String {
    format!("{key_name}/{tenant}/{}", tree.name())
}

/// The text of a checkpoint: origin, size, root and time, a line each.
pub fn checkpoint_text(origin: &str, size: u64, root: Hash, at: Timestamp) -> Result<String, Error> {
    let checkpoint = Checkpoint::new(origin, size, root, &format!("time {at}\n"));
    let bytes = checkpoint.map_err(|_| Error::Note("its origin is empty"))?.to_bytes();
    String::from_utf8(bytes).map_err(|_| Error::Note("it is no text"))
}

pub(crate) fn sign(text: &str, key: &SigningKey) -> String {
    let signature = [&key.verifying().id()[..], &key.sign(text)].concat();
    format!("{text}\n— {} {}\n", key.name(), STANDARD.encode(signature))
}

impl Signed {
    /// Reads a note and checks its signature by one of these keys.
    pub fn verified(note: &str, keys: &[VerifyingKey]) -> Result<Self, Error> {
        let (text, signatures) = note.rsplit_once("\n\n").ok_or(Error::Note("it has no signature"))?;
        let text = format!("{text}\n");
        let is_signed = signatures.lines().any(|line| is_signed(&text, line, keys));
        if !is_signed {
            return Err(Error::Note("no known key has signed it"));
        }
        let checkpoint = Checkpoint::from_bytes(text.as_bytes()).map_err(|_| Error::Note("its text is malformed"))?;
        Ok(Self { origin: checkpoint.origin().to_owned(), size: checkpoint.size(), root: *checkpoint.hash() })
    }
}

fn is_signed(text: &str, line: &str, keys: &[VerifyingKey]) -> bool {
    let parts = line.strip_prefix("— ").and_then(|rest| rest.rsplit_once(' '));
    let Some((name, Ok(bytes))) = parts.map(|(name, text)| (name, STANDARD.decode(text))) else { return false };
    let Some((id, signature)) = bytes.split_at_checked(4) else { return false };
    keys.iter().any(|key| key.name == name && key.id() == id && key.verifies(text, signature))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_holds_only_for_its_key_and_its_text() {
        let (key, other) = (SigningKey::generate(), SigningKey::generate());
        let origin = origin(key.name(), &TenantId::new("acme").unwrap(), Tree::Facts);
        let text = checkpoint_text(&origin, 7, Hash([9; 32]), Timestamp(0)).unwrap();
        let note = sign(&text, &key);
        let known = [other.verifying(), key.verifying()];
        let signed = Signed::verified(&note, &known).unwrap();
        assert_eq!(signed, Signed { origin: origin.clone(), size: 7, root: Hash([9; 32]) });
        assert!(Signed::verified(&note, &known[..1]).is_err());
        for changed in [
            note.replacen("\n7\n", "\n8\n", 1),
            note.replacen("acme", "acne", 1),
            note.replacen("1970", "1971", 1),
            text,
            note.replace("— ", ""),
            note.replacen("\n\n", "\n", 1),
            String::new(),
        ] {
            assert!(Signed::verified(&changed, &known).is_err(), "{changed}");
        }
    }
}
