//! `chancery call`: one call on the path of MCP, from admission to audit.

use std::io::{Read as _, Write as _};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use contract::{NoClient, RequestMeta, Structured};
use serde_json::{Map, Value, json};
use spine::admission::{Arrival, Door};
use spine::message::Message;
use spine::trace::Given;
use spine::{Called, Caller};
use tokio_util::sync::CancellationToken;

use crate::{Config, Platform};

pub async fn call(config: Config, tool: &str, arguments: &str) -> anyhow::Result<ExitCode> {
    let arguments = read_arguments(arguments)?;
    let calls = Calls::open(&config).await?;
    let outcome = calls.call(tool, arguments).await;
    calls.finish().await;
    match outcome? {
        Outcome::Answered(answer) => {
            print(&answer)?;
            Ok(ExitCode::SUCCESS)
        }
        Outcome::Refused(envelope) => {
            print(&envelope)?;
            Ok(ExitCode::FAILURE)
        }
    }
}

/// Calls from the command line, each on the path of MCP.
pub struct Calls {
    platform: Platform,
    depth_max: usize,
}

/// What a call came to.
pub enum Outcome {
    Answered(Value),
    /// With the refusal in the capability's own shape.
    Refused(Value),
}

impl Calls {
    pub async fn open(config: &Config) -> anyhow::Result<Self> {
        Ok(Self { platform: Platform::open(config).await?, depth_max: config.spine.limits.depth_max })
    }

    pub async fn call(&self, tool: &str, arguments: Map<String, Value>) -> anyhow::Result<Outcome> {
        let endpoint = self.platform.endpoints.iter().find(|endpoint| endpoint.tool(tool).is_some());
        let Some(endpoint) = endpoint else { bail!("there is no tool {tool}; `chancery tools` lists them") };
        // Admission looks at who calls what; the arguments themselves may be as large as a file.
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": tool } });
        let message = Message::parse(request.to_string().as_bytes(), self.depth_max)
            .map_err(|malformed| anyhow::anyhow!(malformed.message))?;
        let arrival = Arrival { door: Door::CommandLine, message: Some(&message), now: endpoint.clock.now() };
        let admitted = self.platform.admission.admit(&arrival, endpoint.capability.manifest())?;
        let caller = Caller {
            admitted,
            request: RequestMeta {
                client: Some("chancery".to_owned()),
                ..Given::default().request_meta(endpoint.ids.next())
            },
            client: Arc::new(NoClient),
            cancelled: CancellationToken::new(),
            verdict: contract::Verdict::default(),
        };
        match endpoint.call(&caller, tool, arguments).await {
            Called::Answered(answer) => {
                let said = answer.structured.as_ref().map(Structured::value).unwrap_or_default();
                Ok(if answer.failed { Outcome::Refused(said) } else { Outcome::Answered(said) })
            }
            Called::Refused(_, envelope) => Ok(Outcome::Refused(envelope)),
            Called::UnknownTool => bail!("there is no tool {tool}; `chancery tools` lists them"),
        }
    }

    /// Waits until the audit is written.
    pub async fn finish(&self) {
        self.platform.audit.flush().await;
    }
}

fn read_arguments(given: &str) -> anyhow::Result<Map<String, Value>> {
    let mut text = given.to_owned();
    if given == "-" {
        text.clear();
        std::io::stdin().read_to_string(&mut text).context("cannot read the arguments from stdin")?;
    }
    match spine::json::parse(text.as_bytes(), 64) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(_) => bail!("the arguments must be a JSON object, such as {{\"model_id\": \"default\"}}"),
        Err(error) => bail!("the arguments are not valid JSON: {error}"),
    }
}

fn print(value: &Value) -> anyhow::Result<()> {
    let text = serde_json::to_string_pretty(value)?;
    match writeln!(std::io::stdout(), "{text}") {
        // Whoever read has seen enough.
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}
