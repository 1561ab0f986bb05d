//! The secret of this machine's owner: whoever can read the data directory has it, and no page or other user does.

use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

/// How the owner's token starts.
const PREFIX: &str = "chancery_owner_";
const FILE: &str = "owner.token";
/// Who vouches for the owner.
pub const ISSUER: &str = "local";

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot use {path}")]
    Io { path: PathBuf, source: std::io::Error },
    #[error("{0} is damaged; move it away and a new one is made")]
    Damaged(PathBuf),
}

/// The token of the owner.
pub struct Owner(String);

impl Owner {
    /// Reads it, and makes it when there is none. All processes of a data directory share it.
    pub fn open(data: &Path) -> Result<Self, Error> {
        let path = data.join(FILE);
        let io = |source| Error::Io { path: path.clone(), source };
        if !path.exists() {
            make(data, &path).map_err(io)?;
        }
        let text = std::fs::read_to_string(&path).map_err(io)?;
        let token = text.trim();
        let is_whole = token
            .strip_prefix(PREFIX)
            .and_then(|secret| hex::decode(secret).ok())
            .is_some_and(|secret| secret.len() == 32);
        if is_whole { Ok(Self(token.to_owned())) } else { Err(Error::Damaged(path)) }
    }

    pub fn token(&self) -> &str {
        &self.0
    }

    /// Whether a token is the owner's; `None` when it does not even claim to be.
    pub fn knows(&self, token: &str) -> Option<bool> {
        // Of hashes, so that the time it takes says nothing about the secret.
        token.starts_with(PREFIX).then(|| Sha256::digest(token) == Sha256::digest(&self.0))
    }
}

/// Written aside and linked into place, so that another process sees all of it or nothing, and the first one wins.
fn make(data: &Path, path: &Path) -> std::io::Result<()> {
    let fresh: [u8; 32] = rand::random();
    std::fs::create_dir_all(data)?;
    let aside = data.join(format!("{FILE}.{}", std::process::id()));
    private_file(&aside, format!("{PREFIX}{}\n", hex::encode(fresh)).as_bytes())?;
    let linked = std::fs::hard_link(&aside, path);
    std::fs::remove_file(&aside)?;
    match linked {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// Writes a file that only its owner can read.
pub(crate) fn private_file(path: &Path, text: &[u8]) -> std::io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(text)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_owner_is_whoever_can_read_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let owner = Owner::open(folder.path()).unwrap();
        let again = Owner::open(folder.path()).unwrap();
        assert_eq!(owner.token(), again.token());
        assert_eq!(again.knows(owner.token()), Some(true));
        assert_eq!(again.knows(&owner.token()[..70]), Some(false));
        assert_eq!(again.knows("chancery_owner_"), Some(false));
        assert_eq!(again.knows("something"), None);
        let other = tempfile::tempdir().unwrap();
        assert_eq!(Owner::open(other.path()).unwrap().knows(owner.token()), Some(false));
        std::fs::write(folder.path().join(FILE), "chancery_owner_short").unwrap();
        assert!(matches!(Owner::open(folder.path()), Err(Error::Damaged(_))));
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_can_read_it() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        Owner::open(folder.path()).unwrap();
        let mode = std::fs::metadata(folder.path().join(FILE)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}
