//! Word processing and OpenDocument files: their paragraphs as lines, the cells of their tables divided by tabs.
//!
//! Fields, formulas and macros are never run: what the file shows for them is what is read.

use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

use super::Failure;
use super::archive::Archive;
use super::effort::Effort;

/// Rows and cells that a spreadsheet may repeat by one mark.
const REPEATED_MAX: usize = 50;
/// Rows of a spreadsheet that are read.
const ROWS_MAX: usize = 6_000;
const CELLS_MAX: usize = 200;

/// The text of a DOCX file.
pub fn docx(bytes: &[u8], effort: &Effort) -> Result<String, Failure> {
    let mut archive = Archive::open(bytes)?;
    let mut text = String::new();
    let names = archive.names();
    let part = |start: &'static str| names.iter().filter(move |name| name.starts_with(start) && name.ends_with(".xml"));
    let parts = part("word/header").chain(part("word/document")).chain(part("word/footer"));
    for name in parts {
        if let Some(xml) = archive.read(name, effort)? {
            read(&xml, &mut text, effort)?;
        }
    }
    Ok(text)
}

/// The text of an ODT file.
pub fn odt(bytes: &[u8], effort: &Effort) -> Result<String, Failure> {
    let mut text = String::new();
    if let Some(xml) = Archive::open(bytes)?.read("content.xml", effort)? {
        read(&xml, &mut text, effort)?;
    }
    Ok(text)
}

/// The rows of the sheets of an ODS file.
pub fn ods(bytes: &[u8], effort: &Effort) -> Result<Vec<Vec<String>>, Failure> {
    let text = odt(bytes, effort)?;
    let rows = text.lines().filter(|line| !line.trim().is_empty());
    Ok(rows.map(|line| line.split('\t').map(|cell| cell.trim().to_owned()).collect()).collect())
}

/// Where the reader stands in a document.
#[derive(Default)]
struct Place {
    /// Text of the paragraph, and of the cell and row around it.
    paragraph: String,
    cell: Option<String>,
    row: Option<Vec<String>>,
    /// What a cell is, where its words only show it: a date or a number in full.
    value: Option<String>,
    repeated: usize,
    rows: usize,
    /// Within what is no text, such as deleted words and notes of reviewers.
    hidden: usize,
    in_text: bool,
}

fn read(xml: &[u8], text: &mut String, effort: &Effort) -> Result<(), Failure> {
    let mut reader = Reader::from_reader(xml);
    let mut buffer = Vec::new();
    let mut place = Place::default();
    let mut before = 0;
    loop {
        buffer.clear();
        let event = reader.read_event_into(&mut buffer).map_err(|_| failure("the document is damaged"))?;
        let at = usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX);
        effort.spend(at - before)?;
        before = at;
        match event {
            Event::Start(start) => place.open(&start, text),
            Event::Empty(start) => {
                place.open(&start, text);
                place.close(start.local_name().as_ref(), text);
            }
            Event::End(end) => place.close(end.local_name().as_ref(), text),
            Event::Text(words) => {
                place.write(&words);
            }
            Event::GeneralRef(entity) => {
                let resolved = entity.resolve_char_ref().ok().flatten().map(String::from);
                place.write(&resolved.unwrap_or_else(|| predefined(&entity).to_owned()));
            }
            Event::Eof => break,
            _ => {}
        }
        if place.rows >= ROWS_MAX {
            break;
        }
    }
    place.end_paragraph(text);
    Ok(())
}

fn predefined(name: &str) -> &'static str {
    match name {
        "amp" => "&",
        "lt" => "<",
        "gt" => ">",
        "quot" => "\"",
        "apos" => "'",
        _ => "",
    }
}

