//! Why a commit did not happen, may not have happened, or a read failed.

use scope::Timestamp;

use crate::{RecordKey, Seq, UniqueName};

/// Why [`crate::Ledger::commit`] did not answer with a commit.
#[derive(Debug, Clone, thiserror::Error)]
pub enum CommitError {
    /// Nothing happened, for a reason the caller can act on.
    #[error("the change was refused: {0}")]
    Refused(Refusal),
    /// The change may or may not be durable. Ask again with the same idempotency key.
    #[error("the outcome of the change is unknown: {0}")]
    Unknown(String),
    /// Nothing happened, because the store cannot write now.
    #[error("the store cannot write now: {0}")]
    Unavailable(String),
}

/// What did not hold at the moment of commit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// An [`crate::Expectation`] about a record failed; `actual` is its live version, if any.
    #[error("{} {} is at version {actual:?}", key.kind, key.id)]
    Record { key: RecordKey, actual: Option<u64> },
    #[error("the name {:?} is taken by {holder}", name.name)]
    NameTaken { name: UniqueName, holder: String },
    #[error("the links of {id} changed after {since}")]
    LinksChanged { id: String, since: Seq },
    #[error("a chain of links leads from {from} to {to}")]
    Path { from: String, to: String },
    /// The idempotency key stands for other arguments, first used at `at`.
    #[error("the idempotency key was used with other arguments at {at}")]
    KeyReused { at: Timestamp },
    /// The caller has as many idempotency keys as are kept for one.
    #[error("the caller has {most} idempotency keys, and no more are kept")]
    TooManyKeys { most: u64 },
}

/// Why a read failed. A record that is not there is not a failure.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ReadError {
    /// The point lies after the tenant's last fact.
    #[error("sequence {at} has not happened yet; the last one is {head}")]
    NotYet { at: Seq, head: Seq },
    /// The `after` of a [`crate::Find`] was not made by a page of the same order.
    #[error("{0:?} is not the cursor of a page in this order")]
    Cursor(String),
    #[error("the store cannot be read: {0}")]
    Unavailable(String),
}
