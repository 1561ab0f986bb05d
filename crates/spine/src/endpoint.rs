//! One capability behind its doors: what happens to a call between admission and answer.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use contract::{Answer, Blob, CallError, Capability, Client, Context, Effect, ErrorKind, RequestMeta, Side, Tool};
use futures::FutureExt;
use scope::{Clock, IdSource, TenantId};
use serde_json::{Map, Value};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::admission::{Admitted, Rejection};
use crate::arguments::{Checked, Checkers};
use crate::audit::{self, AuditRecord, AuditSink};
use crate::config::{Config, Confirm};
use crate::confirmation::{self, Question};
use crate::message::Message;
use crate::metrics::Metrics;
use crate::replay::{self, Replays};
use crate::{Seal, names};

/// How long a person may take to confirm.
const CONFIRMED_WITHIN: Duration = Duration::from_secs(300);

/// What an endpoint is made of.
pub struct Parts {
    pub capability: Arc<dyn Capability>,
    pub checkers: Arc<Checkers>,
    pub config: Config,
    pub clock: Arc<dyn Clock>,
    pub ids: Arc<dyn IdSource>,
    pub audit: Arc<dyn AuditSink>,
    pub metrics: Metrics,
    pub seal: Seal,
}

/// A capability with its tools prepared.
pub struct Endpoint {
    pub capability: Arc<dyn Capability>,
    pub config: Config,
    pub clock: Arc<dyn Clock>,
    pub ids: Arc<dyn IdSource>,
    pub metrics: Metrics,
    pub seal: Seal,
    audit: Arc<dyn AuditSink>,
    /// In the order of the manifest.
    tools: Vec<Tool>,
    checkers: Arc<Checkers>,
    /// Position of a tool by either form of its name.
    by_name: BTreeMap<String, usize>,
    replays: Replays,
    permits: Semaphore,
}

/// Who calls, and over what.
#[derive(Clone)]
pub struct Caller {
    pub admitted: Admitted,
    pub request: RequestMeta,
    pub client: Arc<dyn Client>,
    pub cancelled: CancellationToken,
}

/// How a tool call ended.
#[derive(Debug)]
pub enum Called {
    Answered(Answer),
    /// With the refusal in the capability's own shape.
    Refused(Box<CallError>, Value),
    /// There is no such tool, or not for this caller.
    UnknownTool,
}

impl Endpoint {
    /// Prepares the tools of the mounted toolsets.
    pub fn new(parts: Parts) -> Self {
        let Parts { capability, checkers, config, clock, ids, audit, metrics, seal } = parts;
        let mounted = |tool: &&Tool| config.toolsets.is_empty() || config.toolsets.contains(&tool.toolset);
        let mut tools = Vec::new();
        let mut by_name = BTreeMap::new();
        for tool in capability.manifest().tools.iter().filter(mounted) {
            by_name.insert(tool.name.clone(), tools.len());
            by_name.insert(names::without_dots(&tool.name), tools.len());
            tools.push(listed_tool(tool, config.confirm));
        }
        let permits = Semaphore::new(config.limits.calls_max);
        Self { capability, config, clock, ids, metrics, seal, audit, tools, checkers, by_name, replays: Replays::default(), permits }
    }

    /// The mounted tools, in the order in which they are listed.
    pub fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// A tool by either form of its name.
    pub fn tool(&self, name: &str) -> Option<&Tool> {
        self.by_name.get(name).map(|position| &self.tools[*position])
    }

    /// Calls a tool.
    pub async fn call(&self, caller: &Caller, name: &str, arguments: Map<String, Value>) -> Called {
        let Some(tool) = self.tool(name) else {
            self.record(caller, "tools/call", name, &arguments, Instant::now(), Err("UNKNOWN_TOOL"));
            return Called::UnknownTool;
        };
        let started = Instant::now();
        let audited = arguments.clone();
        let outcome = self.caught(caller, self.run(caller, tool, arguments)).await;
        let code = outcome.as_ref().err().map(|error| error.code.as_ref());
        let result = code.map_or(Ok(()), |code| Err(code));
        self.record(caller, "tools/call", &tool.name, &audited, started, result);
        match outcome {
            Ok(answer) => Called::Answered(answer),
            Err(error) => {
                let envelope = self.capability.envelope(&error);
                Called::Refused(Box::new(error), envelope)
            }
        }
    }

