//! Tool names with and without dots.

use serde_json::{Value, json};
use spine::config::ToolNames;

use crate::harness::{
    LEGACY, Site, call, in_session, initialize_as, legacy, legacy_call, modern, site, site_with, structured,
};

async fn first_name(site: &Site, path: &str) -> Value {
    let response = site.ask(&modern("tools/list", json!({})).path(path)).await;
    response.message()["result"]["tools"][0]["name"].clone()
}

async fn name_for(site: &Site, client: &str) -> Value {
    let opened = site.ask(&initialize_as(client, LEGACY, json!({}))).await;
    let session = opened.header("mcp-session-id").unwrap().to_owned();
    let list = legacy(&json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }));
    let response = site.ask(&in_session(list, &session)).await;
    response.message()["result"]["tools"][0]["name"].clone()
}

//
#[tokio::test]
async fn lists_show_the_form_that_the_client_takes() {
    let site = site().await;
    assert_eq!(first_name(&site, "/mcp").await, "probe_echo");
    assert_eq!(first_name(&site, "/mcp?names=underscore").await, "probe_echo");
    assert_eq!(first_name(&site, "/probe/mcp/?a=b&names=underscore").await, "probe_echo");
    assert_eq!(name_for(&site, "mcp-inspector").await, "probe.echo");
    assert_eq!(name_for(&site, "claude-ai").await, "probe_echo");
    assert_eq!(name_for(&site, "Visual Studio Code").await, "probe_echo");
    assert_eq!(name_for(&site, "a client of tomorrow").await, "probe_echo");
}

// the nearest tools stand in the text and in the data, in the form that was used.
#[tokio::test]
async fn an_unknown_tool_is_answered_with_the_nearest() {
    let site = site().await;
    let session = site.open_session(json!({})).await;
    for (given, meant) in [
        ("echo", "probe_echo"),
        ("Probe.Echo", "probe.echo"),
        ("probe.echos", "probe.echo"),
        ("probe.destroy", "probe.erase"),
        ("probe-echo", "probe_echo"),
    ] {
        let arguments = json!({ "text": "x" });
        for request in [call(given, arguments.clone()), in_session(legacy_call(1, given, arguments), &session)] {
            let error = site.ask(&request).await.message()["error"].clone();
            assert_eq!(error["code"], -32602, "{given}: {error}");
            assert_eq!(error["data"]["did_you_mean"][0], meant, "{given}: {error}");
            assert!(error["message"].as_str().unwrap().contains(meant), "{given}: {error}");
        }
    }
    let error = site.ask(&call("qqqq", json!({}))).await.message()["error"].clone();
    assert_eq!(error["data"]["did_you_mean"], json!([]));
    let long = site.ask(&call(&"x".repeat(7_000), json!({}))).await;
    assert!(long.body.len() < 1_000, "{}", long.body.len());
}

//
#[tokio::test]
async fn an_operator_may_fix_the_form() {
    let underscore = site_with(|config| config.tool_names = ToolNames::Underscore).await;
    assert_eq!(first_name(&underscore, "/mcp").await, "probe_echo");
    let dot = site_with(|config| config.tool_names = ToolNames::Dot).await;
    assert_eq!(name_for(&dot, "claude-ai").await, "probe.echo");
}

//
#[tokio::test]
async fn both_forms_can_be_called() {
    let site = site().await;
    for name in ["probe.echo", "probe_echo"] {
        assert_eq!(structured(&site.ask(&call(name, json!({ "text": "x" }))).await), json!({ "text": "x" }));
    }
}

// R-044 (single)
#[tokio::test]
async fn the_endpoint_has_its_own_path_and_the_short_one() {
    let site = site().await;
    for path in ["/mcp", "/mcp/", "/probe/mcp", "/probe/mcp/"] {
        assert_eq!(site.ask(&call("probe.echo", json!({})).path(path)).await.status, 200, "{path}");
    }
    assert_eq!(site.ask(&call("probe.echo", json!({})).path("/other/mcp")).await.status, 404);
}
