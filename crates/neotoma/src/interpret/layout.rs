//! Where the words of a text stand: cells with their columns, and blocks of cells that stand below each other.
//!
//! A letterhead, an address and a footer are blocks. Which words belong together is seen from their columns, in any
//! language.

use super::Failure;
use super::effort::Effort;

/// Words without a gap between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    pub line: usize,
    /// The columns in which it begins and ends, in characters.
    pub start: usize,
    pub end: usize,
    pub text: String,
    /// Whether nothing else stands on its line.
    pub alone: bool,
}

/// Cells below each other, from top to bottom. It has at least one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    pub cells: Vec<Cell>,
}

impl Block {
    pub fn first(&self) -> &Cell {
        &self.cells[0]
    }

    pub fn last_line(&self) -> usize {
        self.cells.last().map_or(0, |cell| cell.line)
    }

    /// Whether a place of the text lies in the block.
    pub fn holds(&self, line: usize, column: usize) -> bool {
        self.cells.iter().any(|cell| cell.line == line && (cell.start..=cell.end).contains(&column))
    }
}

/// Cells of a line and blocks side by side that are looked at.
const CELLS_MAX: usize = 12;
/// How far apart the columns of cells may be that begin below each other, or are centred.
const SHIFT_MAX: usize = 2;
const TAB: usize = 8;

/// The cells of `text`, line by line.
pub fn cells(text: &str, effort: &Effort) -> Result<Vec<Vec<Cell>>, Failure> {
    let mut lines = Vec::new();
    for (line, raw) in text.lines().enumerate() {
        effort.spend(raw.len())?;
        lines.push(of_line(line, raw));
    }
    Ok(lines)
}

/// The blocks of lines of cells, by where they begin.
pub fn blocks(lines: &[Vec<Cell>]) -> Vec<Block> {
    let mut done: Vec<Block> = Vec::new();
    let mut open: Vec<Block> = Vec::new();
    for cells in lines {
        let mut next: Vec<Block> = Vec::new();
        for cell in cells {
            let above = open.iter().position(|block| block.cells.last().is_some_and(|above| is_below(above, cell)));
            let mut block = above.map_or_else(|| Block { cells: Vec::new() }, |at| open.swap_remove(at));
            block.cells.push(cell.clone());
            next.push(block);
        }
        done.append(&mut open);
        open = next;
    }
    done.append(&mut open);
    done.sort_by_key(|block| (block.first().line, block.first().start));
    done
}

fn is_below(above: &Cell, cell: &Cell) -> bool {
    let is_near = |one: usize, two: usize| one.abs_diff(two) <= SHIFT_MAX;
    let is_centred = above.alone && cell.alone && (above.start + above.end).abs_diff(cell.start + cell.end) <= 4;
    is_near(above.start, cell.start) || is_centred
}

fn of_line(line: usize, raw: &str) -> Vec<Cell> {
    let mut cells: Vec<Cell> = Vec::new();
    let mut column = 0;
    let mut gap = usize::MAX;
    for c in raw.chars() {
        match c {
            '\t' => {
                column = (column / TAB + 1) * TAB;
                gap = usize::MAX;
                continue;
            }
            '|' => gap = usize::MAX,
            ' ' | '\u{a0}' | '\u{c}' | '\r' => gap = gap.saturating_add(1),
            c => {
                let begins = gap >= 2 && cells.len() < CELLS_MAX;
                match cells.last_mut() {
                    Some(cell) if !begins => {
                        if gap > 0 {
                            cell.text.push(' ');
                        }
                        cell.text.push(c);
                        cell.end = column;
                    }
                    _ => cells.push(Cell { line, start: column, end: column, text: c.to_string(), alone: true }),
                }
                gap = 0;
            }
        }
        column += 1;
    }
    // Marks that only set lines apart are no words.
    cells.retain(|cell| cell.text.contains(char::is_alphanumeric));
    let alone = cells.len() == 1;
    cells.iter_mut().for_each(|cell| cell.alone = alone);
    cells
}

#[cfg(test)]
mod tests {
    use super::super::effort::ample;
    use super::*;

    #[test]
    fn what_stands_below_each_other_is_a_block() {
        check(
            "Birke GmbH          Rechnung 4\nHafenstr. 3         Datum 5\n\nFrau Ada Linde",
            &["Birke GmbH/Hafenstr. 3", "Rechnung 4/Datum 5", "Frau Ada Linde"],
        );
    }

    #[test]
    fn centred_lines_are_a_block() {
        check("     ROWING CLUB\n  The Slip, Carrigbeg", &["ROWING CLUB/The Slip, Carrigbeg"]);
    }

    #[test]
    fn rules_are_no_words() {
        check("Birke\n-----\nLinde", &["Birke", "Linde"]);
    }

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let found = blocks(&cells(text, &ample()).unwrap());
        let shown: Vec<String> = found
            .iter()
            .map(|block| block.cells.iter().map(|cell| cell.text.as_str()).collect::<Vec<_>>().join("/"))
            .collect();
        assert_eq!(shown, expected);
    }
}
