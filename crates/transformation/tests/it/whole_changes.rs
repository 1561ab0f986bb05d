//! Whole changes from draft to undo: proposals that build upon each other, overlays, approval together, and the way back.

use contract::Capability;
use contract::generated::transformation::{
    ApproveProposalRequest, ChangeWriteService, CommitMode, ProposalWriteService, RejectProposalRequest,
    UndoChangeRequest,
};
use serde_json::{Value, json};

use crate::change_sets::{fraud_check, shop};
use crate::governance::{approve, id, names, propose};
use crate::world::{Dice, World, column, outcome};

async fn approve_together(world: &World, proposal: &str) -> Value {
    let request = ApproveProposalRequest { proposal_id: proposal.to_owned(), together: true, ..Default::default() };
    shown(world, world.capability.proposals().approve_proposal(&world.ctx(), request).await)
}

async fn reject(world: &World, proposal: &str) -> Value {
    let request = RejectProposalRequest { proposal_id: proposal.to_owned(), rationale: "no".to_owned() };
    shown(world, world.capability.proposals().reject_proposal(&world.ctx(), request).await)
}

/// Undoes a change; answers with the outcome and the number of the last fact, by which it is undone again.
async fn undo(world: &World, change: &str) -> (Value, String) {
    let request = UndoChangeRequest { change_id: change.to_owned(), ..Default::default() };
    let service = &world.capability.services().transformation_architecture_write;
    let answer = shown(world, service.undo_change(&world.ctx(), request).await);
    (answer, world.facts().await.to_string())
}

pub fn shown(world: &World, answer: Result<impl serde::Serialize, contract::CallError>) -> Value {
    answer.map_or_else(
        |error| world.capability.envelope(&world.ctx().request, &error),
        |answer| serde_json::to_value(answer).unwrap(),
    )
}

async fn elements(world: &World, context: Value) -> Value {
    world.call("listElements", json!({"model_id": "default", "page_size": 200, "read_context": context})).await
}

#[tokio::test]
async fn a_change_is_drafted_extended_approved_together_undone_and_redone() {
    let world = shop().await;
    let agent = world.as_agent();
    let filed = agent.call("applyChanges", fraud_check()).await;
    assert!(filed["message"].as_str().unwrap().starts_with("Not yet in the model"), "{filed}");
    let first = id(&filed);
    let check = filed["ids"]["check"].as_str().unwrap();

    // A later write resolves against it by name, and says so.
    let more = json!({"type": "Node", "name": "Fraud host", "description": "d"});
    let host = agent.call("createElement", more).await;
    assert_eq!(host["proposal"]["extends"], json!([]), "what needs nothing extends nothing: {host}");
    let link = json!({"type": "Serving", "source_id": "Scoring", "target_id": "Payment"});
    let extended = agent.call("createRelationship", link.clone()).await;
    assert_eq!(extended["proposal"]["extends"], json!([first]), "{extended}");
    let second = id(&extended);

    // The same again is found, and not filed again.
    let again = agent.call("createRelationship", link).await;
    assert_eq!(id(&again), second);
    assert_eq!(again["warnings"][0]["code"], "ALREADY_PROPOSED");

    // Nothing is in the model; the overlays show it.
    assert_eq!(names(&world).await, ["Checkout", "Payment"]);
    let over = elements(&world, json!({"proposal_id": second})).await;
    assert_eq!(column(&over["elements"], "name").len(), 5);
    assert_eq!(over["read_context"]["proposal_id"], second.as_str());
    let links = json!({"element_id": check, "read_context": {"proposal_id": second}});
    assert_eq!(world.call("listRelationships", links).await["relationships"].as_array().unwrap().len(), 4);
    let named = json!({"view_id": "Fraud check", "read_context": {"proposal_id": first}});
    assert_eq!(world.call("getView", named).await["nodes"].as_array().unwrap().len(), 4);

    // In order or together, never the second alone.
    assert_eq!(outcome(&approve(&world, &second).await), "PROPOSAL_STATE proposal_id");
    let before = world.facts().await;
    let made = approve_together(&world, &second).await;
    assert_eq!((&made["outcome"], &made["proposal"]["status"]), (&json!("committed"), &json!("ACCEPTED")), "{made}");
    let facts = world.ledger.facts(&world.scope.tenant, before as u64, 50).await.unwrap();
    assert!(facts.iter().all(|fact| fact.at == facts[0].at), "one commit");
    assert_eq!(names(&world).await.len(), 5);

    // Undone with one word, redone with another.
    let (undone, redo) = undo(&world, &second).await;
    assert_eq!(undone["summary"], "+0 ~0 -10", "{undone}");
    assert_eq!(names(&world).await, ["Checkout", "Payment"]);
    let (redone, _) = undo(&world, &redo).await;
    assert_eq!(redone["summary"], "+10 ~0 -0", "{redone}");
    let back = world.call("listElements", json!({"model_id": "default"})).await;
    let found = back["elements"].as_array().unwrap().iter().find(|element| element["id"] == check).unwrap();
    assert_eq!(found["version"], 3, "the same id, with its history");
}

