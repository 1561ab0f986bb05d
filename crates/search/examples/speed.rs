//! Measures loading, questions and memory on a made-up corpus: `speed [passages] [questions]`.
//!
//! Words are drawn by Zipf's law from 60,000, the most frequent are English stop words; a passage has 12 to 40, a question 4 to 14. Vectors are of the bundled
//! table. A tenth of the passages has ended, so there is a past to be told from the present.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use search::embed::StaticTable;
use search::{Analysed, Document, Embedder, Index, Passage, Quantised, Question, Row, Stream, embed_text};

const WORDS: usize = 60_000;
const SMALL: &str = "the of and to a in is that it was for on are with as his they at be this from have or by had but what all were when \
                     we there can an your which their if do will each how them then she many some so these would other into has";

fn main() {
    let mut numbers = std::env::args().skip(1).map(|argument| argument.parse::<usize>().unwrap());
    let passages = numbers.next().unwrap_or(100_000);
    let questions = numbers.next().unwrap_or(200);
    let mut dice = Dice(42);
    let words = Words::new(&mut dice);
    let table = StaticTable::new();

    let start = on_cpu();
    let rows: Vec<(String, Vec<u8>, Vec<u8>)> =
        (0..passages).map(|number| row(number, &words, &table, &mut dice)).collect();
    println!("analysing and embedding: {:.1} us a passage", (on_cpu() - start) * 1e6 / passages as f64);
    let kept: usize = rows.iter().map(|(_, analysed, vector)| analysed.len() + vector.len()).sum();
    println!("kept in rows: {} bytes a passage", kept / passages);

    let before = resident();
    let start = on_cpu();
    let mut index = Index::new(Some(table.space().clone()));
    for (number, (document, analysed, vector)) in rows.iter().enumerate() {
        let to = (number % 10 == 9).then_some(number as u64 + 1_000);
        let analysed = Analysed::from_bytes(analysed).unwrap();
        let vector = Some(Quantised::from_bytes(vector).unwrap());
        let (slot, document, from) = (number as u64, document.clone(), number as u64);
        index.insert(Row { slot, document, passage: 0, from, to, analysed, vector });
    }
    println!("loading: {:.3} s for {passages} passages", on_cpu() - start);
    println!(
        "memory: {} bytes a passage by its own count, {} resident",
        index.bytes() / passages,
        (resident() - before) / passages
    );

    for (label, at, current) in
        [("now", u64::MAX - 1, false), ("now, current", u64::MAX - 1, true), ("half way", passages as u64 / 2, false)]
    {
        let mut times: Vec<f64> = (0..questions)
            .map(|_| {
                let mut text = words.text(&mut dice, 4, 14);
                text.push_str(if current { " current" } else { "" });
                let question = Question { text, limit: 10, ..Question::default() };
                let start = on_cpu();
                let vector = table.vector(&index.question_text_to_embed(at, &question));
                let hits = index.search(at, &question, Some(&vector));
                assert_eq!(hits.len(), 10);
                (on_cpu() - start) * 1e3
            })
            .collect();
        times.sort_by(f64::total_cmp);
        println!("question ({label}): p50 {:.2} ms, p95 {:.2} ms", times[questions / 2], times[questions * 95 / 100]);
    }
}

fn row(number: usize, words: &Words, table: &StaticTable, dice: &mut Dice) -> (String, Vec<u8>, Vec<u8>) {
    let passage = Passage {
        text: words.text(dice, 12, 40),
        author: Some(format!("Person {}", number % 50)),
        time: Some(scope::Timestamp(1_700_000_000_000_000 + number as i64 * 60_000_000)),
        stream: Some(Stream { id: format!("stream {}", number / 200), order: number as i64 }),
        place: None,
    };
    let id = format!("{number:08}-0000-7000-8000-000000000000");
    let document =
        Document { id: id.clone(), collection: "turn".to_owned(), passages: vec![passage], ..Document::default() };
    let vector = Quantised::new(&table.vector(&embed_text(&document, 0)));
    (id, Analysed::new(&document, 0).to_bytes(), vector.to_bytes())
}

/// Words that look like words, the frequent ones short.
struct Words(Vec<String>);

impl Words {
    fn new(dice: &mut Dice) -> Self {
        const PARTS: [&str; 32] = [
            "ka", "re", "mi", "to", "ser", "vi", "or", "der", "al", "pen", "ti", "lo", "gra", "sun", "be", "fo", "net",
            "ra", "du", "ci", "mar", "ket", "ho", "li", "est", "ban", "co", "pro", "tal", "wen", "yu", "zim",
        ];
        let word = |number: usize, dice: &mut Dice| -> String {
            let parts = 2 + (number as f64 + 1.0).log10() as usize / 2;
            (0..parts).map(|_| PARTS[dice.below(PARTS.len())]).collect()
        };
        let small = SMALL.split(' ').map(str::to_owned);
        Self(small.chain((0..WORDS).map(|number| word(number, dice))).take(WORDS).collect())
    }

    fn text(&self, dice: &mut Dice, least: usize, most: usize) -> String {
        let count = least + dice.below(most - least + 1);
        // 1 / rank: the logarithm of the rank is evenly spread.
        let draw = |dice: &mut Dice| &self.0[((WORDS as f64).powf(dice.share()) - 1.0) as usize];
        (0..count).map(|_| draw(dice).as_str()).collect::<Vec<_>>().join(" ")
    }
}

/// The same numbers each time.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn below(&mut self, bound: usize) -> usize {
        self.next() as usize % bound
    }

    fn share(&mut self) -> f64 {
        self.next() as f64 / (1_u64 << 31) as f64
    }
}

/// Seconds that this thread has run, where the system tells: other work on the machine does not count.
fn on_cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|nanos| nanos.parse::<f64>().ok()).unwrap_or_default() / 1e9
}

/// Bytes of memory in use, where the system tells.
fn resident() -> usize {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    pages.split(' ').nth(1).and_then(|pages| pages.parse::<usize>().ok()).unwrap_or_default() * 4096
}
