//! Words: what the index sees in a text.
//!
//! A word is a run of letters and digits in lower case, without Latin accents. A name in one piece, such as `OrderService` or
//! `order_service`, is its parts and then the whole. A script that writes without spaces gives one word for each character.

pub mod language;
mod stop;

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;

pub use language::Language;

/// Longer words are cut, so that a blob of base64 cannot bloat the index.
const WORD_CHARS_MAX: usize = 64;
/// A run of letters this long is a part of its own beside digits: `covid19` is two parts, `v2` is not.
const LETTERS_BESIDE_DIGITS_MIN: usize = 3;

/// A word of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    pub text: String,
    /// A name in one piece whose parts came before it.
    pub whole: bool,
    /// Whether it began with a capital letter.
    pub capital: bool,
}

/// The first words of a text, at most `max` of them.
pub fn split(text: &str, max: usize) -> Vec<Word> {
    let mut splitter = Splitter { max, ..Splitter::default() };
    if text.is_ascii() {
        for byte in text.bytes() {
            if splitter.is_full() {
                break;
            }
            splitter.push(char::from(byte));
        }
    } else {
        for letter in text.nfkd().filter(|letter| !('\u{300}'..='\u{36f}').contains(letter)).nfc() {
            if splitter.is_full() {
                break;
            }
            splitter.push(letter);
        }
    }
    splitter.end_run();
    splitter.words.truncate(max);
    splitter.words
}

/// A run of letters and digits as it stands in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    pub range: Range<usize>,
    /// In lower case, without accents.
    pub text: String,
    /// Whether it began with a capital letter.
    pub capital: bool,
}

/// The first runs of a text, at most `max` of them.
pub fn runs(text: &str, max: usize) -> Vec<Run> {
    let parts = text.split(|letter: char| !letter.is_alphanumeric()).filter(|part| !part.is_empty());
    let run = |part: &str| {
        let start = part.as_ptr() as usize - text.as_ptr() as usize;
        let folded = joined(&split(part, WORD_CHARS_MAX));
        let capital = part.starts_with(char::is_uppercase);
        Run { range: start..start + part.len(), text: folded, capital }
    };
    parts.take(max).map(run).collect()
}

/// A name without what separates its words: `Order-Service`, `order service` and `OrderService` are one.
pub fn joined(words: &[Word]) -> String {
    words.iter().filter(|word| !word.whole).map(|word| word.text.as_str()).collect()
}

#[derive(Default)]
struct Splitter {
    words: Vec<Word>,
    /// The run of letters, digits and underscores that is being read.
    run: Vec<char>,
    max: usize,
}

impl Splitter {
    fn is_full(&self) -> bool {
        self.words.len() >= self.max
    }

    fn push(&mut self, letter: char) {
        let mark = !letter.is_ascii() && unicode_normalization::char::is_combining_mark(letter);
        if stands_alone(letter) {
            self.end_run();
            self.words.push(Word { text: letter.to_string(), whole: false, capital: false });
        } else if letter.is_alphanumeric() || letter == '_' || (mark && !self.run.is_empty()) {
            if self.run.len() < WORD_CHARS_MAX {
                self.run.push(letter);
            }
        } else {
            self.end_run();
        }
    }

    fn end_run(&mut self) {
        let run = std::mem::take(&mut self.run);
        let mut parts = 0;
        let mut start = 0;
        for end in 1..=run.len() {
            if end == run.len() || is_border(&run[start..], end - start) {
                parts += usize::from(self.add(&run[start..end], false));
                start = end;
            }
        }
        if parts > 1 {
            self.add(&run, true);
        }
        self.run = run;
        self.run.clear();
    }

    /// Adds a word if there is a letter in it.
    fn add(&mut self, letters: &[char], whole: bool) -> bool {
        let plain = letters.iter().copied().filter(|letter| *letter != '_');
        let capital = plain.clone().next().is_some_and(char::is_uppercase);
        let text: String = plain.flat_map(char::to_lowercase).flat_map(Folded::new).collect();
        let any = !text.is_empty();
        if any {
            self.words.push(Word { text, whole, capital });
        }
        any
    }
}

/// Whether a part that began with the first letter of `run` ends before the letter at `at`.
fn is_border(run: &[char], at: usize) -> bool {
    let (before, here) = (run[at - 1], run[at]);
    if here == '_' || before == '_' {
        return here != before;
    }
    if before.is_lowercase() && here.is_uppercase() {
        return true;
    }
    // `HTTPServer`: the last capital belongs to what follows.
    if before.is_uppercase() && here.is_uppercase() && run.get(at + 1).is_some_and(|next| next.is_lowercase()) {
        return true;
    }
    let letters_before = run[..at].iter().rev().take_while(|letter| letter.is_alphabetic()).count();
    let letters_after = run[at..].iter().take_while(|letter| letter.is_alphabetic()).count();
    (here.is_numeric() && letters_before >= LETTERS_BESIDE_DIGITS_MIN)
        || (before.is_numeric() && letters_after >= LETTERS_BESIDE_DIGITS_MIN)
}

/// Letters that a plain keyboard writes as others.
struct Folded {
    letters: &'static str,
    other: Option<char>,
}

impl Folded {
    fn new(letter: char) -> Self {
        let letters = match letter {
            'ß' => "ss",
            'æ' => "ae",
            'œ' => "oe",
            'ø' => "o",
            'ł' => "l",
            'đ' => "d",
            'ı' => "i",
            _ => "",
        };
        Self { letters, other: letters.is_empty().then_some(letter) }
    }
}

impl Iterator for Folded {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        let mut letters = self.letters.chars();
        let letter = letters.next();
        self.letters = letters.as_str();
        letter.or_else(|| self.other.take())
    }
}

/// Scripts that write without spaces: each character is a word, since nothing here knows their dictionaries.
fn stands_alone(letter: char) -> bool {
    matches!(letter,
        '\u{e01}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
        && letter.is_alphabetic()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_split_into_plain_words() {
        check("Order-Service v2", "order service v2");
        check("Ünïcode ﬁeld Straße Œuvre", "unicode field strasse oeuvre");
        check("a\0b \"OR\" NEAR(x*)", "a b or near x");
        check(" \t-'\"_ __ ", "");
    }

    #[test]
    fn a_name_in_one_piece_is_its_parts_and_the_whole() {
        check("OrderService", "order service orderservice");
        check("HTTPServer", "http server httpserver");
        check("order_service_v2", "order service v2 orderservicev2");
        check("covid19 h2o iPhone", "covid 19 covid19 h2o i phone iphone");
        check("_private__name_", "private name privatename");
    }

    #[test]
    fn scripts_without_spaces_give_a_word_for_each_character() {
        check("売上 report", "売 上 report");
        check("ไทย", "ไ ท ย");
    }

    #[test]
    fn other_scripts_are_split_at_spaces() {
        check("Привет, мир! שלום עולם नमस्ते", "привет мир שלום עולם नमस्ते");
    }

    #[test]
    fn what_is_too_long_is_cut() {
        assert_eq!(split(&"x".repeat(1000), 10)[0].text.len(), 64);
        assert_eq!(split(&"ab ".repeat(1000), 10).len(), 10);
    }

    #[test]
    fn joining_forgets_what_separates() {
        for name in ["OrderService", "order service", "Order-Service", "ORDER_SERVICE"] {
            assert_eq!(joined(&split(name, 10)), "orderservice");
        }
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let words: Vec<String> = split(text, 100).into_iter().map(|word| word.text).collect();
        assert_eq!(words.join(" "), expected);
    }
}
