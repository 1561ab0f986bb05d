//! Lines of the acceptance list that speak of the whole platform, as a client, an operator or an auditor meets it.

use std::sync::Arc;

use axum::body::Body;
use axum::http::Request;
use http_body_util::BodyExt as _;
use ledger::{Ledger as _, Seq};
use scope::Scope;
use serde_json::{Map, Value, json};
use server::Platform;
use server::config::Role;
use spine::admission::Door;
use tower::ServiceExt as _;

use crate::neotoma::client::Served;
use crate::process::run;
use crate::world::{World, config};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

/// The result of a request over HTTP, within a trace.
async fn posted(world: &World, path: &str, method: &str, params: Value) -> Value {
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let request = Request::post(path)
        .header("host", "localhost")
        .header("content-type", "application/json")
        .header("accept", "application/json")
        .header("traceparent", format!("00-{TRACE}-00f067aa0ba902b7-01"))
        .body(Body::from(body.to_string()))
        .unwrap();
    let answer = world.router().oneshot(request).await.unwrap();
    let bytes = answer.into_body().collect().await.unwrap().to_bytes();
    serde_json::from_slice::<Value>(&bytes).unwrap()["result"].clone()
}

async fn called(world: &World, tool: &str, arguments: Value) -> Value {
    let params = json!({ "name": format!("transformation.{tool}"), "arguments": arguments });
    posted(world, "/transformation/mcp", "tools/call", params).await
}

// what the request says about where it belongs is in the fact that it made.
#[tokio::test]
async fn the_trace_of_a_request_reaches_its_facts() {
    let world = World::new().await;
    called(&world, "createElement", json!({ "type": "Node", "name": "host" })).await;
    let facts = world.platform.ledger.facts(&Scope::local().tenant, Seq::MIN, 100).await.unwrap();
    let meta: Value = serde_json::from_str(&facts.last().unwrap().meta).unwrap();
    assert_eq!(meta["traceparent"], format!("00-{TRACE}-00f067aa0ba902b7-01"));
    assert_eq!((&meta["correlation_id"], &meta["tenant_id"]), (&json!(TRACE), &json!("local")));
    assert!(meta["causation_id"].is_string(), "{meta}");
}

// as it stands on the wire.
#[tokio::test]
async fn a_refusal_is_one_block_of_text_and_nothing_else() {
    let world = World::new().await;
    let result = called(&world, "createElement", json!({ "type": "AppComponent", "name": "x" })).await;
    assert_eq!((&result["isError"], result.get("structuredContent")), (&json!(true), None));
    let [block] = &result["content"].as_array().unwrap()[..] else { panic!("{result}") };
    assert_eq!(block["type"], "text");
    let body: Map<String, Value> = serde_json::from_str(block["text"].as_str().unwrap()).unwrap();
    assert_eq!((body.len(), &body["success"]), (2, &json!(false)));
    for field in ["code", "message", "field", "details", "suggestions"] {
        assert!(!body["error"][field].is_null(), "{field}: {body:?}");
    }
}

// R-002 (transformation, neotoma), R-794 (transformation, neotoma), R-003: what a client is shown is what is committed.
#[tokio::test]
async fn the_listed_tools_are_the_committed_ones() {
    let committed: Value = serde_json::from_str(include_str!("../../../../gen/mcp/mcp-tool-catalog.json")).unwrap();
    let world = World::new().await;
    for capability in committed["capabilities"].as_array().unwrap() {
        let path = format!("{}?names=dot", capability["endpoint"].as_str().unwrap());
        let listed = posted(&world, &path, "tools/list", json!({})).await["tools"].clone();
        let (listed, tools) = (listed.as_array().unwrap(), capability["tools"].as_array().unwrap());
        assert_eq!(listed.len(), tools.len());
        for (shown, tool) in listed.iter().zip(tools) {
            for field in ["name", "description", "inputSchema", "outputSchema"] {
                assert_eq!(shown[field], tool[field], "{} {field}", tool["name"]);
            }
            assert_eq!(shown["title"].as_str().unwrap_or_default(), tool["title"], "{}", tool["name"]);
            for (hint, value) in tool["hints"].as_object().unwrap() {
                // The protocol gives this one a meaning for writes only, so that queries are listed without it.
                if hint != "idempotentHint" || tool["cqrs_side"] == "command" {
                    assert_eq!(shown["annotations"][hint], *value, "{} {hint}", tool["name"]);
                }
            }
        }
    }
}

