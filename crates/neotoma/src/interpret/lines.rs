//! The lines of a text, each divided into the cells that gaps, tabs, dotted leaders or pipes set apart.

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
pub fn lines(text: &str) -> Vec<Line> {
    text.lines().map(line).collect()
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

fn cells(text: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let gap = gap_chars(rest);
        let cell = cells.last_mut().expect("there is always a last cell");
        if gap > 0 {
            if !cell.is_empty() {
                cells.push(String::new());
            }
            rest = &rest[gap..];
        } else {
            cell.push(if c.is_whitespace() { ' ' } else { c });
            rest = &rest[c.len_utf8()..];
        }
    }
    let trimmed = cells.iter().map(|cell| cell.trim().to_owned());
    trimmed.filter(|cell| !cell.is_empty()).collect()
}

/// How many bytes at the start of `text` are a gap between cells.
fn gap_chars(text: &str) -> usize {
    let run = |is: fn(char) -> bool| text.len() - text.trim_start_matches(is).len();
    let spaces = run(|c| c == ' ' || c == '\u{a0}');
    let dots = run(|c| c == '.' || c == '…');
    let underscores = run(|c| c == '_');
    if text.starts_with('\t') || text.starts_with('|') {
        1
    } else if spaces >= 2 && text[spaces..].chars().next().is_some_and(|next| next != '\t') {
        spaces
    } else if dots >= 3 {
        dots
    } else if underscores >= 3 {
        underscores
    } else {
        0
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
    }

    #[test]
    fn marks_of_markdown_are_not_text() {
        check("**Total:** 12.00", &["Total: 12.00"]);
        check("- Status: open", &["Status: open"]);
        check("## Invoice", &["Invoice"]);
        check("----------", &[]);
        check("- [ ] Task", &["- [ ] Task"]);
    }

    #[track_caller]
    fn check(text: &str, cells: &[&str]) {
        assert_eq!(line(text).cells, cells);
    }
}
