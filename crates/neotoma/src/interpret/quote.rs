//! Quotes: the line of a document that a value was read from.

use std::time::Duration;

use serde_json::Value;

use super::effort::Effort;
use super::worker::Workers;
use super::{Document, Failure, amount, date, lines, rules};

/// A longer document is not searched.
pub const BYTES_MAX: u64 = 1 << 20;
const TIME_MAX: Duration = Duration::from_secs(5);
/// As much of a line as is shown.
const LINE_CHARS_MAX: usize = 300;

/// Finds lines in documents.
#[derive(Debug, Clone)]
pub struct Quotes {
    workers: Workers,
}

impl Default for Quotes {
    fn default() -> Self {
        Self { workers: Workers::new(TIME_MAX) }
    }
}

impl Quotes {
    /// The text of a document; `None` when it has none, or cannot be read.
    pub async fn text(&self, document: Document<'_>) -> Option<String> {
        rules::text_of(document, &self.workers).await.ok().flatten()
    }

    /// The first line that says `value`; `None` when there is none, or the document cannot be read.
    pub async fn line(&self, document: Document<'_>, value: &Value) -> Option<String> {
        let text = rules::text_of(document, &self.workers).await.ok().flatten()?;
        let value = value.clone();
        let find = move |bytes: &[u8], effort: &Effort| line(&String::from_utf8_lossy(bytes), &value, effort);
        self.workers.read(&text.into(), find).await.ok().flatten()
    }
}

fn line(text: &str, value: &Value, effort: &Effort) -> Result<Option<String>, Failure> {
    let style = amount::style(text);
    for line in text.lines() {
        effort.spend(2 * line.len())?;
        if says(line, value, style, effort)? {
            return Ok(Some(line.trim().chars().take(LINE_CHARS_MAX).collect()));
        }
    }
    Ok(None)
}

/// Whether a line has the value in it: a text as it is, a date in any form, an amount in any notation.
fn says(line: &str, value: &Value, style: Option<amount::Style>, effort: &Effort) -> Result<bool, Failure> {
    match value {
        Value::String(text) if text.is_empty() => Ok(false),
        Value::String(text) => {
            let first = text.lines().next().unwrap_or_default();
            Ok((!first.is_empty() && line.contains(first))
                || date::find(line, effort)?.iter().any(|(_, day)| day == text)
                || lines::lines(line, effort)?.iter().flat_map(|line| &line.cells).any(|cell| cell == text))
        }
        Value::Number(number) => {
            let is_same = |word: &str| {
                let word = word.trim_matches(|c: char| !c.is_ascii_digit() && c != '-');
                amount::parse(word, style).is_some_and(|read| read.number.as_f64() == number.as_f64())
            };
            Ok(line.split([' ', '\t', ';', '|', '"']).any(is_same) || line.split(',').any(is_same))
        }
        _ => Ok(false),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::effort::ample;
    use super::*;

    #[test]
    fn a_value_is_found_however_it_is_written() {
        let text = "Rechnung Nr. 4711\nKassel, 3. März 2026\nSumme  1.234,50 EUR\nDatum;Betrag\n03.03.2026;-12,50\n";
        check(text, json!("4711"), "Rechnung Nr. 4711");
        check(text, json!("2026-03-03"), "Kassel, 3. März 2026");
        check(text, json!(1234.5), "Summe  1.234,50 EUR");
        check(text, json!(-12.5), "03.03.2026;-12,50");
        check(text, json!("absent"), "-");
        check(text, json!(null), "-");
    }

    #[track_caller]
    fn check(text: &str, value: Value, expected: &str) {
        assert_eq!(line(text, &value, &ample()).unwrap().as_deref().unwrap_or("-"), expected);
    }
}
