//! Names of capabilities and tools.

use std::collections::HashMap;

use crate::tool::Tool;
use crate::{Capability, Place, Problem, Source};

/// Clients put a prefix in front and cut at 60 or 64.
const NAME_CHARS_MAX: usize = 40;
const TITLE_CHARS_MAX: usize = 60;

/// Rules between capabilities: who owns a tool, and that no two tools share a name in any spelling.
pub fn across(source: &Source, capabilities: &[Capability], problems: &mut Vec<Problem>) {
    let mut taken: HashMap<String, (String, Place)> = HashMap::new();
    for capability in capabilities {
        for (_, method, stated) in capability.tools() {
            let place = source.place(&method.descriptor);
            let spelling = stated.tool_name.replace('.', "_").to_lowercase();
            if let Some((name, other)) = taken.insert(spelling, (stated.tool_name.clone(), place.clone())) {
                problems.push(Problem::error(
                    place,
                    format!(
                        "tool {} is the same as {name} at {other} to clients that fold case or dots",
                        stated.tool_name
                    ),
                    "rename one of them",
                ));
            }
        }
    }
    for file in source.files().filter(|file| !owned(file.package_name(), capabilities)) {
        for service in file.services() {
            problems.push(Problem::error(
                source.place(&service),
                format!("service {} belongs to no capability", service.name()),
                format!("set option (ameide.mcp.capability) in one file of package {}", file.package_name()),
            ));
        }
    }
}

fn owned(package: &str, capabilities: &[Capability]) -> bool {
    capabilities.iter().any(|capability| capability.package == package)
}

pub fn of_capability(capability: &Capability, problems: &mut Vec<Problem>) {
    let name = &capability.name;
    let fits = name.starts_with(|char: char| char.is_ascii_lowercase()) && name.chars().all(is_plain);
    if !fits {
        problems.push(Problem::error(
            capability.place.clone(),
            format!("capability name {name:?} cannot be a path and a URI scheme"),
            "use lower-case letters, digits and underscores, a letter first",
        ));
    }
}

pub fn of_tool(capability: &Capability, tool: &Tool<'_>, problems: &mut Vec<Problem>) {
    let (name, stated) = (tool.name(), tool.stated);
    let mut report = |message: String, fix: String| problems.push(Problem::error(tool.place.clone(), message, fix));
    // The first tool of a capability decides which of the two forms its names have.
    let dotted = capability.tools().next().is_some_and(|(_, _, first)| first.tool_name.contains('.'));
    let fits = match name.strip_prefix(&format!("{}.", capability.name)) {
        Some(operation) => dotted && is_lower_camel(operation),
        None => !dotted && !name.is_empty() && name.chars().all(is_plain),
    };
    if !fits {
        let form = if dotted { format!("{}.lowerCamelCase", capability.name) } else { "[a-z0-9_]+".to_owned() };
        report(format!("tool_name {name:?} breaks the convention"), format!("use the form {form}"));
    }
    let chars = name.chars().count();
    if chars > NAME_CHARS_MAX {
        report(format!("tool_name {name} has {chars} characters"), format!("use at most {NAME_CHARS_MAX}"));
    }
    let chars = stated.title.chars().count();
    if chars > TITLE_CHARS_MAX {
        report(format!("the title of {name} has {chars} characters"), format!("use at most {TITLE_CHARS_MAX}"));
    }
    if tool.description.is_empty() {
        report(format!("tool {name} has no description"), "write a comment above the method".to_owned());
    }
}

/// No underscore, so that the form with underscores can be turned back.
fn is_lower_camel(word: &str) -> bool {
    word.starts_with(|char: char| char.is_ascii_lowercase()) && word.chars().all(|char| char.is_ascii_alphanumeric())
}

fn is_plain(char: char) -> bool {
    char.is_ascii_lowercase() || char.is_ascii_digit() || char == '_'
}
