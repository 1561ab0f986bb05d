//! What search knows of a memory: snapshots of entities, and the text of files by paragraph.
//!
//! [`Records`] follows the facts; [`entity`] says which fields of a snapshot are its text, its author, its time and its place in
//! a conversation.

mod entity;

use std::sync::Arc;

use blobs::{Blobs, Key};
use futures::future::BoxFuture;
use ledger::{Fact, RecordKey, RecordVersion, Seq, SharedLedger};
use scope::TenantId;
use search::{Document, Passage, Placed, Source, SourceError, Stream};
use tokio::io::AsyncReadExt as _;

use crate::domain::ids;
use crate::interpret::{self, QUOTED_BYTES_MAX, Quotes};
use crate::projection::fold;
use crate::projection::reader::Belongs as _;
use crate::projection::row::{SourceRow, kind};

use entity::Searched;

/// The type of what is found in files.
pub const SOURCE: &str = "source";
/// Of a longer file, the first paragraphs are found.
const PARAGRAPHS_MAX: usize = 2_000;

/// The entities and sources of all users.
pub struct Records {
    pub ledger: SharedLedger,
    pub blobs: Arc<dyn Blobs>,
    pub quotes: Quotes,
}

impl Source for Records {
    fn name(&self) -> &'static str {
        "neotoma"
    }

    fn touched<'a>(
        &'a self,
        _: &'a TenantId,
        facts: &'a [Fact],
        _: Seq,
    ) -> BoxFuture<'a, Result<Vec<(Seq, String)>, SourceError>> {
        let touched = facts.iter().flat_map(|fact| fold::searched(&fact.body).into_iter().map(|id| (fact.seq, id)));
        Box::pin(std::future::ready(Ok(touched.collect())))
    }

    fn documents<'a>(
        &'a self,
        tenant: &'a TenantId,
        at: Seq,
        ids: &'a [String],
    ) -> BoxFuture<'a, Result<Vec<Option<Placed>>, SourceError>> {
        Box::pin(async move {
            let keys: Vec<RecordKey> = ids.iter().map(|id| key(id)).collect();
            let mut placed = Vec::with_capacity(ids.len());
            for version in self.ledger.get(tenant, at, &keys).await? {
                placed.push(match version {
                    Some(version) if version.record.key.kind == kind::SOURCE => self.source(tenant, version).await,
                    Some(version) => entity(version),
                    None => None,
                });
            }
            Ok(placed)
        })
    }
}

fn key(id: &str) -> RecordKey {
    let kind = if ids::is_entity_id(id) { kind::ENTITY } else { kind::SOURCE };
    RecordKey::new(kind, id)
}

fn entity(version: RecordVersion) -> Option<Placed> {
    let found = Searched::read(&version.record.body).ok()?;
    let document = found.is_live().then(|| found.document())?;
    Some(Placed { partition: version.record.scope, document })
}

impl Records {
    async fn source(&self, tenant: &TenantId, version: RecordVersion) -> Option<Placed> {
        let source = SourceRow::read(&version.record.body).ok()?;
        let text = self.text(tenant, &source).await?;
        let passages = search::paragraphs(&text).into_iter().take(PARAGRAPHS_MAX).zip(0..).map(|(paragraph, order)| {
            let place = match (paragraph.line, paragraph.last_line) {
                (first, last) if first == last => format!("line {first}"),
                (first, last) => format!("lines {first}-{last}"),
            };
            let stream = Some(Stream { id: source.id.clone(), order });
            Passage { text: paragraph.text, place: Some(place), stream, ..Passage::default() }
        });
        let document = Document {
            id: source.id.clone(),
            collection: SOURCE.to_owned(),
            r#type: SOURCE.to_owned(),
            tags: Vec::new(),
            names: source.original_filename.iter().cloned().collect(),
            passages: passages.collect(),
        };
        Some(Placed { partition: version.record.scope, document })
    }

    /// The text of a file that is short enough, and has one.
    async fn text(&self, tenant: &TenantId, source: &SourceRow) -> Option<String> {
        let (path, mime_type) = (source.files.first()?, source.mime_type.as_deref()?);
        if source.file_size.is_none_or(|size| size > QUOTED_BYTES_MAX) {
            return None;
        }
        let key = Key::parse(tenant, path).ok()?;
        let mut bytes = Vec::new();
        self.blobs.read(&key, 0, QUOTED_BYTES_MAX).await.ok()?.read_to_end(&mut bytes).await.ok()?;
        let filename = source.original_filename.as_deref();
        self.quotes.text(interpret::Document { bytes: &bytes.into(), mime_type, filename }).await
    }
}
