//! All words of a partition: where each of them stands, and which are spelled alike.

use hashbrown::HashMap;

use super::interner::Interner;

/// How many versions of passages one index takes.
pub const PLACES_MAX: usize = 1 << (32 - COUNT_BITS);
const COUNT_BITS: u32 = 6;

/// A passage that holds a word, with how often it does: up to 63 times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Posting(u32);

impl Posting {
    fn new(place: u32, count: u32) -> Self {
        Self(place << COUNT_BITS | count.min((1 << COUNT_BITS) - 1))
    }

    pub fn place(self) -> u32 {
        self.0 >> COUNT_BITS
    }

    pub fn count(self) -> u32 {
        self.0 & ((1 << COUNT_BITS) - 1)
    }
}

/// Terms by number, with their postings in the order of places.
#[derive(Debug, Default)]
pub struct Vocabulary {
    terms: Interner,
    postings: Vec<Vec<Posting>>,
    /// Terms by three letters in a row, with a sign for the beginning and one for the end.
    grams: HashMap<Gram, Vec<u32>>,
    /// How many numbers the lists hold together.
    listed: usize,
}

/// Three letters.
type Gram = [char; 3];

impl Vocabulary {
    /// The number of a term, which may be new.
    pub fn intern(&mut self, term: &str) -> u32 {
        let number = self.terms.intern(term);
        if number as usize == self.postings.len() {
            self.postings.push(Vec::new());
            for gram in grams(term) {
                let holders = self.grams.entry(gram).or_default();
                if holders.last() != Some(&number) {
                    holders.push(number);
                    self.listed += 1;
                }
            }
        }
        number
    }

    /// Notes that the passage at `place` holds a term. Places come in order.
    pub fn add(&mut self, term: u32, place: u32, count: u32) {
        self.postings[term as usize].push(Posting::new(place, count));
        self.listed += 1;
    }

    pub fn number(&self, term: &str) -> Option<u32> {
        self.terms.number(term)
    }

    pub fn text(&self, term: u32) -> &str {
        self.terms.text(term)
    }

    pub fn postings(&self, term: u32) -> &[Posting] {
        &self.postings[term as usize]
    }

    /// Other words that share at least `share_min` of their grams with this one, each with its share, in no order. A word with a
    /// digit in it has none: a number that looks alike is another number.
    pub fn alike(&self, term: &str, share_min: f32) -> Vec<(u32, f32)> {
        if !is_spelled(term) {
            return Vec::new();
        }
        let wanted = grams(term);
        let mut shared = vec![0_u8; self.terms.len()];
        let mut touched = Vec::new();
        for gram in distinct(&wanted) {
            for other in self.grams.get(&gram).into_iter().flatten() {
                let shared = &mut shared[*other as usize];
                if *shared == 0 {
                    touched.push(*other);
                }
                *shared += 1;
            }
        }
        let share = |other: u32| {
            let text = self.terms.text(other);
            let both = wanted.len() + text.chars().count();
            let share = 2.0 * f32::from(shared[other as usize]) / both as f32;
            (share >= share_min && text != term && is_spelled(text)).then_some((other, share))
        };
        touched.into_iter().filter_map(share).collect()
    }

    /// Terms that begin with these letters, in no order.
    pub fn beginning_with<'a>(&'a self, letters: &'a str) -> Box<dyn Iterator<Item = u32> + 'a> {
        let begins = move |term: &u32| self.terms.text(*term).starts_with(letters);
        match grams(letters).first() {
            Some(first) if first[2] != END => {
                Box::new(self.grams.get(first).into_iter().flatten().copied().filter(begins))
            }
            _ => Box::new((0..self.terms.len() as u32).filter(begins)),
        }
    }

    pub fn bytes(&self) -> usize {
        // A list has room for a third more than it holds, on average.
        let lists = self.listed * 4 * 4 / 3;
        self.terms.bytes() + self.postings.capacity() * 24 + self.grams.capacity() * 40 + lists
    }
}

const BEGIN: char = '\u{2}';
const END: char = '\u{3}';

/// Whether it can be misspelled: some letters and nothing else.
fn is_spelled(term: &str) -> bool {
    term.chars().count() > 3 && term.chars().all(char::is_alphabetic)
}

/// As many as the term has letters.
fn grams(term: &str) -> Vec<Gram> {
    let letters: Vec<char> = std::iter::once(BEGIN).chain(term.chars()).chain(std::iter::once(END)).collect();
    letters.windows(3).map(|three| [three[0], three[1], three[2]]).collect()
}

fn distinct(grams: &[Gram]) -> Vec<Gram> {
    let mut grams = grams.to_vec();
    grams.sort_unstable();
    grams.dedup();
    grams
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_spelled_alike_are_found() {
        check("servce", &["service"]);
        check("service", &[]);
        check("zebra", &[]);
        check("2027", &[]);
    }

    #[test]
    fn words_are_found_by_their_beginning() {
        let vocabulary = vocabulary();
        let begin = |letters| {
            let mut found: Vec<&str> = vocabulary.beginning_with(letters).map(|term| vocabulary.text(term)).collect();
            found.sort_unstable();
            found.join(" ")
        };
        assert_eq!(begin("ord"), "order orderli");
        assert_eq!(begin("o"), "o order orderli");
        assert_eq!(begin("x"), "");
    }

    fn vocabulary() -> Vocabulary {
        let mut vocabulary = Vocabulary::default();
        ["service", "order", "orderli", "o", "売", "2026"].into_iter().for_each(|term| {
            vocabulary.intern(term);
        });
        vocabulary
    }

    #[track_caller]
    fn check(term: &str, expected: &[&str]) {
        let vocabulary = vocabulary();
        let found: Vec<&str> = vocabulary.alike(term, 0.5).into_iter().map(|(term, _)| vocabulary.text(term)).collect();
        assert_eq!(found, expected);
    }
}
