//! A question at a point sees what was visible then, in whatever order the index came to know it.

use ledger::Seq;
use proptest::prelude::*;
use scope::Timestamp;
use search::{Analysed, Document, Hit, Index, Passage, Quantised, Question, Row, Space, Stream};

/// Words of which some are alike, some are small, and one asks for the present.
const WORDS: [&str; 16] = [
    "order",
    "orders",
    "ordre",
    "ledger",
    "ledgers",
    "invoice",
    "invoise",
    "room",
    "current",
    "the",
    "of",
    "May",
    "2023",
    "Ava",
    "OrderService",
    "desk",
];
const POINTS: Seq = 12;

/// A version of a passage, in numbers small enough to meet.
#[derive(Debug, Clone)]
struct Version {
    document: u8,
    from: Seq,
    length: Option<Seq>,
    words: Vec<usize>,
    author: Option<usize>,
    time: Option<i64>,
    stream: Option<(u8, i64)>,
    vector: Option<Vec<i8>>,
    named: bool,
}

impl Version {
    fn row(&self, slot: u64) -> Row {
        let text = self.words.iter().map(|word| WORDS[*word]).collect::<Vec<_>>().join(" ");
        let passage = Passage {
            text: text.clone(),
            author: self.author.map(|author| ["Ava Lin", "Ava Ng", "Bo"][author].to_owned()),
            time: self.time.map(|day| Timestamp(1_683_500_000_000_000 + day * 86_400_000_000)),
            stream: self.stream.map(|(id, order)| Stream { id: format!("s{id}"), order }),
            place: None,
        };
        let names = if self.named { vec![text] } else { Vec::new() };
        let document = Document { names, passages: vec![passage], ..Document::default() };
        Row {
            slot,
            document: format!("d{:02}", self.document),
            passage: 0,
            from: self.from,
            to: self.length.map(|length| self.from + length),
            analysed: Analysed::new(&document, 0),
            vector: self.vector.as_ref().map(|values| Quantised { scale: 0.004, values: values.clone().into() }),
        }
    }
}

fn version() -> impl Strategy<Value = Version> {
    let body = (
        prop::collection::vec(0..WORDS.len(), 0..9),
        prop::option::of(0..3_usize),
        prop::option::of(0..4_i64),
        any::<bool>(),
    );
    let place = (prop::option::of((0..2_u8, 0..5_i64)), prop::option::of(prop::collection::vec(any::<i8>(), 4)));
    (0..POINTS, prop::option::of(1..6_u64), body, place).prop_map(
        |(from, length, (words, author, time, named), (stream, vector))| Version {
            document: 0,
            from,
            length,
            words,
            author,
            time,
            stream,
            vector,
            named,
        },
    )
}

/// Up to 20 versions, each of a document of its own.
fn versions() -> impl Strategy<Value = Vec<Version>> {
    prop::collection::vec(version(), 1..20).prop_map(|mut versions| {
        (0..).zip(&mut versions).for_each(|(number, version)| version.document = number);
        versions
    })
}

fn question() -> impl Strategy<Value = Question> {
    (prop::collection::vec(0..WORDS.len(), 1..5), any::<bool>(), 1..30_usize).prop_map(|(words, prefix, limit)| {
        let text = words.iter().map(|word| WORDS[*word]).collect::<Vec<_>>().join(" ");
        Question { text, prefix, limit, explain: true, ..Question::default() }
    })
}

fn index(rows: impl IntoIterator<Item = Row>) -> Index {
    let mut index = Index::new(Some(Space { model: "test".to_owned(), dimensions: 4 }));
    rows.into_iter().for_each(|row| index.insert(row));
    index
}

fn answers(index: &Index, question: &Question) -> Vec<(String, Vec<Hit>)> {
    let vector = [0.5_f32, -0.5, 0.5, 0.5];
    let answer = |at| (index.question_text_to_embed(at, question), index.search(at, question, Some(&vector)));
    (0..POINTS + 8).map(answer).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn the_order_of_arrival_changes_nothing(versions in versions(), question in question(), seed in any::<u64>()) {
        let rows: Vec<Row> = (0..).zip(&versions).map(|(slot, version)| version.row(slot)).collect();
        let expected = answers(&index(rows.clone()), &question);
        let mut shuffled = rows.clone();
        shuffled.sort_by_key(|row| (row.slot + 1).wrapping_mul(seed | 1).rotate_left(17));
        prop_assert_eq!(&answers(&index(shuffled.clone()), &question), &expected);

        // Ends and vectors that come later, and rows that come twice.
        let mut late = index(shuffled.iter().cloned().map(|row| Row { to: None, vector: None, ..row }));
        for row in shuffled.iter().rev() {
            row.to.into_iter().for_each(|to| late.end(row.slot, to));
            row.vector.iter().for_each(|vector| late.set_vector(row.slot, vector.clone()));
        }
        rows.iter().for_each(|row| late.insert(row.clone()));
        prop_assert_eq!(&answers(&late, &question), &expected);
    }

    #[test]
    fn what_came_later_changes_no_earlier_answer(versions in versions(), question in question(), at in 0..POINTS) {
        let rows: Vec<Row> = (0..).zip(&versions).map(|(slot, version)| version.row(slot)).collect();
        let known_then = rows.iter().filter(|row| row.from <= at).cloned();
        let known_then = index(known_then.map(|row| Row { to: row.to.filter(|to| *to <= at), ..row }));
        let now = index(rows);
        prop_assert_eq!(&answers(&known_then, &question)[at as usize], &answers(&now, &question)[at as usize]);
    }

    #[test]
    fn what_has_ended_leaves_no_trace(versions in versions(), question in question(), at in 0..POINTS + 8) {
        let rows: Vec<Row> = (0..).zip(&versions).map(|(slot, version)| version.row(slot)).collect();
        let visible = index(rows.iter().filter(|row| row.from <= at && row.to.is_none_or(|to| at < to)).cloned());
        let all = index(rows);
        prop_assert_eq!(&answers(&visible, &question)[at as usize], &answers(&all, &question)[at as usize]);
        prop_assert_eq!(visible.coverage(at), all.coverage(at));
    }

    #[test]
    fn hits_are_in_order_and_bounded(versions in versions(), question in question()) {
        let index = index((0..).zip(&versions).map(|(slot, version)| version.row(slot)));
        for (_, hits) in answers(&index, &question) {
            prop_assert!(hits.len() <= question.limit);
            prop_assert!(hits.iter().all(|hit| (0.0..=1.0).contains(&hit.score)), "{:?}", hits);
            let steps = |hit: &Hit| (hit.score * 1e3).round();
            prop_assert!(hits.windows(2).all(|pair| steps(&pair[0]) >= steps(&pair[1])), "{:?}", hits);
        }
    }
}
