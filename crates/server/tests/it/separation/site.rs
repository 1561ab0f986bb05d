//! The product behind its HTTP door, with people of several tenants.

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use gate::issued::{Grant, Issued};
use http_body_util::BodyExt as _;
use scope::{Clock as _, PrincipalKind, SystemClock, TenantId};
use serde_json::{Value, json};
use server::{Config, Platform};
use spine::config::Confirm;
use tower::ServiceExt as _;

use super::values::plain;

const VERSION: &str = "2026-07-28";

pub struct Site {
    pub platform: Platform,
    router: Router,
    folder: tempfile::TempDir,
}

/// Somebody with a token.
pub struct Who {
    pub name: &'static str,
    token: String,
}

pub struct Answer {
    pub status: u16,
    pub text: String,
    pub value: Value,
}

impl Answer {
    pub fn succeeded(&self) -> bool {
        self.value.get("result").is_some_and(|result| result["isError"] != true)
    }

    /// Without what differs from call to call.
    pub fn plain(&self) -> String {
        format!("{} {}", self.status, plain(&self.text))
    }
}

impl Site {
    pub async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut config = Config { data: folder.path().to_owned(), ..Config::default() };
        config.spine.confirm = Confirm::Never;
        let platform = Platform::open(&config).await.unwrap();
        let router = spine::http::Site { more: platform.files.router(), ..platform.site() }.router();
        Self { platform, router, folder }
    }

    pub fn issue(&self, name: &'static str, tenant: &str, role: &str) -> Who {
        let now = SystemClock.now();
        let own =
            self.platform.endpoints.iter().map(|endpoint| format!("{}:write", endpoint.capability.manifest().name));
        let own = own.filter(|_| role == "admin");
        let grant = Grant {
            subject: name.to_owned(),
            kind: PrincipalKind::User,
            tenant: TenantId::new(tenant).unwrap(),
            roles: [role.to_owned()].into(),
            scopes: ["mcp:tools", "mcp:resources"].map(str::to_owned).into_iter().chain(own).collect(),
            agents: [].into(),
            endpoints: [].into(),
            issued: now,
            expires: now.plus_micros(3_600_000_000),
            definition: None,
        };
        let (_, token) = Issued::at(self.folder.path()).issue(grant).unwrap();
        Who { name, token }
    }

    pub fn capability_of(&self, tool: &str) -> String {
        let owner = self.platform.endpoints.iter().find(|endpoint| endpoint.tool(tool).is_some()).unwrap();
        owner.capability.manifest().name.clone()
    }

    pub async fn call(&self, who: &Who, capability: &str, tool: &str, input: &Value) -> Answer {
        self.ask(who, capability, "tools/call", json!({ "name": tool, "arguments": input })).await
    }

    pub async fn ask(&self, who: &Who, capability: &str, method: &str, mut params: Value) -> Answer {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": VERSION,
            "io.modelcontextprotocol/clientInfo": { "name": "separation", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let named = ["name", "uri"].iter().find_map(|field| params[*field].as_str()).map(str::to_owned);
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let mut request = Request::post(format!("/{capability}/mcp"))
            .header("host", "localhost")
            .header("authorization", format!("Bearer {}", who.token))
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream")
            .header("mcp-protocol-version", VERSION)
            .header("mcp-method", method);
        if let Some(named) = named {
            request = request.header("mcp-name", named);
        }
        let answer = self.router.clone().oneshot(request.body(Body::from(body.to_string())).unwrap()).await.unwrap();
        let status = answer.status().as_u16();
        let bytes = answer.into_body().collect().await.unwrap().to_bytes();
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        let json = text.lines().find_map(|line| line.strip_prefix("data: ").filter(|data| data.starts_with('{')));
        let value = serde_json::from_str(json.unwrap_or(&text)).unwrap_or_default();
        Answer { status, text, value }
    }
}
