//! A store that fails: what the caller is told, and that the same call succeeds later and happens once.
//!
//! The embedded engine is the only one so far. The faults come from around it, so they hold for whatever engine is inside.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};

use futures::FutureExt as _;
use futures::future::BoxFuture;
use ledger::{
    At, AuditFind, Audited, Change, Commit, CommitError, Fact, Find, Folds, Idempotency, Ledger, Page, ReadError,
    Recalled, RecordKey, RecordVersion, Refusal, Search, SearchHit, Seq, SharedLedger, Traversal, Traverse,
    Verification,
};
use ledger_sqlite::SqliteLedger;
use neotoma::projection::row::kind;
use scope::TenantId;
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::desk::{ANN, Caller, Desk};
use crate::files;

/// What is wrong with the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Fault {
    None,
    /// Commits do not happen.
    NoCommits,
    /// Commits happen, and nobody is told.
    Silence,
    /// Commits do not happen, and nobody is told.
    SilentLoss,
    /// Nothing can be read.
    NoReads,
    /// Everything changes all the time.
    Unrest,
    /// Runs cannot be found or counted.
    NoRuns,
}

/// A ledger with a fault that the test chooses.
struct Faulty {
    inner: SharedLedger,
    fault: AtomicU8,
    /// How often something was read, and how many records that gave.
    reads: AtomicUsize,
}

impl Faulty {
    /// Puts one around the ledger of a desk.
    fn around(parts: &mut neotoma::Parts) -> Arc<Self> {
        let (inner, fault) = (parts.ledger.clone(), AtomicU8::new(Fault::None as u8));
        let faulty = Arc::new(Self { inner, fault, reads: AtomicUsize::new(0) });
        parts.ledger = faulty.clone();
        faulty
    }

    fn set(&self, fault: Fault) {
        self.fault.store(fault as u8, Ordering::SeqCst);
    }

    fn has(&self, fault: Fault) -> bool {
        self.fault.load(Ordering::SeqCst) == fault as u8
    }

    /// What a read gives, unless nothing can be read.
    fn read<'a, T: Send + 'a>(
        &'a self,
        read: BoxFuture<'a, Result<T, ReadError>>,
    ) -> BoxFuture<'a, Result<T, ReadError>> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        match self.has(Fault::NoReads) {
            true => std::future::ready(Err(ReadError::Unavailable("/secret/disk".to_owned()))).boxed(),
            false => read,
        }
    }
}

