//! The gate against an issuer of our own making.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::{HeaderMap, HeaderValue, header};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use scope::{Principal, TenantId};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use super::*;
use crate::issued::Grant;

const SECOND: i64 = 1_000_000;
const BASE: &str = "https://mcp.example.org";

/// An issuer that serves its metadata and the keys it is told to.
struct Fake {
    url: String,
    keys: Arc<std::sync::Mutex<Vec<Value>>>,
    asked: Arc<AtomicUsize>,
}

impl Fake {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (keys, asked) = (Arc::new(std::sync::Mutex::new(Vec::new())), Arc::new(AtomicUsize::new(0)));
        let (served, counted, issuer) = (keys.clone(), asked.clone(), url.clone());
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut request = [0; 4096];
                let read = stream.read(&mut request).await.unwrap();
                counted.fetch_add(1, Ordering::Relaxed);
                let body = if request[..read].starts_with(b"GET /jwks ") {
                    json!({ "keys": *served.lock().unwrap() })
                } else {
                    json!({ "issuer": issuer, "jwks_uri": format!("{issuer}/jwks") })
                };
                let body = body.to_string();
                let answer =
                    format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len());
                stream.write_all(answer.as_bytes()).await.unwrap();
            }
        });
        Self { url, keys, asked }
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }

    /// A key of this name, which is served from now on.
    fn add(&self, kid: &str) -> Signer {
        let random = SystemRandom::new();
        let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, document.as_ref(), &random).unwrap();
        let point = pair.public_key().as_ref();
        let part = |range: std::ops::Range<usize>| URL_SAFE_NO_PAD.encode(&point[range]);
        let jwk = json!({ "kty": "EC", "crv": "P-256", "kid": kid, "use": "sig", "x": part(1..33), "y": part(33..65) });
        self.keys.lock().unwrap().push(jwk);
        Signer { kid: kid.to_owned(), pair, issuer: self.url.clone() }
    }
}

struct Signer {
    kid: String,
    pair: EcdsaKeyPair,
    issuer: String,
}

impl Signer {
    /// A token for an endpoint, good from second 0 to `exp`.
    fn token(&self, endpoint: &str, exp: i64) -> String {
        let header = json!({ "alg": "ES256", "typ": "at+jwt", "kid": self.kid });
        let claims = json!({
            "iss": self.issuer, "sub": "ann", "aud": format!("{BASE}/{endpoint}/mcp"), "exp": exp, "iat": 0, "tenantId": "acme",
        });
        let message = [header, claims].map(|part| URL_SAFE_NO_PAD.encode(part.to_string())).join(".");
        let signature = self.pair.sign(&SystemRandom::new(), message.as_bytes()).unwrap();
        format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature))
    }
}

struct World {
    issuer: Fake,
    gate: Gate,
    data: tempfile::TempDir,
}

impl World {
    async fn new() -> Self {
        let (issuer, data) = (Fake::start().await, tempfile::tempdir().unwrap());
        let gate = gate(&data, vec![issuer.url.clone()], false);
        Self { issuer, gate, data }
    }

    async fn show(&self, token: &str, endpoint: &str, seconds: i64) -> Result<String, Rejection> {
        show(&self.gate, Some(token), endpoint, seconds).await
    }
}

fn gate(data: &tempfile::TempDir, issuers: Vec<String>, open: bool) -> Gate {
    built(data, &Config { issuers, ..Config::default() }, open).unwrap()
}

fn built(data: &tempfile::TempDir, config: &Config, open: bool) -> Result<Gate, Error> {
    let names = ["t", "n"].map(|name| (name.to_owned(), Vec::new()));
    Gate::new(Parts {
        config,
        data: data.path(),
        local: LocalIdentity::new("owner"),
        open,
        environment: None,
        resources: Resources::new(BASE, &names),
    })
}

#[test]
fn what_is_one_issuers_own_does_not_go_with_several() {
    let data = tempfile::tempdir().unwrap();
    let url = || "https://a.example.org".to_owned();
    let of = |issuers: Vec<String>| {
        [
            Config { issuers: issuers.clone(), jwks_url: url(), ..Config::default() },
            Config { issuers, introspection_client: "chancery".to_owned(), ..Config::default() },
        ]
    };
    for config in of(vec![url()]) {
        assert!(built(&data, &config, false).is_ok());
    }
    for config in of(vec![url(), "https://b.example.org".to_owned()]) {
        let refused = built(&data, &config, false).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(refused.contains("goes with one issuer only"), "{refused}");
    }
}

async fn show(gate: &Gate, token: Option<&str>, endpoint: &str, seconds: i64) -> Result<String, Rejection> {
    let bearer = token.map(|token| HeaderValue::from_str(&format!("Bearer {token}")).unwrap());
    let headers: HeaderMap = bearer.into_iter().map(|value| (header::AUTHORIZATION, value)).collect();
    let asked = Asked { door: Door::Http(&headers), endpoint, now: Timestamp(seconds * SECOND), from: None };
    let who = match gate.identify(&asked) {
        Some(known) => known,
        None => gate.find_out(asked).await,
    };
    who.map(|who| {
        format!(
            "{}@{}",
            who.principal.subject,
            who.scope.map_or_else(|| "nowhere".to_owned(), |scope| scope.tenant.to_string())
        )
    })
}

