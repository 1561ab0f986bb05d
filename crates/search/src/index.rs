//! The index of one partition: all versions of its passages, in memory, answering at any point.
//!
//! A row says from which point to which it is visible. A question makes a [`view::View`] of its point, [`crate::rank`] ranks
//! what is in it. Nothing here is written down: rows are kept elsewhere, and the index is made from them.

mod interner;
mod names;
mod passages;
mod streams;
mod vectors;
pub(crate) mod view;
pub(crate) mod vocabulary;

use ledger::Seq;

pub(crate) use passages::NONE;

use crate::rank::{self, Ranking};
use crate::{Analysed, Hit, Quantised, Question, Space};
use interner::Interner;
use names::{Authors, Names};
use passages::{Passage, Passages};
use streams::Streams;
use vectors::Vectors;
use view::View;
use vocabulary::{PLACES_MAX, Vocabulary};

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
    ranking: Ranking,
    pub(crate) passages: Passages,
    pub(crate) vocabulary: Vocabulary,
    pub(crate) vectors: Vectors,
    pub(crate) streams: Streams,
    pub(crate) names: Names,
    pub(crate) authors: Authors,
    pub(crate) documents: Interner,
    pub(crate) collections: Interner,
    pub(crate) types: Interner,
    pub(crate) tags: Interner,
    stream_ids: Interner,
}

impl Index {
    /// An empty index, whose vectors are of `space`. Without one it finds by words alone.
    pub fn new(space: Option<Space>) -> Self {
        let vectors = Vectors::new(space.as_ref().map_or(0, |space| space.dimensions));
        let ranking = Ranking::of(space.as_ref());
        Self { space, ranking, vectors, ..Self::default() }
    }

    /// The same index, ranking in another way.
    #[must_use]
    pub fn with_ranking(mut self, ranking: Ranking) -> Self {
        self.ranking = ranking;
        self
    }

    /// The space of its vectors.
    pub fn space(&self) -> Option<&Space> {
        self.space.as_ref()
    }

    /// Adds a version. One that is there already is left as it is.
    pub fn insert(&mut self, row: Row) {
        if self.passages.place(row.slot).is_some() || self.passages.len() >= PLACES_MAX {
            return;
        }
        let Row { slot, document, passage, from, to, analysed, vector } = row;
        let place = self.passages.len() as u32;
        let terms: Vec<u32> = analysed.terms.iter().map(|term| self.vocabulary.intern(term)).collect();
        let mut counts = vec![0_u32; terms.len()];
        analysed.order.iter().for_each(|term| counts[usize::from(*term)] += 1);
        for (term, count) in terms.iter().zip(counts) {
            self.vocabulary.add(*term, place, count);
        }
        let passage = Passage {
            slot,
            from,
            to,
            document: self.documents.intern(&document),
            passage,
            length: analysed.length,
            collection: self.collections.intern(&analysed.collection),
            r#type: self.types.intern(&analysed.r#type),
            author: analysed.author.as_deref().map_or(NONE, |author| self.authors.intern(author)),
            time: analysed.time,
            language: analysed.language,
        };
        let words = analysed.order.iter().map(|term| terms[usize::from(*term)]);
        let tags = analysed.tags.iter().map(|tag| self.tags.intern(tag));
        self.passages.push(passage, words, tags);
        analysed.names.iter().for_each(|name| self.names.add(name, place));
        if let Some(stream) = &analysed.stream {
            self.streams.add(self.stream_ids.intern(&stream.id), stream.order, place);
        }
        self.vectors.push();
        if let Some(vector) = vector {
            self.vectors.set(place, &vector);
        }
    }

    /// Ends a version: from `at` on it is not visible. Nothing happens if there is none of this number.
    pub fn end(&mut self, slot: u64, at: Seq) {
        if let Some(place) = self.passages.place(slot) {
            self.passages.end(place, at);
        }
    }

    /// Adds the vector that came later. Nothing happens if the version or the number of dimensions is not known.
    pub fn set_vector(&mut self, slot: u64, vector: Quantised) {
        if let Some(place) = self.passages.place(slot) {
            self.vectors.set(place, &vector);
        }
    }

    /// The best documents for the question among what is visible at `at`, best first.
    pub fn search(&self, at: Seq, question: &Question, question_vector: Option<&[f32]>) -> Vec<Hit> {
        rank::rank(&View::new(self, at), &self.ranking, question, question_vector)
    }

    /// What to embed of the question: its text without the names of those who are known as authors at this point.
    pub fn question_text_to_embed(&self, at: Seq, question: &Question) -> String {
        rank::text_to_embed(&View::new(self, at), question)
    }

    /// How many versions of passages it holds.
    pub fn len(&self) -> usize {
        self.passages.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// About how much memory it takes. Asking costs nothing.
    pub fn bytes(&self) -> usize {
        let interners = [&self.documents, &self.collections, &self.types, &self.tags, &self.stream_ids];
        interners.iter().map(|interner| interner.bytes()).sum::<usize>()
            + self.passages.bytes()
            + self.vocabulary.bytes()
            + self.vectors.bytes()
            + self.streams.bytes()
            + self.names.bytes()
            + self.authors.bytes()
    }

    /// How many of the visible passages have a vector, and how many there are.
    pub fn coverage(&self, at: Seq) -> (usize, usize) {
        let visible = self.passages.visible(at);
        let places = || visible.iter().enumerate().filter(|(_, visible)| **visible);
        (places().filter(|(place, _)| self.vectors.has(*place)).count(), places().count())
    }
}
