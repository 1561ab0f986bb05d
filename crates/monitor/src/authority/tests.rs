//! The matrix, and who may act as what.

use std::collections::BTreeSet;

use contract::generated::monitor::manifest;
use scope::{PrincipalKind, Words};

use super::*;

//
#[test]
fn the_most_specific_row_wins_and_what_has_none_is_denied() {
    for (tool, expected) in [
        ("neo4j_create_entity", "CanonKeeper"),
        ("neo4j_create_story", "CanonKeeper Orchestrator"),
        ("neo4j_create_story_arc", "CanonKeeper"),
        ("neo4j_update_entity_state", "CanonKeeper"),
        ("mongodb_append_turn", "Narrator Orchestrator"),
        ("neo4j_delete_entity", ""),
        ("mongodb_create_anything", ""),
        ("neo4j_", ""),
        ("", ""),
    ] {
        assert_eq!(names(allowed(tool)).join(" "), expected, "{tool}");
    }
}

#[test]
fn every_tool_has_a_row_and_every_exact_row_a_tool() {
    let tools: BTreeSet<String> = manifest().tools.into_iter().map(|tool| tool.name).collect();
    let orphans: Vec<&String> = tools.iter().filter(|tool| allowed(tool).is_empty()).collect();
    assert!(orphans.is_empty(), "{orphans:?}");
    let exact = MATRIX.iter().map(|(name, _)| *name).filter(|name| !name.ends_with('*'));
    let unknown: Vec<&str> = exact.filter(|name| !tools.contains(*name)).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}

fn holder(issuer: &str, roles: &[&str], agents: &[&str]) -> Principal {
    let words = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect::<Words>();
    Principal {
        issuer: issuer.to_owned(),
        kind: PrincipalKind::Agent,
        roles: words(roles),
        agents: words(agents),
        ..Principal::local("someone")
    }
}

//
#[test]
fn a_credential_says_as_what_its_holder_may_act() {
    let check = |issuer: &str, roles: &[&str], agents: &[&str], expected: &str| {
        let permitted = permitted(&holder(issuer, roles, agents));
        assert_eq!(names(&permitted).join(" "), expected, "{issuer} {roles:?} {agents:?}");
    };
    let all = "Orchestrator CanonKeeper Narrator ContextAssembly Resolver MemoryManager Indexer";
    check("local", &["admin"], &[], all);
    check("https://id.example.org", &["admin"], &[], all);
    check("https://id.example.org", &["contributor"], &[], "");
    check("https://id.example.org", &["service"], &["Narrator"], "Narrator");
    check("https://id.example.org", &["service"], &["narrator", "GM"], "");
    check("https://id.example.org", &["viewer"], &["CanonKeeper", "ContextAssembly"], "ContextAssembly");
    check("https://id.example.org", &["viewer"], &[], "ContextAssembly");
    check("local", &["admin"], &["Resolver", "Indexer"], "Resolver Indexer");
}

//
#[test]
fn the_caller_chooses_among_what_the_credential_allows() {
    let check = |agents: &[&str], claimed: Option<&str>, usual: Option<AgentType>, expected: &str| {
        let own = permitted(&holder("token", &["service"], agents));
        let kind = match (claimed, own.as_slice()) {
            (Some(claimed), own) => chosen(claimed, own),
            (None, [only]) => Ok(*only),
            (None, own) => usual.filter(|usual| own.contains(usual)).ok_or_else(|| no_choice(own)),
        };
        assert_eq!(kind.map(AgentType::as_str).map_err(|error| error.to_string()), expected_of(expected));
    };
    check(&["Narrator"], None, None, "Narrator");
    check(&["Narrator", "Resolver"], Some("Resolver"), None, "Resolver");
    check(&["Narrator", "Resolver"], None, Some(Resolver), "Resolver");
    check(&["Narrator", "Resolver"], None, Some(CanonKeeper), "!No agent type was chosen");
    check(&["Narrator", "Resolver"], None, None, "!No agent type was chosen");
    check(&["Narrator"], Some("CanonKeeper"), None, "!Your credential does not allow agent type 'CanonKeeper'");
    check(&["Narrator"], Some("narrator"), None, "!There is no agent type 'narrator'");
    check(&[], None, None, "!Your credential allows no agent type");
}

fn expected_of(text: &str) -> Result<&str, String> {
    text.strip_prefix('!').map_or(Ok(text), |refusal| Err(refusal.to_owned()))
}
