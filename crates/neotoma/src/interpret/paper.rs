//! A text as a whole: which kind of paper it is decides how it is read.

use super::effort::Effort;
use super::language::Title;
use super::lines::{self, Line};
use super::record::{self, Pair};
use super::vocabulary::{self, CONTRACT, INVOICE, RECEIPT};
use super::{
    Extracted, Failure, Link, Understood, agreement, checklist, date, invoice, language, letter, meeting, minutes,
    note, pairs, parties, payment, prose, receipt, table,
};

/// A longer text is not looked into; it is one note.
const TEXT_BYTES_MAX: usize = 2 << 20;
const TEXT_LINES_MAX: usize = 50_000;

/// The entities of a text. One that is no single paper, such as an invoice, is a note beside what it lists, so that
/// nothing it says is lost.
pub fn entities(text: &str, effort: &Effort) -> Result<Understood, Failure> {
    read(text, true, effort)
}

/// What a text says; one that stands alone may be a letter or minutes.
fn read(text: &str, alone: bool, effort: &Effort) -> Result<Understood, Failure> {
    effort.spend(text.len())?;
    if text.len() > TEXT_BYTES_MAX || text.lines().nth(TEXT_LINES_MAX).is_some() {
        let remark = "The text is longer than what is looked into, 2 MB or 50,000 lines: it is kept as one note.";
        return Ok(note::whole(text).remark(remark));
    }
    let lines = lines::lines(text, effort)?;
    let all = pairs::pairs(&lines, effort)?;
    let (tables, in_table) = table::in_lines(&lines, effort)?;
    // One row below its labels is a way to lay out a single paper; two rows are a list of them.
    if tables.len() >= 2 && tables.iter().all(|entity| entity.entity_type == "invoice") {
        return Ok(tables.into());
    }
    if alone && let Some(meeting) = minutes::read(text, &lines, &all, effort)? {
        return with_note(meeting, text, &lines);
    }
    let specific = match kind(&lines, &all) {
        Some(Kind::Invoice) => invoice::read(text, &lines, effort)?,
        Some(Kind::Receipt) => receipt::read(text, &lines, effort)?,
        Some(Kind::Contract) => match agreement::read(text, &lines, &all, effort)? {
            Some(understood) => return Ok(understood),
            None => None,
        },
        None => prose::invoice(text, effort)?,
    };
    if let Some(entity) = specific {
        let mut understood = parties::of(entity, text, effort)?;
        understood.remarks.extend(open_days(&understood.entities[0], text, &all));
        return Ok(reminded(understood, text, &lines));
    }
    if alone
        && tables.is_empty()
        && let Some(letter) = letter::read(text, &lines, effort)?
    {
        return Ok(letter);
    }
    let free = lines.iter().zip(&in_table).filter(|(_, taken)| !**taken).map(|(line, _)| line.clone());
    let free: Vec<Line> = free.collect();
    let mut found = tables;
    found.extend(records(&free, effort)?);
    found.extend(checklist::tasks(&lines, effort)?);
    let left_out = found.len().saturating_sub(table::ENTITIES_MAX);
    found.truncate(table::ENTITIES_MAX);
    let mut understood = Understood::from(found);
    let labelled = pairs::pairs(&free, effort)?;
    let whole = note::read(text, &lines, &labelled);
    understood.remarks.extend(whole.remarks);
    for mut note in whole.entities {
        meeting::read(&lines, &labelled, &mut note.fields, effort)?;
        understood.entities.push(note);
    }
    if left_out > 0 {
        let max = table::ENTITIES_MAX;
        return Ok(
            understood.remark(format!("{left_out} more entities stand in the text than the {max} that are read."))
        );
    }
    Ok(understood)
}

