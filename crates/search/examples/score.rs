//! Scores the ranking on retrieval sets: questions with the documents that answer them.
//!
//! `score SET.json … [weight=value …] [sweep weight=value,value …]`
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::time::Instant;

use scope::Timestamp;
use search::embed::StaticTable;
use search::{Analysed, Document, Embedder, Index, Passage, Quantised, Question, Ranking, Row, Stream, embed_text};
use serde_json::Value;

const DEPTH: usize = 20;

struct Set {
    name: String,
    corpora: BTreeMap<String, (Option<Index>, BTreeMap<String, usize>)>,
    questions: Vec<Asked>,
}

struct Asked {
    corpus: String,
    text: String,
    category: String,
    relevant: BTreeMap<String, f64>,
    at: u64,
    past: Option<usize>,
    vector: Option<Vec<f32>>,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let files: Vec<&String> = arguments.iter().filter(|argument| argument.ends_with(".json")).collect();
    let mut ranking = Ranking::default();
    let mut sweeps: Vec<(String, Vec<f32>)> = Vec::new();
    for argument in &arguments {
        if let Some((name, value)) = argument.split_once('=') {
            let values: Vec<f32> = value.split(',').map(|value| value.parse().unwrap()).collect();
            if values.len() == 1 {
                *weight(&mut ranking, name) = values[0]
            } else {
                sweeps.push((name.to_owned(), values))
            }
        }
    }
    let kinds = arguments.iter().any(|argument| argument == "kinds");
    let mut sets: Vec<Set> = files.iter().map(|file| load(file)).collect();
    let mut forms = vec![(String::new(), ranking)];
    for (name, values) in sweeps {
        let mut next = Vec::new();
        for (label, ranking) in &forms {
            for value in &values {
                let mut ranking = ranking.clone();
                *weight(&mut ranking, &name) = *value;
                next.push((format!("{label}{name}={value} "), ranking));
            }
        }
        forms = next;
    }
    for (label, ranking) in forms {
        let mut line = String::new();
        let mut sum = 0.0;
        for set in &mut sets {
            let scored = score(set, &ranking);
            let all = mean(scored.iter().map(|scored| &scored.figures));
            let mut times: Vec<u128> = scored.iter().map(|scored| scored.micros).collect();
            times.sort_unstable();
            let leaks: usize = scored.iter().map(|scored| scored.leaks).sum();
            line += &format!(
                "{} {:.3} {:.3} {:.3} ({leaks} leaks, {} us) | ",
                set.name,
                all[0],
                all[1],
                all[2],
                times[times.len() / 2]
            );
            sum += if set.name.starts_with("gate") { all[0] } else { all[2] };
            if kinds {
                let mut by: BTreeMap<&str, Vec<&[f64; 3]>> = BTreeMap::new();
                for scored in &scored {
                    by.entry(&scored.category).or_default().push(&scored.figures);
                }
                for (kind, figures) in by {
                    let all = mean(figures.iter().copied());
                    println!("  {kind}: {} {:.3} {:.3} {:.3}", figures.len(), all[0], all[1], all[2]);
                }
            }
        }
        println!("{line}{sum:.3} {label}");
    }
}

fn weight<'a>(ranking: &'a mut Ranking, name: &str) -> &'a mut f32 {
    match name {
        "words" => &mut ranking.words,
        "meaning" => &mut ranking.meaning,
        "neighbours" => &mut ranking.neighbours,
        "author" => &mut ranking.author,
        "recency" => &mut ranking.recency,
        "feedback" => &mut ranking.feedback,
        "pairs" => &mut ranking.pairs,
        "name" => &mut ranking.name,
        _ => panic!("no weight {name}"),
    }
}

struct Scored {
    category: String,
    figures: [f64; 3],
    leaks: usize,
    micros: u128,
}

fn score(set: &mut Set, ranking: &Ranking) -> Vec<Scored> {
    for (index, _) in set.corpora.values_mut() {
        *index = index.take().map(|index| index.with_ranking(ranking.clone()));
    }
    let mut all = Vec::new();
    for asked in &set.questions {
        let (index, order) = &set.corpora[&asked.corpus];
        let question = Question { text: asked.text.clone(), limit: DEPTH, ..Question::default() };
        let start = Instant::now();
        let hits = index.as_ref().unwrap().search(asked.at, &question, asked.vector.as_deref());
        let micros = start.elapsed().as_micros();
        let ranked: Vec<&str> = hits.iter().map(|hit| hit.document.as_str()).collect();
        let leaks = asked.past.map_or(0, |past| ranked.iter().filter(|id| order[**id] > past).count());
        all.push(Scored {
            category: asked.category.clone(),
            figures: figures(&ranked, &asked.relevant),
            leaks,
            micros,
        });
    }
    all
}