impl Ledger for Faulty {
    fn commit(&self, change: Change) -> BoxFuture<'_, Result<Commit, CommitError>> {
        async move {
            if self.has(Fault::NoCommits) {
                return Err(CommitError::Unavailable("/secret/disk is full".to_owned()));
            }
            if self.has(Fault::Unrest) {
                let key = RecordKey::new(kind::ENTITY, "ent_secret");
                return Err(CommitError::Refused(Refusal::Record { key, actual: Some(7) }));
            }
            if !self.has(Fault::SilentLoss) {
                let done = self.inner.commit(change).await;
                if !self.has(Fault::Silence) {
                    return done;
                }
            }
            Err(CommitError::Unknown("/secret/disk did not answer".to_owned()))
        }
        .boxed()
    }

    fn recall<'a>(
        &'a self,
        tenant: &'a TenantId,
        effect: &'a Idempotency,
    ) -> BoxFuture<'a, Result<Option<Recalled>, ReadError>> {
        self.read(self.inner.recall(tenant, effect))
    }

    fn point<'a>(&'a self, tenant: &'a TenantId, at: At) -> BoxFuture<'a, Result<Seq, ReadError>> {
        self.read(self.inner.point(tenant, at))
    }

    fn get<'a>(
        &'a self,
        tenant: &'a TenantId,
        at: Seq,
        keys: &'a [RecordKey],
    ) -> BoxFuture<'a, Result<Vec<Option<RecordVersion>>, ReadError>> {
        self.read(self.inner.get(tenant, at, keys))
    }

    fn find<'a>(
        &'a self,
        tenant: &'a TenantId,
        at: Seq,
        find: Find,
    ) -> BoxFuture<'a, Result<Page<RecordVersion>, ReadError>> {
        if self.has(Fault::NoRuns) && find.kind == kind::RUN {
            return std::future::ready(Err(ReadError::Unavailable("/secret/disk".to_owned()))).boxed();
        }
        let read = self.read(self.inner.find(tenant, at, find));
        async move {
            let page = read.await?;
            self.reads.fetch_add(page.items.len(), Ordering::Relaxed);
            Ok(page)
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
        if self.has(Fault::NoRuns) && find.kind == kind::RUN {
            return std::future::ready(Err(ReadError::Unavailable("/secret/disk".to_owned()))).boxed();
        }
        self.read(self.inner.count(tenant, at, find, most))
    }

    fn counts<'a>(
        &'a self,
        tenant: &'a TenantId,
        at: Seq,
        kind: &'a str,
        scope: &'a str,
    ) -> BoxFuture<'a, Result<Vec<(String, u64)>, ReadError>> {
        self.read(self.inner.counts(tenant, at, kind, scope))
    }

    fn traverse<'a>(
        &'a self,
        tenant: &'a TenantId,
        at: Seq,
        traverse: Traverse,
    ) -> BoxFuture<'a, Result<Traversal, ReadError>> {
        self.read(self.inner.traverse(tenant, at, traverse))
    }

    fn search<'a>(
        &'a self,
        tenant: &'a TenantId,
        at: Seq,
        search: Search,
    ) -> BoxFuture<'a, Result<Vec<SearchHit>, ReadError>> {
        self.read(self.inner.search(tenant, at, search))
    }

    fn facts<'a>(
        &'a self,
        tenant: &'a TenantId,
        after: Seq,
        most: usize,
    ) -> BoxFuture<'a, Result<Vec<Fact>, ReadError>> {
        self.read(self.inner.facts(tenant, after, most))
    }

    fn audit<'a>(&'a self, tenant: &'a TenantId, find: AuditFind) -> BoxFuture<'a, Result<Vec<Audited>, ReadError>> {
        self.read(self.inner.audit(tenant, find))
    }

    fn tenants(&self) -> BoxFuture<'_, Result<Vec<TenantId>, ReadError>> {
        self.read(self.inner.tenants())
    }

    fn ticks(&self) -> watch::Receiver<u64> {
        self.inner.ticks()
    }

    fn verify<'a>(&'a self, folds: &'a Folds) -> BoxFuture<'a, Result<Verification, ReadError>> {
        self.read(self.inner.verify(folds))
    }
}

/// A desk on a store that can fail, with two companies, a deleted one and a merged one, a file and a folder of files.
async fn desk() -> (Desk, Arc<Faulty>) {
    let mut kept = None;
    let desk = Desk::having(|parts, folder| {
        let uploads = folder.join("uploads");
        std::fs::create_dir(&uploads).unwrap();
        std::fs::write(uploads.join("note.txt"), "Remember the milk.").unwrap();
        parts.roots = Arc::new(blobs::jail::Roots::open(&[uploads]).unwrap());
        kept = Some(Faulty::around(parts));
    });
    let names = ["Acme", "Birke", "Gone", "Former"].map(|name| json!({"entity_type": "company", "name": name}));
    desk.store(json!(names)).await;
    desk.ok("delete", json!({"id": "Gone"})).await;
    desk.ok("merge_entities", json!({"from_entity_id": "Former", "to_entity_id": "Birke"})).await;
    desk.ok("ingest", file("Hello")).await;
    (desk, kept.unwrap())
}

/// The same desk on a store that does not fail.
pub async fn healthy() -> Desk {
    desk().await.0
}

fn file(content: &str) -> Value {
    use base64::Engine as _;
    json!({"file_content": base64::engine::general_purpose::STANDARD.encode(content), "mime_type": "text/plain"})
}

