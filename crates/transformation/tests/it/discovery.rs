//! getElementTypes, getRelationshipTypes, getWriteSchema.

use contract::generated::transformation::WriteOperation;
use contract::{Capability, Side};
use serde_json::{Value, json};

use crate::world::{World, column, outcome};

//
#[tokio::test]
async fn types_are_listed_by_layer_with_the_four_of_the_specification_first() {
    let world = World::new().await;
    let answer = world.call("getElementTypes", json!({})).await;
    let layers: Vec<&String> = answer["layers"].as_object().unwrap().keys().collect();
    assert_eq!(
        layers,
        ["strategy", "business", "application", "technology", "motivation", "physical", "implementation", "other"]
    );
    for (layer, types) in [
        ("strategy", &["Capability", "Resource", "CourseOfAction", "ValueStream"][..]),
        ("business", &["BusinessProcess", "BusinessService", "BusinessActor"]),
        ("application", &["ApplicationComponent", "ApplicationService", "ApplicationInterface", "DataObject"]),
        ("technology", &["Node", "Device", "SystemSoftware"]),
    ] {
        let listed = column(&answer["layers"][layer], "type");
        assert!(types.iter().all(|of| listed.contains(of)), "{layer}: {listed:?}");
        assert!(column(&answer["layers"][layer], "description").iter().all(|text| !text.is_empty()));
    }
    assert_eq!((&answer["profile"], &answer["metamodel_version"]), (&json!("ameide"), &json!("3.2")));
    let one = world.call("getElementTypes", json!({"layer": "physical"})).await;
    assert_eq!(one["layers"].as_object().unwrap().len(), 1);
}

//
#[tokio::test]
async fn the_first_page_names_every_relationship_type() {
    let world = World::new().await;
    let answer = world.call("getRelationshipTypes", json!({})).await;
    assert_eq!(answer["relationships"].as_array().unwrap().len(), 11);
    for (of, source, target) in [
        ("Realization", "ApplicationComponent", "ApplicationService"),
        ("Realization", "BusinessProcess", "BusinessService"),
        ("Serving", "ApplicationService", "BusinessProcess"),
        ("Serving", "ApplicationComponent", "ApplicationComponent"),
        ("Composition", "Capability", "Capability"),
        ("Composition", "ApplicationComponent", "ApplicationComponent"),
    ] {
        let info = answer["relationships"].as_array().unwrap().iter().find(|info| info["type"] == of).unwrap();
        let pairs = info["valid_pairs"].as_array().unwrap();
        assert!(pairs.contains(&json!({"source": source, "target": target})), "{of}: {pairs:?}");
        assert!(info["description"].is_string() && info["direction"].as_str().unwrap().contains("source → target"));
    }
}

// R-802 (table).
#[tokio::test]
async fn both_types_ask_about_one_pair() {
    let world = World::new().await;
    let pair = async |source: &str, target: &str| {
        world.call("getRelationshipTypes", json!({"source_type": source, "target_type": target})).await
    };
    let answer = pair("Capability", "ApplicationComponent").await;
    assert_eq!(column(&answer["relationships"], "type"), ["Association"]);
    assert_eq!(answer["valid_if_reversed"], json!(["Realization", "Association"]));
    let extended = pair("Capability", "ValueStream").await;
    assert_eq!(extended["relationships"][0]["type"], "Realization");
    assert_eq!(
        extended["relationships"][0]["valid_pairs"],
        json!([{"source": "Capability", "target": "ValueStream", "extension": true}])
    );
}

// the pages together are the table that writes are judged by.
#[tokio::test]
async fn the_pages_together_are_the_whole_table() {
    use transformation::metamodel::{ElementType, Profile, RelationshipType};
    let world = World::new().await;
    let mut listed = std::collections::BTreeSet::new();
    let mut arguments = json!({"page_size": 1000});
    loop {
        let page = world.call("getRelationshipTypes", arguments.clone()).await;
        for info in page["relationships"].as_array().unwrap() {
            for pair in info["valid_pairs"].as_array().unwrap() {
                let triple =
                    [&info["type"], &pair["source"], &pair["target"]].map(|word| word.as_str().unwrap().to_owned());
                assert!(listed.insert(triple.clone()), "{triple:?} twice");
            }
        }
        match page.get("next_page_token").and_then(Value::as_str) {
            Some(token) => arguments["page_token"] = json!(token),
            None => break,
        }
    }
    let mut permitted = std::collections::BTreeSet::new();
    for of in RelationshipType::ALL {
        for source in ElementType::all() {
            for target in ElementType::all().filter(|&target| Profile::Ameide.permits(of, source, target)) {
                permitted.insert([of.label(), source.label(), target.label()].map(str::to_owned));
            }
        }
    }
    assert_eq!(listed.len(), permitted.len());
    assert_eq!(listed, permitted);
}

