//! How well documents of strangers are understood: the figures of `tests/documents`, per kind and language.
//!
//! `open` is measured on every run, and its thresholds only rise. `aside` is measured by the ignored test, which prints
//! figures and never a document. How values are compared is said in the README beside the documents.

#![expect(clippy::print_stdout, reason = "the figures are what these tests are for")]

mod pairing;
mod values;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use blobs::media;
use contract::Object;
use neotoma::interpret::{Document, Interpreter, Rules, Understood};
use serde_json::{Map, Value};

use pairing::{Judged, judge};

/// Fields, relationships or line items that were found, wrongly found, or missed.
#[derive(Debug, Default, Clone, Copy)]
pub struct Score {
    pub right: usize,
    /// Right, but not asked for.
    pub extra: usize,
    pub wrong: usize,
    pub missed: usize,
}

impl Score {
    fn add(&mut self, other: Score) {
        self.right += other.right;
        self.extra += other.extra;
        self.wrong += other.wrong;
        self.missed += other.missed;
    }

    fn precision(self) -> f64 {
        (self.right + self.extra) as f64 / (self.right + self.extra + self.wrong).max(1) as f64
    }

    fn recall(self) -> f64 {
        self.right as f64 / (self.right + self.missed).max(1) as f64
    }
}

#[derive(Debug, Default)]
struct Figures {
    fields: Score,
    links: Score,
    lines: Score,
    traps: usize,
    by_kind: BTreeMap<String, (Score, Score)>,
    by_language: BTreeMap<String, (Score, Score)>,
    by_field: BTreeMap<String, Score>,
}

// N-211
#[tokio::test]
async fn documents_of_strangers_are_understood() {
    let figures = measure("open", true).await;
    figures.show(true);
    let Figures { fields, links, traps, .. } = figures;
    assert!(fields.precision() >= PRECISION_MIN, "precision {:.3}", fields.precision());
    assert!(fields.recall() >= RECALL_MIN, "recall {:.3}", fields.recall());
    assert!(links.precision() >= LINKS_PRECISION_MIN, "precision of relationships {:.3}", links.precision());
    assert!(links.recall() >= LINKS_RECALL_MIN, "recall of relationships {:.3}", links.recall());
    assert!(traps <= TRAPS_MAX, "{traps} values that a careless reader takes");
}

/// What the rules reach on `open`; to be raised with them, never lowered.
const PRECISION_MIN: f64 = 0.95;
const RECALL_MIN: f64 = 0.82;
const LINKS_PRECISION_MIN: f64 = 0.95;
const LINKS_RECALL_MIN: f64 = 0.76;
const TRAPS_MAX: usize = 3;

/// The final measurement. It says nothing about single documents.
#[tokio::test]
#[ignore = "looked at only when the rules are finished"]
async fn documents_set_aside_are_understood() {
    measure("aside", false).await.show(false);
}

// N-211
#[tokio::test]
async fn a_document_is_understood_the_same_way_every_time() {
    for name in truth("open").keys() {
        assert_eq!(interpret("open", name).await, interpret("open", name).await, "{name}");
    }
}

async fn measure(set: &str, tell: bool) -> Figures {
    let mut figures = Figures::default();
    for (name, truth) in truth(set) {
        let understood = interpret(set, &name).await;
        let Judged { fields, links, lines, traps, remarks } = judge(&truth, &understood);
        if tell {
            remarks.iter().for_each(|remark| println!("{name}: {remark}"));
        }
        let text = |key: &str| truth[key].as_str().unwrap_or_default().to_owned();
        for (field, score) in fields {
            figures.fields.add(score);
            figures.by_kind.entry(text("kind")).or_default().0.add(score);
            figures.by_language.entry(text("language")).or_default().0.add(score);
            figures.by_field.entry(field).or_default().add(score);
        }
        figures.links.add(links);
        figures.by_kind.entry(text("kind")).or_default().1.add(links);
        figures.by_language.entry(text("language")).or_default().1.add(links);
        figures.lines.add(lines);
        figures.traps += traps;
    }
    figures
}

impl Figures {
    fn show(&self, by_field: bool) {
        if by_field {
            self.by_field.iter().for_each(|(field, score)| show(field, *score));
        }
        for (name, (fields, links)) in self.by_kind.iter().chain(&self.by_language) {
            show(name, *fields);
            if links.right + links.wrong + links.missed > 0 {
                show(&format!("{name} (links)"), *links);
            }
        }
        show("line items", self.lines);
        show("relationships", self.links);
        show("all fields", self.fields);
        println!("values that a careless reader takes: {}", self.traps);
    }
}

fn show(what: &str, score: Score) {
    let Score { right, extra, wrong, missed } = score;
    println!(
        "{what:<28} precision {:.3}  recall {:.3}  ({right} right, {extra} more, {wrong} wrong, {missed} missed)",
        score.precision(),
        score.recall()
    );
}

fn folder(set: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/documents").join(set)
}

fn truth(set: &str) -> BTreeMap<String, Map<String, Value>> {
    serde_json::from_str(&fs::read_to_string(folder(set).join("truth.json")).unwrap()).unwrap()
}

/// What the rules make of a document, which has to be of a type that can be stored.
async fn interpret(set: &str, name: &str) -> Understood {
    let bytes = fs::read(folder(set).join(name)).unwrap();
    let Ok(mime_type) = media::sniff(&bytes[..bytes.len().min(media::HEAD_BYTES)], None, Some(name)) else {
        return Understood::default();
    };
    let document = Document { bytes: &bytes.into(), mime_type, filename: Some(name) };
    Rules::default().interpret(document, &Object::default()).await.unwrap_or_default()
}
