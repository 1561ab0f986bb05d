//! The embedded interpreter: fixed rules, no key, no network, and the same answer for the same bytes.

use std::time::Duration;

use contract::Object;
use futures::FutureExt as _;
use futures::future::BoxFuture;

use super::effort::Effort;
use super::worker::Workers;
use super::{
    Document, Failure, Interpreter, Understood, bank, bundle, calendar, card, csv, date, decode, email, html, json,
    note, office, paper, pdf, sheet, table,
};

/// Reads text, Markdown, HTML, CSV, JSON, e-mail with what is attached, calendars, contact cards, the text of PDFs, of word
/// processors (DOCX, ODT) and of spreadsheets (XLSX, ODS), and archives (ZIP) of those.
///
/// Images give nothing but a remark. One document gives at most 5,000 entities, and the rest of it is
/// kept in a note.
#[derive(Debug, Clone)]
pub struct Rules {
    workers: Workers,
}

impl Default for Rules {
    fn default() -> Self {
        Self::new(Duration::from_secs(20))
    }
}

impl Rules {
    /// Rules that give up on a document after `time_max`, which is shorter than what a call may take.
    pub fn new(time_max: Duration) -> Self {
        Self { workers: Workers::new(time_max) }
    }
}

/// Rows of a CSV file that are looked at: a header with its preamble and the most entities.
const CSV_ROWS_MAX: usize = table::ENTITIES_MAX + 50;

impl Interpreter for Rules {
    fn version(&self) -> String {
        "chancery-rules/4".to_owned()
    }

    fn is_metered(&self) -> bool {
        false
    }

    fn reads(&self, mime_type: &str, filename: Option<&str>) -> bool {
        is_read(mime_type, filename)
    }

    fn interpret<'a>(
        &'a self,
        document: Document<'a>,
        _config: &'a Object,
    ) -> BoxFuture<'a, Result<Understood, Failure>> {
        async move {
            match Format::of(document.mime_type, document.filename) {
                Some(format) => {
                    self.workers.read(document.bytes, move |bytes, effort| read(format, bytes, effort)).await
                }
                None => Ok(unread(document.mime_type)),
            }
        }
        .boxed()
    }
}

/// Whether a file is of a format that has a reader here.
pub fn is_read(mime_type: &str, filename: Option<&str>) -> bool {
    Format::of(mime_type, filename).is_some()
}

/// The text of a document; nothing when its format has none.
pub async fn text_of(document: Document<'_>, workers: &Workers) -> Result<Option<String>, Failure> {
    let Some(format) = Format::of(document.mime_type, document.filename) else { return Ok(None) };
    let text = move |bytes: &[u8], effort: &Effort| match format {
        Format::Pdf => pdf::text(bytes, effort),
        Format::Docx => office::docx(bytes, effort),
        Format::Odt | Format::Ods => office::odt(bytes, effort),
        Format::Xlsx => Ok(joined(&sheet::rows(bytes, effort)?)),
        Format::Html => html::text(&decode::text(bytes), effort),
        Format::Zip => Ok(String::new()),
        _ => Ok(decode::text(bytes).into_owned()),
    };
    workers.read(document.bytes, text).await.map(Some)
}

/// Nothing of a file whose format has no reader.
pub fn unread(mime_type: &str) -> Understood {
    let what = match mime_type.split('/').next() {
        Some("image") => "Pictures are",
        _ => "Files of this type are",
    };
    Understood::default()
        .remark(format!("{what} stored but not read: send what the file says as entities, or as text or CSV."))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Text,
    Csv,
    Json,
    Email,
    Pdf,
    Docx,
    Odt,
    Xlsx,
    Ods,
    Html,
    Calendar,
    Card,
    Zip,
}

impl Format {
    /// The format of a type. Plain text is what formats without marks of their own are found to be, so there the name helps.
    pub(super) fn of(mime_type: &str, filename: Option<&str>) -> Option<Self> {
        let mime_type = mime_type.split(';').next().unwrap_or_default().trim();
        let extension =
            filename.and_then(|name| name.rsplit_once('.')).map(|(_, extension)| extension.to_ascii_lowercase());
        match mime_type {
            "application/pdf" => Some(Self::Pdf),
            "text/csv" | "text/tab-separated-values" | "application/csv" => Some(Self::Csv),
            "application/json" => Some(Self::Json),
            "message/rfc822" => Some(Self::Email),
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document" => Some(Self::Docx),
            "application/vnd.oasis.opendocument.text" => Some(Self::Odt),
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" => Some(Self::Xlsx),
            "application/vnd.oasis.opendocument.spreadsheet" => Some(Self::Ods),
            "text/html" | "application/xhtml+xml" => Some(Self::Html),
            "text/calendar" => Some(Self::Calendar),
            "text/vcard" | "text/x-vcard" | "text/directory" => Some(Self::Card),
            "application/zip" => Some(Self::Zip),
            "text/plain" | "text/markdown" => match extension.as_deref() {
                Some("csv" | "tsv") => Some(Self::Csv),
                Some("json") => Some(Self::Json),
                Some("eml") => Some(Self::Email),
                Some("html" | "htm") => Some(Self::Html),
                Some("ics") => Some(Self::Calendar),
                Some("vcf") => Some(Self::Card),
                _ => Some(Self::Text),
            },
            _ => None,
        }
    }
}

