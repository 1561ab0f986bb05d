//! `chancery prove`: what others need to check a fact or an audit record, without this server.

use std::process::ExitCode;

use clap::Args;

use super::audit::{Opened, tenant_of};
use super::output;
use crate::Config;

#[derive(Debug, Args)]
pub struct Prove {
    /// The sequence number of a fact, as `chancery facts` and the `sequence` of an answer show it.
    #[arg(required_unless_present = "audit")]
    sequence: Option<u64>,
    /// An audit record instead, by its leaf: its line in `chancery audit export`, from 0.
    #[arg(long, value_name = "LEAF", conflicts_with = "sequence")]
    audit: Option<u64>,
    #[arg(long)]
    tenant: Option<String>,
}

pub async fn print(config: &Config, options: Prove) -> anyhow::Result<ExitCode> {
    let tenant = tenant_of(options.tenant)?;
    let notary = Opened::open(config)?.notary;
    let evidence = match options.audit {
        Some(leaf) => {
            notary.seal().await?;
            notary.prove_record(&tenant, leaf).await?
        }
        None => notary.prove(&tenant, options.sequence.unwrap_or_default()).await?,
    };
    output::line(&serde_json::to_string_pretty(&evidence)?)?;
    Ok(ExitCode::SUCCESS)
}
