//! Names: a question that is a name finds its bearer first, and one that contains a name finds the bearer sooner.

use super::Ranking;
use super::asked::Asked;
use super::words;
use crate::index::view::View;
use crate::words::{Language, joined};

/// What nothing else comes up to.
pub const WHOLE: f32 = 8.0;
/// A name within a question has at most so many words.
const NAME_WORDS_MAX: usize = 8;

/// By place; empty if nobody is named.
pub fn scores(view: &View<'_>, ranking: &Ranking, asked: &Asked) -> Vec<f32> {
    let mut scores = Vec::new();
    if view.index.names.is_empty() {
        return scores;
    }
    let ideal = words::ideal(&asked.words);
    for start in 0..asked.text.len() {
        for end in start + 1..=asked.text.len().min(start + NAME_WORDS_MAX) {
            let bearers = view.index.names.bearers(&joined(&asked.text[start..end]));
            if bearers.is_empty() {
                continue;
            }
            let inside = asked.words.iter().filter(|word| (start..end).contains(&word.position));
            let share = inside.map(|word| word.idf * word.weight).sum::<f32>() / ideal;
            raise(view, &mut scores, bearers, ranking.name * share);
        }
    }
    let is_stop_word = |text: &str| Language::ALL.iter().any(|language| language.is_stop_word(text));
    let content: Vec<_> = asked.text.iter().filter(|word| !is_stop_word(&word.text)).cloned().collect();
    for whole in [&asked.text, &content] {
        raise(view, &mut scores, view.index.names.bearers(&joined(whole)), WHOLE);
    }
    scores
}

/// Gives the visible bearers a score, unless they have a higher one.
fn raise(view: &View<'_>, scores: &mut Vec<f32>, bearers: &[u32], score: f32) {
    for place in bearers.iter().filter(|place| view.sees(**place)) {
        scores.resize(view.visible.len(), 0.0);
        let known = &mut scores[*place as usize];
        *known = known.max(score);
    }
}
