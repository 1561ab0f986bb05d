//! What is visible at a point, and the counts that follow from it.

use ledger::Seq;

use super::Index;
use super::vocabulary::Posting;
use crate::words::Language;

/// An index at one point. Everything that moves a score is counted here.
pub struct View<'a> {
    pub index: &'a Index,
    /// By place.
    pub visible: Vec<bool>,
    /// How many are visible.
    pub count: usize,
    /// How many words they have on average, stop words not counted.
    pub length_mean: f32,
    /// In which languages they are written.
    pub languages: Vec<Language>,
}

impl<'a> View<'a> {
    pub fn new(index: &'a Index, at: Seq) -> Self {
        let visible = index.passages.visible(at);
        let (mut count, mut length, mut spoken) = (0, 0, [false; Language::ALL.len()]);
        for (place, visible) in visible.iter().enumerate() {
            if *visible {
                count += 1;
                length += u64::from(index.passages.length[place]);
                spoken[usize::from(index.passages.language[place].number())] = true;
            }
        }
        let length_mean = (length as f32 / (count.max(1)) as f32).max(1.0);
        let languages = Language::ALL.into_iter().filter(|language| spoken[usize::from(language.number())]).collect();
        Self { index, visible, count, length_mean, languages }
    }

    pub fn sees(&self, place: u32) -> bool {
        self.visible[place as usize]
    }

    /// Visible places, in the order in which they came.
    pub fn places(&self) -> impl Iterator<Item = u32> {
        self.visible.iter().zip(0_u32..).filter(|(visible, _)| **visible).map(|(_, place)| place)
    }

    /// The visible passages that hold a term.
    pub fn postings(&self, term: u32) -> impl Iterator<Item = Posting> {
        self.index.vocabulary.postings(term).iter().copied().filter(|posting| self.sees(posting.place()))
    }

    /// How many visible passages hold a term.
    pub fn document_frequency(&self, term: u32) -> usize {
        if self.count == self.visible.len() {
            return self.index.vocabulary.postings(term).len();
        }
        self.postings(term).count()
    }

    /// What names a passage in this view: its document, and which one of it.
    pub fn id(&self, place: u32) -> (&'a str, u32) {
        let passages = &self.index.passages;
        (self.index.documents.text(passages.document[place as usize]), passages.passage[place as usize])
    }

    /// Inverse document frequency: how much it tells that a passage holds a word which `holders` of them hold.
    pub fn idf(&self, holders: usize) -> f32 {
        let (count, holders) = (self.count as f32, holders as f32);
        (1.0 + (count - holders + 0.5) / (holders + 0.5)).ln()
    }
}
