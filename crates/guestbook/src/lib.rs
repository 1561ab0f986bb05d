//! Guestbook: a complete capability in little, as somebody else would write one.
//!
//! One proto (`proto/guestbook/v1/guestbook.proto`), this crate, one mount line. A signature is one fact, its record is
//! the fold of it ([`fold`]). What all capabilities do alike is done by `desk`; nothing here knows a protocol or a store.

mod fold;
// `gen` is a keyword, so the folder keeps the name and the module does not.
#[path = "gen/mod.rs"]
pub mod generated;

use std::sync::Arc;

use contract::{CallError, Capability, Context, ErrorKind};
use desk::module::{BoxError, Parts};
use desk::policy::{Governance, Policy, WriteScopes};
use desk::{Decision, Marks, PageTokens, Recorder, Stored, View};
use futures::future::{BoxFuture, ready};
use ledger::{Find, RecordKey};
use scope::Timestamp;

use fold::{Fold, KIND, Signed};
use generated::guestbook::*;

/// What a server mounts.
pub struct Module;

impl desk::Module for Module {
    fn name(&self) -> &'static str {
        "guestbook"
    }

    fn build(&self, parts: Parts) -> BoxFuture<'_, Result<Arc<dyn Capability>, BoxError>> {
        let scopes = WriteScopes { write: "mcp:tools", propose: "guestbook:propose" };
        let (policy, tokens) = (Policy::new(Governance::default(), scopes, &manifest()), parts.page_tokens());
        let book = Book { recorder: Recorder::new(parts.ledger, "chancery/guestbook"), policy, tokens };
        let services = Services { guestbook_write: book.clone(), guestbook_query: book };
        let capability: Arc<dyn Capability> = Arc::new(Guestbook { manifest: manifest(), services });
        Box::pin(ready(Ok(capability)))
    }

    fn fold(&self) -> Option<Arc<dyn ledger::Fold>> {
        Some(Arc::new(Fold))
    }
}

contract::serve!(Guestbook: Services<Book, Book>);

/// The book itself: both sides of it.
#[derive(Clone)]
struct Book {
    recorder: Recorder<Self>,
    policy: Policy,
    tokens: PageTokens,
}

impl Marks<SignResponse> for Book {
    fn mark_replay(answer: &mut SignResponse, at: Timestamp) {
        answer.idempotent_replay = Some(true);
        answer.original_request_time = Some(at.to_string());
    }
}

impl GuestbookWriteService for Book {
    async fn sign(&self, ctx: &Context, request: SignRequest) -> Result<SignResponse, CallError> {
        self.policy.rule_without_review(&ctx.principal, self.policy.tier("sign")).commit_or_refuse(ctx, "name")?;
        let entry = Entry { id: ctx.ids.next(), name: request.name, line: request.line, version: 1 };
        let (key, outcome) = (RecordKey::new(KIND, &entry.id), "committed".to_owned());
        let answer = SignResponse { success: true, entry: Some(entry.clone()), outcome, ..Default::default() };
        let decision = Decision::new(vec![Signed(entry)], key, answer);
        self.recorder.once(ctx, || ready(Ok(decision.clone()))).await
    }
}

impl GuestbookQueryService for Book {
    async fn list_entries(&self, ctx: &Context, request: ListEntriesRequest) -> Result<ListEntriesResponse, CallError> {
        let query = self.tokens.query(ctx, "listEntries", &request.page_size);
        let (ledger, token) = (self.recorder.ledger(), request.page_token.as_deref());
        let find = Find { limit: request.page_size as usize, ..Find::all(KIND) };
        let (view, rows, next_page_token) = query.page(ledger, ctx, token, find).await?;
        let entries = rows.into_iter().map(Stored::into_row).collect();
        Ok(ListEntriesResponse { entries, next_page_token, sequence: view.at })
    }

    async fn get_entry(&self, ctx: &Context, request: GetEntryRequest) -> Result<GetEntryResponse, CallError> {
        let view = View::head(self.recorder.ledger(), ctx).await?;
        let found: Option<Stored<Entry>> = view.get(RecordKey::new(KIND, request.entry_id)).await?;
        let missing = CallError::new(ErrorKind::NotFound, "ENTRY_NOT_FOUND", "there is no such entry");
        let found = found.ok_or_else(|| missing.field("entry_id").hint("list the entries"))?;
        Ok(GetEntryResponse { entry: Some(found.into_row()), sequence: view.at })
    }

    async fn count_entries(&self, ctx: &Context, _: CountEntriesRequest) -> Result<CountEntriesResponse, CallError> {
        let view = View::head(self.recorder.ledger(), ctx).await?;
        Ok(CountEntriesResponse { entries: view.count(Find::all(KIND), 1_000_000).await? })
    }
}
