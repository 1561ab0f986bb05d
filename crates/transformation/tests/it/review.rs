//! Review: one page, comments, the wish for changes, rebase by field, and part of a set.

use contract::generated::transformation::{
    ApproveProposalRequest, CommentProposalRequest, FieldChoice, GetProposalRequest, ProposalQueryService,
    ProposalWriteService, RebaseProposalRequest,
};
use serde_json::{Value, json};
use transformation::Config;

use crate::change_sets::shop;
use crate::governance::{approve, id, names};
use crate::whole_changes::shown;
use crate::world::{World, column, outcome};

async fn page(world: &World, proposal: &str) -> Value {
    let request = GetProposalRequest { proposal_id: proposal.to_owned(), read_context: None };
    shown(world, world.capability.services().proposal_query.review_proposal(&world.ctx(), request).await)
}

async fn comment(world: &World, proposal: &str, text: &str, field: Option<String>, request_changes: bool) -> Value {
    let request =
        CommentProposalRequest { proposal_id: proposal.to_owned(), text: text.to_owned(), field, request_changes };
    shown(world, world.capability.proposals().comment_proposal(&world.ctx(), request).await)
}

async fn rebase(world: &World, proposal: &str, keep: Option<&str>, fields: Vec<FieldChoice>) -> Value {
    let keep = keep.map(str::to_owned);
    let request = RebaseProposalRequest { proposal_id: proposal.to_owned(), keep, fields };
    shown(world, world.capability.proposals().rebase_proposal(&world.ctx(), request).await)
}

pub async fn approve_part(world: &World, proposal: &str, only: &[u32]) -> Value {
    let request =
        ApproveProposalRequest { proposal_id: proposal.to_owned(), only: only.to_vec(), ..Default::default() };
    shown(world, world.capability.proposals().approve_proposal(&world.ctx(), request).await)
}

async fn element(world: &World, name: &str) -> Value {
    let listed = world.call("listElements", json!({"name": name})).await;
    listed["elements"][0].clone()
}

#[tokio::test]
async fn a_page_says_what_would_happen_what_others_did_and_who_asks() {
    let world = shop().await;
    let ledger = world.element("ApplicationComponent", "Ledger").await;
    world.relate("Flow", "Payment", "Ledger").await;
    let set = json!({"reason": "Payment is too slow", "changes": [
        {"op": "create", "type": "Node", "name": "Host", "description": "d"},
        {"op": "update", "id": "Checkout", "name": "Cash desk"},
        {"op": "delete", "id": "Payment"},
    ]});
    let proposal = id(&world.as_agent().call("applyChanges", set).await);
    let shown = page(&world, &proposal).await;
    assert!(shown["headline"].as_str().unwrap().starts_with("Nothing changed yet"), "{shown}");
    assert_eq!((&shown["summary"], &shown["risk_level"]), (&json!("+1 ~1 -2"), &json!("high")));
    assert_eq!((&shown["approvals_needed"], &shown["status"]), (&json!(1), &json!("PROPOSED")));
    assert_eq!(column(&shown["removed"], "kind"), ["relationship", "element"]);
    let field = &shown["changed"][0]["fields"][0];
    assert_eq!(*field, json!({"field": "name", "before": "Checkout", "after": "Cash desk"}));
    assert_eq!(shown["affected"][0]["element_id"], ledger.as_str());
    assert_eq!(shown["reason"], "Payment is too slow");
    assert_eq!(shown["proposed_by"]["actor_type"], "agent");
    assert!(shown["call_id"].is_string());
    assert_eq!(shown["drift"], json!([]));

    // Drift is shown where it matters, and what meets is marked.
    world.call("updateElement", json!({"id": "Checkout", "name": "Till", "properties": {"tier": 1}})).await;
    world.call("updateElement", json!({"id": "Ledger", "name": "Books"})).await;
    let shown = page(&world, &proposal).await;
    let drift: Vec<String> =
        shown["drift"].as_array().unwrap().iter().map(|one| format!("{} {}", one["field"], one["meets"])).collect();
    assert_eq!(drift, ["\"name\" true", "\"properties.tier\" false"]);
    assert_eq!(shown["stale"], true);
    // Refused, and readable all the same.
    assert_eq!(outcome(&approve(&world, &proposal).await), "PROPOSAL_STALE proposal_id");
}

