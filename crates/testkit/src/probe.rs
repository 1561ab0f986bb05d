//! A capability that misbehaves on request, and tells tests what happened to it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use contract::{
    Answer, Ask, Blob, CallError, Capability, Changed, Context, ErrorKind, Hints, Manifest, RequestMeta, RiskTier,
    Side, Structured, Tool,
};
use futures::future::BoxFuture;
use serde_json::{Map, Value, json};
use tokio::sync::{Notify, broadcast, watch};

use crate::raw::PATIENCE;

/// How many changes a slow subscriber may lag behind.
const CHANGES_KEPT: usize = 16;

/// The capability.
pub struct Probe {
    manifest: Manifest,
    body_bytes_max: Option<usize>,
    seen: Arc<Seen>,
    /// Answers of effects that have a name.
    effects: Mutex<HashMap<String, Value>>,
}

/// What a test can look at while calls are under way.
pub struct Seen {
    /// Calls of `probe.wait` and `probe.write` that have begun.
    pub begun: watch::Sender<usize>,
    /// Calls of `probe.wait` and `probe.write` that are over, however they ended.
    pub over: watch::Sender<usize>,
    /// Lets one call of `probe.wait` or `probe.write` finish.
    pub release: Notify,
    /// Effects of `probe.erase`.
    pub erased: AtomicUsize,
    /// What is sent here is what has changed.
    pub changes: broadcast::Sender<Changed>,
}

impl Seen {
    /// Returns when a counter has reached a value.
    pub async fn reaches(&self, counter: &watch::Sender<usize>, count: usize) {
        let mut counter = counter.subscribe();
        let waiting = counter.wait_for(|seen| *seen >= count);
        tokio::time::timeout(PATIENCE, waiting).await.expect("it happens in time").expect("the sender is alive");
    }
}

impl Default for Probe {
    fn default() -> Self {
        let seen = Seen {
            begun: watch::Sender::new(0),
            over: watch::Sender::new(0),
            release: Notify::new(),
            erased: AtomicUsize::new(0),
            changes: broadcast::Sender::new(CHANGES_KEPT),
        };
        Self { manifest: manifest(), body_bytes_max: None, seen: Arc::new(seen), effects: Mutex::default() }
    }
}

impl Probe {
    /// One that takes larger requests than others, and has its own words for those that are too large.
    pub fn taking(bytes_max: usize) -> Self {
        Self { body_bytes_max: Some(bytes_max), ..Self::default() }
    }

    pub fn seen(&self) -> Arc<Seen> {
        self.seen.clone()
    }

    async fn answer(&self, ctx: &Context, tool: &str, arguments: Map<String, Value>) -> Result<Answer, CallError> {
        let answer = match tool {
            "probe.echo" | "probe.rare" => Value::Object(arguments),
            "probe.panic" => panic!("asked to panic"),
            "probe.write" | "probe.erase" if ctx.effect.is_some() => return self.once(ctx, tool, arguments).await,
            "probe.wait" | "probe.write" => {
                self.seen.begun.send_modify(|count| *count += 1);
                let _over = Over(&self.seen);
                self.seen.release.notified().await;
                json!({ "waited": true })
            }
            "probe.report" => {
                // Work that is done in parts may report them in any order.
                for done in [1.0, 2.0, 1.5, 2.0, 3.0] {
                    ctx.client.progress(done, Some(3.0), Some("working")).await;
                }
                json!({ "reported": 3 })
            }
            "probe.ask" => {
                let schema =
                    json!({ "type": "object", "properties": { "name": { "type": "string" } }, "required": ["name"] });
                let ask = Ask::Elicit { message: "Who?".to_owned(), schema };
                let replies = ctx.client.ask(vec![("who".to_owned(), ask)]).await?;
                json!({ "who": replies[0].accepted().map(|form| form["name"].clone()) })
            }
            "probe.erase" => {
                let erased = self.seen.erased.fetch_add(1, Ordering::Relaxed) + 1;
                json!({ "erased": erased })
            }
            other => return Err(CallError::invalid(format!("there is no tool {other}"))),
        };
        Ok(Answer { structured: Some(answer.into()), ..Answer::default() })
    }

