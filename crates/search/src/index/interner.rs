//! Texts that occur many times, each kept once and known by a number.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

/// All texts in one piece of memory. Numbers count up from 0.
#[derive(Debug, Default)]
pub struct Interner {
    text: String,
    ends: Vec<usize>,
    numbers: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl Interner {
    /// The number of this text, which may be new.
    pub fn intern(&mut self, text: &str) -> u32 {
        let hash = self.hasher.hash_one(text);
        let (all, ends) = (&self.text, &self.ends);
        if let Some(number) = self.numbers.find(hash, |number| at(all, ends, *number) == text) {
            return *number;
        }
        let number = u32::try_from(self.ends.len()).expect("memory ends before numbers do");
        self.text.push_str(text);
        self.ends.push(self.text.len());
        let (all, ends, hasher) = (&self.text, &self.ends, &self.hasher);
        self.numbers.insert_unique(hash, number, |number| hasher.hash_one(at(all, ends, *number)));
        number
    }

    pub fn number(&self, text: &str) -> Option<u32> {
        let hash = self.hasher.hash_one(text);
        self.numbers.find(hash, |number| self.text(*number) == text).copied()
    }

    pub fn text(&self, number: u32) -> &str {
        at(&self.text, &self.ends, number)
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn bytes(&self) -> usize {
        self.text.capacity() + self.ends.capacity() * 8 + self.numbers.capacity() * 5
    }
}

fn at<'a>(text: &'a str, ends: &[usize], number: u32) -> &'a str {
    let number = number as usize;
    let start = if number == 0 { 0 } else { ends[number - 1] };
    &text[start..ends[number]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_one_number() {
        let mut interner = Interner::default();
        let numbers: Vec<u32> = ["a", "", "bc", "a", "", "c"].iter().map(|text| interner.intern(text)).collect();
        assert_eq!(numbers, [0, 1, 2, 0, 1, 3]);
        assert_eq!((interner.text(2), interner.number("c"), interner.number("b")), ("bc", Some(3), None));
        assert_eq!(interner.len(), 4);
    }
}
