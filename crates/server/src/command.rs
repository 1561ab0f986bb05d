//! What a person types. Capabilities bring commands of their own.

mod agents;
mod audit;
mod call;
mod client;
mod doctor;
mod facts;
mod find;
mod http;
mod log_fields;
mod login;
mod maintenance;
mod output;
mod people;
mod prove;
mod session;
mod stdio;
mod token;
mod tools;

use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use clap_complete::Shell;
use desk::Module;

use crate::config::{Gathered, LogFormat, Sources, log_filter};
use crate::{Config, MODULES};
use session::Terminal;

/// A system of record that AI agents can write to, over MCP.
#[derive(Debug, Parser)]
#[command(name = "chancery", version, about, max_term_width = 100)]
struct CommandLine {
    #[command(flatten)]
    settings: Settings,
    #[command(subcommand)]
    command: Command,
}

/// Settings that go with every command.
#[derive(Debug, Clone, Args)]
struct Settings {
    /// Data directory.
    #[arg(long, global = true, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Configuration file; `chancery.toml` in the data directory is read without being named.
    #[arg(long, global = true, value_name = "FILE", env = "CHANCERY_CONFIG")]
    config: Option<PathBuf>,
    /// What to log to stderr, for example `info` or `spine=debug`.
    #[arg(long, global = true, value_name = "FILTER")]
    log: Option<String>,
    /// Any setting; `chancery config reference` lists them.
    #[arg(long = "set", global = true, value_name = "NAME=VALUE")]
    set: Vec<String>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve MCP over HTTP on loopback, or over stdio.
    Serve {
        /// Address and port; port 0 takes a free one.
        #[arg(long, value_name = "ADDR:PORT")]
        listen: Option<String>,
        /// Ask callers on loopback for no token: every program and user of this machine is then the owner.
        #[arg(long)]
        open: bool,
        /// Speak MCP on stdin and stdout instead.
        #[arg(long, requires = "capability")]
        stdio: bool,
        /// With --stdio: which capability to serve.
        #[arg(long, value_name = "NAME")]
        capability: Option<String>,
    },
    /// List the tools.
    Tools {
        /// Show one tool with its schema and examples.
        name: Option<String>,
    },
    /// Call a tool, on the same path as a call over MCP.
    Call {
        /// As `chancery tools` lists it.
        tool: String,
        /// The arguments as JSON; `-` reads them from stdin.
        #[arg(default_value = "{}")]
        arguments: String,
    },
    /// Find in everything that is stored, by words and by meaning.
    Find(find::Find),
    /// Make the indexes of search again from the facts, while servers go on.
    Reindex(find::Reindex),
    /// Print the catalog of the mounted tools as JSON.
    Catalog,
    /// Print what happened, one CloudEvent per line.
    Facts(facts::Facts),
    /// Print who called what and how it ended, newest first; check that nothing of it was changed.
    Audit(Box<audit::Audit>),
    /// Print what others need to check a fact or an audit record offline.
    Prove(prove::Prove),
    /// Issue, list and revoke tokens for callers over HTTP and stdio.
    Token {
        #[command(subcommand)]
        action: token::Action,
    },
    /// Get a token of the team's issuer, by a code that is confirmed in a browser.
    Login(login::Options),
    /// The same as `login`, under the name that other tools know.
    #[command(hide = true)]
    Auth {
        #[command(subcommand)]
        action: Auth,
    },
    /// List the agents that are defined, or the tools that one of them may call.
    Agents(agents::Options),
    /// List, add, suspend and resume tenants.
    Tenants {
        #[command(subcommand)]
        action: people::TenantsAction,
    },
    /// List people and say what they may do in a tenant.
    Users {
        #[command(subcommand)]
        action: people::UsersAction,
    },
    /// Copy the data to a file, and stored files beside it, while the server runs.
    Backup { file: PathBuf },
    /// Make a data directory from a backup.
    Restore { file: PathBuf },
    /// Replay every fact and compare the outcome with the stored records.
    Verify,
    /// Check the installation and say what to do about what is wrong.
    Doctor,
    /// Print the configuration for a client, the settings in force, or the reference of all settings.
    Config {
        #[arg(value_enum)]
        what: client::What,
    },
    /// Print a completion script for a shell.
    Completions { shell: Shell },
}

#[derive(Debug, Subcommand)]
enum Auth {
    /// Get a token.
    Token(login::Options),
}

/// How many of our commands stand before those of the capabilities in help: `serve`, `tools` and `call`.
const FIRST: usize = 3;
/// Where the others stand.
const LAST: usize = 100;

/// All commands, those of the capabilities included, in the order in which help lists them.
fn all_commands() -> clap::Command {
    let mut place = 0;
    let in_order = |command: clap::Command| {
        place += 1;
        command.display_order(if place > FIRST { LAST + place } else { place })
    };
    let command = CommandLine::command().mut_subcommands(in_order);
    let brought = MODULES.iter().flat_map(|module| module.commands()).enumerate();
    brought.fold(command, |all, (place, command)| all.subcommand(command.display_order(FIRST + 1 + place)))
}

