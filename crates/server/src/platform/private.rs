//! Whoever can read the key of a data directory can sign as it does, so both are their owner's alone. The ledger sees to the
//! files that it makes.

use std::path::Path;

/// Takes the rights of others away from a data directory, its key and its configuration. A line for each that had some: what
/// was done, or what its owner has to do.
#[cfg(unix)]
pub fn keep_private(data: &Path) -> Vec<Result<String, String>> {
    // Something else in its place is not ours to change.
    if !data.is_dir() {
        return Vec::new();
    }
    let inside = ["secret.key", "checkpoint.key", "owner.token", "tokens", "chancery.toml"].map(|name| data.join(name));
    let paths: Vec<_> = std::iter::once(data.to_owned()).chain(inside).collect();
    paths.iter().filter_map(|path| close(path)).collect()
}

#[cfg(unix)]
fn close(path: &Path) -> Option<Result<String, String>> {
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::PermissionsExt as _;

    let mode = std::fs::metadata(path).ok()?.permissions().mode() & 0o7777;
    if mode & 0o077 == 0 {
        return None;
    }
    let (shown, closed) = (path.display(), mode & !0o077);
    Some(match set_permissions(path, Permissions::from_mode(closed)) {
        Ok(()) if path.ends_with("secret.key") => Ok(format!(
            "{shown} was open to others (mode {mode:04o}) and is closed now; if somebody may have read it, move it away and a \
             new one is made"
        )),
        Ok(()) => Ok(format!("{shown} was open to others (mode {mode:04o}) and is closed now")),
        Err(_) => Err(format!("{shown} is open to others (mode {mode:04o}); let its owner run `chmod go-rwx {shown}`")),
    })
}

#[cfg(not(unix))]
pub fn keep_private(_: &Path) -> Vec<Result<String, String>> {
    Vec::new()
}
