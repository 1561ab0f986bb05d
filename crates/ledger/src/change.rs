//! What goes into a commit, and what comes out of it.

use scope::{TenantId, Timestamp};

use crate::{Effect, RecordKey, Seq};

/// One durable transaction, as a value.
#[derive(Debug, Clone)]
pub struct Change {
    pub tenant: TenantId,
    /// The caller's moment. The ledger moves it forward when the tenant's last fact is later.
    pub at: Timestamp,
    pub idempotency: Option<(Idempotency, StoredAnswer)>,
    pub expectations: Vec<Expectation>,
    /// Facts with the effects their fold gives, in order.
    pub facts: Vec<(NewFact, Vec<Effect>)>,
    /// The audit record of the call that makes the change. It is kept when the change happens, and only then.
    pub audit: Option<AuditEntry>,
}

/// Who asked for a change, and how. To the ledger it is a row that it finds by tenant, time and correlation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEntry {
    /// Of the call.
    pub id: String,
    pub principal: String,
    pub correlation_id: String,
    /// JSON text of everything else.
    pub body: String,
}

/// The answer to store under an idempotency key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredAnswer {
    /// JSON text of the answer.
    pub payload: String,
    /// The sort of record the effect was about.
    pub aggregate_type: String,
    pub aggregate_id: Option<String>,
}

/// The identity of an effect: the same four parts with the same hash are the same effect.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Idempotency {
    pub principal: String,
    pub operation: String,
    /// The caller's `client_request_id`, compared byte for byte.
    pub key: String,
    /// SHA-256 over the canonical arguments, in hex.
    pub request_hash: String,
}

/// A fact before it has its number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFact {
    pub kind: String,
    pub subject: RecordKey,
    pub body: String,
    pub meta: String,
}

/// What must hold at the moment of commit; otherwise nothing happens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expectation {
    /// The record is live at exactly this version.
    Version { key: RecordKey, version: u64 },
    /// The record is live, whatever its version.
    Exists { key: RecordKey },
    /// No live record has this key.
    Absent { key: RecordKey },
    /// No link at `id` was put or ended after `since`.
    LinksUnchanged { id: String, since: Seq },
    /// No chain of live links of this kind and these types leads from `from` to `to`.
    NoPath { kind: String, types: Vec<String>, from: String, to: String },
}

/// The outcome of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Commit {
    /// The change happened now.
    Done {
        /// The number of the change's last fact, and so the point at which it can be read.
        seq: Seq,
        at: Timestamp,
    },
    /// The same effect had happened before: here is its answer.
    Replayed(Recalled),
}

/// A stored answer that was found by its idempotency key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recalled {
    /// False when the key was used with other arguments: the answer is then not for this request.
    pub same_request: bool,
    pub payload: String,
    pub at: Timestamp,
}
