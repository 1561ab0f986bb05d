//! What an operator may set about doors and calls.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Settings of the doors. Every field has a default that suits one person on one machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Host names besides loopback that requests may name, for example `mcp.example.org`.
    pub hosts: Vec<String>,
    /// Browser origins that may call besides the server's own, for example `https://app.example.org` or `vscode-webview://*`.
    pub origins: Vec<String>,
    /// Which form of tool names lists show: `auto` chooses by client, `dot` or `underscore` always that form.
    pub tool_names: ToolNames,
    /// When a destructive call asks first: `ask` where the client can be asked, `always` (in two steps where it cannot), `never`.
    pub confirm: Confirm,
    /// Only these groups of tools; empty for all.
    pub toolsets: Vec<String>,
    pub limits: Limits,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            hosts: Vec::new(),
            origins: Vec::new(),
            tool_names: ToolNames::Auto,
            confirm: Confirm::Ask,
            toolsets: Vec::new(),
            limits: Limits::default(),
        }
    }
}

/// The form in which tool names are listed. Both forms can always be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ToolNames {
    Auto,
    Dot,
    Underscore,
}

/// When a destructive call asks before it acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Confirm {
    Ask,
    Always,
    Never,
}

/// Bounds. What exceeds one is refused with a clear answer, and nothing else suffers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Largest request, except where a capability takes larger ones.
    pub body_bytes_max: usize,
    /// Deepest nesting of JSON.
    pub depth_max: usize,
    /// How long a call may take.
    pub call_timeout_ms: u64,
    /// Calls under way at once.
    pub calls_max: usize,
    /// Open connections.
    pub connections_max: usize,
    /// How long a client may take to send its headers or its body, and how long it may leave an answer unread.
    pub read_timeout_ms: u64,
    /// Sessions of initialize-era clients.
    pub sessions_max: usize,
    /// Seconds after which an idle session ends.
    pub session_idle_s: u64,
    /// Streams that follow changes.
    pub subscriptions_max: usize,
    /// Calls per minute and caller; 0 for no limit.
    pub calls_per_minute: u32,
    /// Calls per minute and caller of single tools, in place of what the tools state themselves; 0 for no limit. Not for stdio.
    pub tools: BTreeMap<String, u32>,
    /// How long calls under way may go on after the server was told to stop.
    pub shutdown_ms: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body_bytes_max: 4 * 1024 * 1024,
            depth_max: 64,
            call_timeout_ms: 30_000,
            calls_max: 512,
            connections_max: 2048,
            read_timeout_ms: 15_000,
            sessions_max: 1000,
            session_idle_s: 300,
            subscriptions_max: 1000,
            calls_per_minute: 0,
            tools: BTreeMap::new(),
            shutdown_ms: 20_000,
        }
    }
}
