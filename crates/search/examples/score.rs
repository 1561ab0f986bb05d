//! Scores the ranking on retrieval sets: questions, each with the documents that answer it.
//!
//!     score SET.json … [--model FOLDER] [--kinds] [--ablate] [WEIGHT=VALUE,VALUE …]
//!
//! A set is a JSON file: `corpora` by name, each a list of `{"id", "text", "time"?}`, and `queries` with `corpus`, `text`, `category`,
//! `rel` (a grade for each right document) and, for a question about the past, `as_of_seq`, the place of the last document that it
//! may see. The author is split off the text where it begins like `Ava Lin: `; a corpus with times is one stream. Without `--model` the
//! bundled table embeds. Printed are recall among 10, mean reciprocal rank, nDCG among 10, and how many hits came from the future.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use scope::Timestamp;
use search::embed::{StaticTable, Transformer};
use search::{
    Analysed, Document, Embedder, Fusion, Index, Passage, Quantised, Question, Ranking, Row, Space, Stream, embed_text,
};
use serde_json::Value;

const DEPTH: usize = 20;
/// Point after the last one, for questions about the present.
const NOW: u64 = u64::MAX - 1;
const WEIGHTS: [&str; 8] = ["words", "feedback", "pairs", "meaning", "neighbours", "author", "recency", "name"];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let flag = |name: &str| arguments.iter().any(|argument| argument == name);
    let folder = arguments.iter().skip_while(|argument| *argument != "--model").nth(1);
    let embedder = match folder {
        Some(folder) => Embedding::Transformer(Transformer::open(Path::new(folder)).unwrap()),
        None => Embedding::Table(StaticTable::new()),
    };
    let files = arguments.iter().filter(|argument| argument.ends_with(".json"));
    let mut sets: Vec<Set> = files.map(|file| Set::load(file, &embedder)).collect();
    let base = Ranking::of(Some(&embedder.space()));
    let forms = if flag("--ablate") { ablations(&base) } else { chosen(&base, &arguments) };
    println!("| form | set | questions | R@10 | MRR | nDCG@10 | leaks | p50 us |\n|---|---|---|---|---|---|---|---|");
    for (label, ranking) in forms {
        for set in &mut sets {
            let answers = set.ask(&ranking);
            println!("| {label} | {} | {} |", set.name, summary(answers.iter()));
            let kinds: BTreeMap<&str, ()> = answers.iter().map(|answer| (answer.kind.as_str(), ())).collect();
            for kind in kinds.keys().filter(|_| flag("--kinds")) {
                println!("| | - {kind} | {} |", summary(answers.iter().filter(|answer| answer.kind == **kind)));
            }
        }
    }
}

/// The default, and it without one of its reasons.
fn ablations(base: &Ranking) -> Vec<(String, Ranking)> {
    let without = |name: &&str| {
        let mut ranking = base.clone();
        *weight(&mut ranking, name) = 0.0;
        (format!("without {name}"), ranking)
    };
    let ranks = Ranking { fusion: Fusion::ReciprocalRank, ..base.clone() };
    let mut forms = vec![("default".to_owned(), base.clone())];
    forms.extend(WEIGHTS.iter().map(without));
    forms.push(("reciprocal ranks".to_owned(), ranks));
    forms
}

/// Every combination of the weights that were given.
fn chosen(base: &Ranking, arguments: &[String]) -> Vec<(String, Ranking)> {
    let mut forms = vec![(String::new(), base.clone())];
    for (name, values) in arguments.iter().filter_map(|argument| argument.split_once('=')) {
        let with = |(label, ranking): &(String, Ranking), value: &str| {
            let mut ranking = ranking.clone();
            *weight(&mut ranking, name) = value.parse().unwrap();
            (format!("{label} {name}={value}"), ranking)
        };
        forms = forms
            .iter()
            .flat_map(|form| values.split(',').map(|value| with(form, value)).collect::<Vec<_>>())
            .collect();
    }
    forms
}

