//! Model: the ledger as plainly as it can be said, in memory.
//!
//! It is what the engines are compared with (see [`crate::conformance`]), and a ledger for tests that need
//! none of an engine's qualities. It scans where an engine uses an index, and nothing survives a drop.

mod indexes;
mod reads;
mod state;
mod trees;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::FutureExt;
use futures::future::{BoxFuture, ready};
use scope::{Clock, TenantId, Timestamp};
use tokio::sync::watch;

use crate::{
    At, AuditFind, Audited, Change, Commit, CommitError, Effect, Fact, Find, Folds, Idempotency, LIVE, Ledger, NewFact,
    Page, ReadError, Recalled, RecordKey, RecordVersion, Refusal, Search, SearchHit, Seq, Traversal, Traverse,
    Verification,
};
use state::{Answered, Tenant};

/// How long a key is kept: seven days.
const KEY_TTL_MICROS: i64 = 7 * 24 * 60 * 60 * 1_000_000;

/// A ledger in memory.
pub struct ModelLedger {
    clock: Arc<dyn Clock>,
    tenants: Mutex<BTreeMap<TenantId, Tenant>>,
    indexes: Mutex<indexes::Indexes>,
    ticks: watch::Sender<u64>,
    trees: Mutex<trees::Kept>,
}

impl ModelLedger {
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            clock,
            tenants: Mutex::default(),
            indexes: Mutex::default(),
            ticks: watch::channel(0).0,
            trees: Mutex::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<TenantId, Tenant>> {
        self.tenants.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads a tenant at a point that has happened.
    fn read<T>(&self, tenant: &TenantId, at: Seq, work: impl FnOnce(&Tenant) -> T) -> Result<T, ReadError> {
        let tenants = self.lock();
        let empty = Tenant::default();
        let tenant = tenants.get(tenant).unwrap_or(&empty);
        if at > tenant.head() && at != LIVE {
            Err(ReadError::NotYet { at, head: tenant.head() })
        } else {
            Ok(work(tenant))
        }
    }

    fn commit_now(&self, change: Change) -> Result<Commit, CommitError> {
        let now = self.clock.now();
        let mut tenants = self.lock();
        let tenant = tenants.entry(change.tenant.clone()).or_default();
        if let Some((effect, _)) = &change.idempotency {
            match tenant.recall(effect, now) {
                Some(recalled) if recalled.same_request => return Ok(Commit::Replayed(recalled)),
                Some(recalled) => return Err(CommitError::Refused(Refusal::KeyReused { at: recalled.at })),
                None => {}
            }
        }
        if let Some(refusal) = tenant.refusal(&change) {
            return Err(CommitError::Refused(refusal));
        }
        let at = change.at.max(tenant.facts.last().map_or(change.at, |fact| fact.at));
        for (fact, effects) in change.facts {
            tenant.append(fact, at, &effects);
        }
        if let Some((effect, answer)) = change.idempotency {
            let expires_at = now.plus_micros(KEY_TTL_MICROS);
            let answered = Answered { hash: effect.request_hash, payload: answer.payload, at: now, expires_at };
            tenant.answers.insert((effect.principal, effect.operation, effect.key), answered);
        }
        let seq = tenant.head();
        let audited = change.audit.map(|entry| Audited { entry, at, seq });
        tenant.audited.extend(audited.clone());
        self.number(change.tenant, audited);
        self.ticks.send_modify(|ticks| *ticks += 1);
        Ok(Commit::Done { seq: tenant.head(), at })
    }

    fn verify_now(&self, folds: &Folds) -> Verification {
        let mut found = Verification::default();
        for (id, tenant) in self.lock().iter().filter(|(_, tenant)| tenant.head() > 0) {
            let mut again = Tenant::default();
            for fact in &tenant.facts {
                match effects_of(fact, folds) {
                    Ok((new, effects)) => again.append(new, fact.at, &effects),
                    Err(reason) => found.differences.push(format!("{id}: fact {}: {reason}", fact.seq)),
                }
            }
            if again.versions != tenant.versions {
                found.differences.push(format!("{id}: the records are not what the facts make"));
            }
            found.tenants += 1;
            found.facts += tenant.head();
            found.versions += tenant.versions.len() as u64;
        }
        found
    }
}

fn effects_of(fact: &Fact, folds: &Folds) -> Result<(NewFact, Vec<Effect>), String> {
    let Fact { kind, subject, body, meta, .. } = fact.clone();
    let fold = folds.get(kind.split('.').next().unwrap_or_default()).ok_or("no capability folds it")?;
    let new = NewFact { kind, subject, body, meta };
    let effects = fold.effects(&new)?;
    Ok((new, effects))
}

impl Ledger for ModelLedger {
    fn commit(&self, change: Change) -> BoxFuture<'_, Result<Commit, CommitError>> {
        ready(self.commit_now(change)).boxed()
    }

