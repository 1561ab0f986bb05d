//! From facts to what they change in an index.
//!
//! A document that facts touch at several points is read as it was between them; what is touched once is read at the end of the
//! page, together with all others. Where the pages end makes no difference to the outcome.

use std::collections::BTreeMap;
use std::sync::Arc;

use ledger::{DocumentRows, Fact, PassageRow, Seq};
use scope::TenantId;
use sha2::{Digest, Sha256};

use crate::embed::StaticTable;
use crate::source::{Placed, Source, SourceError};
use crate::{Analysed, Document, Quantised, embed_text};

/// So many documents are read and analysed at once.
const DOCUMENTS_AT_ONCE: usize = 64;

/// A document as it is from a point on.
#[derive(Debug, Clone)]
pub struct Change {
    pub document: String,
    pub partition: String,
    pub from: Seq,
    /// None when it is gone.
    pub passages: Vec<Derived>,
}

/// A passage, ready for an index.
#[derive(Debug, Clone)]
pub struct Derived {
    pub hash: [u8; 16],
    pub analysed: Analysed,
    /// Of the table in the box.
    pub vector: Option<Quantised>,
}

/// What the facts of one page change, in the order of points and of ids. `at` is the last fact of the page.
pub async fn changes(
    source: &dyn Source,
    tenant: &TenantId,
    facts: &[Fact],
    at: Seq,
    table: &Arc<StaticTable>,
) -> Result<Vec<Change>, SourceError> {
    let own: Vec<Fact> = facts.iter().filter(|fact| is_of(source, fact)).cloned().collect();
    if own.is_empty() {
        return Ok(Vec::new());
    }
    let mut changes = Vec::new();
    for (read_at, wanted) in by_point(source.touched(tenant, &own, at).await?, at) {
        for some in wanted.chunks(DOCUMENTS_AT_ONCE) {
            let ids: Vec<String> = some.iter().map(|(_, id)| id.clone()).collect();
            let found = source.documents(tenant, read_at, &ids).await?;
            let some: Vec<(Seq, String, Option<Placed>)> =
                some.iter().zip(found).map(|((from, id), placed)| (*from, id.clone(), placed)).collect();
            let table = Arc::clone(table);
            let derive = move || some.into_iter().map(|wanted| change(wanted, &table)).collect::<Vec<_>>();
            changes.extend(tokio::task::spawn_blocking(derive).await?);
        }
    }
    changes.sort_by(|a, b| (a.from, &a.document).cmp(&(b.from, &b.document)));
    Ok(changes)
}

fn is_of(source: &dyn Source, fact: &Fact) -> bool {
    fact.kind.strip_prefix(source.name()).is_some_and(|rest| rest.starts_with('.'))
}

/// Where each document is read for each point at which it was touched: right before it is touched again, or at the end.
fn by_point(mut touched: Vec<(Seq, String)>, at: Seq) -> BTreeMap<Seq, Vec<(Seq, String)>> {
    touched.sort_by(|a, b| (&a.1, a.0).cmp(&(&b.1, b.0)));
    touched.dedup();
    let mut points: BTreeMap<Seq, Vec<(Seq, String)>> = BTreeMap::new();
    for (place, (from, id)) in touched.iter().enumerate() {
        let next = touched.get(place + 1).filter(|(_, next)| next == id);
        let read_at = next.map_or(at, |(next, _)| next - 1);
        points.entry(read_at).or_default().push((*from, id.clone()));
    }
    points
}

/// A document as it is from a point on, analysed.
pub fn change((from, document, placed): (Seq, String, Option<Placed>), table: &StaticTable) -> Change {
    let Some(Placed { partition, document: found }) = placed else {
        return Change { document, partition: String::new(), from, passages: Vec::new() };
    };
    let passages = (0..found.passages.len()).map(|passage| derived(&found, passage, table)).collect();
    Change { document, partition, from, passages }
}

fn derived(document: &Document, passage: usize, table: &StaticTable) -> Derived {
    let (analysed, text) = (Analysed::new(document, passage), embed_text(document, passage));
    let vector = Some(table.vector(&text)).filter(|vector| !vector.is_empty());
    let digest = Sha256::new().chain_update(analysed.to_bytes()).chain_update(&text).finalize();
    let hash = *digest.first_chunk().expect("a digest is longer");
    Derived { hash, analysed, vector: vector.map(|vector| Quantised::new(&vector)) }
}

impl From<&Change> for DocumentRows {
    fn from(change: &Change) -> Self {
        let row = |derived: &Derived| PassageRow {
            hash: derived.hash,
            body: derived.analysed.to_bytes(),
            vector: derived.vector.as_ref().map(Quantised::to_bytes).unwrap_or_default(),
        };
        Self {
            document: change.document.clone(),
            partition: change.partition.clone(),
            from: change.from,
            passages: change.passages.iter().map(row).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_touched_again_is_read_right_before() {
        let touched = [(3, "a"), (5, "a"), (5, "b"), (5, "a"), (9, "a")];
        let points = by_point(touched.map(|(seq, id)| (seq, id.to_owned())).to_vec(), 12);
        let shown: Vec<String> = points
            .iter()
            .map(|(at, wanted)| {
                let wanted: Vec<String> = wanted.iter().map(|(from, id)| format!("{id}{from}")).collect();
                format!("{at}: {}", wanted.join(" "))
            })
            .collect();
        assert_eq!(shown, ["4: a3", "8: a5", "12: a9 b5"]);
    }
}
