//! The port, spoken by this engine: each verb goes to the writer or to a reader.

mod trees;

use futures::FutureExt;
use futures::future::BoxFuture;
use ledger::{
    At, AuditFind, Audited, Change, Commit, CommitError, Fact, Find, Folds, Idempotency, Ledger, Page, ReadError,
    Recalled, RecordKey, RecordVersion, Search, SearchHit, Seq, Traversal, Traverse, Verification,
};
use rusqlite::Connection;
use scope::TenantId;
use tokio::sync::{oneshot, watch};

use crate::readers::failed;
use crate::writer::Job;
use crate::{
    SqliteLedger, audited, change, counts, find, idempotency, point, record, search, stopped_midway, traverse, verify,
};

/// More keys than this are read on a thread that may block.
const KEYS_INLINE_MAX: usize = 100;

impl Ledger for SqliteLedger {
    fn commit(&self, change: Change) -> BoxFuture<'_, Result<Commit, CommitError>> {
        async move {
            let (answer, answered) = oneshot::channel();
            self.enqueue(Job::Commit(Box::new(change), answer)).await?;
            answered.await.unwrap_or_else(|_| Err(stopped_midway()))
        }
        .boxed()
    }

    fn recall<'a>(
        &'a self,
        tenant: &'a TenantId,
        effect: &'a Idempotency,
    ) -> BoxFuture<'a, Result<Option<Recalled>, ReadError>> {
        let now = self.clock.now();
        self.readers.look_up(move |db| idempotency::recall(db, tenant, effect, now).map_err(failed)).boxed()
    }

    fn point<'a>(&'a self, tenant: &'a TenantId, at: At) -> BoxFuture<'a, Result<Seq, ReadError>> {
        match at {
            At::Head | At::Seq(_) => self.readers.look_up_plain(move |db| point::resolve(db, tenant, at)).boxed(),
            At::Time(_) => self.readers.look_up(move |db| point::resolve(db, tenant, at)).boxed(),
        }
    }

    fn get<'a>(
        &'a self,
        tenant: &'a TenantId,
        at: Seq,
        keys: &'a [RecordKey],
    ) -> BoxFuture<'a, Result<Vec<Option<RecordVersion>>, ReadError>> {
        if let [key] = keys {
            return self.readers.look_up_plain(move |db| Ok(vec![get_one(db, tenant, at, key)?])).boxed();
        }
        if keys.len() <= KEYS_INLINE_MAX {
            return self.readers.look_up_plain(move |db| get(db, tenant, at, keys)).boxed();
        }
        let (tenant, keys) = (tenant.clone(), keys.to_vec());
        self.readers.read(move |db| get(db, &tenant, at, &keys)).boxed()
    }

    fn find<'a>(
        &'a self,
        tenant: &'a TenantId,
        at: Seq,
        find: Find,
    ) -> BoxFuture<'a, Result<Page<RecordVersion>, ReadError>> {
        async move {
            if find::is_short(&find) {
                let here = self.readers.look_up(|db| find::page_of_head(db, tenant, at, &find)).await?;
                if let Some(page) = here {
                    return Ok(page);
                }
            }
            let tenant = tenant.clone();
            self.readers.read(move |db| find::page(db, &tenant, at, &find)).await
        }
        .boxed()
    }

    fn count<'a>(
        &'a self,
        tenant: &'a TenantId,
        at: Seq,
        find: Find,
        most: u64,
    ) -> BoxFuture<'a, Result<u64, ReadError>> {
        let tenant = tenant.clone();
        self.readers.read(move |db| find::count(db, &tenant, at, find, most)).boxed()
    }

    fn counts<'a>(
        &'a self,
        tenant: &'a TenantId,
        at: Seq,
        kind: &'a str,
        scope: &'a str,
    ) -> BoxFuture<'a, Result<Vec<(String, u64)>, ReadError>> {
        self.readers.look_up(move |db| counts::counts(db, tenant, at, (kind, scope))).boxed()
    }

    fn traverse<'a>(
        &'a self,
        tenant: &'a TenantId,
        at: Seq,
        traverse: Traverse,
    ) -> BoxFuture<'a, Result<Traversal, ReadError>> {
        let tenant = tenant.clone();
        self.readers.read(move |db| traverse::traverse(db, &tenant, at, &traverse)).boxed()
    }

    fn search<'a>(
        &'a self,
        tenant: &'a TenantId,
        at: Seq,
        search: Search,
    ) -> BoxFuture<'a, Result<Vec<SearchHit>, ReadError>> {
        let tenant = tenant.clone();
        self.readers.read(move |db| search::search(db, &tenant, at, &search)).boxed()
    }

    fn facts<'a>(
        &'a self,
        tenant: &'a TenantId,
        after: Seq,
        most: usize,
    ) -> BoxFuture<'a, Result<Vec<Fact>, ReadError>> {
        let tenant = tenant.clone();
        self.readers.read(move |db| change::facts(db, &tenant, after, most).map_err(failed)).boxed()
    }

    fn audit<'a>(&'a self, tenant: &'a TenantId, find: AuditFind) -> BoxFuture<'a, Result<Vec<Audited>, ReadError>> {
        let tenant = tenant.clone();
        self.readers.read(move |db| audited::find(db, &tenant, &find).map_err(failed)).boxed()
    }

    fn tenants(&self) -> BoxFuture<'_, Result<Vec<TenantId>, ReadError>> {
        self.readers.read(|db| change::tenants(db).map_err(failed)).boxed()
    }

    fn ticks(&self) -> watch::Receiver<u64> {
        self.ticks.clone()
    }

    fn verify<'a>(&'a self, folds: &'a Folds) -> BoxFuture<'a, Result<Verification, ReadError>> {
        let (folds, scratch) = (folds.clone(), self.directory.path().to_owned());
        // SQLite's integrity check trusts what the connection's last search cached about the index, even when a later
        // commit has changed it, and then reports a damage that is not there.
        self.readers.read_afresh(move |db| verify::verify(db, &scratch, &folds).map_err(failed)).boxed()
    }
}

fn get(
    db: &Connection,
    tenant: &TenantId,
    at: Seq,
    keys: &[RecordKey],
) -> Result<Vec<Option<RecordVersion>>, ReadError> {
    if keys.is_empty() {
        return point::check(db, tenant, at).map(|_| Vec::new());
    }
    let (versions, head) = record::versions_at(db, tenant, keys, at).map_err(failed)?;
    point::has_happened(at, head).map(|()| versions)
}

/// One record, and whether its point has happened, in one statement. Only where no version is found, another one asks for the
/// head: what a point shows never changes, so it does not matter which of the two comes first.
fn get_one(db: &Connection, tenant: &TenantId, at: Seq, key: &RecordKey) -> Result<Option<RecordVersion>, ReadError> {
    match record::version_and_head(db, tenant, key, at).map_err(failed)? {
        Some((version, head)) => point::has_happened(at, head).map(|()| version),
        None => point::check(db, tenant, at).map(|_| None),
    }
}