fn weight<'a>(ranking: &'a mut Ranking, name: &str) -> &'a mut f32 {
    match name {
        "words" => &mut ranking.words,
        "feedback" => &mut ranking.feedback,
        "pairs" => &mut ranking.pairs,
        "meaning" => &mut ranking.meaning,
        "neighbours" => &mut ranking.neighbours,
        "author" => &mut ranking.author,
        "recency" => &mut ranking.recency,
        "name" => &mut ranking.name,
        _ => panic!("there is no weight {name}"),
    }
}

enum Embedding {
    Table(StaticTable),
    Transformer(Transformer),
}

impl Embedding {
    fn space(&self) -> Space {
        match self {
            Self::Table(table) => table.space().clone(),
            Self::Transformer(transformer) => transformer.space().clone(),
        }
    }

    fn vectors(&self, texts: &[String]) -> Vec<Vec<f32>> {
        match self {
            Self::Table(table) => texts.iter().map(|text| table.vector(text)).collect(),
            Self::Transformer(transformer) => transformer.vectors(texts),
        }
    }
}

struct Set {
    name: String,
    corpora: BTreeMap<String, Corpus>,
    questions: Vec<Asked>,
}

struct Corpus {
    index: Index,
    order: BTreeMap<String, usize>,
}

struct Asked {
    corpus: String,
    kind: String,
    question: Question,
    vector: Vec<f32>,
    at: u64,
    right: BTreeMap<String, f64>,
}

struct Answer {
    kind: String,
    figures: [f64; 3],
    leaks: usize,
    micros: u128,
}

impl Set {
    fn load(file: &str, embedder: &Embedding) -> Self {
        let data: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
        let corpora: BTreeMap<String, Corpus> = entries(&data["corpora"])
            .map(|(name, documents)| (name.clone(), Corpus::new(name, documents, embedder)))
            .collect();
        let mut questions: Vec<Asked> = Vec::new();
        for query in data["queries"].as_array().unwrap().iter().filter(|query| query["category"] != "adversarial") {
            let text = query["text"].as_str().unwrap().to_owned();
            questions.push(Asked {
                corpus: query["corpus"].as_str().unwrap().to_owned(),
                kind: query["category"].as_str().unwrap().to_owned(),
                question: Question { text, limit: DEPTH, ..Question::default() },
                vector: Vec::new(),
                at: query["as_of_seq"].as_u64().map_or(NOW, |last| last + 1),
                right: entries(&query["rel"]).map(|(id, grade)| (id.clone(), grade.as_f64().unwrap())).collect(),
            });
        }
        let text = |asked: &Asked| corpora[&asked.corpus].index.question_text_to_embed(asked.at, &asked.question);
        let texts: Vec<String> = questions.iter().map(text).collect();
        questions.iter_mut().zip(embedder.vectors(&texts)).for_each(|(asked, vector)| asked.vector = vector);
        Self { name: data["name"].as_str().unwrap().to_owned(), corpora, questions }
    }

    fn ask(&mut self, ranking: &Ranking) -> Vec<Answer> {
        for corpus in self.corpora.values_mut() {
            corpus.index = std::mem::take(&mut corpus.index).with_ranking(ranking.clone());
        }
        self.questions.iter().map(|asked| self.corpora[&asked.corpus].answer(asked)).collect()
    }
}

impl Corpus {
    fn new(name: &str, documents: &Value, embedder: &Embedding) -> Self {
        let documents: Vec<Document> = documents
            .as_array()
            .unwrap()
            .iter()
            .enumerate()
            .map(|(number, each)| document(name, number, each))
            .collect();
        let texts: Vec<String> = documents.iter().map(|document| embed_text(document, 0)).collect();
        let vectors = embedder.vectors(&texts);
        let mut index = Index::new(Some(embedder.space()));
        let mut order = BTreeMap::new();
        for (number, (document, vector)) in documents.into_iter().zip(vectors).enumerate() {
            let analysed = Analysed::from_bytes(&Analysed::new(&document, 0).to_bytes()).unwrap();
            let vector = Some(Quantised::new(&vector));
            order.insert(document.id.clone(), number);
            let (slot, from) = (number as u64, number as u64 + 1);
            index.insert(Row { slot, document: document.id, passage: 0, from, to: None, analysed, vector });
        }
        Self { index, order }
    }

