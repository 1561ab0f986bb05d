//! A passage as the index takes it: words, names and marks, made once when the document is indexed and kept as a row.

mod bytes;
pub(crate) mod date;

use hashbrown::HashMap;
use scope::Timestamp;

pub use bytes::{Damaged, VERSION};

use crate::words::{self, Language, Word};
use crate::{Document, Stream};

/// Of a longer passage only the beginning is found by words.
const PASSAGE_WORDS_MAX: usize = 16_384;
/// Of a document with more names, the first are found.
const NAMES_MAX: usize = 64;
/// Of a longer name, the beginning counts.
const NAME_WORDS_MAX: usize = 32;
/// So many words tell in which language a passage is written.
const LANGUAGE_WORDS_MAX: usize = 400;
/// With so many stop words a text speaks for a language.
const LANGUAGE_EVIDENCE_MIN: usize = 2;

/// One passage without its text and without its vector.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Analysed {
    pub(crate) language: Language,
    /// How many words it has, stop words not counted.
    pub(crate) length: u32,
    pub(crate) terms: Terms,
    /// All words in order, as places in `terms`.
    pub(crate) order: Vec<u16>,
    pub(crate) collection: String,
    pub(crate) r#type: String,
    pub(crate) tags: Vec<String>,
    /// Without what separates their words.
    pub(crate) names: Vec<String>,
    pub(crate) author: Option<String>,
    pub(crate) time: Option<Timestamp>,
    pub(crate) stream: Option<Stream>,
    pub(crate) place: Option<String>,
}

impl Analysed {
    /// Analyses a passage with what its document says about it. An empty one if there is no such passage.
    pub fn new(document: &Document, passage: usize) -> Self {
        let Some(found) = document.passages.get(passage) else { return Self::default() };
        let text = words::split(&found.text, PASSAGE_WORDS_MAX);
        let language = language(document, &text);
        let names: Vec<Vec<Word>> =
            document.names.iter().take(NAMES_MAX).map(|name| words::split(name, NAME_WORDS_MAX)).collect();
        let mut analysed = Self {
            language,
            collection: document.collection.clone(),
            r#type: document.r#type.clone(),
            tags: document.tags.clone(),
            names: names.iter().map(|name| words::joined(name)).filter(|name| !name.is_empty()).collect(),
            author: found.author.clone().filter(|author| !author.trim().is_empty()),
            time: found.time,
            stream: found.stream.clone(),
            place: found.place.clone(),
            ..Self::default()
        };
        analysed.names.sort_unstable();
        analysed.names.dedup();
        let mut places = Places::default();
        let dates = found.time.map(date::words).unwrap_or_default();
        dates.iter().for_each(|word| analysed.add(&mut places, word, str::to_owned));
        let author = found.author.as_deref().map(|author| words::split(author, NAME_WORDS_MAX)).unwrap_or_default();
        let names = names.iter().filter(|name| !text.starts_with(name)).flatten();
        for word in author.iter().chain(names).chain(&text) {
            analysed.add(&mut places, &word.text, |word| language.stem(word));
        }
        analysed
    }

    /// Where the passage stands, in words a person understands.
    pub fn place(&self) -> Option<&str> {
        self.place.as_deref()
    }

    fn add(&mut self, places: &mut Places, word: &str, stem: impl Fn(&str) -> String) {
        if self.order.len() >= PASSAGE_WORDS_MAX {
            return;
        }
        let small = self.language.is_stop_word(word);
        self.length += u32::from(!small);
        let place = match places.of_word.get(word) {
            Some(place) => *place,
            None => {
                let term = if small { word.to_owned() } else { stem(word) };
                let next = u16::try_from(self.terms.len()).expect("a passage has at most 16,384 words");
                let place = *places.of_term.entry_ref(&term).or_insert(next);
                if place == next {
                    self.terms.push(&term);
                }
                places.of_word.insert(word.to_owned(), place);
                place
            }
        };
        self.order.push(place);
    }
}

/// Where words stand in the terms that are being collected.
#[derive(Default)]
struct Places {
    of_word: HashMap<String, u16>,
    of_term: HashMap<String, u16>,
}

/// What an embedder is given for a passage: its words with the name of its document, without author and time.
pub fn embed_text(document: &Document, passage: usize) -> String {
    let Some(found) = document.passages.get(passage) else { return String::new() };
    match document.names.first() {
        Some(name) if !found.text.starts_with(name.as_str()) => format!("{name}: {}", found.text),
        _ => found.text.clone(),
    }
}

/// By the passage itself, or by its document if it is too short to tell.
fn language(document: &Document, text: &[Word]) -> Language {
    let of = |words: &[Word]| {
        let words = words.iter().take(LANGUAGE_WORDS_MAX).map(|word| word.text.as_str());
        Language::of(words, &Language::ALL, LANGUAGE_EVIDENCE_MIN)
    };
    let of_document = || {
        let mut all = Vec::new();
        for passage in &document.passages {
            all.extend(words::split(&passage.text, LANGUAGE_WORDS_MAX - all.len()));
            if all.len() >= LANGUAGE_WORDS_MAX {
                break;
            }
        }
        of(&all)
    };
    of(text).or_else(of_document).unwrap_or_default()
}

/// The different words of a passage, in one piece of memory.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Terms {
    text: String,
    ends: Vec<u32>,
}

impl Terms {
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn iter(&self) -> impl Iterator<Item = &str> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| &self.text[start as usize..*end as usize])
    }

    fn push(&mut self, term: &str) {
        self.text.push_str(term);
        self.ends.push(u32::try_from(self.text.len()).expect("words of at most 64 characters"));
    }
}
