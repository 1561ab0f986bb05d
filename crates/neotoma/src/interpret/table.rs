//! Tables: a header whose labels clearly name a type, and rows that become one entity each.
//!
//! Every column is kept: those that the type knows as its fields, the others under their own names.

use super::effort::Effort;
use super::lines::Line;
use super::record::{self, Hints, Pair};
use super::vocabulary::{self, Reading, Vocabulary};
use super::{Extracted, Failure, amount, date, language};

/// The most entities that one document gives. Rows beyond them are not read.
pub const ENTITIES_MAX: usize = 5_000;
/// Lines that banks print above the header.
const PREAMBLE_ROWS_MAX: usize = 20;

/// What the rows of a file gave.
#[derive(Debug, PartialEq)]
pub struct Rows {
    pub entities: Vec<Extracted>,
    /// Rows that gave none: what stands above the header and below the table, and lines of totals.
    pub left: Vec<String>,
}

/// The entities of rows of which one of the first is a header; nothing when no row is.
pub fn entities(rows: &[Vec<String>], effort: &Effort) -> Result<Option<Rows>, Failure> {
    let first = rows.iter().take(PREAMBLE_ROWS_MAX).enumerate();
    let Some((at, vocabulary)) = { first }.find_map(|(at, row)| Some((at, header(row)?))) else { return Ok(None) };
    let table: Vec<&Vec<String>> = rows[at + 1..].iter().take_while(|row| row.len() > 1).take(ENTITIES_MAX).collect();
    // Rows beyond the most that are read are in the file and nowhere else.
    let below = if table.len() == ENTITIES_MAX { &[] } else { &rows[at + 1 + table.len()..] };
    let mut entities = Vec::with_capacity(table.len());
    let mut left: Vec<String> = rows[..at].iter().map(|row| joined(row)).collect();
    for (row, entity) in table.iter().zip(read(vocabulary, &rows[at], &table, effort)?) {
        match entity {
            Some(entity) => entities.push(entity),
            None => left.push(joined(row)),
        }
    }
    left.extend(below.iter().map(|row| joined(row)));
    Ok(Some(Rows { entities, left }))
}

fn joined(row: &[String]) -> String {
    row.iter().filter(|cell| !cell.is_empty()).map(String::as_str).collect::<Vec<_>>().join(" ")
}

/// The tables among the lines of a text, and which lines they take.
pub fn in_lines(lines: &[Line], effort: &Effort) -> Result<(Vec<Extracted>, Vec<bool>), Failure> {
    let mut found = Vec::new();
    let mut taken = vec![false; lines.len()];
    let mut at = 0;
    while at < lines.len() {
        let cells = &lines[at].cells;
        effort.spend(lines[at].text.len())?;
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
            found.extend(read(vocabulary, cells, &body, effort)?.into_iter().flatten());
        }
        at = next;
    }
    Ok((found, taken))
}

fn header(cells: &[String]) -> Option<&'static Vocabulary> {
    // A label beside its value is no header: `Invoice no  SDS-014`.
    if cells.iter().any(|cell| cell.chars().filter(char::is_ascii_digit).count() > 2) {
        return None;
    }
    let labels: Vec<String> = cells.iter().map(|cell| vocabulary::normal(cell)).collect();
    record::type_of(labels.iter().map(String::as_str))
}

/// The entity of each row, unless the row lacks what its type needs.
fn read(
    vocabulary: &Vocabulary,
    header: &[String],
    body: &[&Vec<String>],
    effort: &Effort,
) -> Result<Vec<Option<Extracted>>, Failure> {
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
        order: date::order(column(|reading| reading == Reading::Date)).or_else(|| language::order(&header.join(" "))),
        currency: None,
    };
    let read = |row: &&Vec<String>| {
        // Every label is looked up for every field of the type.
        let labels = header.iter().map(String::len).sum::<usize>();
        effort.spend(labels + row.iter().map(String::len).sum::<usize>() + row.len() * vocabulary.terms.len())?;
        Ok(self::row(vocabulary, header, row, hints))
    };
    body.iter().map(read).collect()
}

/// The entity of one row, unless the row lacks what its type needs (a line of totals, for example).
fn row(vocabulary: &Vocabulary, header: &[String], row: &[String], hints: Hints) -> Option<Extracted> {
    let pairs: Vec<Pair> = header.iter().zip(row).map(|(label, value)| Pair::new(label, value)).collect();
    let (mut entity, left) = record::whole(vocabulary, &pairs, hints)?;
    // A day that could be read in two ways is open, but the row is there.
    let is_dated = |group: &str| group.contains("date") && pairs.iter().any(|pair| date::is_ambiguous(&pair.value));
    let complete = vocabulary
        .needs
        .iter()
        .take(2)
        .all(|group| is_dated(group) || group.split(' ').any(|field| entity.fields.contains_key(field)));
    for at in left.into_iter().filter(|at| !date::is_ambiguous(&pairs[*at].value)) {
        let Some(name) = record::field_name(&pairs[at].label) else { continue };
        entity.fields.entry(name).or_insert_with(|| pairs[at].value.clone().into());
    }
    complete.then_some(entity)
}

#[cfg(test)]
mod tests {
    use super::super::effort::ample;
    use super::*;

    #[test]
    fn every_column_is_kept() {
        check(
            "Date,Description,Reference,Amount,Branch\n2026-03-03,Card payment,RF18 5390,-12.50,Leith",
            r#"{"amount":-12.5,"date":"2026-03-03","reference":"RF18 5390","description":"Card payment","branch":"Leith"}"#,
            "",
        );
        check(
            "Date,Description,Amount\n2026-03-03,Card payment,-12.50",
            r#"{"amount":-12.5,"date":"2026-03-03","reference":"Card payment"}"#,
            "",
        );
    }

    #[test]
    fn rows_that_are_no_entities_are_left() {
        check(
            "Account,GB12\nDate,Payee,Amount\n2026-03-03,Otterby Rail,-12.50\nTotal,,-12.50\nEnd",
            r#"{"amount":-12.5,"date":"2026-03-03","merchant_name":"Otterby Rail"}"#,
            "Account GB12/Total -12.50/End",
        );
    }

    #[track_caller]
    fn check(csv: &str, expected: &str, left: &str) {
        let rows = super::super::csv::rows(csv, 100, &ample()).unwrap();
        let found = entities(&rows, &ample()).unwrap().unwrap();
        assert_eq!(serde_json::to_string(&found.entities[0].fields).unwrap(), expected);
        assert_eq!((found.entities.len(), found.left.join("/").as_str()), (1, left));
    }
}
