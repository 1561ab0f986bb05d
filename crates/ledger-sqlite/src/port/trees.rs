//! The trees of the port.

use futures::FutureExt;
use futures::future::BoxFuture;
use ledger::tree::{Batch, Checkpoint, Grown, Numbered, Numbers, Span, Tile, TilePlace, Tree, Trees};
use ledger::{CommitError, ReadError};
use scope::TenantId;
use tokio::sync::oneshot;

use crate::readers::failed;
use crate::writer::Job;
use crate::{SqliteLedger, stopped_midway, tree};

impl Trees for SqliteLedger {
    fn grow(&self, batch: Batch) -> BoxFuture<'_, Result<Grown, CommitError>> {
        async move {
            let (answer, answered) = oneshot::channel();
            self.enqueue(Job::Grow(Box::new(batch), answer)).await?;
            answered.await.unwrap_or_else(|_| Err(stopped_midway()))
        }
        .boxed()
    }

    fn checkpoints<'a>(
        &'a self,
        tenant: &'a TenantId,
        of: Tree,
        after: u64,
        most: usize,
    ) -> BoxFuture<'a, Result<Vec<Checkpoint>, ReadError>> {
        let tenant = tenant.clone();
        self.readers.read(move |db| tree::checkpoints(db, &tenant, of, after, most).map_err(failed)).boxed()
    }

    fn checkpoint<'a>(
        &'a self,
        tenant: &'a TenantId,
        of: Tree,
    ) -> BoxFuture<'a, Result<Option<Checkpoint>, ReadError>> {
        self.readers.look_up_plain(move |db| tree::checkpoint(db, tenant, of).map_err(failed)).boxed()
    }

    fn tiles<'a>(
        &'a self,
        tenant: &'a TenantId,
        of: Tree,
        places: &'a [TilePlace],
    ) -> BoxFuture<'a, Result<Vec<Option<Tile>>, ReadError>> {
        let (tenant, places) = (tenant.clone(), places.to_vec());
        self.readers.read(move |db| tree::tiles(db, &tenant, of, &places).map_err(failed)).boxed()
    }

    fn spans<'a>(
        &'a self,
        tenant: &'a TenantId,
        from_leaf: u64,
        most: usize,
    ) -> BoxFuture<'a, Result<Vec<Span>, ReadError>> {
        let tenant = tenant.clone();
        self.readers.read(move |db| tree::spans(db, &tenant, from_leaf, most).map_err(failed)).boxed()
    }

    fn span_end<'a>(&'a self, source: &'a str, through: u64) -> BoxFuture<'a, Result<u64, ReadError>> {
        self.readers.look_up_plain(move |db| tree::span_end(db, source, through).map_err(failed)).boxed()
    }

    fn behind(&self, most: usize) -> BoxFuture<'_, Result<Vec<TenantId>, ReadError>> {
        self.readers.look_up_plain(move |db| tree::behind(db, most).map_err(failed)).boxed()
    }

    fn advanced<'a>(&'a self, source: &'a str) -> BoxFuture<'a, Result<u64, ReadError>> {
        self.readers.look_up_plain(move |db| tree::advanced(db, source).map_err(failed)).boxed()
    }

    fn audited(&self, numbers: Numbers) -> BoxFuture<'_, Result<Vec<Numbered>, ReadError>> {
        self.readers.read(move |db| tree::audited(db, &numbers).map_err(failed)).boxed()
    }

    fn trees(&self) -> BoxFuture<'_, Result<Vec<(TenantId, Tree)>, ReadError>> {
        self.readers.read(move |db| tree::trees(db).map_err(failed)).boxed()
    }
}