    fn recall<'a>(
        &'a self,
        tenant: &'a TenantId,
        effect: &'a Idempotency,
    ) -> BoxFuture<'a, Result<Option<Recalled>, ReadError>> {
        let now: Timestamp = self.clock.now();
        ready(Ok(self.lock().get(tenant).and_then(|tenant| tenant.recall(effect, now)))).boxed()
    }

    fn point<'a>(&'a self, tenant: &'a TenantId, at: At) -> BoxFuture<'a, Result<Seq, ReadError>> {
        let seq = match at {
            At::Head => self.read(tenant, 0, Tenant::head),
            // Whatever is live is no moment of its own.
            At::Seq(LIVE) => {
                self.read(tenant, 0, Tenant::head).and_then(|head| Err(ReadError::NotYet { at: LIVE, head }))
            }
            At::Seq(seq) => self.read(tenant, seq, |_| seq),
            At::Time(moment) => self.read(tenant, 0, |tenant| tenant.last_until(moment)),
        };
        ready(seq).boxed()
    }

    fn get<'a>(
        &'a self,
        tenant: &'a TenantId,
        at: Seq,
        keys: &'a [RecordKey],
    ) -> BoxFuture<'a, Result<Vec<Option<RecordVersion>>, ReadError>> {
        ready(self.read(tenant, at, |tenant| keys.iter().map(|key| tenant.get(key, at)).collect())).boxed()
    }

    fn find<'a>(
        &'a self,
        tenant: &'a TenantId,
        at: Seq,
        find: Find,
    ) -> BoxFuture<'a, Result<Page<RecordVersion>, ReadError>> {
        ready(self.read(tenant, at, |tenant| tenant.page(at, &find)).and_then(|page| page)).boxed()
    }

    fn count<'a>(
        &'a self,
        tenant: &'a TenantId,
        at: Seq,
        find: Find,
        most: u64,
    ) -> BoxFuture<'a, Result<u64, ReadError>> {
        ready(self.read(tenant, at, |tenant| (tenant.matching(at, &find).len() as u64).min(most))).boxed()
    }

    fn counts<'a>(
        &'a self,
        tenant: &'a TenantId,
        at: Seq,
        kind: &'a str,
        scope: &'a str,
    ) -> BoxFuture<'a, Result<Vec<(String, u64)>, ReadError>> {
        ready(self.read(tenant, at, |tenant| tenant.counts(at, kind, scope))).boxed()
    }

    fn traverse<'a>(
        &'a self,
        tenant: &'a TenantId,
        at: Seq,
        traverse: Traverse,
    ) -> BoxFuture<'a, Result<Traversal, ReadError>> {
        ready(self.read(tenant, at, |tenant| tenant.traverse(at, &traverse))).boxed()
    }

    fn search<'a>(
        &'a self,
        tenant: &'a TenantId,
        at: Seq,
        search: Search,
    ) -> BoxFuture<'a, Result<Vec<SearchHit>, ReadError>> {
        ready(self.read(tenant, at, |tenant| tenant.search(at, &search))).boxed()
    }

    fn facts<'a>(
        &'a self,
        tenant: &'a TenantId,
        after: Seq,
        most: usize,
    ) -> BoxFuture<'a, Result<Vec<Fact>, ReadError>> {
        let facts = |tenant: &Tenant| tenant.facts.iter().filter(|fact| fact.seq > after).take(most).cloned().collect();
        ready(self.read(tenant, 0, facts)).boxed()
    }

    fn audit<'a>(&'a self, tenant: &'a TenantId, find: AuditFind) -> BoxFuture<'a, Result<Vec<Audited>, ReadError>> {
        ready(self.read(tenant, 0, |tenant| tenant.audit(&find))).boxed()
    }

    fn tenants(&self) -> BoxFuture<'_, Result<Vec<TenantId>, ReadError>> {
        let tenants = self.lock().iter().filter(|(_, tenant)| tenant.head() > 0).map(|(id, _)| id.clone()).collect();
        ready(Ok(tenants)).boxed()
    }

    fn ticks(&self) -> watch::Receiver<u64> {
        self.ticks.subscribe()
    }

    fn verify<'a>(&'a self, folds: &'a Folds) -> BoxFuture<'a, Result<Verification, ReadError>> {
        ready(Ok(self.verify_now(folds))).boxed()
    }
}
