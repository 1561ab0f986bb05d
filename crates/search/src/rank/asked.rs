//! A question as the index understands it.

use hashbrown::HashMap;

use super::words;
use crate::Question;
use crate::analysed::date;
use crate::index::view::View;
use crate::words::{self as text, Language, Word};

/// Of a longer question, only the beginning is read.
const QUESTION_WORDS_MAX: usize = 2_000;
/// Of more words, the rarest count.
const WORDS_MAX: usize = 48;

/// What is wanted.
pub struct Asked {
    /// All words of the question.
    pub text: Vec<Word>,
    /// Those that count, each once. Empty if there is no word in the question.
    pub words: Vec<Wanted>,
}

/// A word of a question with what stands for it in the index.
pub struct Wanted {
    /// Where in the question it stands first.
    pub position: usize,
    /// Its stem in the language of the question.
    pub stem: String,
    pub terms: Vec<u32>,
    /// How often it was asked for.
    pub weight: f32,
    /// The visible places that hold it, with how often, in order of places.
    pub holders: Vec<(u32, u32)>,
    /// Inverse document frequency.
    pub idf: f32,
}

impl Asked {
    pub fn new(view: &View<'_>, question: &Question) -> Self {
        let text = text::split(&question.text, QUESTION_WORDS_MAX);
        let language = Language::of(text.iter().map(|word| word.text.as_str()), &view.languages, 1).unwrap_or_default();
        let mut positions: Vec<usize> = (0..text.len()).filter(|at| !language.is_stop_word(&text[*at].text)).collect();
        if positions.is_empty() {
            positions = (0..text.len()).collect();
        }
        let mut words: Vec<Wanted> = Vec::new();
        let mut known: HashMap<String, usize> = HashMap::new();
        for position in positions {
            let word = &text[position].text;
            let stem = language.stem(word);
            let prefix = question.prefix && position + 1 == text.len();
            let index = *known.entry_ref(&stem).or_insert(words.len());
            if index < words.len() {
                words[index].weight += 1.0;
            } else {
                let (terms, holders, idf) = (Vec::new(), Vec::new(), 0.0);
                words.push(Wanted { position, stem, terms, weight: 1.0, holders, idf });
            }
            words[index].terms.extend(terms(view, word, prefix));
        }
        for word in &mut words {
            word.terms.sort_unstable();
            word.terms.dedup();
        }
        rarest(view, &mut words);
        for word in &mut words {
            word.holders = words::holders(view, &word.terms);
            word.idf = view.idf(word.holders.len());
        }
        Self { text, words }
    }
}

/// The terms that stand for a word: as it is, its stem in each language of the visible passages, and if it is the name of a month,
/// as dates have it. With `prefix` also those that begin with it.
fn terms(view: &View<'_>, word: &str, prefix: bool) -> Vec<u32> {
    let vocabulary = &view.index.vocabulary;
    let stems = view.languages.iter().map(|language| language.stem(word));
    let forms = stems.chain([word.to_owned()]).chain(date::month(word).map(str::to_owned));
    let mut terms: Vec<u32> = forms.filter_map(|form| vocabulary.number(&form)).collect();
    if prefix {
        terms.extend(vocabulary.beginning_with(word));
    }
    terms
}

/// Leaves the words that fewest passages hold. Those that none holds go first: they find nothing.
fn rarest(view: &View<'_>, words: &mut Vec<Wanted>) {
    if words.len() <= WORDS_MAX {
        return;
    }
    let count = |word: &Wanted| word.terms.iter().map(|term| view.document_frequency(*term)).sum::<usize>();
    let mut order: Vec<(bool, usize, usize)> =
        words.iter().map(count).enumerate().map(|(at, count)| (count == 0, count, at)).collect();
    order.sort_unstable();
    order.truncate(WORDS_MAX);
    let mut kept = vec![false; words.len()];
    order.iter().for_each(|(_, _, at)| kept[*at] = true);
    let mut at = 0;
    words.retain(|_| {
        at += 1;
        kept[at - 1]
    });
}
