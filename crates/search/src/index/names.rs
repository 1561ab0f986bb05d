//! Names that passages are found by, and the authors of passages.

use hashbrown::HashMap;

use super::interner::Interner;
use crate::words;

/// Of a longer author only the beginning counts.
const AUTHOR_WORDS_MAX: usize = 8;

/// Which passages bear which name.
#[derive(Debug, Default)]
pub struct Names {
    names: Interner,
    bearers: Vec<Vec<u32>>,
    places: usize,
}

impl Names {
    pub fn add(&mut self, name: &str, place: u32) {
        let number = self.names.intern(name) as usize;
        if number == self.bearers.len() {
            self.bearers.push(Vec::new());
        }
        self.bearers[number].push(place);
        self.places += 1;
    }

    /// The places of those who bear this name, in no order.
    pub fn bearers(&self, name: &str) -> &[u32] {
        self.names.number(name).map_or(&[], |number| &self.bearers[number as usize])
    }

    pub fn is_empty(&self) -> bool {
        self.bearers.is_empty()
    }

    pub fn bytes(&self) -> usize {
        self.names.bytes() + self.bearers.capacity() * 24 + self.places * 8
    }
}

/// Who speaks, by number.
#[derive(Debug, Default)]
pub struct Authors {
    authors: Interner,
    /// The words of each name.
    words: Vec<Vec<String>>,
    by_word: HashMap<String, Vec<u32>>,
}

impl Authors {
    pub fn intern(&mut self, author: &str) -> u32 {
        let number = self.authors.intern(author);
        if number as usize == self.words.len() {
            let words: Vec<String> = words::runs(author, AUTHOR_WORDS_MAX).into_iter().map(|run| run.text).collect();
            for word in &words {
                self.by_word.entry_ref(word.as_str()).or_default().push(number);
            }
            self.words.push(words);
        }
        number
    }

    /// Those whose name has this word.
    pub fn with_word(&self, word: &str) -> &[u32] {
        self.by_word.get(word).map_or(&[], Vec::as_slice)
    }

    /// The words of a name.
    pub fn words(&self, author: u32) -> &[String] {
        &self.words[author as usize]
    }

    pub fn len(&self) -> usize {
        self.words.len()
    }

    pub fn bytes(&self) -> usize {
        self.authors.bytes() + self.words.len() * 160
    }
}
