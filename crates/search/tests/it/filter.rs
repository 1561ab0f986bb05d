//! Filters choose what is returned and move no score.

use std::collections::BTreeSet;

use scope::Timestamp;
use search::{Document, Filter, Hit, Passage, Question};

use crate::{Shelf, ask, ids, passage};

#[test]
fn a_filter_gives_what_passes_it_and_nothing_else() {
    check(Filter { collections: texts(&["turn"]), ..Filter::default() }, |number| number % 2 == 0);
    check(Filter { collections: texts(&["turn", "note"]), ..Filter::default() }, |_| true);
    check(Filter { types: texts(&["t1"]), ..Filter::default() }, |number| number % 3 == 1);
    check(Filter { tags: texts(&["even", "third"]), ..Filter::default() }, |number| number % 6 == 0);
    check(Filter { tags: texts(&["even", "unheard"]), ..Filter::default() }, |_| false);
    check(Filter { types: texts(&["unheard"]), ..Filter::default() }, |_| false);
    let among: BTreeSet<String> = ["d03", "d07", "unheard"].iter().map(|id| (*id).to_owned()).collect();
    check(Filter { among: Some(among), ..Filter::default() }, |number| number == 3 || number == 7);
    check(Filter { among: Some(BTreeSet::new()), ..Filter::default() }, |_| false);
    check(Filter { time: Some((Timestamp(5), Timestamp(8))), ..Filter::default() }, |number| (5..8).contains(&number));
}

#[test]
fn a_filter_by_time_finds_the_passage_of_that_time() {
    let timed = |time, text: &str| Passage { time: Some(Timestamp(time)), ..passage(text) };
    let passages = vec![timed(1, "orders orders"), timed(5, "one of the orders"), passage("orders")];
    let mut shelf = Shelf::new();
    shelf.add(Document { id: "a".to_owned(), passages, ..Document::default() });
    let filter = Filter { time: Some((Timestamp(2), Timestamp(9))), ..Filter::default() };
    let hits = shelf.index.search(1, &Question { filter, ..ask("orders") }, None);
    assert_eq!(hits.iter().map(|hit| hit.passage).collect::<Vec<_>>(), [1]);
}

/// However rare what passes is, it is found with the score it has among all.
#[track_caller]
fn check(filter: Filter, passes: impl Fn(usize) -> bool) {
    let mut shelf = Shelf::new();
    (0..40).for_each(|number| shelf.add(numbered(number)));
    let question = Question { limit: 100, ..ask("one of the many orders") };
    let all = shelf.index.search(1, &question, None);
    assert_eq!(all.len(), 40);
    let expected: Vec<Hit> = all.into_iter().filter(|hit| passes(number(hit))).collect();
    let found = shelf.index.search(1, &Question { filter: filter.clone(), ..question.clone() }, None);
    assert_eq!(found, expected, "{filter:?}");
    let few = shelf.index.search(1, &Question { filter, limit: 2, ..question }, None);
    assert_eq!(ids(&few), ids(&expected[..expected.len().min(2)]));
}

fn numbered(number: usize) -> Document {
    let mut tags = Vec::new();
    tags.extend(number.is_multiple_of(2).then(|| "even".to_owned()));
    tags.extend(number.is_multiple_of(3).then(|| "third".to_owned()));
    let text = format!("{} order {}", "many ".repeat(number % 5), "word ".repeat(number));
    Document {
        id: format!("d{number:02}"),
        collection: ["turn", "note"][number % 2].to_owned(),
        r#type: format!("t{}", number % 3),
        tags,
        passages: vec![Passage { time: Some(Timestamp(number as i64)), ..passage(&text) }],
        ..Document::default()
    }
}

fn number(hit: &Hit) -> usize {
    hit.document[1..].parse().expect("a number")
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}
