//! One capability behind its doors: what happens to a call between admission and answer.
//!
//! [`guard`] keeps it in bounds, [`record`] leaves its trace.

mod guard;
mod record;

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use contract::agent::{AgentTools, Agents};
use contract::{
    Answer, AuditDraft, Blob, CallError, Capability, Client, Context, Effect, Grants, Misfit, RequestMeta, Side, Tool,
    ToolName, Verdict,
};
use futures::future::BoxFuture;
use scope::{Clock, IdSource, PrincipalKind, TenantId};
use serde_json::{Map, Value};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::admission::{Admitted, Buckets};
use crate::arguments::{self, Checked, Checkers};
use crate::audit::{AuditSink, Refusals};
use crate::config::Config;
use crate::confirmation::{self, Declines, Question};
use crate::mcp::Prepared;
use crate::metrics::Metrics;
use crate::replay::{self, Known, Replays};
use crate::shares::Shares;
use crate::turn::Turns;
use crate::{Seal, names, seal};
use guard::within;
use record::{Begun, ending};

pub use record::Refused;

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
    /// Which questions were answered with a no.
    pub declines: Arc<dyn Declines>,
    /// Where the definitions of agents are, if they are anywhere.
    pub agents: Option<Arc<dyn Agents>>,
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
    declines: Arc<dyn Declines>,
    agents: Option<Arc<dyn Agents>>,
    refusals: Refusals,
    turns: Turns,
    permits: Semaphore,
    /// Fewer than the others, so that reads go on while all writers wait for the disk.
    write_permits: Semaphore,
    /// The calls of each caller.
    shares: Shares,
    /// The open streams of each caller.
    pub(crate) streams: Shares,
    /// How often callers called tools that may not be called as often as one likes.
    buckets: Buckets<(TenantId, String, ToolName)>,
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
    /// The audit record of the call, for its commit.
    pub audit: AuditDraft,
}

impl Caller {
    /// One text that names this caller and no other, of any tenant.
    pub fn id(&self) -> String {
        self.admitted.caller()
    }
}

/// How a tool call ended.
#[derive(Debug)]
pub enum Called {
    Answered(Answer),
    /// With the refusal in the capability's own shape.
    Refused(Box<CallError>, Value),
    /// There is no such tool, or not for this caller; with those that may have been meant.
    UnknownTool {
        near: Vec<String>,
    },
}

