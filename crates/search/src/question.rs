//! What is asked, and what is answered.

use std::collections::BTreeSet;

use scope::Timestamp;

/// A question in plain words. No character in it is an operator.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Question {
    pub text: String,
    pub filter: Filter,
    /// At most this many documents.
    pub limit: usize,
    /// Below this cosine a passage that meaning alone found is left out. What words found stays.
    pub similarity_min: f64,
    /// Whether the last word also stands for words that begin with it, as somebody who is still typing expects.
    pub prefix: bool,
    /// Whether each hit tells what gave how much.
    pub explain: bool,
}

/// What a document must be to be found. What is empty or `None` does not matter.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filter {
    /// One of these collections.
    pub collections: Vec<String>,
    /// One of these types.
    pub types: Vec<String>,
    /// All of these tags.
    pub tags: Vec<String>,
    /// One of these documents.
    pub among: Option<BTreeSet<String>>,
    /// A passage whose time is from this moment (inclusive) to that one (exclusive).
    pub time: Option<(Timestamp, Timestamp)>,
}

/// A document with the passage that answers best. Better ones come first; equal ones by similarity, then by id.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    pub document: String,
    /// Which of its passages.
    pub passage: u32,
    /// How well it answers, from 0 to 1, whatever else was found.
    pub score: f64,
    /// Cosine of question and passage, where both have a vector.
    pub similarity: Option<f64>,
    /// What gave how much, when it was asked for.
    pub parts: Option<Parts>,
}

/// What a score is made of.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Parts {
    pub words: f64,
    pub spelling: f64,
    pub meaning: f64,
    pub neighbours: f64,
    pub author: f64,
    pub time: f64,
    pub name: f64,
}
