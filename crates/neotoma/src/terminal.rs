//! What a person types about neotoma.

mod ingest;
mod why;

use std::process::ExitCode;

use clap::{ArgMatches, Command, CommandFactory, FromArgMatches};
use desk::module::{BoxError, Session};

use ingest::Ingest;
use why::Why;

/// The commands, in the order in which help lists them.
pub fn commands() -> Vec<Command> {
    vec![Ingest::command(), Why::command()]
}

/// Runs one of them.
pub async fn run(command: &str, matches: &ArgMatches, session: &dyn Session) -> Result<ExitCode, BoxError> {
    match command {
        "ingest" => Ingest::from_arg_matches(matches)?.run(session).await,
        "why" => Why::from_arg_matches(matches)?.run(session).await,
        other => Err(format!("there is no command {other}").into()),
    }
}
