//! createRelationship, listRelationships.

use contract::Capability as _;
use serde_json::json;

use crate::world::{World, column, outcome};

//
#[tokio::test]
async fn a_relationship_shows_both_ends() {
    let world = World::new().await;
    let (source, target) = (
        world.element("ApplicationComponent", "OrderService").await,
        world.element("ApplicationService", "Order handling").await,
    );
    let arguments = json!({"type": "Realization", "source_id": "OrderService", "target_id": "order  HANDLING", "name": "offers", "description": "by an API"});
    let answer = world.call("createRelationship", arguments).await;
    let made = &answer["relationship"];
    assert_eq!(answer["success"], true);
    assert_eq!((&made["name"], &made["description"]), (&json!("offers"), &json!("by an API")));
    assert_eq!(
        (&made["source_id"], &made["target_id"], &made["type"]),
        (&json!(source), &json!(target), &json!("Realization"))
    );
    let listed = world.call("listRelationships", json!({"model_id": "default"})).await;
    assert_eq!(listed["relationships"], json!([made]));
    assert_eq!(made["source_version_id"], format!("{source}@1"));
    assert_eq!(made["target_type"], "ApplicationService");
    let uri = format!("transformation://relationship/{}", made["id"].as_str().unwrap());
    let contract::Blob::Text { text, .. } = world.capability.read(&world.ctx(), &uri).await.unwrap() else {
        panic!("a resource is text");
    };
    let read: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(&read["relationship"], made);
}

//
#[tokio::test]
async fn relationships_are_filtered_by_element_and_type() {
    let world = World::new().await;
    for name in ["a", "b", "c"] {
        world.element("Node", name).await;
    }
    world.relate("Association", "a", "b").await;
    world.relate("Flow", "b", "c").await;
    world.relate("Association", "c", "a").await;
    let types = async |more: serde_json::Value| {
        let mut arguments = json!({"model_id": "default"});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let answer = world.call("listRelationships", arguments).await;
        column(&answer["relationships"], "type").join(" ")
    };
    assert_eq!(types(json!({"element_id": "a"})).await, "Association Association");
    assert_eq!(types(json!({"element_id": "b", "relationship_type": "Flow"})).await, "Flow");
    assert_eq!(types(json!({"relationship_type": "serving"})).await, "");
}

// R-804 (transformation).
#[tokio::test]
async fn what_the_table_forbids_is_refused_with_both_directions() {
    let world = World::new().await;
    world.element("Capability", "Selling").await;
    world.element("ApplicationComponent", "Shop").await;
    let refused = world.relate("Realization", "Selling", "Shop").await;
    assert_eq!(outcome(&refused), "INVALID_RELATIONSHIP type");
    let error = &refused["error"];
    assert_eq!(error["message"], "Cannot create 'Realization' from Capability to ApplicationComponent");
    assert_eq!(error["suggestions"]["valid_relationships"], json!(["Association"]));
    assert_eq!(error["suggestions"]["valid_if_reversed"], json!(["Realization", "Association"]));
    assert!(error["suggestions"]["hint"].as_str().unwrap().contains("swap source_id and target_id"));
    assert_eq!(outcome(&world.relate("Serving", "nobody", "Shop").await), "ELEMENT_NOT_FOUND source_id");
    assert_eq!(outcome(&world.relate("Serving", "Shop", "nobody").await), "ELEMENT_NOT_FOUND target_id");
}

// Rules 3.4 of the metamodel.
#[tokio::test]
async fn circles_repetitions_and_second_wholes_are_noticed() {
    let world = World::new().await;
    for name in ["a", "b", "c", "d"] {
        world.element("Capability", name).await;
    }
    assert_eq!(outcome(&world.relate("Composition", "a", "b").await), "ok");
    assert_eq!(outcome(&world.relate("Aggregation", "b", "c").await), "ok");
    assert_eq!(outcome(&world.relate("Composition", "c", "a").await), "CYCLE target_id");
    assert_eq!(outcome(&world.relate("Composition", "a", "a").await), "CYCLE target_id");
    assert_eq!(outcome(&world.relate("Specialization", "c", "a").await), "ok");
    assert_eq!(outcome(&world.relate("Specialization", "a", "c").await), "CYCLE target_id");
    let again = world.relate("Composition", "a", "b").await;
    assert_eq!(column(&again["warnings"], "code"), ["DUPLICATE_RELATIONSHIP"]);
    let second = world.relate("Composition", "d", "b").await;
    assert_eq!(column(&second["warnings"], "code"), ["SECOND_WHOLE"]);
}

#[tokio::test]
async fn attributes_are_kept_and_checked() {
    let world = World::new().await;
    world.element("ApplicationProcess", "p").await;
    world.element("DataObject", "o").await;
    let access = json!({"type": "Access", "source_id": "p", "target_id": "o", "access_type": "ReadWrite"});
    let answer = world.call("createRelationship", access).await;
    assert_eq!(answer["relationship"]["access_type"], "ReadWrite");
    let listed = world.call("listRelationships", json!({"model_id": "default"})).await;
    assert_eq!(listed["relationships"][0]["access_type"], "ReadWrite");
    let wrong = json!({"type": "Access", "source_id": "p", "target_id": "o", "strength": "+"});
    assert_eq!(outcome(&world.call("createRelationship", wrong).await), "VALIDATION_ERROR strength");
}
