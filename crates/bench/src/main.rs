//! Bench: what a call costs, as ratios in one run. `cargo xtask bench` builds and runs it.
//!
//! Machines are noisy, so nothing here is judged by the clock alone: a row compares two things measured in the same run, and
//! where it can it counts the CPU time of the server process per call. [`load`] is the client, [`bare`] the things we are
//! compared with, [`subject`] the real server, [`store`] the ledger without a server, [`report`] the table.

#![allow(clippy::print_stdout, reason = "a report belongs on stdout")]

mod bare;
mod compare;
mod governance;
mod growth;
mod load;
mod monitor;
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
    /// Monitor only.
    #[arg(long)]
    monitor: bool,
    /// What must not grow with what is stored, and nothing else.
    #[arg(long)]
    growth: bool,
    /// Only compare with another build: the path of its program.
    #[arg(long, value_name = "PROGRAM")]
    against: Option<String>,
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
        None => run(&arguments).await,
    }
}

async fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let (mut report, quick) = (report::Report::default(), arguments.quick);
    if let Some(before) = &arguments.against {
        compare::run(&mut report, before, quick).await?;
    } else if arguments.growth {
        growth::run(&mut report, quick).await?;
    } else if arguments.neotoma {
        neotoma::run(&mut report, quick).await?;
    } else if arguments.monitor {
        monitor::run(&mut report, quick).await?;
    } else {
        all(&mut report, quick).await?;
    }
    report.print();
    Ok(())
}

async fn all(report: &mut report::Report, quick: bool) -> anyhow::Result<()> {
    subject::echo(report, quick).await?;
    subject::reads(report, quick).await?;
    subject::eras(report, quick).await?;
    store::traversal(report, quick).await?;
    store::past(report, quick).await?;
    subject::writes(report, quick).await?;
    governance::templates(report, quick).await?;
    Box::pin(governance::proposals(report, quick)).await?;
    governance::baselines(report).await?;
    neotoma::run(report, quick).await?;
    monitor::run(report, quick).await?;
    growth::run(report, quick).await?;
    subject::resources(report).await?;
    Ok(())
}
