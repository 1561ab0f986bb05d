//! Overlay: a ledger as it would be if some facts had been committed on top of it.
//!
//! The facts have no numbers and nobody else sees them. What they put or end is held in memory as drafts; every read asks the
//! base and puts the drafts in the place of what they replace, so whoever reads a [`Ledger`] reads an overlay unchanged.
//! Nothing can be committed to it.
//!
//! What always holds: a read of an overlay gives what the base gives once the same facts are committed
//! ([`crate::conformance::overlays`]), with three exceptions. A record that the base has ended counts its versions from one
//! again, because a ledger does not tell the number of an end. A find by field is refused where drafts could be among its
//! matches, because reads leave fields out. And a search weighs the drafts against the best of the base, not against all of it.

mod drafts;
mod walk;

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use futures::FutureExt;
use futures::future::BoxFuture;
use scope::{TenantId, Timestamp};

use crate::words::{self, Query};
use crate::{
    At, AuditFind, Audited, Change, Commit, CommitError, Effect, Fact, Find, Folds, Idempotency, Ledger, Page,
    ReadError, Recalled, RecordKey, RecordVersion, Search, SearchHit, Seq, SharedLedger, Traversal, Traverse,
    Verification,
};
use drafts::Drafts;

/// A base ledger with drafts over it, for one tenant.
pub struct Overlay<'b> {
    base: Base<'b>,
    tenant: TenantId,
    /// The point that the drafts lie over. Reads of earlier ones do not see them.
    since: Seq,
    drafts: RwLock<Drafts>,
}

/// What lies below.
enum Base<'b> {
    Shared(SharedLedger),
    Lent(&'b dyn Ledger),
}

impl<'b> Deref for Base<'b> {
    type Target = dyn Ledger + 'b;

    fn deref(&self) -> &(dyn Ledger + 'b) {
        match self {
            Self::Shared(ledger) => ledger.as_ref(),
            Self::Lent(ledger) => *ledger,
        }
    }
}

impl Overlay<'static> {
    /// Nothing yet over the base at `since`, a point that has happened.
    pub fn over(base: SharedLedger, tenant: TenantId, since: Seq) -> Self {
        Self { base: Base::Shared(base), tenant, since, drafts: RwLock::new(Drafts::new(since)) }
    }
}

impl<'b> Overlay<'b> {
    /// The same over a base that is only lent.
    pub fn over_lent(base: &'b dyn Ledger, tenant: TenantId, since: Seq) -> Self {
        Self { base: Base::Lent(base), tenant, since, drafts: RwLock::new(Drafts::new(since)) }
    }

    /// Lays the effects of one more fact over it.
    pub async fn lay(&self, effects: &[Effect], at: Timestamp) -> Result<(), ReadError> {
        let keys: Vec<RecordKey> = effects.iter().map(|effect| effect.key().clone()).collect();
        let unknown: Vec<RecordKey> = {
            let drafts = self.read();
            keys.into_iter().filter(|key| !drafts.knows(key)).collect()
        };
        let before =
            if unknown.is_empty() { Vec::new() } else { self.base.get(&self.tenant, self.since, &unknown).await? };
        let mut drafts = self.drafts.write().unwrap_or_else(PoisonError::into_inner);
        for (key, before) in unknown.into_iter().zip(before) {
            drafts.remember(key, before.map(|version| version.version));
        }
        drafts.lay(effects, at);
        Ok(())
    }

    /// Whether something was laid over this record.
    pub fn changes(&self, key: &RecordKey) -> bool {
        self.read().knows(key)
    }

    /// The ledger that lies below.
    pub fn below(&self) -> &(dyn Ledger + 'b) {
        &*self.base
    }

    /// The keys of all records of a kind that something was laid over, in order.
    pub fn changed(&self, kind: &str) -> Vec<RecordKey> {
        self.read().keys(kind)
    }

    fn read(&self) -> RwLockReadGuard<'_, Drafts> {
        self.drafts.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a read may see drafts at all.
    fn covers(&self, tenant: &TenantId, at: Seq) -> bool {
        *tenant == self.tenant && at >= self.since
    }

