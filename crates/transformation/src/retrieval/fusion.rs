//! One ranking made of several, by reciprocal rank fusion.
//!
//! Scores of different retrievers cannot be compared, but places can: an element gets `1 / (60 + place)` from each list it
//! is in. The sum is divided by what the first place in all lists gives, so it lies between 0 and 1.

use std::collections::BTreeMap;

/// Makes the first places of a list count alike, as the literature has it.
const RANK_OFFSET: f64 = 60.0;

/// An id, and how similar its list found it if the list knows.
pub type Place = (String, Option<f64>);

/// An id with its score over all lists.
#[derive(Debug, Clone, PartialEq)]
pub struct Fused {
    pub id: String,
    pub score: f64,
    pub similarity: Option<f64>,
}

/// Fuses lists that are each best first. Equal scores are in the order of similarity, then of ids.
pub fn fuse(lists: &[Vec<Place>]) -> Vec<Fused> {
    let best = lists.len() as f64 / (RANK_OFFSET + 1.0);
    let mut sums: BTreeMap<&str, (f64, Option<f64>)> = BTreeMap::new();
    for list in lists {
        for (index, (id, similarity)) in list.iter().enumerate() {
            let (sum, known) = sums.entry(id).or_default();
            *sum += 1.0 / (RANK_OFFSET + 1.0 + index as f64);
            *known = known.or(*similarity);
        }
    }
    let fused = |(id, (sum, similarity)): (&str, (f64, Option<f64>))| Fused {
        id: id.to_owned(),
        score: sum / best,
        similarity,
    };
    let mut all: Vec<Fused> = sums.into_iter().map(fused).collect();
    let similarity = |fused: &Fused| fused.similarity.unwrap_or(-1.0);
    all.sort_by(|a, b| {
        let by_score = b.score.total_cmp(&a.score);
        by_score.then_with(|| similarity(b).total_cmp(&similarity(a))).then_with(|| a.id.cmp(&b.id))
    });
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_in_two_lists_beats_a_better_place_in_one() {
        check(&["a b c", "c d"], "c a b d");
        check(&["a b", "a b"], "a b");
    }

    // the order is the same whatever the order of the lists.
    #[test]
    fn equal_scores_are_in_the_order_of_similarity_then_of_ids() {
        check(&["b", "a"], "a b");
        check(&["a", "b"], "a b");
        check(&["a", "b:0.9"], "b a");
        check(&["a:0.5", "b:0.9"], "b a");
    }

    // 60 is the offset, and scores lie between 0 and 1.
    #[test]
    fn scores_are_shares_of_the_first_place() {
        assert_eq!(scores(&["a b"]), [1.0, (1.0 / 62.0) / (1.0 / 61.0)]);
        assert_eq!(scores(&["a", "b a"])[0], (1.0 / 61.0 + 1.0 / 62.0) / (2.0 / 61.0));
        assert_eq!(scores(&[]), [0.0; 0]);
        assert_eq!(scores(&["", ""]), [0.0; 0]);
    }

    fn fused(lists: &[&str]) -> Vec<Fused> {
        let place = |word: &str| match word.split_once(':') {
            Some((id, similarity)) => (id.to_owned(), similarity.parse().ok()),
            None => (word.to_owned(), None),
        };
        fuse(&lists.iter().map(|list| list.split_whitespace().map(place).collect()).collect::<Vec<_>>())
    }

    fn scores(lists: &[&str]) -> Vec<f64> {
        fused(lists).iter().map(|fused| fused.score).collect()
    }

    #[track_caller]
    fn check(lists: &[&str], expected: &str) {
        let ids: Vec<String> = fused(lists).into_iter().map(|fused| fused.id).collect();
        assert_eq!(ids.join(" "), expected);
    }
}
