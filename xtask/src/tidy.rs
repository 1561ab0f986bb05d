//! `cargo xtask tidy`: what the compiler does not check about the shape of this repository.

mod arrows;
mod capabilities;
mod citations;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::bail;

/// Crates with SQL.
const SQL_CRATES: &[&str] = &["ledger-sqlite"];
/// Crates besides the capabilities that publish error codes.
const PUBLISHING: &[&str] = &["contract", "desk", "spine"];
/// Words in capitals that are not error codes.
const NOT_CODES: &[&str] = &["CARGO_PKG_VERSION", "SCREAMING_SNAKE_CASE", "STRAT", "UPPERCASE"];
/// Relationship types, whose names a specification writes in capitals.
const RELATIONS: &[&str] = &[
    "PART_OF",
    "CORRECTS",
    "REFERS_TO",
    "SETTLES",
    "DUPLICATE_OF",
    "DEPENDS_ON",
    "SUPERSEDES",
    "ASSIGNED_TO",
    "ATTACHED_TO",
    "ATTENDED",
    "BILLED_TO",
    "ISSUED_BY",
    "REPLIES_TO",
    "WORKS_FOR",
    "ACTIVE_PC",
    "ADVANCED_BY",
    "ALLIED_WITH",
    "ALLY_OF",
    "BELONGS_TO",
    "CAUSES",
    "CONTAINS",
    "DERIVES_FROM",
    "ENEMY",
    "ENEMY_OF",
    "FORESHADOWS",
    "HAS_AXIOM",
    "HAS_ENTITY",
    "HAS_FACT",
    "HAS_PARTY",
    "HAS_SCENE",
    "HAS_SOURCE",
    "HAS_STORY",
    "HAS_THREAD",
    "HOSTILE_TO",
    "INVOLVES",
    "LOCATED_AT",
    "LOCATED_IN",
    "MEMBER",
    "MEMBER_OF",
    "OWNER_OF",
    "PARENT_STORY",
    "REMEMBERS",
    "REPLACES",
    "REVEALS",
    "SUPPORTED_BY",
];
/// Words of calendars and address cards, which their formats write in capitals.
const CARD_WORDS: &[&str] = &[
    "ATTENDEE",
    "BEGIN",
    "COMPANY",
    "CUTYPE",
    "DESCRIPTION",
    "DTEND",
    "DTSTART",
    "DURATION",
    "EMAIL",
    "INDIVIDUAL",
    "LOCATION",
    "ORGANIZER",
    "PARTSTAT",
    "RRULE",
    "STATUS",
    "SUMMARY",
    "TITLE",
    "VCALENDAR",
    "VCARD",
    "VEVENT",
];
/// States of proposals and goals, which are published in capitals too.
const STATES: &[&str] = &[
    "PROPOSED",
    "TRIAGED",
    "IN_REVIEW",
    "ACCEPTED",
    "REJECTED",
    "CHANGES_REQUESTED",
    "WITHDRAWN",
    "ACHIEVED",
    "ABANDONED",
];
/// A file longer than this holds two ideas.
const LINES_MAX: usize = 600;

/// Runs every check and reports all that is wrong.
pub fn run() -> anyhow::Result<()> {
    let mut wrong = Vec::new();
    arrows::check(&mut wrong)?;
    let (sources, capabilities) = (sources()?, capabilities::mounted()?);
    capabilities::check(&sources, &capabilities, &mut wrong);
    citations::check(&sources, &mut wrong);
    for (path, text) in &sources {
        sql(path, text, &mut wrong);
        length(path, text, &mut wrong);
    }
    migrations(&mut wrong)?;
    error_codes(&sources, &capabilities, &mut wrong)?;
    if wrong.is_empty() {
        println!("tidy: {} files", sources.len());
        return Ok(());
    }
    wrong.iter().for_each(|line| eprintln!("{line}"));
    bail!("{} things are not tidy", wrong.len())
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

/// True for a file of tests.
fn is_test(path: &Path) -> bool {
    path.ends_with("tests.rs") || path.components().any(|part| part.as_os_str() == "tests")
}

/// A file up to the tests at its end.
fn without_tests(text: &str) -> &str {
    text.split("#[cfg(test)]").next().unwrap_or_default()
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
fn error_codes(sources: &[(PathBuf, String)], capabilities: &[String], wrong: &mut Vec<String>) -> anyhow::Result<()> {
    let page = fs::read_to_string("docs/errors.md")?;
    let documented: BTreeSet<&str> =
        page.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
    let mut used = BTreeSet::new();
    for (path, text) in sources {
        let owner = crate_of(path);
        let counts = (PUBLISHING.contains(&owner) || capabilities.iter().any(|name| name == owner))
            && !is_test(path)
            // Settings and commands of the terminal have words of their own.
            && !path.components().any(|part| part.as_os_str() == "terminal")
            && !path.ends_with("module.rs");
        if counts {
            let code = without_tests(text);
            used.extend(
                code.split('"')
                    .skip(1)
                    .step_by(2)
                    .filter(|word| is_code(word) && ![NOT_CODES, STATES, RELATIONS, CARD_WORDS].concat().contains(word))
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

    #[test]
    fn a_code_is_a_word_in_capitals() {
        assert!(is_code("ELEMENT_NOT_FOUND"));
        assert!(!is_code("Element") && !is_code("_A_B_C") && !is_code("R-303"));
    }
}
