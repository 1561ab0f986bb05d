//! What the protocol asks about an endpoint again and again, put in its words once.

use std::collections::BTreeSet;
use std::sync::Arc;

use rmcp::model::{MetaObject, ProtocolVersion, ServerConfig, Tool};
use serde_json::json;

use super::wire;
use crate::Endpoint;

pub struct Prepared {
    pub info: ServerConfig,
    /// What every result of the stateless era says about us.
    pub meta: Arc<MetaObject>,
    /// The mounted tools under their canonical names, in the order in which they are listed.
    pub tools: Vec<Tool>,
    /// Tools with arguments that are repeated in headers, by their canonical names.
    headed: BTreeSet<String>,
}

/// What marks such an argument in a schema.
const HEADER_MARK: &str = "x-mcp-header";

impl Prepared {
    /// Made when it is first asked for.
    pub fn of(endpoint: &Endpoint) -> &Self {
        endpoint.prepared.get_or_init(|| Self::new(endpoint))
    }

    /// True when a tool, by either form of its name, has arguments that must be repeated in headers.
    pub fn is_headed(&self, endpoint: &Endpoint, name: &str) -> bool {
        !self.headed.is_empty() && endpoint.tool(name).is_some_and(|tool| self.headed.contains(&tool.name))
    }

    fn new(endpoint: &Endpoint) -> Self {
        let is_headed = |tool: &&contract::Tool| json!(tool.input_schema).to_string().contains(HEADER_MARK);
        Self {
            info: info(endpoint),
            meta: Arc::new(wire::result_meta(endpoint.capability.manifest())),
            tools: endpoint.tools().iter().map(wire::tool).collect(),
            headed: endpoint.tools().iter().filter(is_headed).map(|tool| tool.name.clone()).collect(),
        }
    }
}

fn info(endpoint: &Endpoint) -> ServerConfig {
    let manifest = endpoint.capability.manifest();
    let changes = endpoint.capability.announces();
    let mut capabilities = json!({
        "tools": { "listChanged": changes },
        "resources": { "subscribe": changes, "listChanged": changes },
        "prompts": { "listChanged": changes },
        "completions": {},
    });
    if manifest.logging {
        capabilities["logging"] = json!({});
    }
    let capabilities = serde_json::from_value(capabilities).expect("our capabilities have the protocol's shape");
    let mut info = ServerConfig::new(capabilities);
    info.protocol_version = ProtocolVersion::V_2025_11_25;
    info.server_info = wire::implementation(manifest);
    if !manifest.version.is_empty() && manifest.server_name.is_empty() {
        info.server_info.description = Some(format!("{}, actions {}", manifest.title, manifest.version));
    }
    info.instructions = Some(manifest.instructions.clone()).filter(|text| !text.is_empty());
    info
}
