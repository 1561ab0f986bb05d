//! `chancery call`: one call on the path of MCP, from admission to audit.

use std::io::Read as _;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use contract::{NoClient, RequestMeta};
use serde_json::{Map, Value, json};
use spine::admission::{Arrival, Door};
use spine::message::Message;
use spine::trace::Given;
use spine::{Called, Caller};
use tokio_util::sync::CancellationToken;

use crate::{Config, Platform};

pub async fn call(config: Config, tool: &str, arguments: &str) -> anyhow::Result<ExitCode> {
    let arguments = read_arguments(arguments)?;
    let platform = Platform::open(&config).await?;
    let endpoint = platform.endpoints.iter().find(|endpoint| endpoint.tool(tool).is_some());
    let Some(endpoint) = endpoint else { bail!("there is no tool {tool}; `chancery tools` lists them") };

    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": tool, "arguments": arguments } });
    let limits = &config.spine.limits;
    let message = Message::parse(request.to_string().as_bytes(), limits.depth_max)
        .map_err(|malformed| anyhow::anyhow!(malformed.message))?;
    let arrival = Arrival { door: Door::CommandLine, message: Some(&message), now: endpoint.clock.now() };
    let admitted = platform.admission.admit(&arrival, endpoint.capability.manifest())?;
    let caller = Caller {
        admitted,
        request: RequestMeta {
            client: Some("chancery call".to_owned()),
            ..Given::default().request_meta(endpoint.ids.next())
        },
        client: Arc::new(NoClient),
        cancelled: CancellationToken::new(),
        verdict: contract::Verdict::default(),
    };
    let called = endpoint.call(&caller, tool, arguments).await;
    platform.audit.flush().await;
    match called {
        Called::Answered(answer) => {
            print(&answer.structured.unwrap_or_default())?;
            Ok(if answer.failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
        }
        Called::Refused(_, envelope) => {
            print(&envelope)?;
            Ok(ExitCode::FAILURE)
        }
        Called::UnknownTool => bail!("there is no tool {tool}; `chancery tools` lists them"),
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

#[expect(clippy::print_stdout, reason = "the answer belongs on stdout")]
fn print(value: &Value) -> anyhow::Result<()> {
    println!("{}", serde_json::to_string_pretty(value)?);
    Ok(())
}
