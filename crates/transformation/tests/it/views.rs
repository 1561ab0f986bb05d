//! Views: drawn through intents, read with what they show.

use contract::Capability as _;
use serde_json::{Value, json};

use crate::world::{World, column, outcome};

async fn draw(world: &World, view: Value) -> Value {
    world.call("submitArchitectureIntent", json!({"operation": "createView", "create_view": view})).await
}

async fn redraw(world: &World, change: Value) -> Value {
    let arguments = json!({"operation": "recordViewLayout", "record_view_layout": change});
    world.call("submitArchitectureIntent", arguments).await
}

async fn sample() -> (World, String) {
    let world = World::new().await;
    world.element("ApplicationComponent", "App").await;
    world.element("ApplicationService", "Orders").await;
    let linked = world.relate("Realization", "App", "Orders").await;
    (world, linked["relationship"]["id"].as_str().unwrap().to_owned())
}

fn landscape(relationship: &str) -> Value {
    json!({
        "name": "Order landscape",
        "viewpoint": "Application Cooperation",
        "nodes": [
            {"element_id": "App", "x": 10, "y": 20, "width": 200, "height": 100},
            {"element_id": "Orders", "x": -5, "y": 0, "parent": "App", "style": "fill:#eee"}
        ],
        "edges": [{"relationship_id": relationship, "bend_points": [1, 2, 3, 4], "label": "offers"}]
    })
}

//
#[tokio::test]
async fn a_view_is_drawn_and_read_with_what_it_shows() {
    let (world, relationship) = sample().await;
    let made = draw(&world, landscape(&relationship)).await;
    assert_eq!(made["view"]["viewpoint"], "application_cooperation");
    let shown = world.call("getView", json!({"view_id": "order landscape"})).await;
    assert_eq!(column(&shown["elements"], "name").len(), 2);
    assert_eq!((&shown["nodes"][0]["x"], &shown["nodes"][0]["y"]), (&json!(10), &json!(20)));
    assert_eq!(shown["nodes"][0]["width"], 200);
    assert_eq!((&shown["nodes"][1]["width"], &shown["nodes"][1]["style"]), (&json!(120), &json!("fill:#eee")));
    assert_eq!(shown["nodes"][1]["parent"], shown["nodes"][0]["element_id"]);
    assert_eq!(shown["edges"][0]["bend_points"], json!([1, 2, 3, 4]));
    assert_eq!(shown["relationships"][0]["source_name"], "App");
    let model = world.call("getArchimateModel", json!({"model_id": "default"})).await;
    assert_eq!(column(&model["views"], "name"), ["Order landscape"]);
    let uri = format!("transformation://view/{}", made["view"]["id"].as_str().unwrap());
    let contract::Blob::Text { text, .. } = world.capability.read(&world.ctx(), &uri).await.unwrap() else {
        panic!("a resource is text");
    };
    let read: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&read["nodes"], &read["edges"]), (&shown["nodes"], &shown["edges"]));
}

//
#[tokio::test]
async fn a_layout_has_versions_of_its_own() {
    let (world, relationship) = sample().await;
    let made = draw(&world, landscape(&relationship)).await;
    let before = world.call("getView", json!({"view_id": "Order landscape"})).await;
    world.call("createBaseline", json!({"name": "B"})).await;
    let layout = json!({"nodes": [{"element_id": "App", "x": 1, "y": 1}]});
    let changed = redraw(&world, json!({"view_id": "Order landscape", "layout": layout, "expected_version": 1})).await;
    assert_eq!(changed["view"]["version"], 2);
    let now = world.call("getView", json!({"view_id": "Order landscape"})).await;
    assert_eq!((now["nodes"].as_array().unwrap().len(), now["edges"].as_array().unwrap().len()), (1, 0));
    assert_eq!(now["elements"][0]["version"], 1);
    let id = &made["view"]["id"];
    let then =
        world.call("getView", json!({"view_id": "Order landscape", "read_context": before["read_context"]})).await;
    assert_eq!(then, before);
    for context in [json!({"baseline_id": "B"}), json!({"as_of": made["view"]["created_at"]})] {
        let then = world.call("getView", json!({"view_id": "Order landscape", "read_context": context})).await;
        assert_eq!((&then["view"], &then["nodes"]), (&before["view"], &before["nodes"]), "{context}");
    }
    let stale = redraw(&world, json!({"view_id": id, "layout": {}, "expected_version": 1})).await;
    assert_eq!(outcome(&stale), "VERSION_CONFLICT expected_version");
    let gone =
        world.call("submitArchitectureIntent", json!({"operation": "deleteView", "delete_view": {"id": id}})).await;
    assert_eq!(outcome(&gone), "ok");
    assert_eq!(outcome(&world.call("getView", json!({"view_id": id})).await), "VIEW_NOT_FOUND view_id");
}

