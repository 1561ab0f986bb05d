//! Vectors of a model: made in the background, row after row, while the table in the box serves.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use ledger::{KeptRow, SearchStore, Seq};

use super::line::Line;
use super::{Inner, Search, SearchError};
use crate::source::{Placed, SourceError};
use crate::{Embedder, Quantised, embed_text};

/// So many rows are embedded at once.
const ROWS_AT_ONCE: usize = 64;
/// How long to wait when there was nothing to embed, and after a failure.
const PAUSE: Duration = Duration::from_millis(200);
const AFTER_FAILURE: Duration = Duration::from_secs(10);

impl Search {
    /// Embeds what has no vector of the model yet, for as long as there is a clone of this.
    pub(super) fn follow_vectors(&self) {
        if self.inner.options.model.is_none() || self.inner.store.is_none() {
            return;
        }
        let weak = Arc::downgrade(&self.inner);
        tokio::spawn(async move {
            while let Some(inner) = weak.upgrade() {
                let pause = match embed_all(&inner).await {
                    Ok(()) => PAUSE,
                    Err(error) => {
                        let source = std::error::Error::source(&error);
                        tracing::warn!(%error, ?source, "passages cannot be embedded now; they are found by words and by the table");
                        AFTER_FAILURE
                    }
                };
                drop(inner);
                tokio::time::sleep(pause).await;
            }
        });
    }
}

async fn embed_all(inner: &Inner) -> Result<(), SearchError> {
    for tenant in inner.ledger.tenants().await? {
        for line in inner.lines_of(&tenant) {
            inner.embed_missing(&line).await?;
        }
    }
    Ok(())
}

impl Inner {
    /// Embeds the rows of a line that have no vector of the model. When none is left, questions are asked of the model.
    pub async fn embed_missing(&self, line: &Line) -> Result<(), SearchError> {
        let (Some(model), Some(store)) = (&self.options.model, &self.store) else { return Ok(()) };
        loop {
            let after = line.embedded.load(Ordering::Acquire);
            let (tenant, space) = (&line.tenant, &model.space().model);
            let rows = store.rows_without_vector(tenant, line.name(), space, after, ROWS_AT_ONCE).await?;
            let Some(last) = rows.last().map(|row| row.number) else { break };
            self.lag.vectors.store(rows.len() as u64, Ordering::Relaxed);
            self.embed_rows(model.as_ref(), store.as_ref(), line, rows).await?;
            line.embedded.store(last, Ordering::Release);
        }
        self.lag.vectors.store(0, Ordering::Relaxed);
        if !line.has_model.swap(true, Ordering::AcqRel) {
            // From now on they are read with the vectors of the model.
            self.shelves.forget(&line.tenant, line.name());
        }
        Ok(())
    }

    async fn embed_rows(
        &self,
        model: &dyn Embedder,
        store: &dyn SearchStore,
        line: &Line,
        rows: Vec<KeptRow>,
    ) -> Result<(), SearchError> {
        let texts = texts(line, &rows).await.map_err(SearchError::Source)?;
        let failed = |error: crate::embed::EmbedError| SearchError::Source(Box::new(error));
        let vectors = model.embed(&texts).await.map_err(failed)?;
        let vectors: Vec<Quantised> = vectors.iter().map(|vector| Quantised::new(vector)).collect();
        let numbers = rows.iter().map(|row| row.number);
        let bytes = vectors.iter().map(|vector| if vector.values.is_empty() { Vec::new() } else { vector.to_bytes() });
        store.put_vectors(&line.tenant, &model.space().model, numbers.zip(bytes).collect()).await?;
        for (_, shelf) in self.shelves.of(&line.tenant, line.name()) {
            let mut content = shelf.write();
            if content.index.space() == Some(model.space()) {
                for (row, vector) in rows.iter().zip(&vectors) {
                    content.set_vector(&row.document, row.passage, row.from, vector.clone());
                }
            }
        }
        Ok(())
    }
}

/// What to embed of each row, read as it was when the row began.
async fn texts(line: &Line, rows: &[KeptRow]) -> Result<Vec<String>, SourceError> {
    let mut points: BTreeMap<Seq, Vec<&KeptRow>> = BTreeMap::new();
    rows.iter().for_each(|row| points.entry(row.from).or_default().push(row));
    let mut texts = BTreeMap::new();
    for (from, rows) in points {
        let ids: Vec<String> = rows.iter().map(|row| row.document.clone()).collect();
        let found = line.source.documents(&line.tenant, from, &ids).await?;
        for (row, placed) in rows.iter().zip(found) {
            let text = |placed: Placed| embed_text(&placed.document, row.passage as usize);
            texts.insert(row.number, placed.map(text).unwrap_or_default());
        }
    }
    Ok(rows.iter().map(|row| texts.remove(&row.number).unwrap_or_default()).collect())
}
