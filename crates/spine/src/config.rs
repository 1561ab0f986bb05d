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
    /// Addresses of proxies that are believed.
    pub proxies: Vec<String>,
    pub limits: Limits,
    pub audit: Audit,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            hosts: Vec::new(),
            origins: Vec::new(),
            tool_names: ToolNames::Auto,
            confirm: Confirm::Ask,
            toolsets: Vec::new(),
            proxies: Vec::new(),
            limits: Limits::default(),
            audit: Audit::default(),
        }
    }
}

/// What is kept of calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Audit {
    /// Names of arguments whose values are never kept, besides those that name secrets.
    pub redact: Vec<String>,
    /// How many days the records of calls that changed nothing are kept; 0 for ever.
    pub keep_days: u32,
    /// How often new facts and records are sealed.
    pub checkpoint_seconds: u64,
}

impl Default for Audit {
    fn default() -> Self {
        Self { redact: Vec::new(), keep_days: 0, checkpoint_seconds: 5 }
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
    /// Calls under way at once, at one endpoint. A quarter of them is for reads.
    pub calls_max: usize,
    /// Of these, how many one caller may have; 0 for all.
    pub caller_calls_max: usize,
    /// Open connections.
    pub connections_max: usize,
    /// Of these, how many one address may have; 0 for three quarters.
    pub address_connections_max: usize,
    /// How long a client may take to send its headers or its body, and how long it may leave an answer unread.
    pub read_timeout_ms: u64,
    /// Sessions of initialize-era clients.
    pub sessions_max: usize,
    /// Of these, how many one caller may have; 0 for all.
    pub caller_sessions_max: usize,
    /// Seconds after which an idle session ends.
    pub session_idle_s: u64,
    /// Streams that follow changes.
    pub subscriptions_max: usize,
    /// Of these, how many one caller may have; 0 for all.
    pub caller_subscriptions_max: usize,
    /// Calls per minute and caller; 0 for no limit.
    pub calls_per_minute: u32,
    /// Calls per minute of all callers of a tenant; 0 for no limit.
    pub tenant_calls_per_minute: u32,
    /// Requests per minute from one address, whoever sends them; 0 for no limit.
    pub address_requests_per_minute: u32,
    /// Requests per minute from one address that do not say who sends them; 0 for no limit.
    pub address_failures_per_minute: u32,
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
            caller_calls_max: 256,
            connections_max: 2048,
            address_connections_max: 0,
            read_timeout_ms: 15_000,
            sessions_max: 1000,
            caller_sessions_max: 250,
            session_idle_s: 300,
            subscriptions_max: 1000,
            caller_subscriptions_max: 250,
            calls_per_minute: 0,
            tenant_calls_per_minute: 0,
            address_requests_per_minute: 0,
            address_failures_per_minute: 1200,
            tools: BTreeMap::new(),
            shutdown_ms: 20_000,
        }
    }
}

impl Limits {
    /// How many connections one address may have.
    pub fn address_connections_max(&self) -> usize {
        match self.address_connections_max {
            // So that one peer leaves some to others.
            0 => (self.connections_max - self.connections_max / 4).max(1),
            most => most.min(self.connections_max),
        }
    }
}
