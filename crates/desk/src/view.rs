//! A view: the rows of one tenant at one point in history.

use contract::Context;
use ledger::{At, Find, LIVE, Ledger, Page, RecordKey, Seq};
use serde::de::DeserializeOwned;

use crate::{Failure, Stored, points};

/// Reads at one sequence number, inside the walls of one call.
#[derive(Clone, Copy)]
pub struct View<'a> {
    pub ledger: &'a dyn Ledger,
    pub ctx: &'a Context,
    /// The point every read is made at.
    pub at: Seq,
}

impl<'a> View<'a> {
    /// What is live, for writes: each read sees the last commit, and the expectations of the decision see to the rest.
    pub fn live(ledger: &'a dyn Ledger, ctx: &'a Context) -> Self {
        Self { ledger, ctx, at: LIVE }
    }

    /// The state now.
    pub async fn head(ledger: &'a dyn Ledger, ctx: &'a Context) -> Result<Self, Failure> {
        Ok(Self { ledger, ctx, at: ledger.point(&ctx.scope.tenant, At::Head).await? })
    }

    /// The state at a point that a caller named in `field`.
    pub async fn at(ledger: &'a dyn Ledger, ctx: &'a Context, field: &str, at: At) -> Result<Self, Failure> {
        Ok(Self { ledger, ctx, at: points::resolve(ledger, &ctx.scope.tenant, field, at).await? })
    }

    /// The row with this key.
    pub async fn get<T: DeserializeOwned>(&self, key: RecordKey) -> Result<Option<Stored<T>>, Failure> {
        let found = self.ledger.get(&self.ctx.scope.tenant, self.at, &[key]).await?.pop().flatten();
        found.map(|found| Stored::read(found, &self.ctx.request.request_id)).transpose()
    }

    /// One page of the rows that match.
    pub async fn find<T: DeserializeOwned>(&self, find: Find) -> Result<Page<Stored<T>>, Failure> {
        let page = self.ledger.find(&self.ctx.scope.tenant, self.at, find).await?;
        let read = |found| Stored::read(found, &self.ctx.request.request_id);
        Ok(Page { items: page.items.into_iter().map(read).collect::<Result<_, _>>()?, next: page.next })
    }

    /// How many records match, counted up to `most`.
    pub async fn count(&self, find: Find, most: u64) -> Result<u64, Failure> {
        Ok(self.ledger.count(&self.ctx.scope.tenant, self.at, find, most).await?)
    }
}
