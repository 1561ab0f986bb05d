//! What a capability offers, as data. Read from the committed catalog, which is generated from proto.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Everything a capability offers over MCP.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Manifest {
    /// Also the path of its endpoint and the scheme of its resources.
    pub name: String,
    #[serde(default)]
    pub title: String,
    /// Of its tools, such as `1.0.0`; empty where none is published.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub version: String,
    /// The name and description under which its endpoint answers; empty for the server's own.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub server_name: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub server_description: String,
    /// The proto package that it is generated from, and the version in that name.
    #[serde(default)]
    pub proto_package: String,
    #[serde(default)]
    pub proto_version: String,
    /// What a model should know before it uses the tools.
    #[serde(default)]
    pub instructions: String,
    pub tools: Vec<Tool>,
    #[serde(default)]
    pub resources: Vec<ResourceTemplate>,
    #[serde(default)]
    pub prompts: Vec<Prompt>,
    /// Offers log messages to clients. Deprecated by the protocol; no product capability uses it.
    #[serde(default)]
    pub logging: bool,
    /// Those who may only read may propose, so its policy looks at their writes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub readers_propose: bool,
}

/// A tool's canonical name: `capability.operation`, or a name without dots.
pub type ToolName = String;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tool {
    pub name: ToolName,
    #[serde(default)]
    pub title: String,
    pub description: String,
    /// `Service.Method`.
    #[serde(default)]
    pub rpc: String,
    #[serde(rename = "cqrs_side")]
    pub side: Side,
    pub hints: Hints,
    #[serde(rename = "inputSchema")]
    pub input_schema: Map<String, Value>,
    /// How many items the lists among the arguments may hold, by path; not part of what is published.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub items_max: BTreeMap<String, u32>,
    /// The schemas of the arguments that are published by type alone, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub briefs: BTreeMap<String, Map<String, Value>>,
    #[serde(rename = "outputSchema", default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Map<String, Value>>,
    #[serde(default)]
    pub toolset: String,
    #[serde(default)]
    pub scopes: Vec<String>,
    #[serde(default)]
    pub risk: RiskTier,
    #[serde(default)]
    pub examples: Vec<Example>,
    /// The question before a destructive call, with `{field}` for arguments.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub confirm: String,
    /// How often one caller may call it; 0 for no limit of its own.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub calls_per_minute: u32,
}

impl Tool {
    /// The schema of the arguments in full: the published one with what it leaves out for brevity.
    pub fn whole_schema(&self) -> Map<String, Value> {
        let mut schema = self.input_schema.clone();
        if let Some(Value::Object(properties)) = schema.get_mut("properties") {
            properties.extend(self.briefs.iter().map(|(name, brief)| (name.clone(), Value::Object(brief.clone()))));
        }
        schema
    }

    /// The schema that arguments are checked against: the whole one with the bounds of lists.
    pub fn checked_schema(&self) -> Map<String, Value> {
        let mut schema = self.whole_schema();
        for (path, most) in &self.items_max {
            let list =
                path.split('.').try_fold(&mut schema, |within, name| inner(within)?.get_mut(name)?.as_object_mut());
            if let Some(list) = list {
                list.insert("maxItems".to_owned(), Value::from(*most));
            }
        }
        schema
    }
}

/// The members of an object, or of the objects in a list.
fn inner(schema: &mut Map<String, Value>) -> Option<&mut Map<String, Value>> {
    let object = if schema.contains_key("items") { schema.get_mut("items")?.as_object_mut()? } else { schema };
    object.get_mut("properties")?.as_object_mut()
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    Query,
    Command,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Hints {
    #[serde(rename = "readOnlyHint")]
    pub read_only: bool,
    #[serde(rename = "destructiveHint")]
    pub destructive: bool,
    #[serde(rename = "idempotentHint")]
    pub idempotent: bool,
    #[serde(rename = "openWorldHint")]
    pub open_world: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum RiskTier {
    #[default]
    Low,
    Medium,
    High,
    Critical,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Example {
    pub description: String,
    pub input: Value,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResourceTemplate {
    /// Relative, for example `element/{element_id}`.
    pub pattern: String,
    #[serde(default)]
    pub title: String,
    pub description: String,
    #[serde(default)]
    pub rpc: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prompt {
    pub name: String,
    pub title: String,
    pub description: String,
    pub arguments: Vec<PromptArgument>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptArgument {
    pub name: String,
    pub description: String,
    pub required: bool,
}
