//! One capability behind its doors: what happens to a call between admission and answer.
//!
//! [`guard`] keeps it in bounds, [`record`] leaves its trace.

mod guard;
mod record;

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use contract::{Answer, Blob, CallError, Capability, Client, Context, Effect, RequestMeta, Side, Tool, Verdict};
use futures::future::BoxFuture;
use scope::{Clock, IdSource};
use serde_json::{Map, Value};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::admission::{Admitted, Buckets};
use crate::arguments::{Checked, Checkers};
use crate::audit::{self, AuditSink};
use crate::config::{Config, Confirm};
use crate::confirmation::{self, Question};
use crate::mcp::Prepared;
use crate::metrics::Metrics;
use crate::replay::{self, Replays};
use crate::turn::Turns;
use crate::{Seal, names};
use guard::within;
use record::ending;

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
    turns: Turns,
    permits: Semaphore,
    /// How often callers called tools that may not be called as often as one likes.
    buckets: Buckets,
    /// What MCP says about this endpoint, made when it is first asked.
    pub(crate) prepared: OnceLock<Prepared>,
}

/// Who calls, and over what.
#[derive(Clone)]
pub struct Caller {
    pub admitted: Admitted,
    pub request: RequestMeta,
    pub client: Arc<dyn Client>,
    pub cancelled: CancellationToken,
    /// What the capability's policy decided about the call.
    pub verdict: Verdict,
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
            tools.push(listed_tool(tool, &config));
        }
        let permits = Semaphore::new(config.limits.calls_max);
        Self {
            capability,
            config,
            clock,
            ids,
            metrics,
            seal,
            audit,
            tools,
            checkers,
            by_name,
            replays: Replays::default(),
            turns: Turns::default(),
            permits,
            buckets: Buckets::default(),
            prepared: OnceLock::new(),
        }
    }

    /// The mounted tools, in the order in which they are listed.
    pub fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// A tool by either form of its name.
    pub fn tool(&self, name: &str) -> Option<&Tool> {
        self.by_name.get(name).map(|position| &self.tools[*position])
    }

    /// Largest request.
    pub fn body_bytes_max(&self) -> usize {
        self.capability.body_bytes_max().unwrap_or(0).max(self.config.limits.body_bytes_max)
    }

    /// Calls a tool.
    pub async fn call(&self, caller: &Caller, name: &str, arguments: Map<String, Value>) -> Called {
        let Some(tool) = self.tool(name) else {
            self.record(caller, "tools/call", name, audit::arguments(&arguments), Instant::now(), Err("UNKNOWN_TOOL"));
            return Called::UnknownTool;
        };
        let started = Instant::now();
        // Before the call, so that nothing keeps arguments that may hold a file.
        let audited = audit::arguments(&arguments);
        let outcome = match self.paced(caller, tool) {
            Ok(()) => self.caught(caller, self.run(caller, tool, arguments)).await,
            Err(refusal) => Err(refusal),
        };
        self.record(caller, "tools/call", &tool.name, audited, started, ending(&outcome));
        match outcome {
            Ok(answer) => Called::Answered(answer),
            Err(error) => {
                let envelope = self.capability.envelope(&caller.request, &error);
                Called::Refused(Box::new(error), envelope)
            }
        }
    }

    async fn run(&self, caller: &Caller, tool: &Tool, mut arguments: Map<String, Value>) -> Result<Answer, CallError> {
        let token = (self.config.confirm == Confirm::Always && tool.hints.destructive)
            .then(|| arguments.shift_remove(confirmation::ARGUMENT))
            .flatten();
        let Checked { arguments, unwrapped } = match self.checkers.check(&tool.name, arguments) {
            Ok(checked) => checked,
            Err(misfit) => {
                let ctx = self.context(caller, None);
                let refusal = async { Err(self.capability.refuse(&ctx, &tool.name, &misfit).await) };
                return self.limited(caller, refusal).await;
            }
        };
        self.metrics.unwrapped(unwrapped);
        if tool.side == Side::Query {
            let ctx = self.context(caller, None);
            return self.limited(caller, self.capability.call(&ctx, &tool.name, arguments)).await;
        }
        let effect = Repeatable { operation: &tool.name, arguments: &arguments };
        let named = arguments.get(replay::KEY_ARGUMENT).and_then(Value::as_str).map(|key| effect.under(key.to_owned()));
        // What was done before needs no second confirmation.
        if let Some(answer) = self.replayed(&self.context(caller, named.clone())) {
            return Ok(answer);
        }
        // Only a destructive call is asked about; hashing the arguments of the others would be for nothing.
        let purpose = if tool.hints.destructive { purpose(caller, &tool.name, &arguments) } else { String::new() };
        let question = Question { tool, client: caller.client.as_ref(), seal: &self.seal, purpose: &purpose };
        // A person may take longer than a call, and holds up nobody else meanwhile.
        let confirmed = question.put(self.config.confirm, token.as_ref(), &arguments, &caller.request.request_id);
        let confirmed = within(CONFIRMED_WITHIN, caller, confirmed).await?;

        // Without a key of the caller's, the confirmation names the effect, so that it too happens once.
        let effect = named.or_else(|| confirmed.map(|call| effect.under(format!("confirmed:{call}"))));
        if let Some(effect) = effect {
            return self.limited(caller, self.once(caller, effect, &tool.name, arguments)).await;
        }
        let ctx = self.context(caller, None);
        self.limited(caller, self.capability.call(&ctx, &tool.name, arguments)).await
    }

    /// Makes an effect, unless it was made before or is under way: then its answer is given again.
    // Boxed, so that calls without a key do not carry the room for it.
    fn once<'a>(
        &'a self,
        caller: &'a Caller,
        effect: Effect,
        tool: &'a str,
        arguments: Map<String, Value>,
    ) -> BoxFuture<'a, Result<Answer, CallError>> {
        let mut ctx = self.context(caller, Some(effect.clone()));
        Box::pin(async move {
            let _turn = self.turns.take(replay::identity(&ctx, &effect)).await?;
            // A call happens when its turn has come, not when it began to wait.
            ctx.now = self.clock.now();
            if let Some(answer) = self.replayed(&ctx) {
                return Ok(answer);
            }
            let answer = self.capability.call(&ctx, tool, arguments).await?;
            self.replays.keep(&ctx, &effect, &answer);
            Ok(answer)
        })
    }

    /// The answer of the same effect, when it is still known here.
    fn replayed(&self, ctx: &Context) -> Option<Answer> {
        let answer = self.replays.find(ctx, ctx.effect.as_ref()?)?;
        self.metrics.replayed();
        Some(answer)
    }

    /// Reads a resource.
    pub async fn read(&self, caller: &Caller, uri: &str) -> Result<Blob, CallError> {
        let started = Instant::now();
        let ctx = self.context(caller, None);
        // Called inside, so that a panic before the first await is caught too.
        let outcome = self.guarded(caller, async { self.capability.read(&ctx, uri).await }).await;
        self.record(caller, "resources/read", uri, audit::arguments(&Map::new()), started, ending(&outcome));
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
        self.record(caller, method, target, audit::arguments(&Map::new()), started, ending(&outcome));
        outcome
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
            verdict: caller.verdict.clone(),
        }
    }
}

