//! How much of what the documents of `tests/corpus` say the embedded rules find, and how much of what they find is said.
//!
//! `truth.json` was written from the documents. `$text` stands for the whole text of the file. An entity found is paired
//! with the true one of the same type that shares the most fields with it; a field is right when its value is equal, numbers
//! compared as numbers and texts without regard to line breaks. Fields of entities without a partner are
//! wrong or missed.
//!
//! What it does not count, so that its figures are not those of all that is found: entities of the types that came after
//! the truth was written (account, event, meeting, message), people and companies in documents whose truth lists none of
//! either (parties became entities later), and the field `checks`. `tests/documents` judges all of these.

#![expect(clippy::print_stdout, reason = "the figures are what this test is for")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use contract::Object;
use neotoma::interpret::{Document, Extracted, Interpreter, Rules};
use serde_json::{Map, Value};

/// Documents that were written after the rules were: a first set and, after what that showed was mended, a second one.
const HELD_OUT: [&str; 2] = ["held_", "later_"];

/// Types that came after the truth of this corpus was written; `tests/documents` measures them.
const LATER_TYPES: [&str; 4] = ["account", "event", "meeting", "message"];

#[derive(Default, Clone, Copy)]
struct Score {
    right: usize,
    wrong: usize,
    missed: usize,
}

impl Score {
    fn add(&mut self, other: Score) {
        self.right += other.right;
        self.wrong += other.wrong;
        self.missed += other.missed;
    }

    fn precision(self) -> f64 {
        self.right as f64 / (self.right + self.wrong).max(1) as f64
    }

    fn recall(self) -> f64 {
        self.right as f64 / (self.right + self.missed).max(1) as f64
    }
}

// N-211
#[tokio::test]
async fn the_rules_find_what_the_documents_say() {
    let truth: BTreeMap<String, Vec<Map<String, Value>>> =
        serde_json::from_str(&fs::read_to_string(corpus().join("truth.json")).unwrap()).unwrap();
    assert!(truth.len() >= 44, "{} documents", truth.len());
    let (mut total, mut held_out) = (Score::default(), [Score::default(); 2]);
    let mut by_type: BTreeMap<String, Score> = BTreeMap::new();
    for (name, expected) in &truth {
        let mut found = interpret(name).await;
        let is_party = |entity_type: &str| matches!(entity_type, "person" | "company");
        let names_parties = expected.iter().any(|entity| is_party(entity["entity_type"].as_str().unwrap()));
        found.retain(|entity| {
            let entity_type = entity.entity_type.as_str();
            !LATER_TYPES.contains(&entity_type) && (names_parties || !is_party(entity_type))
        });
        found.iter_mut().for_each(|entity| {
            entity.fields.shift_remove("checks");
        });
        for (entity_type, score) in compare(name, &found, expected) {
            total.add(score);
            by_type.entry(entity_type).or_default().add(score);
            for (set, prefix) in held_out.iter_mut().zip(HELD_OUT) {
                if name.starts_with(prefix) {
                    set.add(score);
                }
            }
        }
    }
    for (entity_type, score) in &by_type {
        show(entity_type, *score);
    }
    held_out.iter().zip(HELD_OUT).for_each(|(score, prefix)| show(prefix, *score));
    show("all", total);
    assert!(total.precision() >= 0.98, "precision {:.3}", total.precision());
    assert!(total.recall() >= 0.95, "recall {:.3}", total.recall());
}

// N-211
#[tokio::test]
async fn the_same_document_gives_the_same_entities_in_the_same_order() {
    for entry in fs::read_dir(corpus()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert_eq!(interpret(&name).await, interpret(&name).await, "{name}");
    }
}