#[tokio::test]
async fn fields_that_do_not_meet_merge_and_the_rest_is_decided_and_recorded() {
    let world = shop().await;
    let agent = world.as_agent();
    let change =
        json!({"id": "Checkout", "name": "Cash desk", "description": "Takes money", "properties": {"tier": 1}});
    let proposal = id(&agent.call("updateElement", change).await);
    let live = json!({"id": "Checkout", "name": "Till", "properties": {"owner": "Sales"}});
    let checkout = world.call("updateElement", live).await["element"]["id"].as_str().unwrap().to_owned();

    let refused = rebase(&agent, &proposal, None, Vec::new()).await;
    assert_eq!(outcome(&refused), "REBASE_CONFLICT fields");
    let met = &refused["error"]["details"]["fields"];
    assert_eq!(
        *met,
        json!([{"element_id": checkout, "field": "name", "base": "Checkout", "live": "Till", "proposed": "Cash desk"}])
    );
    let choice = FieldChoice { element_id: checkout.clone(), field: "name".to_owned(), keep: "live".to_owned() };
    let next = rebase(&agent, &proposal, None, vec![choice]).await;
    assert_eq!(next["proposal"]["settled"][0]["kept"], "live", "{next}");
    assert_eq!(next["proposal"]["rebase_of"], proposal.as_str());
    let next = next["proposal"]["id"].as_str().unwrap().to_owned();
    assert_eq!(outcome(&approve(&world, &next).await), "ok");
    let merged = element(&world, "Till").await;
    assert_eq!(merged["description"], "Takes money");
    assert_eq!(merged["properties"], json!({"owner": "Sales", "tier": 1}));
    let audit = page(&world, &next).await;
    assert!(audit["headline"].as_str().unwrap().starts_with("In the model"), "{audit}");
}

#[tokio::test]
async fn a_rebase_keeps_the_proposed_value_where_that_is_decided() {
    let world = shop().await;
    let agent = world.as_agent();
    let proposal = id(&agent.call("updateElement", json!({"id": "Checkout", "name": "Cash desk"})).await);
    world.call("updateElement", json!({"id": "Checkout", "name": "Till"})).await;
    assert_eq!(outcome(&rebase(&agent, &proposal, Some("mine"), Vec::new()).await), "VALIDATION_ERROR keep");
    let next = rebase(&agent, &proposal, Some("proposed"), Vec::new()).await;
    approve(&world, next["proposal"]["id"].as_str().unwrap()).await;
    assert_eq!(names(&world).await, ["Cash desk", "Payment"]);
}

#[tokio::test]
async fn a_rebase_keeps_the_ids_that_were_reserved() {
    let world = shop().await;
    let agent = world.as_agent();
    let set = json!({"changes": [
        {"op": "create", "key": "n", "type": "Node", "name": "Host", "description": "d"},
        {"op": "update", "id": "Checkout", "description": "d2"},
    ]});
    let filed = agent.call("applyChanges", set).await;
    world.call("updateElement", json!({"id": "Checkout", "name": "Till"})).await;
    let next = rebase(&agent, &id(&filed), None, Vec::new()).await;
    assert_eq!(next["proposal"]["would_be"]["ids"]["n"], filed["ids"]["n"], "{next}");
}

#[tokio::test]
async fn part_of_a_set_is_accepted_and_the_rest_stays_proposed() {
    let world = shop().await;
    let set = json!({"changes": [
        {"op": "create", "key": "host", "type": "Node", "name": "Host", "description": "d"},
        {"op": "create", "key": "box", "type": "Node", "name": "Box", "description": "d"},
        {"op": "relate", "type": "Association", "source_id": "$host", "target_id": "$box"},
        {"op": "update", "id": "Checkout", "name": "Cash desk"},
    ]});
    let proposal = id(&world.as_agent().call("applyChanges", set).await);
    let before = world.facts().await;
    // What the part needs is not left out; what is no part is refused.
    for (only, field) in
        [(&[2][..], "VALIDATION_ERROR only"), (&[9], "VALIDATION_ERROR only"), (&[0, 1, 2, 3], "VALIDATION_ERROR only")]
    {
        assert_eq!(outcome(&approve_part(&world, &proposal, only).await), field, "{only:?}");
    }
    assert_eq!(world.facts().await, before);

    let made = approve_part(&world, &proposal, &[0, 3]).await;
    assert_eq!((&made["outcome"], &made["proposal"]["status"]), (&json!("committed"), &json!("ACCEPTED")), "{made}");
    assert_eq!(names(&world).await, ["Cash desk", "Payment", "Host"]);
    let rest = made["rest_id"].as_str().unwrap();
    let old = world.call("getProposal", json!({"proposal_id": proposal})).await;
    assert_eq!(
        (&old["proposal"]["status"], &old["proposal"]["rebased_to"]),
        (&json!("WITHDRAWN"), &made["proposal"]["id"])
    );
    let waiting = world.call("getProposal", json!({"proposal_id": rest})).await;
    assert_eq!(
        (&waiting["proposal"]["status"], &waiting["proposal"]["stale"]),
        (&json!("PROPOSED"), &json!(false)),
        "{waiting}"
    );
    // The rest names what was accepted by its id.
    assert_eq!(outcome(&approve(&world, rest).await), "ok");
    let links = world.call("listRelationships", json!({"element_id": "Host"})).await;
    assert_eq!(links["relationships"][0]["target_name"], "Box");
}

