//! Files: kept by their content, interpreted, and reached by signed links.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use blobs::{Blobs, Folder, Key, Limit, Reader, StoredBlob};
use futures::future::BoxFuture;
use neotoma::Parts;
use neotoma::domain::ids;
use neotoma::interpret::{Document, Extracted, Failure, Interpreter, Rules, Understood};
use neotoma::projection::row::kind;
use scope::{TenantId, Timestamp};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt as _};

use crate::desk::{ANN, Caller, Desk, START};

const BOB: Caller<'static> = Caller { tenant: "local", user: "bob" };
const TASKS: &str = "title,status,due_date\nShip,open,2027-03-01\nRest,done,2027-04-01\n";

/// A desk that reads files of a folder of its own, with the embedded interpreter.
pub fn desk(change: impl FnOnce(&mut Parts, &Path)) -> Desk {
    Desk::having(|parts, folder| {
        let uploads = folder.join("uploads");
        std::fs::create_dir(&uploads).unwrap();
        std::fs::write(uploads.join("tasks.csv"), TASKS).unwrap();
        std::fs::write(uploads.join("note.txt"), "Remember the milk.").unwrap();
        parts.roots = Arc::new(blobs::jail::Roots::open(std::slice::from_ref(&uploads)).unwrap());
        parts.interpreter = Arc::new(Rules::default());
        change(parts, &uploads);
    })
}

pub fn file(content: &[u8], mime_type: &str) -> Value {
    json!({"file_content": STANDARD.encode(content), "mime_type": mime_type})
}

pub fn code(refused: &Value) -> &str {
    refused["code"].as_str().unwrap()
}

// N-077, N-078, N-082, N-083, N-084, N-090
#[tokio::test]
async fn a_local_file_becomes_source_material_and_entities() {
    let desk = desk(|_, _| {});
    let stored = desk.ok("upload_file", json!({"file_path": "tasks.csv"})).await;
    assert!(ids::is_uuid(stored["source_id"].as_str().unwrap()));
    assert_eq!((&stored["file_size"], &stored["content_type"]), (&json!(TASKS.len()), &json!("text/csv")));
    let user = ids::user("local|ann");
    assert_eq!(stored["file_url"], format!("files/{user}/{}", ids::content_hash(TASKS)));
    let found = stored["entity_snapshots"].as_array().unwrap();
    assert_eq!(found.len(), 2);
    assert_eq!((&found[0]["entity_type"], &found[0]["snapshot"]["title"]), (&json!("task"), &json!("Ship")));
    let snapshot = desk.ok("get_entity_snapshot", json!({"entity_id": found[0]["entity_id"]})).await;
    assert_eq!(snapshot["snapshot"], found[0]["snapshot"], "readable at once");
    let again = desk.ok("upload_file", json!({"file_path": "tasks.csv"})).await;
    assert_eq!((&again["source_id"], &again["deduplicated"]), (&stored["source_id"], &json!(true)));
    assert_eq!(again["entity_snapshots"], stored["entity_snapshots"]);
    assert_eq!(desk.records(kind::SOURCE).await.len(), 1);
    assert_eq!(desk.observations().await.len(), 2);
    let refused = desk.refused("upload_file", json!({})).await;
    assert_eq!((code(&refused), &refused["details"]["field"]), ("VALIDATION_ERROR", &json!("file_path")));
}

// N-090
#[tokio::test]
async fn a_key_stands_for_the_file_as_it_was() {
    let mut folder = None;
    let desk = desk(|_, uploads| folder = Some(uploads.to_owned()));
    let keyed = json!({"file_path": "note.txt", "client_request_id": "k"});
    let first = desk.ok("upload_file", keyed.clone()).await;
    let again = desk.ok("upload_file", keyed.clone()).await;
    assert_eq!(again["file_url"], first["file_url"]);
    std::fs::write(folder.unwrap().join("note.txt"), "Something else.").unwrap();
    let head = desk.head().await;
    assert_eq!(code(&desk.refused("upload_file", keyed).await), "IDEMPOTENCY_KEY_REUSED");
    assert_eq!(desk.head().await, head);
}

