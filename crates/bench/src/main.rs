//! Bench: what a call costs, as ratios in one run. `cargo xtask bench` builds and runs it.
//!
//! Machines are noisy, so nothing here is judged by the clock alone: a row compares two things measured in the same run, and
//! where it can it counts the CPU time of the server process per call. [`load`] is the client, [`bare`] the things we are
//! compared with, [`subject`] the real server, [`store`] the ledger without a server, [`report`] the table.

#![allow(clippy::print_stdout, reason = "a report belongs on stdout")]

mod bare;
mod governance;
mod load;
mod neotoma;
mod report;
mod seed;
mod store;
mod subject;

use clap::{Parser, Subcommand};

#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    /// Small sizes, for a first look.
    #[arg(long)]
    quick: bool,
    /// Neotoma only.
    #[arg(long)]
    neotoma: bool,
}

/// What child processes run; each prints its port.
#[derive(Subcommand)]
enum Command {
    /// A handler that answers with constant bytes.
    Axum,
    /// An echo tool on rmcp alone.
    Rmcp,
    /// An echo tool on our spine.
    Echo,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    match arguments.command {
        Some(Command::Axum) => bare::axum().await,
        Some(Command::Rmcp) => bare::rmcp().await,
        Some(Command::Echo) => bare::echo().await,
        None if arguments.neotoma => {
            let mut report = report::Report::default();
            neotoma::run(&mut report, arguments.quick).await?;
            report.print();
            Ok(())
        }
        None => run(arguments.quick).await,
    }
}

async fn run(quick: bool) -> anyhow::Result<()> {
    let mut report = report::Report::default();
    subject::echo(&mut report, quick).await?;
    subject::reads(&mut report, quick).await?;
    store::traversal(&mut report, quick).await?;
    store::past(&mut report, quick).await?;
    subject::writes(&mut report, quick).await?;
    governance::templates(&mut report, quick).await?;
    governance::proposals(&mut report, quick).await?;
    governance::baselines(&mut report).await?;
    neotoma::run(&mut report, quick).await?;
    subject::resources(&mut report).await?;
    report.print();
    Ok(())
}
