//! Which of our crates a crate may use: the table in ARCHITECTURE.md, and nowhere else. A new arrow is an architecture change:
//! say why in the pull request.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

const PAGE: &str = "ARCHITECTURE.md";
const HEAD: &str = "| crate | responsibility | may use |";

type Table = BTreeMap<String, BTreeSet<String>>;

/// Dependencies between our crates follow the table. Dev-dependencies may also use the engines and the testkit.
pub fn check(wrong: &mut Vec<String>) -> anyhow::Result<()> {
    check_in(Path::new(""), wrong)
}

fn check_in(root: &Path, wrong: &mut Vec<String>) -> anyhow::Result<()> {
    let table = read(&fs::read_to_string(root.join(PAGE))?)?;
    let mut seen = BTreeSet::new();
    for manifest in manifests(root)? {
        let text = fs::read_to_string(&manifest)?;
        let parsed: toml::Table = text.parse().with_context(|| manifest.display().to_string())?;
        let name = parsed["package"]["name"].as_str().unwrap_or_default().to_owned();
        let Some(allowed) = table.get(&name) else {
            wrong.push(format!("{}: crate {name} is not in the table of {PAGE}", manifest.display()));
            continue;
        };
        let used = parsed.get("dependencies").and_then(toml::Value::as_table).into_iter().flatten();
        for (used, _) in used.filter(|(used, _)| table.contains_key(*used) && !allowed.contains(*used)) {
            wrong.push(format!("{}: {name} may not use {used}, says {PAGE}", manifest.display()));
        }
        seen.insert(name);
    }
    wrong.extend(
        table.keys().filter(|name| !seen.contains(*name)).map(|name| format!("{PAGE}: there is no crate {name}")),
    );
    Ok(())
}

/// The table: rows of a crate, what it is for, and what it may use. That is a list of crates, `all`, `all of the above` or
/// `nothing of ours`; what stands in parentheses is for people.
fn read(page: &str) -> anyhow::Result<Table> {
    let (_, rows) = page.split_once(HEAD).with_context(|| format!("{PAGE} has no table {HEAD}"))?;
    let mut cells: Vec<(String, String)> = Vec::new();
    for row in rows.lines().skip(2).take_while(|line| line.starts_with('|')) {
        let parts: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [name, .., uses] = parts.as_slice() else { bail!("{PAGE}: this row has no columns: {row}") };
        let uses = uses.split('(').next().unwrap_or_default().trim();
        cells.push((name.trim_matches('`').to_owned(), uses.to_owned()));
    }
    let names: Vec<String> = cells.iter().map(|(name, _)| name.clone()).collect();
    let mut table = Table::new();
    for (place, (name, uses)) in cells.into_iter().enumerate() {
        let uses: BTreeSet<String> = match uses.as_str() {
            "nothing of ours" => BTreeSet::new(),
            "all of the above" => names[..place].iter().cloned().collect(),
            "all" => names.iter().filter(|other| **other != name).cloned().collect(),
            list => list.split(',').map(|used| used.trim().to_owned()).collect(),
        };
        if let Some(unknown) = uses.iter().find(|used| !names.contains(used)) {
            bail!("{PAGE}: {name} uses {unknown}, which is no crate of the table");
        }
        table.insert(name, uses);
    }
    Ok(table)
}

fn manifests(root: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = vec![root.join("xtask/Cargo.toml")];
    for entry in fs::read_dir(root.join("crates"))? {
        found.push(entry?.path().join("Cargo.toml"));
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    //
    #[test]
    fn the_table_has_no_cycle_and_the_doors_no_storage() {
        let table = read(include_str!("../../../ARCHITECTURE.md")).unwrap();
        // Tools and tests use everything, each other too.
        let is_tool = |name: &str| ["testkit", "bench"].contains(&name);
        for (name, uses) in table.iter().filter(|(name, _)| !is_tool(name)) {
            let mut reached = uses.clone();
            while let Some(next) = reached.iter().flat_map(|used| &table[used]).find(|used| !reached.contains(*used)) {
                reached.insert(next.clone());
            }
            assert!(!reached.contains(name), "{name} uses itself");
        }
        assert!(!table["spine"].iter().any(|used| used.starts_with("ledger")));
        let spine: toml::Table = include_str!("../../../crates/spine/Cargo.toml").parse().unwrap();
        for storage in ["ledger", "ledger-sqlite", "sqlite-log", "rusqlite", "transformation", "neotoma"] {
            assert!(!spine["dependencies"].as_table().unwrap().contains_key(storage), "{storage}");
        }
        let mut wrong = Vec::new();
        check_in(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")), &mut wrong).unwrap();
        assert_eq!(wrong, [""; 0]);
    }

    #[test]
    fn a_row_lists_what_a_crate_may_use() {
        let page = format!(
            "{HEAD}\n|---|---|---|\n| `a` | x | nothing of ours |\n| `b` | x | a |\n| `c` | x | all of the above |\n| `d` | x | all (tests only) |\n\nrest"
        );
        let table = read(&page).unwrap();
        let uses = |name: &str| table[name].iter().map(String::as_str).collect::<Vec<_>>().join(" ");
        assert_eq!(
            (uses("a"), uses("b"), uses("c"), uses("d")),
            (String::new(), "a".into(), "a b".into(), "a b c".into())
        );
        assert!(read(&format!("{HEAD}\n|---|---|---|\n| `a` | x | z |\n")).is_err());
    }
}