#[tokio::test]
async fn a_token_is_verified_once_a_minute_and_never_beyond_its_end() {
    let world = World::new().await;
    let token = world.issuer.add("a").token("t", 100);
    assert_eq!(world.show(&token, "t", 1).await, Ok("ann@acme".to_owned()));
    assert_eq!(world.issuer.asked(), 2);
    assert_eq!(world.show(&token, "t", 2).await, Ok("ann@acme".to_owned()));
    assert_eq!(world.show(&token, "n", 2).await, Err(Rejection::Audience));
    assert_eq!(world.show(&token, "t", 129).await, Ok("ann@acme".to_owned()));
    assert_eq!(world.show(&token, "t", 130).await, Err(Rejection::Token));
    assert_eq!(world.issuer.asked(), 2);
}

#[tokio::test]
async fn an_unknown_key_is_looked_for_once_in_a_while() {
    let world = World::new().await;
    let first = world.issuer.add("a").token("t", 1000);
    assert!(world.show(&first, "t", 1).await.is_ok());
    let second = world.issuer.add("b").token("t", 1000);
    assert!(world.show(&second, "t", 2).await.is_ok());
    let asked = world.issuer.asked();
    let third = world.issuer.add("c").token("t", 1000);
    assert_eq!(world.show(&third, "t", 31).await, Err(Rejection::Token));
    assert_eq!(world.issuer.asked(), asked);
    assert!(world.show(&third, "t", 32).await.is_ok());
}

#[tokio::test]
async fn an_issuer_that_cannot_be_reached_is_no_fault_of_the_token() {
    let data = tempfile::tempdir().unwrap();
    // Nobody answers here.
    let closed = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let nobody = format!("http://{}", closed.local_addr().unwrap());
    drop(closed);
    let gate = gate(&data, vec![nobody.clone()], false);
    let token = Signer { issuer: nobody, ..Fake::start().await.add("a") }.token("t", 1000);
    assert_eq!(show(&gate, Some(&token), "t", 1).await, Err(Rejection::IssuerDown { retry_after_s: 30 }));
}

#[tokio::test]
async fn keys_that_were_not_read_for_a_day_are_read_again_before_they_serve() {
    let world = World::new().await;
    let signer = world.issuer.add("a");
    assert!(world.show(&signer.token("t", 1000), "t", 1).await.is_ok());
    world.issuer.keys.lock().unwrap().clear();
    let (day, asked) = (24 * 60 * 60, world.issuer.asked());
    assert!(world.show(&signer.token("t", 200), "t", 200).await.is_ok());
    assert_eq!(world.issuer.asked(), asked);
    assert_eq!(world.show(&signer.token("t", day), "t", day + 1).await, Err(Rejection::Token));
    assert!(world.issuer.asked() > asked);
}

#[tokio::test]
async fn a_token_of_an_issuer_that_is_not_ours_is_not_even_looked_up() {
    let world = World::new().await;
    let other = Fake::start().await;
    let token = other.add("a").token("t", 1000);
    assert_eq!(world.show(&token, "t", 1).await, Err(Rejection::Token));
    assert_eq!((other.asked(), world.issuer.asked()), (0, 0));
}

#[tokio::test]
async fn whoever_shows_nothing_is_the_owner_only_where_it_is_open() {
    let data = tempfile::tempdir().unwrap();
    let closed = gate(&data, Vec::new(), false);
    assert_eq!(show(&closed, None, "t", 1).await, Err(Rejection::Unidentified));
    assert_eq!(show(&gate(&data, Vec::new(), true), None, "t", 1).await, Ok("owner@local".to_owned()));
    let secret = std::fs::read_to_string(data.path().join("owner.token")).unwrap();
    assert_eq!(show(&closed, Some(secret.trim()), "t", 1).await, Ok("owner@local".to_owned()));
    let asked = Asked { door: Door::CommandLine, endpoint: "t", now: Timestamp(0), from: None };
    assert_eq!(closed.identify(&asked).unwrap().unwrap().principal, Principal::local("owner"));
    assert_eq!(closed.metadata_url("t"), None);
}

#[tokio::test]
async fn an_issued_token_that_was_revoked_is_no_good_from_then_on() {
    let world = World::new().await;
    let grant = Grant {
        subject: "bob".to_owned(),
        kind: scope::PrincipalKind::Agent,
        tenant: TenantId::new("acme").unwrap(),
        roles: BTreeSet::new(),
        scopes: BTreeSet::new(),
        agents: BTreeSet::new(),
        endpoints: BTreeSet::new(),
        issued: Timestamp(0),
        expires: Timestamp(100 * SECOND),
        definition: None,
    };
    let issued = Issued::at(world.data.path());
    let (id, token) = issued.issue(grant).unwrap();
    assert_eq!(world.show(&token, "t", 1).await, Ok("bob/agent@acme".to_owned()));
    assert!(issued.revoke(&id).unwrap());
    assert_eq!(world.show(&token, "t", 1).await, Err(Rejection::Token));
    assert_eq!(world.issuer.asked(), 0);
}
