//! What search keeps beside the records: rows that it derives from the facts, and their vectors.
//!
//! An index belongs to one tenant and one capability. It is no truth of its own: [`SearchStore::restart`] drops it, and whoever
//! derives it makes it again. A row says from which point to which its passage was visible, so a search in the past sees what
//! was there. The store understands neither rows nor vectors; an engine that can compare vectors itself may read them.

use futures::future::BoxFuture;
use scope::TenantId;

use crate::{CommitError, ReadError, Seq};

/// How far an index has come.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct IndexState {
    /// Grows each time the index is started anew; 0 for one that never was.
    pub generation: u64,
    /// All facts up to this one are in it.
    pub through: Seq,
    /// Names the rules by which its rows are made.
    pub made_by: String,
}

/// The next facts of an index, as what they changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexBatch {
    pub tenant: TenantId,
    /// Which index, by the name of its capability.
    pub index: String,
    /// The generation that the batch goes on with.
    pub generation: u64,
    /// How far the index has come before it.
    pub after: Seq,
    /// And after it.
    pub through: Seq,
    /// What the vectors of its rows can be compared with.
    pub space: String,
    /// In the order of `from`.
    pub documents: Vec<DocumentRows>,
}

/// A document as it is from a point on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentRows {
    /// Unique within the index.
    pub document: String,
    pub partition: String,
    pub from: Seq,
    /// All its passages in order; none when it is gone. One with the hash of the live passage at its place stays as it is.
    pub passages: Vec<PassageRow>,
}

/// One passage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassageRow {
    /// Of everything in it.
    pub hash: [u8; 16],
    pub body: Vec<u8>,
    /// Empty for none.
    pub vector: Vec<u8>,
}

/// A row as it was kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptRow {
    /// Grows with each row that is added.
    pub number: u64,
    pub document: String,
    pub passage: u32,
    pub from: Seq,
    /// From here on it is not visible; `None` while it is live.
    pub to: Option<Seq>,
    pub hash: [u8; 16],
    pub body: Vec<u8>,
    /// Of the space that was asked for; empty for none.
    pub vector: Vec<u8>,
}

/// Where rows of search are kept, in the database of the ledger.
pub trait SearchStore: Send + Sync {
    fn state<'a>(&'a self, tenant: &'a TenantId, index: &'a str) -> BoxFuture<'a, Result<IndexState, ReadError>>;

    /// Starts an index anew: it is empty, of the next generation and at 0. Nothing happens if it is not at `generation` any more.
    /// Returns its state.
    fn restart<'a>(
        &'a self,
        tenant: &'a TenantId,
        index: &'a str,
        generation: u64,
        made_by: &'a str,
    ) -> BoxFuture<'a, Result<IndexState, CommitError>>;

    /// Takes the next facts into an index. Returns false, and does nothing, if it is not where the batch goes on: then another
    /// process has done the same.
    fn append(&self, batch: IndexBatch) -> BoxFuture<'_, Result<bool, CommitError>>;

    /// Rows of a partition of an index after a number, in the order of numbers, with their vectors of `space`.
    fn rows<'a>(
        &'a self,
        tenant: &'a TenantId,
        index_and_partition: (&'a str, &'a str),
        space: &'a str,
        after: u64,
        most: usize,
    ) -> BoxFuture<'a, Result<Vec<KeptRow>, ReadError>>;

    /// Rows of an index after a number that have no vector of `space`, in the order of numbers and without their bodies.
    fn rows_without_vector<'a>(
        &'a self,
        tenant: &'a TenantId,
        index: &'a str,
        space: &'a str,
        after: u64,
        most: usize,
    ) -> BoxFuture<'a, Result<Vec<KeptRow>, ReadError>>;

    /// Keeps vectors of rows, by number. Those of rows that are gone are left out; an empty one says that there is nothing to
    /// embed.
    fn put_vectors<'a>(
        &'a self,
        tenant: &'a TenantId,
        space: &'a str,
        vectors: Vec<(u64, Vec<u8>)>,
    ) -> BoxFuture<'a, Result<(), CommitError>>;
}
