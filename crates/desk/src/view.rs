//! A view: the rows of one tenant at one point in history.

use contract::Context;
use ledger::{At, Find, LIVE, Ledger, Page, RecordKey, RecordVersion, Seq};
use scope::TenantId;
use serde::de::DeserializeOwned;

use crate::{Failure, Stored, points};

/// Reads at one sequence number, inside the walls of one call.
#[derive(Clone, Copy)]
pub struct View<'a> {
    pub ledger: &'a dyn Ledger,
    pub tenant: &'a TenantId,
    /// The point every read is made at.
    pub at: Seq,
    /// Finds the cause in the log when a record cannot be read.
    pub error_id: &'a str,
}

impl<'a> View<'a> {
    /// What is live, for writes: each read sees the last commit, and the expectations of the decision see to the rest.
    pub fn live(ledger: &'a dyn Ledger, ctx: &'a Context) -> Self {
        Self { ledger, tenant: &ctx.scope.tenant, at: LIVE, error_id: &ctx.request.request_id }
    }

    /// A point, for work that no caller asked for.
    pub fn over(ledger: &'a dyn Ledger, tenant: &'a TenantId, at: Seq) -> Self {
        Self { ledger, tenant, at, error_id: "-" }
    }

    /// The state now.
    pub async fn head(ledger: &'a dyn Ledger, ctx: &'a Context) -> Result<Self, Failure> {
        Self::live(ledger, ctx).at_head().await
    }

    /// The state at a point that a caller named in `field`.
    pub async fn at(ledger: &'a dyn Ledger, ctx: &'a Context, field: &str, at: At) -> Result<Self, Failure> {
        let at = points::resolve(ledger, &ctx.scope.tenant, field, at).await?;
        Ok(Self::live(ledger, ctx).pinned(at))
    }

    /// The same view at the last fact.
    pub async fn at_head(&self) -> Result<Self, Failure> {
        Ok(self.pinned(self.ledger.point(self.tenant, At::Head).await?))
    }

    /// The same view at another point that has happened.
    pub fn pinned(&self, at: Seq) -> Self {
        Self { at, ..*self }
    }

    /// The row with this key.
    pub async fn get<T: DeserializeOwned>(&self, key: RecordKey) -> Result<Option<Stored<T>>, Failure> {
        let found = self.versions(&[key]).await?.pop().flatten();
        found.map(|found| Stored::read(found, self.error_id)).transpose()
    }

    /// One page of the rows that match.
    pub async fn find<T: DeserializeOwned>(&self, find: Find) -> Result<Page<Stored<T>>, Failure> {
        let page = self.page(find).await?;
        let read = |found| Stored::read(found, self.error_id);
        Ok(Page { items: page.items.into_iter().map(read).collect::<Result<_, _>>()?, next: page.next })
    }

    /// The records with these keys, in order and unread: for a capability that first looks whether it may show them.
    pub async fn versions(&self, keys: &[RecordKey]) -> Result<Vec<Option<RecordVersion>>, Failure> {
        Ok(self.ledger.get(self.tenant, self.at, keys).await?)
    }

    /// One page of the records that match, unread.
    pub async fn page(&self, find: Find) -> Result<Page<RecordVersion>, Failure> {
        Ok(self.ledger.find(self.tenant, self.at, find).await?)
    }

    /// How many records match, counted up to `most`.
    pub async fn count(&self, find: Find, most: u64) -> Result<u64, Failure> {
        Ok(self.ledger.count(self.tenant, self.at, find, most).await?)
    }
}
