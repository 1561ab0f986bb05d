//! People whom a question mentions.

use std::ops::Range;

use crate::Question;
use crate::index::NONE;
use crate::index::view::View;
use crate::words::{self, Language, Run};

/// So far into a question it is looked for names.
const QUESTION_RUNS_MAX: usize = 2_000;
/// A part of a name has so many letters at least.
const LETTERS_MIN: usize = 3;

/// By place: `weight` where one speaks whom the question mentions. Somebody else of that name may be meant, so this only adds.
pub fn scores(view: &View<'_>, text: &str, weight: f32) -> Vec<f32> {
    let mut mentioned = vec![false; view.index.authors.len()];
    let mentions = mentions(view, text);
    mentions.iter().flat_map(|mention| &mention.authors).for_each(|author| mentioned[*author as usize] = true);
    if mentions.is_empty() {
        return Vec::new();
    }
    let authors = &view.index.passages.author;
    authors.iter().map(|author| if *author != NONE && mentioned[*author as usize] { weight } else { 0.0 }).collect()
}

/// The text of a question without those whom it mentions: what they said does not contain their name. All of it, if nothing else
/// is in it.
pub fn text_to_embed(view: &View<'_>, question: &Question) -> String {
    let mut text = String::new();
    let mut done = 0;
    for mention in mentions(view, &question.text) {
        text.push_str(&question.text[done..mention.range.start]);
        done = mention.range.end;
        let rest = &question.text[done..];
        done += ["'s", "’s"].iter().find(|ending| rest.starts_with(**ending)).map_or(0, |ending| ending.len());
    }
    text.push_str(&question.text[done..]);
    if text.chars().any(char::is_alphanumeric) { text } else { question.text.clone() }
}

struct Mention {
    range: Range<usize>,
    authors: Vec<u32>,
}

/// Where the question names somebody who speaks at this point: by the whole name, or by a part of it that is written like a name.
fn mentions(view: &View<'_>, text: &str) -> Vec<Mention> {
    let known = &view.index.authors;
    if known.len() == 0 {
        return Vec::new();
    }
    let mut speaks = vec![false; known.len()];
    for place in view.places() {
        let author = view.index.passages.author[place as usize];
        if author != NONE {
            speaks[author as usize] = true;
        }
    }
    let runs = words::runs(text, QUESTION_RUNS_MAX);
    let mut mentions = Vec::new();
    let mut at = 0;
    while at < runs.len() {
        let candidates = known.with_word(&runs[at].text).iter().copied().filter(|author| speaks[*author as usize]);
        let lengths: Vec<(usize, u32)> =
            candidates.map(|author| (named_words(&runs[at..], known.words(author)), author)).collect();
        let longest = lengths.iter().map(|(length, _)| *length).max().unwrap_or_default();
        if longest > 0 {
            let range = runs[at].range.start..runs[at + longest - 1].range.end;
            let authors = lengths.iter().filter(|(length, _)| *length == longest).map(|(_, author)| *author).collect();
            mentions.push(Mention { range, authors });
        }
        at += longest.max(1);
    }
    mentions
}

/// How many of these words name somebody of this name, from the first on; 0 if they do not.
fn named_words(runs: &[Run], name: &[String]) -> usize {
    let first = &runs[0];
    let is_stop_word = Language::ALL.iter().any(|language| language.is_stop_word(&first.text));
    let whole = runs.len() >= name.len() && runs.iter().zip(name).all(|(run, word)| run.text == *word);
    if whole && (name.len() > 1 || !is_stop_word) {
        name.len()
    } else {
        usize::from(first.capital && !is_stop_word && first.text.chars().count() >= LETTERS_MIN)
    }
}
