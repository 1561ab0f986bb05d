//! Monitor as the doors see it.

use std::sync::Arc;

use blobs::Blobs;
use contract::generated::monitor::{Services, manifest};
use contract::{Answer, Blob, CallError, CallFuture, Capability, Context, Grants, Manifest, Misfit, RequestMeta};
use desk::module::ArgumentCheck;
use futures::future::{BoxFuture, ready};
use ledger::SharedLedger;
use serde_json::{Map, Value};

use crate::Error;
use crate::authority::{self, Agent, AgentType};
use crate::domain::policy::Policy;
use crate::projection::fold::Fold;
use crate::query::Query;
use crate::recall::Recall;
use crate::write::Write;
use crate::{batch, refusal};

/// What an operator chooses for monitor.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Config {
    /// The type of callers who choose none, if their credential allows it.
    pub agent_type: Option<AgentType>,
    pub policy: Policy,
}

/// What monitor is made of.
#[derive(Clone)]
pub struct Parts {
    pub ledger: SharedLedger,
    pub config: Config,
    pub blobs: Arc<dyn Blobs>,
    pub recall: Recall,
    /// Checks the calls of a batch as the doors check single ones.
    pub check: ArgumentCheck,
}

/// The capability, ready to be mounted.
pub struct Monitor {
    manifest: Manifest,
    services: Services<Query, Query, Query, Query, Query, Write, Write, Write, Write, Write>,
    config: Config,
    check: ArgumentCheck,
}

impl Monitor {
    pub fn new(parts: Parts) -> Self {
        let (query, write) = (Query::new(parts.clone()), Write::new(parts.clone()));
        let services = Services {
            entity_query: query.clone(),
            fact_query: query.clone(),
            narrative_query: query.clone(),
            story_query: query.clone(),
            universe_query: query,
            entity_write: write.clone(),
            fact_write: write.clone(),
            narrative_write: write.clone(),
            story_write: write.clone(),
            universe_write: write,
        };
        Self { manifest: manifest(), services, config: parts.config, check: parts.check }
    }

    /// How its facts become records.
    pub fn fold() -> Arc<dyn ledger::Fold> {
        Arc::new(Fold)
    }

    /// Brings scenes to their end that were left finalizing. Returns how many.
    pub async fn recover(&self, own: &Context) -> Result<usize, Error> {
        self.services.narrative_write.recover(own).await
    }

    /// Whether a tool only reads.
    pub(crate) fn is_read(&self, tool: &str) -> bool {
        self.manifest.tools.iter().any(|known| known.name == tool && known.hints.read_only)
    }

    pub(crate) fn has(&self, tool: &str) -> bool {
        self.manifest.tools.iter().any(|known| known.name == tool)
    }

    pub(crate) fn admit(&self, ctx: &Context, tool: &str) -> Result<(), CallError> {
        self.authorized(ctx, tool).map(drop)
    }

    /// The arguments with their defaults, if they fit the tool's schema.
    pub(crate) fn checked(&self, tool: &str, arguments: &Map<String, Value>) -> Result<Map<String, Value>, Misfit> {
        (self.check)(tool, arguments)
    }

    pub(crate) async fn dispatch(
        &self,
        ctx: &Context,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Result<Answer, CallError> {
        self.services.call(ctx, tool, arguments).await
    }

    /// The caller as an agent that may call the tool.
    fn authorized(&self, ctx: &Context, tool: &str) -> Result<Agent, CallError> {
        let agent = Agent::of(ctx, self.config.agent_type)?;
        agent.authorize(tool)?;
        ctx.verdict.say(format!("commit: {} may call it", agent.kind.as_str()));
        Ok(agent)
    }
}

impl Capability for Monitor {
    fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    fn call<'a>(&'a self, ctx: &'a Context, tool: &'a str, arguments: Map<String, Value>) -> CallFuture<'a, Answer> {
        Box::pin(async move {
            self.authorized(ctx, tool)?;
            match tool {
                batch::TOOL => batch::call(self, ctx, arguments).await,
                _ => self.services.call(ctx, tool, arguments).await,
            }
        })
    }

    fn read<'a>(&'a self, ctx: &'a Context, uri: &'a str) -> CallFuture<'a, Blob> {
        Box::pin(async move {
            // Whoever is an agent may read what resources show.
            self.authorized(ctx, "neo4j_get_entity")?;
            self.services.read(ctx, uri).await
        })
    }

    fn grants<'a>(&'a self, ctx: &'a Context) -> Option<CallFuture<'a, Box<dyn Grants>>> {
        let grants: Box<dyn Grants> = Box::new(authority::Grants::of(ctx, self.config.agent_type));
        Some(Box::pin(ready(Ok(grants))))
    }

    fn refuse<'a>(&'a self, _ctx: &'a Context, _tool: &'a str, misfit: &'a Misfit) -> BoxFuture<'a, CallError> {
        Box::pin(ready(refusal::refuse(misfit)))
    }

    fn envelope(&self, _request: &RequestMeta, error: &CallError) -> Value {
        refusal::envelope(error)
    }
}
