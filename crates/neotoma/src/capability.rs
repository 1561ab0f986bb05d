//! Neotoma as the doors see it.

use std::sync::Arc;

use blobs::Blobs;
use blobs::jail::Roots;
use blobs::sign::Links;
use contract::generated::neotoma::{Services, manifest};
use contract::{Answer, Blob, CallError, Capability, Context, Manifest, Misfit, RequestMeta};
use desk::PageTokens;
use futures::future::BoxFuture;
use ledger::SharedLedger;
use serde_json::{Map, Value, json};

use crate::Error;
use crate::interpret::Interpreter;
use crate::projection::fold::Fold;
use crate::query::Query;
use crate::refusal;
use crate::write::{Recorder, Write};

/// What an operator chooses for neotoma.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// Largest file, in bytes.
    pub file_bytes_max: u64,
    /// Interpretations per user in 30 days.
    pub interpretations_max: u64,
    /// Whether upload_file may read files of this machine: only for a client on this machine.
    pub local_files: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self { file_bytes_max: 50 * 1024 * 1024, interpretations_max: 100, local_files: false }
    }
}

/// What neotoma is made of.
#[derive(Clone)]
pub struct Parts {
    pub ledger: SharedLedger,
    /// Where entities and sources are found.
    pub search: search::Search,
    pub config: Config,
    pub interpreter: Arc<dyn Interpreter>,
    pub blobs: Arc<dyn Blobs>,
    /// Signs links to files.
    pub links: Links,
    /// Seals cursors.
    pub tokens: PageTokens,
    /// Folders that upload_file may read from.
    pub roots: Arc<Roots>,
}

/// The capability, ready to be mounted.
pub struct Neotoma {
    manifest: Manifest,
    services: Services<Query, Write>,
    file_bytes_max: u64,
}

impl Neotoma {
    pub fn new(parts: Parts) -> Self {
        let file_bytes_max = parts.config.file_bytes_max;
        let query = Query::new(parts.clone());
        let write = Write::new(Recorder::new(parts.ledger.clone()), parts);
        Self { manifest: manifest(), services: Services { neotoma_query: query, neotoma_write: write }, file_bytes_max }
    }

    /// How its facts become records.
    pub fn fold() -> Arc<dyn ledger::Fold> {
        Arc::new(Fold)
    }
}

impl Capability for Neotoma {
    fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    fn call<'a>(
        &'a self,
        ctx: &'a Context,
        tool: &'a str,
        arguments: Map<String, Value>,
    ) -> BoxFuture<'a, Result<Answer, CallError>> {
        Box::pin(self.services.call(ctx, tool, arguments))
    }

    fn read<'a>(&'a self, ctx: &'a Context, uri: &'a str) -> BoxFuture<'a, Result<Blob, CallError>> {
        Box::pin(self.services.read(ctx, uri))
    }

    fn refuse<'a>(&'a self, _ctx: &'a Context, _tool: &'a str, misfit: &'a Misfit) -> BoxFuture<'a, CallError> {
        Box::pin(std::future::ready(refusal::refuse(misfit)))
    }

    /// A file of the largest size as base64, and then some for the refusal of a larger one to name its size.
    fn body_bytes_max(&self) -> Option<usize> {
        usize::try_from(self.file_bytes_max * 2).ok().map(|bytes| bytes.max(96 * 1024 * 1024))
    }

    fn too_large(&self, bytes: u64, _bytes_max: u64) -> Option<CallError> {
        // Three of four bytes of a request are the file.
        Some(Error::FileTooLarge { size: bytes / 4 * 3, max: self.file_bytes_max }.into())
    }

    fn envelope(&self, request: &RequestMeta, error: &CallError) -> Value {
        let mut details = Map::new();
        details.extend(error.field.as_ref().map(|field| ("field".to_owned(), Value::from(field.as_str()))));
        details.extend(refusal::reason(error).map(|reason| ("reason".to_owned(), reason.into())));
        details.extend(error.details.clone());
        let fix = error.suggestions.get("hint").cloned();
        details.extend(fix.map(|fix| ("fix".to_owned(), fix)));
        let near =
            error.suggestions.get("did_you_mean").filter(|near| near.as_array().is_some_and(|near| !near.is_empty()));
        details.extend(near.map(|near| ("did_you_mean".to_owned(), near.clone())));
        details.extend(refusal::correction(error).map(|(name, correction)| (name.to_owned(), correction)));
        json!({ "error": { "code": error.code, "message": error.message, "details": details, "trace_id": request.trace_id } })
    }
}
