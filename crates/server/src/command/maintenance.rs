//! `chancery backup`, `restore` and `verify`.

#![expect(clippy::print_stdout, reason = "the answer belongs on stdout")]

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use ledger::Ledger as _;
use ledger_sqlite::Restoring;

use crate::platform::open_ledger;
use crate::{Config, Platform};

/// The database first: every file that it names is there by then.
pub async fn backup(config: &Config, file: &Path) -> anyhow::Result<ExitCode> {
    open_ledger(config)?.backup_to(file).await?;
    println!("backed up {} to {}", config.data.display(), file.display());
    copy_files(&config.blobs(), &beside(file)).await
}

/// The files first: when the database is in its place, everything is.
pub async fn restore(config: &Config, file: &Path) -> anyhow::Result<ExitCode> {
    let restoring = Restoring::begin(file, &config.data)?;
    let ended = copy_files(&beside(file), &config.blobs()).await?;
    restoring.finish()?;
    println!("restored {} into {}", file.display(), config.data.display());
    Ok(ended)
}

/// Where the files of a backup are.
fn beside(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".blobs");
    PathBuf::from(name)
}

async fn copy_files(from: &Path, to: &Path) -> anyhow::Result<ExitCode> {
    let copied = blobs::copy(from, to).await.with_context(|| format!("the files in {}", from.display()))?;
    if copied.blobs > 0 {
        println!("files: {}, in {}", copied.blobs, to.display());
    }
    for damaged in &copied.damaged {
        println!("damaged, and not copied: {}", from.join(damaged).display());
    }
    Ok(if copied.damaged.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
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
    let (mut entities, mut observations, mut files, mut differences) = (0, 0, 0, Vec::new());
    for tenant in platform.ledger.tenants().await? {
        let blobs = platform.files.blobs.as_ref();
        let found = neotoma::verify(platform.ledger.as_ref(), blobs, &tenant).await?;
        entities += found.entities;
        observations += found.observations;
        files += found.files;
        differences.extend(found.differences);
    }
    println!("{entities} snapshots made again from {observations} observations; files read: {files}");
    Ok(differences)
}
