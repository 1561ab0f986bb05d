//! `chancery config`: what to paste into a client, and the reference of our own settings.

#![expect(clippy::print_stdout, reason = "the answer belongs on stdout")]

use std::process::ExitCode;

use clap::ValueEnum;
use serde_json::json;

use crate::Config;

/// What to print.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum What {
    /// A command for Claude Code.
    ClaudeCode,
    /// For claude_desktop_config.json.
    ClaudeDesktop,
    /// For .vscode/mcp.json.
    Vscode,
    /// For .cursor/mcp.json.
    Cursor,
    /// All settings of chancery, as a page.
    Reference,
}

/// The capability and the short key that keeps prefixed tool names within the clients' limits.
const SERVERS: &[(&str, &str)] = &[("transformation", "arch"), ("neotoma", "neotoma")];

pub fn print(what: What, config: &Config) -> anyhow::Result<ExitCode> {
    let program = std::env::current_exe()?.display().to_string();
    let data = config.data.display().to_string();
    let arguments = |capability: &str| json!(["serve", "--stdio", "--capability", capability, "--data", data]);
    match what {
        What::Reference => print!("{}", crate::config::page()),
        What::ClaudeCode => {
            for (capability, key) in SERVERS {
                println!("claude mcp add {key} -- '{program}' serve --stdio --capability {capability} --data '{data}'");
            }
        }
        What::ClaudeDesktop | What::Cursor => {
            let server = |(capability, key): &(&str, &str)| {
                ((*key).to_owned(), json!({ "command": program, "args": arguments(capability) }))
            };
            let servers: serde_json::Map<String, serde_json::Value> = SERVERS.iter().map(server).collect();
            println!("{}", serde_json::to_string_pretty(&json!({ "mcpServers": servers }))?);
        }
        What::Vscode => {
            let server = |(capability, key): &(&str, &str)| {
                (
                    (*key).to_owned(),
                    json!({ "type": "http", "url": format!("http://{}/{capability}/mcp", config.listen) }),
                )
            };
            let servers: serde_json::Map<String, serde_json::Value> = SERVERS.iter().map(server).collect();
            println!("{}", serde_json::to_string_pretty(&json!({ "servers": servers }))?);
        }
    }
    Ok(ExitCode::SUCCESS)
}
