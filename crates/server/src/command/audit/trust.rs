//! What lets others trust the audit: verify, checkpoint, key, export, and removal that keeps the trees whole.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use clap::Args;
use ledger::tree::{Tree, Trees as _};
use ledger_sqlite::SqliteLedger;
use ledger_sqlite::audit::AuditLog;
use proof::{Notary, Trust, VerifyingKey};
use scope::{Clock as _, SystemClock, TenantId};
use serde_json::json;

use super::output;
use crate::Config;
use crate::mounts::MODULES;
use crate::platform::{notary, open_ledger, retain};

#[derive(Debug, Args)]
pub struct Verify {
    /// A checkpoint that was kept elsewhere, as a file: what it says must still hold. May be given several times.
    #[arg(long = "checkpoint", value_name = "FILE")]
    checkpoints: Vec<PathBuf>,
    /// A public key that signed older checkpoints. May be given several times.
    #[arg(long = "key", value_name = "KEY")]
    keys: Vec<String>,
}

/// The parts of a data directory that proofs rest on.
pub struct Opened {
    pub ledger: Arc<SqliteLedger>,
    pub log: Arc<AuditLog>,
    pub notary: Notary,
}

impl Opened {
    pub fn open(config: &Config) -> anyhow::Result<Self> {
        let ledger = open_ledger(config, MODULES)?;
        let log = Arc::new(AuditLog::open(&config.data)?);
        let notary = notary(&config.data, ledger.clone(), log.clone())?;
        Ok(Self { ledger, log, notary })
    }
}

pub async fn verify(config: &Config, options: &Verify) -> anyhow::Result<ExitCode> {
    let read =
        |path: &PathBuf| std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()));
    let files = options.checkpoints.iter().map(read).collect::<anyhow::Result<Vec<_>>>()?;
    let keys = options.keys.iter().map(|text| VerifyingKey::parse(text)).collect::<Result<Vec<_>, _>>()?;
    let published = files.iter().flat_map(|text| notes(text)).collect();
    let found = Opened::open(config)?.notary.examine(&Trust { keys, published }).await?;
    output::line(&format!(
        "{} trees, {} leaves, {} checkpoints; {} records removed after their time, {} leaves not sealed yet",
        found.trees, found.leaves, found.checkpoints, found.removed, found.unsealed
    ))?;
    found.differences.iter().try_for_each(|difference| output::line(&format!("differs: {difference}")))?;
    if found.differences.is_empty() {
        output::line("every fact and every audit record is the one that was sealed")?;
        return Ok(ExitCode::SUCCESS);
    }
    output::line("keep this directory as it is, and compare it with the last good backup")?;
    Ok(ExitCode::FAILURE)
}

/// The notes of a file, which `chancery audit checkpoint` wrote one after the other.
fn notes(text: &str) -> Vec<String> {
    let mut notes = vec![String::new()];
    let mut is_signed = false;
    for line in text.lines() {
        let is_signature = line.starts_with("— ");
        if is_signed && !is_signature {
            notes.push(String::new());
        }
        is_signed = is_signature;
        if let Some(last) = notes.last_mut().filter(|last| !(last.is_empty() && line.is_empty())) {
            last.push_str(line);
            last.push('\n');
        }
    }
    notes.retain(|note| !note.is_empty());
    notes
}

/// Seals what is new and prints what was signed.
pub async fn checkpoint(config: &Config, tenant: &TenantId) -> anyhow::Result<ExitCode> {
    let opened = Opened::open(config)?;
    opened.notary.seal().await?;
    for tree in Tree::ALL {
        if let Some(checkpoint) = opened.ledger.checkpoint(tenant, tree).await? {
            output::line(&checkpoint.note)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

pub fn key(config: &Config) -> anyhow::Result<ExitCode> {
    output::line(&Opened::open(config)?.notary.key().verifying().text())?;
    Ok(ExitCode::SUCCESS)
}

pub async fn export(config: &Config, tenant: &TenantId, from: u64) -> anyhow::Result<ExitCode> {
    let opened = Opened::open(config)?;
    opened.notary.seal().await?;
    let mut next = from;
    loop {
        let leaves = opened.notary.audit_leaves(tenant, next).await?;
        let Some(last) = leaves.last() else { return Ok(ExitCode::SUCCESS) };
        next = last.index + 1;
        for leaf in leaves {
            output::line(&leaf.text.unwrap_or_else(|| json!({ "removed": leaf.hash.to_string() }).to_string()))?;
        }
    }
}

pub async fn remove(config: &Config, days: u32) -> anyhow::Result<ExitCode> {
    let opened = Opened::open(config)?;
    let removed = retain(&opened.notary, &opened.ledger, &opened.log, days, SystemClock.now()).await?;
    output::line(&format!("{removed} records removed; their leaves stay, so everything else can still be proved"))?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_may_hold_several_checkpoints() {
        let (one, two) = ("o\n1\nh\n\n— k s\n", "o\n2\nh\n\n— k s\n— l t\n");
        assert_eq!(notes(&format!("{one}\n{two}\n")), [one, two]);
        assert_eq!(notes(&format!("{one}{two}")), [one, two]);
        assert_eq!(notes("\n"), [] as [&str; 0]);
    }
}