// N-079
#[tokio::test]
async fn a_file_is_attached_to_a_source() {
    let desk = desk(|_, _| {});
    let source = desk.ok("upload_file", json!({"file_path": "tasks.csv"})).await["source_id"].clone();
    for id in [source.clone(), json!(source.as_str().unwrap().to_uppercase())] {
        let attached = desk.ok("upload_file", json!({"file_path": "note.txt", "source_material_id": id})).await;
        assert_eq!(attached["source_id"], source);
    }
    let rows = desk.records(kind::SOURCE).await;
    assert_eq!((rows.len(), rows[0]["source"]["files"].as_array().unwrap().len()), (1, 2));
    let unknown = json!({"file_path": "note.txt", "source_material_id": "6f1f8a2e-1111-8222-8333-444455556666"});
    let refused = desk.refused("upload_file", unknown).await;
    assert_eq!((code(&refused), &refused["details"]["field"]), ("SOURCE_NOT_FOUND", &json!("source_material_id")));
    let malformed = desk.refused("upload_file", json!({"file_path": "note.txt", "source_material_id": "x"})).await;
    assert_eq!((code(&malformed), &malformed["details"]["field"]), ("VALIDATION_ERROR", &json!("source_material_id")));
}

// N-080, N-095
#[tokio::test]
async fn a_bucket_is_the_first_part_of_the_path() {
    let desk = desk(|_, _| {});
    let stored = desk.ok("upload_file", json!({"file_path": "note.txt", "bucket": "letters"})).await;
    assert!(stored["file_url"].as_str().unwrap().starts_with("letters/"), "{stored}");
    let links = desk.ok("get_file_url", json!({"file_path": stored["file_url"]})).await;
    assert!(links["signed_url"].as_str().unwrap().contains("/files/letters/"), "{links}");
    for bad in ["../x", "a/b", "", ".", "x y"] {
        let head = desk.head().await;
        let refused = desk.refused("upload_file", json!({"file_path": "tasks.csv", "bucket": bad})).await;
        assert_eq!((code(&refused), &refused["details"]["field"]), ("VALIDATION_ERROR", &json!("bucket")), "{bad}");
        assert_eq!(desk.head().await, head);
    }
}

// N-081
#[tokio::test]
async fn properties_stand_in_for_an_interpretation() {
    let desk = desk(|_, _| {});
    let with = |properties: &str| json!({"file_path": "tasks.csv", "properties": properties});
    for bad in ["{", "[1]", "7", "null", "\"x\"", "", "{\"a\": \"\\u0000\"}"] {
        let refused = desk.refused("upload_file", with(bad)).await;
        assert_eq!((code(&refused), &refused["details"]["field"]), ("VALIDATION_ERROR", &json!("properties")), "{bad}");
    }
    assert_eq!(desk.head().await, 0);
    let stored = desk.ok("upload_file", with("{\"project\": \"x\", \"n\": 1.50}")).await;
    assert_eq!(stored.get("entity_snapshots"), None);
    assert!(desk.records(kind::RUN).await.is_empty());
    assert!(desk.records(kind::ENTITY).await.is_empty());
    assert_eq!(desk.records(kind::SOURCE).await[0]["source"]["properties"], json!({"project": "x", "n": 1.5}));
}

// N-030, N-085, N-091, N-334
#[tokio::test]
async fn what_is_not_below_the_roots_is_not_there() {
    let desk = desk(|_, uploads| {
        let outside = uploads.parent().unwrap().join("secret.txt");
        std::fs::write(&outside, "secret").unwrap();
        std::fs::create_dir(uploads.join("folder")).unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(&outside, uploads.join("link.txt")).unwrap();
    });
    let missing = desk.refused("upload_file", json!({"file_path": "nothing.txt"})).await;
    assert_eq!((code(&missing), &missing["details"]["field"]), ("FILE_NOT_FOUND", &json!("file_path")));
    for path in [
        "../secret.txt",
        "folder/../../secret.txt",
        "/etc/passwd",
        "/dev/zero",
        "link.txt",
        "folder",
        ".",
        "note.txt/x",
        "a\u{202e}b",
    ] {
        assert_eq!(desk.refused("upload_file", json!({"file_path": path})).await, missing, "{path}");
    }
    assert_eq!(desk.head().await, 0);
}

