//! Files over the wire: from below a folder, inside a call, and out again through a signed address.

use std::os::unix::fs::symlink;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::client::{Client as _, Http, Piped, Served, answered, refusal};

/// The largest file.
const MAX: usize = 52_428_800;
const SAMPLE: &[u8] = include_bytes!("../../../../neotoma/tests/fixtures/sample_invoice.pdf");

/// A folder with files, and a client on the same machine that may read them.
struct Desk {
    root: tempfile::TempDir,
    data: tempfile::TempDir,
    client: Piped,
}

async fn desk() -> Desk {
    let (root, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let client = Piped::start(data.path(), &[&format!("neotoma.upload_roots={}", root.path().display())]).await;
    Desk { root, data, client }
}

impl Desk {
    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.root.path().join(name), content).unwrap();
    }

    async fn upload(&mut self, arguments: Value) -> Value {
        self.client.ok("upload_file", arguments).await
    }

    async fn refused(&mut self, arguments: Value) -> Value {
        self.client.refused("upload_file", arguments).await
    }
}

// N-092, N-334
#[tokio::test]
async fn a_path_of_the_server_is_refused_over_http_and_points_to_ingest() {
    let (root, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    std::fs::write(root.path().join("note.txt"), "a note").unwrap();
    let served = Served::start(data.path(), &[&format!("neotoma.upload_roots={}", root.path().display())]).await;
    let error = served.http.refused("upload_file", json!({ "file_path": "note.txt" })).await;
    assert_eq!((&error["code"], &error["details"]["field"]), (&json!("VALIDATION_ERROR"), &json!("file_path")));
    assert!(error["details"]["fix"].as_str().unwrap().contains("with ingest as file_content"), "{error}");
    assert_eq!(stored_files(data.path()), 0);
}

// N-092
#[tokio::test]
async fn without_configured_folders_a_path_is_refused_over_stdio_too() {
    let data = tempfile::tempdir().unwrap();
    let mut client = Piped::start(data.path(), &[]).await;
    let error = client.refused("upload_file", json!({ "file_path": "/etc/hostname" })).await;
    assert_eq!((&error["code"], &error["details"]["field"]), (&json!("VALIDATION_ERROR"), &json!("file_path")));
    assert!(error["details"]["fix"].as_str().unwrap().contains("ingest"), "{error}");
    assert_eq!(stored_files(data.path()), 0);
}

// N-077, N-078, N-080, N-082, N-083, N-084, N-090, N-270
#[tokio::test]
async fn a_file_below_a_root_is_stored_and_interpreted() {
    let mut desk = desk().await;
    desk.write("sample_invoice.pdf", SAMPLE);
    let stored = desk.upload(json!({ "file_path": "sample_invoice.pdf" })).await;
    assert_eq!(stored["entity_snapshots"][0]["entity_type"], "invoice", "{stored}");
    assert!(stored["entity_snapshots"][0]["snapshot"].is_object());
    assert_eq!((&stored["file_size"], &stored["content_type"]), (&json!(SAMPLE.len()), &json!("application/pdf")));
    assert!(stored["file_url"].as_str().unwrap().starts_with("files/"), "the bucket is files by default: {stored}");
    // The same bytes under another name are the same source.
    desk.write("copy.pdf", SAMPLE);
    let again = desk.upload(json!({ "file_path": desk.root.path().join("copy.pdf") })).await;
    assert_eq!((&again["source_id"], &again["file_url"]), (&stored["source_id"], &stored["file_url"]));
    let found = desk.client.ok("retrieve_entities", json!({ "entity_type": "invoice" })).await;
    assert_eq!(found["total"], 1);
}

// N-079, N-080, N-081
#[tokio::test]
async fn a_file_can_join_a_source_in_a_bucket_of_its_own_without_being_interpreted() {
    let mut desk = desk().await;
    desk.write("one.txt", "first page");
    desk.write("two.txt", "second page");
    let properties = json!({ "project": "x" }).to_string();
    let first = desk.upload(json!({ "file_path": "one.txt", "properties": properties })).await;
    assert!(first.get("entity_snapshots").is_none(), "{first}");
    let second = json!({
        "file_path": "two.txt", "bucket": "scans", "source_material_id": first["source_id"], "properties": "{}",
    });
    let second = desk.upload(second).await;
    assert_eq!(second["source_id"], first["source_id"]);
    assert!(second["file_url"].as_str().unwrap().starts_with("scans/"), "{second}");
    let unknown = json!({ "file_path": "two.txt", "source_material_id": "0b7e5a52-3f0e-8c11-a5f4-1d2c3b4a5968" });
    assert_eq!(desk.refused(unknown).await["code"], "SOURCE_NOT_FOUND");
    let text = json!({ "file_path": "two.txt", "properties": "[1]" });
    assert_eq!(desk.refused(text).await["code"], "VALIDATION_ERROR");
}

// N-085, N-087
#[tokio::test]
async fn what_is_missing_or_of_another_type_is_refused() {
    let mut desk = desk().await;
    desk.write("program.exe", b"MZ\x90\0\x03\0\0\0\x04\0\0\0\xff\xff");
    desk.write("liar.pdf", "only text");
    assert_eq!(desk.refused(json!({ "file_path": "missing.txt" })).await["code"], "FILE_NOT_FOUND");
    assert_eq!(desk.refused(json!({ "file_path": "program.exe" })).await["code"], "UNSUPPORTED_FILE_TYPE");
    assert_eq!(desk.refused(json!({ "file_path": "liar.pdf" })).await["code"], "UNSUPPORTED_FILE_TYPE");
}

// N-091, N-334: whatever is tried, it reads like a missing file, and nothing of it is stored.
#[tokio::test]
async fn no_way_leads_out_of_the_roots() {
    let outside = tempfile::tempdir().unwrap();
    let secret = outside.path().join("secret.txt");
    std::fs::write(&secret, "a secret").unwrap();
    let mut desk = desk().await;
    let root = desk.root.path().to_owned();
    desk.write("inside.txt", "inside");
    std::fs::create_dir(root.join("folder")).unwrap();
    symlink(&secret, root.join("link.txt")).unwrap();
    symlink(outside.path(), root.join("linked")).unwrap();
    symlink("/dev/zero", root.join("zero.txt")).unwrap();
    symlink("/proc/self/environ", root.join("environ.txt")).unwrap();
    let up = format!("../{}/secret.txt", outside.path().file_name().unwrap().to_str().unwrap());
    let attempts = [
        up.clone(),
        format!("folder/../../{}", &up[3..]),
        secret.display().to_string(),
        format!("{}/{up}", root.display()),
        "link.txt".to_owned(),
        "linked/secret.txt".to_owned(),
        "zero.txt".to_owned(),
        "environ.txt".to_owned(),
        "/dev/zero".to_owned(),
        "/dev/stdin".to_owned(),
        "/proc/self/environ".to_owned(),
        "/etc/passwd".to_owned(),
        "file:///etc/passwd".to_owned(),
        "folder".to_owned(),
        ".".to_owned(),
        "..".to_owned(),
        "inside.txt/".to_owned(),
    ];
    let missing = desk.refused(json!({ "file_path": "missing.txt" })).await;
    for attempt in attempts {
        let mut error = desk.refused(json!({ "file_path": attempt })).await;
        error["trace_id"] = missing["trace_id"].clone();
        assert_eq!(error, missing, "{attempt}");
    }
    for odd in ["", "inside.txt\u{0}.pdf"] {
        let error = desk.refused(json!({ "file_path": odd })).await;
        assert!(["FILE_NOT_FOUND", "VALIDATION_ERROR"].contains(&error["code"].as_str().unwrap()), "{odd:?}: {error}");
    }
    assert_eq!(stored_files(desk.data.path()), 0);
    desk.upload(json!({ "file_path": "inside.txt", "properties": "{}" })).await;
    assert_eq!(stored_files(desk.data.path()), 1);
}

/// How many files are kept below a data directory, however they are named.
fn stored_files(data: &Path) -> usize {
    fn count(folder: &Path) -> usize {
        let Ok(inside) = std::fs::read_dir(folder) else { return 0 };
        inside.map(|entry| entry.unwrap().path()).map(|path| if path.is_dir() { count(&path) } else { 1 }).sum()
    }
    count(&data.join("blobs"))
}

// N-096, N-097, N-098, N-099, N-101, N-102, N-103
#[tokio::test]
async fn a_signed_address_is_served_until_a_byte_of_it_changes() {
    let data = tempfile::tempdir().unwrap();
    let mut served = Served::start(data.path(), &[]).await;
    let stored = json!({ "file_content": STANDARD.encode(SAMPLE), "mime_type": "application/pdf" });
    let stored = served.ok("ingest", stored).await;
    let link = served.ok("get_file_url", json!({ "file_path": stored["file_path"], "expires_in": 600 })).await;
    let address = link["signed_url"].as_str().unwrap();
    let path = address.strip_prefix(&format!("http://{}", served.http.address)).expect("the server that signed it");

    let whole = served.http.send("GET", path, &[], b"").await;
    assert_eq!((whole.status, whole.body.as_slice()), (200, SAMPLE));
    assert_eq!(whole.header("content-type"), Some("application/pdf"));
    let part = served.http.send("GET", path, &[("range", "bytes=5-9")], b"").await;
    assert_eq!((part.status, part.body.as_slice()), (206, &SAMPLE[5..10]));
    assert_eq!(part.header("content-range"), Some(format!("bytes 5-9/{}", SAMPLE.len()).as_str()));

    let query = path.find('?').unwrap();
    for at in (path.find("files/").unwrap() + 6..path.len()).step_by(7).chain([query + 1, path.len() - 1]) {
        let byte = path.as_bytes()[at];
        if b"/?&=%".contains(&byte) {
            continue;
        }
        let other = if byte == b'1' { '2' } else { '1' };
        let changed = format!("{}{other}{}", &path[..at], &path[at + 1..]);
        assert_eq!(served.http.send("GET", &changed, &[], b"").await.status, 403, "{changed}");
    }
    bounds_of_expiry(&mut served, &stored["file_path"]).await;
}

async fn bounds_of_expiry(served: &mut Served, path: &Value) {
    for wrong in [0, 604_801] {
        let error = served.refused("get_file_url", json!({ "file_path": path, "expires_in": wrong })).await;
        assert_eq!((&error["code"], &error["details"]["field"]), (&json!("VALIDATION_ERROR"), &json!("expires_in")));
    }
    let moments = [json!({ "file_path": path }), json!({ "file_path": path, "expires_in": 604_800 })];
    let mut expiries = Vec::new();
    for arguments in moments {
        let link = served.ok("get_file_url", arguments).await;
        expiries.push(link["expires_at"].as_str().unwrap().parse::<scope::Timestamp>().unwrap());
    }
    // An hour by default, a week at most, give or take what the calls themselves took.
    let apart_s = (expiries[1].0 - expiries[0].0) / 1_000_000;
    assert!((604_800 - 3600..604_800 - 3600 + 120).contains(&apart_s), "{apart_s}");
}

// N-100
#[tokio::test]
async fn a_path_that_is_not_in_storage_has_no_address() {
    let data = tempfile::tempdir().unwrap();
    let mut served = Served::start(data.path(), &[]).await;
    for path in ["files/nobody/abc", "../secret.key", "/etc/passwd", "files"] {
        let error = served.refused("get_file_url", json!({ "file_path": path })).await;
        assert_eq!(error["code"], "FILE_NOT_FOUND", "{path}");
    }
}

/// Stores a text file of a certain size. The request is put together as text: it is large.
async fn store(http: Http, bytes: usize) -> Value {
    let mut body = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ingest","arguments":{"#.to_vec();
    body.extend_from_slice(br#""mime_type":"text/plain","interpret":false,"file_content":""#);
    let text = bytes / 3 * 3;
    // Three letters are four of base64.
    body.resize(body.len() + text / 3 * 4, b'Y');
    for at in (body.len() - text / 3 * 4..body.len()).step_by(4) {
        body[at..at + 4].copy_from_slice(b"YWFh");
    }
    body.extend_from_slice(STANDARD.encode(&b"aa"[..bytes - text]).as_bytes());
    body.extend_from_slice(br#""}}}"#);
    let headers = [("content-type", "application/json"), ("accept", "application/json, text/event-stream")];
    http.send("POST", "/neotoma/mcp", &headers, &body).await.message()["result"].clone()
}

/// What the refusal of a file says about sizes.
fn sizes(given: usize, max: usize) -> Value {
    json!({
        "file_size_bytes": given,
        "max_size_bytes": max,
        "fix": "split the file, or ask the operator to raise the limit",
    })
}

// N-026, N-031, N-064, N-093, N-330: 50 MB are taken, 60 are not, and memory has a bound.
#[tokio::test]
async fn the_largest_file_is_taken_over_http_and_a_larger_one_is_not() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path(), &["limits.call_timeout_ms=170000"]).await;
    let error = refusal("ingest", &store(served.http, 60_000_000).await);
    assert_eq!((&error["code"], &error["message"]), (&json!("FILE_TOO_LARGE"), &json!("File exceeds 50MB limit")));
    assert_eq!(error["details"], sizes(60_000_000, MAX));
    assert!(error["trace_id"].is_string());
    assert_eq!(stored_files(data.path()), 0);
    let largest = answered("ingest", store(served.http, MAX).await);
    assert_eq!(largest["file_size"], MAX);
    assert_eq!(stored_files(data.path()), 1);
    let peak = served.peak_memory();
    assert!(peak < 700 * 1024 * 1024, "{} MB at the most", peak / 1024 / 1024);
    eprintln!("a file of 50 MB over HTTP: {} MB at the most", peak / 1024 / 1024);
}

// N-095: written under another name and synced before it has its own; then its folder is synced.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_file_is_synced_before_it_has_its_name() {
    let works = std::process::Command::new("strace").args(["-o", "/dev/null", "true"]).status();
    if !works.is_ok_and(|status| status.success()) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (data, log) = (folder.path().join("data"), folder.path().join("log"));
    let file = json!({ "file_content": STANDARD.encode("Call Ann"), "mime_type": "text/plain", "interpret": false });
    let mut command = tokio::process::Command::new("strace");
    command
        .args(["-f", "-qq", "-y", "-s", "4096", "-e", "trace=fsync,fdatasync,rename,renameat,renameat2", "-o"])
        .arg(&log);
    command.arg(env!("CARGO_BIN_EXE_chancery")).arg("--data").arg(&data).args(["call", "ingest", &file.to_string()]);
    assert!(command.output().await.unwrap().status.success());
    let log = std::fs::read_to_string(log).unwrap();
    let calls: Vec<&str> = log.lines().collect();
    let renamed = calls.iter().position(|call| call.contains("rename") && call.contains("/.incoming/")).unwrap();
    let names: Vec<&str> = calls[renamed].split('"').skip(1).step_by(2).collect();
    let synced = |call: &&str, path: &str| call.contains("sync(") && call.contains(&format!("<{path}>"));
    assert!(calls[..renamed].iter().any(|call| synced(call, names[0])), "{log}");
    let place = names[1].rsplit_once('/').unwrap().0;
    assert!(calls[renamed..].iter().any(|call| synced(call, place)), "{log}");
}