/// What a sealed value was made for: who, which tool, which arguments.
fn purpose(caller: &Caller, tool: &str, arguments: &Map<String, Value>) -> String {
    let (tenant, principal) = (&caller.admitted.scope.tenant, caller.admitted.principal.id());
    format!("{tenant}\n{principal}\n{}", replay::binding(tool, arguments))
}

/// An effect that lacks only the name under which it happens once.
struct Repeatable<'a> {
    operation: &'a str,
    arguments: &'a Map<String, Value>,
}

impl Repeatable<'_> {
    fn under(&self, key: String) -> Effect {
        let request_hash = replay::request_hash(self.operation, self.arguments);
        Effect { operation: self.operation.to_owned(), key, request_hash }
    }
}

/// A tool as this endpoint has it: with the operator's limit, and with two-step confirmation, destructive ones take one
/// argument more.
fn listed_tool(tool: &Tool, config: &Config) -> Tool {
    let mut tool = tool.clone();
    let tools = &config.limits.tools;
    if let Some(limit) = tools.get(&tool.name).or_else(|| tools.get(&names::without_dots(&tool.name))) {
        tool.calls_per_minute = *limit;
    }
    if config.confirm == Confirm::Always && tool.hints.destructive {
        let description = "The token of a CONFIRMATION_REQUIRED refusal, once a person agreed.";
        let argument = serde_json::json!({ "type": "string", "description": description });
        if let Some(Value::Object(properties)) = tool.input_schema.get_mut("properties") {
            properties.insert(confirmation::ARGUMENT.to_owned(), argument);
        }
    }
    tool
}
