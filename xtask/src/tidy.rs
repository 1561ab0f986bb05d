//! `cargo xtask tidy`: what the compiler does not check about the shape of this repository.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

/// Which of our crates a crate may use. A new arrow is an architecture change: say why in the pull request.
const ARROWS: &[(&str, &[&str])] = &[
    ("scope", &[]),
    ("contract", &["scope"]),
    ("codegen", &[]),
    ("ledger", &["scope"]),
    ("sqlite-log", &[]),
    ("ledger-sqlite", &["ledger", "scope", "sqlite-log"]),
    ("desk", &["contract", "ledger", "scope"]),
    ("transformation", &["contract", "desk", "ledger", "scope"]),
    ("neotoma", &["blobs", "contract", "desk", "ledger", "scope"]),
    ("blobs", &["scope"]),
    ("guestbook", &["contract", "desk", "ledger", "scope"]),
    ("spine", &["contract", "scope"]),
    (
        "server",
        &["blobs", "contract", "desk", "ledger", "ledger-sqlite", "neotoma", "scope", "spine", "transformation"],
    ),
    (
        "testkit",
        &[
            "contract",
            "desk",
            "guestbook",
            "ledger",
            "ledger-sqlite",
            "neotoma",
            "scope",
            "server",
            "spine",
            "transformation",
        ],
    ),
    (
        "bench",
        &["contract", "desk", "ledger", "ledger-sqlite", "neotoma", "scope", "server", "spine", "transformation"],
    ),
    ("xtask", &["codegen"]),
];
/// Crates with SQL.
const SQL_CRATES: &[&str] = &["ledger-sqlite"];
/// Words in capitals that are not error codes.
const NOT_CODES: &[&str] = &["CARGO_PKG_VERSION", "SCREAMING_SNAKE_CASE", "STRAT", "UPPERCASE"];
/// Relationship types of neotoma, whose names the specification writes in capitals.
const RELATIONS: &[&str] = &["PART_OF", "CORRECTS", "REFERS_TO", "SETTLES", "DUPLICATE_OF", "DEPENDS_ON", "SUPERSEDES"];
/// States of a proposal, which are published in capitals too.
const STATES: &[&str] = &["PROPOSED", "TRIAGED", "IN_REVIEW", "ACCEPTED", "REJECTED", "WITHDRAWN"];
/// A file longer than this holds two ideas.
const LINES_MAX: usize = 600;

/// Runs every check and reports all that is wrong.
pub fn run() -> anyhow::Result<()> {
    let mut wrong = Vec::new();
    arrows(&mut wrong)?;
    let sources = sources()?;
    for (path, text) in &sources {
        sql(path, text, &mut wrong);
        length(path, text, &mut wrong);
    }
    migrations(&mut wrong)?;
    error_codes(&sources, &mut wrong)?;
    if wrong.is_empty() {
        println!("tidy: {} files", sources.len());
        return Ok(());
    }
    wrong.iter().for_each(|line| eprintln!("{line}"));
    bail!("{} things are not tidy", wrong.len())
}

/// Dependencies between our crates follow the table. Dev-dependencies may also use the engines and the testkit.
fn arrows(wrong: &mut Vec<String>) -> anyhow::Result<()> {
    let table: BTreeMap<&str, &[&str]> = ARROWS.iter().copied().collect();
    for manifest in manifests()? {
        let text = fs::read_to_string(&manifest)?;
        let parsed: toml::Table = text.parse().with_context(|| manifest.display().to_string())?;
        let name = parsed["package"]["name"].as_str().unwrap_or_default().to_owned();
        let Some(allowed) = table.get(name.as_str()) else {
            wrong.push(format!(
                "{}: crate {name} is not in the table of arrows in xtask/src/tidy.rs",
                manifest.display()
            ));
            continue;
        };
        let used =
            parsed.get("dependencies").and_then(toml::Value::as_table).into_iter().flatten().map(|(used, _)| used);
        for used in used.filter(|used| table.contains_key(used.as_str()) && !allowed.contains(&used.as_str())) {
            wrong.push(format!("{}: {name} may not use {used}", manifest.display()));
        }
    }
    Ok(())
}

fn manifests() -> anyhow::Result<Vec<PathBuf>> {
    let mut found = vec![PathBuf::from("xtask/Cargo.toml")];
    for entry in fs::read_dir("crates")? {
        found.push(entry?.path().join("Cargo.toml"));
    }
    found.sort();
    Ok(found)
}

