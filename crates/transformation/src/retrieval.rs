//! Which elements answer a question best, and what to tell about each.
//!
//! A [`Retriever`] ranks elements in one way; [`fusion`] makes one ranking of all lists. Today there is one way, by
//! [`words`]; a way by meaning joins it with a list of its own. [`chunk`] words an element with its surroundings.
//! Everything is read at the point of the [`Snapshot`], so the same question at the same point has the same answer.

pub mod chunk;
pub mod fusion;
mod ties;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use futures::future::BoxFuture;

use crate::Error;
use crate::domain::Stored;
use crate::domain::element::Element;
use crate::metamodel::{ElementType, Layer};
use crate::projection::Snapshot;

pub use ties::{owned_by, ties_of};
pub use words::ByWords;

/// What is asked for.
#[derive(Debug, Clone, Default)]
pub struct Question {
    pub text: String,
    pub filter: ElementFilter,
    /// At most this many elements.
    pub limit: usize,
    /// Below this likeness an element is not found by meaning. Words do not ask for it.
    pub similarity_min: f64,
}

/// What an element must be to be found.
#[derive(Debug, Clone, Default)]
pub struct ElementFilter {
    pub layer: Option<Layer>,
    pub r#type: Option<ElementType>,
    /// Only these ids.
    pub among: Option<BTreeSet<String>>,
}

impl ElementFilter {
    pub fn admits(&self, element: &Element) -> bool {
        self.layer.is_none_or(|layer| element.r#type.layer() == layer)
            && self.r#type.is_none_or(|of| element.r#type == of)
            && self.among.as_ref().is_none_or(|ids| ids.contains(&element.id))
    }
}

/// An element as one retriever found it.
#[derive(Debug, Clone)]
pub struct Hit {
    pub element: Stored<Element>,
    /// Cosine similarity, from a retriever that knows it.
    pub similarity: Option<f64>,
}

/// One way to rank the elements of a repository.
pub trait Retriever: Send + Sync {
    /// Elements that the filter admits, best first and none twice.
    fn retrieve<'a>(
        &'a self,
        snapshot: &'a Snapshot<'a>,
        question: &'a Question,
    ) -> BoxFuture<'a, Result<Vec<Hit>, Error>>;
}

/// An element with its place among all that were found.
#[derive(Debug, Clone)]
pub struct Found {
    pub element: Stored<Element>,
    /// 0 to 1.
    pub score: f64,
    pub similarity: Option<f64>,
}

/// The best elements by all retrievers together.
pub async fn rank(
    retrievers: &[&dyn Retriever],
    snapshot: &Snapshot<'_>,
    question: &Question,
) -> Result<Vec<Found>, Error> {
    let mut elements = BTreeMap::new();
    let mut lists = Vec::with_capacity(retrievers.len());
    for retriever in retrievers {
        let hits = retriever.retrieve(snapshot, question).await?;
        lists.push(hits.iter().map(|hit| (hit.element.id.clone(), hit.similarity)).collect());
        elements.extend(hits.into_iter().map(|hit| (hit.element.id.clone(), hit.element)));
    }
    let found = fusion::fuse(&lists).into_iter().take(question.limit).filter_map(|fused| {
        let element = elements.remove(&fused.id)?;
        Some(Found { element, score: fused.score, similarity: fused.similarity })
    });
    Ok(found.collect())
}
