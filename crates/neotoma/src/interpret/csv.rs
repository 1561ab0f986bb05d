//! CSV: the delimiter is the one that divides the lines most evenly.

use super::Failure;
use super::effort::Effort;

/// Cells of one row; what follows them belongs to the last.
const CELLS_MAX: usize = 200;

/// The rows of `text`, at most `rows_max` of them. Quotes may hold delimiters, line ends and doubled quotes.
pub fn rows(text: &str, rows_max: usize, effort: &Effort) -> Result<Vec<Vec<String>>, Failure> {
    effort.spend(text.len())?;
    let delimiter = delimiter(text);
    let mut rows = Vec::new();
    let mut row = Vec::new();
    let mut cell = String::new();
    let (mut quoted, mut blank) = (false, true);
    let mut read = 0;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        read += c.len_utf8();
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                cell.push('"');
            }
            '"' if quoted => quoted = false,
            '"' if blank => {
                cell.clear();
                quoted = true;
            }
            '\r' if !quoted => {}
            '\n' if !quoted => {
                end_row(&mut rows, &mut row, &mut cell);
                blank = true;
                effort.spend(std::mem::take(&mut read))?;
                if rows.len() >= rows_max {
                    return Ok(rows);
                }
            }
            c if c == delimiter && !quoted && row.len() + 1 < CELLS_MAX => {
                row.push(std::mem::take(&mut cell).trim().to_owned());
                blank = true;
            }
            c => {
                blank &= c.is_whitespace();
                cell.push(c);
            }
        }
    }
    effort.spend(read)?;
    end_row(&mut rows, &mut row, &mut cell);
    Ok(rows)
}

/// Adds the row unless it is empty.
fn end_row(rows: &mut Vec<Vec<String>>, row: &mut Vec<String>, cell: &mut String) {
    row.push(std::mem::take(cell).trim().to_owned());
    let done = std::mem::take(row);
    if done.iter().any(|cell| !cell.is_empty()) {
        rows.push(done);
    }
}

fn delimiter(text: &str) -> char {
    let sample: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).take(50).collect();
    // How many lines have the count that most lines have. A preamble and commas in single cells do not change it.
    let score = |delimiter: char| {
        let counts: Vec<usize> = sample.iter().map(|line| line.matches(delimiter).count()).collect();
        let alike = |count: usize| counts.iter().filter(|other| **other == count).count();
        counts.iter().filter(|count| **count > 0).map(|count| (alike(*count), *count)).max().unwrap_or_default()
    };
    // On a tie the first wins, so decimal commas do not beat semicolons.
    let mut best = (',', (0, 0));
    for candidate in [';', '\t', '|', ','] {
        let score = score(candidate);
        if score > best.1 {
            best = (candidate, score);
        }
    }
    best.0
}

#[cfg(test)]
mod tests {
    use super::super::effort::ample;
    use super::*;

    #[test]
    fn the_delimiter_is_found() {
        check("a,b\n1,2\n", "a+b/1+2");
        check("a;b\n1,5;2,5\n", "a+b/1,5+2,5");
        check("a\tb\n1\t2", "a+b/1+2");
    }

    #[test]
    fn quotes_hold_delimiters_and_line_ends() {
        check("a,b\n\"x, y\",\"say \"\"hi\"\"\"\n\"two\nlines\",2\n", "a+b/x, y+say \"hi\"/two\nlines+2");
    }

    #[test]
    fn empty_lines_are_no_rows_and_rows_are_bounded() {
        check("a,b\n\n1,2\r\n", "a+b/1+2");
        assert_eq!(rows("a,b\n1,2\n3,4\n", 2, &ample()).unwrap().len(), 2);
        assert_eq!(rows(&"a,".repeat(1000), 2, &ample()).unwrap()[0].len(), CELLS_MAX);
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let shown: Vec<String> = rows(text, 100, &ample()).unwrap().iter().map(|row| row.join("+")).collect();
        assert_eq!(shown.join("/"), expected);
    }
}
