//! What we are compared with: a handler of axum, an echo tool on rmcp alone, and the same tool on our spine.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use axum::Router;
use axum::routing::post;
use axum::serve::ListenerExt as _;
use contract::{
    Answer, Blob, CallError, Capability, Context, ErrorKind, Hints, Manifest, RequestMeta, RiskTier, Side, Tool,
};
use futures::future::BoxFuture;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::transport::StreamableHttpService;
use rmcp::transport::streamable_http_server::StreamableHttpServerConfig;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use scope::{RandomIds, SystemClock};
use serde_json::{Map, Value, json};
use spine::admission::{Addresses, Admission, LocalIdentity, Pace};
use spine::arguments::Checkers;
use spine::audit::NoAudit;
use spine::http::Site;
use spine::metrics::Metrics;
use spine::{Endpoint, Parts, Seal};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

const ANSWER: &str = r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"text\":\"hello\"}"}],"structuredContent":{"text":"hello"},"resultType":"complete"}}"#;

#[expect(clippy::print_stderr, reason = "the parent reads it there")]
async fn listen() -> anyhow::Result<TcpListener> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    eprintln!("listening on http://{}", listener.local_addr()?);
    Ok(listener)
}

async fn serve(router: Router) -> anyhow::Result<()> {
    let listener = listen().await?.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    Ok(axum::serve(listener, router).await?)
}

/// Constant bytes, whatever comes in.
pub async fn axum() -> anyhow::Result<()> {
    let answer = |_body: axum::body::Bytes| async { ([("content-type", "application/json")], ANSWER) };
    serve(Router::new().route("/mcp", post(answer))).await
}

#[derive(Clone)]
struct BareEcho;

impl ServerHandler for BareEcho {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let structured = Value::Object(request.arguments.unwrap_or_default());
        let mut result = CallToolResult::success(vec![ContentBlock::text(structured.to_string())]);
        result.structured_content = Some(structured);
        Ok(result.into())
    }
}

/// An echo tool on rmcp, with JSON answers.
pub async fn rmcp() -> anyhow::Result<()> {
    let config = StreamableHttpServerConfig::default().with_json_response(true);
    let service = StreamableHttpService::new(|| Ok(BareEcho), Arc::new(LocalSessionManager::default()), config);
    serve(Router::new().route_service("/mcp", service)).await
}

struct Echo(Manifest);

impl Capability for Echo {
    fn manifest(&self) -> &Manifest {
        &self.0
    }

    fn call<'a>(
        &'a self,
        _: &'a Context,
        _: &'a str,
        arguments: Map<String, Value>,
    ) -> BoxFuture<'a, Result<Answer, CallError>> {
        Box::pin(std::future::ready(Ok(Answer {
            structured: Some(Value::Object(arguments).into()),
            ..Answer::default()
        })))
    }

    fn read<'a>(&'a self, _: &'a Context, _: &'a str) -> BoxFuture<'a, Result<Blob, CallError>> {
        Box::pin(std::future::ready(Err(CallError::new(ErrorKind::NotFound, "NOT_FOUND", "there is nothing to read"))))
    }

    fn envelope(&self, _: &RequestMeta, error: &CallError) -> Value {
        json!({ "error": { "code": error.code, "message": error.message } })
    }
}

/// The same tool behind our doors.
pub async fn echo() -> anyhow::Result<()> {
    let schema = json!({ "type": "object", "properties": { "text": { "type": "string" } }, "required": ["text"], "additionalProperties": false });
    let tool = Tool {
        name: "bench.echo".to_owned(),
        title: String::new(),
        description: "Says it back.".to_owned(),
        rpc: String::new(),
        side: Side::Query,
        hints: Hints { read_only: true, ..Hints::default() },
        items_max: Default::default(),
        briefs: Default::default(),
        input_schema: schema.as_object().cloned().unwrap_or_default(),
        output_schema: None,
        toolset: String::new(),
        scopes: Vec::new(),
        risk: RiskTier::Low,
        examples: Vec::new(),
        confirm: String::new(),
        calls_per_minute: 0,
    };
    let capability = Arc::new(Echo(Manifest { name: "bench".to_owned(), tools: vec![tool], ..Manifest::default() }));
    let config = spine::Config::default();
    let endpoint = Endpoint::new(Parts {
        checkers: Arc::new(Checkers::new(capability.manifest()).map_err(anyhow::Error::msg)?),
        capability,
        config: config.clone(),
        clock: Arc::new(SystemClock),
        ids: Arc::new(RandomIds),
        audit: Arc::new(NoAudit),
        metrics: Metrics::default(),
        seal: Seal::new([0; 32]),
        declines: Arc::new(spine::Declined::default()),
        agents: None,
    });
    let addresses = Addresses::new(&[], &[]);
    let site = Site {
        endpoints: vec![Arc::new(endpoint)],
        admission: Arc::new(Admission::new(
            addresses.clone(),
            Arc::new(LocalIdentity::new("bench")),
            Pace::of(&config.limits),
        )),
        addresses,
        proxies: Default::default(),
        metrics: Metrics::default(),
        ready: Arc::new(AtomicBool::new(true)),
        readiness: Arc::new(spine::http::AlwaysReady),
        stopping: CancellationToken::new(),
        catalog: String::new(),
        more: Default::default(),
        open: Default::default(),
    };
    spine::http::serve(listen().await?, site.router(), &config.limits, CancellationToken::new()).await?;
    Ok(())
}