//
#[tokio::test]
async fn every_type_that_is_listed_can_be_created() {
    let world = World::new().await;
    let answer = world.call("getElementTypes", json!({})).await;
    let mut created = 0;
    for types in answer["layers"].as_object().unwrap().values() {
        for of in column(types, "type") {
            let made = world.call("createElement", json!({"type": of, "name": of})).await;
            assert_eq!(outcome(&made), "ok", "{of}");
            created += 1;
        }
    }
    assert_eq!(created, 61);
}

//
#[tokio::test]
async fn every_example_fits_its_schema() {
    let world = World::new().await;
    for operation in WriteOperation::ALL.iter().map(|operation| operation.label()) {
        let answer = world.call("getWriteSchema", json!({"operation": operation})).await;
        let validator = jsonschema::validator_for(&answer["schema"]).unwrap();
        let examples = answer["examples"].as_array().unwrap();
        assert!(!examples.is_empty(), "{operation}");
        for example in examples {
            assert!(validator.is_valid(&example["input"]), "{operation}: {example}");
            assert!(example["description"].as_str().is_some_and(|text| !text.is_empty()), "{operation}: {example}");
        }
    }
}

//
#[tokio::test]
async fn a_write_schema_is_the_schema_of_the_tool() {
    let world = World::new().await;
    let answer = world.call("getWriteSchema", json!({"operation": "createElement"})).await;
    assert_eq!(answer["required_fields"], json!(["type", "name"]));
    let optional = answer["optional_fields"].as_array().unwrap();
    assert_eq!(optional[..4], [json!("description"), json!("properties"), json!("parent_id"), json!("model_id")]);
    let tool = world
        .capability
        .manifest()
        .tools
        .iter()
        .find(|tool| tool.name == "transformation.createElement")
        .unwrap()
        .clone();
    assert_eq!(answer["schema"], Value::Object(tool.whole_schema()));
    assert_eq!(answer["examples"].as_array().unwrap().len(), tool.examples.len());
}

//
#[tokio::test]
async fn hints_and_descriptions_are_truthful() {
    let world = World::new().await;
    for tool in &world.capability.manifest().tools {
        assert_eq!(tool.hints.read_only, tool.side == Side::Query, "{}", tool.name);
        let destroys = [
            "transformation.applyChanges",
            "transformation.deleteElement",
            "transformation.promoteBaseline",
            "transformation.submitArchitectureIntent",
        ];
        assert_eq!(tool.hints.destructive, destroys.contains(&tool.name.as_str()), "{}", tool.name);
        // A second equal call of these changes nothing, as `hints` shows by calling; a second create makes another.
        let again = ["transformation.updateElement", "transformation.deleteElement", "transformation.promoteBaseline"];
        assert_eq!(
            tool.hints.idempotent,
            tool.side == Side::Query || again.contains(&tool.name.as_str()),
            "{}",
            tool.name
        );
        let operation = tool.name.trim_start_matches("transformation.");
        let validated = WriteOperation::ALL.iter().any(|known| known.label() == operation);
        assert!(!validated || tool.description.contains("validateWrite"), "{}", tool.name);
    }
}

//
#[tokio::test]
async fn writes_ask_for_meaning_and_take_a_key_and_queries_do_neither() {
    let world = World::new().await;
    for tool in &world.capability.manifest().tools {
        let has = |field: &str| tool.input_schema["properties"].get(field).is_some();
        let required = tool.input_schema.get("required").cloned().unwrap_or_else(|| json!([]));
        assert_eq!(has("client_request_id"), tool.side == Side::Command, "{}", tool.name);
        assert!(!required.as_array().unwrap().contains(&json!("client_request_id")), "{}", tool.name);
        let modes = &tool.input_schema["properties"]["commit_mode"]["enum"];
        let expected = if tool.side == Side::Command { json!(["auto", "commit", "propose"]) } else { Value::Null };
        assert_eq!(*modes, expected, "{}", tool.name);
        for supplied in ["message_id", "correlation_id", "tenant_id", "aggregate_version", "occurred_at", "version"] {
            assert!(!has(supplied), "{} takes {supplied}", tool.name);
        }
        // Only createCapability may be given an id.
        let creates = tool.name.starts_with("transformation.create") && tool.name != "transformation.createCapability";
        assert!(!creates || !has("id"), "{} takes the id of what it creates", tool.name);
    }
}