// of any tool of any endpoint.
#[tokio::test]
async fn an_unknown_argument_of_any_tool_is_refused_with_the_nearest() {
    let world = World::new().await;
    for endpoint in &world.platform.endpoints {
        for tool in endpoint.tools() {
            let properties = tool.input_schema["properties"].as_object().unwrap();
            for name in properties.keys().filter(|name| name.len() >= 5) {
                let wrong = format!("{}{}", &name[..3], &name[4..]);
                if properties.contains_key(&wrong) {
                    continue;
                }
                let mut arguments = tool.examples[0].input.clone();
                arguments[&wrong] = json!("x");
                let capability = &endpoint.capability.manifest().name;
                let answer = world.call_at(capability, Door::CommandLine, &tool.name, arguments).await;
                let error = &answer["error"];
                let field = [&error["field"], &error["details"]["field"], &error["data"]["field"]];
                let field = field.into_iter().find_map(Value::as_str);
                assert_eq!(field, Some(wrong.as_str()), "{} {answer}", tool.name);
                let fix = format!("{}{}{}", error["suggestions"], error["details"], error["data"]);
                assert!(fix.contains(name.as_str()), "{} {wrong}: {fix}", tool.name);
            }
        }
    }
}

// the usage of the specification, on the file that is served.
#[tokio::test]
async fn the_served_catalog_can_be_searched() {
    let world = World::new().await;
    let catalog: Value = serde_json::from_str(&world.get("/.well-known/mcp-tools.json").await).unwrap();
    let capabilities = catalog["capabilities"].as_array().unwrap();
    let own = capabilities.iter().find(|capability| capability["name"] == "transformation").unwrap();
    let tools = own["tools"].as_array().unwrap();
    let queries = tools.iter().filter(|tool| tool["cqrs_side"] == "query").count();
    let commands = tools.iter().filter(|tool| tool["cqrs_side"] == "command").count();
    assert!(queries > 0 && commands > 0 && queries + commands == tools.len());
    assert!(tools.iter().any(|tool| tool["name"] == "transformation.semanticSearch" && tool["cqrs_side"] == "query"));
}

// a default that is said and one that is not are the same request.
#[tokio::test]
async fn a_key_covers_the_arguments_with_their_defaults() {
    let world = World::new().await;
    world.call("createElement", json!({ "type": "Node", "name": "host" })).await;
    let first = world.call("deleteElement", json!({ "id": "host", "client_request_id": "k" })).await;
    let again = world.call("deleteElement", json!({ "id": "host", "cascade": true, "client_request_id": "k" })).await;
    assert_eq!((&first["success"], &again["idempotent_replay"]), (&json!(true), &json!(true)), "{again}");
    let other = world.call("deleteElement", json!({ "id": "host", "cascade": false, "client_request_id": "k" })).await;
    assert_eq!(other["error"]["code"], "IDEMPOTENCY_KEY_REUSED");
}

//
#[tokio::test]
async fn a_key_that_is_none_is_a_validation_error() {
    let world = World::new().await;
    for key in ["", "a\nb", "clé", &"k".repeat(256)] {
        let refused =
            world.call("createElement", json!({ "type": "Node", "name": "n", "client_request_id": key })).await;
        let error = &refused["error"];
        assert_eq!(
            (&error["code"], &error["field"]),
            (&json!("VALIDATION_ERROR"), &json!("client_request_id")),
            "{key}"
        );
        let entity = json!({ "entity_type": "note", "title": "n" });
        let refused = world.call_neotoma("ingest", json!({ "entities": [entity], "client_request_id": key })).await;
        assert_eq!(refused["error"]["code"], "VALIDATION_ERROR", "{key}: {refused}");
    }
}

