//! Lines of the acceptance list that speak of every tool, every value or every operation, tested over all of them.

use std::collections::BTreeSet;

use contract::generated::transformation::{self as proto, CloudEvent, FactQueryService, ListFactsRequest};
use contract::{Capability, Side};
use serde_json::{Value, json};
use transformation::metamodel::{ElementType, Profile, RelationshipType};
use transformation::query::FactQuery;

use crate::world::{World, column, outcome};

// R-055, R-831 (transformation): every write result contains success, the ids of what it made, what to do next and its outcome.
// R-806 (transformation): every write takes a key, and a second call with it is answered like the first.
#[tokio::test]
async fn every_write_answers_with_success_ids_and_next_steps() {
    let world = World::new().await;
    let profile = json!({"owner": "Ann", "criticality": "High", "lifecycle": "Active"});
    let calls = [
        ("createElement", json!({"type": "ApplicationComponent", "name": "App"}), "/element/id"),
        ("createCapability", json!({"name": "Orders", "profile": profile}), "/capability/id"),
        (
            "createRelationship",
            json!({"type": "Realization", "source_id": "App", "target_id": "Orders"}),
            "/relationship/id",
        ),
        ("createCapabilityStructure", json!({"name": "Sales", "value_streams": ["Sell"]}), "/created_elements/1/id"),
        ("addComponentToCapability", json!({"capability_id": "Sales", "component_name": "Shop"}), "/component/id"),
        ("updateElement", json!({"id": "App", "description": "d"}), "/element/id"),
        ("deleteElement", json!({"id": "Shop"}), "/element/id"),
        ("applyChanges", json!({"changes": [{"op": "create", "type": "Node", "name": "Box"}]}), "/changes/0/id"),
        ("createBaseline", json!({"name": "First"}), "/baseline/id"),
        ("promoteBaseline", json!({"baseline_id": "First"}), "/baseline/id"),
        ("submitArchitectureIntent", json!({"operation": "createView", "create_view": {"name": "V"}}), "/view/id"),
        (
            "submitScrumIntent",
            json!({"operation": "setProductGoal", "product_id": "shop", "set_product_goal": {"description": "Paid"}}),
            "/product/id",
        ),
    ];
    let called: BTreeSet<String> = calls.iter().map(|(tool, _, _)| format!("transformation.{tool}")).collect();
    let writes = world.capability.manifest().tools.iter().filter(|tool| tool.side == Side::Command);
    assert_eq!(called, writes.map(|tool| tool.name.to_string()).collect(), "every write is called");
    for (tool, mut arguments, id) in calls {
        arguments["client_request_id"] = json!(tool);
        let answer = world.call(tool, arguments.clone()).await;
        assert_eq!(answer["success"], true, "{tool}: {answer}");
        assert_eq!(answer["outcome"], "committed", "{tool}: {answer}");
        assert!(answer.pointer(id).is_some_and(Value::is_string), "{tool} {id}: {answer}");
        assert!(!answer["suggestions"].as_array().unwrap().is_empty(), "{tool}: {answer}");
        let facts = world.facts().await;
        let again = world.call(tool, arguments).await;
        assert_eq!((&again["idempotent_replay"], again.pointer(id)), (&json!(true), answer.pointer(id)), "{tool}");
        assert_eq!(world.facts().await, facts, "{tool}");
    }
}

// snake_case arguments become fields, words become enum values, and both come back as they were given.
#[tokio::test]
async fn names_and_words_are_mapped_to_the_contract_and_back() {
    for &of in proto::ElementType::ALL {
        assert_eq!(proto::ElementType::from_label(of.label()), Some(of));
    }
    for &layer in proto::Layer::ALL {
        assert_eq!(proto::Layer::from_label(layer.label()), Some(layer));
    }
    assert_eq!(proto::Layer::from_label("application"), Some(proto::Layer::Application));
    let world = World::new().await;
    world.element("DataObject", "Order").await;
    let given = json!({
        "type": "ApplicationComponent", "name": "App", "description": "d", "key": "app",
        "properties": {"snake_case": 1, "camelCase": 2}, "model_id": "default",
    });
    let element = world.call("createElement", given.clone()).await["element"].clone();
    for field in ["type", "name", "description", "key", "properties"] {
        assert_eq!(element[field], given[field], "{field}");
    }
    assert_eq!(element["layer"], "application");
    let link = json!({"type": "Access", "source_id": "app", "target_id": "Order", "access_type": "ReadWrite"});
    let made = world.call("createRelationship", link).await["relationship"].clone();
    assert_eq!((&made["type"], &made["access_type"]), (&json!("Access"), &json!("ReadWrite")));
    let listed = world.call("listElements", json!({"model_id": "default", "layer": "application"})).await;
    assert_eq!(column(&listed["elements"], "layer"), ["application", "application"]);
}

