//! What the endpoint says about itself, and how long its list is.

use serde_json::{Value, json};

use super::wire::Table;

//
#[tokio::test]
async fn the_endpoint_answers_under_the_name_of_the_specification() {
    let table = Table::new().await;
    let found = table.ask("Narrator", None, "server/discover", json!({})).await;
    let result = &found["result"];
    let info = &result["_meta"]["io.modelcontextprotocol/serverInfo"];
    assert_eq!((&info["name"], &info["version"]), (&json!("monitor-data-layer"), &json!("1.0.0")), "{found}");
    let text = found.to_string();
    assert!(text.contains("MONITOR Data Layer API via MCP"), "{found}");
    for capability in ["tools", "resources", "prompts"] {
        assert!(result["capabilities"].get(capability).is_some(), "{found}");
    }
    let prompts = table.ask("Narrator", None, "prompts/list", json!({})).await;
    assert_eq!(prompts["result"]["prompts"], json!([]));
}

//
#[tokio::test]
async fn resources_are_named_by_templates() {
    let table = Table::new().await;
    let listed = table.ask("Narrator", None, "resources/templates/list", json!({})).await;
    let templates = listed["result"]["resourceTemplates"].as_array().unwrap();
    let mut uris: Vec<&str> = templates.iter().map(|it| it["uriTemplate"].as_str().unwrap()).collect();
    uris.sort_unstable();
    assert_eq!(
        uris,
        [
            "monitor://entity/{entity_id}",
            "monitor://scene/{scene_id}",
            "monitor://story/{story_id}",
            "monitor://universe/{universe_id}",
        ]
    );
}

/// Longest list of the specification's own tools, in bytes.
const CORE_BYTES_MAX: usize = 24 * 1024;

#[tokio::test]
async fn the_tools_of_the_specification_can_be_mounted_alone_and_are_listed_briefly() {
    let table = Table::with_toolsets(&["core"]).await;
    let answer = table.ask("all", None, "tools/list", json!({})).await;
    let tools = answer["result"]["tools"].as_array().unwrap();
    assert_eq!(tools.len(), 21);
    let bytes = Value::from(tools.clone()).to_string().len();
    assert!(bytes < CORE_BYTES_MAX, "{bytes}");
    let specified: Value =
        serde_json::from_str(include_str!("../../../../monitor/tests/it/specification.json")).unwrap();
    for tool in tools {
        assert!(specified.get(tool["name"].as_str().unwrap()).is_some(), "{}", tool["name"]);
    }
}

//
#[test]
fn every_code_is_documented_with_what_to_do() {
    let page = include_str!("../../../../../docs/monitor.md");
    for (name, number) in monitor::error::CODES {
        let row = page.lines().find(|line| line.starts_with(&format!("| {number} | `{name}` | ")));
        let cells: Vec<&str> = row.unwrap_or_default().split('|').map(str::trim).collect();
        assert!(cells.len() == 6 && !cells[3].is_empty() && !cells[4].is_empty(), "{name}: {cells:?}");
    }
}
