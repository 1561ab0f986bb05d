//! Key-value lines: which value a label in running text belongs to.
//!
//! A value stands after a colon, in the next cell, after a known label, or below its label. Only known labels take a value
//! without a colon, so that ordinary sentences do not become fields.

use super::effort::Effort;
use super::lines::Line;
use super::record::Pair;
use super::{Failure, amount, date, tax, vocabulary};

/// The longest label, in words and in characters.
const LABEL_WORDS_MAX: usize = 6;
const LABEL_CHARS_MAX: usize = 48;

/// The labelled values of `lines`, in order.
pub fn pairs(lines: &[Line], effort: &Effort) -> Result<Vec<Pair>, Failure> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let line = &lines[at];
        // A value is looked at for each of the words that may end its label.
        effort.spend(line.text.len() * LABEL_WORDS_MAX)?;
        if let Some(below) = header_of(line, lines.get(at + 1)) {
            found.extend(line.cells.iter().zip(&below.cells).map(|(label, value)| Pair::new(label, value)));
            at += 2;
            continue;
        }
        let mut cell = 0;
        while cell < line.cells.len() {
            let (pair, used) = pair_at(lines, at, cell);
            found.extend(pair);
            cell += used;
        }
        at += 1;
    }
    Ok(found)
}

/// The pairs of blocks that blank lines set apart.
pub fn blocks(lines: &[Line], effort: &Effort) -> Result<Vec<Vec<Pair>>, Failure> {
    let blocks = lines.split(|line| line.is_blank() || line.heading);
    blocks.filter(|block| !block.is_empty()).map(|block| pairs(block, effort)).collect()
}

/// The pair that starts in a cell, and how many cells it takes.
fn pair_at(lines: &[Line], at: usize, cell: usize) -> (Option<Pair>, usize) {
    let line = &lines[at];
    let text = line.cells[cell].as_str();
    if let Some((label, value)) = split_colon(text)
        && !value.is_empty()
    {
        return (Some(Pair::new(label, value)), 1);
    }
    let label = text.strip_suffix(':').unwrap_or(text);
    if is_known(label) || (text.ends_with(':') && is_label_like(label)) {
        // "Bill to  Deliver to" above two addresses.
        let is_above = is_party(label) && lines.get(at + 1).is_some_and(|below| below.cells.len() >= 2);
        let next = line
            .cells
            .get(cell + 1)
            .filter(|_| !is_above || text.ends_with(':'))
            .filter(|next| !is_known(next.trim_end_matches(':')) && split_colon(next).is_none());
        match (next, line.cells.get(cell + 2)) {
            // "VAT  20%  12.00": the rate is part of the label.
            (Some(next), Some(last)) if next.ends_with('%') => {
                return (Some(Pair::new(&format!("{label} {next}"), last)), 3);
            }
            // "Total  EUR  12.00"
            (Some(next), Some(last)) if amount::currency(next).is_some() => {
                return (Some(Pair::new(label, &format!("{next} {last}"))), 3);
            }
            (Some(next), _) => return (Some(Pair::new(label, next)), 2),
            (None, _) => {
                if let Some(below) = value_below(lines, at, cell) {
                    return (Some(Pair::new(label, below)), 1);
                }
            }
        }
        return (None, 1);
    }
    (split_known(text).map(|(label, value)| Pair::new(label, value)), 1)
}

/// The line below, when this line is made of labels only and the next one has as many values.
fn header_of<'a>(line: &Line, below: Option<&'a Line>) -> Option<&'a Line> {
    let below = below?;
    let labels = line.cells.iter().all(|cell| is_known(cell.trim_end_matches(':')));
    let values = below.cells.iter().all(|cell| !is_known(cell.trim_end_matches(':')) && split_colon(cell).is_none());
    (line.cells.len() >= 2 && labels && values && below.cells.len() == line.cells.len()).then_some(below)
}

/// The value on the line below a label that ends its own line.
fn value_below(lines: &[Line], at: usize, cell: usize) -> Option<&str> {
    let here = &lines[at];
    // Markdown may leave one blank line after a heading that is the label.
    let below = if here.heading && lines.get(at + 1)?.is_blank() { lines.get(at + 2)? } else { lines.get(at + 1)? };
    let value = match below.cells.len() == here.cells.len() {
        true => below.cells.get(cell)?,
        // In lines of different columns only the first one can be told.
        false if cell == 0 => below.cells.first()?,
        false => return None,
    };
    let is_label =
        is_known(value.trim_end_matches(':')) || split_colon(value).is_some() || split_known(value).is_some();
    (!is_label).then_some(value)
}

