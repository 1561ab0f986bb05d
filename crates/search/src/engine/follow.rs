//! The follower: keeps indexes up to date in the background, whichever process wrote the facts.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use ledger::{At, Seq};
use scope::{Clock, SystemClock, TenantId};

use super::line::Line;
use super::{Inner, Search, SearchError};

/// Facts that come within this time are taken together.
const GATHER: Duration = Duration::from_millis(200);
/// Other processes' commits tick late or not at all, so the heads are also asked for this often.
const POLL: Duration = Duration::from_millis(500);

/// How far behind search is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Lag {
    /// Facts that are not kept in an index yet, of the tenant and capability that have most.
    pub facts: u64,
    /// How old the oldest of them was when it was kept, in the last round.
    pub millis: u64,
    /// Passages that wait for a vector of the model, as far as they are counted.
    pub vectors: u64,
    /// Partitions in memory, and about how many bytes they take.
    pub partitions: usize,
    pub bytes: usize,
}

#[derive(Default)]
pub struct Gauges {
    facts: AtomicU64,
    millis: AtomicU64,
    pub vectors: AtomicU64,
}

impl Search {
    /// Follows until the last clone of this is gone. Call it once, when all capabilities are attached.
    pub fn follow(&self) {
        let weak = Arc::downgrade(&self.inner);
        let mut ticks = self.inner.ledger.ticks();
        tokio::spawn(async move {
            while let Some(inner) = weak.upgrade() {
                round(&inner).await;
                drop(inner);
                // A closed channel never ticks again, and then only time passes.
                if let Ok(Err(_)) = tokio::time::timeout(POLL, ticks.changed()).await {
                    tokio::time::sleep(POLL).await;
                }
                tokio::time::sleep(GATHER).await;
            }
        });
        self.follow_vectors();
    }

    /// Looks at every tenant once, as the follower does again and again.
    pub async fn round(&self) {
        round(&self.inner).await;
    }

    /// Brings all indexes up to date, and returns when they are.
    pub async fn settle(&self) -> Result<(), SearchError> {
        for tenant in self.inner.ledger.tenants().await? {
            for line in self.inner.lines_of(&tenant) {
                let head = self.inner.ledger.point(&tenant, At::Head).await?;
                line.catch_up(&self.inner, head).await?;
                line.keep(&self.inner).await?;
                self.inner.embed_missing(&line).await?;
            }
        }
        Ok(())
    }

    /// How far behind the indexes are, as the last round found them.
    pub fn lag(&self) -> Lag {
        let gauge = |gauge: &AtomicU64| gauge.load(Ordering::Relaxed);
        let gauges = &self.inner.lag;
        let (partitions, bytes) = self.inner.shelves.size();
        let (facts, millis, vectors) = (gauge(&gauges.facts), gauge(&gauges.millis), gauge(&gauges.vectors));
        Lag { facts, millis, vectors, partitions, bytes }
    }

    /// The facts that each index lacks that is not up to date, as the store has it: tenant, capability, facts.
    pub async fn behind(&self) -> Result<Vec<(TenantId, &'static str, u64)>, SearchError> {
        let mut behind = Vec::new();
        let Some(store) = &self.inner.store else { return Ok(behind) };
        for tenant in self.inner.ledger.tenants().await? {
            let head = self.inner.ledger.point(&tenant, At::Head).await?;
            for source in self.inner.sources() {
                let kept = store.state(&tenant, source.name()).await?;
                if kept.through < head {
                    behind.push((tenant.clone(), source.name(), head - kept.through));
                }
            }
        }
        Ok(behind)
    }
}

impl Inner {
    /// The lines of a tenant, one for each capability.
    pub fn lines_of(&self, tenant: &TenantId) -> Vec<Arc<Line>> {
        self.sources().iter().filter_map(|source| self.line(tenant, source.name())).collect()
    }
}

/// Looks at every tenant once.
async fn round(inner: &Inner) {
    let tenants = match inner.ledger.tenants().await {
        Ok(tenants) => tenants,
        Err(error) => return tracing::warn!(%error, "search cannot follow now"),
    };
    let (mut facts, mut millis) = (0, 0);
    for tenant in tenants {
        let Ok(head) = inner.ledger.point(&tenant, At::Head).await else { continue };
        for line in inner.lines_of(&tenant) {
            match bring_up(inner, &line, head).await {
                Ok(age) => millis = millis.max(age),
                Err(error) => {
                    let (source, index) = (std::error::Error::source(&error), line.name());
                    tracing::warn!(%error, ?source, %tenant, index, "search cannot follow; it tries again");
                }
            }
            facts = facts.max(head.saturating_sub(line.kept()));
        }
    }
    inner.lag.facts.store(facts, Ordering::Relaxed);
    inner.lag.millis.store(millis, Ordering::Relaxed);
}

/// Brings one line up to the head, and returns how long its oldest fact waited.
async fn bring_up(inner: &Inner, line: &Line, head: Seq) -> Result<u64, SearchError> {
    if line.is_damaged.load(Ordering::Relaxed) {
        line.restart(inner).await?;
    }
    if line.kept() >= head {
        return Ok(0);
    }
    line.catch_up(inner, head).await?;
    let oldest = line.keep(inner).await?;
    let age = oldest.map_or(0, |oldest| SystemClock.now().0.saturating_sub(oldest.0) / 1_000);
    Ok(u64::try_from(age).unwrap_or(0))
}
