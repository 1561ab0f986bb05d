//! A site with a probe behind it, and requests of both eras.

use std::net::SocketAddr;
use std::sync::Arc;

use scope::{Principal, PrincipalKind, Scope};
use serde_json::{Value, json};
use spine::Config;
use spine::admission::{Asked, Door, Identified, Identity, Rejection};
use testkit::probe::{Probe, Seen};
use testkit::raw::{Connection, Request, Response};
use testkit::site::{Plan, Running};

pub const MODERN: &str = "2026-07-28";
pub const LEGACY: &str = "2025-11-25";

/// A served probe.
pub struct Site {
    pub running: Running,
    pub seen: Arc<Seen>,
}

/// A probe, served with the product's settings.
pub async fn site() -> Site {
    site_with(|_| {}).await
}

/// A probe, served with some settings changed.
pub async fn site_with(change: impl FnOnce(&mut Config)) -> Site {
    let probe = Probe::default();
    let seen = probe.seen();
    let mut plan = Plan::of(probe);
    plan.identity = Arc::new(NamedInHeader);
    change(&mut plan.config);
    Site { running: start(plan).await, seen }
}

/// A probe of the test's choice, served with the product's settings.
pub async fn site_of(probe: Probe) -> Site {
    let seen = probe.seen();
    Site { running: start(Plan::of(probe)).await, seen }
}

pub async fn start(plan: Plan) -> Running {
    plan.start(SocketAddr::from(([127, 0, 0, 1], 0))).await.unwrap()
}

impl Site {
    pub fn address(&self) -> SocketAddr {
        self.running.address
    }

    pub async fn connect(&self) -> Connection {
        Connection::open(self.address()).await.unwrap()
    }

    /// Sends one request on a connection of its own.
    pub async fn ask(&self, request: &Request) -> Response {
        self.connect().await.ask(request).await.unwrap()
    }

    /// Opens a session of the initialize era and returns its id.
    pub async fn open_session(&self, capabilities: Value) -> String {
        let opened = self.ask(&initialize(LEGACY, capabilities)).await;
        assert_eq!(opened.status, 200, "{opened:?}");
        let session = opened.header("mcp-session-id").unwrap().to_owned();
        let ready = legacy(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        assert_eq!(self.ask(&in_session(ready, &session)).await.status, 202);
        session
    }
}

/// Believes whoever the header `x-test-caller` names; without it, the caller is `tester`. Who is called something/agent is one.
pub struct NamedInHeader;

impl Identity for NamedInHeader {
    fn identify(&self, asked: &Asked<'_>) -> Option<Result<Identified, Rejection>> {
        let named = match asked.door {
            Door::Http(headers) => headers.get("x-test-caller").and_then(|value| value.to_str().ok()),
            _ => None,
        };
        let named = Principal::local(named.unwrap_or("tester"));
        let kind = if named.subject.ends_with("/agent") { PrincipalKind::Agent } else { named.kind };
        let (principal, scope) = (Principal { kind, ..named }, Some(Scope::local()));
        Some(Ok(Identified { principal, scope, expires: None, definition: None }))
    }
}

/// A request of the stateless era, from a client without capabilities.
pub fn modern(method: &str, params: Value) -> Request {
    modern_from(method, params, json!({}))
}

/// A request of the stateless era.
pub fn modern_from(method: &str, mut params: Value, capabilities: Value) -> Request {
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = MODERN.into();
    params["_meta"]["io.modelcontextprotocol/clientInfo"] = json!({ "name": "test", "version": "1" });
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities;
    let name = params["name"].as_str().or(params["uri"].as_str()).map(str::to_owned);
    let body = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params });
    let request = Request::post(body.to_string()).header("mcp-protocol-version", MODERN).header("mcp-method", method);
    match name {
        Some(name) => request.header("mcp-name", &name),
        None => request,
    }
}

/// A call of the stateless era.
pub fn call(tool: &str, arguments: Value) -> Request {
    modern("tools/call", json!({ "name": tool, "arguments": arguments }))
}

/// A message of the initialize era.
pub fn legacy(message: &Value) -> Request {
    Request::post(message.to_string()).header("mcp-protocol-version", LEGACY)
}

/// A call of the initialize era.
pub fn legacy_call(id: i64, tool: &str, arguments: Value) -> Request {
    let params = json!({ "name": tool, "arguments": arguments });
    legacy(&json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }))
}

pub fn in_session(request: Request, session: &str) -> Request {
    request.header("mcp-session-id", session)
}

pub fn initialize(version: &str, capabilities: Value) -> Request {
    initialize_as("test", version, capabilities)
}

pub fn initialize_as(client: &str, version: &str, capabilities: Value) -> Request {
    let info = json!({ "name": client, "version": "1" });
    let params = json!({ "protocolVersion": version, "capabilities": capabilities, "clientInfo": info });
    Request::post(json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params }).to_string())
}

/// Status and JSON-RPC error code of an answer.
pub fn fault(response: &Response) -> (u16, i64) {
    (response.status, response.message()["error"]["code"].as_i64().unwrap_or_default())
}

/// The answer of a call that went well.
#[track_caller]
pub fn structured(response: &Response) -> Value {
    let message = response.message();
    assert_ne!(message["result"]["isError"], true, "{message}");
    message["result"]["structuredContent"].clone()
}

/// The refusal in a result.
#[track_caller]
pub fn refusal(response: &Response) -> Value {
    let message = response.message();
    assert_eq!(message["result"]["isError"], true, "{message}");
    let text = message["result"]["content"][0]["text"].as_str().unwrap();
    serde_json::from_str::<Value>(text).unwrap()["error"].clone()
}
