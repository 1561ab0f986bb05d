//! Selection: the best documents that pass the filter.

use std::cmp::{Ordering, Reverse};

use super::{Ranking, Shares, Totals, at, fusion, relevance};
use crate::index::NONE;
use crate::index::view::View;
use crate::{Filter, Hit, Parts, Question};

/// The best of what was scored, each document with its best passage.
pub fn best(view: &View<'_>, ranking: &Ranking, question: &Question, shares: &Shares, totals: &Totals) -> Vec<Hit> {
    let passages = &view.index.passages;
    let Some(filter) = Chosen::new(view, &question.filter) else { return Vec::new() };
    let order = |a: &u32, b: &u32| compare(view, shares, *a, *b);
    // By document, the best of its passages.
    let mut best = vec![(0, NONE); view.index.documents.len()];
    for place in view.places() {
        let step = step(totals.all[place as usize]);
        let kept = &mut best[passages.document[place as usize] as usize];
        let better = step > kept.0 || (step == kept.0 && step > 0 && order(&place, &kept.1) == Ordering::Less);
        if better && is_found(question, shares, totals, place) && filter.takes(view, place) {
            *kept = (step, place);
        }
    }
    best.retain(|(step, _)| *step > 0);
    let best = keep_first(best, question.limit, order);
    best.into_iter().map(|place| hit(view, ranking, question, shares, totals, place)).collect()
}

/// The `count` visible places with the highest scores above 0, highest first, equal ones by id.
pub fn best_places(view: &View<'_>, scores: &[f32], count: usize) -> Vec<u32> {
    let steps = view.places().map(|place| (step(scores[place as usize]), place));
    keep_first(steps.filter(|(step, _)| *step > 0).collect(), count, |a, b| view.id(*a).cmp(&view.id(*b)))
}

/// The first `count`: by the higher step, then in the given order.
fn keep_first(mut steps: Vec<(i32, u32)>, count: usize, order: impl Fn(&u32, &u32) -> Ordering) -> Vec<u32> {
    if count < steps.len() {
        let (_, last, _) = steps.select_nth_unstable_by_key(count, |(step, _)| Reverse(*step));
        let last = last.0;
        steps.retain(|(step, _)| *step >= last);
    }
    steps.sort_unstable_by(|a, b| b.0.cmp(&a.0).then_with(|| order(&a.1, &b.1)));
    steps.into_iter().take(count).map(|(_, place)| place).collect()
}

/// Scores are compared in steps, so that the last bit of a sum decides nothing. What is not above 0 is at step 0 or below.
fn step(score: f32) -> i32 {
    (score * 1e5 + 0.5) as i32
}

/// Among equal scores the nearer in meaning comes first, then the lower id.
fn compare(view: &View<'_>, shares: &Shares, a: u32, b: u32) -> Ordering {
    let cosine = |place| similarity(shares, place).unwrap_or(-1.0);
    cosine(b).total_cmp(&cosine(a)).then_with(|| view.id(a).cmp(&view.id(b)))
}

fn similarity(shares: &Shares, place: u32) -> Option<f64> {
    shares.cosines.get(place as usize).filter(|cosine| !cosine.is_nan()).map(|cosine| f64::from(*cosine))
}

/// What words or a name found stays; what meaning found has to be near enough. Where there is no meaning to go by, what stands beside
/// something that was found may come along.
fn is_found(question: &Question, shares: &Shares, totals: &Totals, place: u32) -> bool {
    let any = |lists: &[&[f32]]| lists.iter().any(|scores| at(scores, place) > 0.0);
    any(&[&shares.words, &shares.spelling, &totals.name])
        || match similarity(shares, place) {
            Some(cosine) => cosine >= question.similarity_min,
            None => any(&[&totals.neighbours]),
        }
}

fn hit(view: &View<'_>, ranking: &Ranking, question: &Question, shares: &Shares, totals: &Totals, place: u32) -> Hit {
    let (document, passage) = view.id(place);
    let total = totals.all[place as usize];
    let score = relevance::of(total);
    let parts = question.explain.then(|| parts(ranking, shares, totals, place, score / f64::from(total)));
    Hit { document: document.to_owned(), passage, score, similarity: similarity(shares, place), parts }
}

/// What gave how much of the score.
fn parts(ranking: &Ranking, shares: &Shares, totals: &Totals, place: u32, scale: f64) -> Parts {
    let part = |weighed: f32| f64::from(weighed) * scale;
    let meaning = fusion::by_meaning(ranking, shares, place);
    let without_words = (at(&totals.base, place) - meaning).max(0.0);
    let words = fusion::by_words(ranking, shares, place);
    let spelling = if words > 0.0 { ranking.words * at(&shares.spelling, place) / words * without_words } else { 0.0 };
    Parts {
        words: part(without_words - spelling),
        spelling: part(spelling),
        meaning: part(at(&totals.base, place) - without_words),
        neighbours: part(at(&totals.neighbours, place)),
        author: part(at(&totals.author, place)),
        time: part(at(&totals.time, place)),
        name: part(at(&totals.name, place)),
    }
}

/// A filter in the numbers of the index.
struct Chosen<'a> {
    filter: &'a Filter,
    collections: Vec<u32>,
    types: Vec<u32>,
    tags: Vec<u32>,
    among: Option<Vec<bool>>,
}

impl<'a> Chosen<'a> {
    /// `None` if nothing can pass.
    fn new(view: &View<'_>, filter: &'a Filter) -> Option<Self> {
        let index = view.index;
        let collections: Vec<u32> =
            filter.collections.iter().filter_map(|name| index.collections.number(name)).collect();
        let types: Vec<u32> = filter.types.iter().filter_map(|name| index.types.number(name)).collect();
        let tags: Option<Vec<u32>> = filter.tags.iter().map(|tag| index.tags.number(tag)).collect();
        let none_of = |wanted: &[String], known: &[u32]| !wanted.is_empty() && known.is_empty();
        if none_of(&filter.collections, &collections) || none_of(&filter.types, &types) {
            return None;
        }
        let among = filter.among.as_ref().map(|among| {
            let mut chosen = vec![false; index.documents.len()];
            among.iter().filter_map(|id| index.documents.number(id)).for_each(|number| chosen[number as usize] = true);
            chosen
        });
        Some(Self { filter, collections, types, tags: tags?, among })
    }

    fn takes(&self, view: &View<'_>, place: u32) -> bool {
        let passages = &view.index.passages;
        let index = place as usize;
        let one_of = |wanted: &[u32], number: u32| wanted.is_empty() || wanted.contains(&number);
        let in_time = |(from, to): (scope::Timestamp, scope::Timestamp)| {
            passages.time(place).is_some_and(|time| from <= time && time < to)
        };
        one_of(&self.collections, passages.collection[index])
            && one_of(&self.types, passages.r#type[index])
            && self.tags.iter().all(|tag| passages.tags(place).contains(tag))
            && self.among.as_ref().is_none_or(|among| among[passages.document[index] as usize])
            && self.filter.time.is_none_or(in_time)
    }
}
