//! `cargo xtask dist`: the binary that is shipped. It says nothing about the machine that built it.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, bail};

/// Builds with profile `dist` and looks through the binary for folders of this machine.
pub fn run(root: &Path) -> anyhow::Result<()> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let folders = folders(root)?;
    let flags: Vec<String> = folders.iter().map(|(folder, name)| remap(folder, name)).collect();
    let status = Command::new(cargo)
        .args(["build", "--profile", "dist", "--package", "server"])
        .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"))
        .status()?;
    if !status.success() {
        bail!("the build failed");
    }
    let binary = Path::new("target/dist/chancery");
    let bytes = std::fs::read(binary).with_context(|| binary.display().to_string())?;
    match folders.iter().find(|(folder, _)| holds(&bytes, folder)) {
        Some((folder, _)) => bail!("{} holds the path {}", binary.display(), folder.display()),
        None => println!("{}: {} bytes", binary.display(), bytes.len()),
    }
    Ok(())
}

/// Folders whose paths the compiler would write into the binary, and what it writes instead.
fn folders(root: &Path) -> anyhow::Result<Vec<(PathBuf, &'static str)>> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
    Ok(vec![(home.context("neither CARGO_HOME nor HOME is set")?, "cargo"), (root.canonicalize()?, "chancery")])
}

fn remap(folder: &Path, name: &str) -> String {
    format!("--remap-path-prefix={}={name}", folder.display())
}

fn holds(bytes: &[u8], folder: &Path) -> bool {
    let wanted = folder.as_os_str().as_encoded_bytes();
    bytes.windows(wanted.len()).any(|window| window == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_found_wherever_it_stands() {
        assert!(holds(b"..\0/build/here/src/lib.rs\0", Path::new("/build/here")));
        assert!(!holds(b"chancery/src/lib.rs", Path::new("/build/here")));
        assert_eq!(remap(Path::new("/build/here"), "chancery"), "--remap-path-prefix=/build/here=chancery");
    }
}
