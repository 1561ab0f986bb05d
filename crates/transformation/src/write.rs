//! The write side: a request becomes a command, the command a decision, the decision a commit and an answer.
//!
//! [`Planner`] loads what a command touches and lets [`crate::domain`] decide; it cannot write, so a dry run uses it
//! as it is. [`Recorder`] makes a decision durable, once. [`ArchitectureWrite`] joins the two.

mod answer;
mod command;
mod definition;
mod planner;
mod recorder;
mod scrum;

use contract::generated::transformation::{
    CreateElementRequest, CreateElementResponse, CreateRelationshipRequest, CreateRelationshipResponse,
    DeleteElementRequest, DeleteElementResponse, TransformationArchitectureWriteService, UpdateElementRequest,
    UpdateElementResponse,
};
use contract::{CallError, Context};
use ledger::SharedLedger;

pub use command::Command;
pub use definition::{DefinitionPlanner, DefinitionWrite};
pub use planner::Planner;
pub use recorder::Recorder;
pub use scrum::ScrumWrite;

use crate::Error;
use crate::domain::element::{CreateElement, DeleteElement, UpdateElement};
use crate::domain::model;
use crate::domain::relationship::CreateRelationship;
use crate::metamodel::Profile;
use crate::projection::Snapshot;

/// Everything that changes the architecture model.
#[derive(Clone)]
pub struct ArchitectureWrite {
    planner: Planner,
    recorder: Recorder,
}

impl ArchitectureWrite {
    pub fn new(ledger: SharedLedger, profile: Profile) -> Self {
        Self { planner: Planner::new(ledger.clone(), profile), recorder: Recorder::new(ledger) }
    }

    /// Makes sure that the caller's repository exists and has an active model. Safe to call from many processes at once.
    pub async fn provision(&self, ctx: &Context) -> Result<(), Error> {
        let snapshot = Snapshot::head(self.recorder.ledger(), ctx).await?;
        if snapshot.repository().await?.is_some() {
            return Ok(());
        }
        let decision = model::provision(ctx.scope.repository.as_str(), &ctx.scope.organization);
        self.recorder.record_unless_done(ctx, &decision).await
    }
}

impl TransformationArchitectureWriteService for ArchitectureWrite {
    async fn create_element(
        &self,
        ctx: &Context,
        request: CreateElementRequest,
    ) -> Result<CreateElementResponse, CallError> {
        let command = CreateElement::read(ctx, request)?;
        Ok(self.recorder.once(ctx, || self.planner.create_element(ctx, &command)).await?)
    }

    async fn create_relationship(
        &self,
        ctx: &Context,
        request: CreateRelationshipRequest,
    ) -> Result<CreateRelationshipResponse, CallError> {
        let command = CreateRelationship::read(ctx, request)?;
        Ok(self.recorder.once(ctx, || self.planner.create_relationship(ctx, &command)).await?)
    }

    async fn update_element(
        &self,
        ctx: &Context,
        request: UpdateElementRequest,
    ) -> Result<UpdateElementResponse, CallError> {
        let command = UpdateElement::read(ctx, request)?;
        Ok(self.recorder.once(ctx, || self.planner.update_element(ctx, &command)).await?)
    }

    async fn delete_element(
        &self,
        ctx: &Context,
        request: DeleteElementRequest,
    ) -> Result<DeleteElementResponse, CallError> {
        let command = DeleteElement::read(request)?;
        Ok(self.recorder.once(ctx, || self.planner.delete_element(ctx, &command)).await?)
    }
}
