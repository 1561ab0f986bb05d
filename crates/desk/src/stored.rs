//! Stored rows: what a capability keeps in a record's body, with the version it was read at.

use std::ops::Deref;

use ledger::{Expectation, RecordKey, RecordVersion, Seq};
use scope::Timestamp;
use serde::de::DeserializeOwned;

use crate::Failure;

/// A row with the version of its record.
#[derive(Debug, Clone, PartialEq)]
pub struct Stored<T> {
    pub row: T,
    pub key: RecordKey,
    pub version: u64,
    /// The fact that made this version.
    pub seq: Seq,
    /// When that fact was committed.
    pub at: Timestamp,
}

impl<T> Stored<T> {
    /// Reads the JSON body of a record. `error_id` finds the cause in the log when it cannot be read.
    pub fn read(found: RecordVersion, error_id: &str) -> Result<Self, Failure>
    where
        T: DeserializeOwned,
    {
        Self::read_with(found, error_id, |body| serde_json::from_str(body).map_err(|error| error.to_string()))
    }

    /// Reads the body of a record with a reader of one's own.
    pub fn read_with(
        found: RecordVersion,
        error_id: &str,
        parse: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<Self, Failure> {
        let RecordVersion { record, version, seq, at } = found;
        let row = parse(&record.body).map_err(|cause| Failure::Internal {
            error_id: error_id.to_owned(),
            cause: format!("{} {} cannot be read: {cause}", record.key.kind, record.key.id),
        })?;
        Ok(Self { row, key: record.key, version, seq, at })
    }

    /// The expectation that it has not changed at the commit.
    pub fn unchanged(&self) -> Expectation {
        Expectation::Version { key: self.key.clone(), version: self.version }
    }

    pub fn into_row(self) -> T {
        self.row
    }
}

impl<T> Deref for Stored<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.row
    }
}
