//! Texts made to be slow: the work that every reader does on them grows with their length and not faster.

use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use super::effort::Effort;
use super::rules::{Format, read};

/// Beginnings that choose a reader of papers: none, an invoice, a receipt, a contract, a sentence, a table.
const BEGINNINGS: [&str; 7] = [
    "",
    "Invoice number: INV-1\nTotal: 12.00\n",
    "Receipt\nTotal: 12.00\nVISA 12.00\n",
    "Service Agreement\nContract number: 7\nEffective date: 2026-03-03\n",
    "Please pay invoice INV-7 for a total of EUR 120.00.\n",
    "Date,Description,Amount,Reference\n",
    "Subject: x\nFrom: a@example.com\n\n",
];
/// What is repeated, and what ends the repetition.
const REPEATED: [(&str, &str); 24] = [
    (" ", "\t"),
    ("\t", "x"),
    (" \t", "x"),
    (".", "_"),
    ("_", "."),
    ("word", ""),
    ("word ", "."),
    ("a\n", ""),
    ("\n", "x"),
    ("a|", "b"),
    ("Date|", "b"),
    (",", ""),
    (";,", ""),
    ("7", ""),
    ("1,000.", "00"),
    ("2026-01-01 ", ""),
    ("3 March ", "2026"),
    ("\"", ""),
    ("\"\",", ""),
    ("Total: 1.00 : : : ", ""),
    ("Client: a\n", ""),
    ("invoice amount of between ", ""),
    ("- [ ] x due 2026-01-01 (@a) #b ", ""),
    ("To: a@example.com, b@example.com\n", ""),
];
const FORMATS: [Format; 4] = [Format::Text, Format::Csv, Format::Json, Format::Email];
/// A reader looks at every byte fewer times than this.
const STEPS_PER_BYTE: usize = 160;

fn effort(bytes: usize, time: Duration) -> Effort {
    Effort::new(bytes, Instant::now() + time, CancellationToken::new())
}

fn text(beginning: &str, (part, end): (&str, &str), bytes: usize) -> String {
    format!("{beginning}{}{end}", part.repeat(bytes / part.len()))
}

/// The steps that reading a text takes; nothing when it is not of the format.
#[track_caller]
fn steps(format: Format, text: &str) -> u64 {
    let effort = effort(text.len(), Duration::from_secs(600));
    if let Err(failure) = read(format, text.as_bytes(), &effort) {
        let is_other = failure.reason.contains("well formed") || failure.reason.contains("no headers");
        assert!(is_other, "{format:?} {:?}…: {}", &text[..text.len().min(80)], failure.reason);
    }
    effort.steps()
}

#[test]
fn work_grows_with_the_length_of_a_text_and_not_faster() {
    const BYTES: usize = 6 << 10;
    for beginning in BEGINNINGS {
        for repeated in REPEATED {
            for format in FORMATS {
                let short = steps(format, &text(beginning, repeated, BYTES));
                let long = steps(format, &text(beginning, repeated, 2 * BYTES));
                let shown = format!("{format:?} {beginning:?} {repeated:?}: {short} and {long}");
                assert!(long <= 2 * short + BYTES as u64, "{shown}");
                assert!(long <= (STEPS_PER_BYTE * 2 * BYTES) as u64, "{shown}");
            }
        }
    }
}

/// Two megabytes, the most that is looked into. A reader that is not linear does not come back from them.
#[test]
fn the_longest_texts_are_read_to_their_end() {
    const BYTES: usize = (2 << 20) - 100;
    for repeated in [(" ", "\t"), ("word ", "."), ("2026-01-01 ", "")] {
        steps(Format::Text, &text("", repeated, BYTES));
    }
    let quotes = format!("{}x{}", " ".repeat(BYTES / 2), "\"".repeat(BYTES / 2));
    steps(Format::Csv, &quotes);
    let parties: Vec<String> = (0..40_000).map(|number| format!("Client: a{number}")).collect();
    steps(Format::Text, &format!("Service Agreement\n{}", parties.join("\n")));
}

#[test]
fn every_reader_stops_when_its_time_is_over() {
    for beginning in BEGINNINGS {
        for (format, part) in [
            (Format::Text, "word "),
            (Format::Text, "a\n"),
            (Format::Csv, "2026-03-03,a,1.00,b\n"),
            (Format::Json, "[1"),
            (Format::Email, "word\n"),
        ] {
            let text = text(beginning, (part, ""), 128 << 10);
            let effort = Effort::new(text.len(), Instant::now() - Duration::from_secs(1), CancellationToken::new());
            let late = read(format, text.as_bytes(), &effort).unwrap_err();
            assert_eq!(late.reason, "reading the document took too long", "{format:?} {beginning:?}");
            assert!(effort.steps() <= 2 * text.len() as u64, "{format:?} {beginning:?}");
        }
    }
}
