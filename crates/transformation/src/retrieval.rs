//! Which elements answer a question best, and what to tell about each.
//!
//! [`documents`] says what search knows of an element: its [`chunk`], which words it with its surroundings. [`Retrieval`] asks at
//! the point of a [`Snapshot`], so the same question at the same point has the same answer; what proposals lay over it counts.

pub mod chunk;
mod documents;
mod ties;

use std::collections::BTreeSet;
use std::sync::Arc;

use ledger::SharedLedger;
use search::{Drafts, Filter, Finder, Hit, Parts, Search, SearchError};

use crate::Error;
use crate::domain::Stored;
use crate::domain::element::Element;
use crate::metamodel::{ElementType, Layer};
use crate::projection::{Snapshot, fold};
use documents::Elements;

pub use ties::{owned_by, ties_of};

/// What is asked for.
#[derive(Debug, Clone, Default)]
pub struct Question {
    pub text: String,
    pub filter: ElementFilter,
    /// At most this many elements.
    pub limit: usize,
    /// Below this cosine an element is not found by meaning. Words do not ask for it.
    pub similarity_min: f64,
    /// Whether the last word also stands for words that begin with it.
    pub prefix: bool,
    /// Whether each element tells what gave how much of its score.
    pub explain: bool,
}

/// What an element must be to be found.
#[derive(Debug, Clone, Default)]
pub struct ElementFilter {
    pub layer: Option<Layer>,
    pub r#type: Option<ElementType>,
    /// Only these ids.
    pub among: Option<BTreeSet<String>>,
}

/// An element that was found.
#[derive(Debug, Clone)]
pub struct Found {
    pub element: Stored<Element>,
    /// 0 to 1.
    pub score: f64,
    pub similarity: Option<f64>,
    pub parts: Option<Parts>,
}

/// The best elements, best first.
#[derive(Debug, Clone, Default)]
pub struct Ranked {
    pub found: Vec<Found>,
    /// What keeps the answer from being as good as it could be.
    pub notes: Vec<String>,
}

/// Finds elements.
#[derive(Clone)]
pub struct Retrieval {
    finder: Finder,
}

impl Retrieval {
    /// Has the elements of this ledger found.
    pub fn new(search: &Search, ledger: SharedLedger) -> Self {
        Self { finder: search.attach(Arc::new(Elements { ledger })) }
    }

    /// The elements that answer best, among those that the snapshot shows.
    pub async fn rank(&self, snapshot: &Snapshot<'_>, question: &Question) -> Result<Ranked, Error> {
        let drafts = drafts(snapshot).await?;
        let mut asked = asked(snapshot, question);
        loop {
            let (tenant, partition) = snapshot.searched();
            let found = match &drafts {
                Some(drafts) => self.finder.find_over(tenant, partition, snapshot.at, &asked, drafts).await,
                None => self.finder.find(tenant, partition, snapshot.at, &asked).await,
            };
            let found = found.map_err(failed)?;
            let is_all = found.hits.len() < asked.limit;
            let mut shown = shown(snapshot, found.hits).await?;
            // Search knows nothing of the members of a baseline, so it looks further until enough of them are among the hits.
            if is_all || shown.len() >= question.limit {
                shown.truncate(question.limit);
                return Ok(Ranked { found: shown, notes: found.notes });
            }
            asked.limit = asked.limit.saturating_mul(4);
        }
    }
}

fn asked(snapshot: &Snapshot<'_>, question: &Question) -> search::Question {
    let ElementFilter { layer, r#type, among } = &question.filter;
    let tags = layer.map(fold::layer_tag).into_iter().chain(snapshot.model_searched().map(documents::model_tag));
    let filter = Filter {
        types: r#type.map(|of| of.label().to_owned()).into_iter().collect(),
        tags: tags.collect(),
        among: among.clone(),
        ..Filter::default()
    };
    search::Question {
        text: question.text.clone(),
        filter,
        limit: question.limit,
        similarity_min: question.similarity_min,
        prefix: question.prefix,
        explain: question.explain,
    }
}

/// The elements of hits, as far as the snapshot shows them.
async fn shown(snapshot: &Snapshot<'_>, hits: Vec<Hit>) -> Result<Vec<Found>, Error> {
    let ids: Vec<&str> = hits.iter().map(|hit| hit.document.as_str()).collect();
    let elements = snapshot.elements_by_id(&ids).await?;
    let found = hits.iter().zip(elements).filter_map(|(hit, element)| {
        let (score, similarity, parts) = (hit.score, hit.similarity, hit.parts);
        Some(Found { element: element?, score, similarity, parts })
    });
    Ok(found.collect())
}

/// What proposals make of the elements that they touch.
async fn drafts(snapshot: &Snapshot<'_>) -> Result<Option<Drafts>, Error> {
    let ids: Vec<String> = snapshot.elements_drafted().await?.into_iter().collect();
    if ids.is_empty() {
        return Ok(None);
    }
    let (tenant, partition) = snapshot.searched();
    let placed = documents::documents(snapshot.ledger(), tenant, snapshot.at, &ids).await?;
    let here = placed.into_iter().flatten().filter(|placed| placed.partition == partition);
    Ok(Some(Drafts { documents: here.map(|placed| placed.document).collect(), ids: ids.into_iter().collect() }))
}

fn failed(error: SearchError) -> Error {
    match error {
        SearchError::Read(error) => error.into(),
        error => {
            let cause = format!("{error}: {:?}", std::error::Error::source(&error));
            desk::Failure::Internal { error_id: "search".to_owned(), cause }.into()
        }
    }
}
