//! How the past and the present are asked.

use scope::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{AuditEntry, FieldRange, RecordVersion};

/// A point in a tenant's history: the number of a fact. 0 is before the first.
pub type Seq = u64;

/// Whatever is live at the moment of the read. Two reads at it may see different moments, so it is for loads whose outcome the
/// expectations of a commit protect; it walks the indexes of the head even while others commit. It is no point that a caller
/// can name: [`At::Seq`] refuses it.
pub const LIVE: Seq = i64::MAX as u64;

/// How a caller names a point before it is resolved to a [`Seq`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum At {
    /// The last committed fact.
    Head,
    /// The last fact at or before this moment.
    Time(Timestamp),
    /// Exactly this number; refused when it has not happened yet.
    Seq(Seq),
}

/// Which audit records are wanted. What is `None` does not matter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditFind {
    pub correlation_id: Option<String>,
    /// Only older ones: the moment of the last one seen, to go on where a page ended.
    pub before: Option<Timestamp>,
    /// How many are wanted. Others of the same moment as the last one come with it, so that no page ends within a moment.
    pub limit: usize,
}

/// The audit record of a change that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Audited {
    pub entry: AuditEntry,
    /// The moment of the change.
    pub at: Timestamp,
    /// Where the tenant's history stood after the change.
    pub seq: Seq,
}

/// A paged query over the indexed fields. Every `Some` narrows; the engine walks an index in order and never sorts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Find {
    pub kind: String,
    /// Give it whenever it is known: without it only `touching`, `under` and the order by id walk an index.
    pub scope: Option<String>,
    pub r#type: Option<String>,
    pub status: Option<String>,
    /// Exactly this normalised name.
    pub name: Option<String>,
    /// A normalised name that starts with this.
    pub name_prefix: Option<String>,
    pub tag: Option<String>,
    /// Records with a key in this range. An index needs the scope, and is best with the type.
    pub field: Option<FieldRange>,
    /// From this moment (inclusive) to that one (exclusive).
    pub time: Option<(Timestamp, Timestamp)>,
    /// Records that stand under this id: theirs begin with it and a slash.
    pub under: Option<String>,
    /// Links that touch this record.
    pub touching: Option<(String, Direction)>,
    pub order: FindOrder,
    /// The `next` of the page before, with the same query. In the order of ids it is an id, and any id will
    /// do; in the order of time it is what [`Self::after_time`] makes of any time and id.
    pub after: Option<String>,
    /// How many records the page passes over first, after `after`. The engine steps past them in the index, so it takes time,
    /// and no row is read. A page that `next` leads to starts where this one ended: give 0 with it.
    pub skip: usize,
    pub limit: usize,
}

impl Find {
    /// Every record of a kind, by id, a hundred at a time; narrow it by setting fields.
    pub fn all(kind: impl Into<String>) -> Self {
        Self {
            kind: kind.into(),
            scope: None,
            r#type: None,
            status: None,
            name: None,
            name_prefix: None,
            tag: None,
            field: None,
            time: None,
            under: None,
            touching: None,
            order: FindOrder::Id,
            after: None,
            skip: 0,
            limit: 100,
        }
    }
}

impl Find {
    /// Walks the records of a scope in the order of ids, all of them or those of a type: the ones that are
    /// [listed](crate::Record::listed).
    pub fn is_listing(&self) -> bool {
        let named = self.name.is_some() || self.name_prefix.is_some();
        let known = named || self.tag.is_some() || self.field.is_some() || self.under.is_some();
        let of_all = self.time.is_none() && (self.r#type.is_some() || self.status.is_none());
        let by_id = self.order == FindOrder::Id && !known && self.touching.is_none();
        self.scope.is_some() && by_id && of_all
    }

    /// The place in the order of time right after a record.
    pub fn after_time(time: Timestamp, id: &str) -> String {
        format!("{}:{id}", time.0)
    }

    /// Reads what [`Self::after_time`] wrote.
    pub fn parse_time(after: &str) -> Option<(Timestamp, &str)> {
        let (time, id) = after.split_once(':')?;
        Some((Timestamp(time.parse().ok()?), id))
    }

    /// The ids that stand under `under`: after the first text, before the second.
    pub fn under_range(&self) -> Option<(String, String)> {
        // The zero is the character after the slash.
        self.under.as_ref().map(|parent| (format!("{parent}/"), format!("{parent}0")))
    }
}

/// In which order a find walks; ties are broken by id, and text is compared byte by byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum FindOrder {
    Id,
    /// Lists only records that have a name.
    Name,
    /// Lists only records that have a time.
    Time,
    /// By key in the range of [`Find::field`], then by time, records without one first. A record that has several keys in the
    /// range is listed for each; without a range nothing is.
    Field,
    /// The reverse of [`Self::Field`], ids included.
    FieldDescending,
}

impl FindOrder {
    pub fn is_by_field(self) -> bool {
        matches!(self, Self::Field | Self::FieldDescending)
    }
}

/// Which way a link is followed from where one stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Direction {
    Outgoing,
    Incoming,
    Both,
}

/// One page. `next` is `None` on the last one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    pub items: Vec<T>,
    pub next: Option<String>,
}

/// A walk along links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Traverse {
    pub from: String,
    /// The kind of the links to follow.
    pub kind: String,
    /// Empty for all types.
    pub types: Vec<String>,
    pub direction: Direction,
    pub hops_max: u32,
    /// The walk stops when it has reached this many records.
    pub records_max: usize,
}

/// What a walk reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Traversal {
    /// In the order of hops, then of ids.
    pub reached: Vec<Neighbour>,
    /// True when `records_max` left out a record that lies within `hops_max`.
    pub capped: bool,
}

/// A record that a walk reached, and the link with the smallest id that reached it at that hop. The record
/// that the walk starts from is never among them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Neighbour {
    pub id: String,
    pub hops: u32,
    pub link: RecordVersion,
}

/// A full-text query. The words are data: no operator in them has a meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Search {
    pub kind: String,
    pub scope: Option<String>,
    /// Only records of this type are found. Those of others are weighed too, so that a type that is rare costs no more.
    pub r#type: Option<String>,
    pub text: String,
    /// All words must match, or any.
    pub all_words: bool,
    /// The last word also matches words that start with it.
    pub prefix: bool,
    /// How many of the records that match are weighed, the newest; [`crate::words::CANDIDATES_MAX`] at most.
    pub weighed_max: usize,
    pub limit: usize,
}

/// One match; a higher score is better, and equal scores are in the order of ids.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchHit {
    pub version: RecordVersion,
    pub score: f64,
}

/// What [`crate::Ledger::verify`] found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Verification {
    pub tenants: u64,
    pub facts: u64,
    pub versions: u64,
    /// One line for each difference, at most a hundred; empty is good.
    pub differences: Vec<String>,
}
