//! What the protocol asks about an endpoint again and again, put in its words once.

use rmcp::model::{ProtocolVersion, ServerConfig, Tool};
use serde_json::json;

use super::wire;
use crate::Endpoint;

pub struct Prepared {
    pub info: ServerConfig,
    /// The mounted tools under their canonical names, in the order in which they are listed.
    pub tools: Vec<Tool>,
}

impl Prepared {
    pub fn new(endpoint: &Endpoint) -> Self {
        Self { info: info(endpoint), tools: endpoint.tools().iter().map(wire::tool).collect() }
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
    info.server_info = wire::implementation();
    if !manifest.version.is_empty() {
        info.server_info.description = Some(format!("{}, actions {}", manifest.title, manifest.version));
    }
    info.instructions = Some(manifest.instructions.clone()).filter(|text| !text.is_empty());
    info
}
