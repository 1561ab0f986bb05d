//! The catalog of every tool of a contract, and the part of it that a capability embeds.

use serde_json::{Value, json};

use crate::capability::{Capability, Method};
use crate::options::Resource;
use crate::tool::{Tool, first_of};
use crate::{Source, Stamp};

/// The published JSON Schema of the catalog, beside which it is written.
pub const SCHEMA: &str = include_str!("catalog/mcp-tool-catalog.v1.json");
pub const SCHEMA_FILE: &str = "mcp-tool-catalog.v1.json";

/// Where the code that serves a catalog finds its stamp.
pub const STAMP_FILE: &str = "stamp.json";

/// The lines of the catalog that depend on when it was made and not on what it says.
const STAMP_FIELDS: [&str; 2] = ["version", "git_sha"];

/// The catalog as text.
pub fn catalog(source: &Source, capabilities: &[Capability], stamp: &Stamp) -> String {
    let entry = |capability: &Capability| {
        let mut entry =
            entry(source, capability, |tool| tool.entry(), |pattern| format!("{}://{pattern}", capability.name));
        let fields = entry.as_object_mut().expect("an entry is an object");
        fields.shift_insert(2, "endpoint".to_owned(), json!(format!("/{}/mcp", capability.name)));
        entry
    };
    let catalog = json!({
        "$schema": SCHEMA_FILE,
        "version": stamp.version,
        "git_sha": stamp.git_sha,
        "capabilities": capabilities.iter().map(entry).collect::<Vec<_>>(),
    });
    pretty(&catalog)
}

/// What a capability embeds and reads as its manifest, as text: compact, one tool per line. Resource patterns are
/// relative here.
pub fn manifest(source: &Source, capability: &Capability) -> String {
    let mut manifest = entry(source, capability, |tool| tool.manifest_entry(), str::to_owned);
    if !capability.server_name.is_empty() {
        manifest["server_name"] = json!(capability.server_name);
        manifest["server_description"] = json!(capability.server_description);
    }
    let tools = manifest["tools"].take();
    let tools: Vec<String> = tools.as_array().into_iter().flatten().map(Value::to_string).collect();
    let rest = manifest.to_string();
    rest.replacen("\"tools\":null", &format!("\"tools\":[\n{}\n]", tools.join(",\n")), 1) + "\n"
}

/// A catalog with its stamp blanked, so that two can be compared whatever the state of git.
pub fn without_stamp(text: &str) -> String {
    let is_stamp = |line: &str| STAMP_FIELDS.iter().any(|field| line.starts_with(&format!("  \"{field}\":")));
    text.lines().filter(|line| !is_stamp(line)).fold(String::new(), |text, line| text + line + "\n")
}

/// The stamp as text, one line for each part as in the catalog.
pub fn stamp(stamp: &Stamp) -> String {
    pretty(&json!({ "version": stamp.version, "git_sha": stamp.git_sha }))
}

fn entry(
    source: &Source,
    capability: &Capability,
    tool: impl Fn(&Tool<'_>) -> Value,
    pattern: impl Fn(&str) -> String,
) -> Value {
    let tools: Vec<_> = Tool::all(source, capability).iter().map(tool).collect();
    let resource = |method: &Method, stated: &Resource| {
        json!({
            "pattern": pattern(&stated.pattern),
            "title": stated.title,
            "description": first_of(&stated.description, || source.summary(&method.descriptor)),
            "rpc": method.rpc(),
        })
    };
    let resources: Vec<_> = capability.resources().map(|(_, method, stated)| resource(method, stated)).collect();
    let mut entry = json!({
        "name": capability.name,
        "title": capability.title,
        "proto_package": capability.package,
        "proto_version": capability.proto_version(),
        "instructions": capability.instructions,
        "tools": tools,
        "resources": resources,
    });
    if !capability.version.is_empty() {
        let fields = entry.as_object_mut().expect("an entry is an object");
        fields.shift_insert(2, "version".to_owned(), json!(capability.version));
    }
    entry
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).expect("a JSON value can be written") + "\n"
}
