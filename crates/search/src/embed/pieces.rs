//! Pieces of words: how the models of the BERT family read a text.
//!
//! Accents and capitals go, marks of punctuation and ideographs stand alone, and each word is cut into the longest pieces that
//! the vocabulary has, from left to right.

use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// A longer word has no pieces.
const WORD_CHARS_MAX: usize = 100;

/// The words of a text, each in the form in which its pieces are looked up.
pub fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let cleaned = text.chars().flat_map(clean);
    let bare = cleaned.nfd().filter(|letter| !is_accent(*letter));
    for letter in bare.flat_map(char::to_lowercase) {
        let mark = is_mark(letter);
        if mark || letter.is_whitespace() {
            if !word.is_empty() {
                words.push(std::mem::take(&mut word));
            }
            if mark {
                words.push(letter.to_string());
            }
        } else {
            word.push(letter);
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// Adds the pieces of a word. `number` knows the vocabulary, in which a piece that continues a word begins with `##`.
/// Nothing is added, and the answer is false, if some part of the word is in no piece.
pub fn pieces<'a>(word: &str, number: impl Fn(&str) -> Option<u32> + 'a, to: &mut Vec<u32>) -> bool {
    if word.chars().count() > WORD_CHARS_MAX {
        return false;
    }
    let before = to.len();
    let mut entry = String::with_capacity(word.len() + 2);
    let mut start = 0;
    while start < word.len() {
        entry.clear();
        entry.push_str(if start == 0 { "" } else { "##" });
        entry.push_str(&word[start..]);
        let mut rest = word.len();
        let piece = loop {
            if let Some(piece) = number(&entry) {
                break piece;
            }
            let Some(cut) = word[start..rest].chars().next_back().map(char::len_utf8) else { break u32::MAX };
            rest -= cut;
            entry.truncate(entry.len() - cut);
            if rest == start {
                to.truncate(before);
                return false;
            }
        };
        to.push(piece);
        start = rest;
    }
    true
}

fn is_accent(letter: char) -> bool {
    !letter.is_ascii() && letter.general_category() == GeneralCategory::NonspacingMark
}

/// Controls go, every blank is a space, an ideograph stands between spaces.
fn clean(letter: char) -> impl Iterator<Item = char> {
    let group = || letter.general_category_group();
    let letters = match letter {
        '\t' | '\n' | '\r' => [Some(' '), None, None],
        ' '..='~' => [Some(letter), None, None],
        '\u{fffd}' => [None; 3],
        _ if group() == GeneralCategoryGroup::Separator => [Some(' '), None, None],
        _ if group() == GeneralCategoryGroup::Other => [None; 3],
        _ if is_ideograph(letter) => [Some(' '), Some(letter), Some(' ')],
        _ => [Some(letter), None, None],
    };
    letters.into_iter().flatten()
}

fn is_ideograph(letter: char) -> bool {
    matches!(letter,
        '\u{4e00}'..='\u{9fff}' | '\u{3400}'..='\u{4dbf}' | '\u{20000}'..='\u{2a6df}' | '\u{2a700}'..='\u{2b73f}'
        | '\u{2b740}'..='\u{2b81f}' | '\u{2b920}'..='\u{2ceaf}' | '\u{f900}'..='\u{faff}' | '\u{2f800}'..='\u{2fa1f}')
}

fn is_mark(letter: char) -> bool {
    match letter.is_ascii() {
        true => letter.is_ascii_punctuation(),
        false => letter.general_category_group() == GeneralCategoryGroup::Punctuation,
    }
}
