//! Trees, in memory.

use std::collections::BTreeMap;
use std::sync::PoisonError;

use futures::FutureExt;
use futures::future::{BoxFuture, ready};
use scope::TenantId;

use super::ModelLedger;
use crate::tree::{Batch, Checkpoint, Grown, Numbered, Numbers, Span, Tile, TilePlace, Tree, Trees};
use crate::{Audited, CommitError, ReadError};

type Key = (TenantId, Tree);

#[derive(Default)]
pub(super) struct Kept {
    checkpoints: BTreeMap<Key, Vec<Checkpoint>>,
    tiles: BTreeMap<(TenantId, Tree, TilePlace), Tile>,
    spans: BTreeMap<TenantId, Vec<Span>>,
    advanced: BTreeMap<String, u64>,
    audited: Vec<Numbered>,
}

impl Kept {
    fn size(&self, key: &Key) -> u64 {
        self.checkpoints.get(key).and_then(|all| all.last()).map_or(0, |last| last.size)
    }

    fn grow(&mut self, batch: Batch) -> Grown {
        let is_next = |growth: &crate::tree::Growth| self.size(&(growth.tenant.clone(), growth.tree)) == growth.from;
        let moved = batch.advance.as_ref().is_some_and(|advance| self.advanced_to(&advance.source) != advance.from);
        if moved || !batch.growths.iter().all(is_next) {
            return Grown::Overtaken;
        }
        for growth in batch.growths {
            let (tenant, tree) = (growth.tenant, growth.tree);
            for tile in growth.tiles {
                self.tiles.insert((tenant.clone(), tree, tile.place), tile);
            }
            self.spans.entry(tenant.clone()).or_default().extend(growth.span);
            self.checkpoints.entry((tenant, tree)).or_default().push(growth.checkpoint);
        }
        self.advanced.extend(batch.advance.map(|advance| (advance.source, advance.to)));
        Grown::Done
    }

    fn advanced_to(&self, source: &str) -> u64 {
        self.advanced.get(source).copied().unwrap_or(0)
    }
}

impl ModelLedger {
    /// Gives the record of a change its number.
    pub(super) fn number(&self, tenant: TenantId, audited: Option<Audited>) {
        self.kept(|kept| {
            let number = kept.audited.len() as u64 + 1;
            kept.audited.extend(audited.map(|audited| Numbered { number, tenant, audited }));
        });
    }

    fn kept<T>(&self, work: impl FnOnce(&mut Kept) -> T) -> T {
        work(&mut self.trees.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Trees for ModelLedger {
    fn grow(&self, batch: Batch) -> BoxFuture<'_, Result<Grown, CommitError>> {
        ready(Ok(self.kept(|kept| kept.grow(batch)))).boxed()
    }

    fn checkpoints<'a>(
        &'a self,
        tenant: &'a TenantId,
        tree: Tree,
        after: u64,
        most: usize,
    ) -> BoxFuture<'a, Result<Vec<Checkpoint>, ReadError>> {
        let found = self.kept(|kept| {
            let all = kept.checkpoints.get(&(tenant.clone(), tree)).cloned().unwrap_or_default();
            all.into_iter().filter(|checkpoint| checkpoint.size > after).take(most).collect()
        });
        ready(Ok(found)).boxed()
    }

    fn checkpoint<'a>(
        &'a self,
        tenant: &'a TenantId,
        tree: Tree,
    ) -> BoxFuture<'a, Result<Option<Checkpoint>, ReadError>> {
        let last = self.kept(|kept| kept.checkpoints.get(&(tenant.clone(), tree)).and_then(|all| all.last().cloned()));
        ready(Ok(last)).boxed()
    }

    fn tiles<'a>(
        &'a self,
        tenant: &'a TenantId,
        tree: Tree,
        places: &'a [TilePlace],
    ) -> BoxFuture<'a, Result<Vec<Option<Tile>>, ReadError>> {
        let found = self
            .kept(|kept| places.iter().map(|place| kept.tiles.get(&(tenant.clone(), tree, *place)).cloned()).collect());
        ready(Ok(found)).boxed()
    }

    fn spans<'a>(
        &'a self,
        tenant: &'a TenantId,
        from_leaf: u64,
        most: usize,
    ) -> BoxFuture<'a, Result<Vec<Span>, ReadError>> {
        let found = self.kept(|kept| {
            let all = kept.spans.get(tenant).cloned().unwrap_or_default();
            all.into_iter().filter(|span| span.first_leaf + span.leaves > from_leaf).take(most).collect()
        });
        ready(Ok(found)).boxed()
    }

    fn span_end<'a>(&'a self, source: &'a str, through: u64) -> BoxFuture<'a, Result<u64, ReadError>> {
        let end = self.kept(|kept| {
            let spans = kept.spans.values().flatten().filter(|span| span.source == source);
            spans.map(|span| span.through).filter(|end| *end <= through).max()
        });
        ready(Ok(end.unwrap_or(0))).boxed()
    }

    fn behind(&self, most: usize) -> BoxFuture<'_, Result<Vec<TenantId>, ReadError>> {
        let heads: Vec<(TenantId, u64)> =
            self.lock().iter().map(|(tenant, state)| (tenant.clone(), state.head())).collect();
        let behind = self.kept(|kept| {
            let is_behind = |(tenant, head): &(TenantId, u64)| kept.size(&(tenant.clone(), Tree::Facts)) < *head;
            heads.into_iter().filter(is_behind).map(|(tenant, _)| tenant).take(most).collect()
        });
        ready(Ok(behind)).boxed()
    }

    fn advanced<'a>(&'a self, source: &'a str) -> BoxFuture<'a, Result<u64, ReadError>> {
        ready(Ok(self.kept(|kept| kept.advanced_to(source)))).boxed()
    }

    fn audited(&self, numbers: Numbers) -> BoxFuture<'_, Result<Vec<Numbered>, ReadError>> {
        let Numbers { tenant, after, through, most } = numbers;
        let fits = |record: &&Numbered| {
            record.number > after
                && record.number <= through
                && tenant.as_ref().is_none_or(|tenant| *tenant == record.tenant)
        };
        ready(Ok(self.kept(|kept| kept.audited.iter().filter(fits).take(most).cloned().collect()))).boxed()
    }

    fn trees(&self) -> BoxFuture<'_, Result<Vec<(TenantId, Tree)>, ReadError>> {
        ready(Ok(self.kept(|kept| kept.checkpoints.keys().cloned().collect()))).boxed()
    }
}
