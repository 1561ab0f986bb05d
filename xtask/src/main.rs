//! Tasks of this repository: `cargo xtask TASK`. One file per task.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "tasks talk to the person who runs them")]

mod bench;
mod codegen;
mod dist;
mod new_capability;
mod tidy;
mod trace;

use std::path::Path;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Tasks of this repository")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Make the generated files from proto.
    Codegen(codegen::Options),
    /// Write a capability that builds, serves one tool and passes its test.
    NewCapability {
        /// Lower-case letters and digits.
        name: String,
    },
    /// Build the binary that is shipped, without paths of this machine.
    Dist,
    /// Check crate arrows, names of capabilities, migrations, error codes and file sizes.
    Tidy,
    /// Show which requirements are carried by tests.
    Trace {
        /// Also list the open ones.
        #[arg(long)]
        open: bool,
    },
    /// Measure, as ratios in one run.
    Bench {
        /// What the bench takes, such as `--quick`, `--growth` or `--against PROGRAM`.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
}

fn main() -> ExitCode {
    match run(Arguments::parse().task) {
        Ok(()) => ExitCode::SUCCESS,
        // Without a backtrace, whatever the environment asks for: these are messages, not crashes.
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(task: Task) -> anyhow::Result<()> {
    // Tasks use paths from the root of the repository, so that messages can be clicked.
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is a folder of the repository");
    std::env::set_current_dir(root)?;
    match task {
        Task::Codegen(options) => codegen::run(&options),
        Task::NewCapability { name } => {
            new_capability::write(root, &name)?.iter().for_each(|path| println!("wrote {}", path.display()));
            codegen::run(&codegen::Options::default())
        }
        Task::Dist => dist::run(root),
        Task::Tidy => tidy::run(),
        Task::Trace { open } => trace::run(open),
        Task::Bench { arguments } => bench::run(&arguments),
    }
}
