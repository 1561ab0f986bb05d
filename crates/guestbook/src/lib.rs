//! Guestbook: a complete capability in little, as somebody else would write one.
//!
//! One proto (`proto/guestbook/v1/guestbook.proto`), this crate, one mount line. A signature is one fact, its record is
//! the fold of it; nothing here knows a protocol or a store.

mod fold;
// `gen` is a keyword, so the folder keeps the name and the module does not.
#[path = "gen/mod.rs"]
pub mod generated;

use std::sync::Arc;

use contract::{Answer, Blob, CallError, Capability, Context, ErrorKind, Manifest, RequestMeta};
use desk::module::{BoxError, Parts};
use futures::future::BoxFuture;
use ledger::{
    At, Change, Commit, CommitError, Find, Fold as _, Idempotency, NewFact, RecordKey, Refusal, SharedLedger,
    StoredAnswer,
};
use serde_json::{Map, Value, json};

pub use fold::Fold;
use fold::{KIND, SIGNED};
use generated::guestbook::{
    CountEntriesRequest, CountEntriesResponse, Entry, GetEntryRequest, GetEntryResponse, GuestbookQueryService,
    GuestbookWriteService, ListEntriesRequest, ListEntriesResponse, Services, SignRequest, SignResponse, manifest,
};

/// The capability, ready to be mounted.
pub struct Guestbook {
    manifest: Manifest,
    services: Services<Book, Book>,
}

/// The book itself: both sides of it.
#[derive(Clone)]
pub struct Book {
    ledger: SharedLedger,
}

impl Guestbook {
    pub fn new(ledger: SharedLedger) -> Self {
        let book = Book { ledger };
        Self { manifest: manifest(), services: Services { guestbook_write: book.clone(), guestbook_query: book } }
    }
}

/// What a server mounts.
pub struct Module;

impl desk::Module for Module {
    fn name(&self) -> &'static str {
        "guestbook"
    }

    fn build(&self, parts: Parts) -> BoxFuture<'_, Result<Arc<dyn Capability>, BoxError>> {
        let capability: Arc<dyn Capability> = Arc::new(Guestbook::new(parts.ledger));
        Box::pin(std::future::ready(Ok(capability)))
    }

    fn fold(&self) -> Option<Arc<dyn ledger::Fold>> {
        Some(Arc::new(Fold))
    }
}

impl Capability for Guestbook {
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

    fn envelope(&self, _: &RequestMeta, error: &CallError) -> Value {
        json!({ "error": { "code": error.code, "message": error.message, "field": error.field, "suggestions": error.suggestions } })
    }
}

impl GuestbookWriteService for Book {
    async fn sign(&self, ctx: &Context, request: SignRequest) -> Result<SignResponse, CallError> {
        let entry = Entry { id: ctx.ids.next(), name: request.name, line: request.line, version: 1 };
        let response = SignResponse { success: true, entry: Some(entry.clone()), outcome: "committed".to_owned() };
        let fact = NewFact {
            kind: SIGNED.to_owned(),
            subject: RecordKey::new(KIND, &entry.id),
            body: to_json(&entry),
            meta: json!({ "correlation_id": ctx.request.correlation_id, "actor": ctx.principal.id() }).to_string(),
        };
        let effects = Fold.effects(&fact).map_err(|_| CallError::internal(&ctx.request.request_id))?;
        let idempotency = ctx.effect.as_ref().map(|effect| {
            let identity = Idempotency {
                principal: ctx.principal.id(),
                operation: effect.operation.clone(),
                key: effect.key.clone(),
                request_hash: effect.request_hash.clone(),
            };
            let answer = StoredAnswer {
                payload: to_json(&response),
                aggregate_type: "entry".to_owned(),
                aggregate_id: Some(entry.id.clone()),
            };
            (identity, answer)
        });
        let change = Change {
            tenant: ctx.scope.tenant.clone(),
            at: ctx.now,
            idempotency,
            expectations: Vec::new(),
            facts: vec![(fact, effects)],
        };
        match self.ledger.commit(change).await {
            Ok(Commit::Done { .. }) => Ok(response),
            Ok(Commit::Replayed(stored)) => {
                serde_json::from_str(&stored.payload).map_err(|_| CallError::internal(&ctx.request.request_id))
            }
            Err(error) => Err(refused(error)),
        }
    }
}

impl GuestbookQueryService for Book {
    async fn list_entries(&self, ctx: &Context, request: ListEntriesRequest) -> Result<ListEntriesResponse, CallError> {
        let tenant = &ctx.scope.tenant;
        let sequence = self.ledger.point(tenant, At::Head).await.map_err(unavailable)?;
        let limit = if request.page_size == 0 { 20 } else { request.page_size as usize };
        let find = Find { limit, after: request.page_token, ..Find::all(KIND) };
        let page = self.ledger.find(tenant, sequence, find).await.map_err(unavailable)?;
        let entries = page.items.iter().filter_map(|found| serde_json::from_str(&found.record.body).ok()).collect();
        Ok(ListEntriesResponse { entries, next_page_token: page.next, sequence })
    }

    async fn get_entry(&self, ctx: &Context, request: GetEntryRequest) -> Result<GetEntryResponse, CallError> {
        let tenant = &ctx.scope.tenant;
        let sequence = self.ledger.point(tenant, At::Head).await.map_err(unavailable)?;
        let keys = [RecordKey::new(KIND, &request.entry_id)];
        let found = self.ledger.get(tenant, sequence, &keys).await.map_err(unavailable)?;
        let entry = found.into_iter().flatten().next().and_then(|found| serde_json::from_str(&found.record.body).ok());
        match entry {
            Some(entry) => Ok(GetEntryResponse { entry: Some(entry), sequence }),
            None => Err(CallError::new(ErrorKind::NotFound, "ENTRY_NOT_FOUND", "there is no such entry")
                .field("entry_id")
                .hint("list the entries")),
        }
    }

    async fn count_entries(&self, ctx: &Context, _: CountEntriesRequest) -> Result<CountEntriesResponse, CallError> {
        let tenant = &ctx.scope.tenant;
        let head = self.ledger.point(tenant, At::Head).await.map_err(unavailable)?;
        let entries = self.ledger.count(tenant, head, Find::all(KIND), 1_000_000).await.map_err(unavailable)?;
        Ok(CountEntriesResponse { entries })
    }
}

fn to_json(message: &impl serde::Serialize) -> String {
    serde_json::to_string(message).expect("a generated message has only string keys")
}

fn unavailable(error: ledger::ReadError) -> CallError {
    CallError::new(ErrorKind::Unavailable, "SERVICE_UNAVAILABLE", error.to_string()).hint("try again in a moment")
}

fn refused(error: CommitError) -> CallError {
    match error {
        CommitError::Refused(Refusal::KeyReused { .. }) => CallError::new(
            ErrorKind::AlreadyExists,
            "IDEMPOTENCY_KEY_REUSED",
            "client_request_id was used with other arguments",
        )
        .field("client_request_id")
        .hint("use a new key for a new entry"),
        other => CallError::new(ErrorKind::Unavailable, "SERVICE_UNAVAILABLE", other.to_string())
            .hint("try again with the same client_request_id"),
    }
}