/// Every hand-written Rust file with its text.
pub fn sources() -> anyhow::Result<Vec<(PathBuf, String)>> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::from("crates"), PathBuf::from("xtask")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() && !path.ends_with("gen") && !path.ends_with("target") {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path)?;
                found.push((path, text));
            }
        }
    }
    found.sort();
    Ok(found)
}

fn crate_of(path: &Path) -> &str {
    let mut parts = path.iter().filter_map(|part| part.to_str());
    match parts.next() {
        Some("crates") => parts.next().unwrap_or_default(),
        _ => "xtask",
    }
}

/// Statements of SQL stand only in the engines.
fn sql(path: &Path, text: &str, wrong: &mut Vec<String>) {
    if SQL_CRATES.contains(&crate_of(path)) {
        return;
    }
    let words = ["SELECT", "INSERT INTO", "DELETE FROM", "CREATE TABLE", "UPDATE"];
    for (number, line) in text.lines().enumerate() {
        let quoted = words.iter().any(|word| line.contains(&format!("\"{word} ")));
        if quoted {
            wrong.push(format!("{}:{}: SQL belongs in {}", path.display(), number + 1, SQL_CRATES.join(", ")));
        }
    }
}

fn length(path: &Path, text: &str, wrong: &mut Vec<String>) {
    let lines = text.lines().count();
    if lines > LINES_MAX {
        wrong.push(format!("{}: {lines} lines; look whether two ideas share the place", path.display()));
    }
}

/// Migrations are numbered 0001, 0002, … without gaps.
fn migrations(wrong: &mut Vec<String>) -> anyhow::Result<()> {
    for engine in SQL_CRATES {
        let folder = format!("crates/{engine}/src/migrations");
        let mut names: Vec<String> = fs::read_dir(&folder)?
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter(|name| name.ends_with(".sql") && name.starts_with(|first: char| first.is_ascii_digit()))
            .collect();
        names.sort();
        for (position, name) in names.iter().enumerate() {
            if !name.starts_with(&format!("{:04}_", position + 1)) {
                wrong.push(format!("{folder}/{name}: migration {:04} is missing", position + 1));
            }
        }
    }
    Ok(())
}

/// Every published error code has its line in docs/errors.md, and every line a code.
fn error_codes(sources: &[(PathBuf, String)], wrong: &mut Vec<String>) -> anyhow::Result<()> {
    let page = fs::read_to_string("docs/errors.md")?;
    let documented: BTreeSet<&str> =
        page.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
    let mut used = BTreeSet::new();
    for (path, text) in sources {
        let counts = matches!(crate_of(path), "contract" | "desk" | "spine" | "transformation" | "neotoma")
            && !path.ends_with("tests.rs")
            // Settings and commands of the terminal have words of their own.
            && !path.components().any(|part| part.as_os_str() == "terminal")
            && !path.ends_with("module.rs")
            && !path.components().any(|part| part.as_os_str() == "tests");
        if counts {
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            used.extend(
                code.split('"')
                    .skip(1)
                    .step_by(2)
                    .filter(|word| is_code(word) && ![NOT_CODES, STATES, RELATIONS].concat().contains(word))
                    .map(str::to_owned),
            );
        }
    }
    for code in used.iter().filter(|code| !documented.contains(code.as_str())) {
        wrong.push(format!("docs/errors.md: {code} is used and not explained"));
    }
    for code in documented.iter().filter(|code| !used.contains(**code)) {
        wrong.push(format!("docs/errors.md: {code} is explained and not used"));
    }
    Ok(())
}

/// Words such as `ELEMENT_NOT_FOUND`.
fn is_code(word: &str) -> bool {
    word.len() >= 5
        && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
        && !word.starts_with('_')
        && !word.ends_with('_')
}

#[cfg(test)]
mod tests {
    use super::*;

    //
    #[test]
    fn the_table_of_arrows_has_no_cycle_and_the_doors_no_storage() {
        let table: BTreeMap<&str, &[&str]> = ARROWS.iter().copied().collect();
        for (name, uses) in &table {
            let mut reached: BTreeSet<&str> = uses.iter().copied().collect();
            while let Some(next) = reached.iter().flat_map(|used| table[used]).find(|used| !reached.contains(*used)) {
                reached.insert(next);
            }
            assert!(!reached.contains(name), "{name} uses itself");
        }
        assert!(!table["spine"].iter().any(|used| used.starts_with("ledger")));
    }

    #[test]
    fn a_code_is_a_word_in_capitals() {
        assert!(is_code("ELEMENT_NOT_FOUND"));
        assert!(!is_code("Element") && !is_code("_A_B_C") && !is_code("R-303"));
    }
}
