//! `cargo xtask bench`: builds what is measured and measures it.

use std::process::Command;

use anyhow::bail;

/// Builds the server and the bench as they are shipped, then runs the bench.
pub fn run(arguments: &[String]) -> anyhow::Result<()> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    must(Command::new(&cargo).args(["build", "--profile", "dist", "--package", "server", "--package", "bench"]))?;
    must(Command::new(&cargo).args([
        "build",
        "--profile",
        "dist",
        "--package",
        "ledger-sqlite",
        "--example",
        "commit_bench",
    ]))?;
    let mut bench = Command::new("target/dist/bench");
    must(bench.args(arguments))
}

fn must(command: &mut Command) -> anyhow::Result<()> {
    let status = command.status()?;
    if !status.success() {
        bail!("{command:?} failed");
    }
    Ok(())
}
