//! Where audit records come from: the ledger has those of changes, another store those of all other calls.

use std::sync::Arc;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use ledger::ReadError;
use ledger::tree::{Numbers, Trees};
use scope::TenantId;

use crate::leaf;

/// An audit record as a leaf.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub number: u64,
    pub tenant: TenantId,
    pub leaf: String,
    /// How a person finds it: what was called, by whom, under which request.
    pub described: String,
}

/// Audit records whose numbers rise in the order in which they were written, and are not used twice.
pub trait Records: Send + Sync {
    /// Names this store, and no other that may come to its place.
    fn source(&self) -> BoxFuture<'_, Result<String, ReadError>>;

    /// The records by number.
    fn rows(&self, numbers: Numbers) -> BoxFuture<'_, Result<Vec<Row>, ReadError>>;

    /// Up to which number records were removed because their time was over. Their leaves stay.
    fn removed_through(&self) -> BoxFuture<'_, Result<u64, ReadError>> {
        futures::future::ready(Ok(0)).boxed()
    }
}

/// The audit records of changes, which are kept as long as their facts.
pub struct Changes(pub Arc<dyn Trees>);

impl Records for Changes {
    fn source(&self) -> BoxFuture<'_, Result<String, ReadError>> {
        futures::future::ready(Ok("changes".to_owned())).boxed()
    }

    fn rows(&self, numbers: Numbers) -> BoxFuture<'_, Result<Vec<Row>, ReadError>> {
        async move {
            let found = self.0.audited(numbers).await?;
            Ok(found.iter().map(row).collect())
        }
        .boxed()
    }
}

fn row(record: &ledger::tree::Numbered) -> Row {
    let entry = &record.audited.entry;
    let described = format!("the change by {} in request {}", entry.principal, entry.id);
    Row { number: record.number, tenant: record.tenant.clone(), leaf: leaf::of_change(record), described }
}
