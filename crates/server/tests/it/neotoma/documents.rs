//! docs/neotoma.md says what it must about every tool and every code.

use std::collections::BTreeSet;

use contract::Tool;

const PAGE: &str = include_str!("../../../../../docs/neotoma.md");
const ERRORS: &str = include_str!("../../../../../docs/errors.md");
/// Where the codes of neotoma are, and the ones that the doors add.
const SOURCES: [&str; 4] = [
    include_str!("../../../../neotoma/src/error.rs"),
    include_str!("../../../../spine/src/endpoint/guard.rs"),
    include_str!("../../../../spine/src/turn.rs"),
    include_str!("../../../../contract/src/error.rs"),
];

/// The cells of the row that starts with this name in code.
#[track_caller]
fn row(name: &str) -> Vec<&'static str> {
    let start = format!("| `{name}` |");
    let line = PAGE.lines().find(|line| line.starts_with(&start)).unwrap_or_else(|| panic!("{name} has no row"));
    line.trim_matches('|').split('|').map(str::trim).collect()
}

fn tools() -> Vec<Tool> {
    contract::generated::neotoma::manifest().tools
}

/// The published codes: texts in capitals in the source.
pub fn codes() -> BTreeSet<&'static str> {
    let quoted = SOURCES.iter().flat_map(|source| {
        let code = source.split("#[cfg(test)]").next().unwrap_or_default();
        code.split('"').skip(1).step_by(2)
    });
    let is_code = |word: &&str| word.len() > 4 && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    // What a capability without preconditions of that sort never says.
    quoted.filter(is_code).filter(|code| *code != "PRECONDITION_FAILED").collect()
}

// N-101, N-257
#[test]
fn consistency_and_determinism_of_every_tool_are_stated() {
    for tool in tools() {
        let row = row(&tool.name);
        assert_eq!(row[1], "strong", "{}", tool.name);
        let expected = if tool.name == "get_file_url" { "no: the link holds the time" } else { "yes" };
        assert!(row[2].starts_with(expected), "{}: {}", tool.name, row[2]);
    }
}

// N-258
#[test]
fn codes_and_limits_of_every_tool_are_stated() {
    let known = codes();
    for tool in tools() {
        let row = row(&tool.name);
        for code in row[3].split('`').skip(1).step_by(2) {
            let asked = code.starts_with("CONFIRMATION_") && tool.hints.destructive;
            assert!(asked || known.contains(code), "{} names {code}, which there is not", tool.name);
        }
        assert!(row[3] == "none" || row[3].contains('`'), "{}", tool.name);
        let limit = if tool.calls_per_minute == 0 { "no limit".to_owned() } else { tool.calls_per_minute.to_string() };
        assert_eq!(row[4], limit, "{}", tool.name);
    }
}

// N-027, N-028, N-029, N-030, N-031, N-032, N-033, N-034, N-035, N-036, N-037, N-038, N-039, N-040, N-045: meaning, HTTP number and
// advice.
#[test]
fn every_code_is_explained() {
    for code in codes() {
        let row = row(code);
        assert!(row[1].parse::<u16>().is_ok_and(|number| (400..600).contains(&number)), "{code}: {}", row[1]);
        assert!(!row[2].is_empty() && !row[3].is_empty(), "{code}");
        assert!(ERRORS.contains(&format!("\n| `{code}` | ")), "{code} is not in docs/errors.md");
    }
    for (code, number, retry) in [
        ("VALIDATION_ERROR", "400", "no"),
        ("ENTITY_NOT_FOUND", "404", "no"),
        ("SOURCE_NOT_FOUND", "404", "no"),
        ("FILE_NOT_FOUND", "404", "no"),
        ("FILE_TOO_LARGE", "400", "no"),
        ("UNSUPPORTED_FILE_TYPE", "400", "no"),
        ("DB_INSERT_FAILED", "500", "yes"),
        ("DB_UPDATE_FAILED", "500", "yes"),
        ("DB_DELETE_FAILED", "500", ""),
        ("DB_QUERY_FAILED", "500", "yes"),
        ("UPLOAD_FAILED", "500", "yes"),
        ("ANALYSIS_FAILED", "500", "in part"),
        ("SERVICE_UNAVAILABLE", "503", "yes"),
        ("FIELD_NOT_FOUND", "404", "no"),
        ("QUOTA_EXCEEDED", "429", "after"),
        ("SIGNING_FAILED", "500", "yes"),
        ("ENTITY_ALREADY_MERGED", "400", "no"),
        ("INVALID_RELATIONSHIP_TYPE", "400", "no"),
        ("CYCLE_DETECTED", "400", "no"),
        ("RATE_LIMIT_EXCEEDED", "429", "after"),
    ] {
        let row = row(code);
        assert!(row[1] == number && row[3].starts_with(retry), "{code}: {row:?}");
    }
}

// N-258: nobody's name or address stands in an example.
#[test]
fn examples_are_about_nobody() {
    for tool in tools() {
        for example in &tool.examples {
            let text = example.input.to_string();
            assert!(!text.contains('@') && !text.contains("person"), "{}: {text}", tool.name);
        }
    }
    assert!(!PAGE.contains('@'));
}
