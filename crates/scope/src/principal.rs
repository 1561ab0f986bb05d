//! Who makes a call, and the walls the call stays inside.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Deref;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{RepositoryId, TenantId};

/// What sort of caller this is. Governance treats a person and an agent differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PrincipalKind {
    User,
    Service,
    Agent,
}

/// A set of words that is shared when it is cloned: a caller is handed on several times in each call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "BTreeSet<String>", into = "BTreeSet<String>")]
pub struct Words(Arc<BTreeSet<String>>);

impl Deref for Words {
    type Target = BTreeSet<String>;
    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl From<BTreeSet<String>> for Words {
    fn from(words: BTreeSet<String>) -> Self {
        Self(Arc::new(words))
    }
}

impl From<Words> for BTreeSet<String> {
    fn from(words: Words) -> Self {
        Arc::unwrap_or_clone(words.0)
    }
}

impl FromIterator<String> for Words {
    fn from_iter<I: IntoIterator<Item = String>>(words: I) -> Self {
        words.into_iter().collect::<BTreeSet<String>>().into()
    }
}

/// An authenticated caller. Made by admission only, from the credential and never from arguments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Principal {
    /// Who vouches for the subject: a token issuer, or `local` for the process owner.
    pub issuer: String,
    pub subject: String,
    pub kind: PrincipalKind,
    pub roles: Words,
    pub scopes: Words,
    /// The types of agent that the credential lets it act as, where it names any.
    #[serde(default)]
    pub agents: Words,
}

impl Principal {
    /// The owner of this machine: every role, direct commits.
    pub fn local(subject: impl Into<String>) -> Self {
        let words = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect();
        Self {
            issuer: "local".to_owned(),
            subject: subject.into(),
            kind: PrincipalKind::User,
            roles: words(&["admin"]),
            scopes: words(&["mcp:tools", "mcp:resources", "transformation:write"]),
            agents: Words::default(),
        }
    }

    /// One text that names the person behind the call: an agent of a person acts for that person.
    pub fn person(&self) -> String {
        let subject = match self.kind {
            PrincipalKind::Agent => self.subject.strip_suffix(AGENT).unwrap_or(&self.subject),
            _ => &self.subject,
        };
        self.named(&of_no_agent(subject))
    }

    /// One text that names this caller and no other: it keys idempotency and audit.
    pub fn id(&self) -> String {
        match self.kind {
            PrincipalKind::Agent => self.named(&self.subject),
            _ => self.named(&of_no_agent(&self.subject)),
        }
    }

    fn named(&self, subject: &str) -> String {
        format!("{}|{subject}", self.issuer)
    }
}

/// What the subject of a person's agent ends with.
const AGENT: &str = "/agent";
/// What marks a subject that only looks like that.
const NO_AGENT: &str = "/user";

/// The subject of somebody who is no agent. One that reads like an agent's is marked, and so is one that reads like a marked
/// one, so that no two callers have the same.
fn of_no_agent(subject: &str) -> Cow<'_, str> {
    let marked = subject.trim_end_matches(NO_AGENT).ends_with(AGENT);
    if marked { Cow::Owned(format!("{subject}{NO_AGENT}")) } else { Cow::Borrowed(subject) }
}

/// The walls of one call: everything it reads or writes lies inside.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scope {
    pub tenant: TenantId,
    pub organization: String,
    pub repository: RepositoryId,
}

impl Scope {
    /// The scope of a machine with one owner: tenant `local`, organization and repository `default`.
    pub fn local() -> Self {
        Self {
            tenant: TenantId::new("local").expect("a literal that is a valid id"),
            organization: "default".to_owned(),
            repository: RepositoryId::new("default").expect("a literal that is a valid id"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_acts_for_its_person() {
        let owner = Principal::local("ann");
        let agent = Principal { subject: "ann/agent".to_owned(), kind: PrincipalKind::Agent, ..owner.clone() };
        let namesake = Principal { subject: "ann/agent".to_owned(), ..owner.clone() };
        assert_eq!(agent.person(), owner.person());
        assert_ne!(agent.id(), owner.id());
        assert_ne!(namesake.person(), owner.person());
    }

    #[test]
    fn no_two_callers_have_one_id() {
        let subjects = ["ann", "ann/agent", "ann/agent/user", "ann/agent/agent", "ann/user", "ann/agent/user/user"];
        let callers = subjects.iter().flat_map(|subject| {
            [PrincipalKind::User, PrincipalKind::Agent].map(|kind| Principal { kind, ..Principal::local(*subject) })
        });
        // An agent's subject ends as one.
        let callers: Vec<Principal> =
            callers.filter(|caller| caller.kind == PrincipalKind::User || caller.subject.ends_with("/agent")).collect();
        let ids: BTreeSet<String> = callers.iter().map(Principal::id).collect();
        assert_eq!(ids.len(), callers.len(), "{ids:?}");
        assert_eq!(Principal::local("ann").id(), "local|ann");
        let namesake = Principal::local("ann/agent");
        let agent = Principal { kind: PrincipalKind::Agent, ..Principal::local("ann/agent/agent") };
        assert_eq!(agent.person(), namesake.person());
    }
}
