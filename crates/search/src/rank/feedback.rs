//! Feedback: words of the passages that the question's words find best count as words of the question.

use hashbrown::HashMap;

use super::asked::Wanted;
use super::{select, words};
use crate::index::view::View;

/// So many passages lend their words.
const PASSAGES: usize = 10;
/// So many words they lend.
const WORDS: usize = 30;
/// Half of what counts is lent.
const LENT: f32 = 0.5;

/// By place, on the scale of [`words::shares`]; `first` is what the words of the question gave.
pub fn shares(view: &View<'_>, wanted: &[Wanted], first: &[f32]) -> Vec<f32> {
    let best = select::best_places(view, first, PASSAGES);
    let lent = lent(view, &best, first);
    if lent.is_empty() {
        return first.to_vec();
    }
    let asked: f32 = wanted.iter().map(|word| word.weight).sum();
    let given: f32 = lent.iter().map(|word| word.gain).sum();
    let own = |word: &Wanted| word.idf * (1.0 - LENT) * word.weight / asked;
    let others = |word: &Lent| word.idf * LENT * word.gain / given;
    let ideal = wanted.iter().map(own).sum::<f32>() + lent.iter().map(others).sum::<f32>();
    let mut shares = vec![0.0; view.visible.len()];
    for word in wanted {
        words::add(view, &word.holders, own(word) / ideal, &mut shares);
    }
    for word in &lent {
        words::add(view, &words::holders(view, &[word.term]), others(word) / ideal, &mut shares);
    }
    shares
}

struct Lent {
    term: u32,
    gain: f32,
    idf: f32,
}

/// The words that are frequent in these passages and rare elsewhere.
fn lent(view: &View<'_>, best: &[u32], first: &[f32]) -> Vec<Lent> {
    let passages = &view.index.passages;
    let sum: f32 = best.iter().map(|place| first[*place as usize]).sum();
    let mut gains: HashMap<u32, f32> = HashMap::new();
    for place in best {
        let share = first[*place as usize] / sum / passages.length[*place as usize].max(1) as f32;
        let mut counts: HashMap<u32, u32> = HashMap::new();
        passages.words(*place).iter().for_each(|term| *counts.entry(*term).or_default() += 1);
        for (term, count) in counts {
            *gains.entry(term).or_default() += share * count as f32;
        }
    }
    let text = |term: u32| view.index.vocabulary.text(term);
    let is_stop_word = |term: u32| view.languages.iter().any(|language| language.is_stop_word(text(term)));
    let mut lent: Vec<Lent> = gains
        .into_iter()
        .filter(|(term, _)| !is_stop_word(*term))
        .map(|(term, gain)| {
            let idf = view.idf(view.document_frequency(term));
            Lent { term, gain: gain * idf, idf }
        })
        .collect();
    lent.sort_by(|a, b| b.gain.total_cmp(&a.gain).then_with(|| text(a.term).cmp(text(b.term))));
    lent.truncate(WORDS);
    lent
}