#[tokio::test]
async fn a_wish_for_changes_reaches_the_author_who_files_it_anew_without_the_approvals() {
    let config =
        Config { governance: serde_json::from_value(json!({"approvals_med": 2})).unwrap(), ..Config::default() };
    let world = World::with(config).await;
    for name in ["Checkout", "Payment"] {
        world.element("ApplicationComponent", name).await;
    }
    let (agent, other) = (world.as_agent(), world.as_principal("second"));
    let set = |name: &str| json!({"changes": [{"op": "create", "type": "Node", "name": name, "description": "d"}]});
    let filed = agent.call("applyChanges", set("Hst")).await;
    let proposal = id(&filed);
    assert_eq!(approve(&world, &proposal).await["outcome"], "pending_approval");

    // Comments, also on a field; nobody but its author and stewards.
    let host = filed["changes"][0]["id"].as_str().unwrap();
    assert_eq!(outcome(&comment(&world, &proposal, "Which host?", None, false).await), "ok");
    assert_eq!(outcome(&comment(&world, &proposal, " ", None, false).await), "VALIDATION_ERROR text");
    assert_eq!(
        outcome(&comment(&world, &proposal, "x", Some("other.name".to_owned()), false).await),
        "VALIDATION_ERROR field"
    );
    let asked = comment(&world, &proposal, "A typo", Some(format!("{host}.name")), true).await;
    assert_eq!(asked["proposal"]["status"], "CHANGES_REQUESTED", "{asked}");
    assert!(outcome(&comment(&agent, &proposal, "please", None, true).await).starts_with("PERMISSION_DENIED"));

    // The agent sees it, and nobody approves it meanwhile.
    let seen = agent.call("listProposals", json!({"status": "CHANGES_REQUESTED"})).await;
    assert_eq!(seen["proposals"][0]["comments"][1]["text"], "A typo", "{seen}");
    assert_eq!(outcome(&approve(&other, &proposal).await), "PROPOSAL_STATE proposal_id");

    let mut better = set("Host");
    better["revises"] = json!(proposal);
    let revised = agent.call("applyChanges", better.clone()).await;
    assert_eq!(revised["outcome"], "proposed", "{revised}");
    let next = world.call("getProposal", json!({"proposal_id": id(&revised)})).await["proposal"].clone();
    assert_eq!(next["rebase_of"], proposal.as_str());
    assert_eq!(next["approvals"], json!([]), "a new revision withdraws approvals");
    assert_eq!(outcome(&agent.call("applyChanges", better.clone()).await), "PROPOSAL_STATE proposal_id", "closed");
    better["revises"] = json!("nonsense");
    assert_eq!(outcome(&agent.call("applyChanges", better).await), "PROPOSAL_NOT_FOUND revises");
    approve(&world, &id(&revised)).await;
    assert_eq!(approve(&other, &id(&revised)).await["outcome"], "committed");
}

#[tokio::test]
async fn approvals_needed_follow_the_policy_in_force() {
    let world = shop().await;
    let proposal = id(&world.as_agent().call("createElement", json!({"type": "Node", "name": "Host"})).await);
    assert_eq!(page(&world, &proposal).await["approvals_needed"], 1);
    let stricter =
        Config { governance: serde_json::from_value(json!({"approvals_med": 2})).unwrap(), ..Config::default() };
    let world = world.under(stricter);
    assert_eq!(page(&world, &proposal).await["approvals_needed"], 2);
    assert_eq!(approve(&world, &proposal).await["outcome"], "pending_approval");
    assert_eq!(approve(&world.as_principal("second"), &proposal).await["outcome"], "committed");
}
