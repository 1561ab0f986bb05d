//! A store that cannot be read: every reading tool says so in its own words.

use std::sync::Arc;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use ledger::model::ModelLedger;
use ledger::{
    At, Change, Commit, CommitError, Fact, Find, Folds, Idempotency, Ledger, Page, ReadError, Recalled, RecordKey,
    RecordVersion, Search, SearchHit, Seq, Traversal, Traverse, Verification,
};
use scope::TenantId;
use serde_json::json;
use tokio::sync::watch;

use crate::desk::Desk;

/// A ledger that commits and cannot read.
struct Broken(ModelLedger);

fn broken<'a, T: Send + 'a>() -> BoxFuture<'a, Result<T, ReadError>> {
    std::future::ready(Err(ReadError::Unavailable("the disk of /secret/path is gone".to_owned()))).boxed()
}

impl Ledger for Broken {
    fn commit(&self, change: Change) -> BoxFuture<'_, Result<Commit, CommitError>> {
        self.0.commit(change)
    }

    fn recall<'a>(&'a self, _: &'a TenantId, _: &'a Idempotency) -> BoxFuture<'a, Result<Option<Recalled>, ReadError>> {
        broken()
    }

    fn point<'a>(&'a self, tenant: &'a TenantId, at: At) -> BoxFuture<'a, Result<Seq, ReadError>> {
        self.0.point(tenant, at)
    }

    fn get<'a>(
        &'a self,
        _: &'a TenantId,
        _: Seq,
        _: &'a [RecordKey],
    ) -> BoxFuture<'a, Result<Vec<Option<RecordVersion>>, ReadError>> {
        broken()
    }

    fn find<'a>(&'a self, _: &'a TenantId, _: Seq, _: Find) -> BoxFuture<'a, Result<Page<RecordVersion>, ReadError>> {
        broken()
    }

    fn count<'a>(&'a self, _: &'a TenantId, _: Seq, _: Find, _: u64) -> BoxFuture<'a, Result<u64, ReadError>> {
        broken()
    }

    fn traverse<'a>(&'a self, _: &'a TenantId, _: Seq, _: Traverse) -> BoxFuture<'a, Result<Traversal, ReadError>> {
        broken()
    }

    fn search<'a>(&'a self, _: &'a TenantId, _: Seq, _: Search) -> BoxFuture<'a, Result<Vec<SearchHit>, ReadError>> {
        broken()
    }

    fn facts<'a>(&'a self, _: &'a TenantId, _: Seq, _: usize) -> BoxFuture<'a, Result<Vec<Fact>, ReadError>> {
        broken()
    }

    fn tenants(&self) -> BoxFuture<'_, Result<Vec<TenantId>, ReadError>> {
        broken()
    }

    fn ticks(&self) -> watch::Receiver<u64> {
        self.0.ticks()
    }

    fn verify<'a>(&'a self, _: &'a Folds) -> BoxFuture<'a, Result<Verification, ReadError>> {
        broken()
    }
}

// N-143, N-152, N-186
#[tokio::test]
async fn a_failing_store_is_a_failed_query_and_may_be_asked_again() {
    let ledger = Arc::new(Broken(ModelLedger::new(Arc::new(scope::SystemClock))));
    let desk = Desk::on(ledger, tempfile::tempdir().unwrap());
    let id = "ent_0123456789abcdef01234567";
    for (tool, arguments) in [
        ("retrieve_entities", json!({})),
        ("retrieve_entities", json!({"sort": "a", "filters": [{"field": "a", "value": 1}]})),
        ("get_entity_by_identifier", json!({"identifier": "x"})),
        ("list_timeline_events", json!({})),
        ("list_observations", json!({"entity_id": id})),
        ("get_field_provenance", json!({"entity_id": id, "field": "x"})),
        ("list_relationships", json!({"entity_id": id})),
        ("get_related_entities", json!({"entity_id": id})),
        ("get_graph_neighborhood", json!({"node_id": id})),
        ("get_entity_snapshot", json!({"entity_id": id})),
        ("describe_schema", json!({})),
    ] {
        let refused = desk.refused(tool, arguments).await;
        assert_eq!(refused["code"], "DB_QUERY_FAILED", "{tool}");
        assert!(!refused.to_string().contains("secret"), "{tool}");
    }
}
