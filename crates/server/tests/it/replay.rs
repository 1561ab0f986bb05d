//! Idempotency through both layers: the forgetful cache of a process, and the ledger that decides.

use axum::body::Body;
use axum::http::Request;
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tower::ServiceExt as _;

use crate::world::World;

fn create(key: &str) -> Value {
    json!({ "type": "Node", "name": "host", "client_request_id": key })
}

async fn replays(world: &World) -> String {
    let metrics = world.get("/metrics").await;
    metrics.lines().find(|line| line.starts_with("chancery_idempotent_replays_total ")).unwrap_or_default().to_owned()
}

// the ledger answers the first retry, which warms the cache for the others.
#[tokio::test]
async fn a_retry_in_the_same_process_is_answered_by_its_cache() {
    let world = World::new().await;
    let first = world.call("createElement", create("k")).await;
    for count in [0, 1, 2] {
        let again = world.call("createElement", create("k")).await;
        assert_eq!(replays(&world).await, format!("chancery_idempotent_replays_total {count}"));
        assert_eq!((&again["element"], &again["idempotent_replay"]), (&first["element"], &json!(true)));
    }
}

/// A call over MCP, as the bytes of its answer.
async fn posted(world: &World, path: &str, tool: &str, arguments: &Value) -> String {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({ "name": tool, "arguments": arguments, "_meta": meta });
    let body = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params });
    let request = Request::post(path)
        .header("host", "localhost")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", "tools/call")
        .header("mcp-name", tool)
        .body(Body::from(body.to_string()))
        .unwrap();
    let answer = world.router().oneshot(request).await.unwrap();
    String::from_utf8(answer.into_body().collect().await.unwrap().to_bytes().to_vec()).unwrap()
}

// structured content and text alike, of every write that a key is worth.
#[tokio::test]
async fn a_replay_has_the_same_bytes_from_the_cache_and_from_the_ledger() {
    let invoice = json!({ "entity_type": "invoice", "invoice_number": "INV-001", "amount": 100 });
    let calls = [
        ("/transformation/mcp", "transformation.createElement", create("k")),
        (
            "/transformation/mcp",
            "transformation.createCapabilityStructure",
            json!({ "name": "Shipping", "sub_capabilities": ["Picking"], "client_request_id": "k" }),
        ),
        (
            "/transformation/mcp",
            "transformation.createBaseline",
            json!({ "name": "Release 1", "client_request_id": "k" }),
        ),
        ("/neotoma/mcp", "ingest", json!({ "entities": [invoice], "client_request_id": "k" })),
        (
            "/neotoma/mcp",
            "register_schema",
            json!({ "relationship_type": "MENTORS", "acyclic": true, "client_request_id": "k" }),
        ),
    ];
    let world = World::new().await;
    let mut replayed = Vec::new();
    for (path, tool, arguments) in &calls {
        let first = posted(&world, path, tool, arguments).await;
        assert!(!first.contains("idempotent_replay") && !first.contains("isError\":true"), "{tool}: {first}");
        // Others write meanwhile.
        posted(&world, "/transformation/mcp", "transformation.createElement", &json!({ "type": "Node", "name": tool }))
            .await;
        let (ledger, cache) =
            (posted(&world, path, tool, arguments).await, posted(&world, path, tool, arguments).await);
        assert_eq!(ledger, cache, "{tool}");
        let message: Value = serde_json::from_str(&ledger).unwrap();
        assert_eq!(message["result"]["structuredContent"]["idempotent_replay"], true, "{tool}: {ledger}");
        replayed.push(ledger);
    }
    assert_eq!(replays(&world).await, format!("chancery_idempotent_replays_total {}", calls.len()));
    let elsewhere = World::on(world.folder.clone()).await;
    for ((path, tool, arguments), expected) in calls.iter().zip(&replayed) {
        assert_eq!(&posted(&elsewhere, path, tool, arguments).await, expected, "{tool}");
    }
}

//
#[tokio::test]
async fn a_retry_elsewhere_or_after_a_restart_is_answered_by_the_ledger() {
    let world = World::new().await;
    let first = world.call("createElement", create("k")).await;
    let elsewhere = World::on(world.folder.clone()).await;
    drop(world);
    let again = elsewhere.call("createElement", create("k")).await;
    assert_eq!(replays(&elsewhere).await, "chancery_idempotent_replays_total 0");
    assert_eq!((&again["element"], &again["idempotent_replay"]), (&first["element"], &json!(true)));
}

/// Clients that hand on only text show a model the answer too.
#[tokio::test]
async fn the_text_of_an_answer_says_what_happened() {
    let world = World::new().await;
    let text = async |tool: &str, arguments: Value| {
        let answer = posted(&world, "/transformation/mcp", tool, &arguments).await;
        let message: Value = serde_json::from_str(&answer).unwrap();
        let blocks = message["result"]["content"].as_array().unwrap();
        let texts: Vec<&str> = blocks.iter().filter_map(|block| block["text"].as_str()).collect();
        assert_eq!(texts.len(), 1, "{message}");
        assert!(blocks.iter().any(|block| block["type"] == "resource"), "{message}");
        serde_json::from_str::<Value>(texts[0]).unwrap()
    };
    for number in 0..30 {
        let name = format!("host {number}");
        let made = json!({ "type": "Node", "name": name, "description": "d".repeat(300) });
        let told = text("transformation.createElement", made).await;
        assert!(told["element"]["id"].is_string(), "{told}");
        assert_eq!(told["element"]["name"], name);
    }
    let told = text("transformation.listElements", json!({ "model_id": "default" })).await;
    let elements = told["elements"].as_array().unwrap();
    assert_eq!(elements.len(), 30);
    assert!(elements.iter().all(|element| element["id"].is_string() && element["name"].is_string()), "{told}");
    assert!(told["elements"][0].get("description").is_none() && told["read_context"].is_object(), "{told}");
}

//
#[tokio::test]
async fn the_cache_never_answers_for_other_arguments() {
    let world = World::new().await;
    world.call("createElement", create("k")).await;
    let other = json!({ "type": "Node", "name": "another", "client_request_id": "k" });
    assert_eq!(world.call("createElement", other).await["error"]["code"], "IDEMPOTENCY_KEY_REUSED");
}
