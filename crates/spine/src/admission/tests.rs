use contract::{Hints, RiskTier, Tool};
use http::HeaderValue;

use super::*;

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
        Pace::per_minute(calls_per_minute),
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
    let asked = Asked { door: Door::Stdio, endpoint: "t", now: Timestamp(0) };
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
