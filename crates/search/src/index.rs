//! The index of one partition: all versions of its passages, in memory, answering at any point.

use ledger::Seq;

use crate::{Analysed, Hit, Quantised, Question, Space};

/// A version of a passage, as it is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Names this version within its partition, and never another one.
    pub slot: u64,
    /// The id of its document.
    pub document: String,
    /// Which passage of it.
    pub passage: u32,
    /// Visible from this point.
    pub from: Seq,
    /// And from this point no longer.
    pub to: Option<Seq>,
    pub analysed: Analysed,
    /// Of the index's space; one with another number of dimensions counts as none.
    pub vector: Option<Quantised>,
}

/// All versions of the passages of one partition.
#[derive(Debug, Default)]
pub struct Index {
    space: Option<Space>,
}

impl Index {
    /// An empty index, whose vectors are of `space`. Without one it finds by words alone.
    pub fn new(space: Option<Space>) -> Self {
        Self { space }
    }

    /// The space of its vectors.
    pub fn space(&self) -> Option<&Space> {
        self.space.as_ref()
    }

    /// Adds a version. One that is there already is left as it is.
    pub fn insert(&mut self, row: Row) {
        let _ = row;
    }

    /// Ends a version: from `at` on it is not visible. Nothing happens if there is none of this number.
    pub fn end(&mut self, slot: u64, at: Seq) {
        let _ = (slot, at);
    }

    /// Adds the vector that came later. Nothing happens if the version or the number of dimensions is not known.
    pub fn set_vector(&mut self, slot: u64, vector: Quantised) {
        let _ = (slot, vector);
    }

    /// The best documents for the question among what is visible at `at`, best first.
    pub fn search(&self, at: Seq, question: &Question, question_vector: Option<&[f32]>) -> Vec<Hit> {
        let _ = (at, question, question_vector);
        Vec::new()
    }

    /// What to embed of the question: its text without the names of those who are known as authors at this point.
    pub fn question_text_to_embed(&self, at: Seq, question: &Question) -> String {
        let _ = at;
        question.text.clone()
    }

    /// About how much memory it takes.
    pub fn bytes(&self) -> usize {
        0
    }

    /// How many of the visible passages have a vector, and how many there are.
    pub fn coverage(&self, at: Seq) -> (usize, usize) {
        let _ = at;
        (0, 0)
    }
}
