//! What a proposal rests on, what it keeps, and how its author is told.

use contract::generated::transformation::{ProposalWriteService, RiskLevel, TriageProposalRequest};
use serde_json::{Value, json};
use transformation::Config;
use transformation::domain::policy::Governance;

use crate::governance::{approve, id, names, propose, rebase};
use crate::world::{World, column, outcome};

async fn related(world: &World) -> (String, String) {
    let (orders, billing) = (world.element("Node", "Orders").await, world.element("Node", "Billing").await);
    let link = world.relate("Association", &orders, &billing).await;
    (orders, link["relationship"]["id"].as_str().unwrap().to_owned())
}

#[tokio::test]
async fn a_deletion_does_not_take_relationships_that_nobody_reviewed() {
    let world = World::new().await;
    let (orders, reviewed) = related(&world).await;
    let answer = world.as_agent().call("deleteElement", json!({"id": "Orders"})).await;
    assert_eq!(answer["deleted_relationships"], json!([reviewed]));
    let proposal = id(&answer);
    let late = world.relate("Association", "Billing", "Orders").await["relationship"]["id"].clone();

    let before = world.facts().await;
    let refused = approve(&world, &proposal).await;
    assert_eq!(outcome(&refused), "PROPOSAL_STALE proposal_id");
    assert_eq!(refused["error"]["details"]["relationships_changed_at"], json!([orders]));
    assert_eq!(world.facts().await, before);
    let shown = world.call("getProposal", json!({"proposal_id": proposal})).await;
    assert_eq!((&shown["proposal"]["stale"], &shown["proposal"]["status"]), (&json!(true), &json!("PROPOSED")));

    let rebased = rebase(&world, &proposal).await;
    let next = rebased["proposal"]["id"].as_str().unwrap().to_owned();
    let gone = rebased["proposal"]["would_be"]["deleted_relationships"].as_array().unwrap();
    assert_eq!(gone.len(), 2, "{gone:?}");
    assert!(gone.contains(&late) && gone.contains(&json!(reviewed)));
    assert_eq!(outcome(&approve(&world.as_principal("reviewer"), &next).await), "ok");
    assert_eq!(names(&world).await, ["Billing"]);
}

#[tokio::test]
async fn a_deletion_is_stale_when_a_reviewed_relationship_went_or_changed() {
    let world = World::new().await;
    let (_, link) = related(&world).await;
    let intent = |operation: &str, field: &str, object: Value| json!({"operation": operation, field: object});
    let proposal = id(&world.as_agent().call("deleteElement", json!({"id": "Orders"})).await);
    let renamed = intent("updateRelationship", "update_relationship", json!({"id": link, "name": "pays for"}));
    assert_eq!(outcome(&world.call("submitArchitectureIntent", renamed).await), "ok");
    assert_eq!(outcome(&approve(&world, &proposal).await), "PROPOSAL_STALE proposal_id");

    let proposal = id(&world.as_agent().call("deleteElement", json!({"id": "Orders"})).await);
    let gone = intent("deleteRelationship", "delete_relationship", json!({"id": link}));
    assert_eq!(outcome(&world.call("submitArchitectureIntent", gone).await), "ok");
    assert_eq!(outcome(&approve(&world, &proposal).await), "PROPOSAL_STALE proposal_id");
}

#[tokio::test]
async fn a_proposal_survives_the_rename_of_what_it_names() {
    let world = World::new().await;
    let agent = world.as_agent();
    related(&world).await;
    let link = json!({"type": "Association", "source_id": "Orders", "target_id": "Billing"});
    let part = json!({"type": "Node", "name": "Cache", "description": "d", "parent_id": "Orders"});
    let drawing = json!({"operation": "createView", "create_view": {"name": "Landscape", "nodes": [
        {"element_id": "Orders", "x": 0, "y": 0}, {"element_id": "Billing", "x": 9, "y": 9, "parent": "Orders"},
    ]}});
    for (tool, arguments) in
        [("createRelationship", link), ("createElement", part), ("submitArchitectureIntent", drawing)]
    {
        let proposal = id(&agent.call(tool, arguments).await);
        let name = names(&world).await.into_iter().find(|name| name.starts_with("Orders")).unwrap();
        world.call("updateElement", json!({"id": name, "name": format!("{name} 2")})).await;
        assert_eq!(outcome(&approve(&world, &proposal).await), "PROPOSAL_STALE proposal_id", "{tool}");
        let rebased = rebase(&world, &proposal).await;
        assert_eq!(outcome(&rebased), "ok", "{tool}: {rebased}");
        let next = rebased["proposal"]["id"].as_str().unwrap().to_owned();
        assert_eq!(outcome(&approve(&world.as_principal("reviewer"), &next).await), "ok", "{tool}");
        world.call("updateElement", json!({"id": format!("{name} 2"), "name": "Orders"})).await;
    }
}