/// A reminder is a note about the invoice: its day is its own, that of the invoice stands behind the number.
fn reminded(mut understood: Understood, text: &str, lines: &[Line]) -> Understood {
    let is_heading = |line: &&Line| {
        let words: Vec<String> = line
            .text
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect();
        words.len() <= TITLE_WORDS_MAX && language::title(&words.join(" ")) == Some(Title::Reminder)
    };
    let Some(heading) = lines.iter().take(REMINDER_LINES_MAX).find(is_heading) else { return understood };
    let Some(invoice) = understood.entities.first_mut().filter(|entity| entity.entity_type == "invoice") else {
        return understood;
    };
    let number = invoice.fields.get("invoice_number").and_then(|number| number.as_str()).unwrap_or_default().to_owned();
    let day = invoice.fields.shift_remove("invoice_date");
    if let Some(dated) = payment::day_behind(text, &number, None).filter(|_| !number.is_empty()) {
        invoice.fields.insert("invoice_date".to_owned(), dated.into());
    }
    let mut note = note::read(text, lines, &[]);
    let Some(mut about) = note.entities.pop() else { return understood };
    about.fields.insert("title".to_owned(), heading.text.clone().into());
    about.fields.extend(day.map(|day| ("created_date".to_owned(), day)));
    let at = understood.entities.len();
    understood.entities.push(about);
    let evidence = heading.text.clone();
    understood.links.push(Link { relationship_type: "REFERS_TO", source: at, target: 0, evidence });
    understood
}

/// How far down a letter says that it is a reminder.
const REMINDER_LINES_MAX: usize = 30;

/// Days that can be read in two ways and that nothing in the text decides.
fn open_days(entity: &Extracted, text: &str, pairs: &[Pair]) -> Vec<String> {
    let Some(vocabulary) = vocabulary::ALL.iter().find(|one| one.entity_type == entity.entity_type) else {
        return Vec::new();
    };
    if language::order(text).is_some() {
        return Vec::new();
    }
    let mut remarks: Vec<String> = Vec::new();
    for pair in pairs {
        let field =
            vocabulary.term(&pair.label).map(|term| term.field).filter(|field| !entity.fields.contains_key(*field));
        if let (Some(field), Some((one, other))) = (field, date::readings(&pair.value)) {
            remarks.push(format!("{field} is open: it is {one} or {other}. Say which with correct."));
        }
    }
    remarks.dedup();
    remarks
}

/// What was found in a text, beside the text itself.
fn with_note(mut found: Understood, text: &str, lines: &[Line]) -> Result<Understood, Failure> {
    let note = note::read(text, lines, &[]);
    found.entities.extend(note.entities);
    found.remarks.extend(note.remarks);
    Ok(found)
}

/// The entities of the words of a message.
pub fn of_message(text: &str, effort: &Effort) -> Result<Understood, Failure> {
    read(text, false, effort)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Invoice,
    Receipt,
    Contract,
}

/// Words of a heading that say what the paper is.
const TITLE_WORDS_MAX: usize = 4;
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
        if words.iter().any(|word| agreement::is_title_word(word)) {
            return Some(Kind::Contract);
        }
        // What a paper is stands at the beginning of its heading.
        match language::title(&words[..words.len().min(TITLE_WORDS_MAX)].join(" "))? {
            Title::Invoice | Title::CreditNote => Some(Kind::Invoice),
            Title::Receipt => Some(Kind::Receipt),
            Title::Contract => Some(Kind::Contract),
            Title::Reminder | Title::Minutes => None,
        }
    })
}

/// The entities of blocks of key-value lines, such as contact cards.
fn records(lines: &[Line], effort: &Effort) -> Result<Vec<Extracted>, Failure> {
    let blocks = pairs::blocks(lines, effort)?;
    let style = super::amount::style(&lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n"));
    let hints = record::Hints { style, ..record::Hints::default() };
    let entity = |block: &Vec<Pair>| record::entity(block, hints).filter(|entity| entity.entity_type != "note");
    Ok(blocks.iter().filter_map(entity).collect())
}
