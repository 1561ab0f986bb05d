//! Words: what full-text search sees in a text, and how well a text answers a query.
//!
//! Every engine splits and scores with these functions, so a search finds the same records in the same
//! order on all of them. A score depends only on the texts that match at the point of the read, never on
//! rows that came later or belong to somebody else: the same search at the same point stays the same.
//! Start with [`Query::new`].

use std::collections::BTreeSet;

use unicode_normalization::UnicodeNormalization;

use crate::Search;

/// How many matching records one search weighs at most, newest first.
pub const CANDIDATES_MAX: usize = 1000;
/// With any of several words, each of them is granted at least this many candidates.
const CANDIDATES_PER_WORD_MIN: usize = 100;
const QUERY_WORDS_MAX: usize = 32;
/// Longer words are cut, so that a blob of base64 cannot bloat the index.
const WORD_CHARS_MAX: usize = 64;

/// The words of a text in order: lower case, without Latin accents, one word for each Han or Kana character.
pub fn words(text: &str) -> Vec<String> {
    let mut split = Splitter::default();
    if text.is_ascii() {
        text.bytes().for_each(|byte| split.push(char::from(byte.to_ascii_lowercase())));
    } else {
        let plain = text.nfkd().filter(|letter| !('\u{300}'..='\u{36f}').contains(letter)).nfc();
        plain.flat_map(char::to_lowercase).for_each(|letter| split.push(letter));
    }
    split.finish()
}

/// A search as the engine runs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// Without duplicates; empty when the text holds no word, and then nothing matches.
    pub words: Vec<String>,
    pub all_words: bool,
    /// The last word also stands for words that start with it.
    pub prefix: bool,
    /// How many records are weighed.
    weighed_max: usize,
}

impl Query {
    pub fn new(search: &Search) -> Self {
        let mut seen = BTreeSet::new();
        let mut distinct = words(&search.text);
        // The last word stays last, because the prefix rule is about it.
        distinct.reverse();
        distinct.retain(|word| seen.insert(word.clone()));
        distinct.reverse();
        let surplus = distinct.len().saturating_sub(QUERY_WORDS_MAX);
        distinct.drain(..surplus);
        let weighed_max = search.weighed_max.min(CANDIDATES_MAX);
        Self { words: distinct, all_words: search.all_words, prefix: search.prefix, weighed_max }
    }

    /// How many records to weigh for each look-up: one look-up for all words together, or one for each word.
    pub fn candidates_max(&self) -> usize {
        if self.all_words {
            self.weighed_max
        } else {
            (self.weighed_max / self.words.len().max(1)).max(CANDIDATES_PER_WORD_MIN)
        }
    }

    /// Whether the word at `index` of this query stands for `word`.
    pub fn stands_for(&self, index: usize, word: &str) -> bool {
        let wanted = &self.words[index];
        if self.prefix && index + 1 == self.words.len() { word.starts_with(wanted) } else { word == wanted }
    }

    /// Scores texts against each other (BM25 over just these texts); the outcome is parallel to `texts`.
    pub fn scores<'a>(&self, texts: impl IntoIterator<Item = &'a str>) -> Vec<f64> {
        let counted: Vec<(Vec<u32>, usize)> = texts.into_iter().map(|text| self.counts(text)).collect();
        let texts_count = counted.len() as f64;
        let words_mean = counted.iter().map(|(_, length)| *length as f64).sum::<f64>() / texts_count.max(1.0);
        let rarity: Vec<f64> = (0..self.words.len())
            .map(|index| {
                let holders = counted.iter().filter(|(counts, _)| counts[index] > 0).count() as f64;
                (1.0 + (texts_count - holders + 0.5) / (holders + 0.5)).ln()
            })
            .collect();
        let score = |(counts, length): &(Vec<u32>, usize)| {
            let length_share = 0.25 + 0.75 * (*length as f64 / words_mean.max(1.0));
            let part = |(count, rare): (&u32, &f64)| {
                let count = f64::from(*count);
                rare * count * 2.2 / (count + 1.2 * length_share)
            };
            counts.iter().zip(&rarity).map(part).sum()
        };
        counted.iter().map(score).collect()
    }

    /// How often each word of the query occurs in `text`, and how many words the text has.
    fn counts(&self, text: &str) -> (Vec<u32>, usize) {
        let all = words(text);
        let count = |index| all.iter().filter(|word| self.stands_for(index, word)).count() as u32;
        ((0..self.words.len()).map(count).collect(), all.len())
    }
}

#[derive(Default)]
struct Splitter {
    done: Vec<String>,
    word: String,
    word_chars: usize,
}

impl Splitter {
    fn push(&mut self, letter: char) {
        let mark = !letter.is_ascii() && unicode_normalization::char::is_combining_mark(letter);
        if stands_alone(letter) {
            self.end_word();
            self.done.push(letter.to_string());
        } else if letter.is_alphanumeric() || (mark && !self.word.is_empty()) {
            if self.word_chars < WORD_CHARS_MAX {
                self.word.push(letter);
                self.word_chars += 1;
            }
        } else {
            self.end_word();
        }
    }

    fn end_word(&mut self) {
        if !self.word.is_empty() {
            self.done.push(std::mem::take(&mut self.word));
            self.word_chars = 0;
        }
    }

    fn finish(mut self) -> Vec<String> {
        self.end_word();
        self.done
    }
}

/// Scripts that write without spaces: each character is a word, since nothing here knows their dictionaries.
fn stands_alone(letter: char) -> bool {
    matches!(letter, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
        && letter.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_split_into_plain_words() {
        check("Order-Service v2", &["order", "service", "v2"]);
        check("Ünïcode ﬁeld", &["unicode", "field"]);
        check("売上 report", &["売", "上", "report"]);
        check("a\0b \"OR\" NEAR(x*)", &["a", "b", "or", "near", "x"]);
        check(" \t-'\" ", &[]);
    }

    #[test]
    fn a_long_word_is_cut() {
        assert_eq!(words(&"x".repeat(1000)), ["x".repeat(64)]);
    }

    #[test]
    fn the_last_word_of_a_query_stays_last() {
        assert_eq!(query("orders billing orders").words, ["billing", "orders"]);
    }

    #[test]
    fn more_and_rarer_words_score_higher() {
        let scores = query("order ledger").scores(["order order form", "order", "order ledger", "nothing here"]);
        assert!(scores[2] > scores[0].max(scores[1]) && scores[0].min(scores[1]) > scores[3], "{scores:?}");
    }

    fn query(text: &str) -> Query {
        let text = text.to_owned();
        Query::new(&Search {
            kind: String::new(),
            scope: None,
            r#type: None,
            text,
            all_words: false,
            prefix: false,
            weighed_max: CANDIDATES_MAX,
            limit: 10,
        })
    }

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(words(text), expected);
    }
}
