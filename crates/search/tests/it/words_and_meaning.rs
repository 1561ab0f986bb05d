//! Words and meaning together.

use search::embed::StaticTable;
use search::{Analysed, Document, Embedder, Hit, Index, Passage, Quantised, Question, Row, embed_text};

use crate::ask;

const TEXTS: [(&str, &str); 5] = [
    ("dog", "We adopted a puppy from the shelter last week."),
    ("car", "The automobile would not start this morning."),
    ("pay", "The customer settled the bill for the goods."),
    ("tree", "An old oak stands behind the church."),
    ("trip", "They drove a vehicle to the sea."),
];

#[test]
fn what_means_the_same_is_found_without_a_common_word() {
    let index = index();
    assert_eq!(search(&index, &ask("new dog"))[0].document, "dog");
    assert_eq!(search(&index, &ask("vehicle trouble"))[0].document, "trip");
    assert_eq!(search(&index, &ask("invoice payment"))[0].document, "pay");
    assert_eq!(index.coverage(1), (5, 5));
}

#[test]
fn a_least_similarity_binds_only_what_meaning_found() {
    let index = index();
    let near = |text: &str, similarity_min| search(&index, &Question { similarity_min, ..ask(text) });
    assert!(near("new dog", 0.0).len() >= 2);
    assert_eq!(near("new dog", 0.9), []);
    assert!(near("new dog", 0.2).iter().all(|hit| hit.similarity.is_some_and(|cosine| cosine >= 0.2)));
    let by_word = near("vehicle dynamics of unsprung masses", 0.9);
    assert_eq!(by_word.iter().map(|hit| hit.document.as_str()).collect::<Vec<_>>(), ["trip"]);
}

#[test]
fn a_vector_that_does_not_fit_counts_as_none() {
    let mut index = index();
    let question = ask("vehicle");
    let by_words = index.search(1, &question, None);
    assert_eq!(index.search(1, &question, Some(&[1.0, 0.0])), by_words);
    assert_eq!(index.search(1, &question, Some(&[])), by_words);
    index.insert(Row { slot: 9, document: "odd".to_owned(), vector: Some(Quantised::new(&[1.0])), ..row(0) });
    index.set_vector(9, Quantised::new(&[0.0; 256]));
    assert_eq!(index.coverage(1), (5, 6));
}

fn index() -> Index {
    let mut index = Index::new(Some(StaticTable::new().space().clone()));
    (0..TEXTS.len()).for_each(|number| index.insert(row(number)));
    index
}

fn row(number: usize) -> Row {
    let (id, text) = TEXTS[number];
    let passages = vec![Passage { text: text.to_owned(), ..Passage::default() }];
    let document = Document { id: id.to_owned(), passages, ..Document::default() };
    let vector = Some(Quantised::new(&StaticTable::new().vector(&embed_text(&document, 0))));
    let analysed = Analysed::new(&document, 0);
    Row { slot: number as u64, document: document.id, passage: 0, from: 1, to: None, analysed, vector }
}

fn search(index: &Index, question: &Question) -> Vec<Hit> {
    index.search(1, question, Some(&StaticTable::new().vector(&question.text)))
}
