//! Selection: the best documents that pass the filter.

use std::cmp::Ordering;

use super::{Ranking, Shares, Totals, at, fusion, relevance};
use crate::index::NONE;
use crate::index::view::View;
use crate::{Filter, Hit, Parts, Question};

/// The best of what was scored, each document with its best passage.
pub fn best(view: &View<'_>, ranking: &Ranking, question: &Question, shares: &Shares, totals: &Totals) -> Vec<Hit> {
    let passages = &view.index.passages;
    let Some(filter) = Chosen::new(view, &question.filter) else { return Vec::new() };
    let mut best = vec![NONE; view.index.documents.len()];
    let order = |a: &u32, b: &u32| compare(view, shares, totals, *a, *b);
    for place in view.places() {
        if totals.at(place) <= 0.0 || !is_found(question, shares, totals, place) || !filter.takes(view, place) {
            continue;
        }
        let kept = &mut best[passages.document[place as usize] as usize];
        if *kept == NONE || order(&place, kept) == Ordering::Less {
            *kept = place;
        }
    }
    best.retain(|place| *place != NONE);
    keep_first(&mut best, question.limit, order);
    best.into_iter().map(|place| hit(view, ranking, question, shares, totals, place)).collect()
}

/// The `count` visible places with the highest scores above 0, highest first, equal ones by id.
pub fn best_places(view: &View<'_>, scores: &[f32], count: usize) -> Vec<u32> {
    let order = |a: &u32, b: &u32| {
        let (a, b) = (*a, *b);
        scores[b as usize].total_cmp(&scores[a as usize]).then_with(|| view.id(a).cmp(&view.id(b)))
    };
    let mut places: Vec<u32> = view.places().filter(|place| scores[*place as usize] > 0.0).collect();
    keep_first(&mut places, count, order);
    places
}

/// Sorts the first `count` to the front and drops the rest.
fn keep_first(places: &mut Vec<u32>, count: usize, order: impl Fn(&u32, &u32) -> Ordering) {
    if count < places.len() {
        places.select_nth_unstable_by(count, &order);
        places.truncate(count);
    }
    places.sort_unstable_by(&order);
}

impl Totals {
    fn at(&self, place: u32) -> f32 {
        let more = [&self.neighbours, &self.author, &self.time, &self.name];
        more.iter().fold(at(&self.base, place), |sum, scores| sum + at(scores, place))
    }
}

/// The better first. Scores are compared in steps, so that the last bit of a sum decides nothing.
fn compare(view: &View<'_>, shares: &Shares, totals: &Totals, a: u32, b: u32) -> Ordering {
    let step = |place| (totals.at(place) * 1e5).round() as i64;
    let cosine = |place| similarity(shares, place).unwrap_or(-1.0);
    step(b).cmp(&step(a)).then_with(|| cosine(b).total_cmp(&cosine(a))).then_with(|| view.id(a).cmp(&view.id(b)))
}

fn similarity(shares: &Shares, place: u32) -> Option<f64> {
    shares.cosines.get(place as usize).filter(|cosine| !cosine.is_nan()).map(|cosine| f64::from(*cosine))
}

/// What words or a name found stays; what meaning found has to be near enough.
fn is_found(question: &Question, shares: &Shares, totals: &Totals, place: u32) -> bool {
    let by_words = [&shares.words, &shares.spelling, &totals.name].iter().any(|scores| at(scores, place) > 0.0);
    by_words || similarity(shares, place).is_none_or(|cosine| cosine >= question.similarity_min)
}

fn hit(view: &View<'_>, ranking: &Ranking, question: &Question, shares: &Shares, totals: &Totals, place: u32) -> Hit {
    let (document, passage) = view.id(place);
    let total = totals.at(place);
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
