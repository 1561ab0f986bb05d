//! `chancery verify` and backups, with neotoma's data.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ::neotoma::Neotoma;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ledger::{At, Change, Find, Ledger as _, NewFact, RecordKey};
use scope::Scope;
use serde_json::json;

use super::client::{Client as _, Piped, Served};
use crate::process::run;
use crate::world::World;

const MARK: &str = "quite-particular-value";

/// Some of everything: entities, a correction, a merge, a deletion, an edge.
async fn fill(data: &Path) {
    let mut client = Piped::start(data, &[]).await;
    let company = |name: &str| json!({ "entity_type": "company", "name": name, "country": MARK, "tags": ["a", name] });
    let stored = client.ok("ingest", json!({ "entities": [company("One"), company("Two"), company("Three")] })).await;
    let [one, two, three] = [0, 1, 2].map(|index| stored["entities"][index]["id"].clone());
    let corrected = json!({ "entity_id": one, "entity_type": "company", "field": "industry", "value": "Paper" });
    client.ok("correct", corrected).await;
    client.ok("merge_entities", json!({ "from_entity_id": two, "to_entity_id": one })).await;
    client
        .ok("ingest", json!({ "entities": [{ "entity_type": "company", "name": "Two", "email": "two@example.org" }] }))
        .await;
    client.ok("delete", json!({ "id": three })).await;
    client.ok("ingest", json!({ "entities": [{ "entity_type": "gadget", "name": "G", "parts": ["x"] }] })).await;
    client
        .ok("ingest", json!({ "entities": [{ "entity_type": "gadget", "name": "G", "parts": ["y"], "size": 3 }] }))
        .await;
}

// N-252
#[tokio::test]
async fn verify_makes_every_snapshot_again() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path()).await;
    let verified = run(folder.path(), &["verify"]).await;
    assert!(verified.success, "{}", verified.stdout);
    assert!(verified.stdout.contains("4 snapshots made again from 8 observations"), "{}", verified.stdout);
}

// N-252: one byte of a stored value changes behind the server's back.
#[tokio::test]
async fn verify_finds_a_row_that_was_changed_behind_its_back() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path()).await;
    // A backup is everything in one file.
    let copy = folder.path().join("copy.db");
    assert!(run(folder.path(), &["backup", copy.to_str().unwrap()]).await.success);
    let sound = std::fs::read(&copy).unwrap();
    let places: Vec<usize> = sound
        .windows(MARK.len())
        .enumerate()
        .filter(|(_, bytes)| *bytes == MARK.as_bytes())
        .map(|(at, _)| at)
        .collect();
    assert!(places.len() > 2, "facts and rows hold the value");
    let mut seen = 0;
    for at in places {
        let other = tempfile::tempdir().unwrap();
        let mut changed = sound.clone();
        changed[at] = b'Q';
        std::fs::write(other.path().join("chancery.db"), &changed).unwrap();
        // Pages that are no longer used hold old copies, which nothing reads.
        if reads_differently(other.path()).await {
            let verified = run(other.path(), &["verify"]).await;
            assert!(!verified.success && verified.stdout.contains("differs: "), "at byte {at}: {}", verified.stdout);
            seen += 1;
        }
    }
    assert!(seen > 2, "{seen} changes were seen");
}

/// Whether the change shows in facts or rows.
async fn reads_differently(data: &Path) -> bool {
    let changed = format!("Q{}", &MARK[1..]);
    let platform = server::Platform::open(&crate::world::config(data)).await.unwrap();
    let (ledger, tenant) = (&platform.ledger, Scope::local().tenant);
    let mut bodies: Vec<String> = Vec::new();
    let facts = ledger.facts(&tenant, 0, 1000).await.unwrap();
    bodies.extend(facts.into_iter().map(|fact| fact.body));
    let at = ledger.point(&tenant, At::Head).await.unwrap();
    for kind in ["neotoma.source", "neotoma.entity"] {
        let page = ledger.find(&tenant, at, Find::all(kind)).await.unwrap();
        bodies.extend(page.items.into_iter().map(|found| found.record.body));
    }
    bodies.iter().any(|body| body.contains(&changed))
}

// N-252: a snapshot that was recorded wrong is found, though records and facts agree.
#[tokio::test]
async fn verify_finds_a_snapshot_that_its_observations_do_not_give() {
    let world = World::new().await;
    let (ledger, tenant) = (world.platform.ledger.clone(), Scope::local().tenant);
    let stored = world.call_neotoma("ingest", json!({ "entities": [{ "entity_type": "note", "title": MARK }] })).await;
    let key = RecordKey::new("neotoma.entity", stored["entities"][0]["id"].as_str().unwrap());
    let at = ledger.point(&tenant, At::Head).await.unwrap();
    let entity = ledger.get(&tenant, at, std::slice::from_ref(&key)).await.unwrap().pop().flatten().unwrap();
    let row: serde_json::Value = serde_json::from_str(&entity.record.body.replace(MARK, "forged")).unwrap();
    let body = json!({ "user": entity.record.scope, "rows": [row], "ends": [] }).to_string();
    let (kind, subject) = ("neotoma.Corrected".to_owned(), key.clone());
    let fact = NewFact { kind, subject, body, meta: "{}".to_owned() };
    let fact = (fact.clone(), Neotoma::fold().effects(&fact).unwrap());
    let at = world.platform.endpoints[0].clock.now();
    let change = Change {
        tenant: tenant.clone(),
        at,
        idempotency: None,
        expectations: Vec::new(),
        facts: vec![fact],
        audit: None,
    };
    ledger.commit(change).await.unwrap();

    assert!(ledger.verify(&world.platform.folds).await.unwrap().differences.is_empty(), "records and facts agree");
    let found = ::neotoma::verify(ledger.as_ref(), world.platform.files.blobs.as_ref(), &tenant).await.unwrap();
    assert_eq!(found.differences, [format!("entity {} is not what its observations say: title", key.id)]);
    let verified = run(world.folder.path(), &["verify"]).await;
    assert!(!verified.success && verified.stdout.contains(&key.id), "{}", verified.stdout);
    assert!(!verified.stdout.contains("forged") && !verified.stdout.contains(MARK), "{}", verified.stdout);
}

