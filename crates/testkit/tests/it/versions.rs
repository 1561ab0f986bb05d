//! Revisions of the protocol, and headers that repeat what the body says.

use serde_json::{Value, json};
use testkit::raw::Request;

use crate::harness::{LEGACY, call, fault, in_session, initialize, legacy, modern, modern_from, site, structured};

async fn negotiated(asked: &str) -> Value {
    let response = site().await.ask(&initialize(asked, json!({}))).await;
    assert_eq!(response.status, 200, "{response:?}");
    let result = response.message()["result"].clone();
    assert!(result["capabilities"]["tools"].is_object(), "{result}");
    assert_eq!(result["serverInfo"]["name"], "chancery");
    result["protocolVersion"].clone()
}

//
#[tokio::test]
async fn initialize_agrees_on_a_revision() {
    for known in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        assert_eq!(negotiated(known).await, known);
    }
    assert_eq!(negotiated("1999-01-01").await, LEGACY);
    assert_eq!(negotiated("2099-01-01").await, LEGACY);
    assert_eq!(negotiated("2026-07-28").await, LEGACY);
}

//
#[tokio::test]
async fn a_stateless_request_of_an_unknown_revision_names_the_known_ones() {
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": { "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2099-01-01",
        "io.modelcontextprotocol/clientCapabilities": {},
    } } });
    let request =
        Request::post(body.to_string()).header("mcp-protocol-version", "2099-01-01").header("mcp-method", "tools/list");
    let response = site().await.ask(&request).await;
    assert_eq!(fault(&response), (400, -32022), "{response:?}");
    let supported = response.message()["error"]["data"]["supported"].clone();
    assert!(supported.as_array().unwrap().contains(&json!("2026-07-28")), "{supported}");
}

//
#[tokio::test]
async fn an_unknown_revision_in_a_session_is_refused() {
    let site = site().await;
    let session = site.open_session(json!({})).await;
    let list = legacy(&json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }));
    let request = in_session(list, &session).with("mcp-protocol-version", "1999-01-01");
    assert_eq!(site.ask(&request).await.status, 400);
    let notification = legacy(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    let taken = site.ask(&in_session(notification, &session)).await;
    assert_eq!((taken.status, taken.body.as_str()), (202, ""));
}

// R-043, R-807 (mcp)
#[tokio::test]
async fn headers_that_contradict_the_body_are_refused() {
    let site = site().await;
    let honest = call("probe.echo", json!({ "text": "x" }));
    assert_eq!(site.ask(&honest).await.status, 200);
    for (name, lie) in [("mcp-method", "tools/list"), ("mcp-name", "probe.erase"), ("mcp-protocol-version", LEGACY)] {
        let response = site.ask(&honest.clone().with(name, lie)).await;
        assert_eq!(fault(&response), (400, -32020), "{name} {response:?}");
    }
}

//
#[tokio::test]
async fn a_stateless_request_needs_its_metadata() {
    let site = site().await;
    let version = json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28" });
    for params in [json!({}), json!({ "_meta": {} }), json!({ "_meta": version })] {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params });
        let bare = Request::post(body.to_string())
            .header("mcp-protocol-version", "2026-07-28")
            .header("mcp-method", "tools/list");
        assert_eq!(fault(&site.ask(&bare).await), (400, -32602), "{body}");
    }
}

//
#[tokio::test]
async fn the_stateless_era_ignores_sessions_and_event_ids() {
    let request = call("probe.echo", json!({})).header("mcp-session-id", "made-up").header("last-event-id", "3");
    let site = site().await;
    assert_eq!(structured(&site.ask(&request).await), json!({}));
    for method in ["GET", "DELETE"] {
        let request = Request::new(method, "/mcp").header("mcp-protocol-version", "2026-07-28");
        assert_eq!(site.ask(&request).await.status, 405, "{method}");
    }
}

//
#[tokio::test]
async fn discover_names_versions_capabilities_and_server() {
    let response = site().await.ask(&modern("server/discover", json!({}))).await;
    let result = response.message()["result"].clone();
    assert!(result["supportedVersions"].as_array().unwrap().contains(&json!("2026-07-28")), "{result}");
    assert!(result["capabilities"]["tools"].is_object());
    assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "chancery");
}

//
#[tokio::test]
async fn lists_answer_without_a_session_in_either_era() {
    let site = site().await;
    for (method, list) in [
        ("tools/list", "tools"),
        ("resources/list", "resources"),
        ("resources/templates/list", "resourceTemplates"),
        ("prompts/list", "prompts"),
    ] {
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method });
        for request in [modern(method, json!({})), legacy(&message), Request::post(message.to_string())] {
            let response = site.ask(&request).await;
            assert_eq!(response.status, 200, "{response:?}");
            assert!(response.message()["result"][list].is_array(), "{response:?}");
            assert_eq!(response.header("content-type"), Some("application/json"));
        }
    }
}

// a client that cannot answer is told what it lacks.
#[tokio::test]
async fn a_question_needs_a_client_that_declared_it_can_answer() {
    let site = site().await;
    let deaf = site.ask(&call("probe.ask", json!({}))).await;
    assert_eq!(fault(&deaf), (400, -32021), "{deaf:?}");
    assert!(deaf.message()["error"]["data"]["requiredCapabilities"]["elicitation"].is_object());
    let params = json!({ "name": "probe.ask", "arguments": {} });
    let able = site.ask(&modern_from("tools/call", params, json!({ "elicitation": {} }))).await;
    assert_eq!(able.message()["result"]["resultType"], "input_required");
}
