//! Elements by the words of their name, type, description and properties.
//!
//! Three tiers, in this order: elements that have the text for a name, elements that hold all its words (the words of a
//! joined name first), elements that hold some. The ledger weighs at most [`ledger::words::CANDIDATES_MAX`] records, so in a very large repository a common
//! word finds the newer elements.

use std::collections::BTreeSet;

use futures::future::BoxFuture;
use ledger::Search;
use ledger::words::CANDIDATES_MAX;

use super::{Hit, Question, Retriever};
use crate::Error;
use crate::domain::Stored;
use crate::domain::element::Element;
use crate::domain::fact::kind;
use crate::domain::name::{normalised, words};
use crate::projection::Snapshot;

/// Ranks by words.
#[derive(Debug, Default, Clone, Copy)]
pub struct ByWords;

impl Retriever for ByWords {
    fn retrieve<'a>(
        &'a self,
        snapshot: &'a Snapshot<'a>,
        question: &'a Question,
    ) -> BoxFuture<'a, Result<Vec<Hit>, Error>> {
        Box::pin(async move {
            let mut list = List { question, known: BTreeSet::new(), hits: Vec::new() };
            for model in snapshot.models().await? {
                list.extend(snapshot.namesakes(&model.id, normalised(&question.text)).await?);
            }
            for search in [all_words(question), some_words(question)] {
                if !list.is_full() {
                    let mut found = snapshot.elements_with_words(search).await?;
                    found.sort_by_cached_key(|element| !is_name(&question.text, element));
                    list.extend(found);
                }
            }
            Ok(list.hits)
        })
    }
}

/// What was found so far.
struct List<'a> {
    question: &'a Question,
    known: BTreeSet<String>,
    hits: Vec<Hit>,
}

impl List<'_> {
    fn is_full(&self) -> bool {
        self.hits.len() >= self.question.limit
    }

    fn extend(&mut self, found: Vec<Stored<Element>>) {
        for element in found {
            if !self.is_full() && self.question.filter.admits(&element) && self.known.insert(element.id.clone()) {
                self.hits.push(Hit { element, similarity: None });
            }
        }
    }
}

/// True when the text is the element's name, whether its words are joined or apart.
fn is_name(text: &str, element: &Element) -> bool {
    ledger::words::words(&words(text)) == ledger::words::words(&words(element.name.as_str()))
}

/// The type's name is among the words of an element, so a wanted type narrows the search itself.
fn all_words(question: &Question) -> Search {
    let r#type = question.filter.r#type.map(|of| of.label()).unwrap_or_default();
    Search { all_words: true, ..search(format!("{type} {}", words(&question.text))) }
}

fn some_words(question: &Question) -> Search {
    search(format!("{} {}", question.text, words(&question.text)))
}

fn search(text: String) -> Search {
    Search {
        kind: kind::ELEMENT.to_owned(),
        scope: None,
        r#type: None,
        text,
        all_words: false,
        prefix: true,
        weighed_max: CANDIDATES_MAX,
        limit: CANDIDATES_MAX,
    }
}
