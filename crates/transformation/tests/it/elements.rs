//! createElement, updateElement, deleteElement, listElements.

use serde_json::json;

use crate::world::{World, column, outcome};

// R-517 (references), R-151, R-154, R-158, R-159, R-160, R-161, R-223, R-224, R-225, R-226.
#[tokio::test]
async fn the_three_field_input_of_the_specification_creates_an_element() {
    let world = World::new().await;
    let answer = world
        .call(
            "createElement",
            json!({"type": "ApplicationComponent", "name": "OrderService", "description": "Handles order processing"}),
        )
        .await;
    let element = &answer["element"];
    assert_eq!(answer["success"], true);
    assert_eq!(answer["outcome"], "committed");
    assert!(answer["suggestions"].is_array() && answer["warnings"].is_array());
    let fields = ["type", "name", "layer", "version", "repository_id"].map(|field| &element[field]);
    assert_eq!(
        fields,
        [&json!("ApplicationComponent"), &json!("OrderService"), &json!("application"), &json!(1), &json!("default")]
    );
    let id = element["id"].as_str().unwrap();
    assert_eq!(id.len(), 36, "an id is a UUID");
    assert_eq!(element["version_id"], format!("{id}@1"));
    let models = world.call("listModels", json!({})).await;
    assert_eq!(element["model_id"], models["models"][0]["id"]);
}

//
#[tokio::test]
async fn without_an_active_model_a_write_says_so() {
    let world = World::empty();
    let answer = world.call("createElement", json!({"type": "Node", "name": "n"})).await;
    assert_eq!(outcome(&answer), "NO_DEFAULT_MODEL model_id");
    let named =
        World::new().await.call("createElement", json!({"type": "Node", "name": "n", "model_id": "default"})).await;
    assert_eq!(outcome(&named), "ok");
}

//
#[tokio::test]
async fn a_parent_makes_a_part_or_nothing_is_created() {
    let world = World::new().await;
    world.element("ApplicationComponent", "Whole").await;
    world.element("BusinessCollaboration", "Team").await;
    world.element("Capability", "Selling").await;
    let part = |r#type: &str, name: &str, parent: &str| json!({"type": r#type, "name": name, "parent_id": parent});
    let composed = world.call("createElement", part("ApplicationComponent", "Part", "Whole")).await;
    assert_eq!(composed["relationship"]["type"], "Composition");
    assert_eq!(composed["relationship"]["source_name"], "Whole");
    let aggregated = world.call("createElement", part("BusinessActor", "Member", "Team")).await;
    assert_eq!(aggregated["relationship"]["type"], "Aggregation");
    assert!(column(&aggregated["warnings"], "code").contains(&"PARENT_BY_AGGREGATION"));
    let facts = world.facts().await;
    let refused = world.call("createElement", part("ApplicationComponent", "Other", "Selling")).await;
    assert_eq!(outcome(&refused), "INVALID_RELATIONSHIP parent_id");
    assert_eq!(refused["error"]["suggestions"]["valid_relationships"], json!(["Association"]));
    let unknown = world.call("createElement", part("Node", "Other", "nowhere")).await;
    assert_eq!(outcome(&unknown), "ELEMENT_NOT_FOUND parent_id");
    assert_eq!(world.facts().await, facts);
}

//
#[tokio::test]
async fn an_update_merges_properties_and_counts_versions() {
    let world = World::new().await;
    let properties = json!({"owner": "Sales", "tier": 1});
    world.call("createElement", json!({"type": "Node", "name": "n", "properties": properties})).await;
    let answer = world.call("updateElement", json!({"id": "n", "properties": {"owner": null, "cost": 7}})).await;
    assert_eq!(answer["element"]["properties"], json!({"tier": 1, "cost": 7}));
    assert_eq!((&answer["previous_version"], &answer["new_version"]), (&json!(1), &json!(2)));
    assert_eq!(outcome(&world.call("updateElement", json!({"id": "n"})).await), "VALIDATION_ERROR name");
    let renamed = world.call("updateElement", json!({"id": "n", "name": "m", "description": "now"})).await;
    assert_eq!(renamed["element"]["version"], 3);
    assert_eq!((&renamed["element"]["name"], &renamed["element"]["description"]), (&json!("m"), &json!("now")));
    assert_eq!(renamed["success"], true);
    let read = world.call("listElements", json!({"model_id": "default"})).await;
    assert_eq!(read["elements"], json!([renamed["element"]]));
}

// R-804 (transformation).
#[tokio::test]
async fn a_stale_expected_version_is_a_conflict_with_the_current_one() {
    let world = World::new().await;
    world.element("Node", "n").await;
    let answer = world.call("updateElement", json!({"id": "n", "name": "m", "expected_version": 4})).await;
    assert_eq!(outcome(&answer), "VERSION_CONFLICT expected_version");
    assert_eq!(answer["error"]["details"]["current_version"], 1);
    let delete = world.call("deleteElement", json!({"id": "n", "expected_version": 4})).await;
    assert_eq!(outcome(&delete), "VERSION_CONFLICT expected_version");
    assert_eq!(delete["error"]["details"]["current_version"], 1);
}

