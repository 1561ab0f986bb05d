//! Long calls tell a client that gave a token how far they are.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::client::{Served, answered};

// R-800 (neotoma)
#[tokio::test]
async fn every_long_tool_reports_progress_to_a_client_that_gave_a_token() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::start(folder.path(), &[]).await;
    let boxes: Vec<Value> =
        (0..60).map(|number| json!({ "entity_type": "box", "name": format!("box {number}") })).collect();
    let content = STANDARD.encode("Remember the milk.");
    let file = json!({ "file_content": content, "mime_type": "text/plain", "interpret": false });
    let source = served.http.ok("ingest", file).await["source_id"].clone();
    let other = STANDARD.encode("Remember the bread.");
    let definition = json!({ "fields": { "name": { "type": "string" } }, "identity": [["name"]] });
    for (tool, arguments) in [
        ("ingest", json!({ "entities": boxes })),
        ("ingest", json!({ "file_content": other, "mime_type": "text/plain" })),
        ("reinterpret", json!({ "source_id": source, "interpretation_config": {} })),
        ("register_schema", json!({ "entity_type": "box", "definition": definition })),
    ] {
        let params = json!({ "name": tool, "arguments": arguments, "_meta": { "progressToken": "p1" } });
        let response = served.http.ask("tools/call", params, &[]).await;
        answered(tool, response.message()["result"].clone());
        let body = String::from_utf8(response.body).unwrap();
        let events = body.lines().filter_map(|line| line.strip_prefix("data:"));
        let messages = events.filter_map(|data| serde_json::from_str::<Value>(data).ok());
        let progress: Vec<Value> = messages.filter(|one| one["method"] == "notifications/progress").collect();
        assert!(progress.len() >= 2, "{tool}: {body}");
        assert!(progress.iter().all(|one| one["params"]["progressToken"] == "p1"), "{tool}: {body}");
        let done: Vec<f64> = progress.iter().map(|one| one["params"]["progress"].as_f64().unwrap()).collect();
        assert!(done.windows(2).all(|pair| pair[0] < pair[1]), "{tool}: {done:?}");
        assert_eq!(progress.last().unwrap()["params"]["total"].as_f64(), done.last().copied(), "{tool}");
    }
}