    async fn get_over(&self, at: Seq, keys: &[RecordKey]) -> Result<Vec<Option<RecordVersion>>, ReadError> {
        let drafted: Vec<Option<Option<RecordVersion>>> = {
            let drafts = self.read();
            keys.iter().map(|key| drafts.get(key)).collect()
        };
        let plain: Vec<RecordKey> =
            keys.iter().zip(&drafted).filter(|(_, drafted)| drafted.is_none()).map(|(key, _)| key.clone()).collect();
        // Asked even for nothing, so that a point that has not happened is refused.
        let mut found = self.base.get(&self.tenant, at, &plain).await?.into_iter();
        Ok(drafted.into_iter().map(|drafted| drafted.unwrap_or_else(|| found.next().flatten())).collect())
    }

    async fn count_over(&self, at: Seq, find: Find, most: u64) -> Result<u64, ReadError> {
        let (replaced, new) = {
            let drafts = self.read();
            (drafts.replaced(&find.kind), drafts.matching(&find).len() as u64)
        };
        if replaced.is_empty() {
            return Ok((self.base.count(&self.tenant, at, find, most).await? + new).min(most));
        }
        let before = self.base.get(&self.tenant, at, &replaced).await?;
        let gone = before.iter().flatten().filter(|version| find.admits(&version.record)).count() as u64;
        let counted = self.base.count(&self.tenant, at, find, most.saturating_add(gone)).await?;
        Ok((counted - gone.min(counted) + new).min(most))
    }

    async fn counts_over(&self, at: Seq, kind: &str, scope: &str) -> Result<Vec<(String, u64)>, ReadError> {
        let (replaced, new) = {
            let drafts = self.read();
            (drafts.replaced(kind), drafts.live(kind))
        };
        let mut counts: BTreeMap<String, u64> =
            self.base.counts(&self.tenant, at, kind, scope).await?.into_iter().collect();
        let counted = |version: &RecordVersion| version.record.scope == scope && version.record.is_counted();
        for gone in self.base.get(&self.tenant, at, &replaced).await?.into_iter().flatten().filter(counted) {
            counts.entry(gone.record.r#type).and_modify(|count| *count = count.saturating_sub(1));
        }
        for draft in new.into_iter().filter(counted) {
            *counts.entry(draft.record.r#type).or_default() += 1;
        }
        counts.retain(|_, count| *count > 0);
        Ok(counts.into_iter().collect())
    }

    async fn search_over(&self, at: Seq, search: Search) -> Result<Vec<SearchHit>, ReadError> {
        let query = Query::new(&search);
        let (replaced, drafted) = {
            let drafts = self.read();
            (drafts.replaced(&search.kind), drafts.live(&search.kind))
        };
        let wider = Search { limit: search.limit.saturating_add(replaced.len()), ..search.clone() };
        let found = self.base.search(&self.tenant, at, wider).await?;
        let mut hits: Vec<SearchHit> =
            found.iter().filter(|hit| replaced.binary_search(&hit.version.record.key).is_err()).cloned().collect();
        let matches = |version: &RecordVersion| {
            let held = words::words(&version.record.text);
            let holds = |index: usize| held.iter().any(|word| query.stands_for(index, word));
            let mut indexes = 0..query.words.len();
            !query.words.is_empty() && if query.all_words { indexes.all(holds) } else { indexes.any(holds) }
        };
        let wanted = |version: &RecordVersion| {
            search.scope.as_ref().is_none_or(|scope| *scope == version.record.scope)
                && search.r#type.as_ref().is_none_or(|of| *of == version.record.r#type)
                && matches(version)
        };
        let added: Vec<SearchHit> =
            drafted.into_iter().filter(wanted).map(|version| SearchHit { version, score: 0.0 }).collect();
        if !added.is_empty() || hits.len() != found.len() {
            hits.extend(added);
            hits.sort_by(|left, right| left.version.record.key.id.cmp(&right.version.record.key.id));
            let scores = query.scores(hits.iter().map(|hit| hit.version.record.text.as_str()));
            hits.iter_mut().zip(scores).for_each(|(hit, score)| hit.score = score);
            hits.sort_by(|left, right| right.score.total_cmp(&left.score));
        }
        hits.truncate(search.limit);
        Ok(hits)
    }
}

impl Ledger for Overlay<'_> {
    fn commit(&self, _: Change) -> BoxFuture<'_, Result<Commit, CommitError>> {
        let refused = CommitError::Unavailable("nothing can be committed to an overlay".to_owned());
        futures::future::ready(Err(refused)).boxed()
    }

