//! How facts become records.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::{NewFact, Record, RecordKey};

/// What one fact does to the records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// The record is now this; its version grows by one.
    Put(Box<Record>),
    /// The record is gone; its last version says so. Nothing happens to a record that is not live.
    End(RecordKey),
}

impl Effect {
    /// The record that it is about.
    pub fn key(&self) -> &RecordKey {
        match self {
            Self::Put(record) => &record.key,
            Self::End(key) => key,
        }
    }
}

/// A capability's pure function from a fact to its effects. It reads nothing but the fact, so replaying
/// the facts makes the same rows again.
pub trait Fold: Send + Sync {
    /// The effects of `fact`, or why it cannot be understood.
    fn effects(&self, fact: &NewFact) -> Result<Vec<Effect>, String>;
}

/// The folds of all capabilities, by the prefix of the fact kinds they own (`guestbook`).
pub type Folds = BTreeMap<String, Arc<dyn Fold>>;