// N-092
#[tokio::test]
async fn without_roots_or_over_http_files_of_this_machine_are_refused() {
    for desk in [desk(|parts, _| parts.config.local_files = false), Desk::new()] {
        let refused = desk.refused("upload_file", json!({"file_path": "note.txt"})).await;
        assert_eq!((code(&refused), &refused["details"]["field"]), ("VALIDATION_ERROR", &json!("file_path")));
        assert!(refused["details"]["fix"].as_str().unwrap().contains("ingest as file_content"), "{refused}");
    }
}

// N-026, N-031, N-064, N-086, N-093
#[tokio::test]
async fn exactly_the_limit_is_taken_and_one_byte_more_is_not() {
    let max = 2 * 1024 * 1024;
    let desk = desk(|parts, uploads| {
        parts.config.file_bytes_max = max;
        parts.config.interpretations_max = 0;
        for (name, size) in [("fits.txt", max), ("over.txt", max + 1)] {
            std::fs::write(uploads.join(name), vec![b'x'; usize::try_from(size).unwrap()]).unwrap();
        }
    });
    let plain = |path: &str| json!({"file_path": path, "properties": "{}"});
    assert_eq!(desk.ok("upload_file", plain("fits.txt")).await["file_size"], max);
    for size in [max, max - 1] {
        let mut arguments = file(&vec![b'y'; usize::try_from(size).unwrap()], "text/plain");
        arguments["interpret"] = json!(false);
        assert_eq!(desk.ok("ingest", arguments).await["file_size"], size);
    }
    let head = desk.head().await;
    let uploaded = desk.refused("upload_file", plain("over.txt")).await;
    let sent = desk.refused("ingest", file(&vec![b'x'; usize::try_from(max + 1).unwrap()], "text/plain")).await;
    for refused in [uploaded, sent] {
        assert_eq!((code(&refused), &refused["message"]), ("FILE_TOO_LARGE", &json!("File exceeds 2MB limit")));
        assert_eq!(refused["details"]["file_size_bytes"], max + 1);
        assert_eq!(refused["details"]["max_size_bytes"], max);
    }
    assert_eq!(desk.head().await, head);
    assert_eq!(neotoma::Config::default().file_bytes_max, 52_428_800);
}

// N-032, N-087, N-094
#[tokio::test]
async fn types_are_decided_by_bytes_and_must_agree_with_the_name() {
    let desk = desk(|_, uploads| {
        for (name, content) in [
            ("a.exe", "MZ\0".as_bytes()),
            ("page.svg", b"<svg/>"),
            ("fake.pdf", b"hello"),
            ("fake.csv", b"%PDF-1.7"),
            ("binary", b"\0\x01\x02"),
        ] {
            std::fs::write(uploads.join(name), content).unwrap();
        }
        std::fs::write(uploads.join("real.pdf"), b"%PDF-1.7\n").unwrap();
    });
    for name in ["a.exe", "page.svg", "fake.pdf", "fake.csv", "binary"] {
        let refused = desk.refused("upload_file", json!({"file_path": name})).await;
        assert_eq!(code(&refused), "UNSUPPORTED_FILE_TYPE", "{name}");
        assert!(!refused.to_string().contains(name), "{refused}");
    }
    assert_eq!(desk.head().await, 0);
    let stored = desk.ok("upload_file", json!({"file_path": "real.pdf", "properties": "{}"})).await;
    assert_eq!(stored["content_type"], "application/pdf");
}

