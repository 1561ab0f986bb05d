//! Who makes a call, and the walls the call stays inside.

use std::collections::BTreeSet;

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

/// An authenticated caller. Made by admission only, from the credential and never from arguments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Principal {
    /// Who vouches for the subject: a token issuer, or `local` for the process owner.
    pub issuer: String,
    pub subject: String,
    pub kind: PrincipalKind,
    pub roles: BTreeSet<String>,
    pub scopes: BTreeSet<String>,
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
        }
    }

    /// One text that names this caller and no other: it keys idempotency and audit.
    pub fn id(&self) -> String {
        format!("{}|{}", self.issuer, self.subject)
    }
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
