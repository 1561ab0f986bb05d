//! What is remembered: records, links between them, and the facts they fold from.

use scope::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{FieldKey, Seq};

/// The stable name of a record inside its tenant.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RecordKey {
    /// What sort of record, prefixed with its capability, for example `guestbook.entry`.
    pub kind: String,
    pub id: String,
}

impl RecordKey {
    pub fn new(kind: impl Into<String>, id: impl Into<String>) -> Self {
        Self { kind: kind.into(), id: id.into() }
    }
}

/// The two ends of a link. A link is a record with ends, so it is versioned and found like any other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ends {
    /// Id of the record the link starts from.
    pub source: String,
    /// Id of the record the link leads to.
    pub target: String,
}

/// The state of a record: a body that only its capability understands, and the few fields it can be found by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    pub key: RecordKey,
    /// What the record belongs to, for example the id of its model.
    pub scope: String,
    /// The finer sort, for example `ApplicationComponent`.
    pub r#type: String,
    /// Whether scope and type list it in the order of ids. What is not listed so is found by key, name, tag, time, status or
    /// link, and costs less to write: an id that is a hash has a place of its own in every index that it stands in.
    #[serde(default = "yes", skip_serializing_if = "Clone::clone")]
    pub listed: bool,
    pub status: Option<String>,
    /// The name, normalised by the capability for look-up.
    pub name: Option<String>,
    /// A moment in the world that the record is found by.
    pub time: Option<Timestamp>,
    /// Words the record is found by, without duplicates.
    pub tags: Vec<String>,
    /// Values the record is found and sorted by: names of fields and keys, without duplicates. A field may have keys of several
    /// sorts. Each takes a place in an index of its own, so keep them few. They are for finding only: reads leave them out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<(String, FieldKey)>,
    pub ends: Option<Ends>,
    /// Names that no other live record may hold at the same time. A change is judged by its outcome, so two
    /// records may swap names in one.
    pub unique: Vec<UniqueName>,
    /// What full-text search reads; empty for none.
    pub text: String,
    /// JSON text, stored as it is given.
    pub body: String,
}

impl Record {
    /// Whether [`crate::Ledger::counts`] counts it.
    pub fn is_counted(&self) -> bool {
        self.listed || self.time.is_some()
    }

    /// A listed record without a body that only scope and type find; set the fields it has.
    pub fn new(key: RecordKey, scope: impl Into<String>, r#type: impl Into<String>) -> Self {
        Self {
            key,
            scope: scope.into(),
            r#type: r#type.into(),
            listed: true,
            status: None,
            name: None,
            time: None,
            tags: Vec::new(),
            ends: None,
            fields: Vec::new(),
            unique: Vec::new(),
            text: String::new(),
            body: String::new(),
        }
    }
}

fn yes() -> bool {
    true
}

/// A name that at most one live record of the tenant holds in its space.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct UniqueName {
    /// Within what the name is unique, for example `element:MODEL:ApplicationComponent`.
    pub space: String,
    pub name: String,
}

/// A record as it was at some point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordVersion {
    pub record: Record,
    /// 1 for a new record; grows by one with each change, deletions included.
    pub version: u64,
    /// The fact that made this version.
    pub seq: Seq,
    /// When that fact was committed.
    pub at: Timestamp,
}

/// Something that happened, as it was committed. Facts are never changed and never removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    pub seq: Seq,
    pub at: Timestamp,
    /// Past tense with its capability, for example `guestbook.Signed`.
    pub kind: String,
    /// The record it is about.
    pub subject: RecordKey,
    /// JSON text: everything the fold needs.
    pub body: String,
    /// JSON text: message id, correlation, causation, trace and actor.
    pub meta: String,
}