// N-038, N-089
#[tokio::test]
async fn a_file_that_cannot_be_interpreted_stays_stored() {
    let working = Arc::new(AtomicBool::new(false));
    let moody = Moody(working.clone());
    let desk = desk(move |parts, _| parts.interpreter = Arc::new(moody));
    let keyed = json!({"file_path": "note.txt", "client_request_id": "k"});
    let mut sent = file(b"Hello", "text/plain");
    sent["client_request_id"] = json!("k");
    for (tool, arguments) in
        [("upload_file", json!({"file_path": "note.txt"})), ("upload_file", keyed.clone()), ("ingest", sent.clone())]
    {
        let refused = desk.refused(tool, arguments).await;
        assert_eq!(code(&refused), "ANALYSIS_FAILED");
        let source = refused["details"]["source_id"].as_str().unwrap();
        let kept = desk.records(kind::SOURCE).await.into_iter().find(|row| row["source"]["id"] == source).unwrap();
        let link = desk.ok("get_file_url", json!({"file_path": kept["source"]["files"][0]})).await;
        assert!(link["signed_url"].is_string());
    }
    let runs = desk.records(kind::RUN).await;
    assert!(runs.iter().all(|run| run["run"]["status"] == "failed"), "{runs:?}");
    // The same call again, with the same key, when the interpreter is well.
    working.store(true, Ordering::Relaxed);
    let stored = desk.ok("upload_file", keyed).await;
    assert_eq!(stored["entity_snapshots"][0]["snapshot"]["title"], "Found");
    let stored = desk.ok("ingest", sent).await;
    assert_eq!(stored["interpretation"]["observations_created"], 1);
    let runs = desk.records(kind::RUN).await;
    assert!(runs.iter().all(|run| run["run"]["status"] == "completed"), "{runs:?}");
}

/// An interpreter that fails until it is well.
pub struct Moody(pub Arc<AtomicBool>);

impl Interpreter for Moody {
    fn version(&self) -> String {
        "moody/1".to_owned()
    }

    fn interpret<'a>(&'a self, _: Document<'a>, _: &'a contract::Object) -> BoxFuture<'a, Result<Understood, Failure>> {
        let found = || Extracted {
            entity_type: "note".to_owned(),
            fields: json!({"title": "Found"}).as_object().unwrap().clone().into(),
        };
        let outcome = match self.0.load(Ordering::Relaxed) {
            true => Ok(vec![found()].into()),
            false => Err(Failure { reason: "it is not in the mood".to_owned() }),
        };
        Box::pin(std::future::ready(outcome))
    }
}

/// Notes how much of each file was brought to it; it reads text only.
struct Weighing(Arc<Mutex<Vec<usize>>>);

impl Interpreter for Weighing {
    fn version(&self) -> String {
        "weighing/1".to_owned()
    }

    fn reads(&self, mime_type: &str, _: Option<&str>) -> bool {
        mime_type.starts_with("text/")
    }

    fn interpret<'a>(
        &'a self,
        document: Document<'a>,
        _: &'a contract::Object,
    ) -> BoxFuture<'a, Result<Understood, Failure>> {
        self.0.lock().unwrap().push(document.bytes.len());
        Box::pin(std::future::ready(Ok(Understood::default())))
    }
}

// N-077
#[tokio::test]
async fn a_local_file_that_nobody_looks_into_is_stored_without_being_held() {
    const PICTURE: &[u8] = b"\x89PNG\r\n\x1a\nand what follows";
    let seen = Arc::<Mutex<Vec<usize>>>::default();
    let desk = desk(|parts, folder| {
        std::fs::write(folder.join("picture.png"), PICTURE).unwrap();
        parts.interpreter = Arc::new(Weighing(seen.clone()));
    });
    let stored = desk.ok("upload_file", json!({"file_path": "picture.png"})).await;
    assert_eq!((&stored["file_size"], &stored["content_type"]), (&json!(PICTURE.len()), &json!("image/png")));
    desk.ok("upload_file", json!({"file_path": "tasks.csv"})).await;
    assert_eq!(*seen.lock().unwrap(), [0, TASKS.len()]);
}

