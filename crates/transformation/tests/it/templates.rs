//! Capabilities with their profile, and the writes that make several things at once.

use serde_json::json;
use transformation::Config;
use transformation::metamodel::Profile;

use crate::world::{World, column, outcome};

fn capability(name: &str) -> serde_json::Value {
    json!({"name": name, "profile": {"owner": "Sales", "criticality": "High", "lifecycle": "Active"}})
}

//
#[tokio::test]
async fn a_capability_has_its_profile_and_the_platform_supplies_the_rest() {
    let world = World::new().await;
    let answer = world.call("createCapability", capability("Order Management")).await;
    let made = &answer["capability"];
    assert_eq!(answer["success"], true);
    assert_eq!(
        (&made["type"], &made["layer"], &made["revision"]),
        (&json!("Capability"), &json!("strategy"), &json!(1))
    );
    assert_eq!(made["profile"], json!({"owner": "Sales", "criticality": "High", "lifecycle": "Active"}));
    assert_eq!((made["name"].as_str(), made["id"].as_str().map(str::len)), (Some("Order Management"), Some(36)));
    let models = world.call("listModels", json!({})).await;
    assert_eq!((&made["model_id"], &models["models"][0]["active"]), (&models["models"][0]["id"], &json!(true)));
    let fact = world.ledger.facts(&world.scope.tenant, 0, 100).await.unwrap().pop().unwrap();
    let meta: serde_json::Value = serde_json::from_str(&fact.meta).unwrap();
    assert_eq!((&meta["tenant_id"], &meta["correlation_id"]), (&json!("local"), &json!("correlation")));
    assert!(meta["occurred_at"].as_str().unwrap().starts_with("2026-07-28T10:00:0"), "{meta}");
    let listed = world.call("listElements", json!({"model_id": "default"})).await;
    assert_eq!(listed["elements"][0]["profile"], made["profile"]);
    assert_eq!(listed["elements"][0]["version_id"], made["version_id"]);
    let again = world.call("createCapability", capability("order management")).await;
    assert_eq!(outcome(&again), "DUPLICATE_NAME name");
}

//
#[tokio::test]
async fn a_capability_may_bring_its_own_id_once() {
    let world = World::new().await;
    let id = "0198c5a4-1111-7000-8000-000000000001";
    let with_id = |name: &str, id: &str| {
        let mut arguments = capability(name);
        arguments["id"] = json!(id);
        arguments
    };
    let answer = world.call("createCapability", with_id("A", id)).await;
    assert_eq!(answer["capability"]["id"], id);
    assert_eq!(outcome(&world.call("createCapability", with_id("B", id)).await), "DUPLICATE_NAME id");
    assert_eq!(outcome(&world.call("createCapability", with_id("C", "no uuid")).await), "VALIDATION_ERROR id");
}

//
#[tokio::test]
async fn a_missing_part_of_the_profile_is_named_by_its_path() {
    let world = World::new().await;
    assert_eq!(outcome(&world.call("createCapability", json!({"name": "A"})).await), "VALIDATION_ERROR profile");
    let nameless = json!({"profile": capability("A")["profile"]});
    assert_eq!(outcome(&world.call("createCapability", nameless).await), "VALIDATION_ERROR name");
    for part in ["owner", "criticality", "lifecycle"] {
        let mut arguments = capability("Order Management");
        arguments["profile"].as_object_mut().unwrap().remove(part);
        assert_eq!(
            outcome(&world.call("createCapability", arguments).await),
            format!("VALIDATION_ERROR profile.{part}")
        );
    }
}

#[tokio::test]
async fn a_profile_changes_part_by_part_and_belongs_to_capabilities_only() {
    let world = World::new().await;
    world.call("createCapability", capability("Order Management")).await;
    let changed =
        world.call("updateElement", json!({"id": "Order Management", "profile": {"lifecycle": "Retired"}})).await;
    assert_eq!(changed["element"]["profile"], json!({"owner": "Sales", "criticality": "High", "lifecycle": "Retired"}));
    world.element("Node", "Host").await;
    let refused = world.call("updateElement", json!({"id": "Host", "profile": {"owner": "x"}})).await;
    assert_eq!(outcome(&refused), "VALIDATION_ERROR profile");
}

fn structure() -> serde_json::Value {
    json!({
        "name": "Fulfillment",
        "description": "Gets goods to customers",
        "value_streams": ["Order to Cash"],
        "sub_capabilities": ["Picking", "Shipping"]
    })
}

