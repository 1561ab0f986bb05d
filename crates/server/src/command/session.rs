//! Calls from the terminal, each on the path of MCP: admission, guards, audit.

use std::sync::Arc;

use contract::{NoClient, RequestMeta, Structured, Tool};
use desk::module::{BoxError, Outcome, Parts, Refused, Session, Work};
use futures::future::BoxFuture;
use serde_json::{Map, Value, json};
use spine::admission::{Arrival, Door};
use spine::message::Message;
use spine::trace::Given;
use spine::{Called, Caller, Endpoint};
use tokio_util::sync::CancellationToken;

use super::output;
use crate::platform::{Mounted, unknown_tool};
use crate::{Config, Platform};

/// A platform, opened for a command.
pub struct Terminal {
    pub platform: Platform,
    depth_max: usize,
}

impl Terminal {
    pub async fn open(config: &Config) -> anyhow::Result<Self> {
        Ok(Self { platform: Platform::open(config).await?, depth_max: config.spine.limits.depth_max })
    }

    /// The session of a capability's own command.
    pub fn session(&self, capability: &str) -> anyhow::Result<impl Session> {
        Ok(Place { terminal: self, mounted: self.platform.mounted(capability)? })
    }

    /// Calls a tool of any capability, and waits until the audit is written.
    pub async fn call(&self, tool: &str, arguments: Map<String, Value>) -> anyhow::Result<Outcome> {
        let endpoints = &self.platform.endpoints;
        let endpoint = endpoints.iter().find(|endpoint| endpoint.tool(tool).is_some());
        let endpoint = endpoint.ok_or_else(|| anyhow::Error::msg(unknown_tool(endpoints, tool)))?;
        // Admission looks at who calls what; the arguments themselves may be as large as a file.
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": tool } });
        let message = Message::parse(request.to_string().as_bytes(), self.depth_max)
            .map_err(|malformed| anyhow::anyhow!(malformed.message))?;
        let caller = self.caller(endpoint, Some(&message))?;
        let called = endpoint.call(&caller, tool, arguments).await;
        self.platform.close().await;
        match called {
            Called::Answered(answer) => {
                let said = answer.structured.as_ref().map(Structured::value).unwrap_or_default();
                Ok(if answer.failed { Outcome::Refused(said) } else { Outcome::Answered(said) })
            }
            Called::Refused(_, envelope) => Ok(Outcome::Refused(envelope)),
            Called::UnknownTool { .. } => Err(anyhow::Error::msg(unknown_tool(endpoints, tool))),
        }
    }

    fn caller(&self, endpoint: &Endpoint, message: Option<&Message>) -> anyhow::Result<Caller> {
        let arrival = Arrival { door: Door::CommandLine, message, now: endpoint.clock.now() };
        Ok(Caller {
            admitted: self.platform.admission.admit(&arrival, endpoint.capability.manifest())?,
            request: RequestMeta {
                client: Some("chancery".to_owned()),
                ..Given::default().request_meta(endpoint.ids.next())
            },
            client: Arc::new(NoClient),
            cancelled: CancellationToken::new(),
            verdict: contract::Verdict::default(),
            audit: contract::AuditDraft::default(),
        })
    }
}

/// Where a command of one capability works.
struct Place<'t> {
    terminal: &'t Terminal,
    mounted: &'t Mounted,
}

impl Session for Place<'_> {
    fn parts(&self) -> &Parts {
        &self.mounted.parts
    }

    fn tools(&self) -> Vec<Tool> {
        let tools = self.terminal.platform.endpoints.iter().flat_map(|endpoint| endpoint.tools());
        tools.cloned().collect()
    }

    fn call<'a>(&'a self, tool: &'a str, arguments: Map<String, Value>) -> BoxFuture<'a, Result<Outcome, BoxError>> {
        Box::pin(async move { Ok(self.terminal.call(tool, arguments).await?) })
    }

    fn perform<'a>(
        &'a self,
        method: &'static str,
        target: &'a str,
        work: Work<'a>,
    ) -> BoxFuture<'a, Result<(), BoxError>> {
        Box::pin(async move {
            let endpoint = &self.mounted.endpoint;
            let caller = self.terminal.caller(endpoint, None)?;
            let outcome = endpoint.perform(&caller, method, target, async move |ctx| work(ctx.clone()).await).await;
            self.terminal.platform.close().await;
            Ok(outcome.map_err(Refused)?)
        })
    }

    fn print(&self, line: &str) -> Result<(), BoxError> {
        Ok(output::line(line)?)
    }

    fn note(&self, line: &str) {
        output::note(line);
    }

    fn progress(&self, line: &str) {
        output::progress(line);
    }
}
