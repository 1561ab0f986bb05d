//! Workbooks (XLSX): the cells that are there, row by row. Formulas are not run; the value that was kept is read.

use std::io::Cursor;

use calamine::{DataRef, Reader as _, Xlsx};
use jiff::ToSpan as _;
use jiff::civil::date;

use super::Failure;
use super::archive::Archive;
use super::effort::Effort;

/// Rows that are read of all sheets together.
const ROWS_MAX: usize = 6_000;
const COLUMNS_MAX: u32 = 200;

/// The rows of a workbook. A row without cells is left out.
pub fn rows(bytes: &[u8], effort: &Effort) -> Result<Vec<Vec<String>>, Failure> {
    Archive::open(bytes)?.check(effort)?;
    let damaged = || Failure { reason: "the workbook is damaged or protected by a password".to_owned() };
    let mut book = Xlsx::new(Cursor::new(bytes)).map_err(|_| damaged())?;
    let mut rows: Vec<Vec<String>> = Vec::new();
    for sheet in book.sheet_names() {
        let Ok(mut cells) = book.worksheet_cells_reader(&sheet) else { continue };
        let mut row_before = None;
        while let Some(cell) = cells.next_cell().map_err(|_| damaged())? {
            effort.spend(8)?;
            let (row, column) = cell.get_position();
            let Some(value) = value(cell.get_value()) else { continue };
            if row_before != Some(row) {
                if rows.len() >= ROWS_MAX {
                    return Ok(rows);
                }
                rows.push(Vec::new());
                row_before = Some(row);
            }
            if column < COLUMNS_MAX {
                let cells = rows.last_mut().expect("a row was begun");
                cells.resize((column as usize).max(cells.len()), String::new());
                cells.push(value);
            }
        }
    }
    Ok(rows)
}

fn value(data: &DataRef<'_>) -> Option<String> {
    let text = match data {
        DataRef::Int(number) => number.to_string(),
        DataRef::Float(number) => number.to_string(),
        DataRef::String(text) => text.clone(),
        DataRef::SharedString(text) => (*text).to_owned(),
        DataRef::Bool(truth) => truth.to_string(),
        DataRef::DateTime(moment) => day(moment.as_f64()).unwrap_or_else(|| moment.as_f64().to_string()),
        DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => text.clone(),
        _ => return None,
    };
    let text = text.trim().to_owned();
    (!text.is_empty()).then_some(text)
}

/// The day that a workbook writes as a number of days since the end of 1899, with its time if it has one.
fn day(serial: f64) -> Option<String> {
    let minutes = (serial.fract() * 1440.0).round();
    let day = date(1899, 12, 30).checked_add((serial.trunc() as i64).days()).ok()?;
    if minutes == 0.0 {
        return Some(day.to_string());
    }
    Some(format!("{day} {:02}:{:02}", (minutes / 60.0).trunc(), minutes % 60.0))
}

#[cfg(test)]
mod tests {
    use super::super::effort::ample;
    use super::*;

    #[test]
    fn days_are_counted_from_the_end_of_1899() {
        assert_eq!(day(46085.0).as_deref(), Some("2026-03-04"));
        assert_eq!(day(46085.75).as_deref(), Some("2026-03-04 18:00"));
    }

    #[test]
    fn what_is_no_workbook_is_refused() {
        assert!(rows(b"PK\x03\x04", &ample()).is_err());
    }
}
