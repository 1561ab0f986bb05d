//! Where documents come from: a capability that says which of its facts change which documents.

use futures::future::BoxFuture;
use ledger::{Fact, Seq};
use scope::TenantId;

use crate::Document;

/// Why documents could not be read. What was indexed before serves on, and it is tried again.
pub type SourceError = Box<dyn std::error::Error + Send + Sync>;

/// The documents of one capability, as they follow from its facts.
///
/// Both questions are answered from the ledger alone, so that an index made again is the same.
pub trait Source: Send + Sync {
    /// The name of the capability: the kinds of its facts start with it.
    fn name(&self) -> &'static str;

    /// Which documents these facts may have changed, each with the number of the fact. To name too many costs time, to name too
    /// few leaves what is found behind. Facts come in order, from none to `at`; what lies between two of them was no fact of ours.
    fn touched<'a>(
        &'a self,
        tenant: &'a TenantId,
        facts: &'a [Fact],
        at: Seq,
    ) -> BoxFuture<'a, Result<Vec<(Seq, String)>, SourceError>>;

    /// The documents with these ids as they were at a point, in their order; `None` for one that was not to be found then.
    fn documents<'a>(
        &'a self,
        tenant: &'a TenantId,
        at: Seq,
        ids: &'a [String],
    ) -> BoxFuture<'a, Result<Vec<Option<Placed>>, SourceError>>;
}

/// A document with the partition that it is searched in.
#[derive(Debug, Clone, PartialEq)]
pub struct Placed {
    pub partition: String,
    pub document: Document,
}
