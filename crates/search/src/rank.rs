//! Ranking: what answers a question best, among what is visible.
//!
//! Each reason gives a passage a share of what it could give: words, by BM25 as a share of the idf of the whole question; meaning, by
//! the cosine. The shares are weighted and added, so a score is not relative to what else was found. Then neighbours, author,
//! recency and name count, and the best documents that pass the filter are chosen. `docs/decisions/0016` says why so.
//!
//! Every statistic comes from the [`View`], and sums run over the words of the question in their order: the order in which rows
//! came, and rows that are not visible, change nothing. A place is the number of a version within the index; scores are columns
//! by place.

mod asked;
mod current;
mod feedback;
mod fusion;
mod meaning;
mod mention;
mod named;
mod neighbours;
mod pairs;
mod recency;
mod relevance;
mod select;
mod spelling;
mod words;

use crate::index::view::View;
use crate::{Hit, Question, Space};
use asked::Asked;

pub use fusion::Fusion;
pub use mention::text_to_embed;

/// How much each reason counts. The default was chosen on dialogues, on changing facts and on abstracts together.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    pub fusion: Fusion,
    /// The words of the question.
    pub words: f32,
    /// The same with the words of what they found best.
    pub feedback: f32,
    /// Words that stand together in the question and in the passage.
    pub pairs: f32,
    /// The cosine.
    pub meaning: f32,
    /// A share of what stands beside a passage in its stream; its square for what stands one further.
    pub neighbours: f32,
    /// Who is mentioned in the question and speaks in the passage.
    pub author: f32,
    /// The newer among what is good enough, when the question asks for what holds now. A share of the best.
    pub recency: f32,
    /// A name in the question, by its share of the question.
    pub name: f32,
}

impl Default for Ranking {
    fn default() -> Self {
        Self::of(None)
    }
}

impl Ranking {
    /// The weights that suit vectors of this space. A model understands more than a table, so its cosine counts for more.
    pub fn of(space: Option<&Space>) -> Self {
        let is_model = space.is_some_and(|space| !space.is_of_a_table());
        Self {
            fusion: Fusion::Weighted,
            words: 0.3,
            feedback: 0.3,
            pairs: 0.12,
            meaning: if is_model { 0.6 } else { 0.3 },
            neighbours: 0.35,
            author: 0.3,
            recency: 0.8,
            name: 0.3,
        }
    }
}

/// What speaks for each place, as shares that are not weighted yet.
#[derive(Debug, Default)]
struct Shares {
    /// Words of the question that it holds.
    words: Vec<f32>,
    /// Words that are written nearly like those of the question.
    spelling: Vec<f32>,
    feedback: Vec<f32>,
    pairs: Vec<f32>,
    /// NaN where there is no vector.
    cosines: Vec<f32>,
    /// The share that a cosine gives.
    scale: meaning::Scale,
}

/// What the shares came to, by place; empty where nothing was counted.
#[derive(Debug, Default)]
struct Totals {
    /// Words and meaning.
    base: Vec<f32>,
    neighbours: Vec<f32>,
    author: Vec<f32>,
    time: Vec<f32>,
    name: Vec<f32>,
    /// Everything together.
    all: Vec<f32>,
}

/// The best documents, best first.
pub fn rank(view: &View<'_>, ranking: &Ranking, question: &Question, vector: Option<&[f32]>) -> Vec<Hit> {
    let asked = Asked::new(view, question);
    if asked.words.is_empty() || question.limit == 0 {
        return Vec::new();
    }
    let shares = Shares::new(view, ranking, &asked, vector);
    let base = fusion::base(view, ranking, &shares);
    let mut totals = Totals { base, ..Totals::default() };
    totals.name = named::scores(view, ranking, &asked);
    if current::is_meant(&asked.text) {
        totals.time = recency::scores(view, &totals.base, ranking.recency);
    } else {
        totals.neighbours = neighbours::scores(view, &totals.base, ranking.neighbours);
        totals.author = mention::scores(view, &question.text, ranking.author);
    }
    totals.sum_up();
    select::best(view, ranking, question, &shares, &totals)
}

impl Shares {
    fn new(view: &View<'_>, ranking: &Ranking, asked: &Asked, vector: Option<&[f32]>) -> Self {
        let words = words::shares(view, &asked.words);
        let feedback = if ranking.feedback > 0.0 { feedback::shares(view, &asked.words, &words) } else { Vec::new() };
        let cosines = meaning::cosines(view, vector);
        Self {
            spelling: spelling::shares(view, &asked.words),
            pairs: pairs::shares(view, &asked.words),
            scale: meaning::Scale::new(&cosines),
            words,
            feedback,
            cosines,
        }
    }
}

impl Totals {
    fn sum_up(&mut self) {
        self.all = self.base.clone();
        for scores in [&self.neighbours, &self.author, &self.time, &self.name] {
            self.all.iter_mut().zip(scores).for_each(|(sum, score)| *sum += score);
        }
    }
}

/// What stands at a place, 0 where nothing was counted.
fn at(scores: &[f32], place: u32) -> f32 {
    scores.get(place as usize).copied().unwrap_or_default()
}
