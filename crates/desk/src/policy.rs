//! Who may do what at once, who must ask, and who may decide. Pure functions of the caller and the settings, for every
//! write of every capability.

use std::collections::BTreeMap;
use std::sync::Arc;

use contract::{Context, Manifest, RiskTier};
use scope::{Principal, PrincipalKind};
use serde::{Deserialize, Serialize};

use crate::Failure;

/// How writes are governed; an operator's choice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Governance {
    pub default: Posture,
    /// The highest risk that architects and contributors commit without review.
    pub direct_tier: RiskTier,
    /// Whether those who may only read may propose.
    pub readers_propose: bool,
    /// Whether a person may approve what the same person proposed.
    pub self_approval: bool,
    /// How many approvals a proposal of low risk needs; the others likewise.
    pub approvals_low: u32,
    pub approvals_med: u32,
    pub approvals_high: u32,
}

/// Where writes go when nothing else is said.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Posture {
    /// Proposals, unless role and scope permit a commit.
    #[default]
    Review,
    /// Everyone who may write commits.
    Direct,
}

impl Default for Governance {
    fn default() -> Self {
        Self {
            default: Posture::default(),
            direct_tier: RiskTier::Medium,
            readers_propose: false,
            self_approval: false,
            approvals_low: 1,
            approvals_med: 1,
            approvals_high: 1,
        }
    }
}

/// The scopes that a capability's writes ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WriteScopes {
    /// Lets a person commit.
    pub write: &'static str,
    /// Lets a caller without a write role propose.
    pub propose: &'static str,
}

/// How a caller wants a write to be made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    /// As policy says.
    #[default]
    Auto,
    Commit,
    Propose,
}

/// What becomes of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    Commit,
    Propose,
}

/// A decision of the policy and its reason, in words for the audit record and for refusals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ruling {
    /// None when the caller may not write at all, or not in the mode asked for.
    pub way: Option<Way>,
    pub reason: String,
}

impl Ruling {
    /// The most that is permitted, within what `mode` asks for; a commit never becomes a proposal silently.
    pub fn new(most: Option<Way>, mode: Mode, reason: impl Into<String>) -> Self {
        let way = match (most, mode) {
            (Some(_), Mode::Propose) => Some(Way::Propose),
            (Some(Way::Propose), Mode::Commit) => None,
            (most, _) => most,
        };
        Self { way, reason: reason.into() }
    }

    /// The way that was ruled, noted for the audit record; or the refusal.
    pub fn carry_out(self, ctx: &Context, mode: Mode) -> Result<Way, Failure> {
        let word = match self.way {
            None => "deny",
            Some(Way::Commit) => "commit",
            Some(Way::Propose) => "propose",
        };
        ctx.verdict.say(format!("{word}: {}", self.reason));
        // Only a commit that was asked for is refused to those who may propose.
        let (act, fix) = match mode {
            Mode::Commit => ("commit this write", "leave commit_mode out, or give propose, to file it for review"),
            Mode::Auto | Mode::Propose => ("write here", "ask an administrator for a role that may write"),
        };
        self.way.ok_or_else(|| Failure::NotPermitted {
            field: "commit_mode",
            act: act.to_owned(),
            reason: self.reason,
            fix: fix.to_owned(),
        })
    }

    /// The same for a capability that files no proposals: what must be proposed is refused.
    pub fn commit_or_refuse(self, ctx: &Context, field: &'static str) -> Result<(), Failure> {
        let word = if self.way == Some(Way::Commit) { "commit" } else { "deny" };
        ctx.verdict.say(format!("{word}: {}", self.reason));
        if self.way == Some(Way::Commit) {
            return Ok(());
        }
        Err(Failure::NotPermitted {
            field,
            act: "make this write".to_owned(),
            reason: self.reason,
            fix: "ask a person with the role admin or curator to make it".to_owned(),
        })
    }
}

