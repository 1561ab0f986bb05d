//! A capability's name stands in its own crate and in its mount line. Another crate that names it knows too much.

use std::fs;
use std::path::{Path, PathBuf};

use super::{crate_of, is_test, without_tests};

/// Where capabilities are mounted.
pub const MOUNTS: &str = "crates/server/src/mounts.rs";
/// Measures them one by one.
const BENCH: &str = "bench";
/// The scopes of the machine's owner are written down where the owner is.
const OWNER: &str = "crates/scope/src/principal.rs";

/// The capabilities in the box, by their mount lines.
pub fn mounted() -> anyhow::Result<Vec<String>> {
    Ok(names(&fs::read_to_string(MOUNTS)?))
}

fn names(mounts: &str) -> Vec<String> {
    let name = |line: &str| Some(line.trim().strip_prefix('&')?.strip_suffix("::Module,")?.to_owned());
    mounts.lines().filter_map(name).collect()
}

/// Names every line outside that names a capability.
pub fn check(sources: &[(PathBuf, String)], capabilities: &[String], wrong: &mut Vec<String>) {
    if capabilities.is_empty() {
        wrong.push(format!("{MOUNTS}: there is no mount line such as `&NAME::Module,`"));
    }
    for (path, text) in sources.iter().filter(|(path, _)| !is_free(path)) {
        for name in capabilities.iter().filter(|name| *name != crate_of(path)) {
            for (number, line) in without_tests(text).lines().enumerate().filter(|(_, line)| has_word(line, name)) {
                let line = line.trim();
                wrong.push(format!("{}:{}: {name} is named outside its crate: {line}", path.display(), number + 1));
            }
        }
    }
}

fn is_free(path: &Path) -> bool {
    is_test(path) || path == Path::new(MOUNTS) || path == Path::new(OWNER) || crate_of(path) == BENCH
}

fn has_word(line: &str, name: &str) -> bool {
    let words = line.split(|char: char| !char.is_ascii_alphanumeric() && char != '_');
    words.into_iter().any(|word| word.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_own_crate_the_mount_line_and_tests_name_a_capability() {
        check_file("crates/shop/src/lib.rs", "//! Shop", 0);
        check_file("crates/server/src/mounts.rs", "&shop::Module,", 0);
        check_file("crates/server/src/config/tests.rs", "shop", 0);
        check_file("crates/server/tests/it/shop.rs", "shop", 0);
        check_file("crates/server/src/lib.rs", "let workshop = 1;\n#[cfg(test)]\nmod tests { /* shop */ }", 0);
        check_file("crates/server/src/lib.rs", "use shop::Shop;\n\n// for the Shop", 2);
    }

    #[track_caller]
    fn check_file(path: &str, text: &str, expected: usize) {
        let mut wrong = Vec::new();
        check(&[(path.into(), text.to_owned())], &["shop".to_owned()], &mut wrong);
        assert_eq!(wrong.len(), expected, "{wrong:?}");
    }

    #[test]
    fn a_mount_line_is_a_line_of_its_own() {
        assert_eq!(
            names("pub static MODULES: &[&dyn Module] = &[\n    // Here.\n    &shop::Module,\n    &inn::Module,\n];"),
            ["shop", "inn"]
        );
    }
}
