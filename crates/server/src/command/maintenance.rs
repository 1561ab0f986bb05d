//! `chancery backup`, `restore` and `verify`.

#![expect(clippy::print_stdout, reason = "the answer belongs on stdout")]

use std::path::Path;
use std::process::ExitCode;

use ledger::Ledger as _;

use crate::platform::open_ledger;
use crate::{Config, Platform};

pub async fn backup(config: &Config, file: &Path) -> anyhow::Result<ExitCode> {
    open_ledger(config)?.backup_to(file).await?;
    println!("backed up {} to {}", config.data.display(), file.display());
    Ok(ExitCode::SUCCESS)
}

pub fn restore(config: &Config, file: &Path) -> anyhow::Result<ExitCode> {
    ledger_sqlite::restore(file, &config.data)?;
    println!("restored {} into {}", file.display(), config.data.display());
    Ok(ExitCode::SUCCESS)
}

pub async fn verify(config: &Config) -> anyhow::Result<ExitCode> {
    let platform = Platform::open(config).await?;
    let found = platform.ledger.verify(&platform.folds).await?;
    println!("{} tenants, {} facts, {} record versions replayed", found.tenants, found.facts, found.versions);
    let mut differences = found.differences;
    if platform.folds.contains_key("neotoma") {
        differences.extend(snapshots(&platform).await?);
    }
    for difference in &differences {
        println!("differs: {difference}");
    }
    if differences.is_empty() {
        println!("the records are exactly what the facts say");
        return Ok(ExitCode::SUCCESS);
    }
    println!("restore the last good backup with `chancery restore`");
    Ok(ExitCode::FAILURE)
}

/// Makes every snapshot of neotoma again from its observations.
async fn snapshots(platform: &Platform) -> anyhow::Result<Vec<String>> {
    let (mut entities, mut observations, mut differences) = (0, 0, Vec::new());
    for tenant in platform.ledger.tenants().await? {
        let found = neotoma::verify(platform.ledger.as_ref(), &tenant).await?;
        entities += found.entities;
        observations += found.observations;
        differences.extend(found.differences);
    }
    println!("{entities} snapshots made again from {observations} observations");
    Ok(differences)
}