#[tokio::test]
async fn the_answer_of_a_filed_write_begins_with_not_yet() {
    let world = World::new().await;
    let ctx = world.as_agent().ctx();
    let arguments = json!({"type": "Node", "name": "Host"}).as_object().cloned().unwrap();
    let answer = contract::Capability::call(world.capability.as_ref(), &ctx, "transformation.createElement", arguments);
    let answer = answer.await.unwrap().structured.unwrap();
    let text = serde_json::to_string(&answer.value()).unwrap();
    let value = answer.value();
    assert!(value["message"].as_str().unwrap().starts_with("Not yet in the model"), "{text}");
    assert_eq!(value.as_object().unwrap().keys().next().map(String::as_str), Some("message"));
    assert!(world.call("createElement", json!({"type": "Node", "name": "Other"})).await.get("message").is_none());
}

#[tokio::test]
async fn the_same_change_by_the_same_author_is_filed_once() {
    let world = World::new().await;
    let agent = world.as_agent();
    let first = propose(&agent, "Billing").await;
    let again = propose(&agent, "Billing").await;
    assert_eq!((id(&again), &again["element"]["id"]), (id(&first), &first["element"]["id"]));
    assert_eq!(again["warnings"][0]["code"], "ALREADY_PROPOSED");
    let other = world.as_caller("second agent", scope::PrincipalKind::Agent, &["service"]);
    assert_ne!(id(&propose(&other, "Billing").await), id(&first));
    assert_ne!(id(&propose(&agent, "Invoicing").await), id(&first));

    world.element("Node", "Host").await;
    let change = json!({"id": "Host", "description": "from the agent"});
    let stale = id(&agent.call("updateElement", change.clone()).await);
    world.call("updateElement", json!({"id": "Host", "properties": {"tier": 1}})).await;
    let fresh = id(&agent.call("updateElement", change).await);
    assert_ne!(fresh, stale, "on another version it is another change");
    assert_eq!(outcome(&approve(&world, &fresh).await), "ok");

    approve(&world, &id(&first)).await;
    let listed = world.call("listProposals", json!({"status": "PROPOSED"})).await;
    assert_eq!(column(&listed["proposals"], "summary").len(), 3, "{listed}");
}

#[tokio::test]
async fn a_drawing_is_of_low_risk_and_a_deletion_of_high() {
    let world = World::new().await;
    world.element("Node", "Host").await;
    let architect = world.as_caller("architect", scope::PrincipalKind::User, &["architect"]);
    let drawing = json!({"operation": "createView", "create_view": {"name": "Landscape"}});
    assert_eq!(architect.call("submitArchitectureIntent", drawing.clone()).await["outcome"], "committed");
    let deletion = json!({"operation": "deleteElement", "delete_element": {"id": "Host"}});
    let filed = architect.call("submitArchitectureIntent", deletion).await;
    assert_eq!((&filed["outcome"], &filed["proposal"]["risk_level"]), (&json!("proposed"), &json!("high")));
    let other = json!({"operation": "createView", "create_view": {"name": "Other"}});
    assert_eq!(world.as_agent().call("submitArchitectureIntent", other).await["proposal"]["risk_level"], "low");
}

#[tokio::test]
async fn triage_that_raises_the_risk_raises_the_approvals_needed() {
    let governance = Governance { approvals_high: 2, ..Governance::default() };
    let world = World::with(Config { governance, ..Config::default() }).await;
    let proposal = id(&propose(&world.as_agent(), "Billing").await);
    for (risk, needed) in [(RiskLevel::RiskHigh, 2), (RiskLevel::RiskLow, 2)] {
        let request = TriageProposalRequest { proposal_id: proposal.clone(), risk_level: risk.into() };
        let triaged = world.capability.proposals().triage_proposal(&world.ctx(), request).await.unwrap();
        assert_eq!(triaged.proposal.unwrap().approvals_needed, needed);
    }
    assert_eq!(approve(&world, &proposal).await["outcome"], "pending_approval");
    assert_eq!(approve(&world.as_principal("second"), &proposal).await["outcome"], "committed");
}

#[tokio::test]
async fn readers_propose_where_the_operator_lets_them() {
    let element = json!({"type": "Node", "name": "Host"});
    for (readers_propose, expected) in [(true, "ok"), (false, "PERMISSION_DENIED commit_mode")] {
        let governance = Governance { readers_propose, ..Governance::default() };
        let world = World::with(Config { governance, ..Config::default() }).await;
        let viewer = world.as_caller("viewer", scope::PrincipalKind::User, &["viewer"]);
        let answer = viewer.call("createElement", element.clone()).await;
        assert_eq!(outcome(&answer), expected, "{answer}");
        assert_eq!(answer["outcome"] == "proposed", readers_propose);
        assert_eq!(names(&world).await, Vec::<String>::new());
    }
}
