//! `chancery models`: which models there are, and new ones.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use contract::generated::transformation::{
    ArchiMateQueryService as _, CreateModelRequest, CreateModelResponse, ListModelsRequest, ListModelsResponse,
    ModelWriteService as _,
};
use desk::module::{BoxError, Session, perform, print};

use crate::query::ArchitectureQuery;
use crate::retrieval::Retrieval;
use crate::write::ModelWrite;

/// List and create models.
#[derive(Debug, Parser)]
#[command(name = "models")]
pub struct Models {
    #[command(subcommand)]
    action: Action,
    /// Print the whole answer as JSON.
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List the models.
    List,
    /// Create an empty model.
    Create {
        /// What tools take as model_id, for example platform-architecture.
        key: String,
        #[arg(long, value_name = "TEXT")]
        name: Option<String>,
        #[arg(long, value_name = "TEXT")]
        description: Option<String>,
    },
}

impl Models {
    pub async fn run(self, session: &dyn Session) -> Result<ExitCode, BoxError> {
        let (ledger, config) = (&session.parts().ledger, session.parts().settings.read()?);
        match self.action {
            Action::List => {
                let retrieval = Retrieval::new(&session.parts().search, ledger.clone());
                let query = &ArchitectureQuery::new(ledger.clone(), session.parts().page_tokens(), retrieval);
                let work = |ctx| async move { query.list_models(&ctx, ListModelsRequest::default()).await };
                let listed = perform(session, "ArchiMateQueryService.ListModels", "", work).await?;
                print(session, &listed, self.json, list_lines)
            }
            Action::Create { key, name, description } => {
                let write = &ModelWrite::new(ledger.clone(), &config);
                let request = CreateModelRequest { key: key.clone(), name, description };
                let work = |ctx| async move { write.create_model(&ctx, request).await };
                let created = perform(session, "ModelWriteService.CreateModel", &key, work).await?;
                print(session, &created, self.json, created_lines)
            }
        }
    }
}

fn list_lines(listed: &ListModelsResponse) -> Vec<String> {
    let line = |model: &contract::generated::transformation::Model| {
        let mark = if model.active { "  (active)" } else { "" };
        format!("{}  {}  {}{mark}", model.id, model.key, model.name)
    };
    listed.models.iter().map(line).collect()
}

fn created_lines(created: &CreateModelResponse) -> Vec<String> {
    created.model.iter().map(|model| format!("model {} is created ({})", model.key, model.id)).collect()
}
