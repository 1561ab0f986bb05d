//! Questions and their answers.

use std::collections::BTreeSet;
use std::sync::Arc;

use ledger::Seq;
use scope::TenantId;
use tokio::time::{Instant, timeout, timeout_at};

use super::line::Line;
use super::{Finder, Inner, SearchError};
use crate::shelf::Shelf;
use crate::{Document, Embedder as _, Hit, Placed, Question, derive};

/// An index with more passages than this is asked on a thread that may block.
const PASSAGES_INLINE_MAX: usize = 2_000;

/// Documents that lie over a partition for one question, in the place of those with the same ids.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Drafts {
    /// All that are not what they were, also those that are gone.
    pub ids: BTreeSet<String>,
    pub documents: Vec<Document>,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Found {
    pub hits: Vec<Hit>,
    /// What keeps the answer from being as good as it could be, each in a sentence; empty is usual.
    pub notes: Vec<String>,
}

impl Finder {
    /// The best documents of a partition as it was at a point that has happened.
    pub async fn find(
        &self,
        tenant: &TenantId,
        partition: &str,
        at: Seq,
        question: &Question,
    ) -> Result<Found, SearchError> {
        let inner = &self.search.inner;
        let Some(line) = inner.line(tenant, self.name) else { return Ok(Found::default()) };
        let mut found = Found::default();
        found.notes.extend(catch_up(inner, &line, at).await);
        let shelf = line.shelf(inner, partition).await?;
        if line.is_damaged.load(std::sync::atomic::Ordering::Relaxed) {
            found
                .notes
                .push("Some of the index is damaged and is being made again; not everything is found.".to_owned());
        }
        let vector = match embed(inner, &shelf, at, question).await {
            Ok(vector) => Some(vector).filter(|vector| !vector.is_empty()),
            Err(reason) => {
                found.notes.push(format!("Found by words only: {reason}."));
                None
            }
        };
        found.hits = ask(shelf, at, question.clone(), vector).await;
        Ok(found)
    }

    /// The documents of hits as they were at the point that was asked about; `None` for one that is gone.
    pub async fn documents(
        &self,
        tenant: &TenantId,
        at: Seq,
        hits: &[Hit],
    ) -> Result<Vec<Option<Document>>, SearchError> {
        let Some(line) = self.search.inner.line(tenant, self.name) else { return Ok(vec![None; hits.len()]) };
        let ids: Vec<String> = hits.iter().map(|hit| hit.document.clone()).collect();
        let placed = line.source.documents(tenant, at, &ids).await.map_err(SearchError::Source)?;
        Ok(placed.into_iter().map(|placed| placed.map(|placed| placed.document)).collect())
    }

    /// The same with drafts over it. They are weighed among themselves, and placed by their scores.
    pub async fn find_over(
        &self,
        tenant: &TenantId,
        partition: &str,
        at: Seq,
        question: &Question,
        drafts: &Drafts,
    ) -> Result<Found, SearchError> {
        let wider = Question { limit: question.limit.saturating_add(drafts.ids.len()), ..question.clone() };
        let mut found = self.find(tenant, partition, at, &wider).await?;
        found.hits.retain(|hit| !drafts.ids.contains(&hit.document));
        let inner = &self.search.inner;
        let shelf = Shelf::new(partition, inner.index(inner.table.space()));
        drafts.documents.iter().for_each(|document| {
            let placed = Placed { partition: partition.to_owned(), document: document.clone() };
            shelf.write().change(&derive::change((0, document.id.clone(), Some(placed)), &inner.table));
        });
        let vector = inner.table.vector(&shelf.read().index.question_text_to_embed(0, question));
        found.hits.extend(shelf.read().index.search(0, question, Some(&vector)));
        found.hits.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.document.cmp(&b.document)));
        found.hits.truncate(question.limit);
        Ok(found)
    }
}

/// Waits for the index, though not for ever; what is wrong when it is not there yet.
async fn catch_up(inner: &Inner, line: &Line, at: Seq) -> Option<String> {
    let deadline = Instant::now() + inner.options.patience;
    match timeout_at(deadline, line.catch_up(inner, at)).await {
        Ok(Ok(())) => None,
        Ok(Err(error)) => {
            let (tenant, index) = (line.tenant.as_str(), line.name());
            tracing::warn!(%error, source = ?std::error::Error::source(&error), tenant, index, "search cannot catch up");
            Some(behind(line, at))
        }
        Err(_) => Some(behind(line, at)),
    }
}

fn behind(line: &Line, at: Seq) -> String {
    let facts = at.saturating_sub(line.through());
    format!("The index is {facts} facts behind and catching up; what is newer is not found yet.")
}

/// The vector of the question in the space of the shelf, or why there is none.
async fn embed(inner: &Inner, shelf: &Arc<Shelf>, at: Seq, question: &Question) -> Result<Vec<f32>, String> {
    let (text, is_table) = {
        let content = shelf.read();
        let is_table = content.index.space().is_none_or(crate::Space::is_of_a_table);
        (content.index.question_text_to_embed(at, question), is_table)
    };
    match &inner.options.model {
        Some(model) if !is_table => {
            let texts = [text];
            let embedded = timeout(inner.options.patience, model.embed(&texts)).await;
            let vectors = embedded.map_err(|_| "the embedder did not answer in time".to_owned())?;
            Ok(vectors.map_err(|error| error.to_string())?.pop().unwrap_or_default())
        }
        _ => Ok(inner.table.vector(&text)),
    }
}

async fn ask(shelf: Arc<Shelf>, at: Seq, question: Question, vector: Option<Vec<f32>>) -> Vec<Hit> {
    let search = move |shelf: &Shelf| shelf.read().index.search(at, &question, vector.as_deref());
    if shelf.read().index.len() <= PASSAGES_INLINE_MAX {
        return search(&shelf);
    }
    tokio::task::spawn_blocking(move || search(&shelf)).await.unwrap_or_default()
}
