//! The catalog of what is served (534 §14), in the form of its published schema.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::Manifest;

/// When the protos last changed, as it was when the contract was generated.
#[derive(Deserialize)]
struct Stamp {
    version: String,
    git_sha: String,
}

/// The catalog of these capabilities, as JSON text.
pub fn catalog(manifests: impl IntoIterator<Item = Manifest>) -> String {
    let stamp: Stamp = serde_json::from_str(include_str!("gen/stamp.json")).expect("the generated stamp is valid");
    let capabilities: Vec<Value> = manifests.into_iter().map(entry).collect();
    let catalog = json!({
        "$schema": "mcp-tool-catalog.v1.json",
        "version": stamp.version,
        "git_sha": stamp.git_sha,
        "capabilities": capabilities,
    });
    catalog.to_string()
}

/// A capability as the catalog lists it: without what only the server needs, and with whole addresses.
fn entry(mut manifest: Manifest) -> Value {
    let name = manifest.name.clone();
    for tool in &mut manifest.tools {
        tool.briefs.clear();
        tool.items_max.clear();
    }
    for resource in &mut manifest.resources {
        resource.pattern = format!("{name}://{}", resource.pattern);
    }
    let mut entry = json!(manifest);
    if let Some(fields) = entry.as_object_mut() {
        fields.shift_remove("prompts");
        fields.shift_remove("logging");
        fields.shift_remove("server_name");
        fields.shift_remove("server_description");
        fields.insert("endpoint".to_owned(), json!(format!("/{name}/mcp")));
    }
    entry
}