pub(super) fn read(format: Format, bytes: &[u8], effort: &Effort) -> Result<Understood, Failure> {
    read_within(format, bytes, 0, effort)
}

/// Reads what stands `depth` messages or archives deep in what was sent.
pub(super) fn read_within(format: Format, bytes: &[u8], depth: usize, effort: &Effort) -> Result<Understood, Failure> {
    match format {
        Format::Text => paper::entities(&decode::text(bytes), effort),
        Format::Csv => {
            let text = decode::text(bytes);
            rows(&csv::rows(&text, CSV_ROWS_MAX, effort)?, &text, effort)
        }
        Format::Json => json::entities(&decode::text(bytes), effort),
        Format::Email => email::entities(bytes, depth, effort),
        Format::Pdf => {
            let text = pdf::text(bytes, effort)?;
            if text.trim().is_empty() {
                return Ok(Understood::default().remark("The PDF has no text, perhaps because it was scanned."));
            }
            paper::entities(&text, effort)
        }
        Format::Docx => paper::entities(&office::docx(bytes, effort)?, effort),
        Format::Odt => paper::entities(&office::odt(bytes, effort)?, effort),
        Format::Xlsx => sheet_rows(&sheet::rows(bytes, effort)?, effort),
        Format::Ods => sheet_rows(&office::ods(bytes, effort)?, effort),
        Format::Html => paper::entities(&html::text(&decode::text(bytes), effort)?, effort),
        Format::Calendar => calendar::entities(&decode::text(bytes), effort),
        Format::Card => card::entities(&decode::text(bytes), effort),
        Format::Zip => bundle::entities(bytes, depth, effort),
    }
}

/// The entities of a spreadsheet: of its table, or of the paper that was laid out in its cells.
fn sheet_rows(rows: &[Vec<String>], effort: &Effort) -> Result<Understood, Failure> {
    let text = joined(rows);
    if text.trim().is_empty() {
        return Ok(Understood::default().remark("The spreadsheet is empty."));
    }
    match table::entities(rows, effort)?.filter(|found| found.entities.len() > 1) {
        Some(_) => self::rows(rows, &text, effort),
        None => paper::entities(&text, effort),
    }
}

fn joined(rows: &[Vec<String>]) -> String {
    rows.iter().map(|row| row.join("\t")).collect::<Vec<_>>().join("\n")
}

/// The entities of a table, and a note of the lines that are none.
fn rows(rows: &[Vec<String>], text: &str, effort: &Effort) -> Result<Understood, Failure> {
    let found = table::entities(rows, effort)?.filter(|found| !found.entities.is_empty());
    let Some(table::Rows { entities, left }) = found else {
        let remark = "The columns of the table name no type that is known: it is kept as one note.";
        return Ok(note::whole(text).remark(remark));
    };
    let mut understood = bank::account(rows, entities, &left, effort)?;
    let cells = || rows.iter().flatten().map(String::as_str);
    if date::order(cells()).is_none()
        && let Some((one, other)) = cells().find_map(date::readings)
        && understood
            .entities
            .iter()
            .any(|entity| !entity.fields.contains_key("date") && !entity.fields.contains_key("posting_date"))
    {
        understood.remarks.push(format!(
            "The table does not tell days from months: its first day is {one} or {other}. Its dates are left out; say which with correct."
        ));
    }
    if rows.len() >= CSV_ROWS_MAX {
        understood.remarks.push(format!("Of the table the first {} rows are read.", table::ENTITIES_MAX));
    }
    if left.is_empty() {
        return Ok(understood);
    }
    let count = left.len();
    understood.entities.extend(note::whole(&left.join("\n")).entities);
    Ok(understood.remark(format!("{count} lines of the table are no entities of its type: they are kept in a note.")))
}
