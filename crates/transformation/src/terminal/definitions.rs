//! `chancery definitions`: what processes, agents and extensions are.

mod file;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use contract::generated::transformation::{
    Definition, DefinitionQueryService as _, DefinitionWriteService as _, GetDefinitionRequest, ListDefinitionsRequest,
    PromoteDefinitionRequest, UpsertDefinitionRequest,
};
use contract::{CallError, Context, Object};
use desk::module::{BoxError, Refused, Session, perform};
use serde_json::Value;

use crate::domain::definition::agent::AgentDefinition;
use crate::query::DefinitionQuery;
use crate::write::DefinitionWrite;
use file::DefinitionFile;

/// Definitions of processes, agents and extensions.
#[derive(Debug, Parser)]
#[command(name = "definitions")]
pub struct Definitions {
    #[command(subcommand)]
    act: Act,
}

#[derive(Debug, Subcommand)]
enum Act {
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

impl Definitions {
    pub async fn run(self, session: &dyn Session) -> Result<ExitCode, BoxError> {
        match self.act {
            Act::List => list(session).await?,
            Act::Import { files } => import(session, &files).await?,
            Act::Promote { name } => promote(session, &name).await?,
            Act::Show { name } => show(session, &name).await?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

async fn list(session: &dyn Session) -> Result<(), BoxError> {
    let query = &DefinitionQuery::new(session.parts().ledger.clone(), session.parts().page_tokens());
    let work = |ctx| async move { all(query, &ctx).await };
    let definitions = perform(session, "DefinitionQueryService.ListDefinitions", "", work).await?;
    definitions.iter().try_for_each(|definition| session.print(&line(definition)))
}

/// All pages as one.
async fn all(query: &DefinitionQuery, ctx: &Context) -> Result<Vec<Definition>, CallError> {
    let (mut request, mut whole) = (ListDefinitionsRequest::default(), Vec::new());
    loop {
        let page = query.list_definitions(ctx, request.clone()).await?;
        whole.extend(page.definitions);
        match page.next_page_token {
            Some(next) => request.page_token = Some(next),
            None => return Ok(whole),
        }
    }
}

async fn import(session: &dyn Session, files: &[PathBuf]) -> Result<(), BoxError> {
    let read = files.iter().map(|path| DefinitionFile::read(path)).collect::<Result<Vec<_>, _>>()?;
    let write = &DefinitionWrite::new(session.parts().ledger.clone());
    let total = read.len();
    for (done, DefinitionFile { kind, name, payload }) in read.into_iter().enumerate() {
        session.progress(&format!("{} of {total}: {name}", done + 1));
        let payload = Some(Object(payload));
        let request = UpsertDefinitionRequest { kind: kind.into(), name: name.clone(), payload, ..Default::default() };
        let work = |ctx| async move { write.upsert_definition(&ctx, request).await };
        let answer = perform(session, "DefinitionWriteService.UpsertDefinition", &name, work).await?;
        answer.definition.iter().try_for_each(|definition| session.print(&line(definition)))?;
    }
    Ok(())
}

async fn promote(session: &dyn Session, name: &str) -> Result<(), BoxError> {
    let request = PromoteDefinitionRequest { definition_id: name.to_owned(), ..Default::default() };
    let write = &DefinitionWrite::new(session.parts().ledger.clone());
    let work = |ctx| async move { write.promote_definition(&ctx, request).await };
    let answer = perform(session, "DefinitionWriteService.PromoteDefinition", name, work).await?;
    answer.definition.iter().try_for_each(|definition| session.print(&line(definition)))
}

async fn show(session: &dyn Session, name: &str) -> Result<(), BoxError> {
    let request = GetDefinitionRequest { definition_id: name.to_owned(), ..Default::default() };
    let query = &DefinitionQuery::new(session.parts().ledger.clone(), session.parts().page_tokens());
    let work = |ctx| async move { query.get_definition(&ctx, request).await };
    let answer = perform(session, "DefinitionQueryService.GetDefinition", name, work).await?;
    let Some(definition) = answer.definition else { return Ok(()) };
    session.print(&line(&definition))?;
    let payload = Value::Object(definition.payload.clone().unwrap_or_default().0);
    session.print(&serde_json::to_string_pretty(&payload)?)?;
    if definition.kind().label() != "agent" {
        return Ok(());
    }
    let agent = AgentDefinition::parse(&payload).map_err(|error| Refused(error.into()))?;
    session.print("\ntools it may call:")?;
    let permitted = session.tools().into_iter().filter(|tool| agent.tools.permits(tool));
    permitted.map(|tool| tool.name).try_for_each(|name| session.print(&format!("  {name}")))
}

fn line(definition: &Definition) -> String {
    let promoted =
        definition.promoted_version.map(|version| format!(", version {version} promoted")).unwrap_or_default();
    let (kind, status) = (definition.kind().label(), definition.status().label());
    format!("{kind:<10} {:<40} version {}, {status}{promoted}", definition.name, definition.version)
}
