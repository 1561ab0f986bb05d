//! What tools cost a model's context (534 §6.7, §13.6).

use crate::tool::Tool;
use crate::{Capability, Problem};

/// A rule of thumb: English and JSON take about four bytes per token.
const BYTES_PER_TOKEN: usize = 4;
const SCHEMA_TOKENS_WARNED: usize = 2000;
const SCHEMA_TOKENS_MAX: usize = 4000;
const TOOLS_WARNED: usize = 50;
const TOOLS_MAX: usize = 100;

pub fn of_tool(tool: &Tool<'_>, problems: &mut Vec<Problem>) {
    for (which, schema) in [("input", &tool.input), ("output", &tool.output)] {
        let bytes = serde_json::to_string(schema).map(|text| text.len()).unwrap_or_default();
        let tokens = bytes / BYTES_PER_TOKEN;
        let message = format!("the {which} schema of tool {} takes about {tokens} tokens", tool.name());
        let place = tool.place.clone();
        if tokens > SCHEMA_TOKENS_MAX {
            let fix = format!("shorten it below {SCHEMA_TOKENS_MAX}: fewer fields, shorter comments");
            problems.push(Problem::error(place, message, fix));
        } else if tokens > SCHEMA_TOKENS_WARNED {
            let fix = format!("shorten it below {SCHEMA_TOKENS_WARNED}: fewer fields, shorter comments");
            problems.push(Problem::warning(place, message, fix));
        }
    }
}

pub fn of_capability(capability: &Capability, tools: usize, problems: &mut Vec<Problem>) {
    let (place, message) = (capability.place.clone(), format!("capability {} has {tools} tools", capability.name));
    let fix = "split the capability or merge tools";
    if tools > TOOLS_MAX {
        problems.push(Problem::error(place, message, fix));
    } else if tools > TOOLS_WARNED {
        problems.push(Problem::warning(place, message, fix));
    }
}
