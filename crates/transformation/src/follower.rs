//! Follows the facts and tells subscribers which resources changed, whichever process wrote them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::Duration;

use contract::Changed;
use ledger::{At, ReadError, RecordKey, Seq, SharedLedger};
use scope::TenantId;
use tokio::sync::broadcast;

use crate::domain::fact::kind;

/// Other processes' commits tick late or not at all, so the facts are also asked for this often.
const POLL: Duration = Duration::from_millis(500);
/// A subscriber that lags by more than this many changes loses the oldest.
const CHANGES_MAX: usize = 1024;
const FACTS_PER_READ: usize = 500;

/// Knows which tenants are in use and how far each was followed.
pub struct Follower {
    ledger: SharedLedger,
    /// The last fact that was told; none before the tenant was looked at.
    tenants: Mutex<BTreeMap<TenantId, Option<Seq>>>,
    changes: OnceLock<broadcast::Sender<Changed>>,
}

impl Follower {
    pub fn new(ledger: SharedLedger) -> Arc<Self> {
        Arc::new(Self { ledger, tenants: Mutex::default(), changes: OnceLock::new() })
    }

    /// Notes that a tenant is in use, so that its facts are followed.
    pub fn see(&self, tenant: &TenantId) {
        let mut tenants = self.tenants.lock().unwrap_or_else(PoisonError::into_inner);
        if !tenants.contains_key(tenant) {
            tenants.insert(tenant.clone(), None);
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

    async fn look(&self) {
        let tenants: Vec<(TenantId, Option<Seq>)> = {
            let tenants = self.tenants.lock().unwrap_or_else(PoisonError::into_inner);
            tenants.iter().map(|(tenant, told)| (tenant.clone(), *told)).collect()
        };
        for (tenant, told) in tenants {
            match self.tell(&tenant, told).await {
                Ok(told) => {
                    self.tenants.lock().unwrap_or_else(PoisonError::into_inner).insert(tenant, Some(told));
                }
                Err(error) => tracing::warn!(%error, %tenant, "facts cannot be followed now"),
            }
        }
    }

    /// Tells what happened after `told` and returns how far that went. A tenant starts at its head.
    async fn tell(&self, tenant: &TenantId, told: Option<Seq>) -> Result<Seq, ReadError> {
        let Some(mut told) = told else {
            return self.ledger.point(tenant, At::Head).await;
        };
        loop {
            let facts = self.ledger.facts(tenant, told, FACTS_PER_READ).await?;
            let Some(last) = facts.last() else { return Ok(told) };
            told = last.seq;
            for uri in facts.iter().filter_map(|fact| uri(&fact.subject)) {
                // Nobody may be listening; that is no failure.
                let _ = self.changes.get().map(|sender| sender.send(Changed::Resource { tenant: tenant.clone(), uri }));
            }
        }
    }
}

async fn follow(follower: Weak<Follower>, mut ticks: tokio::sync::watch::Receiver<u64>) {
    loop {
        match follower.upgrade() {
            Some(follower) => follower.look().await,
            None => return,
        }
        // Either way it is time to look again.
        let _ = tokio::time::timeout(POLL, ticks.changed()).await;
    }
}

/// The resource that shows a record.
fn uri(subject: &RecordKey) -> Option<String> {
    match subject.kind.as_str() {
        kind::ELEMENT => Some(format!("transformation://element/{}", subject.id)),
        kind::MODEL => Some(format!("transformation://model/{}", subject.id)),
        _ => None,
    }
}
