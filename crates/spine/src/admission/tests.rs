use contract::{Hints, RiskTier, Tool};
use http::HeaderValue;

use super::*;
use crate::config::Limits;

fn manifest() -> Manifest {
    let tool = |name: &str, side, scopes: &[&str]| Tool {
        name: name.to_owned(),
        title: String::new(),
        description: String::new(),
        rpc: String::new(),
        side,
        hints: Hints::default(),
        input_schema: serde_json::Map::new(),
        items_max: Default::default(),
        briefs: Default::default(),
        output_schema: None,
        toolset: String::new(),
        scopes: scopes.iter().map(|scope| (*scope).to_owned()).collect(),
        risk: RiskTier::Low,
        examples: Vec::new(),
        confirm: String::new(),
        calls_per_minute: 0,
    };
    Manifest {
        name: "t".to_owned(),
        tools: vec![
            tool("t.read", Side::Query, &[]),
            tool("t.write", Side::Command, &[]),
            tool("t.special", Side::Query, &["t:special"]),
        ],
        ..Manifest::default()
    }
}

fn call(tool: &str) -> Message {
    let text = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{tool}"}}}}"#);
    Message::parse(text.as_bytes(), 8).unwrap()
}

fn admission(principal: Principal, calls_per_minute: u32) -> Admission {
    let addresses = Addresses::new(
        &["mcp.example.org".to_owned()],
        &["https://portal.ameide.io".to_owned(), "vscode-webview://*".to_owned(), "http://localhost:6274".to_owned()],
    );
    Admission::new(
        addresses,
        Arc::new(LocalIdentity::of(principal, Scope::local())),
        Pace::of(&Limits { calls_per_minute, ..Limits::default() }),
    )
}

fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        headers.append(*name, HeaderValue::from_str(value).unwrap());
    }
    headers
}