/// Label and value around the first colon that can end a label.
fn split_colon(text: &str) -> Option<(&str, &str)> {
    let colon = text.find(':').or_else(|| text.find(" = ").map(|at| at + 1))?;
    let (label, value) = (&text[..colon], &text[colon + 1..]);
    let spaced = value.is_empty() || value.starts_with(char::is_whitespace) || is_known(label);
    // `https://…` and times are not labels.
    (spaced && is_label_like(label) && !value.starts_with("//")).then(|| (label.trim(), value.trim()))
}

/// Whether a label names one of the two sides of a paper.
fn is_party(label: &str) -> bool {
    let term = vocabulary::INVOICE.term(&vocabulary::normal(label));
    term.is_some_and(|term| matches!(term.field, "vendor_name" | "customer_name"))
}

fn is_label_like(label: &str) -> bool {
    let words = label.split_whitespace().count();
    (1..=LABEL_WORDS_MAX).contains(&words)
        && label.chars().count() <= LABEL_CHARS_MAX
        && label.contains(char::is_alphabetic)
}

fn is_known(label: &str) -> bool {
    let normal = vocabulary::normal(label);
    vocabulary::is_label(&normal) || tax::is_line(&normal)
}

/// A known label of at least two words, or one that ends in `no`, `nr` or `#`, followed by its value: `Invoice No. INV-1`.
/// For amounts one word is enough: `Total 12.00`.
fn split_known(text: &str) -> Option<(&str, &str)> {
    let ends: Vec<usize> = text.match_indices(' ').map(|(at, _)| at).take(LABEL_WORDS_MAX).collect();
    ends.into_iter().rev().find_map(|at| {
        let (label, value) = (&text[..at], text[at + 1..].trim());
        let label = label.trim_end_matches([':', '#']);
        if value.is_empty() || !is_label_like(label) || !is_known(label) {
            return None;
        }
        let is_amount = amount::parse(value, None).is_some();
        let is_date = date::parse(value, None).is_some();
        let normal = vocabulary::normal(label);
        let is_number =
            [" no", " nr", " number", "nummer", " nº", "nr", " n°", " n", "n°", "nº", "número", "ticket", "bon", "chk"]
                .iter()
                .any(|end| normal.ends_with(end))
                && !value.contains(' ')
                && value.contains(|c: char| c.is_ascii_digit());
        (is_amount || is_date || is_number).then_some((label, value))
    })
}

#[cfg(test)]
mod tests {
    use super::super::effort::ample;
    use super::super::lines::lines;
    use super::*;

    #[test]
    fn a_value_stands_after_a_colon() {
        check("Invoice number: INV-1", "invoice number=INV-1");
        check("Rechnungs-Nr.:4711", "rechnungs nr=4711");
        check("Invoice no: A1     Date: 2026-03-03", "invoice no=A1; date=2026-03-03");
    }

    #[test]
    fn a_value_stands_in_the_next_cell() {
        check("Invoice number      INV-1", "invoice number=INV-1");
        check("Total ........ 12.00", "total=12.00");
        check("VAT   20%   12.00", "vat 20%=12.00");
    }

    #[test]
    fn a_known_label_takes_the_rest_of_the_line() {
        check("Invoice No. INV-1", "invoice no=INV-1");
        check("Summe 12,00 EUR", "summe=12,00 EUR");
        check("zzgl. 19 % MwSt. 19,00", "zzgl 19 % mwst=19,00");
    }

    #[test]
    fn a_value_stands_below_its_label() {
        check("Bill to:\nBeta Ltd\n1 Road", "bill to=Beta Ltd");
        check("Kunde   Datum: 03.03.2026\nBirke   Seite: 1", "kunde=Birke; datum=03.03.2026; seite=1");
        check("Invoice number   Invoice date\nINV-1   2026-03-03", "invoice number=INV-1; invoice date=2026-03-03");
    }

    #[test]
    fn sentences_and_addresses_of_pages_are_no_pairs() {
        check("The total of all our efforts was large", "");
        check("See https://example.com", "");
        check("Meet at 10:30 tomorrow", "");
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let pairs = pairs(&lines(text, &ample()).unwrap(), &ample()).unwrap();
        let shown: Vec<String> = pairs.iter().map(|pair| format!("{}={}", pair.label, pair.value)).collect();
        assert_eq!(shown.join("; "), expected);
    }
}