#[tokio::test]
async fn proposals_are_accepted_in_order_too() {
    let world = shop().await;
    let agent = world.as_agent();
    let first = id(&propose(&agent, "Billing").await);
    let link = json!({"type": "Flow", "source_id": "Billing", "target_id": "Payment"});
    let second = id(&agent.call("createRelationship", link).await);
    assert_eq!(outcome(&approve(&world, &first).await), "ok");
    let shown = world.call("getProposal", json!({"proposal_id": second})).await;
    assert_eq!(shown["proposal"]["stale"], false, "{shown}");
    assert_eq!(outcome(&approve(&world, &second).await), "ok");
}

#[tokio::test]
async fn what_builds_upon_a_rejected_proposal_is_refused_and_stays_readable() {
    let world = shop().await;
    let agent = world.as_agent();
    let first = id(&propose(&agent, "Billing").await);
    let link = json!({"type": "Flow", "source_id": "Billing", "target_id": "Payment"});
    let second = id(&agent.call("createRelationship", link).await);
    reject(&world, &first).await;
    let refused = approve_together(&world, &second).await;
    assert!(
        ["PROPOSAL_STALE proposal_id", "PROPOSAL_STATE proposal_id"].contains(&outcome(&refused).as_str()),
        "{refused}"
    );
    assert_eq!(outcome(&elements(&world, json!({"proposal_id": second})).await), "PROPOSAL_STATE proposal_id");
    assert_eq!(world.call("getProposal", json!({"proposal_id": second})).await["proposal"]["stale"], true);
}

#[tokio::test]
async fn the_proposal_of_another_tenant_does_not_exist() {
    let world = shop().await;
    let proposal = id(&propose(&world.as_agent(), "Billing").await);
    let other = world.other_tenant("zenith").await;
    let refused = elements(&other, json!({"proposal_id": proposal})).await;
    assert_eq!(outcome(&refused), "PROPOSAL_NOT_FOUND read_context.proposal_id");
    assert_eq!(outcome(&undo(&other, &proposal).await.0), "CHANGE_NOT_FOUND change_id");
}

#[tokio::test]
async fn an_overlay_at_a_sequence_reads_the_same_bytes_after_the_decision() {
    let world = shop().await;
    let proposal = id(&world.as_agent().call("applyChanges", fraud_check()).await);
    let first = elements(&world, json!({"proposal_id": proposal})).await;
    approve(&world, &proposal).await;
    let again = elements(&world, first["read_context"].clone()).await;
    assert_eq!(again, first);
}

#[tokio::test]
async fn an_approval_names_the_plan_that_it_is_for() {
    let world = shop().await;
    let proposal = id(&propose(&world.as_agent(), "Billing").await);
    let shown = world.call("getProposal", json!({"proposal_id": proposal})).await;
    let plan = shown["proposal"]["plan"].as_str().unwrap().to_owned();
    let request = |plan: &str| ApproveProposalRequest {
        proposal_id: proposal.clone(),
        plan: Some(plan.to_owned()),
        ..Default::default()
    };
    let refused = world.capability.proposals().approve_proposal(&world.ctx(), request("other")).await;
    assert_eq!(refused.unwrap_err().code, "PROPOSAL_STATE");
    assert!(world.capability.proposals().approve_proposal(&world.ctx(), request(&plan)).await.is_ok());
}

#[tokio::test]
async fn undo_keeps_what_others_did_and_names_what_stands_in_the_way() {
    let world = shop().await;
    let billing = world.element("ApplicationComponent", "Billing").await;
    let made = world.facts().await.to_string();
    world.call("updateElement", json!({"id": billing, "name": "Invoicing"})).await;
    let renamed = world.facts().await.to_string();
    world.call("updateElement", json!({"id": billing, "properties": {"tier": 1}})).await;

    // The rename goes back, the property of somebody else stays.
    assert_eq!(outcome(&undo(&world, &renamed).await.0), "ok");
    let shown = world.call("listElements", json!({"model_id": "default"})).await;
    let billing_now =
        shown["elements"].as_array().unwrap().iter().find(|element| element["id"] == billing.as_str()).unwrap();
    assert_eq!((&billing_now["name"], &billing_now["properties"]["tier"]), (&json!("Billing"), &json!(1)));

    // What others built upon cannot go, and nothing is written.
    world.relate("Flow", "Billing", "Payment").await;
    let before = world.facts().await;
    let refused = undo(&world, &made).await.0;
    assert_eq!(outcome(&refused), "UNDO_CONFLICT change_id");
    assert!(!refused["error"]["details"]["conflicts"].as_array().unwrap().is_empty());
    assert_eq!(world.facts().await, before);
    assert_eq!(outcome(&undo(&world, "nonsense").await.0), "CHANGE_NOT_FOUND change_id");
}

#[tokio::test]
async fn undelete_brings_back_the_same_id_with_its_relationships() {
    let world = shop().await;
    let link = world.relate("Flow", "Checkout", "Payment").await["relationship"]["id"].as_str().unwrap().to_owned();
    world.call("deleteElement", json!({"id": "Payment"})).await;
    let deletion = world.facts().await.to_string();
    let (undone, _) = undo(&world, &deletion).await;
    assert_eq!(undone["summary"], "+2 ~0 -0", "{undone}");
    assert_eq!(names(&world).await, ["Checkout", "Payment"]);
    let links = world.call("listRelationships", json!({"element_id": "Payment"})).await;
    assert_eq!(links["relationships"][0]["id"], link.as_str());
}