// every query takes a read_context. R-059: its selector is one of four words.
#[tokio::test]
async fn every_query_takes_a_read_context_whose_selector_is_one_of_four() {
    let world = World::new().await;
    world.call("createBaseline", json!({"name": "First"})).await;
    let queries = world.capability.manifest().tools.iter().filter(|tool| tool.side == Side::Query);
    for tool in queries {
        let context = &tool.input_schema["properties"]["read_context"];
        let selector = &context["properties"]["selector"]["enum"];
        assert_eq!(*selector, json!(["head", "published", "baseline_id", "as_of"]), "{}", tool.name);
        let required = tool.input_schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        assert!(!required.contains(&json!("read_context")), "{}", tool.name);
        let mut arguments = tool.examples[0].input.as_object().cloned().unwrap();
        arguments.remove("to");
        arguments.insert("read_context".to_owned(), json!({"selector": "tomorrow"}));
        assert!(world.capability.call(&world.ctx(), &tool.name, arguments.clone()).await.is_err(), "{}", tool.name);
        arguments.insert("read_context".to_owned(), json!({"selector": "as_of"}));
        if tool.name != "transformation.validateWrite" {
            let error = world.capability.call(&world.ctx(), &tool.name, arguments).await.unwrap_err();
            assert_eq!(error.code, "INVALID_ARGUMENT", "{}: {error}", tool.name);
        }
    }
    let types = world.call("getElementTypes", json!({"read_context": {"selector": "head"}})).await;
    assert_eq!(outcome(&types), "ok");
    let compared = json!({"from": {"baseline_id": "First"}, "read_context": {"selector": "head"}});
    assert_eq!(world.call("compareStates", compared).await["summary"], "no difference");
}

// the source alone narrows what is listed to what may start from it. R-128: the target alone to what may end at it.
#[tokio::test]
async fn one_type_alone_leaves_what_may_start_from_it_or_end_at_it() {
    let world = World::new().await;
    let gap = ElementType::from_label("Gap").unwrap();
    for (given, own, other) in [("source_type", "source", "target"), ("target_type", "target", "source")] {
        let answer = world.call("getRelationshipTypes", json!({given: "Gap", "page_size": 1000})).await;
        assert!(answer.get("next_page_token").is_none());
        let mut listed = BTreeSet::new();
        for info in answer["relationships"].as_array().unwrap() {
            for pair in info["valid_pairs"].as_array().unwrap() {
                assert_eq!(pair[own], "Gap");
                listed.insert((info["type"].as_str().unwrap().to_owned(), pair[other].as_str().unwrap().to_owned()));
            }
        }
        let joins = |of, end| match own {
            "source" => Profile::Ameide.permits(of, gap, end),
            _ => Profile::Ameide.permits(of, end, gap),
        };
        let permitted: BTreeSet<(String, String)> = RelationshipType::ALL
            .into_iter()
            .flat_map(|of| ElementType::all().map(move |end| (of, end)))
            .filter(|(of, end)| joins(*of, *end))
            .map(|(of, end)| (of.label().to_owned(), end.label().to_owned()))
            .collect();
        assert_eq!(listed, permitted, "{given}");
    }
}

