//! What a contract must fulfil before anything is generated from it.
//!
//! Each file holds the rules about one thing. A rule never stops at the first fault: all of them are reported together.

mod arguments;
mod enums;
mod examples;
mod hints;
mod messages;
mod names;
mod resources;
mod sizes;
#[cfg(test)]
mod tests;

use crate::capability::Method;
use crate::tool::Tool;
use crate::{Capability, Problem, Source};

/// Everything that is wrong with the capabilities of a contract, by place.
pub fn check(source: &Source, capabilities: &[Capability]) -> Vec<Problem> {
    let mut problems = Vec::new();
    names::across(source, capabilities, &mut problems);
    for capability in capabilities {
        names::of_capability(capability, &mut problems);
        messages::check(source, capability, &mut problems);
        enums::check(source, capability, &mut problems);
        resources::check(source, capability, &mut problems);
        let tools = Tool::all(source, capability);
        sizes::of_capability(capability, tools.len(), &mut problems);
        for tool in &tools {
            names::of_tool(capability, tool, &mut problems);
            hints::check(tool, &mut problems);
            sizes::of_tool(tool, &mut problems);
            // A schema that cannot be built says nothing about examples.
            if arguments::check(source, tool, &mut problems) {
                examples::check(source, tool, &mut problems);
            }
        }
    }
    problems.sort();
    problems.dedup();
    problems
}

/// The names in braces: `id` in `element/{id}`.
pub fn braced(text: &str) -> Vec<String> {
    let parts = text.split('{').skip(1);
    parts.filter_map(|part| part.split_once('}')).map(|(name, _)| name.to_owned()).collect()
}

/// Names the tool or the method at fault.
fn called(method: &Method) -> String {
    match &method.expose {
        Some(stated) if !stated.tool_name.is_empty() => stated.tool_name.clone(),
        _ => method.rpc(),
    }
}
