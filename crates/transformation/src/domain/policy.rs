//! Who may do what at once, who must ask, and who may decide. A pure function of the caller and the settings.

use contract::RiskTier;
use scope::{Principal, PrincipalKind};
use serde::{Deserialize, Serialize};

/// The scope that lets a person commit.
pub const WRITE_SCOPE: &str = "transformation:write";
/// The scope that lets a caller without a write role propose.
pub const PROPOSE_SCOPE: &str = "transformation:propose";

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

/// Decides how a write of this risk by this caller is made.
pub fn rule(governance: &Governance, principal: &Principal, tier: RiskTier, mode: Mode) -> Ruling {
    let (most, reason) = most(governance, principal, tier);
    Ruling { way: asked_for(most, mode), reason: reason.to_owned() }
}

/// The way that a mode asks for, within the most that is permitted; a commit never becomes a proposal silently.
fn asked_for(most: Option<Way>, mode: Mode) -> Option<Way> {
    match (most, mode) {
        (Some(_), Mode::Propose) => Some(Way::Propose),
        (Some(Way::Propose), Mode::Commit) => None,
        (most, _) => most,
    }
}

/// The most that a caller may do, and why.
fn most(governance: &Governance, principal: &Principal, tier: RiskTier) -> (Option<Way>, &'static str) {
    let has = |roles: &[&str]| roles.iter().any(|role| principal.roles.contains(*role));
    let (steward, writer) = (has(&["admin", "curator"]), has(&["architect", "contributor"]));
    let machine = principal.kind != PrincipalKind::User;
    if !(steward || writer || machine && has(&["service"])) {
        return match has(&["viewer", "analyst"]) && governance.readers_propose
            || principal.scopes.contains(PROPOSE_SCOPE) && !principal.roles.is_empty()
        {
            true => (Some(Way::Propose), "readers may propose"),
            false => (None, "the caller has no role that may write"),
        };
    }
    if governance.default == Posture::Direct {
        return (Some(Way::Commit), "governance is direct");
    }
    if machine {
        return (Some(Way::Propose), "agents and services propose");
    }
    if !principal.scopes.contains(WRITE_SCOPE) {
        return (Some(Way::Propose), "the caller lacks the scope transformation:write");
    }
    match steward {
        true => (Some(Way::Commit), "admins and curators commit"),
        false if tier <= governance.direct_tier => (Some(Way::Commit), "the risk is within what writers commit"),
        false => (Some(Way::Propose), "the risk is above what writers commit"),
    }
}

/// Decides how a write of a Scrum team is made. `fits` says whether one of the caller's roles in the team covers it.
pub fn rule_scrum(governance: &Governance, principal: &Principal, fits: bool, mode: Mode) -> Ruling {
    let reviewed = governance.default == Posture::Review && principal.kind != PrincipalKind::User;
    let (most, reason) = match (fits, reviewed) {
        (true, false) => (Some(Way::Commit), "the caller's role in the team covers it".to_owned()),
        (true, true) => (Some(Way::Propose), "agents and services propose".to_owned()),
        // Whoever may propose a change of the model may propose one of the backlog.
        (false, _) => {
            let ruling = rule(governance, principal, RiskTier::Medium, Mode::Propose);
            (ruling.way, ruling.reason)
        }
    };
    Ruling { way: asked_for(most, mode), reason }
}

