//! Refusals: the envelope, and every path that is wrong.

use serde_json::json;

use crate::table::{Table, new_entity};

//
#[tokio::test]
async fn the_refusal_of_an_agent_is_the_sample_of_the_specification() {
    let table = Table::new();
    let (universe, source) = table.world().await;
    let error = table.call("Narrator", "neo4j_create_entity", new_entity(&universe, &source)).await.unwrap_err();
    assert_eq!(error["code"], -32001);
    assert_eq!(error["name"], "UNAUTHORIZED");
    assert_eq!(error["message"], "Agent type 'Narrator' is not authorized to call 'neo4j_create_entity'");
    let data = &error["data"];
    assert_eq!(data["tool"], "neo4j_create_entity");
    assert_eq!(data["agent_type"], "Narrator");
    assert_eq!(data["allowed_types"], json!(["CanonKeeper"]));
    assert_eq!((&data["field"], &data["fix"]), (&json!("_meta.agent_type"), &json!("leave it to CanonKeeper")));
}

//
#[tokio::test]
async fn a_validation_error_lists_every_offending_path() {
    let table = Table::new();
    let wrong = json!({
        "entity_class": "EntityConcreta", "universe_id": "not-a-uuid", "name": 5, "entity_type": "charakter",
        "properties": {}, "confidence": 1.2, "authority": "source", "evidence_refs": ["source:x"], "nmae": "Frodo",
    });
    let error = table.call("CanonKeeper", "neo4j_create_entity", wrong).await.unwrap_err();
    assert_eq!((&error["code"], &error["name"]), (&json!(-32003), &json!("VALIDATION_ERROR")));
    let violations = error["data"]["violations"].as_array().unwrap();
    let mut paths: Vec<&str> = violations.iter().map(|one| one["field"].as_str().unwrap()).collect();
    paths.sort_unstable();
    assert_eq!(paths, ["confidence", "description", "entity_type", "name", "nmae", "universe_id"]);
    for one in violations {
        assert!(one["reason"].is_string() && one["fix"].is_string(), "{one}");
    }
    // Nothing was looked up for it: the universe does not exist either, and is not what is complained about.
    assert_eq!(table.ledger.tenants().await.unwrap(), []);
    // What only the rules see is listed as completely.
    let (universe, source) = table.world().await;
    let mut odd = new_entity(&universe, &source);
    odd["name"] = json!("x".repeat(201));
    odd["description"] = json!("x".repeat(2001));
    odd["evidence_refs"] = json!([]);
    let error = table.call("CanonKeeper", "neo4j_create_entity", odd).await.unwrap_err();
    assert_eq!(error["data"]["violations"].as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn a_misspelt_name_is_answered_with_the_right_one() {
    let table = Table::new();
    let error = table.call("Narrator", "neo4j_get_entity", json!({ "entityid": "x" })).await.unwrap_err();
    let text = error.to_string();
    assert!(text.contains("entity_id"), "{text}");
    let error = table.call("Narrator", "neo4j_query_entities", json!({ "entity_type": "charactr" })).await.unwrap_err();
    assert_eq!(error["data"]["did_you_mean"][0], "character", "{error}");
}
