//! `chancery definitions`: what processes, agents and extensions are.

#![expect(clippy::print_stdout, reason = "the answer belongs on stdout")]

mod file;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Subcommand;
use contract::generated::transformation::{
    Definition, DefinitionQueryService as _, DefinitionWriteService as _, GetDefinitionRequest, ListDefinitionsRequest,
    PromoteDefinitionRequest, UpsertDefinitionRequest,
};
use contract::{Context, Object};
use serde_json::Value;
use transformation::domain::definition::agent::AgentDefinition;
use transformation::query::DefinitionQuery;
use transformation::write::DefinitionWrite;

use super::typed;
use crate::platform::{open_ledger, own_context};
use crate::{Config, Platform};
use file::DefinitionFile;

#[derive(Debug, Subcommand)]
pub enum Definitions {
    /// List the definitions.
    List,
    /// Write definitions from YAML or JSON files, as drafts. Nothing is written if one of the files is wrong.
    Import {
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// Make the present content of a definition the one that counts.
    Promote {
        /// Name or id.
        name: String,
    },
    /// Show a definition; for an agent also the tools that it leaves.
    Show {
        /// Name or id.
        name: String,
    },
}

pub async fn run(config: &Config, command: &Definitions) -> anyhow::Result<ExitCode> {
    match command {
        Definitions::List => list(config).await?,
        Definitions::Import { files } => import(config, files).await?,
        Definitions::Promote { name } => promote(config, name).await?,
        Definitions::Show { name } => show(config, name).await?,
    }
    Ok(ExitCode::SUCCESS)
}

async fn list(config: &Config) -> anyhow::Result<()> {
    let query = DefinitionQuery::new(open_ledger(config)?);
    let mut request = ListDefinitionsRequest::default();
    loop {
        let page = query
            .list_definitions(&own_context(config), request.clone())
            .await
            .map_err(|refusal| typed::worded(&refusal))?;
        page.definitions.iter().for_each(print_line);
        match page.next_page_token {
            Some(next) => request.page_token = Some(next),
            None => return Ok(()),
        }
    }
}

async fn import(config: &Config, files: &[PathBuf]) -> anyhow::Result<()> {
    let read = files.iter().map(|path| DefinitionFile::read(path)).collect::<anyhow::Result<Vec<_>>>()?;
    let platform = Platform::open(config).await?;
    let write = DefinitionWrite::new(platform.ledger.clone());
    for DefinitionFile { kind, name, payload } in read {
        let payload = Some(Object(payload));
        let request = UpsertDefinitionRequest { kind: kind.into(), name: name.clone(), payload, ..Default::default() };
        let work = async |ctx: &Context| write.upsert_definition(ctx, request).await;
        let answer = typed::call(&platform, "DefinitionWriteService.UpsertDefinition", &name, work).await?;
        answer.map_err(|refusal| typed::worded(&refusal))?.definition.iter().for_each(print_line);
    }
    Ok(())
}

async fn promote(config: &Config, name: &str) -> anyhow::Result<()> {
    let request = PromoteDefinitionRequest { definition_id: name.to_owned(), ..Default::default() };
    let platform = Platform::open(config).await?;
    let write = DefinitionWrite::new(platform.ledger.clone());
    let work = async |ctx: &Context| write.promote_definition(ctx, request).await;
    let answer = typed::call(&platform, "DefinitionWriteService.PromoteDefinition", name, work).await?;
    answer.map_err(|refusal| typed::worded(&refusal))?.definition.iter().for_each(print_line);
    Ok(())
}

async fn show(config: &Config, name: &str) -> anyhow::Result<()> {
    let platform = Platform::open(config).await?;
    let request = GetDefinitionRequest { definition_id: name.to_owned(), ..Default::default() };
    let query = DefinitionQuery::new(platform.ledger.clone());
    let answer =
        query.get_definition(&own_context(config), request).await.map_err(|refusal| typed::worded(&refusal))?;
    let Some(definition) = answer.definition else { return Ok(()) };
    print_line(&definition);
    let payload = Value::Object(definition.payload.clone().unwrap_or_default().0);
    println!("{}", serde_json::to_string_pretty(&payload)?);
    if definition.kind().label() != "agent" {
        return Ok(());
    }
    let agent = AgentDefinition::parse(&payload).map_err(|error| typed::worded(&error.into()))?;
    let exposed = platform.endpoints.iter().flat_map(|endpoint| endpoint.tools()).map(|tool| tool.name.as_str());
    println!("\ntools it may call:");
    for tool in agent.tools.effective(exposed) {
        println!("  {tool}");
    }
    Ok(())
}

fn print_line(definition: &Definition) {
    let promoted =
        definition.promoted_version.map(|version| format!(", version {version} promoted")).unwrap_or_default();
    let (kind, status) = (definition.kind().label(), definition.status().label());
    println!("{kind:<10} {:<40} version {}, {status}{promoted}", definition.name, definition.version);
}