/// The policy of one capability: what the operator chose, and the risk of each operation as its tools publish it.
#[derive(Debug, Clone)]
pub struct Policy {
    pub governance: Governance,
    scopes: WriteScopes,
    tiers: Arc<BTreeMap<String, RiskTier>>,
}

impl Policy {
    pub fn new(governance: Governance, scopes: WriteScopes, manifest: &Manifest) -> Self {
        let prefix = format!("{}.", manifest.name);
        let tier = |tool: &contract::Tool| {
            let operation = tool.name.strip_prefix(&prefix).unwrap_or(&tool.name);
            (operation.to_owned(), tool.risk)
        };
        Self { governance, scopes, tiers: Arc::new(manifest.tools.iter().map(tier).collect()) }
    }

    /// The risk of an operation, which is named without its capability; one that no tool publishes is of high risk.
    pub fn tier(&self, operation: &str) -> RiskTier {
        self.tiers.get(operation).copied().unwrap_or(RiskTier::High)
    }

    /// Decides how a write of this risk by this caller is made.
    pub fn rule(&self, principal: &Principal, tier: RiskTier, mode: Mode) -> Ruling {
        let (most, reason) = self.most(principal, tier);
        Ruling::new(most, mode, reason)
    }

    /// The same for a capability that files no proposals. Machines commit there too, as far as writers do.
    pub fn rule_without_review(&self, principal: &Principal, tier: RiskTier) -> Ruling {
        let (most, reason) = match self.most(principal, tier) {
            (Some(Way::Propose), _) if tier <= self.governance.direct_tier && is_machine(principal) => {
                (Some(Way::Commit), "the risk is within what agents and services commit".to_owned())
            }
            (Some(Way::Propose), _) if is_machine(principal) => {
                (Some(Way::Propose), "the risk is above what agents and services commit".to_owned())
            }
            ruled => ruled,
        };
        Ruling::new(most, Mode::Auto, reason)
    }

    /// Whether a caller may decide proposals: a person with a steward's role, never a machine.
    pub fn may_approve(&self, principal: &Principal) -> bool {
        may_approve(self.scopes, principal)
    }

    /// The most that a caller may do, and why.
    fn most(&self, principal: &Principal, tier: RiskTier) -> (Option<Way>, String) {
        let governance = &self.governance;
        let (steward, writer) = (has(principal, &["admin", "curator"]), has(principal, &["architect", "contributor"]));
        let machine = is_machine(principal);
        if !(steward || writer || machine && has(principal, &["service"])) {
            return match has(principal, &["viewer", "analyst"]) && governance.readers_propose
                || principal.scopes.contains(self.scopes.propose) && !principal.roles.is_empty()
            {
                true => (Some(Way::Propose), "readers may propose".to_owned()),
                false => (None, "the caller has no role that may write".to_owned()),
            };
        }
        if governance.default == Posture::Direct {
            return (Some(Way::Commit), "governance is direct".to_owned());
        }
        if machine {
            return (Some(Way::Propose), "agents and services propose".to_owned());
        }
        if !principal.scopes.contains(self.scopes.write) {
            return (Some(Way::Propose), format!("the caller lacks the scope {}", self.scopes.write));
        }
        match steward {
            true => (Some(Way::Commit), "admins and curators commit".to_owned()),
            false if tier <= governance.direct_tier => {
                (Some(Way::Commit), "the risk is within what writers commit".to_owned())
            }
            false => (Some(Way::Propose), "the risk is above what writers commit".to_owned()),
        }
    }
}

/// Whether a caller may decide what others proposed: a person with a steward's role, never a machine.
pub fn may_approve(scopes: WriteScopes, principal: &Principal) -> bool {
    !is_machine(principal) && has(principal, &["admin", "curator"]) && principal.scopes.contains(scopes.write)
}

fn is_machine(principal: &Principal) -> bool {
    principal.kind != PrincipalKind::User
}

fn has(principal: &Principal, roles: &[&str]) -> bool {
    roles.iter().any(|role| principal.roles.contains(*role))
}

#[cfg(test)]
mod tests;
