//! `chancery backup`, `restore` and `verify`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use ledger::Ledger as _;
use ledger_sqlite::Restoring;
use ledger_sqlite::audit::AuditLog;

use super::output;
use crate::platform::open_ledger;
use crate::{Config, MODULES, Platform};

/// The database first: every file that it names is there by then.
pub async fn backup(config: &Config, file: &Path) -> anyhow::Result<ExitCode> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        bail!("the folder {} does not exist; make it, or name another", folder.display());
    }
    open_ledger(config, MODULES)?.backup_to(file).await?;
    AuditLog::open(&config.data)?.backup_to(beside(file, "audit")).await?;
    output::line(&format!("backed up {} to {}", config.data.display(), file.display()))?;
    copy_files(&config.blobs(), &beside(file, "blobs")).await
}

/// The files first: when the database is in its place, everything is.
pub async fn restore(config: &Config, file: &Path) -> anyhow::Result<ExitCode> {
    let restoring = Restoring::begin(file, &config.data)?;
    let ended = copy_files(&beside(file, "blobs"), &config.blobs()).await?;
    restore_audit(&beside(file, "audit"), &config.data)?;
    restoring.finish()?;
    output::line(&format!("restored {} into {}", file.display(), config.data.display()))?;
    Ok(ended)
}

/// Where the other parts of a backup are.
fn beside(file: &Path, part: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(format!(".{part}"));
    PathBuf::from(name)
}

/// Puts the records of calls into their place, if the backup has them and the directory has none of its own.
fn restore_audit(from: &Path, data: &Path) -> anyhow::Result<()> {
    let to = data.join("audit.db");
    if !from.exists() || to.exists() {
        return Ok(());
    }
    let partial = data.join("audit.db.restoring");
    std::fs::copy(from, &partial)
        .and_then(|_| std::fs::File::open(&partial)?.sync_all())
        .and_then(|()| std::fs::rename(&partial, &to))
        .with_context(|| format!("cannot restore {} from {}", to.display(), from.display()))
}

async fn copy_files(from: &Path, to: &Path) -> anyhow::Result<ExitCode> {
    let copied = blobs::copy(from, to).await.with_context(|| format!("the files in {}", from.display()))?;
    if copied.blobs > 0 {
        output::line(&format!("files: {}, in {}", copied.blobs, to.display()))?;
    }
    for damaged in &copied.damaged {
        output::line(&format!("damaged, and not copied: {}", from.join(damaged).display()))?;
    }
    Ok(if copied.damaged.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// That the records are the fold of the facts, and then whatever each capability can say about what it stores.
pub async fn verify(config: &Config) -> anyhow::Result<ExitCode> {
    let platform = Platform::open(config).await?;
    let found = platform.ledger.verify(&platform.folds).await?;
    let (tenants, facts, versions) = (found.tenants, found.facts, found.versions);
    output::line(&format!("{tenants} tenants, {facts} facts, {versions} record versions replayed"))?;
    let mut differences = found.differences;
    for mounted in &platform.mounted {
        let verified = mounted.module.verify(&mounted.parts).await.map_err(|failure| anyhow::anyhow!(failure))?;
        verified.summary.iter().try_for_each(|line| output::line(line))?;
        differences.extend(verified.differences);
    }
    differences.iter().try_for_each(|difference| output::line(&format!("differs: {difference}")))?;
    if differences.is_empty() {
        output::line("the records are exactly what the facts say")?;
        return Ok(ExitCode::SUCCESS);
    }
    output::line("restore the last good backup with `chancery restore`")?;
    Ok(ExitCode::FAILURE)
}
