//! Tasks of this repository: `cargo xtask TASK`. One file per task.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "tasks talk to the person who runs them")]

mod codegen;

use std::path::Path;

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
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    // Tasks use paths from the root of the repository, so that messages can be clicked.
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is a folder of the repository");
    std::env::set_current_dir(root)?;
    match arguments.task {
        Task::Codegen(options) => codegen::run(&options),
    }
}
