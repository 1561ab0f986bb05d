//! What a person types.

mod baselines;
mod call;
mod client;
mod definitions;
mod diff;
mod doctor;
mod facts;
mod http;
mod ingest;
mod maintenance;
mod proposals;
mod reader;
mod stdio;
mod tools;
mod typed;
mod why;

use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, CommandFactory, Parser, Subcommand};
use clap_complete::Shell;

use crate::Config;
use crate::config::{LogFormat, SETTINGS, Sources};

/// A system of record that AI agents can write to, over MCP.
#[derive(Debug, Parser)]
#[command(name = "chancery", version, about, max_term_width = 100)]
pub struct CommandLine {
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
        /// For example transformation.createElement.
        tool: String,
        /// The arguments as JSON; `-` reads them from stdin.
        #[arg(default_value = "{}")]
        arguments: String,
    },
    /// Store files and folders in neotoma.
    Ingest(ingest::Options),
    /// Say where the value of an entity's field comes from.
    Why {
        /// Id, or a unique name or identifier.
        entity: String,
        field: String,
    },
    /// Decide the proposals that wait.
    Proposals {
        #[command(subcommand)]
        act: proposals::Act,
    },
    /// Print the catalog of the mounted tools as JSON.
    Catalog,
    /// List, show, approve and publish baselines.
    Baselines {
        #[command(subcommand)]
        what: baselines::What,
        /// Print the whole answer as JSON.
        #[arg(long, global = true)]
        json: bool,
    },
    /// Say what differs between two states: head, published, a baseline, a moment, or @SEQUENCE.
    Diff {
        /// The earlier state.
        from: String,
        /// The later state.
        #[arg(default_value = "head")]
        to: String,
        /// Id or key of the model.
        #[arg(long, value_name = "ID")]
        model: Option<String>,
        /// Print the whole answer as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Definitions of processes, agents and extensions.
    #[command(subcommand)]
    Definitions(definitions::Definitions),
    /// Print what happened, one CloudEvent per line.
    Facts(facts::Facts),
    /// Copy the data to a file, and stored files beside it, while the server runs.
    Backup { file: PathBuf },
    /// Make a data directory from a backup.
    Restore { file: PathBuf },
    /// Replay every fact and compare the outcome with the stored records.
    Verify,
    /// Check the installation and say what to do about what is wrong.
    Doctor,
    /// Print the configuration for a client, or the reference of our own settings.
    Config {
        #[arg(value_enum)]
        what: client::What,
    },
    /// Print a completion script for a shell.
    Completions { shell: Shell },
}

/// Runs a command line to its end.
pub fn run(line: CommandLine) -> ExitCode {
    reader::may_leave();
    match execute(line) {
        Ok(code) => code,
        Err(error) => {
            complain(&error);
            ExitCode::FAILURE
        }
    }
}

#[expect(clippy::print_stderr, reason = "the last words of a failed command")]
fn complain(error: &anyhow::Error) {
    eprintln!("chancery: {error:#}");
}

fn execute(line: CommandLine) -> anyhow::Result<ExitCode> {
    let CommandLine { settings, command } = line;
    match command {
        Command::Completions { shell } => {
            return Ok(print_completions(shell));
        }
        Command::Config { what } => return client::print(what, &load(&settings, None)?),
        _ => {}
    }
    let listen = if let Command::Serve { listen, .. } = &command { listen.clone() } else { None };
    let config = load(&settings, listen)?;
    log_to_stderr(&config)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let outcome = runtime.block_on(async {
        match command {
            Command::Serve { stdio: true, capability: Some(name), .. } => stdio::serve(config, &name).await,
            Command::Serve { .. } => http::serve(config).await,
            Command::Tools { name } => tools::print(config, name.as_deref()).await,
            Command::Call { tool, arguments } => call::call(config, &tool, &arguments).await,
            Command::Ingest(options) => ingest::run(config, &options).await,
            Command::Why { entity, field } => why::run(config, &entity, &field).await,
            Command::Proposals { act } => proposals::run(config, act).await,
            Command::Catalog => tools::catalog(config).await,
            Command::Baselines { what, json } => baselines::run(&config, what, json).await,
            Command::Diff { from, to, model, json } => diff::run(&config, &from, &to, model, json).await,
            Command::Definitions(command) => definitions::run(&config, &command).await,
            Command::Facts(options) => facts::print(&config, &options).await,
            Command::Backup { file } => maintenance::backup(&config, &file).await,
            Command::Restore { file } => maintenance::restore(&config, &file).await,
            Command::Verify => maintenance::verify(&config).await,
            Command::Doctor => doctor::examine(&config).await,
            Command::Config { .. } | Command::Completions { .. } => unreachable!("handled above"),
        }
    });
    // Reading stdin cannot be interrupted; a stdio server must not wait for it.
    runtime.shutdown_background();
    outcome
}

#[expect(clippy::print_stdout, reason = "the script belongs on stdout")]
fn print_completions(shell: Shell) -> ExitCode {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut CommandLine::command(), "chancery", &mut script);
    print!("{}", String::from_utf8_lossy(&script));
    ExitCode::SUCCESS
}

/// The configuration from all its sources.
fn load(settings: &Settings, listen: Option<String>) -> anyhow::Result<Config> {
    let mut flags = Vec::new();
    for pair in &settings.set {
        let (name, value) =
            pair.split_once('=').ok_or_else(|| anyhow::anyhow!("--set takes NAME=VALUE, not {pair}"))?;
        let setting = SETTINGS.iter().find(|setting| setting.name == name);
        let setting =
            setting.ok_or_else(|| anyhow::anyhow!("there is no setting {name}; see `chancery config reference`"))?;
        flags.push((setting.name, value.to_owned()));
    }
    flags.extend(settings.data.as_ref().map(|path| ("data", path.display().to_string())));
    flags.extend(settings.log.clone().map(|filter| ("log", filter)));
    flags.extend(listen.map(|address| ("listen", address)));
    let environment: Vec<(String, String)> = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect();
    let mut sources = Sources { file: settings.config.clone(), environment, flags };
    let config = sources.config()?;
    let beside_data = config.data.join("chancery.toml");
    if sources.file.is_none() && beside_data.is_file() {
        sources.file = Some(beside_data);
        return Ok(sources.config()?);
    }
    Ok(config)
}

/// Structured logs on stderr only; stdout belongs to answers.
fn log_to_stderr(config: &Config) -> anyhow::Result<()> {
    use tracing_subscriber::EnvFilter;
    // rmcp logs whole requests at debug, arguments included, so it stays at warn whatever is asked for.
    let filter =
        EnvFilter::try_new(format!("{},rmcp=warn", config.log)).map_err(|error| anyhow::anyhow!("log: {error}"))?;
    let colours = std::io::stderr().is_terminal();
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(colours)
        .with_target(false);
    match config.log_format {
        LogFormat::Text => lines.init(),
        LogFormat::Json => lines.json().init(),
    }
    Ok(())
}
