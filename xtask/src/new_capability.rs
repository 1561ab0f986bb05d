//! `cargo xtask new-capability NAME`: a capability that builds, serves one tool and passes its test.
//!
//! It writes a proto and a crate, adds the mount line and the lines that name the crate, and runs the generator.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

const NAME_CHARS: std::ops::RangeInclusive<usize> = 3..=24;

/// Writes the skeleton below `root`. Nothing is written when something is in the way.
pub fn write(root: &Path, name: &str) -> anyhow::Result<Vec<PathBuf>> {
    check(root, name)?;
    let mut files: Vec<(PathBuf, String)> = skeleton(name);
    for (_, text) in files.iter_mut().filter(|(path, _)| path.extension().is_some_and(|extension| extension == "rs")) {
        // How lines break and names are sorted depends on the name.
        *text = codegen::formatted(text).context("rustfmt is needed")?;
    }
    for (path, edit) in EDITS {
        let text = fs::read_to_string(root.join(path)).with_context(|| (*path).to_owned())?;
        files.push((path.into(), edit(&text, name).with_context(|| format!("{path} is not as expected"))?));
    }
    for (path, text) in &files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().expect("every file is in a folder"))?;
        fs::write(&path, text).with_context(|| format!("{} cannot be written", path.display()))?;
    }
    Ok(files.into_iter().map(|(path, _)| path).collect())
}

fn check(root: &Path, name: &str) -> anyhow::Result<()> {
    let is_word = name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    if !is_word || !NAME_CHARS.contains(&name.len()) {
        bail!(
            "{name:?} cannot be the name of a capability; give 3 to 24 lower-case letters and digits, such as ledgers"
        );
    }
    let folders = [format!("crates/{name}"), format!("proto/ameide_core_proto/{name}")];
    match folders.iter().find(|folder| root.join(folder).exists()) {
        Some(folder) => bail!("{folder} is there already; choose another name"),
        None => Ok(()),
    }
}

/// The files that are new.
fn skeleton(name: &str) -> Vec<(PathBuf, String)> {
    let (first, rest) = name.split_at(1);
    let title = first.to_uppercase() + rest;
    let filled = |text: &str| text.replace("{name}", name).replace("{Name}", &title);
    vec![
        (
            format!("proto/ameide_core_proto/{name}/v1/{name}.proto").into(),
            filled(include_str!("new_capability/capability.proto.txt")),
        ),
        (format!("crates/{name}/Cargo.toml").into(), filled(include_str!("new_capability/Cargo.toml.txt"))),
        (format!("crates/{name}/src/lib.rs").into(), filled(include_str!("new_capability/lib.rs.txt"))),
        (format!("crates/{name}/tests/mounted.rs").into(), filled(include_str!("new_capability/mounted.rs.txt"))),
    ]
}

type Edit = fn(&str, &str) -> Option<String>;

/// One line each in files that are there.
const EDITS: &[(&str, Edit)] = &[
    ("crates/server/src/mounts.rs", |text, name| before(text, "];", &format!("    &{name}::Module,\n"))),
    ("crates/server/Cargo.toml", |text, name| {
        before(text, "spine.workspace = true", &format!("{name}.workspace = true\n"))
    }),
    ("Cargo.toml", |text, name| before(text, "spine = { path", &format!("{name} = {{ path = \"crates/{name}\" }}\n"))),
    ("ARCHITECTURE.md", |text, name| {
        before(text, "| `spine` |", &format!("| `{name}` | say here what it is | contract, desk, ledger, scope |\n"))
    }),
];

/// The text with a line before the first one that starts with `mark`.
fn before(text: &str, mark: &str, line: &str) -> Option<String> {
    let at = if text.starts_with(mark) { 0 } else { text.find(&format!("\n{mark}"))? + 1 };
    Some(format!("{}{line}{}", &text[..at], &text[at..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The files of this repository that the skeleton changes, in a folder of their own.
    fn copy() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        for (path, _) in EDITS {
            let target = folder.path().join(path);
            fs::create_dir_all(target.parent().unwrap()).unwrap();
            fs::copy(root.join(path), target).unwrap();
        }
        folder
    }

    #[test]
    fn a_capability_is_a_proto_a_crate_and_one_line_in_each_of_four_files() {
        let folder = copy();
        let text = |path: &str| fs::read_to_string(folder.path().join(path)).unwrap();
        let before: Vec<String> = EDITS.iter().map(|(path, _)| text(path)).collect();
        let written = write(folder.path(), "tasks").unwrap();
        let written: Vec<&str> = written.iter().map(|path| path.to_str().unwrap()).collect();
        assert_eq!(
            written,
            [
                "proto/ameide_core_proto/tasks/v1/tasks.proto",
                "crates/tasks/Cargo.toml",
                "crates/tasks/src/lib.rs",
                "crates/tasks/tests/mounted.rs",
                "crates/server/src/mounts.rs",
                "crates/server/Cargo.toml",
                "Cargo.toml",
                "ARCHITECTURE.md",
            ]
        );
        for ((path, _), before) in EDITS.iter().zip(&before) {
            let after = text(path);
            let added: Vec<&str> = after.lines().filter(|line| !before.contains(line)).collect();
            assert_eq!((added.len(), after.lines().count()), (1, before.lines().count() + 1), "{path}: {added:?}");
            assert!(added[0].contains("tasks"), "{path}: {added:?}");
        }
        assert!(text("crates/server/src/mounts.rs").contains("    &tasks::Module,\n];"));
        assert!(
            !text("crates/tasks/src/lib.rs").contains("{name}")
                && !text("crates/tasks/tests/mounted.rs").contains("{Name}")
        );
    }

    #[test]
    fn the_code_is_formatted_whatever_the_name() {
        for name in ["zoo", "abc", "acknowledgementofreceipt"] {
            let folder = copy();
            write(folder.path(), name).unwrap();
            for path in [format!("crates/{name}/src/lib.rs"), format!("crates/{name}/tests/mounted.rs")] {
                let text = fs::read_to_string(folder.path().join(&path)).unwrap();
                assert_eq!(codegen::formatted(&text).unwrap(), text, "{path}");
            }
        }
    }

    #[test]
    fn a_name_that_cannot_be_or_is_taken_changes_nothing() {
        let folder = copy();
        fs::create_dir_all(folder.path().join("crates/taken")).unwrap();
        for (name, expected) in [
            ("Tasks", "cannot be the name of a capability"),
            ("my-tasks", "cannot be the name of a capability"),
            ("", "cannot be the name of a capability"),
            ("taken", "crates/taken is there already; choose another name"),
        ] {
            let refused = write(folder.path(), name).unwrap_err().to_string();
            assert!(refused.contains(expected), "{refused}");
        }
        assert!(!folder.path().join("proto").exists());
    }
}