    fn answer(&self, asked: &Asked) -> Answer {
        let start = Instant::now();
        let hits = self.index.search(asked.at, &asked.question, Some(&asked.vector));
        let micros = start.elapsed().as_micros();
        let ranked: Vec<&str> = hits.iter().map(|hit| hit.document.as_str()).collect();
        let leaks = ranked.iter().filter(|id| self.order[**id] as u64 >= asked.at).count();
        Answer { kind: asked.kind.clone(), figures: figures(&ranked, &asked.right), leaks, micros }
    }
}

fn document(corpus: &str, number: usize, each: &Value) -> Document {
    let author = regex::Regex::new(r"^([A-Z][\w .'-]{0,30}): ").unwrap();
    let text = each["text"].as_str().unwrap();
    let by = author.captures(text);
    let time = each["time"].as_str().and_then(moment);
    let passage = Passage {
        text: text[by.as_ref().map_or(0, |by| by[0].len())..].to_owned(),
        place: None,
        author: by.map(|by| by[1].to_owned()),
        time,
        stream: time.map(|_| Stream { id: corpus.to_owned(), order: number as i64 }),
    };
    Document { id: each["id"].as_str().unwrap().to_owned(), passages: vec![passage], ..Document::default() }
}

/// `2026-01-01T00:59:00Z`, or `1:56 pm on 8 May, 2023`.
fn moment(text: &str) -> Option<Timestamp> {
    text.parse().ok().or_else(|| {
        let plain = text.to_uppercase().replace(',', "");
        let civil = jiff::civil::DateTime::strptime("%I:%M %p ON %d %B %Y", &plain).ok()?;
        Some(Timestamp(civil.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp().as_microsecond()))
    })
}

/// Recall among 10, reciprocal rank, nDCG among 10.
fn figures(ranked: &[&str], right: &BTreeMap<String, f64>) -> [f64; 3] {
    let found = ranked.iter().take(10).filter(|id| right.contains_key(**id)).count();
    let first = ranked.iter().position(|id| right.contains_key(*id)).map_or(0.0, |place| 1.0 / (place + 1) as f64);
    let gain = |grades: Vec<f64>| -> f64 {
        let ten = grades.iter().take(10).enumerate();
        ten.map(|(place, grade)| (grade.exp2() - 1.0) / ((place + 2) as f64).log2()).sum()
    };
    let mut ideal: Vec<f64> = right.values().copied().collect();
    ideal.sort_by(|a, b| b.total_cmp(a));
    let given = ranked.iter().map(|id| right.get(*id).copied().unwrap_or(0.0)).collect();
    [found as f64 / right.len() as f64, first, gain(given) / gain(ideal)]
}

fn summary<'a>(answers: impl Iterator<Item = &'a Answer>) -> String {
    let answers: Vec<&Answer> = answers.collect();
    let mean = |figure: usize| answers.iter().map(|answer| answer.figures[figure]).sum::<f64>() / answers.len() as f64;
    let leaks: usize = answers.iter().map(|answer| answer.leaks).sum();
    let mut micros: Vec<u128> = answers.iter().map(|answer| answer.micros).collect();
    micros.sort_unstable();
    let middle = micros[micros.len() / 2];
    format!("{} | {:.3} | {:.3} | {:.3} | {leaks} | {middle}", answers.len(), mean(0), mean(1), mean(2))
}

fn entries(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().unwrap().iter()
}
