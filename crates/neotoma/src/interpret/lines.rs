//! The lines of a text, each divided into the cells that gaps, tabs, dotted leaders or pipes set apart.

use super::effort::Effort;
use super::{Failure, amount};

/// Cells of one line; what follows them belongs to the last.
const CELLS_MAX: usize = 200;

/// A line without the marks of Markdown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The words of the line, with single spaces.
    pub text: String,
    pub cells: Vec<String>,
    /// Whether Markdown marked it as a heading.
    pub heading: bool,
}

impl Line {
    pub fn is_blank(&self) -> bool {
        self.text.is_empty()
    }
}

/// Divides `text` into lines.
pub fn lines(text: &str, effort: &Effort) -> Result<Vec<Line>, Failure> {
    let read = |raw: &str| {
        effort.spend(raw.len())?;
        Ok(line(raw))
    };
    text.lines().map(read).collect()
}

fn line(raw: &str) -> Line {
    let mut rest = raw.trim().trim_start_matches('\u{c}');
    let hashes = rest.len() - rest.trim_start_matches('#').len();
    let heading = (1..=6).contains(&hashes) && rest[hashes..].starts_with(' ');
    if heading {
        rest = rest[hashes..].trim();
    }
    rest = rest.trim_start_matches("> ");
    let is_rule = rest.chars().count() >= 3 && rest.chars().all(|c| "-=_*+~|: .".contains(c));
    if is_rule {
        return Line { text: String::new(), cells: Vec::new(), heading: false };
    }
    for bullet in ["- ", "* ", "• ", "+ "] {
        // A checkbox is kept, because it says that the line is a task.
        if let Some(item) = rest.strip_prefix(bullet)
            && !item.starts_with('[')
        {
            rest = item.trim_start();
            break;
        }
    }
    let plain = rest.replace("**", "").replace("__", "");
    let cells = cells(&plain);
    Line { text: cells.join(" "), cells, heading }
}

/// The cells of a line. Every character is looked at once, as part of one run.
fn cells(text: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let run = run(rest, first);
        let (these, after) = rest.split_at(run);
        let has_room = cells.len() < CELLS_MAX;
        let cell = cells.last_mut().expect("there is always a last cell");
        if has_room && is_gap(first, run) {
            if !cell.is_empty() {
                cells.push(String::new());
            }
        } else {
            cell.extend(these.chars().map(|c| if c.is_whitespace() { ' ' } else { c }));
        }
        rest = after;
    }
    let trimmed = cells.iter().map(|cell| cell.trim().to_owned());
    joined(trimmed.filter(|cell| !cell.is_empty()).collect())
}

/// Puts a currency that stands alone before its amount: in columns the two are set apart.
fn joined(cells: Vec<String>) -> Vec<String> {
    let mut joined: Vec<String> = Vec::with_capacity(cells.len());
    for cell in cells {
        let is_number = cell.starts_with(|c: char| c.is_ascii_digit() || c == '-');
        match joined.last_mut() {
            Some(last) if is_number && amount::currency(last).is_some() => {
                last.push(' ');
                last.push_str(&cell);
            }
            _ => joined.push(cell),
        }
    }
    joined
}

/// How many bytes at the start of `text` are of the kind of its first character, as far as that may be a gap.
fn run(text: &str, first: char) -> usize {
    let while_is = |is: fn(char) -> bool| text.len() - text.trim_start_matches(is).len();
    match first {
        ' ' => while_is(|c| c == ' '),
        '\u{a0}' => while_is(|c| c == '\u{a0}'),
        '.' | '…' => while_is(|c| c == '.' || c == '…'),
        '_' => while_is(|c| c == '_'),
        first => first.len_utf8(),
    }
}

/// Whether a run of so many bytes sets cells apart.
fn is_gap(first: char, bytes: usize) -> bool {
    match first {
        '\t' | '|' => true,
        ' ' => bytes >= 2,
        // Two bytes each.
        '\u{a0}' => bytes >= 4,
        '.' | '…' | '_' => bytes >= 3,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_tabs_leaders_and_pipes_divide_cells() {
        check("Total      EUR 12.00", &["Total", "EUR 12.00"]);
        check("Invoice no: 1\tDate: 2", &["Invoice no: 1", "Date: 2"]);
        check("Total ........ 12.00", &["Total", "12.00"]);
        check("| a | b |", &["a", "b"]);
        check("  one cell only ", &["one cell only"]);
        check("Name  \t Ada   \t", &["Name", "Ada"]);
        check("a  b..c", &["a", "b..c"]);
    }

    #[test]
    fn marks_of_markdown_are_not_text() {
        check("**Total:** 12.00", &["Total: 12.00"]);
        check("- Status: open", &["Status: open"]);
        check("## Invoice", &["Invoice"]);
        check("----------", &[]);
        check("- [ ] Task", &["- [ ] Task"]);
    }

    #[test]
    fn cells_are_bounded_and_nothing_is_lost() {
        let wide = line(&"a|".repeat(1000));
        assert_eq!(wide.cells.len(), CELLS_MAX);
        assert_eq!(wide.text.matches('a').count(), 1000);
    }

    #[track_caller]
    fn check(text: &str, cells: &[&str]) {
        assert_eq!(line(text).cells, cells);
    }
}
