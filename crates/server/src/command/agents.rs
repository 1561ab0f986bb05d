//! `chancery agents`: the agents that are defined, and what each of them may call.

use std::process::ExitCode;

use anyhow::bail;
use clap::Args;
use contract::Tool;
use contract::agent::DefinedAgent;
use scope::{Scope, TenantId};

use super::output;
use crate::{Config, Platform};

#[derive(Debug, Args)]
pub struct Options {
    /// Show the tools of one agent.
    name: Option<String>,
    /// The tenant that defines them; that of this machine when it is not given.
    #[arg(long)]
    tenant: Option<String>,
}

pub async fn print(config: &Config, options: Options) -> anyhow::Result<ExitCode> {
    let tenant = options.tenant.map_or_else(|| Ok(Scope::local().tenant), TenantId::new)?;
    let platform = Platform::open(config).await?;
    let Some(agents) = &platform.agents else { bail!("no capability that is mounted has definitions of agents") };
    let defined = agents.all(&tenant).await.map_err(|refusal| anyhow::anyhow!(refusal.message))?;
    let tools: Vec<&Tool> = platform.endpoints.iter().flat_map(|endpoint| endpoint.tools()).collect();
    match options.name {
        None => defined.iter().try_for_each(|agent| output::line(&summary(agent, &tools)))?,
        Some(name) => {
            let Some(agent) = defined.iter().find(|agent| agent.name == name) else {
                bail!("there is no agent {name}; `chancery agents` lists them");
            };
            output::line(&summary(agent, &tools))?;
            for tool in effective(agent, &tools) {
                let side = if tool.side == contract::Side::Query { "reads" } else { "writes" };
                output::line(&format!("  {:<44} {side:<7} {:?}", tool.name, tool.risk))?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn effective<'a>(agent: &DefinedAgent, tools: &[&'a Tool]) -> Vec<&'a Tool> {
    tools.iter().copied().filter(|tool| agent.promoted && agent.tools.permits(tool)).collect()
}

fn summary(agent: &DefinedAgent, tools: &[&Tool]) -> String {
    let count = effective(agent, tools).len();
    let state = if agent.promoted { "" } else { ", not promoted" };
    let tier = agent.tools.risk_tier.map_or("no tier".to_owned(), |tier| format!("up to {tier:?}"));
    format!("{:<40} {count} of {} tools, {tier}{state}", agent.name, tools.len())
}
