//! A text as a whole: which kind of paper it is decides how it is read.

use super::lines::{self, Line};
use super::record::{self, Pair};
use super::vocabulary::{self, CONTRACT, INVOICE, RECEIPT};
use super::{Extracted, agreement, checklist, invoice, note, pairs, prose, receipt, table};

/// A longer text is not looked into; it is one note.
const TEXT_BYTES_MAX: usize = 2 << 20;

/// The entities of a text. One that fits nothing specific is a note.
pub fn entities(text: &str) -> Vec<Extracted> {
    if text.len() > TEXT_BYTES_MAX {
        return note::read(text, &[], &[]).into_iter().collect();
    }
    let lines = lines::lines(text);
    let all = pairs::pairs(&lines);
    let (tables, in_table) = table::in_lines(&lines);
    // One row below its labels is a way to lay out a single paper; two rows are a list of them.
    if tables.len() >= 2 && tables.iter().all(|entity| entity.entity_type == "invoice") {
        return tables;
    }
    let specific = match kind(&lines, &all) {
        Some(Kind::Invoice) => invoice::read(text, &lines),
        Some(Kind::Receipt) => receipt::read(text, &lines),
        Some(Kind::Contract) => agreement::read(text, &lines, &all),
        None => prose::invoice(text),
    };
    if let Some(entity) = specific {
        return vec![entity];
    }
    let mut found = tables;
    found.extend(records(&lines, &in_table));
    found.extend(checklist::tasks(&lines));
    found.truncate(table::ENTITIES_MAX);
    if found.is_empty() || has_prose(&lines, &in_table) {
        found.extend(note::read(text, &lines, &all));
    }
    found
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Invoice,
    Receipt,
    Contract,
}

const INVOICE_WORDS: &str = "invoice rechnung factura faktura bill";
const RECEIPT_WORDS: &str =
    "receipt quittung kassenbon kassenbeleg kaufbeleg beleg bon recibo barquittung kassenzettel";
/// How far down a paper says what it is.
const HEADING_LINES_MAX: usize = 15;

fn kind(lines: &[Line], all: &[Pair]) -> Option<Kind> {
    let named = |vocabulary: &vocabulary::Vocabulary, field: &str| {
        all.iter()
            .any(|pair| !pair.value.is_empty() && vocabulary.term(&pair.label).is_some_and(|term| term.field == field))
    };
    let heading = lines.iter().filter(|line| !line.is_blank()).take(HEADING_LINES_MAX).find_map(heading_kind);
    match heading {
        Some(Kind::Invoice) if named(&INVOICE, "amount_due") || named(&INVOICE, "invoice_number") => heading,
        Some(Kind::Receipt) if named(&RECEIPT, "amount_total") => heading,
        Some(Kind::Contract) => heading,
        _ if named(&INVOICE, "invoice_number") => Some(Kind::Invoice),
        _ if named(&RECEIPT, "amount_total") && receipt::is_paid(lines) => Some(Kind::Receipt),
        _ if named(&CONTRACT, "contract_number") && named(&CONTRACT, "effective_date") => Some(Kind::Contract),
        _ => None,
    }
}

fn heading_kind(line: &Line) -> Option<Kind> {
    line.cells.iter().find_map(|cell| {
        let words: Vec<String> =
            cell.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect();
        if words.len() > 9 || cell.ends_with(['.', ',', '?', ';']) || (cell.contains(": ") && words.len() > 2) {
            return None;
        }
        let among =
            |list: &str, count: usize| words.iter().take(count).any(|word| list.split(' ').any(|known| known == word));
        if among(INVOICE_WORDS, 2) {
            Some(Kind::Invoice)
        } else if among(RECEIPT_WORDS, 3) {
            Some(Kind::Receipt)
        } else if words.iter().any(|word| agreement::is_title_word(word)) {
            Some(Kind::Contract)
        } else {
            None
        }
    })
}

/// The entities of blocks of key-value lines, such as contact cards.
fn records(lines: &[Line], in_table: &[bool]) -> Vec<Extracted> {
    let free: Vec<Line> =
        lines.iter().zip(in_table).filter(|(_, taken)| !**taken).map(|(line, _)| line.clone()).collect();
    let blocks = pairs::blocks(&free);
    let style = super::amount::style(&free.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n"));
    let hints = record::Hints { style, ..record::Hints::default() };
    let entity = |block: &Vec<Pair>| record::entity(block, hints).filter(|entity| entity.entity_type != "note");
    blocks.iter().filter_map(entity).collect()
}

/// Whether the text says something beside headings, lists, tables and key-value lines.
fn has_prose(lines: &[Line], in_table: &[bool]) -> bool {
    const SENTENCE_WORDS_MIN: usize = 6;
    lines.iter().zip(in_table).any(|(line, taken)| {
        let is_pair = || !pairs::pairs(std::slice::from_ref(line)).is_empty();
        !taken
            && !line.heading
            && line.cells.len() == 1
            && !checklist::is_item(line)
            && line.text.split_whitespace().count() >= SENTENCE_WORDS_MIN
            && line.text.ends_with(['.', '!', '?', ','])
            && !is_pair()
    })
}