// N-037, N-088, N-100
#[tokio::test]
async fn a_store_of_blobs_that_fails_is_tried_again() {
    let broken = Arc::new(AtomicBool::new(true));
    let shared = broken.clone();
    let desk = desk(move |parts, _| parts.blobs = Arc::new(Breaking { inner: parts.blobs.clone(), broken: shared }));
    let upload = json!({"file_path": "tasks.csv", "client_request_id": "k"});
    let sent = file(b"Hello", "text/plain");
    for (tool, arguments) in [("upload_file", &upload), ("ingest", &sent)] {
        let refused = desk.refused(tool, arguments.clone()).await;
        assert_eq!(code(&refused), "UPLOAD_FAILED");
        assert!(!refused.to_string().contains("/secret"), "{refused}");
    }
    assert_eq!(desk.head().await, 0, "nothing was stored");
    broken.store(false, Ordering::Relaxed);
    let stored = desk.ok("upload_file", upload).await;
    assert_eq!(stored["entity_snapshots"].as_array().unwrap().len(), 2);
    desk.ok("ingest", sent).await;

    broken.store(true, Ordering::Relaxed);
    let link = json!({"file_path": stored["file_url"]});
    assert_eq!(code(&desk.refused("get_file_url", link.clone()).await), "SIGNING_FAILED");
    let again = json!({"source_id": stored["source_id"], "interpretation_config": {"model_id": "new"}});
    let refused = desk.refused("reinterpret", again.clone()).await;
    assert_eq!(code(&refused), "DB_QUERY_FAILED", "a file that cannot be read now is not a file that is not there");
    broken.store(false, Ordering::Relaxed);
    desk.ok("get_file_url", link).await;
    desk.ok("reinterpret", again).await;
}

/// Blobs on a disk that is sometimes not there.
pub struct Breaking {
    pub inner: Arc<dyn Blobs>,
    pub broken: Arc<AtomicBool>,
}

impl Breaking {
    fn check(&self) -> Result<(), blobs::Error> {
        match self.broken.load(Ordering::Relaxed) {
            true => Err(blobs::Error::Io(std::io::Error::other("/secret/disk is gone"))),
            false => Ok(()),
        }
    }
}

impl Blobs for Breaking {
    fn put<'a>(
        &'a self,
        folder: &'a Folder,
        content: &'a mut (dyn AsyncRead + Send + Unpin),
        limit: Limit,
    ) -> BoxFuture<'a, Result<StoredBlob, blobs::Error>> {
        Box::pin(async move {
            self.check()?;
            self.inner.put(folder, content, limit).await
        })
    }

    fn len<'a>(&'a self, key: &'a Key) -> BoxFuture<'a, Result<u64, blobs::Error>> {
        Box::pin(async move {
            self.check()?;
            self.inner.len(key).await
        })
    }

    fn read<'a>(&'a self, key: &'a Key, start: u64, length: u64) -> BoxFuture<'a, Result<Reader, blobs::Error>> {
        Box::pin(async move {
            self.check()?;
            self.inner.read(key, start, length).await
        })
    }
}

// N-066, N-095
#[tokio::test]
async fn bytes_are_kept_once_for_each_user_under_their_hash() {
    let mut blobs = None;
    let desk = desk(|parts, uploads| {
        blobs = Some(parts.blobs.clone());
        std::fs::create_dir(uploads.join("other")).unwrap();
        std::fs::write(uploads.join("other/note.txt"), "Another note.").unwrap();
        std::fs::write(uploads.join("copy.txt"), "Remember the milk.").unwrap();
    });
    let upload = |path: &str| desk.ok("upload_file", json!({"file_path": path}));
    let (one, same_name, same_bytes) =
        (upload("note.txt").await, upload("other/note.txt").await, upload("copy.txt").await);
    assert_ne!(one["source_id"], same_name["source_id"]);
    assert_eq!((&one["source_id"], &one["file_url"]), (&same_bytes["source_id"], &same_bytes["file_url"]));
    let sent = desk.ok("ingest", file(b"Remember the milk.", "text/plain")).await;
    assert_eq!(
        (&sent["source_id"], &sent["deduplicated"]),
        (&one["source_id"], &json!(true)),
        "whichever way they came"
    );
    let theirs = desk.call_as(BOB, "ingest", file(b"Remember the milk.", "text/plain")).await.unwrap();
    assert_eq!((&theirs["content_hash"], &theirs["deduplicated"]), (&sent["content_hash"], &json!(false)));
    assert_ne!(theirs["source_id"], sent["source_id"]);
    let key = Key::parse(&TenantId::new(ANN.tenant).unwrap(), one["file_url"].as_str().unwrap()).unwrap();
    let mut kept = String::new();
    blobs.unwrap().read(&key, 0, u64::MAX).await.unwrap().read_to_string(&mut kept).await.unwrap();
    assert_eq!(kept, "Remember the milk.");
}

