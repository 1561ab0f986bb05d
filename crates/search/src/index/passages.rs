//! What is known of each version of a passage, by its place in the index.

use std::ops::Range;

use hashbrown::{DefaultHashBuilder, HashTable};
use ledger::Seq;
use scope::Timestamp;
use std::hash::BuildHasher;

use crate::words::Language;

/// Nothing, where a number stands for something.
pub const NONE: u32 = u32::MAX;
/// A version that has not ended.
const OPEN: Seq = Seq::MAX;

/// One version of a passage. Texts are numbers of their interners.
#[derive(Debug, Clone, Copy)]
pub struct Passage {
    pub slot: u64,
    pub from: Seq,
    pub to: Option<Seq>,
    pub document: u32,
    pub passage: u32,
    pub length: u32,
    pub collection: u32,
    pub r#type: u32,
    pub author: u32,
    pub time: Option<Timestamp>,
    pub language: Language,
}

/// All versions, in columns.
#[derive(Debug, Default)]
pub struct Passages {
    slots: Vec<u64>,
    from: Vec<Seq>,
    to: Vec<Seq>,
    pub document: Vec<u32>,
    pub passage: Vec<u32>,
    pub length: Vec<u32>,
    pub collection: Vec<u32>,
    pub r#type: Vec<u32>,
    pub author: Vec<u32>,
    time: Vec<i64>,
    pub language: Vec<Language>,
    words: Many,
    tags: Many,
    places: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

/// No moment: the beginning of time is not one that anybody means.
const NO_TIME: i64 = i64::MIN;

impl Passages {
    /// Adds a version, with the numbers of its words in order and of its tags.
    pub fn push(&mut self, passage: Passage, words: impl Iterator<Item = u32>, tags: impl Iterator<Item = u32>) -> u32 {
        let place = u32::try_from(self.slots.len()).expect("an index takes fewer");
        self.slots.push(passage.slot);
        self.from.push(passage.from);
        self.to.push(passage.to.unwrap_or(OPEN));
        self.document.push(passage.document);
        self.passage.push(passage.passage);
        self.length.push(passage.length);
        self.collection.push(passage.collection);
        self.r#type.push(passage.r#type);
        self.author.push(passage.author);
        self.time.push(passage.time.map_or(NO_TIME, |time| time.0));
        self.language.push(passage.language);
        self.words.push(words);
        self.tags.push(tags);
        let (slots, hasher) = (&self.slots, &self.hasher);
        let hash = |place: &u32| hasher.hash_one(slots[*place as usize]);
        self.places.insert_unique(hash(&place), place, hash);
        place
    }

    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Where the version of this number is.
    pub fn place(&self, slot: u64) -> Option<u32> {
        self.places.find(self.hasher.hash_one(slot), |place| self.slots[*place as usize] == slot).copied()
    }

    /// Ends a version, or ends it earlier.
    pub fn end(&mut self, place: u32, at: Seq) {
        let to = &mut self.to[place as usize];
        *to = at.min(*to);
    }

    /// Whether each version is visible at this point.
    pub fn visible(&self, at: Seq) -> Vec<bool> {
        self.from.iter().zip(&self.to).map(|(from, to)| *from <= at && at < *to).collect()
    }

    pub fn from(&self, place: u32) -> Seq {
        self.from[place as usize]
    }

    pub fn time(&self, place: u32) -> Option<Timestamp> {
        let time = self.time[place as usize];
        (time != NO_TIME).then_some(Timestamp(time))
    }

    /// Its words in order.
    pub fn words(&self, place: u32) -> &[u32] {
        self.words.at(place)
    }

    pub fn tags(&self, place: u32) -> &[u32] {
        self.tags.at(place)
    }

    pub fn bytes(&self) -> usize {
        self.slots.capacity() * (3 * 8 + 6 * 4 + 8 + 1)
            + self.places.capacity() * 5
            + self.words.bytes()
            + self.tags.bytes()
    }
}

/// Some numbers for each place, in one piece of memory.
#[derive(Debug, Default)]
struct Many {
    all: Vec<u32>,
    ends: Vec<usize>,
}

impl Many {
    fn push(&mut self, numbers: impl Iterator<Item = u32>) {
        self.all.extend(numbers);
        self.ends.push(self.all.len());
    }

    fn at(&self, place: u32) -> &[u32] {
        &self.all[self.range(place as usize)]
    }

    fn range(&self, place: usize) -> Range<usize> {
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        start..self.ends[place]
    }

    fn bytes(&self) -> usize {
        self.all.capacity() * 4 + self.ends.capacity() * 8
    }
}