//
#[tokio::test]
async fn a_deletion_cascades_or_is_refused() {
    let world = World::new().await;
    let (a, b) = (world.element("Node", "a").await, world.element("Node", "b").await);
    let link = world.relate("Association", &a, &b).await["relationship"]["id"].clone();
    let refused = world.call("deleteElement", json!({"id": a, "cascade": false})).await;
    assert_eq!(outcome(&refused), "RELATIONSHIPS_EXIST cascade");
    assert_eq!(refused["error"]["details"]["relationships"], json!([link]));
    let gone = world.call("deleteElement", json!({"id": a})).await;
    assert_eq!(gone["success"], true);
    assert_eq!(gone["deleted_relationships"], json!([link]));
    let left = world.call("listRelationships", json!({"model_id": "default"})).await;
    assert_eq!(left["relationships"], json!([]));
    assert_eq!(outcome(&world.call("deleteElement", json!({"id": a})).await), "ELEMENT_NOT_FOUND id");
    assert_eq!(outcome(&world.call("createElement", json!({"type": "Node", "name": "a"})).await), "ok");
}

//
#[tokio::test]
async fn elements_are_filtered_and_paged_without_gaps() {
    let world = World::new().await;
    for number in 1..=5 {
        world.element("ApplicationComponent", &format!("Order {number}")).await;
    }
    world.element("ApplicationService", "Orders").await;
    world.element("Node", "Order host").await;
    let list = |more: serde_json::Value| {
        let mut arguments = json!({"model_id": "default"});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        arguments
    };
    let names = async |more| column(&world.call("listElements", list(more)).await["elements"], "name").join(", ");
    assert_eq!(names(json!({"layer": "technology"})).await, "Order host");
    assert_eq!(names(json!({"element_type": "ApplicationService"})).await, "Orders");
    assert_eq!(names(json!({"layer": "application", "name": "orders"})).await, "Orders");
    assert_eq!(names(json!({"layer": "technology", "element_type": "ApplicationService"})).await, "");
    let mut seen = Vec::new();
    let mut token = json!(null);
    loop {
        let mut arguments = list(json!({"element_type": "ApplicationComponent", "page_size": 2}));
        if let Some(token) = token.as_str() {
            arguments["page_token"] = json!(token);
        }
        let page = world.call("listElements", arguments).await;
        seen.extend(column(&page["elements"], "name").into_iter().map(str::to_owned));
        token = page["next_page_token"].clone();
        if token.is_null() {
            break;
        }
        // A page is read where the first one was: what comes later does not show.
        world.element("ApplicationComponent", &format!("Late {}", seen.len())).await;
    }
    assert_eq!(seen, ["Order 1", "Order 2", "Order 3", "Order 4", "Order 5"]);
}

//
#[tokio::test]
async fn a_page_holds_fifty_unless_asked_otherwise() {
    let world = World::new().await;
    for number in 0..51 {
        world.element("Node", &format!("n{number}")).await;
    }
    let first = world.call("listElements", json!({"model_id": "default"})).await;
    assert_eq!(first["elements"].as_array().unwrap().len(), 50);
    let token = &first["next_page_token"];
    let second = world.call("listElements", json!({"model_id": "default", "page_token": token})).await;
    assert_eq!(column(&second["elements"], "name"), ["n50"]);
    assert!(second.get("next_page_token").is_none());
}

//
#[tokio::test]
async fn a_model_counts_its_layers_and_resources_cite() {
    use contract::{Blob, Capability};
    let world = World::new().await;
    let id = world.element("Node", "host").await;
    world.element("Capability", "Selling").await;
    let model = world.call("getArchimateModel", json!({"model_id": "default"})).await;
    assert_eq!(model["model"]["active"], true);
    let counted: Vec<(&str, u64)> = model["layers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|count| (count["layer"].as_str().unwrap(), count["elements"].as_u64().unwrap()))
        .filter(|(_, elements)| *elements > 0)
        .collect();
    assert_eq!(counted, [("strategy", 1), ("technology", 1)]);
    let ctx = world.ctx();
    let Blob::Text { mime, text } =
        world.capability.read(&ctx, &format!("transformation://element/{id}")).await.unwrap()
    else {
        panic!("a resource is text");
    };
    let body: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(mime, "application/json");
    assert_eq!(body["element"]["version_id"], format!("{id}@1"));
    assert_eq!(body["element"]["name"], "host");
    let uri = format!("transformation://model/{}", model["model"]["id"].as_str().unwrap());
    let Blob::Text { text, .. } = world.capability.read(&ctx, &uri).await.unwrap() else {
        panic!("a resource is text");
    };
    let read: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&read["model"], &read["layers"]), (&model["model"], &model["layers"]));
    let missing = world.capability.read(&ctx, "transformation://element/none").await.unwrap_err();
    assert_eq!(missing.kind, contract::ErrorKind::NotFound);
    let nonsense = world.capability.read(&ctx, "transformation://nonsense/x").await.unwrap_err();
    assert_eq!((nonsense.kind, &*nonsense.code), (contract::ErrorKind::NotFound, "RESOURCE_NOT_FOUND"));
    let listed = world.capability.resources(&ctx, None).await.unwrap();
    assert_eq!(listed.items.iter().map(|item| item.name.as_str()).collect::<Vec<_>>(), ["default"]);
}