#[tokio::test]
async fn an_undo_of_an_agent_is_a_proposal() {
    let world = shop().await;
    let made = world.facts().await.to_string();
    let agent = world.as_agent();
    let filed = undo(&agent, &made).await.0;
    let proposal = filed["proposal"]["id"].as_str().unwrap_or_else(|| panic!("{filed}"));
    assert_eq!(names(&world).await, ["Checkout", "Payment"]);
    assert_eq!(outcome(&approve(&world, proposal).await), "ok");
    assert_eq!(names(&world).await, ["Checkout"]);
}

/// Past reads never change: whatever happens later, an answer that was given at a sequence is given again, byte for byte,
/// and replaying the facts makes the same records.
#[tokio::test]
async fn past_reads_never_change() {
    for seed in 0..5 {
        let world = shop().await;
        let agent = world.as_agent();
        let mut dice = Dice(seed);
        let mut proposals: Vec<String> = Vec::new();
        let mut past: Vec<(Value, Value)> = Vec::new();
        for step in 0..30 {
            let name = |number: u64| format!("E{number}");
            let any = |dice: &mut Dice| dice.pick(&["Checkout", "Payment", "E1", "E2", "E3"]).to_owned();
            let pick = |dice: &mut Dice, proposals: &[String]| {
                proposals.get(usize::try_from(dice.below(proposals.len().max(1) as u64)).unwrap()).cloned()
            };
            match dice.below(10) {
                0 | 1 => {
                    let changes = json!({"changes": [
                        {"op": "create", "key": "n", "type": "ApplicationComponent", "name": name(dice.below(6))},
                        {"op": "relate", "type": "Flow", "source_id": "$n", "target_id": any(&mut dice)},
                        {"op": "update", "id": any(&mut dice), "properties": {"step": step}},
                    ]});
                    let by = if dice.below(2) == 0 { &world } else { &agent };
                    let answer = by.call("applyChanges", changes).await;
                    proposals.extend(answer["proposal"]["id"].as_str().map(str::to_owned));
                }
                2 => {
                    let link = json!({"type": "Flow", "source_id": any(&mut dice), "target_id": any(&mut dice)});
                    let answer = agent.call("createRelationship", link).await;
                    proposals.extend(answer["proposal"]["id"].as_str().map(str::to_owned));
                }
                3 => drop(world.call("deleteElement", json!({"id": any(&mut dice)})).await),
                4 => {
                    if let Some(proposal) = pick(&mut dice, &proposals) {
                        approve_together(&world, &proposal).await;
                    }
                }
                5 => {
                    if let Some(proposal) = pick(&mut dice, &proposals) {
                        crate::governance::rebase(&world, &proposal).await;
                    }
                }
                6 => {
                    let change = dice.below(world.facts().await as u64 + 1).to_string();
                    undo(&world, &change).await;
                }
                7 => drop(world.call("createBaseline", json!({"name": format!("B{step}")})).await),
                8 => {
                    if let Some(proposal) = pick(&mut dice, &proposals) {
                        let answer = crate::review::approve_part(&world, &proposal, &[0]).await;
                        proposals.extend(answer["rest_id"].as_str().map(str::to_owned));
                    }
                }
                _ => {
                    if let Some(proposal) = pick(&mut dice, &proposals) {
                        reject(&world, &proposal).await;
                    }
                }
            }
            let overlay = pick(&mut dice, &proposals).filter(|_| dice.below(2) == 0);
            let context = overlay.map_or(json!({}), |proposal| json!({"proposal_id": proposal}));
            let answer = elements(&world, context).await;
            if outcome(&answer) == "ok" {
                past.push((answer["read_context"].clone(), answer));
            }
        }
        for (context, answer) in &past {
            assert_eq!(elements(&world, context.clone()).await, *answer, "seed {seed}");
        }
        let folds = ledger::Folds::from([("transformation".to_owned(), transformation::Transformation::fold())]);
        assert_eq!(world.ledger.verify(&folds).await.unwrap().differences, Vec::<String>::new(), "seed {seed}");
    }
}

#[tokio::test]
async fn a_commit_mode_of_propose_files_a_set_for_a_person_too() {
    let world = shop().await;
    let mut set = fraud_check();
    set["commit_mode"] = json!("propose");
    assert_eq!(world.call("applyChanges", set).await["outcome"], "proposed");
    let request = UndoChangeRequest {
        change_id: world.facts().await.to_string(),
        commit_mode: CommitMode::Propose.into(),
        ..Default::default()
    };
    let service = &world.capability.services().transformation_architecture_write;
    // The last fact is the filing itself, and that is not taken back.
    let refused = service.undo_change(&world.ctx(), request).await.unwrap_err();
    assert_eq!(refused.code, "CHANGE_NOT_FOUND");
}
