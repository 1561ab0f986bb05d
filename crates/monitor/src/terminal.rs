//! What a person types about story worlds.

mod portable;
mod scene;

use std::process::ExitCode;

use clap::{ArgMatches, Command, CommandFactory, FromArgMatches};
use desk::module::{BoxError, Session};

use portable::Worlds;
use scene::Scenes;

/// The commands, in the order in which help lists them.
pub fn commands() -> Vec<Command> {
    vec![Scenes::command(), Worlds::command()]
}

/// Runs one of them.
pub async fn run(command: &str, matches: &ArgMatches, session: &dyn Session) -> Result<ExitCode, BoxError> {
    match command {
        "scene" => Scenes::from_arg_matches(matches)?.run(session).await,
        "monitor" => Worlds::from_arg_matches(matches)?.run(session).await,
        other => Err(format!("there is no command {other}").into()),
    }
}