// N-344
#[tokio::test]
async fn a_backup_under_load_is_one_consistent_point() {
    let folder = tempfile::tempdir().unwrap();
    let (file, restored) = (folder.path().join("copy.db"), folder.path().join("restored"));
    let data = folder.path().join("data");
    let served = Served::start(&data, &["limits.tools=ingest=0"]).await;
    let http = served.http;
    // Each writer makes things one after the other, so that any point in history holds the first so many of each.
    let stop = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let writers: Vec<_> = (0..4)
        .map(|writer| {
            let stop = stop.clone();
            tokio::spawn(async move {
                let mut written = 0_u64;
                while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                    let task = |part| json!({ "entity_type": "task", "title": format!("{writer} {written} {part}"), "status": "open", "project_id": writer });
                    http.ok("ingest", json!({ "entities": [task("a"), task("b")] })).await;
                    written += 1;
                }
                written
            })
        })
        .collect();
    // Under way before it begins.
    while http.ok("list_timeline_events", json!({})).await["read_point"].as_u64().unwrap() < 20 {}
    let done = run(&data, &["backup", file.to_str().unwrap()]).await;
    assert!(done.success, "{}", done.stderr);
    stop.store(true, std::sync::atomic::Ordering::Relaxed);
    let mut written = Vec::new();
    for writer in writers {
        written.push(writer.await.unwrap());
    }
    drop(served);
    assert!(run(&restored, &["restore", file.to_str().unwrap()]).await.success);
    let verified = run(&restored, &["verify"]).await;
    assert!(verified.success, "{}", verified.stdout);
    assert!(run(&data, &["verify"]).await.success);

    let mut copy = Piped::start(&restored, &[]).await;
    for (writer, written) in written.iter().enumerate() {
        let filter = json!([{ "field": "project_id", "op": "eq", "value": writer }]);
        let found = copy.ok("retrieve_entities", json!({ "filters": filter, "limit": 1000 })).await;
        let titles: Vec<&str> = found["entities"]
            .as_array()
            .unwrap()
            .iter()
            .map(|task| task["snapshot"]["title"].as_str().unwrap())
            .collect();
        let count = titles.len() / 2;
        assert!(titles.len().is_multiple_of(2) && count as u64 <= *written, "{titles:?}");
        for index in 0..count {
            for part in ["a", "b"] {
                assert!(titles.contains(&format!("{writer} {index} {part}").as_str()), "{writer} {index} of {count}");
            }
        }
    }
}

// N-252, N-344, R-432: files are part of a backup, and of what is verified.
#[tokio::test]
async fn a_backup_brings_the_files_back() {
    let folder = tempfile::tempdir().unwrap();
    let (data, file) = (folder.path().join("data"), folder.path().join("copy.db"));
    let note = json!({ "file_content": STANDARD.encode("Call Ann"), "mime_type": "text/plain", "interpret": false });
    let source = Piped::start(&data, &[]).await.ok("ingest", note).await["source_id"].clone();
    let page = include_str!("../../../../../docs/operations.md");
    assert!(page.contains("chancery backup") && page.contains("chancery restore"));
    let done = run(&data, &["backup", file.to_str().unwrap()]).await;
    let beside = folder.path().join("copy.db.blobs");
    assert!(done.success && done.stdout.contains(&format!("files: 1, in {}", beside.display())), "{}", done.stdout);

    let restored = folder.path().join("restored");
    let done = run(&restored, &["restore", file.to_str().unwrap()]).await;
    assert!(done.success && done.stdout.contains("files: 1, in"), "{}{}", done.stdout, done.stderr);
    let verified = run(&restored, &["verify"]).await;
    assert!(verified.success && verified.stdout.contains("files read: 1"), "{}", verified.stdout);
    // A second time there is no room, and nothing is touched.
    assert!(!run(&restored, &["restore", file.to_str().unwrap()]).await.success);

    let stored = only_file(&restored.join("blobs"));
    let complaint = |verified: crate::process::Ended, word: &str| {
        let line = verified.stdout.lines().find(|line| line.starts_with("differs: ")).unwrap_or_default().to_owned();
        assert!(!verified.success && line.contains(source.as_str().unwrap()) && line.ends_with(word), "{line}");
    };
    std::fs::write(&stored, "Call Bob").unwrap();
    complaint(run(&restored, &["verify"]).await, "has changed");
    let damaged = run(&restored, &["backup", folder.path().join("second.db").to_str().unwrap()]).await;
    assert!(!damaged.success && damaged.stdout.contains("damaged, and not copied: "), "{}", damaged.stdout);
    std::fs::remove_file(&stored).unwrap();
    complaint(run(&restored, &["verify"]).await, "there is no such file");
}

fn only_file(folder: &Path) -> PathBuf {
    let mut folders = vec![folder.to_owned()];
    loop {
        let entries = std::fs::read_dir(folders.pop().unwrap()).unwrap().map(|entry| entry.unwrap().path());
        for path in entries.filter(|path| !path.ends_with(".incoming")) {
            if path.is_file() {
                return path;
            }
            folders.push(path);
        }
    }
}
