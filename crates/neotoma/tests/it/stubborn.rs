//! A store that sometimes cannot write: what was there stays, and a retry succeeds.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures::future::BoxFuture;
use ledger::{
    At, Change, Commit, CommitError, Fact, Find, Folds, Idempotency, Ledger, Page, ReadError, Recalled, RecordKey,
    RecordVersion, Search, SearchHit, Seq, SharedLedger, Traversal, Traverse, Verification,
};
use ledger_sqlite::SqliteLedger;
use scope::TenantId;
use serde_json::{Value, json};

use crate::desk::Desk;

/// The real ledger, which refuses to commit while it is stubborn.
struct Stubborn {
    inner: SharedLedger,
    refuses: AtomicBool,
}

impl Ledger for Stubborn {
    fn commit(&self, change: Change) -> BoxFuture<'_, Result<Commit, CommitError>> {
        if self.refuses.load(Ordering::SeqCst) {
            let cause = "the disk of /secret/path is full".to_owned();
            return Box::pin(std::future::ready(Err(CommitError::Unavailable(cause))));
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

/// Makes a call that is refused with `code` while the store is stubborn, and answered when it is not.
async fn check(tool: &str, arguments: Value, code: &str) {
    let folder = tempfile::tempdir().unwrap();
    let inner: SharedLedger = Arc::new(SqliteLedger::open(folder.path(), ledger_sqlite::Options::default()).unwrap());
    let stubborn = Arc::new(Stubborn { inner, refuses: AtomicBool::new(false) });
    let desk = Desk::on(stubborn.clone(), folder);
    for name in ["Acme", "Globex"] {
        desk.store(json!([{"entity_type": "company", "name": name}])).await;
    }
    let before = (desk.snapshot("Acme").await, desk.snapshot("Globex").await);
    stubborn.refuses.store(true, Ordering::SeqCst);
    let refused = desk.refused(tool, arguments.clone()).await;
    assert_eq!(refused["code"], code);
    assert!(!refused.to_string().contains("secret"));
    assert_eq!((desk.snapshot("Acme").await, desk.snapshot("Globex").await), before);
    stubborn.refuses.store(false, Ordering::SeqCst);
    desk.ok(tool, arguments).await;
}

// N-197
#[tokio::test]
async fn a_correction_that_cannot_be_stored_is_a_failed_insert() {
    let correction = json!({"entity_id": "Acme", "entity_type": "company", "field": "industry", "value": "steel"});
    check("correct", correction, "DB_INSERT_FAILED").await;
}

// N-219
#[tokio::test]
async fn a_merge_that_cannot_be_stored_is_a_failed_update() {
    check("merge_entities", json!({"from_entity_id": "Acme", "to_entity_id": "Globex"}), "DB_UPDATE_FAILED").await;
}

// N-323
#[tokio::test]
async fn a_deletion_that_cannot_be_stored_is_a_failed_deletion() {
    check("delete", json!({"id": "Acme"}), "DB_DELETE_FAILED").await;
}