    /// Makes an effect that has a name, or gives its answer again, as a capability with a ledger does.
    async fn once(&self, ctx: &Context, tool: &str, arguments: Map<String, Value>) -> Result<Answer, CallError> {
        let unnamed = Context { effect: None, ..ctx.clone() };
        let identity = format!("{}|{:?}", ctx.principal.id(), ctx.effect);
        if let Some(mut earlier) = self.lock().get(&identity).cloned() {
            earlier["idempotent_replay"] = true.into();
            return Ok(Answer { structured: Some(earlier.into()), ..Answer::default() });
        }
        let answer = Box::pin(self.answer(&unnamed, tool, arguments)).await?;
        let whole = answer.structured.as_ref().map(Structured::value).unwrap_or_default();
        self.lock().insert(identity, whole);
        Ok(answer)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Value>> {
        self.effects.lock().expect("nothing panics while holding this")
    }
}

/// Counts the end of a call, also when its future is dropped.
struct Over<'a>(&'a Seen);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.over.send_modify(|count| *count += 1);
    }
}

impl Capability for Probe {
    fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    fn call<'a>(
        &'a self,
        ctx: &'a Context,
        tool: &'a str,
        arguments: Map<String, Value>,
    ) -> BoxFuture<'a, Result<Answer, CallError>> {
        Box::pin(self.answer(ctx, tool, arguments))
    }

    fn read<'a>(&'a self, _: &'a Context, uri: &'a str) -> BoxFuture<'a, Result<Blob, CallError>> {
        let body = match uri {
            "probe://panic" => panic!("asked to panic"),
            "probe://a" | "probe://b" => Ok(Blob::Text { mime: "text/plain".to_owned(), text: uri.to_owned() }),
            _ => Err(CallError::new(ErrorKind::NotFound, "NOT_FOUND", "there is no such resource")),
        };
        Box::pin(std::future::ready(body))
    }

    fn body_bytes_max(&self) -> Option<usize> {
        self.body_bytes_max
    }

    fn too_large(&self, bytes: u64, bytes_max: u64) -> Option<CallError> {
        self.body_bytes_max?;
        let error = CallError::new(ErrorKind::InvalidArgument, "FILE_TOO_LARGE", "the request is too large");
        Some(error.detail("size", bytes).detail("max", bytes_max))
    }

    fn announces(&self) -> bool {
        true
    }

    fn changes(&self) -> Option<broadcast::Receiver<Changed>> {
        Some(self.seen.changes.subscribe())
    }

    fn envelope(&self, request: &RequestMeta, error: &CallError) -> Value {
        json!({ "error": {
            "code": error.code,
            "message": error.message,
            "field": error.field,
            "details": error.details,
            "trace_id": request.trace_id,
        } })
    }
}

fn manifest() -> Manifest {
    let text = json!({ "type": "string" });
    let echo = json!({
        "text": text,
        "count": { "type": "integer", "minimum": 0 },
        "filter": { "type": "object", "additionalProperties": true },
        "words": { "type": "array", "items": text },
        "color": { "type": "string", "enum": ["red", "green"] },
    });
    let erase = json!({ "id": text, "client_request_id": text });
    let write = json!({ "client_request_id": text });
    let destructive = Hints { destructive: true, ..Hints::default() };
    let reading = Hints { read_only: true, ..Hints::default() };
    Manifest {
        name: "probe".to_owned(),
        title: "Probe".to_owned(),
        tools: vec![
            tool("probe.echo", Side::Query, reading, echo, &[]),
            Tool { calls_per_minute: 2, ..tool("probe.rare", Side::Query, reading, json!({}), &[]) },
            tool("probe.panic", Side::Query, reading, json!({}), &[]),
            tool("probe.wait", Side::Query, reading, json!({}), &[]),
            tool("probe.write", Side::Command, Hints::default(), write, &[]),
            tool("probe.report", Side::Query, reading, json!({}), &[]),
            tool("probe.ask", Side::Query, reading, json!({}), &[]),
            Tool {
                confirm: "Erase {id}?".to_owned(),
                ..tool("probe.erase", Side::Command, destructive, erase, &["id"])
            },
        ],
        ..Manifest::default()
    }
}

fn tool(name: &str, side: Side, hints: Hints, properties: Value, required: &[&str]) -> Tool {
    let schema =
        json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false });
    let Value::Object(input_schema) = schema else { unreachable!("made as an object above") };
    Tool {
        name: name.to_owned(),
        title: String::new(),
        description: format!("For tests of the spine: {name}"),
        rpc: String::new(),
        side,
        hints,
        input_schema,
        items_max: Default::default(),
        briefs: Default::default(),
        output_schema: None,
        toolset: String::new(),
        scopes: Vec::new(),
        risk: RiskTier::Low,
        examples: Vec::new(),
        confirm: String::new(),
        calls_per_minute: 0,
    }
}
