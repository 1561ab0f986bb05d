//! Hostile bytes for everything that reads what strangers send: JSON, messages, tokens, page tokens, addresses of files.
//!
//! Each target takes inputs that are good, and breaks them a little: bits, pieces, repetitions, other inputs' pieces. None may
//! panic, and nothing that was changed may pass for what was signed. `FUZZ_SECONDS` says how long each runs; without it a few
//! thousand inputs are tried. `FUZZ_SEED` repeats a run.

use std::time::{Duration, Instant};

use axum::http::{HeaderMap, HeaderValue, header};
use blobs::sign::Links;
use contract::{AuditDraft, Context, NoClient, RequestMeta, Verdict};
use desk::PageTokens;
use gate::issued::{Grant, Issued};
use scope::{Clock as _, Principal, PrincipalKind, RandomIds, Scope, SystemClock, TenantId, Timestamp};
use serde_json::{Value, json};
use spine::admission::{Arrival, Asked, Door};
use spine::message::Message;
use tokio_util::sync::CancellationToken;

use crate::world::World;

const INPUTS: usize = 3000;

/// A small generator (xorshift64*): a seed gives the same inputs everywhere.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % sides.max(1)
    }

    /// One of the inputs, broken in a few places.
    fn broken(&mut self, corpus: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = corpus[self.roll(corpus.len())].clone();
        for _ in 0..=self.roll(4) {
            let (at, until) = (self.roll(bytes.len() + 1), self.roll(bytes.len() + 1));
            let (from, to) = (at.min(until), at.max(until));
            match self.roll(7) {
                0 if !bytes.is_empty() => {
                    let at = at.min(bytes.len() - 1);
                    bytes[at] ^= 1 << self.roll(8);
                }
                1 => bytes.insert(at, self.roll(256) as u8),
                2 => drop(bytes.drain(from..to)),
                3 => {
                    let piece = bytes[from..to].to_vec();
                    bytes.splice(at..at, piece);
                }
                4 => {
                    let other = &corpus[self.roll(corpus.len())];
                    let piece = other[self.roll(other.len() + 1)..].to_vec();
                    bytes.splice(from..to, piece);
                }
                5 => {
                    const PIECES: &[&str] = &[
                        "[[[[",
                        "{\"\":",
                        "\\u0000",
                        "\\ud800",
                        "1e999",
                        "-0",
                        "..",
                        "%2e%2f",
                        "\u{202e}",
                        ".",
                        "+",
                        "=",
                        "null",
                        "\"id\":1,",
                    ];
                    let piece = PIECES[self.roll(PIECES.len())].bytes();
                    bytes.splice(at..at, piece);
                }
                _ => bytes.truncate(at),
            }
        }
        bytes.truncate(64 * 1024);
        bytes
    }
}

/// Feeds a target until its time is over.
#[expect(clippy::print_stdout, reason = "the seed is how a failure is played again")]
fn fuzz(name: &str, corpus: &[Vec<u8>], mut target: impl FnMut(&[u8])) {
    let variable = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let seed =
        variable("FUZZ_SEED").unwrap_or_else(|| if variable("FUZZ_SECONDS").is_some() { rand::random() } else { 1 });
    let until = variable("FUZZ_SECONDS").map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let (mut dice, mut inputs) = (Dice(seed | 1), 0_usize);
    corpus.iter().for_each(|input| target(input));
    while until.map_or(inputs < INPUTS, |until| Instant::now() < until) {
        let input = dice.broken(corpus);
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| target(&input)));
        assert!(outcome.is_ok(), "{name}: FUZZ_SEED={seed}, input {inputs}: {:?}", String::from_utf8_lossy(&input));
        inputs += 1;
    }
    println!("{name}: {inputs} inputs, FUZZ_SEED={seed}");
}

fn messages() -> Vec<Vec<u8>> {
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "transformation.createElement",
        "arguments": { "type": "Goal", "name": "é \u{1f600}", "properties": { "n": 1.5e-7, "big": 9007199254740993_i64 } },
        "_meta": { "io.modelcontextprotocol/protocolVersion": "2026-07-28" },
    } });
    let others = [
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": "a" } }),
        json!({ "jsonrpc": "2.0", "id": "x", "result": { "content": [[], {}, null, true] } }),
        json!([1, -0.0, 1e308, "\u{0}", { "a": { "a": { "a": [] } } }]),
    ];
    others.into_iter().chain([call]).map(|value| value.to_string().into_bytes()).collect()
}

// SECURITY 2 H: whatever our reader takes, an ordinary reader takes too, and to the same value.
#[test]
fn json_reader() {
    fuzz("json", &messages(), |bytes| {
        let Ok(value) = spine::json::parse(bytes, 64) else { return };
        match serde_json::from_slice::<Value>(bytes) {
            Ok(other) => assert_eq!(other, value),
            // Halves of characters are read as NUL, which no argument may hold.
            Err(_) => assert!(spine::json::look(bytes, 64).is_ok_and(|read| read.lacks_halves)),
        }
    });
}

