//! A capability that exists to be examined by the official MCP conformance suite.
//!
//! It offers the tools, resources and prompts that the suite's server scenarios call by name, and nothing else. It is
//! mounted like any capability, so what the suite measures is the endpoint, the validator, the seal and the doors.
//! [`manifest`] says what there is; the other modules answer.

mod content;
mod manifest;
mod notices;
mod prompts;
mod questions;
mod resources;

use contract::{
    Answer, Blob, CallError, Capability, Changed, Content, Context, Manifest, PromptAnswer, RequestMeta, ResourcePage,
};
use futures::future::BoxFuture;
use serde_json::{Map, Value, json};
use tokio::sync::broadcast;

/// How many changes a slow subscriber may lag behind.
const CHANGES_KEPT: usize = 64;

/// The fixture.
pub struct Conformance {
    manifest: Manifest,
    changes: broadcast::Sender<Changed>,
}

impl Default for Conformance {
    fn default() -> Self {
        Self { manifest: manifest::manifest(), changes: broadcast::Sender::new(CHANGES_KEPT) }
    }
}

impl Conformance {
    /// Tells subscribers about a change. The lists themselves stay as they are: a manifest does not change while the
    /// process runs, and the suite looks at the notice only.
    fn announce(&self, changed: Changed) -> Answer {
        // Without subscribers there is nobody to tell.
        let _ = self.changes.send(changed);
        text("announced")
    }

    async fn answer(&self, ctx: &Context, tool: &str, arguments: &Map<String, Value>) -> Result<Answer, CallError> {
        if let Some(answer) = content::answer(tool) {
            return Ok(answer);
        }
        if let Some(answer) = notices::answer(ctx, tool).await {
            return Ok(answer);
        }
        match tool {
            "test_header_argument" => Ok(text(&format!("region {}", arguments["region"]))),
            "json_schema_2020_12_tool" => Ok(text(&Value::Object(arguments.clone()).to_string())),
            "test_trigger_tool_change" => Ok(self.announce(Changed::Tools)),
            "test_trigger_prompt_change" => Ok(self.announce(Changed::Prompts)),
            _ => questions::answer(ctx, tool, arguments).await,
        }
    }
}

impl Capability for Conformance {
    fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    fn call<'a>(
        &'a self,
        ctx: &'a Context,
        tool: &'a str,
        arguments: Map<String, Value>,
    ) -> BoxFuture<'a, Result<Answer, CallError>> {
        Box::pin(async move { self.answer(ctx, tool, &arguments).await })
    }

    fn read<'a>(&'a self, _: &'a Context, uri: &'a str) -> BoxFuture<'a, Result<Blob, CallError>> {
        Box::pin(std::future::ready(resources::read(uri)))
    }

    fn resources<'a>(&'a self, _: &'a Context, _: Option<&'a str>) -> BoxFuture<'a, Result<ResourcePage, CallError>> {
        Box::pin(std::future::ready(Ok(resources::listed())))
    }

    fn prompt<'a>(
        &'a self,
        ctx: &'a Context,
        name: &'a str,
        arguments: Map<String, Value>,
    ) -> BoxFuture<'a, Result<PromptAnswer, CallError>> {
        Box::pin(async move { prompts::fill_in(ctx, name, &arguments).await })
    }

    fn complete<'a>(
        &'a self,
        _: &'a Context,
        _: &'a str,
        _: &'a str,
        typed: &'a str,
    ) -> BoxFuture<'a, Result<Vec<String>, CallError>> {
        Box::pin(std::future::ready(Ok(prompts::completions(typed))))
    }

    fn envelope(&self, _: &RequestMeta, error: &CallError) -> Value {
        json!({ "error": {
            "code": error.code,
            "message": error.message,
            "field": error.field,
            "details": error.details,
            "suggestions": error.suggestions,
        } })
    }

    fn announces(&self) -> bool {
        true
    }

    fn changes(&self) -> Option<broadcast::Receiver<Changed>> {
        Some(self.changes.subscribe())
    }
}

/// An answer of one line.
fn text(line: &str) -> Answer {
    Answer { content: vec![Content::Text(line.to_owned())], ..Answer::default() }
}