/// R@10, MRR, nDCG@10.
fn figures(ranked: &[&str], relevant: &BTreeMap<String, f64>) -> [f64; 3] {
    let found = ranked.iter().take(10).filter(|id| relevant.contains_key(**id)).count();
    let first = ranked.iter().position(|id| relevant.contains_key(*id)).map_or(0.0, |place| 1.0 / (place + 1) as f64);
    let gain = |grades: Vec<f64>| -> f64 {
        grades
            .iter()
            .take(10)
            .enumerate()
            .map(|(place, grade)| (grade.exp2() - 1.0) / ((place + 2) as f64).log2())
            .sum()
    };
    let mut ideal: Vec<f64> = relevant.values().copied().collect();
    ideal.sort_by(|a, b| b.total_cmp(a));
    let given = ranked.iter().map(|id| relevant.get(*id).copied().unwrap_or(0.0)).collect();
    [found as f64 / relevant.len() as f64, first, gain(given) / gain(ideal)]
}

fn mean<'a>(figures: impl Iterator<Item = &'a [f64; 3]>) -> [f64; 3] {
    let (mut sum, mut count) = ([0.0; 3], 0.0);
    for each in figures {
        sum.iter_mut().zip(each).for_each(|(sum, value)| *sum += value);
        count += 1.0;
    }
    sum.map(|sum| sum / count)
}

fn load(file: &str) -> Set {
    let table = StaticTable::new();
    let data: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    let author = regex::Regex::new(r"^([A-Z][\w .'-]{0,30}): ").unwrap();
    let mut corpora = BTreeMap::new();
    for (name, documents) in data["corpora"].as_object().unwrap() {
        let mut index = Index::new(Some(table.space().clone()));
        let mut order = BTreeMap::new();
        for (number, document) in documents.as_array().unwrap().iter().enumerate() {
            let id = document["id"].as_str().unwrap().to_owned();
            let text = document["text"].as_str().unwrap();
            let by = author.captures(text);
            let passage = Passage {
                text: text[by.as_ref().map_or(0, |by| by[0].len())..].to_owned(),
                author: by.map(|by| by[1].to_owned()),
                time: document["time"].as_str().and_then(moment),
                stream: Some(Stream { id: name.clone(), order: number as i64 }),
                place: None,
            };
            let passage = if document["time"].is_null() { Passage { stream: None, ..passage } } else { passage };
            order.insert(id.clone(), number);
            let document = Document { id: id.clone(), passages: vec![passage], ..Document::default() };
            let analysed = Analysed::from_bytes(&Analysed::new(&document, 0).to_bytes()).unwrap();
            let vector = Some(table.vector(&embed_text(&document, 0))).filter(|vector| !vector.is_empty());
            let vector = vector.map(|vector| Quantised::new(&vector));
            index.insert(Row {
                slot: number as u64,
                document: id,
                passage: 0,
                from: number as u64 + 1,
                to: None,
                analysed,
                vector,
            });
        }
        corpora.insert(name.clone(), (Some(index), order));
    }
    let mut questions: Vec<Asked> = Vec::new();
    for question in data["queries"].as_array().unwrap() {
        let category = question["category"].as_str().unwrap().to_owned();
        if category == "adversarial" {
            continue;
        }
        let past = question["as_of_seq"].as_u64();
        questions.push(Asked {
            corpus: question["corpus"].as_str().unwrap().to_owned(),
            text: question["text"].as_str().unwrap().to_owned(),
            category,
            relevant: question["rel"]
                .as_object()
                .unwrap()
                .iter()
                .map(|(id, grade)| (id.clone(), grade.as_f64().unwrap()))
                .collect(),
            at: past.map_or(u64::MAX - 1, |past| past + 1),
            past: past.map(|past| past as usize),
            vector: None,
        });
        let asked = questions.last_mut().unwrap();
        let index = corpora[&asked.corpus].0.as_ref().unwrap();
        let question = Question { text: asked.text.clone(), ..Question::default() };
        asked.vector =
            Some(table.vector(&index.question_text_to_embed(asked.at, &question))).filter(|vector| !vector.is_empty());
    }
    Set { name: data["name"].as_str().unwrap().to_owned(), corpora, questions }
}

fn moment(text: &str) -> Option<Timestamp> {
    text.parse().ok().or_else(|| {
        let plain = text.to_uppercase().replace(',', "");
        let civil = jiff::civil::DateTime::strptime("%I:%M %p ON %d %B %Y", &plain).ok()?;
        Some(Timestamp(civil.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp().as_microsecond()))
    })
}
