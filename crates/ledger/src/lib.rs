//! Ledger: the one place that remembers. Commit a [`Change`], or read at a point in history.
//!
//! A commit is a value, not a conversation: idempotency, expectations and facts go in together and
//! become durable together, or not at all. Records are a fold of the facts ([`Fold`]), so they can be
//! dropped and made again, byte for byte. Every read names a [`Seq`]; the same read at the same
//! sequence number gives the same bytes for ever.
//!
//! Start with [`Ledger`]. [`conformance`] states what every engine promises; a behaviour that is not
//! tested there is not promised.
//!
//! Invariants:
//! * facts of one tenant are numbered 1, 2, 3 … without gaps, and their times never run backwards;
//! * a record's versions are numbered 1, 2, 3 … without gaps; a deletion is a version too;
//! * no call sees or touches another tenant's rows.

mod change;
mod error;
mod field;
mod fold;
mod overlay;
mod place;
mod read;
mod record;
mod search_store;

pub mod conformance;
pub mod model;
pub mod tree;
pub mod words;

use std::sync::Arc;

use futures::future::BoxFuture;
use scope::TenantId;

pub use change::{AuditEntry, Change, Commit, Expectation, Idempotency, NewFact, Recalled, StoredAnswer};
pub use error::{CommitError, ReadError, Refusal};
pub use field::{FieldKey, FieldRange, KEY_CHARS_MAX};
pub use fold::{Effect, Fold, Folds};
pub use overlay::Overlay;
pub use read::{
    At, AuditFind, Audited, Direction, Find, FindOrder, LIVE, Neighbour, Page, Search, SearchHit, Seq, Traversal,
    Traverse, Verification,
};
pub use record::{Ends, Fact, Record, RecordKey, RecordVersion, UniqueName};
pub use search_store::{DocumentRows, IndexBatch, IndexState, KeptRow, PassageRow, SearchStore};

/// The storage port. Both verbs are whole: a caller never holds a transaction open.
pub trait Ledger: Send + Sync {
    /// Makes one change durable. Returns only after it would survive a power cut.
    fn commit(&self, change: Change) -> BoxFuture<'_, Result<Commit, CommitError>>;

    /// The stored answer of an effect that already happened, if its key has not expired.
    fn recall<'a>(
        &'a self,
        tenant: &'a TenantId,
        effect: &'a Idempotency,
    ) -> BoxFuture<'a, Result<Option<Recalled>, ReadError>>;

    /// Turns a moment into the sequence number that every other read takes.
    fn point<'a>(&'a self, tenant: &'a TenantId, at: At) -> BoxFuture<'a, Result<Seq, ReadError>>;

    /// The records with these keys as they were at `at`, in the order asked for; deleted or unknown ones are `None`.
    fn get<'a>(
        &'a self,
        tenant: &'a TenantId,
        at: Seq,
        keys: &'a [RecordKey],
    ) -> BoxFuture<'a, Result<Vec<Option<RecordVersion>>, ReadError>>;

    /// One page of the records that match, in the order of the query.
    fn find<'a>(
        &'a self,
        tenant: &'a TenantId,
        at: Seq,
        find: Find,
    ) -> BoxFuture<'a, Result<Page<RecordVersion>, ReadError>>;

    /// How many records match, counted up to `most` and no further; `after`, `skip` and `limit` do not count.
    fn count<'a>(
        &'a self,
        tenant: &'a TenantId,
        at: Seq,
        find: Find,
        most: u64,
    ) -> BoxFuture<'a, Result<u64, ReadError>>;

    /// How many records of a kind and scope there are of each type, by type; types that have none are left out. The counts are kept
    /// by the fold, so they cost the same however many records there are. What is neither [listed](Record::listed) nor has a time
    /// is not counted.
    fn counts<'a>(
        &'a self,
        tenant: &'a TenantId,
        at: Seq,
        kind: &'a str,
        scope: &'a str,
    ) -> BoxFuture<'a, Result<Vec<(String, u64)>, ReadError>>;

    /// Follows links outward from a record, breadth first, each record once, within the caps.
    fn traverse<'a>(
        &'a self,
        tenant: &'a TenantId,
        at: Seq,
        traverse: Traverse,
    ) -> BoxFuture<'a, Result<Traversal, ReadError>>;

    /// Records whose text matches, best first.
    fn search<'a>(
        &'a self,
        tenant: &'a TenantId,
        at: Seq,
        search: Search,
    ) -> BoxFuture<'a, Result<Vec<SearchHit>, ReadError>>;

    /// Facts after a sequence number, in order: what the outbox, followers and replays read.
    fn facts<'a>(
        &'a self,
        tenant: &'a TenantId,
        after: Seq,
        most: usize,
    ) -> BoxFuture<'a, Result<Vec<Fact>, ReadError>>;

    /// The audit records of a tenant's changes, newest first.
    fn audit<'a>(&'a self, tenant: &'a TenantId, find: AuditFind) -> BoxFuture<'a, Result<Vec<Audited>, ReadError>>;

    /// All tenants that have at least one fact, for replays and maintenance; never shown to a caller.
    fn tenants(&self) -> BoxFuture<'_, Result<Vec<TenantId>, ReadError>>;

    /// Ticks after each commit of this process. Another process's commit may tick late; poll as well.
    fn ticks(&self) -> tokio::sync::watch::Receiver<u64>;

    /// Replays every fact through `folds` and compares the outcome with the stored rows.
    fn verify<'a>(&'a self, folds: &'a Folds) -> BoxFuture<'a, Result<Verification, ReadError>>;
}

/// How the rest of the platform holds a ledger.
pub type SharedLedger = Arc<dyn Ledger>;
