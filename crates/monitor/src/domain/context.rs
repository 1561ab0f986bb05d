//! What fits into the context of a scene.

use std::cmp::Reverse;

/// How many of each a context has at most.
pub mod most {
    pub const TURNS: usize = 10;
    pub const MEMORIES: usize = 10;
    /// Of each participant that has so many.
    pub const MEMORIES_EACH: usize = 2;
    pub const SNIPPETS: usize = 6;
    pub const SCENES: usize = 5;
    pub const FACTS: usize = 30;
    pub const ENTITIES: usize = 50;
    pub const RELATIONS: usize = 100;
}

/// A list of the context, most important items first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Its part of the budget, in hundredths.
    pub share: usize,
    /// Tokens that each item takes.
    pub tokens: Vec<usize>,
}

/// How many items of each part fit into a budget of tokens. A part first takes its share; what others leave goes to the parts in
/// their order.
pub fn fit(budget: usize, parts: &[Part]) -> Vec<usize> {
    let mut left = budget;
    let mut kept: Vec<usize> = vec![0; parts.len()];
    for (part, kept) in parts.iter().zip(&mut kept) {
        let share = budget * part.share / 100;
        *kept = take(&part.tokens, share.min(left));
        left -= part.tokens[..*kept].iter().sum::<usize>();
    }
    for (part, kept) in parts.iter().zip(&mut kept) {
        let more = take(&part.tokens[*kept..], left);
        left -= part.tokens[*kept..*kept + more].iter().sum::<usize>();
        *kept += more;
    }
    kept
}

fn take(tokens: &[usize], mut left: usize) -> usize {
    tokens.iter().take_while(|tokens| left.checked_sub(**tokens).map(|rest| left = rest).is_some()).count()
}

/// Chooses memories for a scene out of each participant's, best first: some of each, then the best of the rest. `score` ranks them.
pub fn choose<T>(each: Vec<Vec<T>>, most: usize, least_each: usize, score: impl Fn(&T) -> f64) -> Vec<T> {
    let (mut sure, mut rest) = (Vec::new(), Vec::new());
    for list in each {
        for (place, item) in list.into_iter().enumerate() {
            if place < least_each { sure.push((place, item)) } else { rest.push(item) }
        }
    }
    let by_score = |item: &T| Reverse((score(item) * 1e9) as i64);
    // Where the sure ones are too many already, everybody's first come first.
    sure.sort_by_key(|(place, item)| (*place, by_score(item)));
    rest.sort_by_key(by_score);
    let mut chosen: Vec<T> = sure.into_iter().map(|(_, item)| item).chain(rest).take(most).collect();
    chosen.sort_by_key(by_score);
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(share: usize, tokens: &[usize]) -> Part {
        Part { share, tokens: tokens.to_vec() }
    }

    #[test]
    fn each_part_has_its_share_and_the_first_take_what_is_left() {
        let parts = [part(50, &[10; 20]), part(30, &[10; 2]), part(20, &[50, 1])];
        assert_eq!(fit(100, &parts), [8, 2, 0]);
        assert_eq!(fit(10_000, &parts), [20, 2, 2]);
        assert_eq!(fit(0, &parts), [0, 0, 0]);
    }

    #[test]
    fn everybody_is_remembered_before_somebody_is_remembered_much() {
        let each = vec![vec![9, 8, 7, 6], vec![3, 2, 1], vec![5]];
        assert_eq!(choose(each.clone(), 5, 2, |item| f64::from(*item)), [9, 8, 5, 3, 2]);
        assert_eq!(choose(each.clone(), 6, 2, |item| f64::from(*item)), [9, 8, 7, 5, 3, 2]);
        assert_eq!(choose(each, 3, 2, |item| f64::from(*item)), [9, 5, 3]);
    }
}