impl Endpoint {
    /// Prepares the tools of the mounted toolsets.
    pub fn new(parts: Parts) -> Self {
        let Parts { capability, checkers, config, clock, ids, audit, metrics, seal, declines, agents } = parts;
        let mounted = |tool: &&Tool| config.toolsets.is_empty() || config.toolsets.contains(&tool.toolset);
        let mut tools = Vec::new();
        let mut by_name = BTreeMap::new();
        for tool in capability.manifest().tools.iter().filter(mounted) {
            by_name.insert(tool.name.clone(), tools.len());
            by_name.insert(names::without_dots(&tool.name), tools.len());
            tools.push(listed_tool(tool, &config));
        }
        let (calls_max, limits) = (config.limits.calls_max, &config.limits);
        let (permits, write_permits) = (Semaphore::new(calls_max), Semaphore::new((calls_max - calls_max / 4).max(1)));
        let (shares, streams) = (Shares::of(limits.caller_calls_max), Shares::of(limits.caller_subscriptions_max));
        metrics.watch(audit.clone());
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
            declines,
            agents,
            refusals: Refusals::default(),
            turns: Turns::default(),
            permits,
            write_permits,
            shares,
            streams,
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

    /// The tools that a name which is none may have meant, best first; only those that a definition leaves.
    fn nearest_tools(&self, name: &str, definition: Option<&AgentTools>) -> Vec<String> {
        let left = self.tools.iter().filter(|tool| definition.is_none_or(|left| left.permits(tool)));
        names::nearest(name, left.map(|tool| tool.name.as_str()))
    }

    /// True when this caller may have to confirm a tool by a second call.
    pub fn takes_confirmation(&self, tool: &Tool, caller: PrincipalKind) -> bool {
        confirmation::takes_two_steps(tool, self.config.confirm, caller)
    }

    /// Largest request.
    pub fn body_bytes_max(&self) -> usize {
        self.capability.body_bytes_max().unwrap_or(0).max(self.config.limits.body_bytes_max)
    }

    /// Calls a tool.
    pub async fn call(&self, caller: &Caller, name: &str, arguments: Map<String, Value>) -> Called {
        let unmade = || Begun::new("tools/call", name, &arguments, &self.config.audit.redact);
        let definition = match self.definition(caller).await {
            Ok(definition) => definition,
            Err(refusal) => return self.ended(caller, unmade(), Err(refusal)).await,
        };
        let permitted = |tool: &&Tool| definition.as_ref().is_none_or(|left| left.permits(tool));
        let Some(tool) = self.tool(name).filter(permitted) else {
            self.record(caller, unmade(), Err("UNKNOWN_TOOL")).await;
            return Called::UnknownTool { near: self.nearest_tools(name, definition.as_ref()) };
        };
        // Before the call, so that nothing keeps arguments that may hold a file.
        let begun = Begun::new("tools/call", &tool.name, &arguments, &self.config.audit.redact);
        if tool.side == Side::Command {
            self.draft(caller, &begun);
        }
        let outcome = match self.paced(caller, tool) {
            Ok(()) => self.caught(caller, self.granted(caller, tool, arguments)).await,
            Err(refusal) => Err(refusal),
        };
        self.ended(caller, begun, outcome).await
    }

    /// Leaves the record of a call and words how it ended.
    async fn ended(&self, caller: &Caller, begun: Begun<'_>, outcome: Result<Answer, CallError>) -> Called {
        self.record(caller, begun, ending(&outcome)).await;
        match outcome {
            Ok(answer) => Called::Answered(answer),
            Err(error) => {
                let error = error.bounded();
                let envelope = self.capability.envelope(&caller.request, &error);
                Called::Refused(Box::new(error), envelope)
            }
        }
    }

    /// What the definition of an agent leaves it; `None` for callers that have none. People never have one, and a service has
    /// the one that its credential names, or else the one of its own name, if there is one.
    pub(crate) async fn definition(&self, caller: &Caller) -> Result<Option<AgentTools>, CallError> {
        let admitted = &caller.admitted;
        let (name, is_named) = match (admitted.principal.kind, &admitted.definition) {
            (PrincipalKind::User, _) | (PrincipalKind::Agent, None) => return Ok(None),
            (_, Some(name)) => (name.as_ref(), true),
            (PrincipalKind::Service, None) => (admitted.principal.subject.as_str(), false),
        };
        let found = match &self.agents {
            Some(agents) => {
                let finding = agents.find(&admitted.scope.tenant, name);
                // Boxed, since few callers have one and all would carry the room for it.
                Box::pin(self.guarded(caller, finding)).await?
            }
            None => None,
        };
        // One that is named and not there leaves nothing.
        Ok(found.or_else(|| is_named.then(AgentTools::default)))
    }

    /// What the caller may call; `None` for everything.
    pub(crate) async fn grants(&self, caller: &Caller) -> Result<Option<Box<dyn Grants>>, CallError> {
        let ctx = self.context(caller, None);
        match self.capability.grants(&ctx) {
            Some(grants) => self.limited(caller, Side::Query, grants).await.map(Some),
            None => Ok(None),
        }
    }

    /// Calls a tool if the capability lets this caller.
    async fn granted(&self, caller: &Caller, tool: &Tool, arguments: Map<String, Value>) -> Result<Answer, CallError> {
        if let Some(grants) = self.grants(caller).await? {
            grants.judge(&tool.name)?;
        }
        self.run(caller, tool, arguments).await
    }

    async fn run(&self, caller: &Caller, tool: &Tool, mut arguments: Map<String, Value>) -> Result<Answer, CallError> {
        let kind = caller.admitted.principal.kind;
        let token =
            self.takes_confirmation(tool, kind).then(|| arguments.shift_remove(confirmation::ARGUMENT)).flatten();
        let Checked { arguments, unwrapped } = match self.checked(caller, tool, arguments).await? {
            Ok(checked) => checked,
            Err(misfit) => {
                let ctx = self.context(caller, None);
                let refusal = async { Err(self.capability.refuse(&ctx, &tool.name, &misfit).await) };
                return self.limited(caller, Side::Query, refusal).await;
            }
        };
        self.metrics.unwrapped(unwrapped);
        let kept = arguments::Kept::of(&arguments);
        let outcome = self.made(caller, tool, token.as_ref(), arguments).await;
        outcome.map_err(|refusal| kept.completed(refusal))
    }

    /// Arguments against the tool's schema. Much to look at is looked at on a thread that may block.
    async fn checked(
        &self,
        caller: &Caller,
        tool: &Tool,
        arguments: Map<String, Value>,
    ) -> Result<Result<Checked, Misfit>, CallError> {
        if arguments::are_light(&arguments) {
            return Ok(self.checkers.check(&tool.name, arguments));
        }
        let (checkers, name, cancelled) = (self.checkers.clone(), tool.name.clone(), caller.cancelled.clone());
        let checking = tokio::task::spawn_blocking(move || checkers.check_until(&name, arguments, &cancelled));
        let checked = async {
            let checked = checking.await.map_err(|stopped| match stopped.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(_) => CallError::internal(&caller.request.request_id),
            })?;
            if caller.cancelled.is_cancelled() {
                // It was given up half way; whoever limits this call ends it.
                std::future::pending::<()>().await;
            }
            Ok(checked)
        };
        // Boxed, since few calls come this way and all would carry the room for it.
        Box::pin(self.limited(caller, tool.side, checked)).await
    }

