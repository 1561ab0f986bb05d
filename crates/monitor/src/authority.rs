//! Which type of agent may call what.
//!
//! The credential says which types its holder may act as; `_meta.agent_type`, a header or a setting chooses among them. A row of
//! the matrix is for a tool or for a pattern of names: the exact name wins, then the longest pattern, and what has no row
//! nobody may call.

use contract::{CallError, Context};
use scope::Principal;

use crate::Error;

/// A type of agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AgentType {
    Orchestrator,
    CanonKeeper,
    Narrator,
    ContextAssembly,
    Resolver,
    MemoryManager,
    Indexer,
}

use AgentType::{CanonKeeper, ContextAssembly, Indexer, MemoryManager, Narrator, Orchestrator, Resolver};

impl AgentType {
    pub const ALL: &'static [Self] =
        &[Orchestrator, CanonKeeper, Narrator, ContextAssembly, Resolver, MemoryManager, Indexer];

    pub fn as_str(self) -> &'static str {
        match self {
            Orchestrator => "Orchestrator",
            CanonKeeper => "CanonKeeper",
            Narrator => "Narrator",
            ContextAssembly => "ContextAssembly",
            Resolver => "Resolver",
            MemoryManager => "MemoryManager",
            Indexer => "Indexer",
        }
    }

    /// The type that is spelled exactly so.
    pub fn of(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|known| known.as_str() == text)
    }
}

/// Who may call what. A name that ends in `*` is a pattern.
const MATRIX: &[(&str, &[AgentType])] = &[
    ("neo4j_create_*", &[CanonKeeper]),
    ("neo4j_create_story", &[CanonKeeper, Orchestrator]),
    ("neo4j_update_*", &[CanonKeeper]),
    ("neo4j_get_*", AgentType::ALL),
    ("neo4j_query_*", AgentType::ALL),
    ("mongodb_create_scene", &[Orchestrator]),
    ("mongodb_append_turn", &[Narrator, Orchestrator]),
    ("mongodb_get_scene", AgentType::ALL),
    ("mongodb_query_scenes", AgentType::ALL),
    ("mongodb_finalize_scene", &[CanonKeeper]),
    ("mongodb_create_proposed_change", AgentType::ALL),
    ("mongodb_get_proposed_change", AgentType::ALL),
    ("mongodb_evaluate_proposal", &[CanonKeeper]),
    ("mongodb_get_pending_proposals", &[CanonKeeper]),
    ("mongodb_create_character_memory", &[MemoryManager]),
    ("mongodb_retrieve_character_memories", &[ContextAssembly, MemoryManager]),
    ("mongodb_create_resolution", &[Resolver]),
    ("mongodb_get_resolution", AgentType::ALL),
    ("mongodb_create_document", &[Indexer]),
    ("mongodb_create_snippet", &[Indexer]),
    ("qdrant_*", AgentType::ALL),
    ("composite_assemble_scene_context", &[ContextAssembly]),
    ("composite_canonize_scene", &[CanonKeeper]),
    ("composite_batch_call", AgentType::ALL),
];

/// The types of agent that may call a tool: those of the most specific row, or none.
pub fn allowed(tool: &str) -> &'static [AgentType] {
    let fits = |name: &str| match name.strip_suffix('*') {
        Some(start) => tool.starts_with(start),
        None => tool == name,
    };
    let rows = MATRIX.iter().filter(|(name, _)| fits(name));
    rows.max_by_key(|(name, _)| (!name.ends_with('*'), name.len())).map_or(&[], |(_, types)| *types)
}

/// The caller as an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agent {
    /// As it calls itself, or else the caller's own id.
    pub id: String,
    pub kind: AgentType,
}

impl Agent {
    /// As which agent the caller acts. `usual` is the type of callers who choose none.
    pub fn of(ctx: &Context, usual: Option<AgentType>) -> Result<Self, Error> {
        let own = permitted(&ctx.principal);
        let kind = match (&ctx.request.agent_type, own.as_slice()) {
            (Some(claimed), _) => chosen(claimed, &own)?,
            (None, [only]) => *only,
            (None, _) if usual.is_some_and(|usual| own.contains(&usual)) => usual.unwrap_or(own[0]),
            (None, _) => return Err(no_choice(&own)),
        };
        let id = ctx.request.agent_id.clone().unwrap_or_else(|| ctx.principal.id());
        Ok(Self { id, kind })
    }