    async fn run(&self, caller: &Caller, tool: &Tool, mut arguments: Map<String, Value>) -> Result<Answer, CallError> {
        let token = (self.config.confirm == Confirm::Always && tool.hints.destructive)
            .then(|| arguments.shift_remove(confirmation::ARGUMENT))
            .flatten();
        let Checked { arguments, unwrapped } =
            self.checkers.check(&tool.name, arguments).map_err(|violations| self.capability.refuse(&tool.name, &violations))?;
        self.metrics.unwrapped(unwrapped);
        if tool.side == Side::Query {
            let ctx = self.context(caller, None);
            return self.limited(caller, self.capability.call(&ctx, &tool.name, arguments)).await;
        }
        let hash = replay::request_hash(&tool.name, &arguments);
        let purpose = purpose(caller, &tool.name, &arguments);
        let question = Question { tool, client: caller.client.as_ref(), seal: &self.seal, purpose: &purpose };
        // A person may take longer than a call, and holds up nobody else meanwhile.
        let confirmed = question.put(self.config.confirm, token.as_ref(), &arguments, &caller.request.request_id);
        let confirmed = within(CONFIRMED_WITHIN, caller, confirmed).await?;

        let ctx = self.context(caller, effect_of(confirmed, tool, &arguments, hash));
        if let Some(answer) = ctx.effect.as_ref().and_then(|effect| self.replays.find(&ctx, effect)) {
            self.metrics.replayed();
            return Ok(answer);
        }
        let answer = self.limited(caller, self.capability.call(&ctx, &tool.name, arguments)).await?;
        if let Some(effect) = &ctx.effect {
            self.replays.keep(&ctx, effect, &answer);
        }
        Ok(answer)
    }

    /// Reads a resource.
    pub async fn read(&self, caller: &Caller, uri: &str) -> Result<Blob, CallError> {
        let started = Instant::now();
        let ctx = self.context(caller, None);
        // Called inside, so that a panic before the first await is caught too.
        let outcome = self.guarded(caller, async { self.capability.read(&ctx, uri).await }).await;
        let code = outcome.as_ref().err().map(|error| error.code.as_ref());
        self.record(caller, "resources/read", uri, &Map::new(), started, code.map_or(Ok(()), |code| Err(code)));
        outcome
    }

    /// Runs anything else that a capability does, with the same guards and the same record.
    pub async fn perform<T>(
        &self,
        caller: &Caller,
        method: &'static str,
        target: &str,
        work: impl AsyncFnOnce(&Context) -> Result<T, CallError>,
    ) -> Result<T, CallError> {
        let started = Instant::now();
        let ctx = self.context(caller, None);
        let outcome = self.guarded(caller, work(&ctx)).await;
        let code = outcome.as_ref().err().map(|error| error.code.as_ref());
        self.record(caller, method, target, &Map::new(), started, code.map_or(Ok(()), |code| Err(code)));
        outcome
    }

    /// Within the limits of a call, and with a panic turned into an answer.
    async fn guarded<T>(&self, caller: &Caller, work: impl Future<Output = Result<T, CallError>>) -> Result<T, CallError> {
        self.caught(caller, self.limited(caller, work)).await
    }

    /// With a panic turned into an answer.
    async fn caught<T>(&self, caller: &Caller, work: impl Future<Output = Result<T, CallError>>) -> Result<T, CallError> {
        let outcome = AssertUnwindSafe(work).catch_unwind().await;
        outcome.unwrap_or_else(|panic| Err(self.panicked(caller, &*panic)))
    }

    /// Within a deadline, and among a bounded number of calls.
    async fn limited<T>(&self, caller: &Caller, work: impl Future<Output = Result<T, CallError>>) -> Result<T, CallError> {
        let Ok(_permit) = self.permits.try_acquire() else {
            return Err(CallError::new(ErrorKind::Unavailable, "SERVICE_UNAVAILABLE", "too many calls are under way")
                .hint("try again in a moment, with the same client_request_id"));
        };
        within(Duration::from_millis(self.config.limits.call_timeout_ms), caller, work).await
    }

    fn panicked(&self, caller: &Caller, panic: &(dyn std::any::Any + Send)) -> CallError {
        let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
        self.metrics.panicked();
        tracing::error!(error_id = caller.request.request_id, panic = text.unwrap_or("?"), "a handler panicked");
        CallError::internal(&caller.request.request_id)
    }

    fn context(&self, caller: &Caller, effect: Option<Effect>) -> Context {
        Context {
            scope: caller.admitted.scope.clone(),
            principal: caller.admitted.principal.clone(),
            request: caller.request.clone(),
            now: self.clock.now(),
            ids: self.ids.clone(),
            client: caller.client.clone(),
            cancelled: caller.cancelled.clone(),
            effect,
        }
    }

