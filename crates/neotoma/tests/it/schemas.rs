//! describe_schema, and sources as resources.

use contract::Blob;
use serde_json::{Value, json};

use crate::desk::{ANN, Desk};

// N-322
#[tokio::test]
async fn one_type_is_described_in_full() {
    let desk = Desk::new();
    let answer = desk.ok("describe_schema", json!({"entity_type": "Invoices"})).await;
    let schema = &answer["schema"];
    assert_eq!(
        (&schema["entity_type"], &schema["schema_version"], &schema["scope"]),
        (&json!("invoice"), &json!("1.0"), &json!("global"))
    );
    assert_eq!(schema["fields"]["amount_due"], json!({"type": "number", "required": true}));
    assert_eq!(schema["identity"], json!([["invoice_number", "vendor_name", "invoice_date"]]));
    let company = desk.ok("describe_schema", json!({"entity_type": "company"})).await;
    assert_eq!(company["schema"]["reducers"]["name"]["strategy"], "highest_priority");
}

// N-013, N-304, N-305, N-322
#[tokio::test]
async fn all_types_are_listed_with_the_users_own() {
    let desk = Desk::new();
    let types = async || {
        let answer = desk.ok("describe_schema", json!({})).await;
        answer["entity_types"].as_array().unwrap().clone()
    };
    let built_in = types().await.len();
    let names: Vec<Value> = types().await.iter().map(|one| one["entity_type"].clone()).collect();
    assert_eq!(json!(names), json!(neotoma::domain::schema::builtin_types().collect::<Vec<_>>()));
    desk.store(json!([{"entity_type": "recipe", "title": "Soup", "minutes": 20}])).await;
    let listed = types().await;
    assert_eq!(listed.len(), built_in + 1);
    let recipe = listed.iter().find(|one| one["entity_type"] == "recipe").unwrap();
    assert_eq!(recipe["schema_version"], "0.2");
    let inferred = desk.ok("describe_schema", json!({"entity_type": "recipes"})).await;
    assert_eq!(inferred["schema"]["fields"]["minutes"]["type"], "number");
    let answer = desk.ok("describe_schema", json!({})).await;
    let acyclic = |name: &str| {
        let all = answer["relationship_types"].as_array().unwrap();
        all.iter().find(|one| one["name"] == name).map(|one| one["acyclic"].clone())
    };
    assert_eq!((acyclic("PART_OF"), acyclic("REFERS_TO")), (Some(json!(true)), Some(json!(false))));
}

#[tokio::test]
async fn an_unknown_type_is_refused_with_near_ones() {
    let desk = Desk::new();
    for (given, hint) in [("invoyce", "invoice"), ("zzzz", "without entity_type"), ("../x", "without entity_type")] {
        let refused = desk.refused("describe_schema", json!({"entity_type": given})).await;
        assert_eq!(
            (&refused["code"], &refused["details"]["field"]),
            (&json!("VALIDATION_ERROR"), &json!("entity_type"))
        );
        let text = refused.to_string();
        assert!(text.contains(hint) && !text.contains(given), "{text}");
    }
}

#[tokio::test]
async fn a_source_is_read_as_a_resource() {
    let desk = Desk::new();
    let entity = json!({"entity_type": "note", "title": "A", "content": "b"});
    let stored = desk.ok("ingest", json!({"entities": [entity]})).await;
    let uri = format!("neotoma://source/{}", stored["source_id"].as_str().unwrap());
    let Blob::Text { text, .. } = desk.read_as(ANN, &uri).await.unwrap() else { panic!("a source is text") };
    let read: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(read["source_material"]["id"], stored["source_id"]);
    assert_eq!((&read["entity_ids"], &read["entities"]), (&json!([stored["entities"][0]["id"]]), &json!([entity])));
    for unknown in ["neotoma://source/6f1f8a2e-1111-8222-8333-444455556666", "neotoma://source/x"] {
        let error = desk.read_as(ANN, unknown).await.unwrap_err();
        assert_eq!(desk.envelope(&error)["code"], "RESOURCE_NOT_FOUND");
    }
}
