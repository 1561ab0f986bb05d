//! Who commits, who proposes, and how proposals are decided.

use contract::generated::transformation::{
    ApproveProposalRequest, ProposalWriteService, RebaseProposalRequest, RejectProposalRequest, RiskLevel,
    TriageProposalRequest, WithdrawProposalRequest,
};
use contract::{CallError, Capability};
use scope::PrincipalKind;
use serde_json::{Value, json};
use transformation::Config;
use transformation::domain::policy::Governance;

use crate::world::{World, column, outcome};

pub async fn propose(agent: &World, name: &str) -> Value {
    agent.call("createElement", json!({"type": "ApplicationComponent", "name": name, "description": "d"})).await
}

pub fn id(answer: &Value) -> String {
    answer["proposal"]["id"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

pub async fn approve(world: &World, proposal: &str) -> Value {
    let request = ApproveProposalRequest {
        proposal_id: proposal.to_owned(),
        rationale: Some("fits".to_owned()),
        ..Default::default()
    };
    shown(world, world.capability.proposals().approve_proposal(&world.ctx(), request).await)
}

async fn reject(world: &World, proposal: &str, rationale: &str) -> Value {
    let request = RejectProposalRequest { proposal_id: proposal.to_owned(), rationale: rationale.to_owned() };
    shown(world, world.capability.proposals().reject_proposal(&world.ctx(), request).await)
}

pub async fn rebase(world: &World, proposal: &str) -> Value {
    let request = RebaseProposalRequest { proposal_id: proposal.to_owned(), ..Default::default() };
    shown(world, world.capability.proposals().rebase_proposal(&world.ctx(), request).await)
}

async fn withdraw(world: &World, proposal: &str) -> Value {
    let request = WithdrawProposalRequest { proposal_id: proposal.to_owned(), rationale: None };
    shown(world, world.capability.proposals().withdraw_proposal(&world.ctx(), request).await)
}

fn shown(world: &World, answer: Result<impl serde::Serialize, CallError>) -> Value {
    answer.map_or_else(
        |error| world.capability.envelope(&world.ctx().request, &error),
        |answer| serde_json::to_value(answer).unwrap(),
    )
}

pub async fn names(world: &World) -> Vec<String> {
    let answer = world.call("listElements", json!({"model_id": "default"})).await;
    column(&answer["elements"], "name").into_iter().map(str::to_owned).collect()
}

//
#[tokio::test]
async fn an_agents_write_is_filed_and_the_model_stays_as_it_was() {
    let world = World::new().await;
    let agent = world.as_agent();
    let before = world.facts().await;
    let answer = propose(&agent, "Billing").await;
    assert_eq!(answer["outcome"], "proposed");
    assert_eq!(answer["proposal"]["status"], "PROPOSED");
    assert_eq!(answer["proposal"]["risk_level"], "med");
    assert_eq!(answer["element"]["version"], 0);
    assert_eq!(names(&world).await, Vec::<String>::new());
    let facts = world.ledger.facts(&world.scope.tenant, before as u64, 10).await.unwrap();
    let kinds: Vec<&str> = facts.iter().map(|fact| fact.kind.as_str()).collect();
    assert_eq!(kinds, ["transformation.ProposalCreated"]);
}

//
#[tokio::test]
async fn an_accepted_proposal_makes_exactly_what_was_shown_with_its_decision() {
    let world = World::new().await;
    let answer = propose(&world.as_agent(), "Billing").await;
    let proposal = id(&answer);
    let reserved = answer["element"]["id"].as_str().unwrap().to_owned();
    let before = world.facts().await;
    let decided = approve(&world, &proposal).await;
    assert_eq!((&decided["outcome"], &decided["proposal"]["status"]), (&json!("committed"), &json!("ACCEPTED")));
    let facts = world.ledger.facts(&world.scope.tenant, before as u64, 10).await.unwrap();
    let kinds: Vec<&str> = facts.iter().map(|fact| fact.kind.as_str()).collect();
    let expected =
        ["transformation.ElementCreated", "transformation.ProposalAccepted", "transformation.GateDecisionRecorded"];
    assert_eq!(kinds, expected);
    let listed = world.call("listElements", json!({"model_id": "default"})).await;
    assert_eq!(listed["elements"][0]["id"], reserved.as_str());
    assert_eq!(listed["elements"][0]["version"], 1);
    let shown = world.call("getProposal", json!({"proposal_id": proposal})).await;
    assert_eq!(shown["proposal"]["decision"]["verdict"], "accepted");
    assert_eq!(shown["proposal"]["decision"]["rationale"], "fits");
    assert_eq!(shown["proposal"]["accepted_as"], json!([format!("{reserved}@1")]));
    let again = approve(&world, &proposal).await;
    assert_eq!(outcome(&again), "PROPOSAL_STATE proposal_id");
}

//
#[tokio::test]
async fn a_stale_proposal_is_refused_and_can_be_rebased() {
    let world = World::new().await;
    let element = world.element("ApplicationComponent", "Billing").await;
    let change = json!({"id": element, "description": "from the agent"});
    let proposal = id(&world.as_agent().call("updateElement", change).await);
    world.call("updateElement", json!({"id": element, "properties": {"tier": 1}})).await;

    let refused = approve(&world, &proposal).await;
    assert_eq!(outcome(&refused), "PROPOSAL_STALE proposal_id");
    let target = &refused["error"]["details"]["targets"][0];
    assert_eq!(target["version_id"], format!("{element}@1"));
    assert_eq!(target["current_version_id"], format!("{element}@2"));
    let shown = world.call("getProposal", json!({"proposal_id": proposal})).await;
    assert_eq!(shown["proposal"]["stale"], true);

    let rebased = rebase(&world, &proposal).await;
    let next = rebased["proposal"]["id"].as_str().unwrap().to_owned();
    assert_eq!(rebased["proposal"]["rebase_of"], proposal.as_str());
    let old = world.call("getProposal", json!({"proposal_id": proposal})).await;
    assert_eq!((&old["proposal"]["status"], &old["proposal"]["rebased_to"]), (&json!("WITHDRAWN"), &json!(next)));

    let reviewer = world.as_principal("reviewer");
    assert_eq!(outcome(&approve(&reviewer, &next).await), "ok");
    let now = world.call("listElements", json!({"model_id": "default"})).await;
    assert_eq!(now["elements"][0]["description"], "from the agent");
    assert_eq!(now["elements"][0]["properties"]["tier"], 1);
}

// by the typed interface; `acceptance` of the server has the terminal.
#[tokio::test]
async fn agents_decide_nothing_and_no_tool_decides() {
    let world = World::new().await;
    let agent = world.as_agent();
    let proposal = id(&propose(&agent, "Billing").await);
    for caller in [agent.clone(), world.as_caller("bot", PrincipalKind::Service, &["admin"])] {
        assert_eq!(outcome(&approve(&caller, &proposal).await), "PERMISSION_DENIED -");
        assert_eq!(outcome(&reject(&caller, &proposal, "no").await), "PERMISSION_DENIED -");
    }
    for word in ["approve", "reject", "rebase", "withdraw", "accept", "triage"] {
        let tools = &world.capability.manifest().tools;
        assert!(tools.iter().all(|tool| !tool.name.to_lowercase().contains(word)), "{word}");
    }
}

//
#[tokio::test]
async fn a_rejection_needs_its_reason_and_keeps_it() {
    let world = World::new().await;
    let proposal = id(&propose(&world.as_agent(), "Billing").await);
    assert_eq!(outcome(&reject(&world, &proposal, "  ").await), "VALIDATION_ERROR rationale");
    assert_eq!(reject(&world, &proposal, "a duplicate of Invoicing").await["proposal"]["status"], "REJECTED");
    let shown = world.call("getProposal", json!({"proposal_id": proposal})).await;
    assert_eq!(shown["proposal"]["decision"]["rationale"], "a duplicate of Invoicing");
    assert_eq!(names(&world).await, Vec::<String>::new());
}

#[tokio::test]
async fn nobody_approves_a_proposal_of_their_own_unless_policy_allows_it() {
    let world = World::new().await;
    let proposal =
        id(&world.call("createElement", json!({"type": "Node", "name": "Host", "commit_mode": "propose"})).await);
    assert_eq!(outcome(&approve(&world, &proposal).await), "PERMISSION_DENIED proposal_id");
    assert_eq!(outcome(&approve(&world.as_principal("other"), &proposal).await), "ok");

    let governance = Governance { self_approval: true, ..Governance::default() };
    let alone = World::with(Config { governance, ..Config::default() }).await;
    let proposal =
        id(&alone.call("createElement", json!({"type": "Node", "name": "Host", "commit_mode": "propose"})).await);
    assert_eq!(outcome(&approve(&alone, &proposal).await), "ok");
}

#[tokio::test]
async fn high_risk_waits_for_as_many_people_as_policy_says() {
    let governance = Governance { approvals_high: 2, ..Governance::default() };
    let world = World::with(Config { governance, ..Config::default() }).await;
    let element = world.element("Node", "Host").await;
    let proposal = id(&world.as_agent().call("deleteElement", json!({"id": element})).await);
    let first = approve(&world, &proposal).await;
    assert_eq!((&first["outcome"], &first["proposal"]["status"]), (&json!("pending_approval"), &json!("IN_REVIEW")));
    assert_eq!(outcome(&approve(&world, &proposal).await), "PROPOSAL_STATE proposal_id");
    assert_eq!(names(&world).await, ["Host"]);
    assert_eq!(approve(&world.as_principal("second"), &proposal).await["outcome"], "committed");
    assert_eq!(names(&world).await, Vec::<String>::new());
}

//
#[tokio::test]
async fn a_commit_without_the_right_is_refused_with_the_way_to_propose() {
    let world = World::new().await;
    let agent = world.as_agent();
    let arguments = json!({"type": "Node", "name": "Host", "commit_mode": "commit"});
    let refused = agent.call("createElement", arguments.clone()).await;
    assert_eq!(outcome(&refused), "PERMISSION_DENIED commit_mode");
    assert!(refused["error"]["suggestions"]["hint"].as_str().unwrap().contains("propose"));
    let viewer = world.as_caller("viewer", PrincipalKind::User, &["viewer"]);
    assert_eq!(outcome(&viewer.call("createElement", arguments).await), "PERMISSION_DENIED commit_mode");
    let architect = world.as_caller("architect", PrincipalKind::User, &["architect"]);
    let committed = architect.call("createElement", json!({"type": "Node", "name": "Host"})).await;
    assert_eq!(committed["outcome"], "committed");
    let filed = architect.call("deleteElement", json!({"id": "Host"})).await;
    assert_eq!(filed["outcome"], "proposed");
}

//
#[tokio::test]
async fn the_verdict_and_its_reason_are_said_for_the_audit_record() {
    let world = World::new().await;
    for (caller, expected) in [
        (world.clone(), "commit: admins and curators commit"),
        (world.as_agent(), "propose: agents and services propose"),
        (world.as_caller("v", PrincipalKind::User, &["viewer"]), "deny: the caller has no role that may write"),
    ] {
        let ctx = caller.ctx();
        let arguments = json!({"type": "Node", "name": format!("Host {}", caller.principal.subject)});
        let arguments = arguments.as_object().cloned().unwrap();
        let _ = world.capability.call(&ctx, "transformation.createElement", arguments).await;
        assert_eq!(ctx.verdict.get(), Some(expected));
    }
}

//
#[tokio::test]
async fn proposals_are_listed_by_status_and_by_target() {
    let world = World::new().await;
    let agent = world.as_agent();
    let element = world.element("Node", "Host").await;
    let first = id(&agent.call("updateElement", json!({"id": "Host", "description": "one"})).await);
    let second_answer = agent.call("updateElement", json!({"id": "Host", "description": "two"})).await;
    let second = id(&second_answer);
    let third = id(&propose(&agent, "Billing").await);
    assert_eq!(second_answer["warnings"][0]["code"], "OPEN_PROPOSALS");

    let all = world.call("listProposals", json!({})).await;
    assert_eq!(column(&all["proposals"], "id"), [third.as_str(), &second, &first]);
    assert!(all["proposals"][0].get("payload").is_none());
    let about = world.call("listProposals", json!({"element_id": "Host"})).await;
    assert_eq!(column(&about["proposals"], "id"), [first.as_str(), &second]);
    let shown = world.call("getProposal", json!({"proposal_id": first})).await;
    assert_eq!(shown["proposal"]["conflicts_with"], json!([second]));
    assert_eq!(shown["proposal"]["targets"][0]["version_id"], format!("{element}@1"));
    assert_eq!(shown["proposal"]["payload"]["description"], "one");
    assert_eq!(shown["proposal"]["proposed_by"]["actor_type"], "agent");

    approve(&world, &first).await;
    withdraw(&agent, &third).await;
    let open = world.call("listProposals", json!({"status": "PROPOSED"})).await;
    assert_eq!(column(&open["proposals"], "id"), [second.as_str()]);
    let page = world.call("listProposals", json!({"page_size": 2})).await;
    let rest = world.call("listProposals", json!({"page_size": 2, "page_token": page["next_page_token"]})).await;
    assert_eq!(column(&rest["proposals"], "id"), [first.as_str()]);
    world.second_model().await;
    let models = world.call("listModels", json!({})).await;
    let active: Vec<(&Value, bool)> =
        models["models"].as_array().unwrap().iter().map(|model| (&model["key"], model["active"] == true)).collect();
    assert_eq!(active, [(&json!("second"), false), (&json!("default"), true)]);
    let gone = world.call("getProposal", json!({"proposal_id": "none"})).await;
    assert_eq!(outcome(&gone), "PROPOSAL_NOT_FOUND proposal_id");
}

#[tokio::test]
async fn a_proposal_that_became_impossible_is_refused_with_the_rule_it_breaks() {
    let world = World::new().await;
    let proposal = id(&propose(&world.as_agent(), "Billing").await);
    world.element("ApplicationComponent", "billing").await;
    let before = world.facts().await;
    assert_eq!(outcome(&approve(&world, &proposal).await), "DUPLICATE_NAME name");
    assert_eq!(world.facts().await, before);
}

#[tokio::test]
async fn triage_sets_the_risk_and_another_tenant_sees_nothing() {
    let world = World::new().await;
    let proposal = id(&propose(&world.as_agent(), "Billing").await);
    let request = TriageProposalRequest { proposal_id: proposal.clone(), risk_level: RiskLevel::RiskHigh.into() };
    let triaged = world.capability.proposals().triage_proposal(&world.ctx(), request).await.unwrap().proposal.unwrap();
    assert_eq!(serde_json::to_value(&triaged).unwrap()["risk_level"], "high");
    let other = world.other_tenant("other").await;
    assert_eq!(outcome(&approve(&other, &proposal).await), "PROPOSAL_NOT_FOUND proposal_id");
    let seen = other.call("getProposal", json!({"proposal_id": proposal})).await;
    assert_eq!(outcome(&seen), "PROPOSAL_NOT_FOUND proposal_id");
}

// A filed write happens once, like any other.
#[tokio::test]
async fn a_retried_proposal_is_filed_once() {
    let world = World::new().await;
    let agent = world.as_agent();
    let arguments = json!({"type": "Node", "name": "Host", "client_request_id": "one"});
    let first = agent.call("createElement", arguments.clone()).await;
    let second = agent.call("createElement", arguments).await;
    assert_eq!(second["idempotent_replay"], true);
    assert_eq!(id(&first), id(&second));
    let all = world.call("listProposals", json!({})).await;
    assert_eq!(all["proposals"].as_array().unwrap().len(), 1);
}

// R-150, R-831 (transformation): Scrum and baselines ask the same policy.
#[tokio::test]
async fn scrum_intents_and_baselines_are_governed_too() {
    let world = World::new().await;
    let agent = world.as_agent();
    let item = json!({
        "operation": "createProductBacklogItem",
        "product_id": "shop",
        "create_product_backlog_item": {"title": "Pay by invoice"}
    });
    let filed = agent.call("submitScrumIntent", item.clone()).await;
    assert_eq!((&filed["outcome"], &filed["item"]["version"]), (&json!("proposed"), &json!(0)), "{filed}");
    assert_eq!(approve(&world, &id(&filed)).await["outcome"], "committed");
    let product = world.capability.read(&world.ctx(), "transformation://product/shop").await.unwrap();
    assert!(format!("{product:?}").contains("Pay by invoice"));
    let developer = world.as_caller("dev", PrincipalKind::User, &["developer"]);
    let mut second = item;
    second["create_product_backlog_item"]["title"] = json!("Pay later");
    assert_eq!(developer.call("submitScrumIntent", second).await["outcome"], "committed");

    let baseline = agent.call("createBaseline", json!({"name": "Q1"})).await;
    assert_eq!(
        (&baseline["outcome"], &baseline["baseline"]["status"]),
        (&json!("pending_approval"), &json!("submitted"))
    );
    let refused = agent.call("createBaseline", json!({"name": "Q2", "commit_mode": "commit"})).await;
    assert_eq!(outcome(&refused), "PERMISSION_DENIED commit_mode");
    let draft = world.call("createBaseline", json!({"name": "Q3"})).await;
    let submitted =
        world.call("promoteBaseline", json!({"baseline_id": draft["baseline"]["id"], "commit_mode": "propose"})).await;
    assert_eq!(submitted["outcome"], "pending_approval");
    let viewer = world.as_caller("viewer", PrincipalKind::User, &["viewer"]);
    for (tool, arguments) in
        [("createBaseline", json!({"name": "Q4"})), ("promoteBaseline", json!({"baseline_id": "Q1"}))]
    {
        assert_eq!(outcome(&viewer.call(tool, arguments).await), "PERMISSION_DENIED commit_mode", "{tool}");
    }
}

#[tokio::test]
async fn a_name_in_letters_of_another_alphabet_is_not_a_new_name() {
    let world = World::new().await;
    world.element("Node", "cop").await;
    let cyrillic = json!({"type": "Node", "name": "\u{0441}\u{043e}\u{0440}"});
    let refused = world.call("createElement", cyrillic).await;
    assert_eq!(outcome(&refused), "DUPLICATE_NAME name");
    assert!(refused["error"]["suggestions"]["existing_element"]["id"].is_string());
    let mixed = json!({"type": "Node", "name": "\u{0441}op"});
    assert_eq!(outcome(&world.call("createElement", mixed).await), "VALIDATION_ERROR name");
}
