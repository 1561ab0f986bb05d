//! One form for the many ways to write a name.
//!
//! Stored values are never rewritten; these forms are for comparing, hashing and naming.

use std::borrow::Cow;

use caseless::Caseless as _;
use unicode_normalization::UnicodeNormalization as _;

/// Words that end the name of a company and say only what legal form it has.
const LEGAL: [&str; 12] =
    ["inc", "llc", "ltd", "corp", "corporation", "co", "company", "limited", "plc", "gmbh", "pty", "pvt"];
/// Words around the name of a person.
const HONORIFICS: [&str; 11] = ["mr", "mrs", "ms", "dr", "prof", "sir", "jr", "sr", "ii", "iii", "iv"];

/// The form under which a name of an entity of this type is compared: without case, punctuation, invisible characters
/// and the marks that the type does not count as part of a name. An e-mail address keeps its punctuation.
pub fn normalise(entity_type: &str, text: &str) -> String {
    let folded = fold(text);
    if is_email(&folded) { folded } else { plain(entity_type, &folded) }
}

/// The name that is shown: as [`normalise`], with its case.
pub fn canonical_name(entity_type: &str, text: &str) -> String {
    let clean = cleaned(text);
    if is_email(&clean) { clean.into_owned() } else { plain(entity_type, &clean) }
}

/// Without differences of notation: NFKC, no invisible characters, no case, trimmed.
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.trim().to_ascii_lowercase();
    }
    // Folding takes letters apart, so the result is composed again; a dotted capital I then leaves a dot on its i.
    let folded: String = clean(text).chars().default_case_fold().nfkc().collect();
    folded.replace("i\u{307}", "i").trim().to_owned()
}

/// Without differences of notation, with its case.
pub fn clean(text: &str) -> String {
    cleaned(text).into_owned()
}

/// As [`clean`], without copying what is clean already.
pub fn cleaned(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text.trim());
    }
    let visible: String = text.nfkc().filter(|letter| !is_invisible(*letter)).nfkc().collect();
    Cow::Owned(visible.trim().to_owned())
}

/// Whether names of this type lose more than names of others.
pub fn has_own_rules(entity_type: &str) -> bool {
    matches!(entity_type, "company" | "organization" | "person" | "contact")
}

/// Whether a name is a single word, which many entities may share.
pub fn is_single_token(name: &str) -> bool {
    name.split_whitespace().count() == 1
}

/// Zero-width characters, soft hyphens, variation selectors and controls of writing direction.
pub fn is_invisible(letter: char) -> bool {
    matches!(u32::from(letter),
        0xAD | 0x34F | 0x61C | 0x180B..=0x180F | 0x200B..=0x200F | 0x202A..=0x202E | 0x2060..=0x206F
        | 0xFE00..=0xFE0F | 0xFEFF | 0xE0000..=0xE0FFF)
}

fn is_email(text: &str) -> bool {
    let usable = |part: &str| {
        !part.is_empty() && !part.contains(|letter: char| letter.is_whitespace() || "\"<>()[],;:@".contains(letter))
    };
    text.split_once('@').is_some_and(|(local, domain)| {
        usable(local)
            && usable(domain)
            && domain.split('.').count() > 1
            && domain.split('.').all(|part| !part.is_empty())
    })
}

/// The rules of the type, then punctuation to single spaces.
fn plain(entity_type: &str, text: &str) -> String {
    let named = match entity_type {
        "company" | "organization" => without_legal_form(text),
        "person" | "contact" => without_honorifics(text),
        _ => Cow::Borrowed(text),
    };
    let words = if starts_with_scheme(&named) {
        joined(named.split_whitespace(), named.len())
    } else {
        joined(named.split(|letter: char| is_punctuation(letter) || letter.is_whitespace()), named.len())
    };
    // A name of nothing but punctuation is still a name.
    if words.is_empty() { joined(text.split_whitespace(), text.len()) } else { words }
}

/// The words that are not empty, with one space between them.
fn joined<'a>(words: impl Iterator<Item = &'a str>, bytes_max: usize) -> String {
    let mut text = String::with_capacity(bytes_max);
    for word in words.filter(|word| !word.is_empty()) {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(word);
    }
    text
}

fn without_legal_form(text: &str) -> Cow<'_, str> {
    let trimmed = text.trim_end_matches(['.', ' ']);
    let mut letters = trimmed.char_indices().rev();
    let space = letters.find(|(_, letter)| letter.is_whitespace() || *letter == ',');
    let start = space.map_or(0, |(at, space)| at + space.len_utf8());
    let (name, last) = trimmed.split_at(start);
    let has_name = name.contains(char::is_alphanumeric);
    let is_legal = LEGAL.iter().any(|legal| legal.eq_ignore_ascii_case(last));
    Cow::Borrowed(if has_name && is_legal { name } else { text })
}

fn without_honorifics(text: &str) -> Cow<'_, str> {
    let is_name = |word: &&str| {
        let bare = word.trim_matches(['.', ',']);
        !HONORIFICS.iter().any(|honorific| honorific.eq_ignore_ascii_case(bare))
    };
    let names = joined(text.split_whitespace().filter(is_name), text.len());
    if names.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(names) }
}

/// True for `word:…`, such as an address or a qualified id, whose punctuation counts.
fn starts_with_scheme(text: &str) -> bool {
    let is_word = |word: &str| !word.is_empty() && word.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    text.split_once(':').is_some_and(|(word, _)| is_word(word))
}

fn is_punctuation(letter: char) -> bool {
    matches!(
        letter,
        '-' | '.' | ',' | ';' | ':' | '!' | '?' | '\'' | '"' | '(' | ')' | '[' | ']' | '{' | '}' | '_' | '/' | '\\'
    )
}
