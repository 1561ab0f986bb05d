//! Follows the facts and tells subscribers which resources changed, whichever process wrote them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::Duration;

use contract::Changed;
use ledger::{At, ReadError, Seq, SharedLedger};
use scope::TenantId;
use tokio::sync::broadcast;

use crate::domain::Fact;
use crate::domain::baseline::BaselineFact;

/// Other processes' commits tick late or not at all, so the facts are also asked for this often.
const POLL: Duration = Duration::from_millis(500);
/// A subscriber that lags by more than this many changes loses the oldest.
const CHANGES_MAX: usize = 1024;
const FACTS_PER_READ: usize = 500;

/// Knows which tenants are in use and how far each was followed.
pub struct Follower {
    ledger: SharedLedger,
    /// The last fact of each tenant that was told.
    tenants: Mutex<BTreeMap<TenantId, Seq>>,
    changes: OnceLock<broadcast::Sender<Changed>>,
}

impl Follower {
    pub fn new(ledger: SharedLedger) -> Arc<Self> {
        Arc::new(Self { ledger, tenants: Mutex::default(), changes: OnceLock::new() })
    }

    /// Notes that a tenant is in use. What it does from now on is told.
    pub async fn see(&self, tenant: &TenantId) {
        if self.lock().contains_key(tenant) {
            return;
        }
        match self.ledger.point(tenant, At::Head).await {
            Ok(head) => {
                self.lock().entry(tenant.clone()).or_insert(head);
            }
            Err(error) => tracing::warn!(%error, %tenant, "a tenant cannot be followed yet"),
        }
    }

    /// A new subscription. The first one starts the task that follows, which ends with the last owner of `self`.
    pub fn subscribe(self: &Arc<Self>) -> broadcast::Receiver<Changed> {
        let mut first = false;
        let sender = self.changes.get_or_init(|| {
            first = true;
            broadcast::channel(CHANGES_MAX).0
        });
        let receiver = sender.subscribe();
        if let (true, Ok(runtime)) = (first, tokio::runtime::Handle::try_current()) {
            runtime.spawn(follow(Arc::downgrade(self), self.ledger.ticks()));
        }
        receiver
    }

    /// Starts every tenant at its head: what happened before the first subscription is nobody's news.
    async fn skip_the_past(&self) {
        for (tenant, _) in self.told() {
            if let Ok(head) = self.ledger.point(&tenant, At::Head).await {
                self.lock().insert(tenant, head);
            }
        }
    }

    async fn look(&self) {
        for (tenant, told) in self.told() {
            match self.tell(&tenant, told).await {
                Ok(told) => {
                    self.lock().insert(tenant, told);
                }
                Err(error) => tracing::warn!(%error, %tenant, "facts cannot be followed now"),
            }
        }
    }

    /// Tells what happened after `told` and returns how far that went.
    async fn tell(&self, tenant: &TenantId, mut told: Seq) -> Result<Seq, ReadError> {
        loop {
            let facts = self.ledger.facts(tenant, told, FACTS_PER_READ).await?;
            let Some(last) = facts.last() else { return Ok(told) };
            told = last.seq;
            for uri in facts.iter().flat_map(uris) {
                // Nobody may be listening; that is no failure.
                let _ = self.changes.get().map(|sender| sender.send(Changed::Resource { tenant: tenant.clone(), uri }));
            }
        }
    }

    fn told(&self) -> Vec<(TenantId, Seq)> {
        self.lock().iter().map(|(tenant, told)| (tenant.clone(), *told)).collect()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<TenantId, Seq>> {
        self.tenants.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn follow(follower: Weak<Follower>, mut ticks: tokio::sync::watch::Receiver<u64>) {
    if let Some(follower) = follower.upgrade() {
        follower.skip_the_past().await;
    }
    while let Some(follower) = follower.upgrade() {
        follower.look().await;
        drop(follower);
        // A closed channel never ticks again, and then only time passes.
        if let Ok(Err(_)) = tokio::time::timeout(POLL, ticks.changed()).await {
            tokio::time::sleep(POLL).await;
        }
    }
}

/// The resources that show what a fact changed: a model shows how many elements it has.
fn uris(fact: &ledger::Fact) -> Vec<String> {
    let element = |id: &str| format!("transformation://element/{id}");
    let model = |id: &str| format!("transformation://model/{id}");
    match Fact::read(&fact.kind, &fact.body) {
        Ok(Fact::ElementCreated(state) | Fact::ElementDeleted(state)) => {
            vec![element(&state.id), model(&state.model_id)]
        }
        Ok(Fact::ElementUpdated(state)) => vec![element(&state.id)],
        Ok(Fact::ModelCreated(state)) => vec![model(&state.id)],
        Ok(Fact::Baseline(BaselineFact::RepositoryPublished(_))) => Vec::new(),
        Ok(Fact::Baseline(baseline)) => vec![format!("transformation://baseline/{}", baseline.subject().id)],
        Ok(Fact::Definition(fact)) => vec![format!("transformation://definition/{}", fact.definition().id)],
        Ok(Fact::Scrum(fact)) => vec![format!("transformation://product/{}", fact.product_id())],
        // Relationships have no resource, and other capabilities' facts are not ours to tell.
        Ok(_) | Err(_) => Vec::new(),
    }
}