/// Every writing tool with a call that writes something, and the code for when it is known not to have happened.
pub async fn writes(desk: &Desk) -> Vec<(&'static str, Value, &'static str)> {
    let former = desk.records(kind::MERGE).await[0]["merge"]["from"].clone();
    let source = desk.records(kind::SOURCE).await.into_iter().find(|row| row["source"]["kind"] == "file").unwrap();
    let source = &source["source"]["id"];
    vec![
        ("ingest", json!({"entities": [{"entity_type": "note", "title": "New"}]}), "DB_INSERT_FAILED"),
        ("ingest", file("Another"), "DB_INSERT_FAILED"),
        ("upload_file", json!({"file_path": "note.txt"}), "DB_INSERT_FAILED"),
        ("reinterpret", json!({"source_id": source, "interpretation_config": {"model_id": "new"}}), "DB_INSERT_FAILED"),
        (
            "correct",
            json!({"entity_id": "Acme", "entity_type": "company", "field": "country", "value": "DE"}),
            "DB_INSERT_FAILED",
        ),
        (
            "create_relationship",
            json!({"relationship_type": "REFERS_TO", "source_entity_id": "Acme", "target_entity_id": "Birke"}),
            "DB_INSERT_FAILED",
        ),
        ("register_schema", json!({"relationship_type": "MENTORS"}), "DB_INSERT_FAILED"),
        ("restore", json!({"id": "Gone"}), "DB_INSERT_FAILED"),
        ("unmerge_entities", json!({"from_entity_id": former}), "DB_UPDATE_FAILED"),
        ("delete", json!({"id": "Birke"}), "DB_DELETE_FAILED"),
        ("merge_entities", json!({"from_entity_id": former, "to_entity_id": "Acme"}), "DB_UPDATE_FAILED"),
    ]
}

pub fn keyed(mut arguments: Value, key: &str) -> Value {
    arguments["client_request_id"] = json!(key);
    arguments
}

// N-033, N-034, N-035, N-041 (sqlite), N-065, N-197, N-208, N-219
#[tokio::test]
async fn a_write_that_is_known_not_to_have_happened_is_named_by_what_it_was_and_can_be_repeated() {
    let (desk, ledger) = desk().await;
    for (number, (tool, arguments, code)) in writes(&desk).await.into_iter().enumerate() {
        let arguments = keyed(arguments, &format!("k{number}"));
        let head = desk.head().await;
        ledger.set(Fault::NoCommits);
        let error = desk.call_as(ANN, tool, arguments.clone()).await.unwrap_err();
        assert!(error.retryable(), "{tool}");
        let refused = desk.envelope(&error);
        assert_eq!(refused["code"], code, "{tool}: {refused}");
        assert!(!refused.to_string().contains("secret"), "{refused}");
        ledger.set(Fault::None);
        assert_eq!(desk.head().await, head, "{tool}");
        desk.ok(tool, arguments.clone()).await;
        desk.ok(tool, arguments).await;
        assert_eq!(desk.head().await, head + 1, "{tool} happened once");
    }
}

// N-039, N-041 (sqlite), N-042, R-805 (neotoma)
#[tokio::test]
async fn an_unknown_outcome_is_never_called_a_failure_and_the_same_key_settles_it() {
    let (desk, ledger) = desk().await;
    for (number, (tool, arguments, _)) in writes(&desk).await.into_iter().enumerate() {
        // It happened, or it did not: the caller cannot tell, and does not have to.
        let fault = if number % 2 == 0 { Fault::Silence } else { Fault::SilentLoss };
        let arguments = keyed(arguments, &format!("k{number}"));
        let head = desk.head().await;
        ledger.set(fault);
        let refused = desk.refused(tool, arguments.clone()).await;
        assert_eq!(
            (&refused["code"], &refused["details"]["outcome"]),
            (&json!("SERVICE_UNAVAILABLE"), &json!("unknown")),
            "{tool}"
        );
        assert!(refused["details"]["fix"].as_str().unwrap().contains("same client_request_id"), "{refused}");
        assert!(!refused.to_string().contains("secret"), "{refused}");
        ledger.set(Fault::None);
        let answer = desk.ok(tool, arguments).await;
        assert_eq!(desk.head().await, head + 1, "{tool} happened once");
        if tool != "upload_file" {
            assert_eq!(answer.get("idempotent_replay").is_some(), fault == Fault::Silence, "{tool}: {answer}");
        }
    }
}

// N-042
#[tokio::test]
async fn without_a_key_the_content_itself_settles_an_unknown_outcome() {
    let (desk, ledger) = desk().await;
    let sent = json!({"entities": [{"entity_type": "note", "title": "Once"}]});
    ledger.set(Fault::Silence);
    assert_eq!(desk.refused("ingest", sent.clone()).await["code"], "SERVICE_UNAVAILABLE");
    ledger.set(Fault::None);
    let again = desk.ok("ingest", sent).await;
    assert_eq!((&again["deduplicated"], &again["interpretation"]["observations_created"]), (&json!(true), &json!(0)));
    assert_eq!(desk.ok("list_observations", json!({"entity_id": "Once"})).await["total"], 1);
}