//
#[tokio::test]
async fn a_structure_is_made_whole() {
    let world = World::new().await;
    let before = world.facts().await;
    let answer = world.call("createCapabilityStructure", structure()).await;
    assert_eq!(answer["capability"]["name"], "Fulfillment");
    assert_eq!(column(&answer["created_elements"], "name"), ["Fulfillment", "Order to Cash", "Picking", "Shipping"]);
    assert_eq!(column(&answer["created_relationships"], "type"), ["Realization", "Composition", "Composition"]);
    assert_eq!(column(&answer["created_relationships"], "source_name"), ["Fulfillment"; 3]);
    assert_eq!(world.facts().await, before + 7);
}

// R-200, R-802 (table)
#[tokio::test]
async fn the_strict_profile_serves_value_streams_and_says_so() {
    let world = World::with(Config { profile: Profile::Strict, ..Config::default() }).await;
    let answer = world.call("createCapabilityStructure", structure()).await;
    assert_eq!(column(&answer["created_relationships"], "type")[0], "Serving");
    assert_eq!(column(&answer["warnings"], "code"), ["TEMPLATE_RELATIONSHIP_ADJUSTED"]);
}

//
#[tokio::test]
async fn a_template_that_fails_leaves_nothing() {
    let world = World::new().await;
    world.element("Capability", "shipping").await;
    let before = world.facts().await;
    let refused = world.call("createCapabilityStructure", structure()).await;
    assert_eq!(outcome(&refused), "DUPLICATE_NAME sub_capabilities[1]");
    let twice = json!({"name": "X", "sub_capabilities": ["A", "a"]});
    let refused = world.call("createCapabilityStructure", twice).await;
    assert_eq!(outcome(&refused), "VALIDATION_ERROR sub_capabilities[1]");
    assert_eq!(world.facts().await, before);
    let mut made = Vec::new();
    for tenant in ["one", "two"] {
        let answer = world.other_tenant(tenant).await.call("createCapabilityStructure", structure()).await;
        let [elements, relationships] = ["created_elements", "created_relationships"].map(|of| answer[of].clone());
        let texts = |list, key| column(list, key).join(" ");
        made.push([texts(&elements, "name"), texts(&relationships, "type"), texts(&relationships, "target_name")]);
    }
    assert_eq!(made[0], made[1]);
}

//
#[tokio::test]
async fn a_component_comes_with_its_services() {
    let world = World::new().await;
    world.element("Capability", "Fulfillment").await;
    let arguments = json!({
        "capability_id": "Fulfillment",
        "component_name": "WarehouseApp",
        "component_description": "Runs the warehouse",
        "services": ["Stock enquiry", "Dispatch"]
    });
    let answer = world.call("addComponentToCapability", arguments.clone()).await;
    assert_eq!(answer["component"]["description"], "Runs the warehouse");
    assert_eq!(
        column(&answer["created_elements"], "type"),
        ["ApplicationComponent", "ApplicationService", "ApplicationService"]
    );
    assert_eq!(column(&answer["created_relationships"], "type"), ["Realization"; 3]);
    assert_eq!(column(&answer["created_relationships"], "target_name"), ["Fulfillment", "Stock enquiry", "Dispatch"]);
    world.element("Node", "Host").await;
    let mut wrong = arguments.clone();
    wrong["capability_id"] = json!("Host");
    assert_eq!(outcome(&world.call("addComponentToCapability", wrong).await), "VALIDATION_ERROR capability_id");
    let mut unknown = arguments;
    unknown["capability_id"] = json!("Fulfilment desk");
    assert_eq!(outcome(&world.call("addComponentToCapability", unknown).await), "ELEMENT_NOT_FOUND capability_id");
}

//
#[tokio::test]
async fn templates_are_validated_retried_and_proposed_like_any_write() {
    let world = World::new().await;
    for (operation, payload) in [("createCapability", capability("A")), ("createCapabilityStructure", structure())] {
        let before = world.facts().await;
        let valid = world.call("validateWrite", json!({"operation": operation, "payload": payload})).await;
        assert_eq!(valid["valid"], true, "{valid}");
        assert_eq!(world.facts().await, before);
        let mut keyed = payload.clone();
        keyed["client_request_id"] = json!(operation);
        world.call(operation, keyed.clone()).await;
        assert_eq!(world.call(operation, keyed).await["idempotent_replay"], true);
        let invalid = world.call("validateWrite", json!({"operation": operation, "payload": payload})).await;
        assert_eq!((&invalid["valid"], &invalid["errors"][0]["code"]), (&json!(false), &json!("DUPLICATE_NAME")));
    }
    let proposed = world
        .as_agent()
        .call("addComponentToCapability", json!({"capability_id": "A", "component_name": "App", "services": ["S"]}))
        .await;
    assert_eq!(proposed["outcome"], "proposed");
    assert_eq!(proposed["created_elements"][1]["version"], 0);
}