    /// Makes a call whose arguments fit.
    async fn made(
        &self,
        caller: &Caller,
        tool: &Tool,
        token: Option<&Value>,
        arguments: Map<String, Value>,
    ) -> Result<Answer, CallError> {
        if tool.side == Side::Query {
            let ctx = self.context(caller, None);
            return self.limited(caller, Side::Query, self.capability.call(&ctx, &tool.name, arguments)).await;
        }
        let effect = Repeatable { operation: &tool.name, arguments: &arguments };
        let named = arguments.get(replay::KEY_ARGUMENT).and_then(Value::as_str).map(|key| effect.under(key.to_owned()));
        let confirmed = match self.known(&self.context(caller, named.clone())) {
            Some(Known::Replay(answer)) => return Ok(answer),
            // What was done before needs no second confirmation.
            Some(Known::Done) => None,
            None => self.confirmed(caller, tool, token, &arguments).await?,
        };
        // Without a key of the caller's, the confirmation names the effect, so that it too happens once.
        let effect = named.or_else(|| confirmed.map(|call| effect.under(format!("confirmed:{call}"))));
        if let Some(effect) = effect {
            return self.limited(caller, Side::Command, self.once(caller, effect, &tool.name, arguments)).await;
        }
        let ctx = self.context(caller, None);
        self.limited(caller, Side::Command, self.capability.call(&ctx, &tool.name, arguments)).await
    }

    /// Asks for the confirmation that the tool needs, and returns its name.
    async fn confirmed(
        &self,
        caller: &Caller,
        tool: &Tool,
        token: Option<&Value>,
        arguments: &Map<String, Value>,
    ) -> Result<Option<String>, CallError> {
        // A dry run destroys nothing.
        if arguments.get("dry_run") == Some(&Value::Bool(true)) {
            return Ok(None);
        }
        // Only a destructive call is asked about; hashing the arguments of the others would be for nothing.
        let purpose = if tool.hints.destructive { purpose(caller, &tool.name, arguments) } else { String::new() };
        let principal = if tool.hints.destructive { caller.admitted.principal.id() } else { String::new() };
        let question = Question {
            tool,
            client: caller.client.as_ref(),
            seal: &self.seal,
            declines: self.declines.as_ref(),
            tenant: &caller.admitted.scope.tenant,
            principal: &principal,
            purpose: &purpose,
        };
        let (mode, kind) = (self.config.confirm, caller.admitted.principal.kind);
        // A person may take longer than a call, and holds up nobody else meanwhile.
        let confirmed = question.put(mode, kind, token, arguments, &caller.request.request_id);
        within(CONFIRMED_WITHIN, caller, confirmed).await
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
            if let Some(Known::Replay(answer)) = self.known(&ctx) {
                return Ok(answer);
            }
            let answer = self.capability.call(&ctx, tool, arguments).await?;
            self.replays.keep(&ctx, &effect, &answer);
            Ok(answer)
        })
    }

    /// What this process knows of the same effect.
    fn known(&self, ctx: &Context) -> Option<Known> {
        let known = self.replays.find(ctx, ctx.effect.as_ref()?)?;
        if matches!(known, Known::Replay(_)) {
            self.metrics.replayed();
        }
        Some(known)
    }

    /// Reads a resource.
    pub async fn read(&self, caller: &Caller, uri: &str) -> Result<Blob, CallError> {
        let begun = Begun::plain("resources/read", uri);
        let ctx = self.context(caller, None);
        // Called inside, so that a panic before the first await is caught too.
        let outcome = self.guarded(caller, async { self.capability.read(&ctx, uri).await }).await;
        self.record(caller, begun, ending(&outcome)).await;
        outcome.map_err(CallError::bounded)
    }

    /// Runs anything else that a capability does, with the same guards and the same record.
    pub async fn perform<T>(
        &self,
        caller: &Caller,
        method: &'static str,
        target: &str,
        work: impl AsyncFnOnce(&Context) -> Result<T, CallError>,
    ) -> Result<T, CallError> {
        let begun = Begun::plain(method, target);
        self.draft(caller, &begun);
        let ctx = self.context(caller, None);
        let outcome = self.guarded(caller, work(&ctx)).await;
        self.record(caller, begun, ending(&outcome)).await;
        outcome.map_err(CallError::bounded)
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
            audit: caller.audit.clone(),
        }
    }
}

/// What a sealed value was made for: who, which tool, which arguments.
fn purpose(caller: &Caller, tool: &str, arguments: &Map<String, Value>) -> String {
    let (tenant, principal) = (&caller.admitted.scope.tenant, caller.admitted.principal.id());
    seal::purpose(&[tenant.as_str(), &principal, &replay::binding(tool, arguments)])
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

/// A tool as this endpoint has it: with the operator's limit.
fn listed_tool(tool: &Tool, config: &Config) -> Tool {
    let mut tool = tool.clone();
    let tools = &config.limits.tools;
    if let Some(limit) = tools.get(&tool.name).or_else(|| tools.get(&names::without_dots(&tool.name))) {
        tool.calls_per_minute = *limit;
    }
    tool
}