// what a write answers is the object as a read shows it, so that nothing has to be read again.
#[tokio::test]
async fn a_write_answers_with_the_object_as_it_is_read() {
    let world = World::new().await;
    let profile = json!({"owner": "Ann", "criticality": "High", "lifecycle": "Active"});
    let model = json!({"model_id": "default"});
    for (tool, arguments, made, read, shown) in [
        (
            "createElement",
            json!({"type": "Node", "name": "Host"}),
            "/element",
            ("listElements", json!({"model_id": "default", "element_type": "Node"})),
            "/elements/0",
        ),
        (
            "updateElement",
            json!({"id": "Host", "properties": {"tier": 1}}),
            "/element",
            ("listElements", json!({"model_id": "default", "element_type": "Node"})),
            "/elements/0",
        ),
        (
            "createRelationship",
            json!({"type": "Flow", "source_id": "Host", "target_id": "Host"}),
            "/relationship",
            ("listRelationships", model.clone()),
            "/relationships/0",
        ),
        (
            "createCapabilityStructure",
            json!({"name": "Sales"}),
            "/created_elements/0",
            ("listElements", json!({"model_id": "default", "element_type": "Capability"})),
            "/elements/0",
        ),
        (
            "submitArchitectureIntent",
            json!({"operation": "createView", "create_view": {"name": "V"}}),
            "/view",
            ("getView", json!({"view_id": "V"})),
            "/view",
        ),
        (
            "createBaseline",
            json!({"name": "First"}),
            "/baseline",
            ("getBaseline", json!({"baseline_id": "First"})),
            "/baseline",
        ),
    ] {
        let answer = world.call(tool, arguments).await;
        let later = world.call(read.0, read.1).await;
        assert!(answer.pointer(made).is_some_and(Value::is_object), "{tool}: {answer}");
        assert_eq!(answer.pointer(made), later.pointer(shown), "{tool}");
    }
    let made =
        world.call("createCapability", json!({"name": "Orders", "profile": profile})).await["capability"].clone();
    let listed =
        world.call("listElements", json!({"model_id": "default", "name": "Orders"})).await["elements"][0].clone();
    for field in ["id", "name", "type", "layer", "profile", "version_id", "model_id"] {
        assert_eq!(made[field], listed[field], "{field}");
    }
}

// every write that is listed can be validated, and says both that it would work and that it would not.
#[tokio::test]
async fn every_operation_can_be_validated() {
    let world = World::new().await;
    world.element("Capability", "Orders").await;
    world.element("ApplicationComponent", "App").await;
    let profile = json!({"owner": "Ann", "criticality": "High", "lifecycle": "Active"});
    let goal = json!({"operation": "setProductGoal", "product_id": "shop", "set_product_goal": {"description": "x"}});
    let payloads = [
        ("createElement", json!({"type": "Node", "name": "n"})),
        ("createRelationship", json!({"type": "Realization", "source_id": "App", "target_id": "Orders"})),
        ("updateElement", json!({"id": "App", "name": "Other"})),
        ("deleteElement", json!({"id": "App"})),
        ("createCapability", json!({"name": "Sales", "profile": profile})),
        ("createCapabilityStructure", json!({"name": "Sales"})),
        ("addComponentToCapability", json!({"capability_id": "Orders", "component_name": "Shop"})),
        ("submitArchitectureIntent", json!({"operation": "createView", "create_view": {"name": "V"}})),
        ("submitScrumIntent", goal),
        ("applyChanges", json!({"changes": [{"op": "create", "type": "Node", "name": "m"}]})),
    ];
    let tools = &world.capability.manifest().tools;
    let validate = tools.iter().find(|tool| tool.name == "transformation.validateWrite").unwrap();
    let operations = validate.input_schema["properties"]["operation"]["enum"].as_array().unwrap();
    let listed: BTreeSet<&str> = operations.iter().filter_map(Value::as_str).collect();
    assert_eq!(listed, payloads.iter().map(|(operation, _)| *operation).collect());
    let before = world.facts().await;
    for (operation, payload) in payloads {
        let good = world.call("validateWrite", json!({"operation": operation, "payload": payload})).await;
        assert_eq!((&good["valid"], &good["errors"]), (&json!(true), &json!([])), "{operation}");
        let bad = world.call("validateWrite", json!({"operation": operation, "payload": {}})).await;
        assert_eq!(bad["valid"], false, "{operation}");
        assert!(!bad["errors"].as_array().unwrap().is_empty(), "{operation}");
    }
    assert_eq!(world.facts().await, before);
}

// a consumer that drops what it has seen by id ends at the same state, however often events come.
#[tokio::test]
async fn a_consumer_that_drops_repetitions_is_not_harmed_by_them() {
    let world = World::new().await;
    world.element("Node", "a").await;
    world.call("createElement", json!({"type": "Node", "name": "b", "parent_id": "a"})).await;
    let query = FactQuery::new(world.ledger.clone());
    let mut seen = BTreeSet::new();
    let mut kept: Vec<CloudEvent> = Vec::new();
    // Three deliveries that overlap, as after two crashes of the consumer.
    for after in [0, 1, 0] {
        let request = ListFactsRequest { after, page_size: 100 };
        let events = query.list_facts(&world.ctx(), request).await.unwrap().events;
        kept.extend(events.into_iter().filter(|event| seen.insert(event.id.clone())));
    }
    assert_eq!(kept.len(), world.facts().await);
    let sequences: Vec<&str> = kept.iter().map(|event| event.sequence.as_str()).collect();
    assert!(sequences.is_sorted(), "{sequences:?}");
}
