//! A table of agents at the endpoint: each has a token of its own, and speaks MCP over HTTP.

use std::collections::{BTreeMap, BTreeSet};

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use gate::issued::{Grant, Issued};
use http_body_util::BodyExt as _;
use monitor::authority::AgentType;
use scope::{PrincipalKind, Scope, Timestamp};
use serde_json::{Value, json};
use server::{Config, Platform};
use spine::http::Site;
use tower::ServiceExt as _;

pub const REVISION: &str = "2026-07-28";

pub struct Table {
    _platform: Platform,
    router: Router,
    tokens: BTreeMap<String, String>,
    _folder: tempfile::TempDir,
}

impl Table {
    pub async fn new() -> Self {
        Self::with_toolsets(&[]).await
    }

    /// With a token for each type of agent, under its name; `all` may act as any, `none` as no one, `owner` is nobody's agent.
    pub async fn with_toolsets(toolsets: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut config = Config { data: folder.path().to_owned(), ..Config::default() };
        config.spine.toolsets = toolsets.iter().map(|name| (*name).to_owned()).collect();
        let platform = Platform::open(&config).await.unwrap();
        let router = Site { more: Router::new(), ..platform.site() }.router();
        let issued = Issued::at(folder.path());
        let mut tokens = BTreeMap::new();
        let all: Vec<&str> = AgentType::ALL.iter().map(|kind| kind.as_str()).collect();
        let mut holders: Vec<(&str, Vec<&str>)> = all.iter().map(|kind| (*kind, vec![*kind])).collect();
        holders.extend([("all", all.clone()), ("none", Vec::new())]);
        for (name, agents) in holders {
            let words = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect::<BTreeSet<_>>();
            let grant = Grant {
                subject: name.to_owned(),
                kind: PrincipalKind::Agent,
                tenant: Scope::local().tenant,
                roles: words(&["service"]),
                scopes: words(&["mcp:tools", "mcp:resources"]),
                agents: words(&agents),
                definition: None,
                endpoints: BTreeSet::new(),
                issued: Timestamp(0),
                expires: Timestamp(4_000_000_000_000_000),
            };
            tokens.insert(name.to_owned(), issued.issue(grant).unwrap().1);
        }
        Self { _platform: platform, router, tokens, _folder: folder }
    }

    /// The message that answers a request. `claim` is what `_meta.agent_type` says.
    pub async fn ask(&self, holder: &str, claim: Option<&str>, method: &str, mut params: Value) -> Value {
        params["_meta"]["io.modelcontextprotocol/protocolVersion"] = REVISION.into();
        params["_meta"]["io.modelcontextprotocol/clientInfo"] = json!({ "name": "table", "version": "1" });
        params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
        if let Some(claim) = claim {
            params["_meta"]["agent_type"] = json!(claim);
            params["_meta"]["agent_id"] = json!(format!("{}-001", claim.to_lowercase()));
        }
        self.post(holder, None, method, params).await
    }

    /// The same with the type of agent in a header.
    pub async fn ask_by_header(&self, holder: &str, claim: &str, method: &str, mut params: Value) -> Value {
        params["_meta"]["io.modelcontextprotocol/protocolVersion"] = REVISION.into();
        params["_meta"]["io.modelcontextprotocol/clientInfo"] = json!({ "name": "table", "version": "1" });
        params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
        self.post(holder, Some(claim), method, params).await
    }

    async fn post(&self, holder: &str, header: Option<&str>, method: &str, params: Value) -> Value {
        let name = params["name"].as_str().or(params["uri"].as_str()).map(str::to_owned);
        let body = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params });
        let mut request = Request::post("/monitor/mcp")
            .header("host", "localhost")
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream")
            .header("authorization", format!("Bearer {}", self.tokens[holder]))
            .header("mcp-protocol-version", REVISION)
            .header("mcp-method", method);
        request = name.iter().fold(request, |request, name| request.header("mcp-name", name));
        request = header.iter().fold(request, |request, claim| request.header("x-agent-type", *claim));
        let answer = self.router.clone().oneshot(request.body(Body::from(body.to_string())).unwrap()).await.unwrap();
        let bytes = answer.into_body().collect().await.unwrap().to_bytes();
        let text = String::from_utf8_lossy(&bytes);
        let line = text.lines().rev().find_map(|line| line.strip_prefix("data: ")).unwrap_or(&text);
        serde_json::from_str(line).unwrap_or_else(|_| panic!("{method}: {text}"))
    }

    /// What a tool answers an agent, or what stands under `error`; never an error of the protocol.
    pub async fn call(&self, agent: &str, tool: &str, arguments: Value) -> Result<Value, Value> {
        let params = json!({ "name": tool, "arguments": arguments });
        outcome(&self.ask(agent, None, "tools/call", params).await)
    }

    /// The names of the tools that an agent is shown.
    pub async fn listed(&self, holder: &str, claim: Option<&str>) -> Vec<String> {
        let answer = self.ask(holder, claim, "tools/list", json!({})).await;
        let tools = answer["result"]["tools"].as_array().unwrap_or_else(|| panic!("{answer}"));
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }
}

/// a failure is a result whose only block of text is the envelope, and has no structured content.
#[track_caller]
pub fn outcome(message: &Value) -> Result<Value, Value> {
    let result = &message["result"];
    assert!(result.is_object(), "{message}");
    if result["isError"] != true {
        return Ok(result["structuredContent"].clone());
    }
    assert!(result.get("structuredContent").is_none(), "{message}");
    let [block] = result["content"].as_array().unwrap().as_slice() else { panic!("{message}") };
    let envelope: Value = serde_json::from_str(block["text"].as_str().unwrap()).unwrap();
    assert_eq!(envelope.as_object().unwrap().keys().collect::<Vec<_>>(), ["error"], "{message}");
    let members: Vec<&String> = envelope["error"].as_object().unwrap().keys().collect();
    assert_eq!(members, ["code", "name", "message", "data"], "{message}");
    Err(envelope["error"].clone())
}
