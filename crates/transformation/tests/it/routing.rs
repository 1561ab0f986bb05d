//! Queries reach the query side only, commands the write side only.

use contract::Side;
use contract::generated::transformation::*;
use serde_json::json;

use crate::world::World;

//
#[tokio::test]
async fn each_side_works_with_the_other_one_missing() {
    let world = World::new().await;
    let real = world.capability.services().clone();
    let read_only = Services {
        archi_mate_query: real.archi_mate_query.clone(),
        baseline_query: real.baseline_query.clone(),
        definition_query: real.definition_query.clone(),
        scrum_query: real.scrum_query.clone(),
        scrum_write: Absent,
        proposal_query: real.proposal_query.clone(),
        semantic_query: real.semantic_query.clone(),
        write_guide_query: real.write_guide_query.clone(),
        baseline_write: Absent,
        capability_write: Absent,
        transformation_architecture_write: Absent,
    };
    let write_only = Services {
        archi_mate_query: Absent,
        baseline_query: Absent,
        definition_query: Absent,
        scrum_query: Absent,
        scrum_write: real.scrum_write.clone(),
        proposal_query: Absent,
        semantic_query: Absent,
        write_guide_query: Absent,
        baseline_write: real.baseline_write.clone(),
        capability_write: real.capability_write.clone(),
        transformation_architecture_write: real.transformation_architecture_write.clone(),
    };
    for tool in manifest().tools {
        for example in &tool.examples {
            let arguments = example.input.as_object().cloned().unwrap();
            let ctx = world.ctx();
            let answer = match tool.side {
                Side::Query => read_only.call(&ctx, &tool.name, arguments).await,
                Side::Command => write_only.call(&ctx, &tool.name, arguments).await,
            };
            // An example may name what is not there; it never reaches the side that is missing.
            let message = answer.err().map(|error| error.message).unwrap_or_default();
            assert!(!message.contains("is not served here"), "{}: {message}", tool.name);
        }
    }
    let answer = world.call("listElements", json!({"model_id": "default"})).await;
    assert!(!answer["elements"].as_array().unwrap().is_empty());
}
