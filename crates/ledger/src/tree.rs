//! Trees: what lets others check that nothing of the past was changed.
//!
//! A tenant has a Merkle tree (RFC 6962) over its facts and another over its audit records. The ledger keeps their hashes in
//! tiles, and the checkpoints that were signed over them; it neither hashes nor signs. A tree grows after the commits, by
//! whole batches, and never shrinks: fact `n` is leaf `n - 1`, and [`Span`] says which audit record is which leaf.

use futures::future::BoxFuture;
use scope::{TenantId, Timestamp};

use crate::{Audited, CommitError, Ledger, ReadError};

/// A tree of a tenant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tree {
    Facts,
    Audit,
}

impl Tree {
    pub const ALL: [Self; 2] = [Self::Facts, Self::Audit];

    pub fn name(self) -> &'static str {
        match self {
            Self::Facts => "facts",
            Self::Audit => "audit",
        }
    }

    /// Reads what [`Self::name`] wrote.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tree| tree.name() == name)
    }
}

/// Where a tile lies: how many tiles are below it, and which of its level it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TilePlace {
    pub level: u8,
    pub number: u64,
}

/// Up to 256 consecutive hashes of a level. It is replaced by a wider one as the tree grows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tile {
    pub place: TilePlace,
    pub hashes: Vec<u8>,
}

/// What was signed about a tree of this size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    pub size: u64,
    pub at: Timestamp,
    /// The signed note.
    pub note: String,
}

/// Which audit records became which leaves: those of the tenant in `source` with a number after `after` and up to `through`,
/// in the order of their numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    pub first_leaf: u64,
    pub leaves: u64,
    pub source: String,
    pub after: u64,
    pub through: u64,
}

/// How one tree grows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Growth {
    pub tenant: TenantId,
    pub tree: Tree,
    /// Its size before; if it has another by now, nothing happens.
    pub from: u64,
    pub checkpoint: Checkpoint,
    /// Every tile that is new or wider than before.
    pub tiles: Vec<Tile>,
    /// Of a tree of audit records.
    pub span: Option<Span>,
}

/// Up to which number the audit records of a source are leaves, in all tenants together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advance {
    pub source: String,
    pub from: u64,
    pub to: u64,
}

/// Trees that grow together, or not at all.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Batch {
    pub growths: Vec<Growth>,
    pub advance: Option<Advance>,
}

/// Whether a [`Batch`] happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grown {
    Done,
    /// Somebody else was faster. Nothing was written; look again.
    Overtaken,
}

/// Which audit records of changes are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Numbers {
    /// `None` for those of all tenants; never on behalf of a caller.
    pub tenant: Option<TenantId>,
    pub after: u64,
    pub through: u64,
    pub most: usize,
}

/// An audit record with its number. Numbers rise in the order of commits, over all tenants, and are not used twice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Numbered {
    pub number: u64,
    pub tenant: TenantId,
    pub audited: Audited,
}

/// A ledger that keeps trees.
pub trait Trees: Ledger {
    /// Makes trees grow. Durable like a commit, and in a transaction of its own.
    fn grow(&self, batch: Batch) -> BoxFuture<'_, Result<Grown, CommitError>>;

    /// The checkpoints of a tree over more than `after` leaves, by size.
    fn checkpoints<'a>(
        &'a self,
        tenant: &'a TenantId,
        tree: Tree,
        after: u64,
        most: usize,
    ) -> BoxFuture<'a, Result<Vec<Checkpoint>, ReadError>>;

    /// The newest checkpoint of a tree, which says its size; `None` before its first leaf.
    fn checkpoint<'a>(
        &'a self,
        tenant: &'a TenantId,
        tree: Tree,
    ) -> BoxFuture<'a, Result<Option<Checkpoint>, ReadError>>;

    /// The tiles at these places, in the order asked for.
    fn tiles<'a>(
        &'a self,
        tenant: &'a TenantId,
        tree: Tree,
        places: &'a [TilePlace],
    ) -> BoxFuture<'a, Result<Vec<Option<Tile>>, ReadError>>;

    /// The spans of a tenant's audit records that reach a leaf or lie behind it, in order.
    fn spans<'a>(
        &'a self,
        tenant: &'a TenantId,
        from_leaf: u64,
        most: usize,
    ) -> BoxFuture<'a, Result<Vec<Span>, ReadError>>;

    /// The highest number at or before `through` with which spans of a source end; 0 when there is none.
    fn span_end<'a>(&'a self, source: &'a str, through: u64) -> BoxFuture<'a, Result<u64, ReadError>>;

    /// Tenants with facts that are no leaves yet. Costs what there are of them, not what there are of tenants.
    fn behind(&self, most: usize) -> BoxFuture<'_, Result<Vec<TenantId>, ReadError>>;

    /// Up to which number the audit records of a source are leaves.
    fn advanced<'a>(&'a self, source: &'a str) -> BoxFuture<'a, Result<u64, ReadError>>;

    /// The audit records of changes, in the order of their numbers.
    fn audited(&self, numbers: Numbers) -> BoxFuture<'_, Result<Vec<Numbered>, ReadError>>;

    /// All trees with a leaf, for maintenance; never shown to a caller.
    fn trees(&self) -> BoxFuture<'_, Result<Vec<(TenantId, Tree)>, ReadError>>;
}
