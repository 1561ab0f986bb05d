//! Tables: a header whose labels clearly name a type, and rows that become one entity each.

use super::lines::Line;
use super::record::{self, Hints, Pair};
use super::vocabulary::{self, Reading, Vocabulary};
use super::{Extracted, amount, date};

/// The most entities that one document gives. Rows beyond them are not read.
pub const ENTITIES_MAX: usize = 5_000;
/// Lines that banks print above the header.
const PREAMBLE_ROWS_MAX: usize = 20;

/// The entities of rows of which one of the first is a header; nothing when no row is.
pub fn entities(rows: &[Vec<String>]) -> Option<Vec<Extracted>> {
    let (at, vocabulary) =
        rows.iter().take(PREAMBLE_ROWS_MAX).enumerate().find_map(|(at, row)| Some((at, header(row)?)))?;
    let body = rows[at + 1..].iter().take_while(|row| row.len() > 1).take(ENTITIES_MAX);
    let body: Vec<&Vec<String>> = body.collect();
    Some(read(vocabulary, &rows[at], &body))
}

/// The tables among the lines of a text, and which lines they take.
pub fn in_lines(lines: &[Line]) -> (Vec<Extracted>, Vec<bool>) {
    let mut found = Vec::new();
    let mut taken = vec![false; lines.len()];
    let mut at = 0;
    while at < lines.len() {
        let cells = &lines[at].cells;
        let Some(vocabulary) = (cells.len() >= 3).then(|| header(cells)).flatten() else {
            at += 1;
            continue;
        };
        let mut body = Vec::new();
        let mut next = at + 1;
        while next < lines.len() && (lines[next].is_blank() || lines[next].cells.len() == cells.len()) {
            // One blank line is the rule below a header; a second one ends the table.
            if lines[next].is_blank() && next > at + 1 {
                break;
            }
            body.extend((!lines[next].is_blank()).then_some(&lines[next].cells));
            next += 1;
        }
        if !body.is_empty() {
            taken[at..next].fill(true);
            body.truncate(ENTITIES_MAX - found.len());
            found.extend(read(vocabulary, cells, &body));
        }
        at = next;
    }
    (found, taken)
}

fn header(cells: &[String]) -> Option<&'static Vocabulary> {
    let labels: Vec<String> = cells.iter().map(|cell| vocabulary::normal(cell)).collect();
    record::type_of(labels.iter().map(String::as_str))
}

fn read(vocabulary: &Vocabulary, header: &[String], body: &[&Vec<String>]) -> Vec<Extracted> {
    let labels: Vec<String> = header.iter().map(|cell| vocabulary::normal(cell)).collect();
    let column = |is: fn(Reading) -> bool| {
        let columns = labels.iter().enumerate();
        let wanted = columns.filter(move |(_, label)| vocabulary.term(label).is_some_and(|term| is(term.reading)));
        wanted.flat_map(|(column, _)| body.iter().filter_map(move |row| row.get(column)).map(String::as_str))
    };
    let is_amount = |reading| matches!(reading, Reading::Amount | Reading::Debit | Reading::Credit);
    let amounts = column(is_amount).collect::<Vec<_>>().join("\n");
    let hints = Hints {
        style: amount::style(&amounts),
        order: date::order(column(|reading| reading == Reading::Date)),
        currency: None,
    };
    body.iter().filter_map(|row| self::row(vocabulary, header, row, hints)).collect()
}

/// The entity of one row, unless the row lacks what its type needs (a line of totals, for example).
fn row(vocabulary: &Vocabulary, header: &[String], row: &[String], hints: Hints) -> Option<Extracted> {
    let pairs: Vec<Pair> = header.iter().zip(row).map(|(label, value)| Pair::new(label, value)).collect();
    let entity = record::extracted(vocabulary, &pairs, hints)?;
    let complete =
        vocabulary.needs.iter().take(2).all(|group| group.split(' ').any(|field| entity.fields.contains_key(field)));
    complete.then_some(entity)
}