impl Place {
    fn open(&mut self, start: &BytesStart<'_>, text: &mut String) {
        match start.local_name().as_ref() {
            "delText" | "annotation" | "instrText" | "tracked-changes" => self.hidden += 1,
            "p" | "h" => self.paragraph.clear(),
            "t" => self.in_text = true,
            "tab" => self.write_mark('\t'),
            "br" | "line-break" | "cr" => {
                if self.cell.is_some() {
                    self.write_mark(' ')
                } else {
                    self.end_paragraph(text)
                }
            }
            "s" => self.write_mark(' '),
            "tr" | "table-row" => {
                self.row = Some(Vec::new());
                self.rows += 1;
            }
            "tc" | "table-cell" | "covered-table-cell" if self.row.is_some() => {
                self.cell = Some(String::new());
                self.value = attribute(start, "date-value").or_else(|| attribute(start, "value"));
                let repeated = attribute(start, "number-columns-repeated").and_then(|many| many.parse().ok());
                self.repeated = repeated.unwrap_or(1).clamp(1, REPEATED_MAX);
            }
            _ => {}
        }
    }

    fn close(&mut self, name: &str, text: &mut String) {
        match name {
            "delText" | "annotation" | "instrText" | "tracked-changes" => {
                self.hidden = self.hidden.saturating_sub(1);
            }
            "p" | "h" => self.end_paragraph(text),
            "t" => self.in_text = false,
            "tc" | "table-cell" | "covered-table-cell" => {
                let shown = self.cell.take().unwrap_or_default();
                let cell = self.value.take().filter(|_| !shown.contains('%')).unwrap_or(shown);
                if let Some(row) = &mut self.row {
                    let many = self.repeated.max(1).min(CELLS_MAX.saturating_sub(row.len()));
                    row.extend(std::iter::repeat_n(cell, many));
                }
            }
            "tr" | "table-row" => {
                if let Some(row) = self.row.take() {
                    let row = row.join("\t");
                    text.push_str(row.trim_end());
                    text.push('\n');
                }
            }
            _ => {}
        }
    }

    fn write(&mut self, words: &str) {
        // Text of Word stands in runs; text of OpenDocument in paragraphs.
        if self.hidden == 0 && (self.in_text || !words.trim().is_empty() || !words.contains('\n')) {
            self.paragraph.extend(words.chars().map(|c| if c == '\n' || c == '\r' { ' ' } else { c }));
        }
    }

    fn write_mark(&mut self, mark: char) {
        if self.hidden == 0 {
            self.paragraph.push(if self.cell.is_some() && mark == '\t' { ' ' } else { mark });
        }
    }

    fn end_paragraph(&mut self, text: &mut String) {
        let paragraph = std::mem::take(&mut self.paragraph);
        match &mut self.cell {
            Some(cell) => {
                if !cell.is_empty() && !paragraph.is_empty() {
                    cell.push(' ');
                }
                cell.push_str(paragraph.trim());
            }
            None => {
                text.push_str(paragraph.trim_end());
                text.push('\n');
            }
        }
    }
}

fn attribute(start: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = start.attributes().flatten().find(|attribute| attribute.key.local_name().as_ref() == name)?;
    Some(found.value.into_owned()).filter(|value| !value.is_empty())
}

fn failure(reason: &str) -> Failure {
    Failure { reason: reason.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::super::effort::ample;
    use super::*;

    #[test]
    fn paragraphs_are_lines_and_tables_have_tabs() {
        check("<d><w:p><w:r><w:t>Fish &amp; </w:t><w:t>Chips</w:t></w:r></w:p></d>", "Fish & Chips\n");
        check("<d><w:tr><w:tc><w:p><w:t>a</w:t></w:p></w:tc><w:tc><w:p><w:t>b</w:t></w:p></w:tc></w:tr></d>", "a\tb\n");
        check("<d><text:p>one<text:tab/>two<text:line-break/>three</text:p></d>", "one\ttwo\nthree\n");
    }

    #[test]
    fn cells_give_their_values_and_repetitions_are_bounded() {
        check(
            r#"<d><r:table-row><c:table-cell o:date-value="2026-03-04"><t:p>4.3.</t:p></c:table-cell><c:table-cell c:number-columns-repeated="9999999"/></r:table-row></d>"#,
            "2026-03-04\n",
        );
    }

    #[track_caller]
    fn check(xml: &str, expected: &str) {
        let mut text = String::new();
        read(xml.as_bytes(), &mut text, &ample()).unwrap();
        assert_eq!(text.trim_end(), expected.trim_end());
    }
}
