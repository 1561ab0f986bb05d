//! Tools that say something while they work: progress and log lines.

use std::time::Duration;

use contract::{Answer, Context};
use serde_json::Value;

use super::text;

/// Between two notices, so that a client sees them arrive one by one.
const PAUSE: Duration = Duration::from_millis(50);

/// The answer of a tool that this module knows.
pub async fn answer(ctx: &Context, tool: &str) -> Option<Answer> {
    match tool {
        "test_tool_with_progress" => {
            for done in [0.0, 50.0, 100.0] {
                ctx.client.progress(done, Some(100.0), None).await;
                tokio::time::sleep(PAUSE).await;
            }
            Some(text("reported progress three times"))
        }
        "test_tool_with_logging" => {
            for line in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
                ctx.client.log("info", Value::from(line)).await;
                tokio::time::sleep(PAUSE).await;
            }
            Some(text("logged three lines"))
        }
        "test_logging_tool" => {
            ctx.client.log("info", Value::from("a line for those who asked for lines")).await;
            Some(text("logged one line"))
        }
        _ => None,
    }
}
