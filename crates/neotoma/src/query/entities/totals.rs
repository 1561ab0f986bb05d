//! How many entities a listing without filters has. What was counted at a point stays true, so it is remembered.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use ledger::{Find, FindOrder, Seq};

use crate::Error;
use crate::projection::Reader;
use crate::projection::row::{kind, merged_scope};
use crate::query::page::COUNT_MAX;

/// Counts that are remembered. When there are more, all are forgotten.
const REMEMBERED_MAX: usize = 1024;

/// Tenant, user, type, with merged ones, point.
type Key = (String, String, Option<String>, bool, Seq);

/// Counts of listings.
#[derive(Default)]
pub struct Totals {
    counted: Mutex<HashMap<Key, u64>>,
}

impl Totals {
    /// How many entities there are, up to [`COUNT_MAX`].
    pub async fn count(&self, reader: &Reader<'_>, entity_type: Option<&str>, merged: bool) -> Result<u64, Error> {
        let entity_type = entity_type.map(str::to_owned);
        let key = (reader.tenant.as_str().to_owned(), reader.user.to_owned(), entity_type.clone(), merged, reader.at);
        if let Some(known) = self.remembered().get(&key) {
            return Ok(*known);
        }
        let mut total = 0;
        for scope in std::iter::once(reader.user.to_owned()).chain(merged.then(|| merged_scope(reader.user))) {
            let (scope, order) = (Some(scope), FindOrder::Time);
            let find = Find { scope, r#type: entity_type.clone(), order, ..Find::all(kind::ENTITY) };
            total += reader.count(find, COUNT_MAX - total).await?;
        }
        let mut remembered = self.remembered();
        if remembered.len() >= REMEMBERED_MAX {
            remembered.clear();
        }
        remembered.insert(key, total);
        Ok(total)
    }

    fn remembered(&self) -> std::sync::MutexGuard<'_, HashMap<Key, u64>> {
        self.counted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
