//! `cargo xtask trace`: which requirements are carried by tests.
//!
//! A test carries a line of `docs/requirements.md` by naming its number in a comment: `// R-303`. A line that speaks of several
//! things, such as both engines, has parts, which the section "Parts" of that page lists; a test then names the part that it
//! proves, `// R-825 (sqlite)`, and the line counts once every part is carried.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::bail;

const LIST: &str = "docs/requirements.md";
const PARTS: &str = "## Parts";

/// For each number the parts that tests name; a bare number is the part without a name.
type Carried = BTreeMap<String, BTreeSet<String>>;

/// Prints numbers carried by tests out of all, per section, without those marked [FUT] or [DOC].
pub fn run(open: bool) -> anyhow::Result<()> {
    let mut carried = Carried::new();
    for path in test_files()? {
        collect(&test_text(&path, &fs::read_to_string(&path)?), &mut carried);
    }
    let list = fs::read_to_string(LIST)?;
    let parts = parts(&list);
    let wrong = misnamed(&carried, &parts);
    if !wrong.is_empty() {
        bail!("{}", wrong.join("\n"));
    }
    let (mut proved, mut all) = (0, 0);
    for (title, numbers) in sections(&list) {
        let missing: Vec<String> = numbers.iter().filter_map(|number| missing(number, &carried, &parts)).collect();
        let done = numbers.len() - missing.len();
        println!("{done:>4} of {:<4} {title}", numbers.len());
        if open {
            println!("             open: {}", missing.join(", "));
        }
        proved += done;
        all += numbers.len();
    }
    println!("{proved:>4} of {all} requirements are carried by a test");
    Ok(())
}

/// The sections of the list with the numbers that count.
fn sections(list: &str) -> Vec<(&str, Vec<&str>)> {
    let mut sections: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in list.lines().take_while(|line| *line != PARTS) {
        if let Some(title) = line.strip_prefix("## ") {
            sections.push((title, Vec::new()));
        }
        let wanted = line.contains("[V1]") || line.contains("[ADD]");
        let number = line.strip_prefix("- ").and_then(|rest| rest.split_whitespace().next());
        if let (Some(number), Some((_, numbers))) =
            (number.filter(|word| wanted && is_number(word)), sections.last_mut())
        {
            numbers.push(number);
        }
    }
    sections.retain(|(_, numbers)| !numbers.is_empty());
    sections
}

/// The parts of lines that have some: `- R-825: sqlite, postgres`.
fn parts(list: &str) -> BTreeMap<String, Vec<String>> {
    let stated =
        list.lines().skip_while(|line| *line != PARTS).filter_map(|line| line.strip_prefix("- ")?.split_once(": "));
    let names = |names: &str| names.split(", ").map(str::to_owned).collect();
    stated.filter(|(number, _)| is_number(number)).map(|(number, of)| (number.to_owned(), names(of))).collect()
}

/// What a line still lacks, or nothing when it is carried.
fn missing(number: &str, carried: &Carried, parts: &BTreeMap<String, Vec<String>>) -> Option<String> {
    let named = carried.get(number);
    let Some(parts) = parts.get(number) else {
        return named.is_none().then(|| number.to_owned());
    };
    let lacks: Vec<&str> =
        parts.iter().filter(|part| !named.is_some_and(|named| named.contains(*part))).map(String::as_str).collect();
    (!lacks.is_empty()).then(|| format!("{number} ({})", lacks.join(", ")))
}

/// Numbers that name a part which the list does not know, or no part where there are some.
fn misnamed(carried: &Carried, parts: &BTreeMap<String, Vec<String>>) -> Vec<String> {
    let none = Vec::new();
    let mut wrong = Vec::new();
    for (number, named) in carried {
        let known = parts.get(number).unwrap_or(&none);
        for part in named {
            match (part.is_empty(), known.is_empty()) {
                (true, true) => {}
                (true, false) => {
                    wrong.push(format!("{number} has parts ({}): name the one that the test proves", known.join(", ")));
                }
                (false, _) if !known.contains(part) => {
                    wrong.push(format!("{number} has no part {part}: list it in {LIST}, section Parts"));
                }
                (false, _) => {}
            }
        }
    }
    wrong
}

