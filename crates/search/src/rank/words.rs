//! By words: BM25 over what is visible, as a share of what a passage could reach.

use super::asked::Wanted;
use crate::index::view::View;

/// BM25's k1: how soon more of the same word stops to count.
const K1: f32 = 0.8;
/// BM25's b: how much a longer passage has to show more.
const B: f32 = 0.5;

/// By place: 1 for a passage of average length that holds each word once. More is possible.
pub fn shares(view: &View<'_>, words: &[Wanted]) -> Vec<f32> {
    let mut shares = vec![0.0; view.visible.len()];
    let ideal = ideal(words);
    for word in words {
        add(view, &word.holders, word.weight * word.idf / ideal, &mut shares);
    }
    shares
}

/// What a passage is measured against: each word of the question once.
pub fn ideal(words: &[Wanted]) -> f32 {
    words.iter().map(|word| word.weight * word.idf).sum::<f32>().max(f32::MIN_POSITIVE)
}

/// Adds what a word gives to each place that holds it.
pub fn add(view: &View<'_>, holders: &[(u32, u32)], weight: f32, scores: &mut [f32]) {
    for (place, count) in holders {
        scores[*place as usize] += weight * saturated(view, *place, *count);
    }
}

/// The visible places that hold one of these terms, in order, and how often they do.
pub fn holders(view: &View<'_>, terms: &[u32]) -> Vec<(u32, u32)> {
    let mut holders: Vec<(u32, u32)> = Vec::new();
    for term in terms {
        holders.extend(view.postings(*term).map(|posting| (posting.place(), posting.count())));
    }
    if terms.len() > 1 {
        holders.sort_unstable();
        holders.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
    }
    holders
}

/// How much it counts that a place holds a word so often: 1 for once in a passage of average length.
pub fn saturated(view: &View<'_>, place: u32, count: u32) -> f32 {
    let count = count as f32;
    let length = view.index.passages.length[place as usize] as f32 / view.length_mean;
    count * (K1 + 1.0) / (count + K1 * (1.0 - B + B * length))
}