    /// Leaves the audit record of a call, and counts it.
    fn record(&self, caller: &Caller, method: &str, target: &str, arguments: &Map<String, Value>, started: Instant, result: Result<(), &str>) {
        let duration_us = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX);
        let outcome = match result {
            Ok(()) => "ok",
            Err("INPUT_REQUIRED") => "asked",
            Err("INTERNAL" | "TIMEOUT" | "SERVICE_UNAVAILABLE") => "failed",
            Err(_) => "refused",
        };
        // A target that the caller made up must not make a new series.
        let series = if method == "tools/call" && self.by_name.contains_key(target) { target } else { method };
        self.metrics.called(series, outcome, duration_us);
        let (text, hash) = audit::arguments(arguments);
        let principal = &caller.admitted.principal;
        self.audit.append(AuditRecord {
            at: self.clock.now(),
            tenant: caller.admitted.scope.tenant.clone(),
            principal: principal.id(),
            principal_kind: format!("{:?}", principal.kind).to_lowercase(),
            transport: caller.admitted.transport,
            client: caller.request.client.clone(),
            method: method.to_owned(),
            target: target.to_owned(),
            arguments: text,
            arguments_hash: hash,
            request_id: caller.request.request_id.clone(),
            correlation_id: caller.request.correlation_id.clone(),
            trace_id: caller.request.traceparent.as_deref().and_then(trace_id).map(str::to_owned),
            decision: "admitted".to_owned(),
            outcome,
            error_code: result.err().map(str::to_owned),
            duration_us,
        });
    }

    /// Leaves the audit record of something that was not let in, and counts it.
    pub fn record_rejection(&self, transport: &'static str, rejection: &Rejection, message: Option<&Message>, request: RequestMeta) {
        self.metrics.rejected(rejection.reason());
        self.audit.append(AuditRecord {
            at: self.clock.now(),
            tenant: TenantId::new("-").expect("a literal that is a valid id"),
            principal: String::new(),
            principal_kind: String::new(),
            transport,
            client: None,
            method: message.map(|message| message.method.clone()).unwrap_or_default(),
            target: message.and_then(Message::tool).unwrap_or_default().to_owned(),
            arguments: String::new(),
            arguments_hash: String::new(),
            request_id: request.request_id,
            correlation_id: request.correlation_id,
            trace_id: None,
            decision: rejection.reason().to_owned(),
            outcome: "refused",
            error_code: Some(rejection.reason().to_owned()),
            duration_us: 0,
        });
    }
}

/// Until a deadline, or until the caller gives up.
async fn within<T>(limit: Duration, caller: &Caller, work: impl Future<Output = Result<T, CallError>>) -> Result<T, CallError> {
    let ended = |code: &'static str, message: &str| {
        CallError::new(ErrorKind::DeadlineExceeded, code, message)
            .detail("outcome", "unknown")
            .hint("read what is there, or call again with the same client_request_id")
    };
    tokio::select! {
        outcome = work => outcome,
        () = tokio::time::sleep(limit) => {
            caller.cancelled.cancel();
            Err(ended("TIMEOUT", "the call took too long"))
        }
        () = caller.cancelled.cancelled() => Err(ended("CANCELLED", "the call was cancelled")),
    }
}

/// The trace id inside a W3C `traceparent`.
pub(crate) fn trace_id(traceparent: &str) -> Option<&str> {
    traceparent.split('-').nth(1).filter(|id| id.len() == 32)
}

/// What a sealed value was made for: who, which tool, which arguments.
fn purpose(caller: &Caller, tool: &str, arguments: &Map<String, Value>) -> String {
    let (tenant, principal) = (&caller.admitted.scope.tenant, caller.admitted.principal.id());
    format!("{tenant}\n{principal}\n{}", replay::binding(tool, arguments))
}

/// The caller's key, or the name of the confirmation, so that a confirmed call too happens once.
fn effect_of(confirmed: Option<String>, tool: &Tool, arguments: &Map<String, Value>, request_hash: String) -> Option<Effect> {
    let key = arguments.get(replay::KEY_ARGUMENT).and_then(Value::as_str).map(str::to_owned);
    let key = key.or_else(|| confirmed.map(|call| format!("confirmed:{call}")))?;
    Some(Effect { operation: tool.name.clone(), key, request_hash })
}

/// With two-step confirmation, destructive tools take one argument more.
fn listed_tool(tool: &Tool, confirm: Confirm) -> Tool {
    let mut tool = tool.clone();
    if confirm == Confirm::Always && tool.hints.destructive {
        let argument = serde_json::json!({ "type": "string", "description": "The token of a CONFIRMATION_REQUIRED refusal, once a person agreed." });
        if let Some(Value::Object(properties)) = tool.input_schema.get_mut("properties") {
            properties.insert(confirmation::ARGUMENT.to_owned(), argument);
        }
    }
    tool
}
