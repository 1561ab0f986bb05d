//! What an agent may call, as its definition says: a rule over the tools that are exposed.
//!
//! A definition narrows and never widens: whoever it is of still needs the scopes and roles of every call.

use futures::future::BoxFuture;
use scope::{TenantId, pattern};

use crate::{CallError, RiskTier, Side, Tool};

/// Which tools an agent may call: those that are exposed and allowed, not denied, and of no higher risk than its own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentTools {
    /// Patterns over whole names; empty allows nothing.
    pub allow: Vec<String>,
    /// Wins over what is allowed.
    pub deny: Vec<String>,
    /// The highest risk; `None` leaves it to what is allowed, except that no agent is trusted with what is critical.
    pub risk_tier: Option<RiskTier>,
    /// Nothing that changes anything.
    pub reads_only: bool,
}

impl AgentTools {
    pub fn permits(&self, tool: &Tool) -> bool {
        let any = |patterns: &[String]| patterns.iter().any(|pattern| pattern::matches(pattern, &tool.name));
        any(&self.allow)
            && !any(&self.deny)
            && tool.risk <= self.risk_tier.unwrap_or(RiskTier::High)
            && !(self.reads_only && tool.side == Side::Command)
    }
}

/// An agent that a tenant has defined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefinedAgent {
    pub name: String,
    pub tools: AgentTools,
    /// Whether its content was promoted; until then it may call nothing.
    pub promoted: bool,
}

/// Where definitions of agents are found.
pub trait Agents: Send + Sync {
    /// The promoted definition of an agent, by its name; `None` when there is none.
    fn find<'a>(&'a self, tenant: &'a TenantId, name: &'a str) -> BoxFuture<'a, Result<Option<AgentTools>, CallError>>;

    /// All agents that a tenant has defined, by their names.
    fn all<'a>(&'a self, tenant: &'a TenantId) -> BoxFuture<'a, Result<Vec<DefinedAgent>, CallError>>;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Hints;

    fn tool(name: &str, side: Side, risk: RiskTier) -> Tool {
        Tool {
            name: name.to_owned(),
            title: String::new(),
            description: String::new(),
            rpc: String::new(),
            side,
            hints: Hints::default(),
            input_schema: Default::default(),
            items_max: Default::default(),
            output_schema: None,
            toolset: String::new(),
            scopes: Vec::new(),
            risk,
            examples: Vec::new(),
            confirm: String::new(),
            calls_per_minute: 0,
            briefs: Default::default(),
        }
    }

    #[track_caller]
    fn check(tools: AgentTools, expected: &str) {
        let exposed = [
            tool("t.list", Side::Query, RiskTier::Low),
            tool("t.create", Side::Command, RiskTier::Medium),
            tool("t.submitA", Side::Command, RiskTier::High),
            tool("t.promote", Side::Command, RiskTier::Critical),
        ];
        let left: Vec<&str> =
            exposed.iter().filter(|tool| tools.permits(tool)).map(|tool| tool.name.as_str()).collect();
        assert_eq!(left.join(" "), expected, "{tools:?}");
    }

    fn tools(allow: &[&str], deny: &[&str]) -> AgentTools {
        let own = |patterns: &[&str]| patterns.iter().map(|pattern| (*pattern).to_owned()).collect();
        AgentTools { allow: own(allow), deny: own(deny), ..AgentTools::default() }
    }

    //
    #[test]
    fn the_effective_set_is_exposed_and_allowed_and_not_denied() {
        check(tools(&["*"], &["t.submit*"]), "t.list t.create");
        check(tools(&["t.list", "t.gone"], &[]), "t.list");
        check(tools(&["*"], &["*"]), "");
        check(tools(&[], &[]), "");
        check(tools(&["t.submitA"], &["t.submit*"]), "");
    }

    #[test]
    fn an_agent_calls_nothing_of_a_higher_risk_than_its_own() {
        let at = |tier| AgentTools { risk_tier: Some(tier), ..tools(&["*"], &[]) };
        check(at(RiskTier::Low), "t.list");
        check(at(RiskTier::Medium), "t.list t.create");
        check(at(RiskTier::High), "t.list t.create t.submitA");
        check(tools(&["*"], &[]), "t.list t.create t.submitA");
        check(AgentTools { reads_only: true, ..tools(&["*"], &[]) }, "t.list");
    }
}