// N-036, N-041 (sqlite)
#[tokio::test]
async fn a_store_that_cannot_be_read_is_a_failed_query_for_writes_too() {
    let (desk, ledger) = desk().await;
    let head = desk.head().await;
    let calls = writes(&desk).await;
    ledger.set(Fault::NoReads);
    for (tool, arguments, _) in calls {
        for arguments in [arguments.clone(), keyed(arguments, "k")] {
            let error = desk.call_as(ANN, tool, arguments).await.unwrap_err();
            assert!(error.retryable(), "{tool}");
            let refused = desk.envelope(&error);
            assert_eq!(refused["code"], "DB_QUERY_FAILED", "{tool}");
            assert!(!refused.to_string().contains("secret"), "{refused}");
        }
    }
    ledger.set(Fault::None);
    assert_eq!(desk.head().await, head);
}

// N-143, N-152, N-186
#[tokio::test]
async fn a_failing_store_is_a_failed_query_and_may_be_asked_again() {
    let (desk, ledger) = desk().await;
    ledger.set(Fault::NoReads);
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

// N-002 (validated)
#[tokio::test]
async fn what_is_malformed_is_refused_before_the_store_is_asked() {
    let (desk, ledger) = desk().await;
    let id = "ent_0123456789abcdef01234567";
    ledger.set(Fault::NoReads);
    for (tool, arguments) in [
        ("ingest", json!({"entities": [{"entity_type": "../../etc"}]})),
        ("ingest", json!({"source_priority": 1000, "entities": [{"entity_type": "note", "title": "T"}]})),
        ("ingest", json!({"file_content": "!", "mime_type": "text/plain"})),
        ("upload_file", json!({"file_path": "note.txt", "source_material_id": "x"})),
        ("get_file_url", json!({"file_path": "x", "expires_in": 0})),
        ("get_entity_snapshot", json!({"entity_id": 7})),
        ("list_observations", json!({"entity_id": id, "limit": 0})),
        ("get_field_provenance", json!({"entity_id": id})),
        ("retrieve_entities", json!({"limit": 1001})),
        ("get_entity_by_identifier", json!({})),
        ("get_related_entities", json!({"entity_id": id, "max_hops": 6})),
        ("get_graph_neighborhood", json!({"node_id": id, "node_type": "planet"})),
        ("list_timeline_events", json!({"offset": -1})),
        ("correct", json!({"entity_id": id, "entity_type": "note", "field": "", "value": 1})),
        ("reinterpret", json!({"source_id": "x", "interpretation_config": {}})),
        ("merge_entities", json!({"from_entity_id": id})),
        ("create_relationship", json!({"relationship_type": "PART_OF", "source_entity_id": id})),
        ("list_relationships", json!({"entity_id": id, "direction": "up"})),
    ] {
        assert_eq!(desk.refused(tool, arguments.clone()).await["code"], "VALIDATION_ERROR", "{tool} {arguments}");
    }
}

// N-265
#[tokio::test]
async fn a_quota_that_cannot_be_counted_lets_nothing_through() {
    let mut kept = None;
    let desk = files::desk(|parts, _| {
        parts.interpreter = crate::quota::Metered::rules();
        kept = Some(Faulty::around(parts));
    });
    let ledger = kept.unwrap();
    let stored = desk.ok("ingest", file("Seen")).await;
    let head = desk.head().await;
    ledger.set(Fault::NoRuns);
    let again = json!({"source_id": stored["source_id"], "interpretation_config": {"model_id": "new"}});
    for (tool, arguments) in
        [("ingest", file("Unseen")), ("upload_file", json!({"file_path": "note.txt"})), ("reinterpret", again)]
    {
        assert_eq!(desk.refused(tool, arguments).await["code"], "DB_QUERY_FAILED", "{tool}");
    }
    // What needs no run needs no quota.
    let mut plain = file("Unseen");
    plain["interpret"] = json!(false);
    assert_eq!(desk.head().await, head);
    desk.ok("ingest", plain).await;
}

// N-147: counts are kept and pages are walked along an index, so that a page is all that is read.
#[tokio::test]
async fn a_page_of_many_takes_as_much_as_a_page_of_few() {
    let mut kept = None;
    let desk = Desk::having(|parts, _| kept = Some(Faulty::around(parts)));
    let ledger = kept.unwrap();
    let cost = async |arguments: Value| {
        let before = ledger.reads.load(Ordering::Relaxed);
        let listed = desk.ok("retrieve_entities", arguments).await;
        assert_eq!(listed["entities"].as_array().unwrap().len(), 100);
        (listed["total"].as_u64().unwrap(), ledger.reads.load(Ordering::Relaxed) - before)
    };
    let notes = |from: usize, to: usize| {
        let note = |number| json!({"entity_type": "note", "title": format!("Note {number}"), "content": "x"});
        json!({"entities": (from..to).map(note).collect::<Vec<_>>()})
    };
    desk.ok("ingest", notes(0, 1000)).await;
    let calls = [json!({}), json!({"entity_type": "note"}), json!({"limit": 100, "include_snapshots": false})];
    let mut few = Vec::new();
    for arguments in &calls {
        few.push(cost(arguments.clone()).await);
    }
    desk.ok("ingest", notes(1000, 6000)).await;
    for (arguments, (total, reads)) in calls.iter().zip(few) {
        assert_eq!(total, 1000);
        assert_eq!(cost(arguments.clone()).await, (6000, reads), "{arguments}");
    }
}

// N-039
#[tokio::test(start_paused = true)]
async fn what_keeps_changing_is_given_back_after_a_while() {
    let (desk, ledger) = desk().await;
    let sent = json!({"entities": [{"entity_type": "note", "title": "New"}]});
    ledger.set(Fault::Unrest);
    let refused = desk.refused("ingest", sent.clone()).await;
    assert_eq!((&refused["code"], refused["details"].get("outcome")), (&json!("SERVICE_UNAVAILABLE"), None));
    assert!(refused["details"]["fix"].as_str().unwrap().contains("nothing was stored"), "{refused}");
    assert!(!refused.to_string().contains("ent_secret"), "{refused}");
    ledger.set(Fault::None);
    desk.ok("ingest", sent).await;
}

/// A stored row that cannot be read: somebody else's hand was in the store.
async fn spoilt() -> Desk {
    let folder = tempfile::tempdir().unwrap();
    let ledger = Arc::new(SqliteLedger::open(folder.path(), ledger_sqlite::Options::default()).unwrap());
    let desk = Desk::on(ledger.clone(), folder);
    desk.store(json!([{"entity_type": "company", "name": "Acme"}])).await;
    let find = ledger.find(&TenantId::new(ANN.tenant).unwrap(), ledger::LIVE, Find::all(kind::ENTITY)).await.unwrap();
    let mut record = find.items[0].record.clone();
    record.body = "{\"secret\": 1}".to_owned();
    let subject = record.key.clone();
    let fact =
        ledger::NewFact { kind: "test.Spoilt".to_owned(), subject, body: "{}".to_owned(), meta: "{}".to_owned() };
    let change = Change {
        tenant: TenantId::new(ANN.tenant).unwrap(),
        at: scope::Timestamp(crate::desk::START),
        idempotency: None,
        expectations: Vec::new(),
        facts: vec![(fact, vec![ledger::Effect::Put(Box::new(record))])],
        audit: None,
    };
    ledger.commit(change).await.unwrap();
    desk
}

/// The codes that need other parts than a ledger to fail.
async fn codes_of_files() -> BTreeSet<String> {
    let broken = Arc::new(AtomicBool::new(false));
    let shared = broken.clone();
    let desk = files::desk(|parts, uploads| {
        std::fs::write(uploads.join("a.exe"), "MZ").unwrap();
        std::fs::write(uploads.join("large.txt"), [b'x'; 101]).unwrap();
        parts.config.file_bytes_max = 100;
        parts.config.interpretations_max = 1;
        parts.interpreter = Arc::new(files::Moody(Arc::default()));
        parts.blobs = Arc::new(files::Breaking { inner: parts.blobs.clone(), broken: shared });
    });
    let kept = desk.ok("upload_file", json!({"file_path": "tasks.csv", "properties": "{}"})).await["file_url"].clone();
    let mut reached = BTreeSet::new();
    for (is_broken, tool, arguments) in [
        (false, "upload_file", json!({"file_path": "a.exe"})),
        (false, "upload_file", json!({"file_path": "large.txt"})),
        (true, "upload_file", json!({"file_path": "note.txt"})),
        (true, "get_file_url", json!({"file_path": kept})),
        (false, "upload_file", json!({"file_path": "note.txt"})),
        (false, "ingest", files::file(b"Another", "text/plain")),
    ] {
        broken.store(is_broken, Ordering::SeqCst);
        reached.insert(desk.refused(tool, arguments).await["code"].as_str().unwrap().to_owned());
    }
    reached
}

/// The codes that this crate can answer with, as its source says.
fn published() -> BTreeSet<String> {
    let source = include_str!("../../src/error.rs");
    let (_, conversion) = source.split_once("impl From<Error> for CallError").unwrap();
    let words = conversion.split('"').skip(1).step_by(2);
    let is_code = |word: &&str| word.len() > 4 && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    words.filter(is_code).map(str::to_owned).chain(["INTERNAL".to_owned()]).collect()
}

// RATE_LIMIT_EXCEEDED and IDEMPOTENCY_IN_PROGRESS are said by the doors, not by this crate.
// N-040, N-041 (sqlite)
#[tokio::test]
async fn every_code_is_reached() {
    let (desk, ledger) = desk().await;
    desk.store(json!([{"entity_type": "task", "title": "A"}, {"entity_type": "task", "title": "B"}])).await;
    let depends = |from: &str, on: &str| json!({"relationship_type": "DEPENDS_ON", "source_entity_id": from, "target_entity_id": on});
    desk.ok("create_relationship", depends("A", "B")).await;
    desk.ok("ingest", keyed(json!({"entities": [{"entity_type": "note", "title": "N"}]}), "used")).await;
    let former = desk.records(kind::MERGE).await[0]["merge"]["from"].clone();
    let nothing = "ent_0123456789abcdef01234567";
    let mut reached = BTreeSet::new();
    for (code, tool, arguments) in [
        ("VALIDATION_ERROR", "ingest", json!({})),
        ("ENTITY_NOT_FOUND", "get_entity_snapshot", json!({"entity_id": nothing})),
        (
            "SOURCE_NOT_FOUND",
            "reinterpret",
            json!({"source_id": "6f1f8a2e-1111-8222-8333-444455556666", "interpretation_config": {}}),
        ),
        ("FILE_NOT_FOUND", "upload_file", json!({"file_path": "missing.txt"})),
        ("FIELD_NOT_FOUND", "get_field_provenance", json!({"entity_id": "Acme", "field": "shoe_size"})),
        ("ENTITY_ALREADY_MERGED", "merge_entities", json!({"from_entity_id": former, "to_entity_id": "Acme"})),
        (
            "INVALID_RELATIONSHIP_TYPE",
            "create_relationship",
            json!({"relationship_type": "LIKES", "source_entity_id": "A", "target_entity_id": "B"}),
        ),
        ("CYCLE_DETECTED", "create_relationship", depends("B", "A")),
        ("ENTITY_DELETED", "ingest", json!({"entities": [{"entity_type": "company", "name": "Gone"}]})),
        (
            "IDEMPOTENCY_KEY_REUSED",
            "ingest",
            keyed(json!({"entities": [{"entity_type": "note", "title": "M"}]}), "used"),
        ),
    ] {
        let refused = desk.refused(tool, arguments).await;
        assert_eq!(refused["code"], code, "{refused}");
        reached.insert(code.to_owned());
    }
    let agent = Caller { user: "ann/agent", ..ANN };
    reached.insert(desk.refused_as(agent, "delete", json!({"id": "B"})).await["code"].as_str().unwrap().to_owned());
    let error = desk.read_as(ANN, &format!("neotoma://entity/{nothing}")).await.unwrap_err();
    reached.insert(error.code.to_string());
    for (fault, tool, arguments) in [
        (Fault::NoCommits, "ingest", json!({"entities": [{"entity_type": "note", "title": "New"}]})),
        (Fault::NoCommits, "merge_entities", json!({"from_entity_id": "Acme", "to_entity_id": "Birke"})),
        (Fault::NoCommits, "delete", json!({"id": "Acme"})),
        (Fault::Silence, "delete", json!({"id": "A"})),
        (Fault::NoReads, "get_entity_snapshot", json!({"entity_id": "B"})),
    ] {
        ledger.set(fault);
        reached.insert(desk.refused(tool, arguments).await["code"].as_str().unwrap().to_owned());
    }
    let refused = spoilt().await.refused("get_entity_snapshot", json!({"entity_id": "Acme"})).await;
    assert!(!refused.to_string().contains("secret"), "{refused}");
    reached.insert(refused["code"].as_str().unwrap().to_owned());
    reached.extend(codes_of_files().await);
    assert_eq!(reached, published());
}
