//! A tool with everything a client is shown.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::capability::{Capability, Method, Side};
use crate::options::{Expose, Hints};
use crate::{Place, Source, schema};

/// The scope of a tool that states none.
const SCOPE_DEFAULT: &str = "mcp:tools";

/// A method that is exposed, with its schemas.
pub struct Tool<'a> {
    pub method: &'a Method,
    pub stated: &'a Expose,
    pub side: Option<Side>,
    pub place: Place,
    pub description: String,
    pub input: Map<String, Value>,
    pub items_max: BTreeMap<String, u32>,
    pub briefs: BTreeMap<String, Map<String, Value>>,
    pub output: Map<String, Value>,
}

impl<'a> Tool<'a> {
    /// The tools of a capability in the order in which they are listed.
    pub fn all(source: &Source, capability: &'a Capability) -> Vec<Self> {
        let tools = capability.tools().map(|(service, method, stated)| Self {
            method,
            stated,
            side: service.side,
            place: source.place(&method.descriptor),
            description: first_of(&stated.description, || source.summary(&method.descriptor)),
            input: schema::input(source, &method.descriptor.input()),
            items_max: schema::items_max(source, &method.descriptor.input()),
            briefs: schema::briefs(source, &method.descriptor.input()),
            output: schema::output(source, &method.descriptor.output()),
        });
        tools.collect()
    }

    /// The schema of the arguments with what the published one leaves out for brevity.
    pub fn whole_input(&self) -> Map<String, Value> {
        let mut schema = self.input.clone();
        if let Some(Value::Object(properties)) = schema.get_mut("properties") {
            properties.extend(self.briefs.iter().map(|(name, brief)| (name.clone(), Value::Object(brief.clone()))));
        }
        schema
    }

    pub fn name(&self) -> &str {
        &self.stated.tool_name
    }

    pub fn hints(&self) -> Hints {
        self.stated.hints.unwrap_or_default()
    }

    /// The entry of the manifest: that of the catalog and what only the server needs to know.
    pub fn manifest_entry(&self) -> Value {
        let mut entry = self.entry();
        if !self.items_max.is_empty() {
            entry["items_max"] = json!(self.items_max);
        }
        if !self.briefs.is_empty() {
            entry["briefs"] = json!(self.briefs);
        }
        entry
    }

    /// The entry of the catalog.
    pub fn entry(&self) -> Value {
        let stated = self.stated;
        let mut entry = json!({
            "name": stated.tool_name,
            "title": stated.title,
            "description": self.description,
            "rpc": self.method.rpc(),
            "cqrs_side": self.side.unwrap_or(Side::Query).word(),
            "hints": self.annotations(),
            "inputSchema": self.input,
            "outputSchema": self.output,
            "toolset": stated.toolset,
            "scopes": self.scopes(),
            "risk": self.risk(),
            "examples": self.examples(),
        });
        if !stated.confirm.is_empty() {
            entry["confirm"] = json!(stated.confirm);
        }
        if stated.calls_per_minute > 0 {
            entry["calls_per_minute"] = json!(stated.calls_per_minute);
        }
        entry
    }

    /// How many bytes the tool takes in an answer to tools/list.
    pub fn bytes(&self) -> usize {
        let shown = json!({
            "name": self.stated.tool_name,
            "title": self.stated.title,
            "description": self.description,
            "inputSchema": self.input,
            "outputSchema": self.output,
            "annotations": self.listed_annotations(),
        });
        shown.to_string().len()
    }

    /// The examples whose text is JSON; the others are reported by the checks.
    pub fn examples(&self) -> Vec<Value> {
        let example = |example: &crate::options::Example| {
            let input: Value = serde_json::from_str(&example.input).ok()?;
            Some(json!({ "description": example.description, "input": input }))
        };
        self.stated.examples.iter().filter_map(example).collect()
    }

    pub fn scopes(&self) -> Vec<String> {
        let stated = &self.stated.scopes;
        if stated.is_empty() { vec![SCOPE_DEFAULT.to_owned()] } else { stated.clone() }
    }

    pub fn risk(&self) -> &'static str {
        match self.stated.risk {
            2 => "MEDIUM",
            3 => "HIGH",
            4 => "CRITICAL",
            _ => "LOW",
        }
    }

    /// The hints as tools/list gives them: being idempotent says nothing more about a tool that only reads.
    fn listed_annotations(&self) -> Value {
        let mut annotations = self.annotations();
        if let Some(hints) = annotations.as_object_mut().filter(|_| self.hints().read_only()) {
            hints.shift_remove("idempotentHint");
        }
        annotations
    }

    fn annotations(&self) -> Value {
        let hints = self.hints();
        json!({
            "readOnlyHint": hints.read_only(),
            "destructiveHint": hints.destructive(),
            "idempotentHint": hints.idempotent(),
            "openWorldHint": hints.open_world(),
        })
    }
}

/// `stated`, or what `fallback` gives when it is empty.
pub fn first_of(stated: &str, fallback: impl FnOnce() -> String) -> String {
    if stated.is_empty() { fallback() } else { stated.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{changed, compiled};

    // N-263
    #[test]
    fn a_tool_states_how_often_it_may_be_called() {
        let (source, capabilities, problems) =
            compiled(&changed("title: \"Delete a thing\"", "title: \"Delete a thing\" calls_per_minute: 10"));
        assert_eq!(problems, []);
        let limits: Vec<Value> =
            Tool::all(&source, &capabilities[0]).iter().map(|tool| tool.entry()["calls_per_minute"].clone()).collect();
        assert_eq!(limits, [Value::Null, json!(10)]);
    }
}
