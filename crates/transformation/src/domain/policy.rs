//! What this capability adds to the policy that all share: its scopes, and who may write about a Scrum team.

use contract::RiskTier;
use scope::{Principal, PrincipalKind};

pub use desk::policy::{Governance, Mode, Policy, Posture, Ruling, Way, WriteScopes};

/// The scopes that writes ask for.
pub const SCOPES: WriteScopes = WriteScopes { write: "transformation:write", propose: "transformation:propose" };

/// Decides how a write of a Scrum team is made. `fits` says whether one of the caller's roles in the team covers it.
pub fn rule_scrum(policy: &Policy, principal: &Principal, fits: bool, mode: Mode) -> Ruling {
    let reviewed = policy.governance.default == Posture::Review && principal.kind != PrincipalKind::User;
    match (fits, reviewed) {
        (true, false) => Ruling::new(Some(Way::Commit), mode, "the caller's role in the team covers it"),
        (true, true) => Ruling::new(Some(Way::Propose), mode, "agents and services propose"),
        // Whoever may propose a change of the model may propose one of the backlog.
        (false, _) => {
            let ruling = policy.rule(principal, RiskTier::Medium, Mode::Propose);
            Ruling::new(ruling.way, mode, ruling.reason)
        }
    }
}

/// Whether a caller may decide proposals and baselines: a person with a steward's role, never a machine.
pub fn may_approve(principal: &Principal) -> bool {
    desk::policy::may_approve(SCOPES, principal)
}
