//! Where a command of the terminal works: on the path of MCP, from admission to audit.

use std::process::ExitCode;

use contract::{CallError, Context, Tool};
use futures::future::BoxFuture;
use serde::Serialize;
use serde_json::{Map, Value};

use super::{BoxError, Parts};

/// What a command works with. The caller is the owner of the machine.
pub trait Session: Send + Sync {
    fn parts(&self) -> &Parts;

    /// All tools that are mounted, also those of other capabilities.
    fn tools(&self) -> Vec<Tool>;

    /// Calls a tool.
    fn call<'a>(&'a self, tool: &'a str, arguments: Map<String, Value>) -> BoxFuture<'a, Result<Outcome, BoxError>>;

    /// Calls a service that has no tool; [`perform`] is the form to use. `method` and `target` say in the audit what was
    /// done to what.
    fn perform<'a>(
        &'a self,
        method: &'static str,
        target: &'a str,
        work: Work<'a>,
    ) -> BoxFuture<'a, Result<(), BoxError>>;

    /// Writes a line to stdout.
    fn print(&self, line: &str) -> Result<(), BoxError>;

    /// Writes a line to stderr, if that can be written.
    fn note(&self, line: &str);

    /// Shows how far the work is, if somebody watches. The next line replaces it, and an empty one removes it.
    fn progress(&self, line: &str);
}

/// What a call of a tool came to.
#[derive(Debug)]
pub enum Outcome {
    Answered(Value),
    /// With the refusal in the capability's own shape.
    Refused(Value),
}

/// A call of a service, made once the caller is admitted.
pub type Work<'a> = Box<dyn FnOnce(Context) -> BoxFuture<'a, Result<(), CallError>> + Send + 'a>;

/// Calls a service that has no tool, with the guards and the audit of a tool.
pub async fn perform<T, F>(
    session: &dyn Session,
    method: &'static str,
    target: &str,
    work: impl FnOnce(Context) -> F + Send,
) -> Result<T, BoxError>
where
    T: Send,
    F: Future<Output = Result<T, CallError>> + Send,
{
    let mut answer = None;
    let kept = &mut answer;
    let work = |ctx| -> BoxFuture<'_, Result<(), CallError>> {
        Box::pin(async move {
            *kept = Some(work(ctx).await?);
            Ok(())
        })
    };
    session.perform(method, target, Box::new(work)).await?;
    answer.ok_or_else(|| "the call ended without an answer; see the log".into())
}

/// Prints an answer as lines, or as JSON when that is wanted.
pub fn print<T: Serialize>(
    session: &dyn Session,
    answer: &T,
    json: bool,
    lines: impl FnOnce(&T) -> Vec<String>,
) -> Result<ExitCode, BoxError> {
    if json {
        session.print(&serde_json::to_string_pretty(answer)?)?;
    } else {
        lines(answer).iter().try_for_each(|line| session.print(line))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A refusal as a person reads it: what is wrong, and what to do.
#[derive(Debug, thiserror::Error)]
#[error("{} ({}); {}", .0.message, .0.code, self.hint())]
pub struct Refused(pub CallError);

impl Refused {
    fn hint(&self) -> &str {
        self.0.suggestions.get("hint").and_then(Value::as_str).unwrap_or("see the log")
    }
}
