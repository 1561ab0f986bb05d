use super::*;
use crate::testing::context;

const SCOPES: WriteScopes = WriteScopes { write: "model:write", propose: "model:propose" };

fn policy(governance: Governance) -> Policy {
    Policy::new(governance, SCOPES, &Manifest::default())
}

fn caller(kind: PrincipalKind, roles: &[&str], scopes: &[&str]) -> Principal {
    let words = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect();
    Principal { kind, roles: words(roles), scopes: words(scopes), ..Principal::local("someone") }
}

fn owner() -> Principal {
    caller(PrincipalKind::User, &["admin"], &[SCOPES.write])
}

// R-831 (transformation): the table of A13, row by row.
#[test]
fn the_table_of_who_commits_and_who_proposes() {
    use PrincipalKind::{Agent, Service, User};
    use RiskTier::{Critical, High, Low, Medium};
    let write: &[&str] = &[SCOPES.write];
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
        (User, &["viewer"], &[SCOPES.propose], Low, Some(Way::Propose)),
    ] {
        let ruling = policy(Governance::default()).rule(&caller(kind, roles, scopes), tier, Mode::Auto);
        assert_eq!(ruling.way, expected, "{kind:?} {roles:?} {scopes:?} {tier:?}: {}", ruling.reason);
    }
}

//
#[test]
fn settings_widen_what_is_permitted() {
    let agent = caller(PrincipalKind::Agent, &["service"], &[]);
    let direct = policy(Governance { default: Posture::Direct, ..Governance::default() });
    assert_eq!(direct.rule(&agent, RiskTier::High, Mode::Auto).way, Some(Way::Commit));
    let viewer = caller(PrincipalKind::User, &["viewer"], &[]);
    assert_eq!(direct.rule(&viewer, RiskTier::Low, Mode::Auto).way, None);
    let open = policy(Governance { readers_propose: true, ..Governance::default() });
    assert_eq!(open.rule(&viewer, RiskTier::Low, Mode::Auto).way, Some(Way::Propose));
    let architect = caller(PrincipalKind::User, &["architect"], &[SCOPES.write]);
    let bold = policy(Governance { direct_tier: RiskTier::High, ..Governance::default() });
    assert_eq!(bold.rule(&architect, RiskTier::High, Mode::Auto).way, Some(Way::Commit));
}

//
#[test]
fn a_mode_is_never_downgraded_silently() {
    let policy = policy(Governance::default());
    let agent = caller(PrincipalKind::Agent, &["service"], &[]);
    assert_eq!(policy.rule(&agent, RiskTier::Low, Mode::Commit).way, None);
    assert_eq!(policy.rule(&owner(), RiskTier::Low, Mode::Propose).way, Some(Way::Propose));
    assert_eq!(policy.rule(&owner(), RiskTier::Critical, Mode::Commit).way, Some(Way::Commit));
}

//
#[test]
fn only_people_who_are_stewards_decide() {
    let policy = policy(Governance::default());
    assert!(policy.may_approve(&owner()));
    assert!(!policy.may_approve(&caller(PrincipalKind::Agent, &["admin"], &[SCOPES.write])));
    assert!(!policy.may_approve(&caller(PrincipalKind::Service, &["curator"], &[SCOPES.write])));
    assert!(!policy.may_approve(&caller(PrincipalKind::User, &["architect"], &[SCOPES.write])));
    assert!(!policy.may_approve(&caller(PrincipalKind::User, &["curator"], &[])));
}

#[test]
fn without_review_machines_commit_what_is_of_little_risk_and_the_rest_is_refused_with_who_may() {
    let agent = caller(PrincipalKind::Agent, &["service"], &[]);
    let ruled = |principal: &Principal, tier: RiskTier| {
        let ctx = context();
        let ruling = policy(Governance::default()).rule_without_review(principal, tier);
        let outcome = ruling.commit_or_refuse(&ctx, "entity_id").map_err(|failure| failure.to_string());
        (outcome, ctx.verdict.get().unwrap_or_default().to_owned())
    };
    let within = "commit: the risk is within what agents and services commit".to_owned();
    assert_eq!(ruled(&agent, RiskTier::Medium), (Ok(()), within));
    let above = "the risk is above what agents and services commit";
    let refused = (Err(format!("You may not make this write: {above}")), format!("deny: {above}"));
    assert_eq!(ruled(&agent, RiskTier::High), refused);
    assert_eq!(ruled(&owner(), RiskTier::Critical).0, Ok(()));
    assert!(ruled(&caller(PrincipalKind::User, &["viewer"], &[]), RiskTier::Low).0.is_err());
}

#[test]
fn the_risk_of_an_operation_is_what_its_tool_publishes() {
    let manifest: Manifest = serde_json::from_value(serde_json::json!({
        "name": "model",
        "tools": [{
            "name": "model.rename", "description": "", "cqrs_side": "command", "inputSchema": {}, "risk": "LOW",
            "hints": {"readOnlyHint": false, "destructiveHint": false, "idempotentHint": false, "openWorldHint": false},
        }],
    }))
    .unwrap();
    let policy = Policy::new(Governance::default(), SCOPES, &manifest);
    assert_eq!((policy.tier("rename"), policy.tier("unpublished")), (RiskTier::Low, RiskTier::High));
}