/// Whether a caller may decide proposals and baselines: a person with a steward's role, never a machine.
pub fn may_approve(principal: &Principal) -> bool {
    principal.kind == PrincipalKind::User
        && ["admin", "curator"].iter().any(|role| principal.roles.contains(*role))
        && principal.scopes.contains(WRITE_SCOPE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caller(kind: PrincipalKind, roles: &[&str], scopes: &[&str]) -> Principal {
        let words = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect();
        Principal { kind, roles: words(roles), scopes: words(scopes), ..Principal::local("someone") }
    }

    // R-831 (transformation): the table of A13, row by row.
    #[test]
    fn the_table_of_who_commits_and_who_proposes() {
        use PrincipalKind::{Agent, Service, User};
        use RiskTier::{Critical, High, Low, Medium};
        let write: &[&str] = &[WRITE_SCOPE];
        for (kind, roles, scopes, tier, expected) in [
            (User, &["architect"][..], write, Low, Some(Way::Commit)),
            (User, &["architect"], write, Medium, Some(Way::Commit)),
            (User, &["contributor"], write, Medium, Some(Way::Commit)),
            (User, &["architect"], write, High, Some(Way::Propose)),
            (User, &["contributor"], write, Critical, Some(Way::Propose)),
            (User, &["architect"], &[], Low, Some(Way::Propose)),
            (User, &["admin"], &[], Low, Some(Way::Propose)),
            (User, &["admin"], write, Critical, Some(Way::Commit)),
            (User, &["curator"], write, High, Some(Way::Commit)),
            (Agent, &["admin"], write, Low, Some(Way::Propose)),
            (Service, &["service"], write, Medium, Some(Way::Propose)),
            (User, &["service"], write, Low, None),
            (User, &["viewer"], write, Low, None),
            (User, &["analyst"], &[], Low, None),
            (User, &["guest"], write, Low, None),
            (User, &["no-such-role"], write, Low, None),
            (User, &[], write, Low, None),
            (User, &["viewer"], &[PROPOSE_SCOPE], Low, Some(Way::Propose)),
        ] {
            let ruling = rule(&Governance::default(), &caller(kind, roles, scopes), tier, Mode::Auto);
            assert_eq!(ruling.way, expected, "{kind:?} {roles:?} {scopes:?} {tier:?}: {}", ruling.reason);
        }
    }

    #[test]
    fn settings_widen_what_is_permitted() {
        let agent = caller(PrincipalKind::Agent, &["service"], &[]);
        let direct = Governance { default: Posture::Direct, ..Governance::default() };
        assert_eq!(rule(&direct, &agent, RiskTier::High, Mode::Auto).way, Some(Way::Commit));
        let viewer = caller(PrincipalKind::User, &["viewer"], &[]);
        assert_eq!(rule(&direct, &viewer, RiskTier::Low, Mode::Auto).way, None);
        let open = Governance { readers_propose: true, ..Governance::default() };
        assert_eq!(rule(&open, &viewer, RiskTier::Low, Mode::Auto).way, Some(Way::Propose));
        let architect = caller(PrincipalKind::User, &["architect"], &[WRITE_SCOPE]);
        let bold = Governance { direct_tier: RiskTier::High, ..Governance::default() };
        assert_eq!(rule(&bold, &architect, RiskTier::High, Mode::Auto).way, Some(Way::Commit));
    }

    //
    #[test]
    fn a_mode_is_never_downgraded_silently() {
        let agent = caller(PrincipalKind::Agent, &["service"], &[]);
        assert_eq!(rule(&Governance::default(), &agent, RiskTier::Low, Mode::Commit).way, None);
        let owner = Principal::local("owner");
        assert_eq!(rule(&Governance::default(), &owner, RiskTier::Low, Mode::Propose).way, Some(Way::Propose));
        assert_eq!(rule(&Governance::default(), &owner, RiskTier::Critical, Mode::Commit).way, Some(Way::Commit));
    }

    //
    #[test]
    fn only_people_who_are_stewards_decide() {
        assert!(may_approve(&Principal::local("owner")));
        assert!(!may_approve(&caller(PrincipalKind::Agent, &["admin"], &[WRITE_SCOPE])));
        assert!(!may_approve(&caller(PrincipalKind::Service, &["curator"], &[WRITE_SCOPE])));
        assert!(!may_approve(&caller(PrincipalKind::User, &["architect"], &[WRITE_SCOPE])));
        assert!(!may_approve(&caller(PrincipalKind::User, &["curator"], &[])));
    }
}