// N-211
#[tokio::test]
async fn the_sample_invoice_is_an_invoice() {
    let bytes = fs::read(corpus().with_file_name("fixtures").join("sample_invoice.pdf")).unwrap();
    let document =
        Document { bytes: &bytes.into(), mime_type: "application/pdf", filename: Some("sample_invoice.pdf") };
    let found = Rules::default().interpret(document, &Object::default()).await.unwrap().entities;
    assert_eq!(found[0].entity_type, "invoice");
    assert_eq!(
        serde_json::to_value(&found[0].fields).unwrap(),
        serde_json::json!({
            "invoice_number": "WCS-1042", "invoice_date": "2026-03-03", "date_due": "2026-04-02",
            "amount_due": 180.0, "currency": "GBP", "subtotal": 150.0, "tax_amount": 30.0, "tax_rate": "20%",
            "vendor_name": "Willow Creek Supplies Ltd", "customer_name": "Pemberton Nursery",
            "items": ["Clay pots, large", "Compost, 40 l"], "checks": ["subtotal + tax_amount = total"],
        })
    );
}

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus")
}

async fn interpret(name: &str) -> Vec<Extracted> {
    let bytes = fs::read(corpus().join(name)).unwrap();
    let mime_type = match name.rsplit('.').next().unwrap() {
        "csv" => "text/csv",
        "json" => "application/json",
        "eml" => "message/rfc822",
        "pdf" => "application/pdf",
        "md" => "text/markdown",
        _ => "text/plain",
    };
    let document = Document { bytes: &bytes.into(), mime_type, filename: Some(name) };
    Rules::default().interpret(document, &Object::default()).await.unwrap().entities
}

fn compare(name: &str, found: &[Extracted], expected: &[Map<String, Value>]) -> Vec<(String, Score)> {
    let text = fs::read_to_string(corpus().join(name)).unwrap_or_default();
    let mut open: Vec<(String, Map<String, Value>)> = expected
        .iter()
        .map(|entity| {
            let mut fields = entity.clone();
            let entity_type = fields.remove("entity_type").unwrap().as_str().unwrap().to_owned();
            if fields.get("content").is_some_and(|content| content == "$text") {
                fields.insert("content".to_owned(), text.trim().into());
            }
            (entity_type, fields)
        })
        .collect();
    let mut scores = Vec::new();
    for entity in found {
        let fields = &entity.fields.0;
        let overlap =
            |other: &Map<String, Value>| other.iter().filter(|(name, value)| same(fields.get(*name), value)).count();
        let partner = open
            .iter()
            .enumerate()
            .filter(|(_, (entity_type, other))| *entity_type == entity.entity_type && overlap(other) > 0)
            .max_by_key(|(at, (_, other))| (overlap(other), usize::MAX - at))
            .map(|(at, _)| at);
        let truth = partner.map(|at| open.remove(at).1).unwrap_or_default();
        let mut score = Score::default();
        for (field, value) in fields {
            if truth.get(field).is_some_and(|truth| same(Some(value), truth)) {
                score.right += 1;
            } else {
                println!("{name}: {}.{field} is {value}, not {:?}", entity.entity_type, truth.get(field));
                score.wrong += 1;
            }
        }
        for (field, value) in truth.iter().filter(|(field, value)| !same(fields.get(*field), value)) {
            println!("{name}: {}.{field} {value} is missed", entity.entity_type);
            score.missed += 1;
        }
        scores.push((entity.entity_type.clone(), score));
    }
    for (entity_type, fields) in open {
        println!("{name}: {entity_type} is missed: {fields:?}");
        scores.push((entity_type, Score { missed: fields.len(), ..Score::default() }));
    }
    scores
}

fn same(found: Option<&Value>, expected: &Value) -> bool {
    match (found, expected) {
        (Some(Value::Number(found)), Value::Number(expected)) => found.as_f64() == expected.as_f64(),
        (Some(Value::String(found)), Value::String(expected)) => {
            found.split_whitespace().eq(expected.split_whitespace())
        }
        (Some(found), expected) => found == expected,
        (None, _) => false,
    }
}

fn show(what: &str, score: Score) {
    let Score { right, wrong, missed } = score;
    println!(
        "{what:<12} precision {:.3}  recall {:.3}  ({right} right, {wrong} wrong, {missed} missed)",
        score.precision(),
        score.recall()
    );
}
