//! The platform in a folder of its own, and one caller.

use std::path::Path;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use contract::{NoClient, RequestMeta};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use server::{Config, Platform};
use spine::admission::{Arrival, Door};
use spine::http::Site;
use spine::{Called, Caller};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

pub struct World {
    pub platform: Platform,
    pub folder: Arc<tempfile::TempDir>,
}

impl World {
    pub async fn new() -> Self {
        Self::on(Arc::new(tempfile::tempdir().unwrap())).await
    }

    /// Another process on the same data, as far as the platform can tell.
    pub async fn on(folder: Arc<tempfile::TempDir>) -> Self {
        Self { platform: Platform::open(&config(folder.path())).await.unwrap(), folder }
    }

    /// The answer of a tool of transformation, or the envelope of its refusal.
    pub async fn call(&self, tool: &str, arguments: Value) -> Value {
        self.call_through(Door::CommandLine, tool, arguments).await
    }

    /// The same for a tool of neotoma.
    pub async fn call_neotoma(&self, tool: &str, arguments: Value) -> Value {
        self.call_at("neotoma", Door::CommandLine, tool, arguments).await
    }

    /// The same, for a caller who comes through a certain door.
    pub async fn call_through(&self, door: Door<'_>, tool: &str, arguments: Value) -> Value {
        self.call_at("transformation", door, &format!("transformation.{tool}"), arguments).await
    }

    /// The same, for a tool of any capability by its full name.
    pub async fn call_at(&self, capability: &str, door: Door<'_>, tool: &str, arguments: Value) -> Value {
        let endpoint = self.platform.endpoint(capability).unwrap();
        let arrival = Arrival { door, message: None, now: endpoint.clock.now() };
        let caller = Caller {
            admitted: self.platform.admission.admit(&arrival, endpoint.capability.manifest()).unwrap(),
            request: RequestMeta {
                request_id: "r1".to_owned(),
                correlation_id: "c1".to_owned(),
                agent_type: agent_for(tool),
                ..RequestMeta::default()
            },
            client: Arc::new(NoClient),
            cancelled: CancellationToken::new(),
            verdict: contract::Verdict::default(),
            audit: contract::AuditDraft::default(),
        };
        match endpoint.call(&caller, tool, arguments.as_object().unwrap().clone()).await {
            Called::Answered(answer) => answer.structured.unwrap().value(),
            Called::Refused(_, envelope) => envelope,
            Called::UnknownTool { .. } => json!({ "unknown": tool }),
        }
    }

    /// The site as a client reaches it, without a socket.
    pub fn router(&self) -> Router {
        let platform = &self.platform;
        let index = server::index::router(platform, &config(self.folder.path()).public_base());
        Site { more: platform.files.router().merge(index), ..platform.site() }.router()
    }

    pub async fn get(&self, path: &str) -> String {
        let request = Request::get(path).header("host", "localhost").body(Body::empty()).unwrap();
        let answer = self.router().oneshot(request).await.unwrap();
        String::from_utf8(answer.into_body().collect().await.unwrap().to_bytes().to_vec()).unwrap()
    }
}

/// A type of agent that may call a tool, where only agents may.
pub fn agent_for(tool: &str) -> Option<String> {
    monitor::authority::allowed(tool).first().map(|kind| kind.as_str().to_owned())
}

pub fn config(data: &Path) -> Config {
    Config { data: data.to_owned(), open: true, ..Config::default() }
}
