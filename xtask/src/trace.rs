//! `cargo xtask trace`: which requirements are carried by tests.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

/// Prints numbers carried by tests out of all, per section, without those marked [FUT] or [DOC].
pub fn run(open: bool) -> anyhow::Result<()> {
    let carried = carried()?;
    let list = fs::read_to_string("docs/requirements.md")?;
    let mut sections: Vec<(String, Vec<(String, bool)>)> = Vec::new();
    for line in list.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            sections.push((title.to_owned(), Vec::new()));
        }
        let wanted = line.contains("[V1]") || line.contains("[ADD]");
        if let Some(number) = line.strip_prefix("- ").and_then(|rest| rest.split_whitespace().next())
            && is_number(number)
            && wanted
            && let Some((_, lines)) = sections.last_mut()
        {
            lines.push((number.to_owned(), carried.contains_key(number)));
        }
    }
    let (mut proved, mut all) = (0, 0);
    for (title, lines) in sections.iter().filter(|(_, lines)| !lines.is_empty()) {
        let done = lines.iter().filter(|(_, done)| *done).count();
        println!("{done:>4} of {:<4} {title}", lines.len());
        if open {
            let missing: Vec<&str> =
                lines.iter().filter(|(_, done)| !done).map(|(number, _)| number.as_str()).collect();
            println!("             open: {}", missing.join(" "));
        }
        proved += done;
        all += lines.len();
    }
    println!("{proved:>4} of {all} requirements are carried by a test");
    Ok(())
}

fn is_number(word: &str) -> bool {
    let mut parts = word.split('-');
    matches!(parts.next(), Some("R" | "N"))
        && parts.next().is_some_and(|digits| digits.len() == 3 && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Every number that stands in a comment of a test file, and where.
fn carried() -> anyhow::Result<BTreeMap<String, BTreeSet<PathBuf>>> {
    let mut found: BTreeMap<String, BTreeSet<PathBuf>> = BTreeMap::new();
    let mut folders = vec![PathBuf::from("crates"), PathBuf::from("xtask"), PathBuf::from("tests")];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let test_language = path
                .extension()
                .is_some_and(|extension| ["rs", "mjs", "ts", "py"].iter().any(|known| extension == *known));
            if !test_language {
                continue;
            }
            for word in fs::read_to_string(&path)?.split(|char: char| !char.is_ascii_alphanumeric() && char != '-') {
                if is_number(word) {
                    found.entry(word.to_owned()).or_default().insert(path.clone());
                }
            }
        }
    }
    Ok(found)
}
