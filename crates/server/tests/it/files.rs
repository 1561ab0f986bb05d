//! Files behind signed addresses.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::{Method, Request};
use blobs::sign::Link;
use blobs::{Folder, Limit, StoredBlob};
use http_body_util::BodyExt as _;
use scope::{FixedClock, TenantId, Timestamp};
use server::Files;
use tower::ServiceExt as _;

use crate::world::World;

const NOW: Timestamp = Timestamp(1_000_000_000_000);

struct Answer {
    status: u16,
    headers: axum::http::HeaderMap,
    body: Vec<u8>,
}

impl Answer {
    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

async fn store(files: &Files, content: &[u8]) -> StoredBlob {
    let folder = Folder::new(&TenantId::new("acme").unwrap(), "sources", "u1").unwrap();
    files.blobs.put(&folder, &mut &*content, Limit::of(u64::MAX)).await.unwrap()
}

fn link(files: &Files, stored: &StoredBlob) -> Link {
    files.links.link(&stored.key, "text/plain", NOW, 60)
}

/// Path and query, without the server's name.
fn address(link: &Link) -> String {
    link.url.strip_prefix("http://127.0.0.1:8080").unwrap().to_owned()
}

async fn ask(router: Router, method: Method, address: &str, headers: &[(&str, &str)]) -> Answer {
    let mut request = Request::builder().method(method).uri(address).header("host", "localhost");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let answer = router.oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
    let (parts, body) = answer.into_parts();
    let body = body.collect().await.unwrap().to_bytes().to_vec();
    Answer { status: parts.status.as_u16(), headers: parts.headers, body }
}

/// The platform's files at a moment of the test's choice.
async fn world() -> (World, Files, Arc<FixedClock>) {
    let world = World::new().await;
    let clock = Arc::new(FixedClock::at(NOW));
    let files = Files { clock: clock.clone(), ..world.platform.files.clone() };
    (world, files, clock)
}

// N-102
#[tokio::test]
async fn an_address_is_served_until_it_expires() {
    let (_world, files, clock) = world().await;
    let link = link(&files, &store(&files, b"0123456789").await);
    let answer = ask(files.router(), Method::GET, &address(&link), &[]).await;
    assert_eq!((answer.status, answer.body.as_slice()), (200, b"0123456789".as_slice()));
    for (name, value) in [
        ("content-type", "text/plain"),
        ("content-length", "10"),
        ("accept-ranges", "bytes"),
        ("content-disposition", "attachment"),
        ("x-content-type-options", "nosniff"),
        ("cache-control", "private, no-store"),
        ("content-security-policy", "sandbox; default-src 'none'"),
    ] {
        assert_eq!(answer.header(name), value, "{name}");
    }
    clock.advance_micros(59_999_999);
    assert_eq!(ask(files.router(), Method::GET, &address(&link), &[]).await.status, 200);
    clock.advance_micros(1);
    let late = ask(files.router(), Method::GET, &address(&link), &[]).await;
    assert_eq!((late.status, late.body.len()), (403, 0));
}

// N-102
#[tokio::test]
async fn a_changed_address_is_refused_without_a_word() {
    let (_world, files, _) = world().await;
    let stored = store(&files, b"abc").await;
    let good = address(&link(&files, &stored));
    let hash = stored.hash().to_owned();
    for changed in [
        good.replace("tenant=acme", "tenant=acm3"),
        good.replace("/u1/", "/u2/"),
        good.replace("type=text%2Fplain", "type=text%2Fhtml"),
        good.replace("expires=", "expires=9"),
        good.replace(&hash, &hash.replace('a', "b")),
        good.replace("sig=", "sig=0"),
        format!("/files/sources/u1/{hash}"),
        "/files/../secret.key".to_owned(),
        "/files/x".to_owned(),
    ] {
        assert_ne!(changed, good);
        let answer = ask(files.router(), Method::GET, &changed, &[]).await;
        assert_eq!((answer.status, answer.body.len()), (403, 0), "{changed}");
    }
}

#[tokio::test]
async fn a_part_of_a_file_is_served() {
    let (_world, files, _) = world().await;
    let address = address(&link(&files, &store(&files, b"0123456789").await));
    let part = async |range: &str| {
        let answer = ask(files.router(), Method::GET, &address, &[("range", range)]).await;
        (answer.status, answer.header("content-range").to_owned(), String::from_utf8(answer.body).unwrap())
    };
    let shown = |status, range: &str, body: &str| (status, range.to_owned(), body.to_owned());
    assert_eq!(part("bytes=2-4").await, shown(206, "bytes 2-4/10", "234"));
    assert_eq!(part("bytes=7-").await, shown(206, "bytes 7-9/10", "789"));
    assert_eq!(part("bytes=-2").await, shown(206, "bytes 8-9/10", "89"));
    assert_eq!(part("bytes=10-").await, shown(416, "bytes */10", ""));
    assert_eq!(part("bytes=0-1,4-5").await, shown(200, "", "0123456789"));
    let head = ask(files.router(), Method::HEAD, &address, &[("range", "bytes=2-4")]).await;
    assert_eq!((head.status, head.header("content-length"), head.body.len()), (200, "10", 0));
    assert_eq!(ask(files.router(), Method::POST, &address, &[]).await.status, 405);
}

#[tokio::test]
async fn a_large_file_is_streamed() {
    let (_world, files, _) = world().await;
    let content: Vec<u8> = (0..3_000_000_u32).map(|number| (number % 251) as u8).collect();
    let address = address(&link(&files, &store(&files, &content).await));
    let request = Request::get(&address).header("host", "localhost").body(Body::empty()).unwrap();
    let mut body = files.router().oneshot(request).await.unwrap().into_body();
    let (mut received, mut largest) = (Vec::new(), 0);
    while let Some(frame) = body.frame().await {
        let data = frame.unwrap().into_data().unwrap();
        largest = largest.max(data.len());
        received.extend_from_slice(&data);
    }
    assert_eq!(received, content);
    assert!(largest <= blobs::CHUNK_BYTES, "{largest}");
}

#[tokio::test]
async fn what_is_gone_is_not_found_and_a_foreign_host_is_refused() {
    let (world, files, _) = world().await;
    let stored = store(&files, b"abc").await;
    let link = files.links.link(&stored.key, "text/plain", scope::Clock::now(&scope::SystemClock), 60);
    let address = address(&link);
    assert_eq!(ask(world.router(), Method::GET, &address, &[]).await.status, 200);
    assert_eq!(ask(world.router(), Method::GET, &address, &[("host", "evil.example")]).await.status, 400);
    assert_eq!(ask(world.router(), Method::GET, &address, &[("origin", "https://evil.example")]).await.status, 403);
    std::fs::remove_dir_all(world.folder.path().join("blobs/acme")).unwrap();
    assert_eq!(ask(world.router(), Method::GET, &address, &[]).await.status, 404);
}

// A download leaves a record, and so does an address that is none.
#[tokio::test]
async fn every_request_for_a_file_leaves_a_record() {
    let (world, files, _) = world().await;
    let stored = store(&files, b"hello").await;
    let address = address(&link(&files, &stored));
    ask(files.router(), Method::GET, &address, &[]).await;
    ask(files.router(), Method::HEAD, &address, &[]).await;
    ask(files.router(), Method::GET, &address.replace("sig=", "sig=0"), &[]).await;
    world.platform.audit.flush().await;
    let rows = async |tenant: &str| {
        let rows = world.platform.audit.recent(&TenantId::new(tenant).unwrap(), 10).await.unwrap();
        let row = |row: &ledger_sqlite::audit::AuditRow| {
            format!("{} {} {} {}", row.method, row.target, row.outcome, row.error_code.clone().unwrap_or_default())
        };
        rows.iter().rev().map(row).collect::<Vec<_>>()
    };
    let key = stored.key.to_string();
    assert_eq!(rows("acme").await, [format!("files/get {key} ok "), format!("files/head {key} ok ")]);
    assert_eq!(rows("-").await, ["files/get  refused 403"]);
    // Sixty at one moment have a record of their own, and the others are counted.
    for _ in 0..70 {
        ask(files.router(), Method::GET, "/files/a/b/c", &[]).await;
    }
    let metrics = world.platform.metrics.text();
    assert!(metrics.contains("chancery_audit_summarized_total 11\n"), "{metrics}");
}