// N-096, N-097, N-098, N-099, N-101
#[tokio::test]
async fn a_link_is_good_for_an_hour_or_as_long_as_asked() {
    let desk = desk(|_, _| {});
    let path = desk.ok("upload_file", json!({"file_path": "note.txt"})).await["file_url"].clone();
    let expires = |link: &Value| link["expires_at"].as_str().unwrap().parse::<Timestamp>().unwrap().0 - START;
    let links = blobs::sign::Links::new(&[7; 32], "http://127.0.0.1:7400");
    for (asked, seconds) in [(Value::Null, 3600), (json!(1), 1), (json!(604_800), 604_800)] {
        let link = desk.ok("get_file_url", json!({"file_path": path, "expires_in": asked})).await;
        // Counted from the next full second.
        assert_eq!(expires(&link), (seconds + 1) * 1_000_000, "{asked}");
        let url = link["signed_url"].as_str().unwrap().strip_prefix("http://127.0.0.1:7400").unwrap().to_owned();
        let granted = links.granted(&url, Timestamp(START)).unwrap();
        assert_eq!(
            (granted.key.to_string(), granted.media.as_str()),
            (path.as_str().unwrap().to_owned(), "text/plain")
        );
        assert!(links.granted(&url, Timestamp(START + expires(&link))).is_err());
    }
    for bad in [json!(0), json!(-1), json!(604_801), json!(1.5), json!("long")] {
        let refused = desk.refused("get_file_url", json!({"file_path": path, "expires_in": bad})).await;
        assert_eq!((code(&refused), &refused["details"]["field"]), ("VALIDATION_ERROR", &json!("expires_in")), "{bad}");
    }
    assert_eq!(code(&desk.refused("get_file_url", json!({})).await), "VALIDATION_ERROR");
}

// N-019, N-020, N-100
#[tokio::test]
async fn a_path_that_is_not_the_callers_is_not_there() {
    let desk = desk(|_, _| {});
    let path = desk.ok("upload_file", json!({"file_path": "note.txt"})).await["file_url"].as_str().unwrap().to_owned();
    let missing = desk.refused("get_file_url", json!({"file_path": format!("{}0", &path[..path.len() - 1])})).await;
    assert_eq!((code(&missing), &missing["details"]["field"]), ("FILE_NOT_FOUND", &json!("file_path")));
    for caller in [BOB, Caller { tenant: "elsewhere", user: "ann" }] {
        assert_eq!(desk.refused_as(caller, "get_file_url", json!({"file_path": path})).await, missing);
    }
    for other in
        ["note.txt", "../x", "/etc/passwd", "a/b/c", &path.to_uppercase(), &format!("{path}/"), &format!("./{path}")]
    {
        assert_eq!(desk.refused("get_file_url", json!({"file_path": other})).await, missing, "{other}");
    }
}

