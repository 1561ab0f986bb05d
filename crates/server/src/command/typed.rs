//! Calls of services that have no tool, on the path of MCP: admission, guards, audit.

use std::process::ExitCode;
use std::sync::Arc;

use contract::{CallError, Context, NoClient, RequestMeta};
use serde::Serialize;
use spine::Caller;
use spine::admission::{Arrival, Door};
use spine::trace::Given;
use tokio_util::sync::CancellationToken;

use crate::Platform;

/// Calls a service of transformation. `method` and `target` say in the audit log what was done to what.
pub async fn call<T>(
    platform: &Platform,
    method: &'static str,
    target: &str,
    work: impl AsyncFnOnce(&Context) -> Result<T, CallError>,
) -> anyhow::Result<Result<T, CallError>> {
    let endpoint = platform.endpoint("transformation")?;
    let arrival = Arrival { door: Door::CommandLine, message: None, now: endpoint.clock.now() };
    let caller = Caller {
        admitted: platform.admission.admit(&arrival, endpoint.capability.manifest())?,
        request: RequestMeta {
            client: Some("chancery".to_owned()),
            ..Given::default().request_meta(endpoint.ids.next())
        },
        client: Arc::new(NoClient),
        cancelled: CancellationToken::new(),
        verdict: contract::Verdict::default(),
    };
    // A service's future is large; boxed, it does not grow everything around it.
    let boxed = async move |ctx: &Context| Box::pin(work(ctx)).await;
    let outcome = endpoint.perform(&caller, method, target, boxed).await;
    platform.audit.flush().await;
    Ok(outcome)
}

/// Prints an answer as lines, or as JSON when that is wanted; or the refusal in words with its fix.
#[expect(clippy::print_stdout, reason = "the answer belongs on stdout")]
pub fn print<T: Serialize>(
    outcome: &Result<T, CallError>,
    json: bool,
    lines: impl FnOnce(&T) -> Vec<String>,
) -> anyhow::Result<ExitCode> {
    match outcome {
        Ok(answer) if json => println!("{}", serde_json::to_string_pretty(answer)?),
        Ok(answer) => lines(answer).iter().for_each(|line| println!("{line}")),
        Err(refusal) => return Err(worded(refusal)),
    }
    Ok(ExitCode::SUCCESS)
}

/// A refusal as a person reads it: what is wrong, and what to do.
pub fn worded(refusal: &CallError) -> anyhow::Error {
    let hint = refusal.suggestions.get("hint").and_then(|hint| hint.as_str()).unwrap_or("see the log");
    anyhow::anyhow!("{} ({}); {hint}", refusal.message, refusal.code)
}