    fn recall<'a>(
        &'a self,
        tenant: &'a TenantId,
        effect: &'a Idempotency,
    ) -> BoxFuture<'a, Result<Option<Recalled>, ReadError>> {
        self.base.recall(tenant, effect)
    }

    fn point<'a>(&'a self, tenant: &'a TenantId, at: At) -> BoxFuture<'a, Result<Seq, ReadError>> {
        self.base.point(tenant, at)
    }

    fn get<'a>(
        &'a self,
        tenant: &'a TenantId,
        at: Seq,
        keys: &'a [RecordKey],
    ) -> BoxFuture<'a, Result<Vec<Option<RecordVersion>>, ReadError>> {
        match self.covers(tenant, at) {
            true => self.get_over(at, keys).boxed(),
            false => self.base.get(tenant, at, keys),
        }
    }

    fn find<'a>(
        &'a self,
        tenant: &'a TenantId,
        at: Seq,
        find: Find,
    ) -> BoxFuture<'a, Result<Page<RecordVersion>, ReadError>> {
        match self.covers(tenant, at) {
            true => self.find_over(at, find).boxed(),
            false => self.base.find(tenant, at, find),
        }
    }

    fn count<'a>(
        &'a self,
        tenant: &'a TenantId,
        at: Seq,
        find: Find,
        most: u64,
    ) -> BoxFuture<'a, Result<u64, ReadError>> {
        let covers = self.covers(tenant, at) && self.read().has(&find.kind);
        match (covers, self.refused(&find)) {
            (false, _) => self.base.count(tenant, at, find, most),
            (true, None) => self.count_over(at, find, most).boxed(),
            (true, Some(refused)) => futures::future::ready(Err(refused)).boxed(),
        }
    }

    fn counts<'a>(
        &'a self,
        tenant: &'a TenantId,
        at: Seq,
        kind: &'a str,
        scope: &'a str,
    ) -> BoxFuture<'a, Result<Vec<(String, u64)>, ReadError>> {
        match self.covers(tenant, at) && self.read().has(kind) {
            true => self.counts_over(at, kind, scope).boxed(),
            false => self.base.counts(tenant, at, kind, scope),
        }
    }

    fn traverse<'a>(
        &'a self,
        tenant: &'a TenantId,
        at: Seq,
        traverse: Traverse,
    ) -> BoxFuture<'a, Result<Traversal, ReadError>> {
        match self.covers(tenant, at) && self.read().has(&traverse.kind) {
            true => self.traverse_over(at, traverse).boxed(),
            false => self.base.traverse(tenant, at, traverse),
        }
    }

    fn search<'a>(
        &'a self,
        tenant: &'a TenantId,
        at: Seq,
        search: Search,
    ) -> BoxFuture<'a, Result<Vec<SearchHit>, ReadError>> {
        match self.covers(tenant, at) && self.read().has(&search.kind) {
            true => self.search_over(at, search).boxed(),
            false => self.base.search(tenant, at, search),
        }
    }

    fn facts<'a>(
        &'a self,
        tenant: &'a TenantId,
        after: Seq,
        most: usize,
    ) -> BoxFuture<'a, Result<Vec<Fact>, ReadError>> {
        self.base.facts(tenant, after, most)
    }

    fn audit<'a>(&'a self, tenant: &'a TenantId, find: AuditFind) -> BoxFuture<'a, Result<Vec<Audited>, ReadError>> {
        self.base.audit(tenant, find)
    }

    fn tenants(&self) -> BoxFuture<'_, Result<Vec<TenantId>, ReadError>> {
        self.base.tenants()
    }

    fn ticks(&self) -> tokio::sync::watch::Receiver<u64> {
        self.base.ticks()
    }

    fn verify<'a>(&'a self, folds: &'a Folds) -> BoxFuture<'a, Result<Verification, ReadError>> {
        self.base.verify(folds)
    }
}
