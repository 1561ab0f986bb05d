//! read_context, citations and page tokens.

use serde_json::{Value, json};

use crate::world::{World, column, outcome};

//
#[tokio::test]
async fn an_echoed_read_context_reads_the_same_bytes_again() {
    let world = World::new().await;
    let id = world.element("Node", "a").await;
    world.element("Node", "b").await;
    world.relate("Flow", "a", "b").await;
    let reads = [
        ("listElements", json!({"model_id": "default"})),
        ("listRelationships", json!({"model_id": "default"})),
        ("getArchimateModel", json!({"model_id": "default"})),
        ("listModels", json!({})),
    ];
    for (tool, arguments) in &reads {
        let first = world.call(tool, arguments.clone()).await;
        let echoed = first["read_context"].clone();
        assert_eq!(echoed["selector"], "head");
        let mut again = arguments.clone();
        again["read_context"] = echoed;
        world.call("updateElement", json!({"id": id, "description": tool})).await;
        assert_eq!(world.call(tool, again).await.to_string(), first.to_string(), "{tool}");
    }
    let before = world.call("listElements", json!({"model_id": "default"})).await;
    world.call("deleteElement", json!({"id": id})).await;
    let then = world.call("listElements", json!({"model_id": "default", "read_context": before["read_context"]})).await;
    assert_eq!(then, before);
}

//
#[tokio::test]
async fn as_of_shows_the_state_of_that_moment() {
    let world = World::new().await;
    let created = world.call("createElement", json!({"type": "Node", "name": "a", "description": "old"})).await;
    let moment = created["element"]["updated_at"].clone();
    world.call("updateElement", json!({"id": "a", "description": "new"})).await;
    world.relate("Flow", "a", "a").await;
    let context = json!({"as_of": moment});
    let edges = async |context: &Value| {
        let arguments = json!({"model_id": "default", "read_context": context});
        world.call("listRelationships", arguments).await["relationships"].as_array().unwrap().len()
    };
    assert_eq!((edges(&context).await, edges(&json!({})).await), (0, 1));
    let then = world.call("listElements", json!({"model_id": "default", "read_context": context})).await;
    assert_eq!(then["elements"], json!([created["element"]]));
    assert_eq!(then["read_context"]["selector"], "as_of");
    assert_eq!(then["read_context"]["as_of"], moment);
    world.call("deleteElement", json!({"id": "a"})).await;
    let again = world.call("listElements", json!({"model_id": "default", "read_context": then["read_context"]})).await;
    assert_eq!(again, then);
}

//
#[tokio::test]
async fn every_item_carries_its_citation() {
    let world = World::new().await;
    let id = world.element("Node", "a").await;
    world.relate("Flow", &id, &id).await;
    world.call("updateElement", json!({"id": id, "description": "x"})).await;
    for (tool, list) in [("listElements", "elements"), ("listRelationships", "relationships")] {
        let answer = world.call(tool, json!({"model_id": "default"})).await;
        let item = &answer[list][0];
        assert_eq!(item["repository_id"], "default", "{tool}");
        assert_eq!(item["element_id"], item["id"], "{tool}");
        let cited = format!("{}@{}", item["id"].as_str().unwrap(), item["version"]);
        assert_eq!(item["version_id"], cited, "{tool}");
    }
    let ends = world.call("listRelationships", json!({"model_id": "default"})).await;
    assert_eq!(ends["relationships"][0]["source_version_id"], format!("{id}@2"));
    let models = world.call("listModels", json!({})).await;
    assert_eq!(models["models"][0]["version_id"].as_str().unwrap().split('@').nth(1), Some("1"));
}

//
#[tokio::test]
async fn a_page_token_belongs_to_its_query() {
    let world = World::new().await;
    for name in ["a", "b", "c"] {
        world.element("Node", name).await;
    }
    let first = world.call("listElements", json!({"model_id": "default", "page_size": 2})).await;
    let token = first["next_page_token"].as_str().unwrap();
    let page = |more: Value| {
        let mut arguments = json!({"model_id": "default", "page_size": 2, "page_token": token});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        arguments
    };
    let second = world.call("listElements", page(json!({}))).await;
    assert_eq!(column(&second["elements"], "name"), ["c"]);
    assert_eq!(second["read_context"], first["read_context"]);
    assert_eq!(world.call("listElements", page(json!({"read_context": first["read_context"]}))).await, second);
    let mut damaged = token.to_owned();
    damaged.replace_range(30..31, if &token[30..31] == "A" { "B" } else { "A" });
    for other in [
        json!({"layer": "technology"}),
        json!({"page_size": 3}),
        json!({"read_context": {"sequence": 1}}),
        json!({"page_token": damaged}),
    ] {
        let answer = world.call("listElements", page(other.clone())).await;
        assert_eq!(outcome(&answer), "INVALID_ARGUMENT page_token", "{other}");
    }
    let elsewhere = world.call("listModels", json!({"page_token": token})).await;
    assert_eq!(outcome(&elsewhere), "INVALID_ARGUMENT page_token");
    let tenant = world.other_tenant("other").await;
    assert_eq!(outcome(&tenant.call("listElements", page(json!({}))).await), "INVALID_ARGUMENT page_token");
    let somebody = world.as_principal("somebody");
    assert_eq!(outcome(&somebody.call("listElements", page(json!({}))).await), "INVALID_ARGUMENT page_token");
}

#[tokio::test]
async fn a_point_that_has_not_happened_is_refused_wherever_it_is_named() {
    let world = World::new().await;
    world.element("Node", "a").await;
    let head = world.facts().await;
    // The largest numbers are what an engine or a caller may take for "whatever is live".
    for sequence in [head as u64 + 1, i64::MAX as u64, u64::MAX] {
        let context = json!({"sequence": sequence});
        for (tool, arguments) in [
            ("listElements", json!({"model_id": "default", "read_context": context})),
            ("getArchimateModel", json!({"model_id": "default", "read_context": context})),
            ("createBaseline", json!({"name": "never frozen", "read_context": context})),
        ] {
            let refused = world.call(tool, arguments).await;
            assert_eq!(outcome(&refused), "INVALID_ARGUMENT read_context.sequence", "{tool} {sequence}");
            assert_eq!(refused["error"]["details"]["last_sequence"], head, "{tool}");
            assert!(refused["error"]["suggestions"]["hint"].is_string());
        }
    }
    assert_eq!(world.facts().await, head);
}
