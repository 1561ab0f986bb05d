//! What an operator can choose.

use std::sync::LazyLock;

use contract::Manifest;
use contract::generated::transformation::manifest;
use serde::{Deserialize, Serialize};

use crate::domain::policy::{Governance, Policy, SCOPES};
use crate::metamodel::Profile;

/// Settings of this capability.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The metamodel profile: `ameide` (default) or `archimate-3.2-strict`.
    pub profile: Profile,
    /// Who commits, who proposes, who decides.
    pub governance: Governance,
}

impl Config {
    /// The policy that the settings make of what the tools publish.
    pub fn policy(&self) -> Policy {
        static PUBLISHED: LazyLock<Manifest> = LazyLock::new(manifest);
        Policy::new(self.governance.clone(), SCOPES, &PUBLISHED)
    }
}
