//! The binary `chancery`.

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    server::command::run(server::command::CommandLine::parse())
}
