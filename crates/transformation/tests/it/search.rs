//! searchCapabilities: words first, then the narrowing.

use serde_json::{Value, json};

use crate::world::{World, column, outcome};

async fn sales_world() -> World {
    let world = World::new().await;
    let elements = [
        json!({"type": "Capability", "name": "Order Management", "description": "Take, change and track orders"}),
        json!({"type": "Capability", "name": "Billing", "description": "Invoice what was ordered"}),
        json!({"type": "Capability", "name": "Archive", "properties": {"tags": ["retention", "compliance"], "owner": {"team": "Records"}}}),
        json!({"type": "Resource", "name": "Order desk"}),
        json!({"type": "ApplicationComponent", "name": "OrderService", "description": "Order Management in software"}),
    ];
    for element in elements {
        assert_eq!(world.call("createElement", element).await["success"], true);
    }
    world
}

async fn names(world: &World, arguments: Value) -> Vec<String> {
    let answer = world.call("searchCapabilities", arguments).await;
    column(&answer["elements"], "name").into_iter().map(str::to_owned).collect()
}

// capabilities of the strategy layer, by name, description and tags.
#[tokio::test]
async fn capabilities_are_found_by_name_description_and_tags() {
    let world = sales_world().await;
    for (query, expected) in [
        ("order management", vec!["Order Management", "Billing"]),
        ("ORDER", vec!["Order Management", "Billing"]),
        ("invoice", vec!["Billing"]),
        ("retention", vec!["Archive"]),
        ("records", vec!["Archive"]),
        ("teleport", vec![]),
    ] {
        assert_eq!(names(&world, json!({"query": query})).await, expected, "{query}");
    }
}

//
#[tokio::test]
async fn another_layer_or_type_finds_other_elements() {
    let world = sales_world().await;
    for (arguments, expected) in [
        (json!({"query": "order", "element_type": "Resource"}), "Order desk"),
        (json!({"query": "order", "layer": "application"}), "OrderService"),
        (json!({"query": "order", "element_type": "application component"}), "OrderService"),
    ] {
        assert_eq!(names(&world, arguments.clone()).await, [expected], "{arguments}");
    }
    let contradiction = json!({"query": "order", "layer": "business", "element_type": "Node"});
    assert_eq!(outcome(&world.call("searchCapabilities", contradiction).await), "INVALID_ARGUMENT element_type");
}

// a star lists all by name, page after page.
#[tokio::test]
async fn a_star_lists_all_capabilities_by_name() {
    let world = sales_world().await;
    let all = json!({"query": "*", "layer": "strategy"});
    assert_eq!(names(&world, all).await, ["Archive", "Billing", "Order Management"]);
    for query in ["*", "order"] {
        let whole = names(&world, json!({"query": query})).await;
        let (mut paged, mut token) = (Vec::new(), None);
        loop {
            let arguments = match &token {
                Some(token) => json!({"query": query, "page_size": 1, "page_token": token}),
                None => json!({"query": query, "page_size": 1}),
            };
            let answer = world.call("searchCapabilities", arguments).await;
            paged.extend(column(&answer["elements"], "name").into_iter().map(str::to_owned));
            match answer["next_page_token"].as_str() {
                Some(next) => token = Some(next.to_owned()),
                None => break,
            }
        }
        assert_eq!(paged, whole, "{query}");
        let other = json!({"query": "other", "page_size": 1, "page_token": token});
        assert_eq!(outcome(&world.call("searchCapabilities", other).await), "INVALID_ARGUMENT page_token");
    }
}

// the past keeps its own words, and every item is cited.
#[tokio::test]
async fn a_search_reads_at_a_point_and_cites_what_it_found() {
    let world = sales_world().await;
    let before = world.call("searchCapabilities", json!({"query": "billing"})).await;
    world.call("createBaseline", json!({"name": "B"})).await;
    world.call("updateElement", json!({"id": "Billing", "name": "Invoicing"})).await;
    let again = json!({"query": "billing", "read_context": before["read_context"]});
    assert_eq!(world.call("searchCapabilities", again).await, before);
    assert_eq!(names(&world, json!({"query": "billing"})).await, [""; 0]);
    let as_of = json!({"query": "*", "read_context": {"as_of": "2026-07-28T10:00:00Z"}});
    assert_eq!(names(&world, as_of).await, [""; 0]);
    for context in [json!({"baseline_id": "B"}), json!({"as_of": before["elements"][0]["updated_at"]})] {
        let then = json!({"query": "billing", "read_context": context});
        assert_eq!(names(&world, then).await, ["Billing"], "{context}");
    }
    let baseline = json!({"query": "*", "read_context": {"baseline_id": "none"}});
    assert_eq!(
        outcome(&world.call("searchCapabilities", baseline).await),
        "BASELINE_NOT_FOUND read_context.baseline_id"
    );
    let found = &before["elements"][0];
    assert_eq!(found["version_id"], format!("{}@1", found["element_id"].as_str().unwrap()));
    assert!(found["repository_id"].is_string());
}