// who may not write any more hears so, also about what they wrote before.
#[tokio::test]
async fn a_replay_needs_the_rights_of_today() {
    let world = World::new().await;
    let create = json!({ "type": "Node", "name": "host", "client_request_id": "k" });
    let first = world.call_through(Door::Stdio, "createElement", create.clone()).await;
    assert_eq!(first["success"], true);
    let demoted = server::Config { role: Role::Viewer, ..config(world.folder.path()) };
    let demoted = World { platform: Platform::open(&demoted).await.unwrap(), folder: Arc::clone(&world.folder) };
    let refused = demoted.call_through(Door::Stdio, "createElement", create.clone()).await;
    assert_eq!(refused["error"]["code"], "PERMISSION_DENIED", "{refused}");
    let invalid = json!({ "type": "Nod", "name": "host", "client_request_id": "k" });
    let refused = world.call_through(Door::Stdio, "createElement", invalid).await;
    assert_eq!(refused["error"]["code"], "INVALID_ELEMENT_TYPE");
    assert_eq!(world.call_through(Door::Stdio, "createElement", create).await["idempotent_replay"], true);
}

// what no tool decides is decided at the terminal.
#[tokio::test]
async fn proposals_are_decided_at_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    for arguments in [
        &["proposals", "approve", "none"][..],
        &["proposals", "reject", "none", "--reason", "no"],
        &["proposals", "rebase", "none"],
        &["proposals", "withdraw", "none"],
    ] {
        let ended = run(data, arguments).await;
        assert!(!ended.success && ended.stderr.contains("PROPOSAL_NOT_FOUND"), "{arguments:?}: {}", ended.stderr);
    }
}

// R-342, R-355 (SEC-11, TestLocalhost_BindsTo127Only): as it comes, and with a port of the system's choice.
#[tokio::test]
async fn it_listens_on_loopback_and_says_where() {
    assert!(server::Config::default().listen.to_string().starts_with("127.0.0.1:"));
    let folder = tempfile::tempdir().unwrap();
    let served = Served::start(folder.path(), &[]).await;
    let address = served.http.address;
    assert!(address.to_string().starts_with("127.0.0.1:") && address.port() != 0, "{address}");
    assert_eq!(served.http.send("GET", "/health", &[], b"").await.status, 200);
}

// what a caller must not have said aloud is nowhere: not in an answer, a metric, the log or the audit.
#[tokio::test]
async fn secrets_are_nowhere_to_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::start(folder.path(), &["log=debug"]).await;
    let secret = json!({ "type": "Node", "name": "n", "token": "hush-1", "api_key": "hush-2" });
    let call = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": "transformation.createElement", "arguments": secret },
    });
    let owner = std::fs::read_to_string(folder.path().join("owner.token")).unwrap().trim().to_owned();
    let (good, bad) = (format!("Bearer {owner}"), "Bearer hush-3");
    let headers = |token| {
        let plain =
            [("content-type", "application/json"), ("accept", "application/json"), ("cookie", "session=hush-4")];
        [plain.as_slice(), &[("authorization", token)]].concat()
    };
    let body = call.to_string();
    let refused = served.http.send("POST", "/transformation/mcp", &headers(bad), body.as_bytes()).await;
    let refused = String::from_utf8(refused.body).unwrap();
    let answer = served.http.send("POST", "/transformation/mcp", &headers(&good), body.as_bytes()).await;
    let answer = String::from_utf8(answer.body).unwrap();
    assert!(answer.contains("api_key"), "it was refused for this name: {answer}");
    let metrics = String::from_utf8(served.http.send("GET", "/metrics", &[], b"").await.body).unwrap();
    let log = served.log();
    // A record is written a little after its call.
    let mut audit = String::new();
    while audit.is_empty() {
        audit = run(folder.path(), &["audit", "--json"]).await.stdout;
    }
    let places = [("refusal", refused), ("answer", answer), ("metrics", metrics), ("log", log), ("audit", audit)];
    for (place, text) in places {
        assert!(!text.is_empty() && !text.contains("hush") && !text.contains(&owner), "{place}: {text}");
    }
}
