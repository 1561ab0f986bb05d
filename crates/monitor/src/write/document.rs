//! Documents are kept as files, and cut into snippets that are found.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use blobs::{Folder, Limit};
use contract::Context;
use contract::generated::monitor::{
    self as proto, CreateDocumentRequest, CreateDocumentResponse, CreateSnippetRequest, CreateSnippetResponse,
};
use desk::Stored;
use ledger::Expectation;

use super::entity::decision;
use super::{Decision, Write, receipt};
use crate::Error;
use crate::domain::fact::Happening;
use crate::domain::narrative::{Document, Snippet};
use crate::domain::node::{Source, Universe};
use crate::domain::row::{Row, kind};
use crate::domain::words::DocumentKind;
use crate::domain::{check, chunk, claim, limit};
use crate::error::Flaws;
use crate::projection::Reader;
use crate::projection::message::word;

/// Largest document.
const BYTES_MAX: usize = 4 * 1024 * 1024;

impl Write {
    pub(super) async fn new_document(
        &self,
        ctx: &Context,
        request: &CreateDocumentRequest,
    ) -> Result<Decision<CreateDocumentResponse>, Error> {
        let mut flaws = Flaws::default();
        let title = flaws.check(check::name("title", &request.title));
        let doc_id = flaws.check(check::optional("doc_id", request.doc_id.as_deref(), limit::NAME_CHARS_MAX));
        flaws.refuse()?;
        let text = text_of(request)?;
        let reader = self.reader(ctx);
        let universe = reader.universe("universe_id", &request.universe_id).await?;
        let source = source_of(&reader, request.source_id.as_deref(), &universe).await?;
        let kind = match word::<proto::DocumentKind>(request.document_kind) {
            "rulebook" => DocumentKind::Rulebook,
            _ => DocumentKind::Text,
        };
        // The same text of the same document is the same document, so that reading it in again changes nothing.
        let named = if doc_id.is_empty() { title.as_str() } else { doc_id.as_str() };
        let document_id = chunk::id(&universe.universe_id, 0, &claim::digest([named, &text]));
        let snippets = snippets(ctx, &universe.universe_id, source.as_deref(), (&document_id, named), (&text, kind));
        let document = Document {
            document_id: document_id.clone(),
            universe_id: universe.universe_id.clone(),
            source_id: source,
            doc_id: named.to_owned(),
            title,
            kind,
            media_type: request.media_type.clone().unwrap_or_else(|| "text/markdown".to_owned()),
            blob: self.keep(ctx, text.as_bytes()).await?,
            bytes: text.len() as u64,
            snippet_count: snippets.len() as u64,
            created_at: ctx.now,
        };
        let answer = CreateDocumentResponse {
            document_id,
            snippet_count: i64::try_from(snippets.len()).unwrap_or(i64::MAX),
            snippet_ids: snippets.iter().map(|snippet| snippet.snippet_id.clone()).collect(),
            created_at: document.created_at.to_string(),
            receipt: receipt(),
        };
        let rows = std::iter::once(Row::Document(document)).chain(snippets.into_iter().map(Row::Snippet)).collect();
        let expectations = vec![Expectation::Exists { key: universe.key.clone() }];
        Ok(decision(Happening::DocumentCreated, rows, expectations, answer))
    }

    pub(super) async fn new_snippet(
        &self,
        ctx: &Context,
        request: &CreateSnippetRequest,
    ) -> Result<Decision<CreateSnippetResponse>, Error> {
        let mut flaws = Flaws::default();
        let text = flaws.check(check::text("text", &request.text, limit::SNIPPET_CHARS_MAX));
        let section = flaws.check(check::optional("section", request.section.as_deref(), limit::NAME_CHARS_MAX));
        flaws.refuse()?;
        let reader = self.reader(ctx);
        let universe = reader.universe("universe_id", &request.universe_id).await?;
        let mut source_id = source_of(&reader, request.source_id.as_deref(), &universe).await?;
        let mut doc_id = String::new();
        let mut document_id = None;
        if let Some(id) = &request.document_id {
            let document: Stored<Document> = reader.get(kind::DOCUMENT, ("document_id", "document"), id).await?;
            same(&universe, "document_id", &document.universe_id)?;
            let document = document.into_row();
            source_id = source_id.or(document.source_id);
            doc_id = document.doc_id;
            document_id = Some(document.document_id);
        }
        let snippet = Snippet {
            snippet_id: ctx.ids.next(),
            universe_id: universe.universe_id.clone(),
            document_id,
            source_id,
            doc_id,
            text,
            page: request.page.map(i64::from),
            section,
            number: 0,
            created_at: ctx.now,
        };
        let answer = CreateSnippetResponse {
            snippet_id: snippet.snippet_id.clone(),
            created_at: snippet.created_at.to_string(),
            receipt: receipt(),
        };
        let expectations = vec![Expectation::Exists { key: universe.key.clone() }];
        Ok(decision(Happening::SnippetCreated, vec![Row::Snippet(snippet)], expectations, answer))
    }

