//! The index as those who build on it see it.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod engine;
mod filter;
mod languages;
mod point;
mod question;
mod row;
mod transformer;
mod words_and_meaning;

use ledger::Seq;
use search::{Analysed, Document, Hit, Index, Passage, Question, Row};

/// Documents by name and text, visible from point 1 on.
struct Shelf {
    index: Index,
    slots: u64,
}

impl Shelf {
    fn new() -> Self {
        Self { index: Index::new(None), slots: 0 }
    }

    fn of(texts: &[(&str, &str)]) -> Self {
        let mut shelf = Self::new();
        texts.iter().for_each(|(id, text)| shelf.add(document(id, &[], text)));
        shelf
    }

    fn add(&mut self, document: Document) {
        self.add_from(1, document);
    }

    fn add_from(&mut self, from: Seq, document: Document) {
        for passage in 0..document.passages.len() {
            let analysed = Analysed::new(&document, passage);
            let (slot, id) = (self.slots, document.id.clone());
            self.slots += 1;
            self.index.insert(Row {
                slot,
                document: id,
                passage: passage as u32,
                from,
                to: None,
                analysed,
                vector: None,
            });
        }
    }

    fn hits(&self, question: &str) -> Vec<Hit> {
        self.index.search(1, &ask(question), None)
    }

    /// The ids of what is found, best first.
    fn found(&self, question: &str) -> String {
        ids(&self.hits(question))
    }
}

fn ask(text: &str) -> Question {
    Question { text: text.to_owned(), limit: 10, ..Question::default() }
}

fn ids(hits: &[Hit]) -> String {
    hits.iter().map(|hit| hit.document.as_str()).collect::<Vec<_>>().join(" ")
}

fn document(id: &str, names: &[&str], text: &str) -> Document {
    let names = names.iter().map(|name| (*name).to_owned()).collect();
    Document { id: id.to_owned(), names, passages: vec![passage(text)], ..Document::default() }
}

fn passage(text: &str) -> Passage {
    Passage { text: text.to_owned(), ..Passage::default() }
}
