//! What a person types about transformation.

mod baselines;
mod definitions;
mod diff;
mod models;
mod proposals;
mod review;
mod undo;

use std::process::ExitCode;

use clap::{ArgMatches, Command, CommandFactory, FromArgMatches};
use desk::module::{BoxError, Session};

use baselines::Baselines;
use definitions::Definitions;
use diff::Diff;
use models::Models;
use proposals::Proposals;
use undo::Undo;

/// The commands, in the order in which help lists them.
pub fn commands() -> Vec<Command> {
    vec![
        Proposals::command(),
        Undo::command(),
        Baselines::command(),
        Diff::command(),
        Definitions::command(),
        Models::command(),
    ]
}

/// Runs one of them.
pub async fn run(command: &str, matches: &ArgMatches, session: &dyn Session) -> Result<ExitCode, BoxError> {
    match command {
        "proposals" => Box::pin(Proposals::from_arg_matches(matches)?.run(session)).await,
        "undo" => Box::pin(Undo::from_arg_matches(matches)?.run(session)).await,
        "baselines" => Box::pin(Baselines::from_arg_matches(matches)?.run(session)).await,
        "diff" => Box::pin(Diff::from_arg_matches(matches)?.run(session)).await,
        "definitions" => Box::pin(Definitions::from_arg_matches(matches)?.run(session)).await,
        "models" => Box::pin(Models::from_arg_matches(matches)?.run(session)).await,
        other => Err(format!("there is no command {other}").into()),
    }
}
