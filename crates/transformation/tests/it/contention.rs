//! What happens when something else keeps changing while a write is decided.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use contract::Capability;
use desk::PageTokens;
use futures::future::BoxFuture;
use ledger::{
    At, AuditFind, Audited, Change, Commit, CommitError, Fact, Find, Folds, Idempotency, Ledger, Page, ReadError,
    Recalled, RecordKey, RecordVersion, Refusal, Search, SearchHit, Seq, SharedLedger, Traversal, Traverse,
    Verification,
};
use scope::TenantId;
use serde_json::json;
use transformation::{Config, Transformation};

use crate::world::World;

/// The real ledger, except that it refuses the first commits as if another had come first, or makes them and says that it
/// does not know.
struct Crowded {
    inner: SharedLedger,
    refusals: u32,
    silences: u32,
    commits: AtomicU32,
}

impl Ledger for Crowded {
    fn commit(&self, change: Change) -> BoxFuture<'_, Result<Commit, CommitError>> {
        let number = self.commits.fetch_add(1, Ordering::SeqCst);
        if number < self.silences {
            return Box::pin(async {
                self.inner.commit(change).await?;
                Err(CommitError::Unknown("a secret of the disk".to_owned()))
            });
        }
        if number < self.refusals {
            let key = RecordKey::new("transformation.element", "another");
            let refusal = Refusal::Record { key, actual: None };
            return Box::pin(std::future::ready(Err(CommitError::Refused(refusal))));
        }
        self.inner.commit(change)
    }

    fn recall<'a>(
        &'a self,
        tenant: &'a TenantId,
        effect: &'a Idempotency,
    ) -> BoxFuture<'a, Result<Option<Recalled>, ReadError>> {
        self.inner.recall(tenant, effect)
    }

    fn point<'a>(&'a self, tenant: &'a TenantId, at: At) -> BoxFuture<'a, Result<Seq, ReadError>> {
        self.inner.point(tenant, at)
    }

    fn get<'a>(
        &'a self,
        tenant: &'a TenantId,
        at: Seq,
        keys: &'a [RecordKey],
    ) -> BoxFuture<'a, Result<Vec<Option<RecordVersion>>, ReadError>> {
        self.inner.get(tenant, at, keys)
    }

    fn find<'a>(
        &'a self,
        tenant: &'a TenantId,
        at: Seq,
        find: Find,
    ) -> BoxFuture<'a, Result<Page<RecordVersion>, ReadError>> {
        self.inner.find(tenant, at, find)
    }

    fn count<'a>(
        &'a self,
        tenant: &'a TenantId,
        at: Seq,
        find: Find,
        most: u64,
    ) -> BoxFuture<'a, Result<u64, ReadError>> {
        self.inner.count(tenant, at, find, most)
    }

    fn counts<'a>(
        &'a self,
        tenant: &'a TenantId,
        at: Seq,
        kind: &'a str,
        scope: &'a str,
    ) -> BoxFuture<'a, Result<Vec<(String, u64)>, ReadError>> {
        self.inner.counts(tenant, at, kind, scope)
    }

    fn traverse<'a>(
        &'a self,
        tenant: &'a TenantId,
        at: Seq,
        traverse: Traverse,
    ) -> BoxFuture<'a, Result<Traversal, ReadError>> {
        self.inner.traverse(tenant, at, traverse)
    }

    fn search<'a>(
        &'a self,
        tenant: &'a TenantId,
        at: Seq,
        search: Search,
    ) -> BoxFuture<'a, Result<Vec<SearchHit>, ReadError>> {
        self.inner.search(tenant, at, search)
    }

    fn facts<'a>(
        &'a self,
        tenant: &'a TenantId,
        after: Seq,
        most: usize,
    ) -> BoxFuture<'a, Result<Vec<Fact>, ReadError>> {
        self.inner.facts(tenant, after, most)
    }

    fn audit<'a>(&'a self, tenant: &'a TenantId, find: AuditFind) -> BoxFuture<'a, Result<Vec<Audited>, ReadError>> {
        self.inner.audit(tenant, find)
    }

    fn tenants(&self) -> BoxFuture<'_, Result<Vec<TenantId>, ReadError>> {
        self.inner.tenants()
    }

    fn ticks(&self) -> tokio::sync::watch::Receiver<u64> {
        self.inner.ticks()
    }

    fn verify<'a>(&'a self, folds: &'a Folds) -> BoxFuture<'a, Result<Verification, ReadError>> {
        self.inner.verify(folds)
    }
}

fn crowded(world: &World, refusals: u32, silences: u32) -> (Arc<Crowded>, Transformation) {
    let ledger = Crowded { inner: world.ledger.clone(), refusals, silences, commits: AtomicU32::new(0) };
    let ledger = Arc::new(ledger);
    let check = Arc::new(|_: &str, arguments: &serde_json::Map<String, serde_json::Value>| Ok(arguments.clone()));
    let search = search::Search::in_memory(ledger.clone());
    (ledger.clone(), Transformation::new(ledger, &search, Config::default(), check, PageTokens::new(&[7; 32])))
}

/// Creates an element while the first commits are refused; shows the code or `ok`, and how many commits were tried.
async fn create(refusals: u32) -> (String, u32) {
    let world = World::new().await;
    let (crowded, capability) = crowded(&world, refusals, 0);
    let arguments = json!({"type": "Node", "name": "Host"}).as_object().cloned().unwrap();
    let answer = capability.call(&world.ctx(), "transformation.createElement", arguments).await;
    let shown = answer.map_or_else(|error| error.code.into_owned(), |_| "ok".to_owned());
    (shown, crowded.commits.load(Ordering::SeqCst))
}

//
#[tokio::test]
async fn a_conflict_is_decided_again_at_most_three_times() {
    assert_eq!(create(0).await, ("ok".to_owned(), 1));
    assert_eq!(create(2).await, ("ok".to_owned(), 3));
    assert_eq!(create(3).await, ("VERSION_CONFLICT".to_owned(), 3));
    assert_eq!(create(9).await, ("VERSION_CONFLICT".to_owned(), 3));
}

// R-805 (transformation): nobody knows whether the first commit happened; the same key settles it.
#[tokio::test]
async fn an_unknown_outcome_is_said_and_the_same_key_settles_it() {
    let world = World::new().await;
    let (_, capability) = crowded(&world, 0, 1);
    let effect = contract::Effect {
        operation: "transformation.createElement".to_owned(),
        key: "key-1".to_owned(),
        request_hash: "hash".to_owned(),
    };
    let create = async || {
        let arguments = json!({"type": "Node", "name": "Host", "client_request_id": "key-1"});
        let ctx = contract::Context { effect: Some(effect.clone()), ..world.ctx() };
        capability.call(&ctx, "transformation.createElement", arguments.as_object().cloned().unwrap()).await
    };
    let unknown = create().await.unwrap_err();
    let shown = capability.envelope(&world.ctx().request, &unknown);
    let error = &shown["error"];
    assert_eq!(
        (&error["code"], &error["details"]["outcome"]),
        (&json!("SERVICE_UNAVAILABLE"), &json!("unknown")),
        "{shown}"
    );
    assert!(unknown.retryable() && !shown.to_string().contains("secret"), "{shown}");
    let facts = world.facts().await;
    let settled = create().await.unwrap().structured.unwrap().value();
    assert_eq!((&settled["success"], &settled["idempotent_replay"]), (&json!(true), &json!(true)));
    assert_eq!(world.facts().await, facts, "it happened once");
}