// SECURITY 2 E, H: a message of any shape is admitted or refused, and never as somebody else.
#[tokio::test]
async fn admission() {
    let world = World::new().await;
    let endpoint = world.platform.endpoint("transformation").unwrap();
    let manifest = endpoint.capability.manifest();
    fuzz("admission", &messages(), |bytes| {
        let Ok(message) = Message::parse(bytes, 64) else { return };
        let arrival = Arrival { door: Door::CommandLine, message: Some(&message), now: endpoint.clock.now() };
        if let Ok(admitted) = world.platform.admission.admit(&arrival, manifest) {
            assert_eq!((admitted.principal.id().as_str(), admitted.scope.tenant.as_str()), ("local|owner", "local"));
        }
        let again = message.to_bytes();
        assert!(Message::parse(&again, 64).is_ok() || message.inexact_number().is_some());
    });
}

// SECURITY 2 A: no text but a token that was issued opens the door.
#[tokio::test]
async fn token_parser() {
    let folder = tempfile::tempdir().unwrap();
    let mut config = server::Config { data: folder.path().to_owned(), ..server::Config::default() };
    config.auth.issuers = vec!["https://id.example.org".to_owned()];
    let platform = server::Platform::open(&config).await.unwrap();
    let now = SystemClock.now();
    let grant = Grant {
        subject: "ann".to_owned(),
        kind: PrincipalKind::User,
        tenant: TenantId::new("acme").unwrap(),
        roles: ["viewer".to_owned()].into(),
        scopes: ["mcp:tools".to_owned()].into(),
        agents: [].into(),
        endpoints: [].into(),
        issued: now,
        expires: now.plus_micros(3_600_000_000),
        definition: None,
    };
    let (_, issued) = Issued::at(folder.path()).issue(grant).unwrap();
    let header = "eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCIsImtpZCI6ImsxIn0";
    let claims = "eyJpc3MiOiJodHRwczovL2lkLmV4YW1wbGUub3JnIiwic3ViIjoiYW5uIiwiZXhwIjo0MTAyNDQ0ODAwLCJhdWQiOiJhIn0";
    let corpus = [
        issued.clone().into_bytes(),
        format!("{header}.{claims}.c2lnbmF0dXJl").into_bytes(),
        format!("eyJhbGciOiJub25lIn0.{claims}.").into_bytes(),
    ];
    fuzz("token", &corpus, |bytes| {
        let Ok(value) = HeaderValue::from_bytes(&[b"Bearer ", bytes].concat()) else { return };
        let headers = HeaderMap::from_iter([
            (header::HOST, HeaderValue::from_static("localhost")),
            (header::AUTHORIZATION, value),
        ]);
        let asked = Asked { door: Door::Http(&headers), endpoint: "transformation", now, from: None };
        let who =
            platform.admission.who(&asked).map(|(principal, scope)| (principal.subject, scope.tenant.to_string()));
        // A header may have spaces around it.
        let is_issued = bytes.trim_ascii() == issued.as_bytes();
        assert!(who.is_none() || is_issued && who == Some(("ann".to_owned(), "acme".to_owned())), "{who:?} {bytes:?}");
        assert!(who.is_some() || bytes != issued.as_bytes());
    });
}

// SECURITY 2 C: a page token opens only as it was made, and only for its query.
#[test]
fn page_token() {
    let tokens = PageTokens::new(&[7; 32]);
    let query = |subject: &str| tokens.query(&context(subject), "listElements", &json!({ "model_id": "m" }));
    let (ann, bob) = (query("ann"), query("bob"));
    let made: Vec<String> = (0..8).map(|at| ann.token(at, &format!("after {at}"))).collect();
    let corpus: Vec<Vec<u8>> =
        made.iter().chain([&bob.token(1, &"x")]).map(|token| token.clone().into_bytes()).collect();
    fuzz("page token", &corpus, |bytes| {
        let Ok(text) = std::str::from_utf8(bytes) else { return };
        let opened = ann.open::<String>("page_token", text).is_ok();
        assert_eq!(opened, made.iter().any(|token| token == text), "{text}");
    });
}

// SECURITY 2 F: an address opens a file only to the letter, and in time.
#[test]
fn url_signature() {
    let links = Links::new(&[9; 32], "https://files.example.org");
    let now = Timestamp(1_800_000_000_000_000);
    let key = |tenant: &str, name: &str| {
        blobs::Key::parse(&TenantId::new(tenant).unwrap(), &format!("sources/ann/{}", name.repeat(64))).unwrap()
    };
    let address = |key: &blobs::Key, seconds| {
        let link = links.link(key, "text/plain", now, seconds).url;
        link.strip_prefix("https://files.example.org").unwrap().to_owned()
    };
    let made: Vec<String> =
        [("acme", "a"), ("zenith", "b")].iter().map(|(tenant, name)| address(&key(tenant, name), 60)).collect();
    let corpus: Vec<Vec<u8>> = made.iter().map(|address| address.clone().into_bytes()).collect();
    fuzz("address", &corpus, |bytes| {
        let Ok(text) = std::str::from_utf8(bytes) else { return };
        assert_eq!(links.granted(text, now).is_ok(), made.iter().any(|address| address == text), "{text}");
        assert!(links.granted(text, now.plus_micros(61_000_000)).is_err(), "{text}");
    });
}

fn context(subject: &str) -> Context {
    Context {
        scope: Scope::local(),
        principal: Principal { subject: subject.to_owned(), ..Principal::local("ann") },
        request: RequestMeta::default(),
        now: Timestamp(0),
        ids: std::sync::Arc::new(RandomIds),
        client: std::sync::Arc::new(NoClient),
        cancelled: CancellationToken::new(),
        effect: None,
        verdict: Verdict::default(),
        audit: AuditDraft::default(),
    }
}
