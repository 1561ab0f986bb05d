//! What a comment cites can be looked up: a paragraph belongs to a specification, which has a number.

use std::path::PathBuf;

/// Names each line that cites a paragraph of something else.
pub fn check(sources: &[(PathBuf, String)], wrong: &mut Vec<String>) {
    for (path, text) in sources {
        for (number, line) in text.lines().enumerate().filter(|(_, line)| cites_something_else(line)) {
            let line = line.trim();
            wrong.push(format!("{}:{}: no specification with a number is cited: {line}", path.display(), number + 1));
        }
    }
}

fn cites_something_else(line: &str) -> bool {
    let Some((_, comment)) = line.split_once("//") else { return false };
    let mut before = comment.split('\u{a7}');
    let is_specification = |text: &str| {
        let word = text.trim_end().rsplit([' ', '(']).next().unwrap_or_default();
        // A second paragraph of the same specification follows after a comma.
        word.ends_with(',') || (word.len() == 3 && word.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let last = before.next_back();
    last.is_some() && !before.all(is_specification)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paragraph_belongs_to_a_specification() {
        assert!(!cites_something_else("//! What tools cost (534 \u{a7}6.7, \u{a7}13.6)."));
        assert!(cites_something_else("// Larger is faster (STORAGE \u{a7}1)."));
        assert!(cites_something_else("/// As in SOMETHING.md \u{a7}5."));
        assert!(!cites_something_else("let text = \"\u{a7}\";"));
    }
}
