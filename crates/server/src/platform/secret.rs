//! The key of a data directory: it seals what clients hand back and signs the addresses of files.

use std::io::{ErrorKind, Write as _};
use std::path::Path;

use anyhow::{Context as _, bail};

/// The key, made when there is none. All processes of a data directory share it.
pub fn secret(data: &Path) -> anyhow::Result<[u8; 32]> {
    let path = data.join("secret.key");
    let text = made_once(data, "secret.key", || hex::encode(rand::random::<[u8; 32]>()))?;
    let bytes = hex::decode(text.trim()).ok().and_then(|bytes| <[u8; 32]>::try_from(bytes).ok());
    let key = bytes.with_context(|| format!("{} is damaged; move it away and a new one is made", path.display()))?;
    if key.iter().all(|byte| *byte == key[0]) {
        bail!("{} holds no secret, since anybody can guess it; move it away and a new one is made", path.display());
    }
    Ok(key)
}

/// The text of a file that only its owner reads, made when there is none. All processes of a data directory share it.
pub fn made_once(data: &Path, name: &str, make: impl FnOnce() -> String) -> anyhow::Result<String> {
    let path = data.join(name);
    if !path.exists() {
        put(data, &path, &make())?;
    }
    std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
}

/// Written aside and linked into place, so that another process sees all of it or nothing, and the first one wins.
fn put(data: &Path, path: &Path, text: &str) -> anyhow::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let aside = data.join(format!("{name}.{}", std::process::id()));
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&aside).with_context(|| format!("cannot write {}", aside.display()))?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    let linked = std::fs::hard_link(&aside, path);
    std::fs::remove_file(&aside)?;
    match linked {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => {
            Err(error).with_context(|| format!("cannot write {}", path.display()))
        }
        _ => Ok(()),
    }
}
