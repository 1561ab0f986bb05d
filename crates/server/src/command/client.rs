//! `chancery config`: what to paste into a client, what is in force, and the reference of our own settings.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::ValueEnum;
use gate::owner::Owner;
use scope::Principal;
use serde_json::{Map, Value, json};

use super::output;
use crate::config::{Gathered, Origin, page};
use crate::{Config, MODULES};

/// What to print.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum What {
    /// Commands for Claude Code.
    ClaudeCode,
    /// For claude_desktop_config.json.
    ClaudeDesktop,
    /// For .vscode/mcp.json.
    Vscode,
    /// For .cursor/mcp.json.
    Cursor,
    /// For ~/.codex/config.toml.
    Codex,
    /// For ~/.gemini/settings.json.
    Gemini,
    /// For the settings of Zed.
    Zed,
    /// For ~/.codeium/windsurf/mcp_config.json.
    Windsurf,
    /// The settings in force, and where each comes from.
    Show,
    /// All settings of chancery, as a page.
    Reference,
}

pub fn print(what: What, gathered: &Gathered, file: Option<&Path>) -> anyhow::Result<ExitCode> {
    let text = match what {
        What::Reference => page(&gathered.known),
        What::Show => effective(gathered),
        client => {
            for variable in secrets(gathered) {
                output::note(&format!(
                    "{variable} is a secret and not in here; set it where the client starts programs"
                ));
            }
            let owner = Principal::local(&gathered.config.user);
            MODULES.iter().filter_map(|module| module.client_note(&owner)).for_each(|note| output::note(&note));
            let config = &gathered.config;
            let needs_secret = client == What::Vscode && !config.open && config.auth.issuers.is_empty();
            let secret = needs_secret.then(|| Owner::open(&config.data).map(|owner| owner.token().to_owned()));
            if needs_secret {
                output::note("this holds the secret of this data directory; keep it out of version control");
            }
            let setup = Setup {
                program: absolute(&std::env::current_exe()?)?,
                arguments: arguments(gathered, file)?,
                secret: secret.transpose()?,
            };
            setup.for_client(client, &gathered.config)?
        }
    };
    output::write(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// A line for each setting: its value, and where that comes from.
fn effective(gathered: &Gathered) -> String {
    let line = |name: &str, is_secret: bool| {
        let (value, origin) = gathered.effective(name);
        let shown = if is_secret && value != "" { "(hidden)".to_owned() } else { value.to_string() };
        let from = match origin {
            Origin::Default => "default".to_owned(),
            Origin::File(path) => format!("file {}", path.display()),
            Origin::Environment(variable) => format!("environment {variable}"),
            Origin::Flag => "flag".to_owned(),
        };
        format!("{name} = {shown}  # {from}\n")
    };
    gathered.known.all().map(|(setting, _)| line(setting.name, setting.is_secret)).collect()
}

/// How a client starts us.
struct Setup {
    program: String,
    /// After `serve --stdio --capability NAME`.
    arguments: Vec<String>,
    /// What a client shows over HTTP; `None` where it shows nothing, or gets a token from an issuer by itself.
    secret: Option<String>,
}

impl Setup {
    fn for_client(&self, client: What, config: &Config) -> anyhow::Result<String> {
        let pretty = |value: Value| serde_json::to_string_pretty(&value).map(|text| text + "\n");
        let local = |capability| json!({ "command": self.program, "args": self.all(capability) });
        let remote = |capability: &str| {
            let mut server = json!({ "type": "http", "url": format!("{}/{capability}/mcp", config.public_base()) });
            if let Some(secret) = &self.secret {
                server["headers"] = json!({ "Authorization": format!("Bearer {secret}") });
            }
            server
        };
        Ok(match client {
            What::ClaudeCode => {
                let words = |capability| std::iter::once(self.program.clone()).chain(self.all(capability));
                let command = |capability| words(capability).map(|word| quoted(&word)).collect::<Vec<_>>().join(" ");
                servers().map(|(key, name)| format!("claude mcp add {key} -- {}\n", command(name))).collect()
            }
            What::Codex => {
                let server = |(key, name): (&'static str, &'static str)| {
                    let mut table = toml::Table::new();
                    table.insert("command".to_owned(), self.program.clone().into());
                    table.insert("args".to_owned(), self.all(name).into());
                    (key.to_owned(), toml::Value::Table(table))
                };
                let servers: toml::Table = servers().map(server).collect();
                toml::to_string(&toml::Table::from_iter([("mcp_servers".to_owned(), servers.into())]))?
            }
            What::Vscode => pretty(json!({ "servers": by_key(remote) }))?,
            What::Zed => pretty(json!({ "context_servers": by_key(local) }))?,
            _ => pretty(json!({ "mcpServers": by_key(local) }))?,
        })
    }

    fn all(&self, capability: &str) -> Vec<String> {
        let first = ["serve", "--stdio", "--capability", capability].map(str::to_owned);
        first.into_iter().chain(self.arguments.iter().cloned()).collect()
    }
}

/// What is mounted: the key under which a client knows it, and its name.
fn servers() -> impl Iterator<Item = (&'static str, &'static str)> {
    MODULES.iter().map(|module| (module.client_key(), module.name()))
}

fn by_key(server: impl Fn(&'static str) -> Value) -> Map<String, Value> {
    servers().map(|(key, name)| (key.to_owned(), server(name))).collect()
}

/// The same settings as in this process. The client starts us elsewhere and with another environment, so paths are absolute
/// and variables become flags.
fn arguments(gathered: &Gathered, file: Option<&Path>) -> anyhow::Result<Vec<String>> {
    let mut arguments = vec!["--data".to_owned(), absolute(&gathered.config.data)?];
    if let Some(file) = file {
        arguments.extend(["--config".to_owned(), absolute(file)?]);
    }
    for (setting, _) in gathered.known.all().filter(|(setting, _)| !setting.is_secret && setting.name != "data") {
        if let (value, Origin::Environment(_) | Origin::Flag) = gathered.effective(setting.name) {
            arguments.extend(["--set".to_owned(), format!("{}={}", setting.name, as_text(&value))]);
        }
    }
    Ok(arguments)
}

/// Secrets that a client would have to give.
fn secrets(gathered: &Gathered) -> Vec<String> {
    let given = |name: &str| match gathered.effective(name).1 {
        Origin::Environment(variable) => Some(variable),
        Origin::Flag => Some(name.to_owned()),
        Origin::Default | Origin::File(_) => None,
    };
    gathered
        .known
        .all()
        .filter(|(setting, _)| setting.is_secret)
        .filter_map(|(setting, _)| given(setting.name))
        .collect()
}

fn absolute(path: &Path) -> anyhow::Result<String> {
    Ok(std::path::absolute(path).map(PathBuf::into_os_string)?.to_string_lossy().into_owned())
}

/// A value as `--set` takes it.
fn as_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(as_text).collect::<Vec<_>>().join(","),
        Value::Object(pairs) => {
            pairs.iter().map(|(name, value)| format!("{name}={}", as_text(value))).collect::<Vec<_>>().join(",")
        }
        other => other.to_string(),
    }
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "-_./:=,@+".contains(char);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