    /// Keeps bytes as a file and returns the text of its key. The same bytes are one file.
    async fn keep(&self, ctx: &Context, mut bytes: &[u8]) -> Result<String, Error> {
        let failed =
            |cause: String| Error::internal(&ctx.request.request_id, format!("a document was not kept: {cause}"));
        let folder =
            Folder::new(&ctx.scope.tenant, "documents", "monitor").map_err(|error| failed(error.to_string()))?;
        let kept = self.blobs.put(&folder, &mut bytes, Limit::of(BYTES_MAX as u64)).await;
        Ok(kept.map_err(|error| failed(error.to_string()))?.key.to_string())
    }
}

/// The text of a document, given as text or as base64.
fn text_of(request: &CreateDocumentRequest) -> Result<String, Error> {
    let text = match (&request.text, &request.content_base64) {
        (Some(text), None) => text.clone(),
        (None, Some(base64)) => {
            let bytes = BASE64.decode(base64).map_err(|_| {
                Error::invalid(
                    "content_base64",
                    "is no base64",
                    "encode the bytes with the standard alphabet and padding",
                )
            })?;
            String::from_utf8(bytes).map_err(|_| {
                Error::invalid("content_base64", "holds no UTF-8 text", "give text or Markdown in UTF-8")
            })?
        }
        (Some(_), Some(_)) => {
            return Err(Error::invalid("content_base64", "is given beside text", "give one of them"));
        }
        (None, None) => return Err(Error::invalid("text", "is absent", "give text, or content_base64")),
    };
    let field = if request.text.is_some() { "text" } else { "content_base64" };
    if text.trim().is_empty() {
        return Err(Error::invalid(field, "is empty", "give some text"));
    }
    if text.len() > BYTES_MAX {
        let reason = format!("has {} bytes", text.len());
        return Err(Error::invalid(
            field,
            reason,
            format!("give {BYTES_MAX} at most, and the rest as further documents"),
        ));
    }
    Ok(text)
}

fn snippets(
    ctx: &Context,
    universe_id: &str,
    source_id: Option<&str>,
    (document_id, doc_id): (&str, &str),
    (text, kind): (&str, DocumentKind),
) -> Vec<Snippet> {
    let snippet = |(place, chunk): (usize, chunk::Chunk)| {
        let number = place as u64 + 1;
        Snippet {
            snippet_id: chunk::id(document_id, number, &chunk.text),
            universe_id: universe_id.to_owned(),
            document_id: Some(document_id.to_owned()),
            source_id: source_id.map(str::to_owned),
            doc_id: doc_id.to_owned(),
            text: chunk.text,
            page: chunk.page,
            section: chunk.section,
            number,
            created_at: ctx.now,
        }
    };
    chunk::cut(text, kind).into_iter().enumerate().map(snippet).collect()
}

async fn source_of(reader: &Reader<'_>, id: Option<&str>, universe: &Universe) -> Result<Option<String>, Error> {
    let Some(id) = id else { return Ok(None) };
    let source: Stored<Source> = reader.get(kind::SOURCE, ("source_id", "source"), id).await?;
    same(universe, "source_id", &source.universe_id)?;
    Ok(Some(source.into_row().source_id))
}

fn same(universe: &Universe, field: &str, universe_id: &str) -> Result<(), Error> {
    if universe_id == universe.universe_id {
        return Ok(());
    }
    let message = format!("{field} names something of another universe");
    Err(Error::constraint(field, message, "name something of the universe that universe_id names"))
}
