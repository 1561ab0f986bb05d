//! One form for the many ways to write a name.
//!
//! Stored values are never rewritten; these forms are for comparing, hashing and naming.

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
    let clean = clean(text);
    if is_email(&clean) { clean } else { plain(entity_type, &clean) }
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
    if text.is_ascii() {
        return text.trim().to_owned();
    }
    let visible: String = text.nfkc().filter(|letter| !is_invisible(*letter)).nfkc().collect();
    visible.trim().to_owned()
}

/// Whether a name is a single word, which many entities may share.
pub fn is_single_token(name: &str) -> bool {
    name.split_whitespace().count() == 1
}

/// Zero-width characters, soft hyphens, variation selectors and controls of writing direction.
fn is_invisible(letter: char) -> bool {
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
        _ => text.to_owned(),
    };
    let spaced: String = if starts_with_scheme(&named) {
        named
    } else {
        named.chars().map(|letter| if is_punctuation(letter) { ' ' } else { letter }).collect()
    };
    let words = spaced.split_whitespace().collect::<Vec<_>>().join(" ");
    // A name of nothing but punctuation is still a name.
    if words.is_empty() { text.split_whitespace().collect::<Vec<_>>().join(" ") } else { words }
}

fn without_legal_form(text: &str) -> String {
    let trimmed = text.trim_end_matches(['.', ' ']);
    let mut letters = trimmed.char_indices().rev();
    let space = letters.find(|(_, letter)| letter.is_whitespace() || *letter == ',');
    let start = space.map_or(0, |(at, space)| at + space.len_utf8());
    let (name, last) = trimmed.split_at(start);
    let has_name = name.contains(char::is_alphanumeric);
    if has_name && LEGAL.contains(&last.to_lowercase().as_str()) { name.to_owned() } else { text.to_owned() }
}

fn without_honorifics(text: &str) -> String {
    let is_name = |word: &&str| {
        let bare = word.trim_matches(['.', ',']).to_lowercase();
        !HONORIFICS.contains(&bare.as_str())
    };
    let words: Vec<&str> = text.split_whitespace().filter(is_name).collect();
    if words.is_empty() { text.to_owned() } else { words.join(" ") }
}

/// True for `word:…`, such as an address or a qualified id, whose punctuation counts.
fn starts_with_scheme(text: &str) -> bool {
    let is_word = |word: &str| !word.is_empty() && word.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    text.split_once(':').is_some_and(|(word, _)| is_word(word))
}

fn is_punctuation(letter: char) -> bool {
    "-.,;:!?'\"()[]{}_/\\".contains(letter)
}
