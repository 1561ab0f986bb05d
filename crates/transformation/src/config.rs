//! What an operator can choose.

use serde::{Deserialize, Serialize};

use crate::domain::policy::Governance;
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