#[track_caller]
fn check_headers(pairs: &[(&'static str, &str)], expected: Result<(), Rejection>) {
    let headers = headers(pairs);
    let arrival = Arrival { door: Door::Http(&headers), message: None, now: Timestamp(0) };
    let outcome = admission(Principal::local("me"), 0).admit(&arrival, &manifest()).map(|_| ());
    assert_eq!(outcome, expected, "{pairs:?}");
}

// R-340, R-341, R-343, R-336
#[test]
fn hosts_and_origins_are_checked_on_every_request() {
    let host = ("host", "127.0.0.1:8080");
    check_headers(&[host], Ok(()));
    check_headers(&[("host", "localhost")], Ok(()));
    check_headers(&[("host", "[::1]:80")], Ok(()));
    check_headers(&[("host", "mcp.example.org")], Ok(()));
    check_headers(&[("host", "evil.example")], Err(Rejection::Host));
    check_headers(&[], Err(Rejection::Host));
    check_headers(&[("host", "127.0.0.2:8080")], Ok(()));
    check_headers(&[("host", "127.0.0.1.evil.example")], Err(Rejection::Host));
    check_headers(&[("host", "2130706433")], Err(Rejection::Host));
    check_headers(&[host, ("origin", "https://portal.ameide.io")], Ok(()));
    check_headers(&[host, ("origin", "vscode-webview://abc")], Ok(()));
    check_headers(&[host, ("origin", "vscode-webview://")], Err(Rejection::Origin));
    check_headers(&[host, ("origin", "https://evil.com")], Err(Rejection::Origin));
    check_headers(&[host, ("origin", "https://portal.ameide.io.evil.com")], Err(Rejection::Origin));
    check_headers(&[host, ("origin", "http://localhost.evil.com")], Err(Rejection::Origin));
    check_headers(&[host, ("origin", "null")], Err(Rejection::Origin));
}

// R-336: a page of another port is a page of another server.
#[test]
fn a_page_of_this_machine_is_let_in_when_it_is_ours_or_listed() {
    let host = ("host", "127.0.0.1:8080");
    check_headers(&[host, ("origin", "http://127.0.0.1:8080")], Ok(()));
    check_headers(&[host, ("origin", "http://localhost:8080")], Ok(()));
    check_headers(&[("host", "localhost"), ("origin", "http://localhost")], Ok(()));
    check_headers(&[("host", "localhost:80"), ("origin", "http://localhost")], Ok(()));
    check_headers(&[("host", "mcp.example.org"), ("origin", "https://mcp.example.org")], Ok(()));
    for foreign in ["http://localhost:3000", "http://localhost", "https://localhost", "http://127.0.0.1:80800"] {
        check_headers(&[host, ("origin", foreign)], Err(Rejection::Origin));
    }
    check_headers(&[("host", "mcp.example.org"), ("origin", "http://localhost")], Err(Rejection::Origin));
    check_headers(&[host, ("origin", "http://localhost:6274")], Ok(()));
}

// R-336: a page in the clear may have been written by anybody on the way.
#[test]
fn a_page_comes_by_the_scheme_that_the_server_has() {
    let check = |addresses: &Addresses, host: &str, origin: &str| {
        addresses.check(&headers(&[("host", host), ("origin", origin)])).is_ok()
    };
    let hosts = ["mcp.example.org".to_owned()];
    let behind_proxy = Addresses::new(&hosts, &[]).known_as("https://mcp.example.org/base", false);
    assert!(check(&behind_proxy, "mcp.example.org", "https://mcp.example.org"));
    assert!(!check(&behind_proxy, "mcp.example.org", "http://mcp.example.org"));
    assert!(!check(&behind_proxy, "mcp.example.org", "ftp://mcp.example.org"));
    assert!(check(&behind_proxy, "127.0.0.1:8080", "http://127.0.0.1:8080"));
    let with_certificate = Addresses::new(&hosts, &[]).known_as("https://mcp.example.org:8443", true);
    assert!(check(&with_certificate, "localhost:8443", "https://localhost:8443"));
    assert!(!check(&with_certificate, "localhost:8443", "http://localhost:8443"));
    assert!(!check(&Addresses::default(), "localhost", "https://localhost"));
}

#[test]
fn a_target_names_this_server_or_none() {
    let addresses = Addresses::new(&["mcp.example.org".to_owned()], &[]);
    let check = |target: &str| addresses.check_target(&target.parse().unwrap());
    assert_eq!(check("/mcp"), Ok(()));
    assert_eq!(check("http://127.0.0.1:8080/mcp"), Ok(()));
    assert_eq!(check("http://MCP.example.org/mcp"), Ok(()));
    assert_eq!(check("http://evil.example/mcp"), Err(Rejection::Target));
    assert_eq!(check("http://127.0.0.1:8080@evil.example/mcp"), Err(Rejection::Target));
}

// Who may not come in is turned away before a message is read.
#[tokio::test]
async fn the_rate_is_taken_before_the_message_is_known() {
    let admission = admission(Principal::local("me"), 1);
    let asked = Asked { door: Door::Stdio, endpoint: "t", now: Timestamp(0), from: None };
    assert!(admission.meet(asked).await.is_ok());
    assert_eq!(admission.meet(asked).await.err(), Some(Rejection::Pace { retry_after_s: 60 }));
}

// R-808 (headers)
#[test]
fn doubled_headers_are_refused() {
    let host = ("host", "localhost");
    check_headers(&[host, host], Err(Rejection::DuplicateHeader("Host")));
    check_headers(
        &[host, ("origin", "http://localhost"), ("origin", "https://evil.com")],
        Err(Rejection::DuplicateHeader("Origin")),
    );
    check_headers(
        &[host, ("authorization", "a"), ("authorization", "b")],
        Err(Rejection::DuplicateHeader("Authorization")),
    );
    for name in ["Content-Type", "Content-Length", "Mcp-Session-Id"] {
        let mut twice = headers(&[host]);
        for value in ["1", "1"] {
            twice.append(http::HeaderName::from_bytes(name.as_bytes()).unwrap(), HeaderValue::from_static(value));
        }
        let arrival = Arrival { door: Door::Http(&twice), message: None, now: Timestamp(0) };
        let outcome = admission(Principal::local("me"), 0).admit(&arrival, &manifest()).err();
        assert_eq!(outcome, Some(Rejection::DuplicateHeader(name)));
    }
}

#[track_caller]
fn check_caller(roles: &[&str], scopes: &[&str], tool: &str, expected: Result<(), Rejection>) {
    let words = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect();
    let principal = Principal { roles: words(roles), scopes: words(scopes), ..Principal::local("me") };
    let message = call(tool);
    let arrival = Arrival { door: Door::Stdio, message: Some(&message), now: Timestamp(0) };
    let outcome = admission(principal, 0).admit(&arrival, &manifest()).map(|_| ());
    assert_eq!(outcome, expected, "{roles:?} {scopes:?} {tool}");
}

#[test]
fn scope_then_role_decide_on_the_tool_in_the_message() {
    check_caller(&["viewer"], &["mcp:tools"], "t.read", Ok(()));
    check_caller(&["viewer"], &["mcp:tools"], "t_read", Ok(()));
    check_caller(&["viewer"], &["mcp:tools"], "t.write", Err(Rejection::Role));
    check_caller(&["viewer"], &["mcp:tools"], "t_write", Err(Rejection::Role));
    check_caller(&["architect"], &["mcp:tools"], "t.write", Ok(()));
    check_caller(&["architect"], &[], "t.read", Err(Rejection::Scope("mcp:tools".to_owned())));
    check_caller(&["architect"], &["mcp:tools"], "t.special", Err(Rejection::Scope("t:special".to_owned())));
    check_caller(&["guest"], &["mcp:tools"], "t.read", Err(Rejection::Role));
    check_caller(&["nonsense"], &["mcp:tools"], "t.read", Err(Rejection::Role));
}

#[test]
fn a_reader_who_may_propose_is_left_to_the_policy() {
    check_caller(&["viewer"], &["mcp:tools", "t:propose"], "t.write", Ok(()));
    check_caller(&["viewer"], &["mcp:tools", "other:propose"], "t.write", Err(Rejection::Role));
    check_caller(&["guest"], &["mcp:tools", "t:propose"], "t.write", Err(Rejection::Role));
    let message = call("t.write");
    for (role, open, expected) in [
        ("viewer", true, Ok(())),
        ("analyst", true, Ok(())),
        ("guest", true, Err(Rejection::Role)),
        ("viewer", false, Err(Rejection::Role)),
    ] {
        let principal = Principal { roles: [role.to_owned()].into_iter().collect(), ..Principal::local("me") };
        let manifest = Manifest { readers_propose: open, ..manifest() };
        let arrival = Arrival { door: Door::Stdio, message: Some(&message), now: Timestamp(0) };
        assert_eq!(admission(principal, 0).admit(&arrival, &manifest).map(|_| ()), expected, "{role} {open}");
    }
}

// R-339
#[test]
fn a_caller_over_its_pace_is_told_when_to_come_back() {
    let admission = admission(Principal::local("me"), 2);
    let message = call("t.read");
    let admit = |now| {
        let arrival = Arrival { door: Door::Stdio, message: Some(&message), now: Timestamp(now) };
        admission.admit(&arrival, &manifest()).map(|_| ())
    };
    assert_eq!(admit(0), Ok(()));
    assert_eq!(admit(0), Ok(()));
    assert_eq!(admit(0), Err(Rejection::Pace { retry_after_s: 30 }));
    assert_eq!(admit(30_000_000), Ok(()));
}

/// Knows one token, and has to think about every other.
struct OneToken(std::sync::atomic::AtomicUsize);

impl Identity for OneToken {
    fn identify(&self, asked: &Asked<'_>) -> Option<Result<Identified, Rejection>> {
        self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        Some(self.recognise(asked).ok_or(Rejection::Token))
    }

    fn recognise(&self, asked: &Asked<'_>) -> Option<Identified> {
        let Door::Http(headers) = asked.door else { return None };
        let good = headers.get("authorization")? == "Bearer good";
        good.then(|| LocalIdentity::new("me").at(asked.door))
    }
}

/// What becomes of a request with a token from an address, and how many tokens were looked at so far.
async fn at(admission: &Admission, token: &str, from: &str, now_s: i64) -> Result<(), Rejection> {
    let headers = headers(&[("host", "localhost"), ("authorization", token)]);
    let (door, now) = (Door::Http(&headers), Timestamp(now_s * 1_000_000));
    let asked = Asked { door, endpoint: "t", now, from: Some(from.parse().unwrap()) };
    admission.meet(asked).await.map(|_| ())
}

// An address is known before its caller is.
#[tokio::test]
async fn an_address_that_fails_too_often_has_to_wait_and_its_neighbours_do_not() {
    let identity = Arc::new(OneToken(Default::default()));
    let limits = Limits { address_failures_per_minute: 2, ..Limits::default() };
    let admission = Admission::new(Addresses::default(), identity.clone(), Pace::of(&limits));
    for _ in 0..2 {
        assert_eq!(at(&admission, "Bearer bad", "192.0.2.1", 0).await, Err(Rejection::Token));
    }
    let later = Err(Rejection::AddressPace { retry_after_s: 30 });
    assert_eq!(at(&admission, "Bearer bad", "192.0.2.1", 0).await, later);
    let looked_at = identity.0.load(std::sync::atomic::Ordering::Relaxed);
    assert_eq!(at(&admission, "Bearer worse", "192.0.2.1", 0).await, later);
    assert_eq!(identity.0.load(std::sync::atomic::Ordering::Relaxed), looked_at);
    assert_eq!(at(&admission, "Bearer good", "192.0.2.1", 0).await, Ok(()));
    assert_eq!(at(&admission, "Bearer bad", "192.0.2.2", 0).await, Err(Rejection::Token));
    assert_eq!(at(&admission, "Bearer bad", "192.0.2.1", 30).await, Err(Rejection::Token));
}

#[tokio::test]
async fn an_address_and_a_tenant_have_a_pace_of_their_own() {
    let limits = Limits { address_requests_per_minute: 3, tenant_calls_per_minute: 2, ..Limits::default() };
    let admission = Admission::new(Addresses::default(), Arc::new(OneToken(Default::default())), Pace::of(&limits));
    assert_eq!(at(&admission, "Bearer good", "192.0.2.1", 0).await, Ok(()));
    assert_eq!(at(&admission, "Bearer good", "192.0.2.1", 0).await, Ok(()));
    assert_eq!(at(&admission, "Bearer good", "192.0.2.1", 0).await, Err(Rejection::Pace { retry_after_s: 30 }));
    assert_eq!(at(&admission, "Bearer good", "192.0.2.1", 0).await, Err(Rejection::AddressPace { retry_after_s: 20 }));
    // The tenant's pace is that of all who work in it, wherever they are.
    assert_eq!(at(&admission, "Bearer good", "192.0.2.2", 0).await, Err(Rejection::Pace { retry_after_s: 30 }));
}

/// Somebody whose credential names no tenant.
struct Homeless(Principal);

impl Identity for Homeless {
    fn identify(&self, asked: &Asked<'_>) -> Option<Result<Identified, Rejection>> {
        Some(Ok(Identified { scope: None, ..LocalIdentity::of(self.0.clone(), Scope::local()).at(asked.door) }))
    }
}

// R-332 (admission): host and origin, token, rate, scope, role, tenant. Each case fails at one step and at all that follow it.
#[tokio::test]
async fn the_steps_are_taken_in_order() {
    let words = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect();
    let principal = |roles: &[&str], scopes: &[&str]| Principal {
        roles: words(roles),
        scopes: words(scopes),
        ..Principal::local("me")
    };
    let nobody = principal(&[], &[]);
    let limits = Limits { calls_per_minute: 1, ..Limits::default() };
    let outcome = async |admission: &Admission, host: &str| {
        let headers = headers(&[("host", host)]);
        let asked = Asked { door: Door::Http(&headers), endpoint: "t", now: Timestamp(0), from: None };
        admission.meet(asked).await?.admit(Some(&call("t.write")), &manifest()).map(|_| ())
    };
    let with =
        |identity: Arc<dyn Identity>, limits: &Limits| Admission::new(Addresses::default(), identity, Pace::of(limits));
    let unknown = with(Arc::new(OneToken(Default::default())), &limits);
    assert_eq!(outcome(&unknown, "evil.example").await, Err(Rejection::Host));
    assert_eq!(outcome(&unknown, "localhost").await, Err(Rejection::Token));
    let homeless = with(Arc::new(Homeless(nobody.clone())), &limits);
    assert_eq!(outcome(&homeless, "localhost").await, Err(Rejection::Scope("mcp:tools".to_owned())));
    assert_eq!(outcome(&homeless, "localhost").await, Err(Rejection::Pace { retry_after_s: 60 }));
    let plain = Limits::default();
    let scoped = with(Arc::new(Homeless(principal(&[], &["mcp:tools"]))), &plain);
    assert_eq!(outcome(&scoped, "localhost").await, Err(Rejection::Role));
    let permitted = with(Arc::new(Homeless(principal(&["architect"], &["mcp:tools"]))), &plain);
    assert_eq!(outcome(&permitted, "localhost").await, Err(Rejection::Tenant));
}
