//! Fusion: one number from words and meaning.

use super::{Ranking, Shares, at, select};
use crate::index::view::View;

/// How words and meaning are brought together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fusion {
    /// The weighted sum of what each gives.
    #[default]
    Weighted,
    /// The sum of 1 / (60 + rank) in the list of each, which forgets how far apart neighbours in a list are.
    ReciprocalRank,
}

/// The constant of reciprocal rank fusion.
const RANK_OFFSET: f32 = 60.0;
/// So far down a list is looked.
const RANKS_MAX: usize = 1_000;

/// By place: words and meaning together, at most about the sum of their weights.
pub fn base(view: &View<'_>, ranking: &Ranking, shares: &Shares) -> Vec<f32> {
    match ranking.fusion {
        Fusion::Weighted => weighted(view, ranking, shares),
        Fusion::ReciprocalRank => reciprocal_rank(view, ranking, shares),
    }
}

/// What the words of a place come to.
pub fn by_words(ranking: &Ranking, shares: &Shares, place: u32) -> f32 {
    let boost = boost(ranking, shares);
    let own = at(&shares.words, place) + at(&shares.spelling, place);
    boost
        * (ranking.words * own
            + ranking.feedback * at(&shares.feedback, place)
            + ranking.pairs * at(&shares.pairs, place))
}

/// What its meaning comes to.
pub fn by_meaning(ranking: &Ranking, shares: &Shares, place: u32) -> f32 {
    match shares.scale.is_known {
        true => ranking.meaning * shares.scale.share(shares.cosines[place as usize]),
        false => 0.0,
    }
}

/// Without vectors the words count for what meaning would.
fn boost(ranking: &Ranking, shares: &Shares) -> f32 {
    let words = ranking.words + ranking.feedback;
    if shares.scale.is_known || words <= 0.0 { 1.0 } else { (words + ranking.meaning) / words }
}

fn weighted(view: &View<'_>, ranking: &Ranking, shares: &Shares) -> Vec<f32> {
    let mut base = vec![0.0; view.visible.len()];
    let boost = boost(ranking, shares);
    let lists = [
        (ranking.words, &shares.words),
        (ranking.words, &shares.spelling),
        (ranking.feedback, &shares.feedback),
        (ranking.pairs, &shares.pairs),
    ];
    for (weight, list) in lists {
        base.iter_mut().zip(list).for_each(|(base, share)| *base += boost * weight * share);
    }
    if shares.scale.is_known {
        let list = shares.cosines.iter().zip(&view.visible);
        for (base, (cosine, visible)) in base.iter_mut().zip(list) {
            *base += if *visible { ranking.meaning * shares.scale.share(*cosine) } else { 0.0 };
        }
    }
    base
}

fn reciprocal_rank(view: &View<'_>, ranking: &Ranking, shares: &Shares) -> Vec<f32> {
    let mut base = vec![0.0; view.visible.len()];
    let words: Vec<f32> = (0..view.visible.len() as u32).map(|place| by_words(ranking, shares, place)).collect();
    let lists = [words.as_slice(), &shares.cosines];
    let whole = ranking.words + ranking.feedback + ranking.meaning;
    let share = whole * (RANK_OFFSET + 1.0) / if shares.scale.is_known { 2.0 } else { 1.0 };
    for list in lists.into_iter().filter(|list| !list.is_empty()) {
        for (rank, place) in (1..).zip(select::best_places(view, list, RANKS_MAX)) {
            base[place as usize] += share / (RANK_OFFSET + rank as f32);
        }
    }
    base
}