// N-093
#[tokio::test]
async fn the_limit_is_set_by_the_operator_and_holds_to_the_byte() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path(), &["neotoma.file_bytes_max=1048576"]).await;
    let error = refusal("ingest", &store(served.http, 1_048_577).await);
    assert_eq!(
        (&error["message"], &error["details"]),
        (&json!("File exceeds 1MB limit"), &sizes(1_048_577, 1_048_576))
    );
    assert_eq!(answered("ingest", store(served.http, 1_048_576).await)["file_size"], 1_048_576);
}

// N-086, N-093, N-330
#[tokio::test]
async fn the_largest_local_file_is_taken_and_a_larger_one_is_not() {
    let mut desk = desk().await;
    desk.write("largest.txt", vec![b'a'; MAX]);
    desk.write("larger.txt", vec![b'a'; MAX + 1]);
    desk.write("sixty.txt", vec![b'a'; 60_000_000]);
    for (name, size) in [("larger.txt", MAX + 1), ("sixty.txt", 60_000_000)] {
        let error = desk.refused(json!({ "file_path": name })).await;
        assert_eq!(error["code"], "FILE_TOO_LARGE");
        assert_eq!(error["details"]["file_size_bytes"], size);
        assert_eq!(error["details"]["max_size_bytes"], MAX);
    }
    let before = desk.client.peak_memory();
    let stored = desk.upload(json!({ "file_path": "largest.txt", "properties": "{}" })).await;
    assert_eq!(stored["file_size"], MAX);
    // Less than the file itself: it is read in pieces.
    let taken = desk.client.peak_memory() - before;
    assert!(taken < MAX as u64 / 2, "{} MB more", taken / 1024 / 1024);
}