// N-069: what was understood in part or not at all is said, and the file itself is an entity at least.
#[tokio::test]
async fn an_answer_reports_what_was_not_understood() {
    const PICTURE: &[u8] = b"\x89PNG\r\n\x1a\nand what follows";
    let desk = desk(|_, folder| std::fs::write(folder.join("picture.png"), PICTURE).unwrap());
    let mut sent = file(PICTURE, "image/png");
    sent["original_filename"] = json!("other.png");
    let stored = desk.ok("ingest", sent).await;
    let messages = |answer: &Value| {
        let warnings = answer["warnings"].as_array().unwrap().iter();
        warnings.map(|warning| warning["message"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert!(messages(&stored)[0].starts_with("Pictures are stored but not read"), "{stored}");
    assert_eq!(messages(&stored)[1], "The file itself is stored as an entity of type document.");
    assert_eq!(stored["entities"][0]["entity_type"], "document");
    let snapshot = desk.snapshot(stored["entities"][0]["id"].as_str().unwrap()).await;
    assert_eq!(
        (&snapshot["snapshot"]["filename"], &snapshot["snapshot"]["source_id"]),
        (&json!("other.png"), &stored["source_id"])
    );
    let uploaded = desk.ok("upload_file", json!({"file_path": "picture.png", "client_request_id": "k"})).await;
    assert_eq!(uploaded["source_id"], stored["source_id"], "the same bytes are the same source");
    let bank = "Account;GB12\nDate;Payee;Amount;Branch\n2026-03-03;Otterby Rail;-12.50;Leith\nTotal;;-12.50;\n";
    let stored = desk.ok("ingest", file(bank.as_bytes(), "text/csv")).await;
    assert_eq!(messages(&stored), ["2 lines of the table are no entities of its type: they are kept in a note."]);
    let again = json!({"source_id": stored["source_id"], "interpretation_config": {"model_id": "new"}});
    assert_eq!(messages(&desk.ok("reinterpret", again).await), messages(&stored));
    let plain = desk.ok("ingest", file(b"Remember the milk.", "text/plain")).await;
    assert_eq!(plain["warnings"], json!([]));
}

/// Finds a bill, and counts how often it was asked.
struct Counting(Arc<std::sync::atomic::AtomicUsize>);

impl Interpreter for Counting {
    fn version(&self) -> String {
        "counting/1".to_owned()
    }

    fn interpret<'a>(&'a self, _: Document<'a>, _: &'a contract::Object) -> BoxFuture<'a, Result<Understood, Failure>> {
        self.0.fetch_add(1, Ordering::Relaxed);
        let fields = json!({"invoice_number": "I-1", "amount_due": "a lot", "invoice_date": "2027-01-02"});
        let bill = Extracted { entity_type: "Bills".to_owned(), fields: fields.as_object().unwrap().clone().into() };
        Box::pin(std::future::ready(Ok(vec![bill].into())))
    }
}

// N-069: a file is stored, interpreted, and what it says goes through the schema into observations; entities go the same
// way without an interpreter.
#[tokio::test]
async fn files_and_entities_take_one_way_but_for_the_interpreter() {
    let asked = Arc::<std::sync::atomic::AtomicUsize>::default();
    let desk = desk(|parts, _| parts.interpreter = Arc::new(Counting(asked.clone())));
    let entities = json!({"entities": [
        {"entity_type": "Bills", "invoice_number": "I-1", "amount_due": "a lot", "invoice_date": "2027-01-02"},
    ]});
    let mut shown = Vec::new();
    for (arguments, runs, kind) in [(entities, 0, "structured"), (file(b"A bill.", "text/plain"), 1, "file")] {
        let stored = desk.ok("ingest", arguments).await;
        assert_eq!(asked.load(Ordering::Relaxed), runs, "{kind}");
        let id = stored["entities"][0]["id"].clone();
        let observed =
            desk.ok("list_observations", json!({"entity_id": id, "limit": 1})).await["observations"][0].clone();
        assert_eq!((&observed["source_id"], &observed["entity_type"]), (&stored["source_id"], &json!("invoice")));
        let around = json!({"node_id": stored["source_id"], "node_type": "source"});
        assert_eq!(desk.ok("get_graph_neighborhood", around).await["source_material"]["kind"], kind);
        let warned = stored["warnings"].as_array().unwrap().iter().map(|one| one["field"].clone()).collect::<Vec<_>>();
        shown.push((id, observed["fields"].clone(), observed["schema_version"].clone(), warned));
    }
    assert_eq!(shown[0], shown[1]);
    assert_eq!(json!(shown[0].3), json!(["amount_due", "currency"]), "the schema was asked");
}

// N-069
#[tokio::test]
async fn what_a_file_says_that_cannot_be_stored_is_left_out() {
    let desk = desk(|_, _| {});
    let definition = json!({"fields": {"vin": {"type": "string"}}, "identity": [["vin"]], "strict": true});
    desk.ok("register_schema", json!({"entity_type": "car", "definition": definition})).await;
    let found = json!([{"entity_type": "../../etc", "name": "Marked"}, {"entity_type": "task", "title": "Ship"}, {"entity_type": "car", "name": "Marked"}]);
    let stored = desk.ok("ingest", file(found.to_string().as_bytes(), "application/json")).await;
    assert_eq!(stored["interpretation"]["entities_created"], 1);
    let warnings = stored["warnings"].to_string();
    assert!(warnings.contains("2 of the entities") && !warnings.contains("Marked"), "{warnings}");
}
