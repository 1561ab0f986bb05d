//! Whatever happens, in whatever order: what was answered once can be had again, to the byte.

use contract::generated::transformation::{
    ApproveProposalRequest, ProposalWriteService, RebaseProposalRequest, RejectProposalRequest,
};
use ledger::Folds;
use serde_json::{Value, json};
use transformation::Transformation;

use crate::world::{Dice, World, column};

// R-823 (sqlite): whatever happens, an echoed read_context reads the same bytes again.
#[tokio::test]
async fn every_answer_can_be_had_again() {
    for seed in [1, 7, 42] {
        let world = World::new().await;
        let mut dice = Dice(seed);
        let mut kept: Vec<(&str, Value, String)> = Vec::new();
        for step in 0..180 {
            act(&world, &mut dice, step).await;
            let (tool, mut arguments) = question(&mut dice, step);
            let answer = world.call(tool, arguments.clone()).await;
            if answer.get("error").is_some() {
                continue;
            }
            if tool == "compareStates" {
                (arguments["from"], arguments["to"]) = (answer["from"].clone(), answer["to"].clone());
            } else {
                arguments["read_context"] = answer["read_context"].clone();
            }
            kept.push((tool, arguments, answer.to_string()));
        }
        assert!(kept.len() > 40, "seed {seed}: only {} of 180 reads were answered", kept.len());
        for (tool, arguments, answer) in kept {
            assert_eq!(
                world.call(tool, arguments.clone()).await.to_string(),
                answer,
                "seed {seed}: {tool} {arguments}"
            );
        }
        let folds = Folds::from([("transformation".to_owned(), Transformation::fold())]);
        assert_eq!(world.ledger.verify(&folds).await.unwrap().differences, Vec::<String>::new());
    }
}

/// Does anything that may be refused.
async fn act(world: &World, dice: &mut Dice, step: usize) {
    let names = ["a", "b", "c", "d", "e", "f"];
    let baseline = format!("b{}", dice.below(step as u64 / 6 + 1));
    let (one, other) = (dice.pick(&names), dice.pick(&names));
    match dice.below(18) {
        0..=2 => _ = world.call("createElement", json!({"type": "Node", "name": one})).await,
        3 => _ = world.relate("Flow", one, other).await,
        4 => _ = world.call("updateElement", json!({"id": one, "description": format!("at {step}")})).await,
        5 => _ = world.call("deleteElement", json!({"id": one, "even_if_published": true})).await,
        6 => _ = world.call("createBaseline", json!({"name": baseline})).await,
        7 => _ = world.call("createBaseline", json!({"name": baseline, "element_ids": [one, other]})).await,
        8 => _ = world.promote(&baseline).await,
        9 => _ = world.redraft(&baseline, &[one], &[]).await,
        10 => _ = world.redraft(&baseline, &[], &[one]).await,
        11..=13 => {
            let agent = world.as_agent();
            let (tool, arguments) = match dice.below(3) {
                0 => ("createElement", json!({"type": "Node", "name": one})),
                1 => ("updateElement", json!({"id": one, "description": format!("proposed at {step}")})),
                _ => ("deleteElement", json!({"id": one, "even_if_published": true})),
            };
            agent.call(tool, arguments).await;
        }
        14..=15 => decide(world, dice).await,
        16 => {
            let view = json!({"name": other, "nodes": [{"element_id": one, "x": step, "y": 0}]});
            let intent = json!({"operation": "createView", "create_view": view});
            world.call("submitArchitectureIntent", intent).await;
        }
        _ => {
            world.submit(&baseline).await;
            world.reject(&baseline, "no").await;
        }
    }
}

/// Approves, rebases or rejects some open proposal.
async fn decide(world: &World, dice: &mut Dice) {
    let open = world.call("listProposals", json!({"status": "PROPOSED"})).await;
    let open = column(&open["proposals"], "id").into_iter().map(str::to_owned).collect::<Vec<_>>();
    if open.is_empty() {
        return;
    }
    let proposal_id = open[usize::try_from(dice.below(open.len() as u64)).unwrap()].clone();
    let (desk, ctx) = (world.capability.proposals(), world.ctx());
    // Any of these may be refused: the proposal may be stale or impossible by now.
    match dice.below(4) {
        0..=1 => _ = desk.approve_proposal(&ctx, ApproveProposalRequest { proposal_id, ..Default::default() }).await,
        2 => _ = desk.rebase_proposal(&ctx, RebaseProposalRequest { proposal_id, ..Default::default() }).await,
        _ => _ = desk.reject_proposal(&ctx, RejectProposalRequest { proposal_id, rationale: "no".to_owned() }).await,
    }
}

fn question(dice: &mut Dice, step: usize) -> (&'static str, Value) {
    let context = match dice.below(4) {
        0 => json!({"selector": "head"}),
        1 => json!({"selector": "published"}),
        _ => json!({"baseline_id": format!("b{}", dice.below(step as u64 / 6 + 1))}),
    };
    let model = json!({"model_id": "default", "read_context": context});
    match dice.below(12) {
        0 => ("listElements", model),
        1 => ("listElements", json!({"model_id": "default", "read_context": context, "page_size": 1})),
        2 => ("listRelationships", model),
        3 => ("getArchimateModel", model),
        4 => ("listModels", json!({"read_context": context})),
        5 => ("getBaseline", json!({"baseline_id": format!("b{}", dice.below(step as u64 / 6 + 1)), "page_size": 1})),
        6 => ("listProposals", json!({"read_context": {"selector": "head"}})),
        7 => ("getView", json!({"view_id": dice.pick(&["a", "b", "c"]), "read_context": context})),
        8 => ("semanticSearch", json!({"query": "a node", "read_context": context})),
        9 => (
            "searchCapabilities",
            json!({"query": "*", "layer": "technology", "element_type": "Node", "read_context": context}),
        ),
        _ => ("compareStates", json!({"from": context})),
    }
}