/// Runs a command line to its end.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    match execute(&all_commands().get_matches_from(arguments)) {
        Ok(code) => code,
        Err(error) => {
            output::note(&format!("chancery: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn execute(matches: &ArgMatches) -> anyhow::Result<ExitCode> {
    let settings = Settings::from_arg_matches(matches)?;
    if let Some((name, matches)) = matches.subcommand()
        && let Some(module) = MODULES.iter().find(|module| brings(**module, name))
    {
        let gathered = load(&settings, None)?;
        return block_on(&gathered, async {
            let terminal = Terminal::open(&gathered.config).await?;
            let session = terminal.session(module.name())?;
            module.run(name, matches, &session).await.map_err(|failure| anyhow::anyhow!(failure))
        });
    }
    match CommandLine::from_arg_matches(matches)?.command {
        Command::Completions { shell } => print_completions(shell),
        Command::Users { action } => people::users(&load(&settings, None)?.config, action),
        Command::Token { action } => token::run(action, &load(&settings, None)?.config),
        Command::Config { what } => client::print(what, &load(&settings, None)?, settings.config.as_deref()),
        Command::Serve { listen, open, stdio, capability } => {
            let mut settings = settings;
            settings.set.extend(open.then(|| "open=true".to_owned()));
            let gathered = load(&settings, listen)?;
            let config = gathered.config.clone();
            match capability.filter(|_| stdio) {
                Some(name) => block_on(&gathered, stdio::serve(config, &name)),
                None => block_on(&gathered, http::serve(config)),
            }
        }
        command => {
            let gathered = load(&settings, None)?;
            block_on(&gathered, perform(command, &gathered))
        }
    }
}

async fn perform(command: Command, gathered: &Gathered) -> anyhow::Result<ExitCode> {
    let config = &gathered.config;
    match command {
        Command::Tools { name } => tools::print(config, name.as_deref()).await,
        Command::Call { tool, arguments } => call::call(config, &tool, &arguments).await,
        Command::Find(options) => find::find(config, &options).await,
        Command::Reindex(options) => find::reindex(config, &options).await,
        Command::Catalog => tools::catalog(config).await,
        Command::Facts(options) => facts::print(config, &options).await,
        Command::Audit(options) => audit::run(config, *options).await,
        Command::Prove(options) => prove::print(config, options).await,
        Command::Login(options) | Command::Auth { action: Auth::Token(options) } => login::run(config, options).await,
        Command::Agents(options) => agents::print(config, options).await,
        Command::Tenants { action } => people::tenants(config, action).await,
        Command::Backup { file } => maintenance::backup(config, &file).await,
        Command::Restore { file } => maintenance::restore(config, &file).await,
        Command::Verify => maintenance::verify(config).await,
        Command::Doctor => doctor::examine(gathered).await,
        Command::Serve { .. }
        | Command::Token { .. }
        | Command::Users { .. }
        | Command::Config { .. }
        | Command::Completions { .. } => {
            unreachable!("these are run by `execute`")
        }
    }
}

fn brings(module: &dyn Module, name: &str) -> bool {
    module.commands().iter().any(|command| command.get_name() == name)
}

/// Runs a command with its log and its threads.
fn block_on(gathered: &Gathered, work: impl Future<Output = anyhow::Result<ExitCode>>) -> anyhow::Result<ExitCode> {
    log_to_stderr(&gathered.config)?;
    for name in &gathered.strange_variables {
        tracing::warn!("{name} is no setting; `chancery config reference` lists them");
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let outcome = runtime.block_on(work);
    // Reading stdin cannot be interrupted; a stdio server must not wait for it.
    runtime.shutdown_background();
    outcome
}

fn print_completions(shell: Shell) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut all_commands(), "chancery", &mut script);
    output::write(&String::from_utf8_lossy(&script))?;
    Ok(ExitCode::SUCCESS)
}

/// The configuration from all its sources.
fn load(settings: &Settings, listen: Option<String>) -> anyhow::Result<Gathered> {
    let mut flags = Vec::new();
    for pair in &settings.set {
        let (name, value) =
            pair.split_once('=').ok_or_else(|| anyhow::anyhow!("--set takes NAME=VALUE, not {pair}"))?;
        flags.push((name.to_owned(), value.to_owned()));
    }
    let mut flag = |name: &str, value: Option<String>| flags.extend(value.map(|value| (name.to_owned(), value)));
    flag("data", settings.data.as_ref().map(|path| path.display().to_string()));
    flag("log", settings.log.clone());
    flag("listen", listen);
    let environment: Vec<(String, String)> = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect();
    let mut sources = Sources { file: settings.config.clone(), environment, flags, modules: MODULES.to_vec() };
    let gathered = sources.gather()?;
    let beside_data = gathered.config.data.join("chancery.toml");
    if sources.file.is_none() && beside_data.is_file() {
        sources.file = Some(beside_data);
        return Ok(sources.gather()?);
    }
    Ok(gathered)
}

/// Structured logs on stderr only; stdout belongs to answers.
fn log_to_stderr(config: &Config) -> anyhow::Result<()> {
    let filter = log_filter(&config.log).map_err(|reason| anyhow::anyhow!("log: {reason}"))?;
    let colours = std::io::stderr().is_terminal();
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        // It would complain on stderr that stderr cannot be written, and end the process with that.
        .log_internal_errors(false)
        .with_ansi(colours)
        .with_target(false);
    match config.log_format {
        LogFormat::Text => lines.fmt_fields(log_fields::safe()).init(),
        LogFormat::Json => lines.json().init(),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        all_commands().debug_assert();
    }

    #[test]
    fn completions_know_the_commands_that_capabilities_bring() {
        let mut script = Vec::new();
        clap_complete::generate(Shell::Bash, &mut all_commands(), "chancery", &mut script);
        let script = String::from_utf8(script).unwrap();
        for module in MODULES {
            for command in module.commands() {
                assert!(script.contains(&format!("chancery,{})", command.get_name())), "{}", command.get_name());
            }
        }
    }
}