/// Reads the numbers in a text, each with the words in parentheses right after it.
fn collect(text: &str, carried: &mut Carried) {
    for (start, _) in text.match_indices(['R', 'N']) {
        let Some(number) = text.get(start..start + 5).filter(|word| is_number(word)) else { continue };
        let alone = |char: Option<char>| !char.is_some_and(|char| char.is_ascii_alphanumeric() || char == '-');
        if !alone(text[..start].chars().next_back()) || !alone(text[start + 5..].chars().next()) {
            continue;
        }
        let after = text[start + 5..].strip_prefix(" (").and_then(|rest| rest.split_once(')'));
        let parts = after
            .map(|(parts, _)| parts)
            .filter(|parts| parts.chars().all(|char| char.is_ascii_lowercase() || ", ".contains(char)));
        let named = carried.entry(number.to_owned()).or_default();
        named.extend(parts.unwrap_or_default().split(", ").map(str::to_owned));
    }
}

fn is_number(word: &str) -> bool {
    let mut parts = word.split('-');
    matches!(parts.next(), Some("R" | "N"))
        && parts.next().is_some_and(|digits| digits.len() == 3 && digits.bytes().all(|byte| byte.is_ascii_digit()))
        && parts.next().is_none()
}

/// What of a file is test code: all of it in a folder of tests or a conformance suite, otherwise what follows `cfg(test)`.
fn test_text(path: &Path, text: &str) -> String {
    let of_tests = |part: &std::ffi::OsStr| part == "tests" || part == "conformance" || part == "tests.rs";
    if path.iter().any(of_tests) {
        return text.to_owned();
    }
    text.split_once("#[cfg(test)]").map(|(_, tests)| tests.to_owned()).unwrap_or_default()
}

/// Every file that may hold a test. The bench measures and does not judge, so it is none.
fn test_files() -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::from("crates"), PathBuf::from("xtask"), PathBuf::from("tests")];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries {
            let path = entry?.path();
            let skipped = ["target", "node_modules", "gen", "bench"].iter().any(|name| path.ends_with(name));
            if path.is_dir() && !skipped {
                folders.push(path);
            } else if path
                .extension()
                .is_some_and(|ending| ["rs", "mjs", "ts", "py"].iter().any(|known| ending == *known))
            {
                found.push(path);
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, list: &str, expected: &[&str]) {
        let mut carried = Carried::new();
        collect(text, &mut carried);
        let parts = parts(list);
        let mut found: Vec<String> = sections(list)
            .iter()
            .flat_map(|(_, numbers)| numbers)
            .filter_map(|number| missing(number, &carried, &parts))
            .collect();
        found.extend(misnamed(&carried, &parts));
        assert_eq!(found, expected);
    }

    // The numbers of these tests stand for no line of the list, so they are written apart.
    fn list(parts: &str) -> String {
        format!("## One\n- {n}-900 [V1] Both engines.\n- {n}-901 [FUT] Later.\n\n{PARTS}\n{parts}", n = "R")
    }

    fn text(rest: &str) -> String {
        format!("// {}-900{rest}", "R")
    }

    #[test]
    fn a_line_without_parts_is_carried_by_its_number() {
        check("", &list(""), &[&format!("{}-900", "R")]);
        check(&text(""), &list(""), &[]);
    }

    #[test]
    fn a_line_with_parts_needs_each_of_them() {
        let list = list(&format!("- {}-900: sqlite, postgres", "R"));
        let lacks = format!("{}-900 (postgres)", "R");
        check(&text(" (sqlite)"), &list, &[&lacks]);
        check(&text(" (sqlite, postgres)"), &list, &[]);
    }

    #[test]
    fn a_part_must_be_known_and_named() {
        let unknown = format!("{}-900 has no part redis: list it in {LIST}, section Parts", "R");
        check(&text(" (redis)"), &list(""), &[&unknown]);
        let list = list(&format!("- {}-900: sqlite", "R"));
        let (lacks, bare) = (
            format!("{}-900 (sqlite)", "R"),
            format!("{}-900 has parts (sqlite): name the one that the test proves", "R"),
        );
        check(&text(""), &list, &[&lacks, &bare]);
    }
}