#[tokio::test]
async fn a_layout_that_names_what_is_not_there_is_refused() {
    let (world, relationship) = sample().await;
    let other = world.element("Node", "Host").await;
    let before = world.facts().await;
    let node = |id: &str| json!({"element_id": id, "x": 0, "y": 0});
    for (nodes, edges, expected) in [
        (json!([node("App"), node("Nobody")]), json!([]), "ELEMENT_NOT_FOUND create_view.nodes[1].element_id"),
        (json!([node("App"), node("App")]), json!([]), "VALIDATION_ERROR create_view.nodes[1].node_id"),
        (
            json!([node("App"), node("Orders")]),
            json!([{"relationship_id": "none"}]),
            "RELATIONSHIP_NOT_FOUND create_view.edges[0].relationship_id",
        ),
        (
            json!([node("App"), node(&other)]),
            json!([{"relationship_id": relationship}]),
            "VALIDATION_ERROR create_view.edges[0].relationship_id",
        ),
        (
            json!([{"element_id": "App", "x": 0, "y": 0, "parent": "Orders"}]),
            json!([]),
            "VALIDATION_ERROR create_view.nodes[0].parent",
        ),
        (
            json!([
                {"element_id": "App", "x": 0, "y": 0, "parent": "Orders"},
                {"element_id": "Orders", "x": 0, "y": 0, "parent": "App"}
            ]),
            json!([]),
            "VALIDATION_ERROR create_view.nodes[0].parent",
        ),
    ] {
        let answer = draw(&world, json!({"name": "V", "nodes": nodes, "edges": edges})).await;
        assert_eq!(outcome(&answer), expected, "{answer}");
    }
    let viewpoint = draw(&world, json!({"name": "V", "viewpoint": "nonsense"})).await;
    assert_eq!(outcome(&viewpoint), "VALIDATION_ERROR create_view.viewpoint");
    assert_eq!(world.facts().await, before);
}

#[tokio::test]
async fn what_left_the_model_is_named_as_missing() {
    let (world, relationship) = sample().await;
    draw(&world, landscape(&relationship)).await;
    let app = world.call("listElements", json!({"model_id": "default", "name": "app"})).await;
    world.call("deleteElement", json!({"id": "App"})).await;
    let shown = world.call("getView", json!({"view_id": "Order landscape"})).await;
    assert_eq!(shown["missing_elements"], json!([app["elements"][0]["id"]]));
    assert_eq!(column(&shown["elements"], "name"), ["Orders"]);
    assert_eq!(shown["edges"], json!([]));
}

#[tokio::test]
async fn a_large_view_comes_in_pages() {
    let world = World::new().await;
    let mut nodes = Vec::new();
    for number in 0..25 {
        world.element("Node", &format!("Host {number:02}")).await;
        nodes.push(json!({"element_id": format!("Host {number:02}"), "x": number, "y": 0}));
    }
    draw(&world, json!({"name": "Hosts", "nodes": nodes})).await;
    let mut seen = Vec::new();
    let mut token = Value::Null;
    loop {
        let mut arguments = json!({"view_id": "Hosts", "page_size": 10});
        if token.is_string() {
            arguments["page_token"] = token;
        }
        let page = world.call("getView", arguments).await;
        seen.extend(page["nodes"].as_array().unwrap().iter().map(|node| node["x"].as_i64().unwrap()));
        token = page["next_page_token"].clone();
        if token.is_null() {
            break;
        }
    }
    assert_eq!(seen, (0..25).collect::<Vec<i64>>());
}

#[tokio::test]
async fn two_views_of_a_model_have_different_names() {
    let (world, relationship) = sample().await;
    draw(&world, landscape(&relationship)).await;
    let again = draw(&world, json!({"name": "ORDER LANDSCAPE"})).await;
    assert_eq!(outcome(&again), "DUPLICATE_NAME create_view.name");
}
