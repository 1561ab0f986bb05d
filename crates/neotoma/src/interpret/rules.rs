//! The embedded interpreter: fixed rules, no key, no network, and the same answer for the same bytes.

use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};

use bytes::Bytes;
use contract::Object;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use tokio::sync::oneshot;

use super::{Document, Extracted, Failure, Interpreter, csv, decode, email, json, paper, pdf, table};

/// Reads text, Markdown, CSV, JSON, e-mail and the text of PDFs.
///
/// Images and spreadsheets give an empty list. One document gives at most 5,000 entities, and the rest of it is not read.
#[derive(Debug, Clone)]
pub struct Rules {
    time_max: Duration,
}

impl Default for Rules {
    fn default() -> Self {
        Self::new(Duration::from_secs(30))
    }
}

impl Rules {
    /// Rules that give up on a document after `time_max`.
    pub fn new(time_max: Duration) -> Self {
        Self { time_max }
    }
}

/// The readers of foreign formats recurse, and debug builds need room for that.
const STACK_BYTES: usize = 16 << 20;
/// Rows of a CSV file that are looked at: a header with its preamble and the most entities.
const CSV_ROWS_MAX: usize = table::ENTITIES_MAX + 50;

impl Interpreter for Rules {
    fn version(&self) -> String {
        "chancery-rules/1".to_owned()
    }

    fn reads(&self, mime_type: &str, filename: Option<&str>) -> bool {
        is_read(mime_type, filename)
    }

    fn interpret<'a>(
        &'a self,
        document: Document<'a>,
        _config: &'a Object,
    ) -> BoxFuture<'a, Result<Vec<Extracted>, Failure>> {
        async move {
            let Some(format) = Format::of(document.mime_type, document.filename) else { return Ok(Vec::new()) };
            apart(document.bytes, self.time_max, move |bytes, deadline| entities(format, bytes, deadline)).await
        }
        .boxed()
    }
}

/// Whether a file is of a format that has a reader here.
pub fn is_read(mime_type: &str, filename: Option<&str>) -> bool {
    Format::of(mime_type, filename).is_some()
}

/// The text of a document; nothing when its format has none.
pub async fn text_of(document: Document<'_>, time_max: Duration) -> Result<Option<String>, Failure> {
    let Some(format) = Format::of(document.mime_type, document.filename) else { return Ok(None) };
    let text = move |bytes: &[u8], deadline| match format {
        Format::Pdf => pdf::text(bytes, deadline),
        _ => Ok(decode::text(bytes).into_owned()),
    };
    apart(document.bytes, time_max, text).await.map(Some)
}

/// Reads on a thread of its own: a hostile file may take long or end in a panic, and neither may reach a caller.
async fn apart<T: Send + 'static>(
    bytes: &Bytes,
    time_max: Duration,
    read: impl FnOnce(&[u8], Instant) -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let bytes = bytes.clone();
    let deadline = Instant::now() + time_max;
    let (send, receive) = oneshot::channel();
    let work = move || {
        let read = std::panic::catch_unwind(AssertUnwindSafe(|| read(&bytes, deadline)));
        // Nobody listens any more after a timeout.
        let _ = send.send(read.unwrap_or_else(|_| Err(failure("the document broke its reader"))));
    };
    std::thread::Builder::new()
        .name("interpret".to_owned())
        .stack_size(STACK_BYTES)
        .spawn(work)
        .map_err(|_| failure("there is no thread to read the document"))?;
    match tokio::time::timeout(time_max + Duration::from_secs(1), receive).await {
        Ok(Ok(read)) => read,
        Ok(Err(_)) => Err(failure("the document broke its reader")),
        Err(_) => Err(failure("reading the document took too long")),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Text,
    Csv,
    Json,
    Email,
    Pdf,
}

impl Format {
    /// The format of a type. Plain text is what formats without marks of their own are found to be, so there the name helps.
    fn of(mime_type: &str, filename: Option<&str>) -> Option<Self> {
        let mime_type = mime_type.split(';').next().unwrap_or_default().trim();
        let extension =
            filename.and_then(|name| name.rsplit_once('.')).map(|(_, extension)| extension.to_ascii_lowercase());
        match mime_type {
            "application/pdf" => Some(Self::Pdf),
            "text/csv" | "text/tab-separated-values" | "application/csv" => Some(Self::Csv),
            "application/json" => Some(Self::Json),
            "message/rfc822" => Some(Self::Email),
            "text/plain" | "text/markdown" => match extension.as_deref() {
                Some("csv" | "tsv") => Some(Self::Csv),
                Some("json") => Some(Self::Json),
                Some("eml") => Some(Self::Email),
                _ => Some(Self::Text),
            },
            _ => None,
        }
    }
}

fn entities(format: Format, bytes: &[u8], deadline: Instant) -> Result<Vec<Extracted>, Failure> {
    match format {
        Format::Text => Ok(paper::entities(&decode::text(bytes))),
        Format::Csv => {
            let text = decode::text(bytes);
            let found = table::entities(&csv::rows(&text, CSV_ROWS_MAX)).filter(|found| !found.is_empty());
            Ok(found.unwrap_or_else(|| super::note::read(&text, &[], &[]).into_iter().collect()))
        }
        Format::Json => json::entities(&decode::text(bytes)),
        Format::Email => email::entities(bytes),
        Format::Pdf => Ok(paper::entities(&pdf::text(bytes, deadline)?)),
    }
}

fn failure(reason: &str) -> Failure {
    Failure { reason: reason.to_owned() }
}