    /// Refuses a call of a tool that this type of agent may not call.
    pub fn authorize(&self, tool: &str) -> Result<(), Error> {
        let types = allowed(tool);
        if types.contains(&self.kind) {
            return Ok(());
        }
        let (tool, agent_type) = (tool.to_owned(), self.kind.as_str().to_owned());
        Err(Error::NotAuthorized { tool, agent_type, allowed: names(types) })
    }
}

/// The types that a credential lets its holder act as: those that it names; all for the owner of the machine and for
/// administrators; only the one that reads for those who may only read.
pub fn permitted(principal: &Principal) -> Vec<AgentType> {
    let has = |roles: &[&str]| roles.iter().any(|role| principal.roles.contains(*role));
    let all = || AgentType::ALL.iter().copied();
    let named: Vec<AgentType> = if !principal.agents.is_empty() {
        all().filter(|kind| principal.agents.contains(kind.as_str())).collect()
    } else if principal.issuer == "local" || has(&["admin"]) {
        all().collect()
    } else if has(&["viewer", "analyst"]) {
        vec![ContextAssembly]
    } else {
        Vec::new()
    };
    let writes = has(&["contributor", "architect", "curator", "admin", "service", "gm"]);
    named.into_iter().filter(|kind| writes || *kind == ContextAssembly).collect()
}

fn chosen(claimed: &str, own: &[AgentType]) -> Result<AgentType, Error> {
    let refuse = |reason: String, fix: String, near: Vec<&'static str>| Error::NoAgent {
        agent_type: Some(claimed.to_owned()),
        reason,
        fix,
        allowed: names(own),
        near,
    };
    match AgentType::of(claimed) {
        Some(kind) if own.contains(&kind) => Ok(kind),
        Some(_) => {
            let fix = match own {
                [] => "ask for a credential that names a type of agent".to_owned(),
                own => format!("act as {}", names(own).join(" or ")),
            };
            Err(refuse(format!("Your credential does not allow agent type '{claimed}'"), fix, Vec::new()))
        }
        None => {
            let known = names(AgentType::ALL);
            let near: Vec<&str> = known.iter().copied().filter(|name| name.eq_ignore_ascii_case(claimed)).collect();
            let fix = format!("give one of {}, spelled so", known.join(", "));
            Err(refuse(format!("There is no agent type '{claimed}'"), fix, near))
        }
    }
}

fn no_choice(own: &[AgentType]) -> Error {
    let (reason, fix) = match own {
        [] => ("Your credential allows no agent type", "ask for a credential that names a type of agent".to_owned()),
        own => {
            let fix = format!("name one in _meta.agent_type, or set monitor.agent_type: {}", names(own).join(", "));
            ("No agent type was chosen", fix)
        }
    };
    Error::NoAgent { agent_type: None, reason: reason.to_owned(), fix, allowed: names(own), near: Vec::new() }
}

fn names(types: &[AgentType]) -> Vec<&'static str> {
    types.iter().map(|kind| kind.as_str()).collect()
}

/// What one caller may call.
pub struct Grants {
    agent: Result<Agent, Error>,
    /// Who is yet to choose sees what each of the types may call.
    types: Vec<AgentType>,
}

impl Grants {
    pub fn of(ctx: &Context, usual: Option<AgentType>) -> Self {
        let agent = Agent::of(ctx, usual);
        let types = agent.as_ref().map_or_else(|_| permitted(&ctx.principal), |agent| vec![agent.kind]);
        Self { agent, types }
    }
}

impl contract::Grants for Grants {
    fn judge(&self, tool: &str) -> Result<(), CallError> {
        Ok(self.agent.clone()?.authorize(tool)?)
    }

    fn lists(&self, tool: &str) -> bool {
        self.types.iter().any(|kind| allowed(tool).contains(kind))
    }
}

#[cfg(test)]
mod tests;
