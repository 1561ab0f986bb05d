//! Follows the facts and announces which resources changed, whichever process wrote them.
//!
//! Only tenants that are in use are followed, and only while somebody listens.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use contract::Changed;
use ledger::{At, Fact, ReadError, Seq, SharedLedger};
use scope::TenantId;
use tokio::sync::broadcast;

/// Other processes' commits tick late or not at all, so the facts are also asked for this often.
const POLL: Duration = Duration::from_millis(500);
/// A subscriber that lags by more than this many changes loses the oldest.
const CHANGES_MAX: usize = 1024;
const FACTS_PER_READ: usize = 500;

/// The URIs of the resources that show what a fact changed; none for a fact of another capability.
pub type Shows = fn(&Fact) -> Vec<String>;

/// Knows which tenants are in use and how far each was followed.
pub struct Follower {
    ledger: SharedLedger,
    shows: Shows,
    changes: broadcast::Sender<Changed>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The last fact of each tenant that was announced.
    tenants: BTreeMap<TenantId, Seq>,
    /// True while a task follows.
    runs: bool,
}

impl Follower {
    pub fn new(ledger: SharedLedger, shows: Shows) -> Arc<Self> {
        Arc::new(Self { ledger, shows, changes: broadcast::channel(CHANGES_MAX).0, state: Mutex::default() })
    }

    /// Notes that a tenant is in use. What it does from now on is announced.
    pub async fn see(&self, tenant: &TenantId) {
        if self.lock().tenants.contains_key(tenant) {
            return;
        }
        match self.ledger.point(tenant, At::Head).await {
            Ok(head) => {
                self.lock().tenants.entry(tenant.clone()).or_insert(head);
            }
            Err(error) => tracing::warn!(%error, %tenant, "a tenant cannot be followed yet"),
        }
    }

    /// A new subscription. The first one starts the task that follows, which ends with the last one.
    pub fn subscribe(self: &Arc<Self>) -> broadcast::Receiver<Changed> {
        let mut state = self.lock();
        let receiver = self.changes.subscribe();
        if let (false, Ok(runtime)) = (state.runs, tokio::runtime::Handle::try_current()) {
            state.runs = true;
            runtime.spawn(follow(Arc::downgrade(self), self.ledger.ticks()));
        }
        receiver
    }

    /// Starts every tenant at its head: what happened before the subscription is nobody's news.
    async fn skip_the_past(&self) {
        for (tenant, _) in self.announced() {
            if let Ok(head) = self.ledger.point(&tenant, At::Head).await {
                self.lock().tenants.insert(tenant, head);
            }
        }
    }

    async fn look(&self) {
        for (tenant, announced) in self.announced() {
            match self.announce(&tenant, announced).await {
                Ok(announced) => {
                    self.lock().tenants.insert(tenant, announced);
                }
                Err(error) => tracing::warn!(%error, %tenant, "facts cannot be followed now"),
            }
        }
    }

    /// Announces what happened after `announced` and returns how far that went.
    async fn announce(&self, tenant: &TenantId, mut announced: Seq) -> Result<Seq, ReadError> {
        loop {
            let facts = self.ledger.facts(tenant, announced, FACTS_PER_READ).await?;
            let Some(last) = facts.last() else { return Ok(announced) };
            announced = last.seq;
            for uri in facts.iter().flat_map(self.shows) {
                // Nobody may be listening; that is no failure.
                let _ = self.changes.send(Changed::Resource { tenant: tenant.clone(), uri });
            }
        }
    }

    /// Ends the task unless somebody listens.
    fn goes_on(&self) -> bool {
        let mut state = self.lock();
        state.runs = self.changes.receiver_count() > 0;
        state.runs
    }

    fn announced(&self) -> Vec<(TenantId, Seq)> {
        self.lock().tenants.iter().map(|(tenant, announced)| (tenant.clone(), *announced)).collect()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn follow(follower: Weak<Follower>, mut ticks: tokio::sync::watch::Receiver<u64>) {
    if let Some(follower) = follower.upgrade() {
        follower.skip_the_past().await;
    }
    while let Some(follower) = follower.upgrade().filter(|follower| follower.goes_on()) {
        follower.look().await;
        drop(follower);
        // A closed channel never ticks again, and then only time passes.
        if let Ok(Err(_)) = tokio::time::timeout(POLL, ticks.changed()).await {
            tokio::time::sleep(POLL).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use ledger::model::ModelLedger;
    use ledger::{Change, Ledger as _, NewFact, RecordKey};
    use scope::{FixedClock, Scope, Timestamp};

    use super::*;

    fn shows(fact: &Fact) -> Vec<String> {
        vec![format!("test://thing/{}", fact.subject.id)]
    }

    async fn happen(ledger: &ModelLedger, id: &str) {
        let subject = RecordKey::new("test.thing", id);
        let fact = NewFact { kind: "test.Made".to_owned(), subject, body: String::new(), meta: String::new() };
        let change = Change {
            tenant: Scope::local().tenant,
            at: Timestamp(0),
            idempotency: None,
            expectations: Vec::new(),
            facts: vec![(fact, Vec::new())],
            audit: None,
        };
        ledger.commit(change).await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn what_happens_while_somebody_listens_is_announced_and_nothing_else() {
        let ledger = Arc::new(ModelLedger::new(Arc::new(FixedClock::at(Timestamp(0)))));
        let follower = Follower::new(ledger.clone(), shows);
        follower.see(&Scope::local().tenant).await;
        happen(&ledger, "before").await;
        for id in ["first", "second"] {
            let mut changes = follower.subscribe();
            // The task has begun when it has asked for the head.
            tokio::time::sleep(POLL).await;
            happen(&ledger, id).await;
            let Changed::Resource { uri, .. } = changes.recv().await.unwrap() else { panic!("a resource changed") };
            assert_eq!(uri, format!("test://thing/{id}"));
            drop(changes);
            tokio::time::sleep(POLL * 3).await;
            assert!(!follower.lock().runs);
            happen(&ledger, "unheard").await;
        }
    }
}
