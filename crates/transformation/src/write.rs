//! The write side: a request becomes a command, the command a decision, the decision a commit and an answer.
//!
//! [`Planner`] loads what a command touches and lets [`crate::domain`] decide; it cannot write, so a dry run uses it
//! as it is. [`Recorder`] makes a decision durable, once. [`governed`] asks the policy whether a write is made or filed;
//! [`ProposalDesk`] is where people decide what was filed. [`ArchitectureWrite`] joins them.

mod answer;
mod baseline;
mod command;
mod definition;
mod governed;
mod models;
mod planner;
mod proposals;
mod recorder;
mod references;
mod scrum;

use contract::generated::transformation::{
    AddComponentToCapabilityRequest, AddComponentToCapabilityResponse, ArchitectureOperation, CapabilityWriteService,
    CreateCapabilityRequest, CreateCapabilityResponse, CreateCapabilityStructureRequest,
    CreateCapabilityStructureResponse, CreateElementRequest, CreateElementResponse, CreateRelationshipRequest,
    CreateRelationshipResponse, DeleteElementRequest, DeleteElementResponse, SubmitArchitectureIntentResponse,
    TransformationArchitectureDomainIntent, TransformationArchitectureWriteService, UpdateElementRequest,
    UpdateElementResponse,
};
use contract::{CallError, Context, RiskTier};
use ledger::SharedLedger;

pub use baseline::BaselineWrite;
pub use command::Command;
pub use definition::{DefinitionPlanner, DefinitionWrite};
pub use models::ModelWrite;
pub use planner::Planner;
pub use proposals::ProposalDesk;
pub use recorder::Recorder;
pub use scrum::ScrumWrite;

use crate::domain::element::{CreateElement, DeleteElement, UpdateElement};
use crate::domain::model;
use crate::domain::policy::Governance;
use crate::domain::relationship::CreateRelationship;
use crate::domain::template::{AddComponent, CreateStructure};
use crate::projection::Snapshot;
use crate::{Config, Error};
use answer::{CapabilityCreated, ComponentMade, StructureMade};
use governed::{Asked, Desk};

/// Everything that changes the architecture model.
#[derive(Clone)]
pub struct ArchitectureWrite {
    planner: Planner,
    recorder: Recorder,
    governance: Governance,
}

impl ArchitectureWrite {
    pub fn new(ledger: SharedLedger, config: &Config) -> Self {
        Self {
            planner: Planner::new(ledger.clone(), config.profile),
            recorder: Recorder::new(ledger),
            governance: config.governance.clone(),
        }
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

    fn desk<'a>(&'a self, ctx: &'a Context, asked: Asked) -> Result<Desk<'a>, Error> {
        Desk::open(&self.recorder, &self.governance, ctx, asked)
    }
}

impl TransformationArchitectureWriteService for ArchitectureWrite {
    async fn create_element(
        &self,
        ctx: &Context,
        request: CreateElementRequest,
    ) -> Result<CreateElementResponse, CallError> {
        let asked = Asked::new("createElement", RiskTier::Medium, request.commit_mode(), &request);
        let desk = self.desk(ctx, asked)?;
        let command = CreateElement::read(&desk.ctx, request)?;
        Ok(desk.submit(|| self.planner.create_element(ctx, &command)).await?)
    }

    async fn create_relationship(
        &self,
        ctx: &Context,
        request: CreateRelationshipRequest,
    ) -> Result<CreateRelationshipResponse, CallError> {
        let asked = Asked::new("createRelationship", RiskTier::Medium, request.commit_mode(), &request);
        let desk = self.desk(ctx, asked)?;
        let command = CreateRelationship::read(&desk.ctx, request)?;
        Ok(desk.submit(|| self.planner.create_relationship(ctx, &command)).await?)
    }

    async fn update_element(
        &self,
        ctx: &Context,
        request: UpdateElementRequest,
    ) -> Result<UpdateElementResponse, CallError> {
        let asked = Asked::new("updateElement", RiskTier::Medium, request.commit_mode(), &request);
        let desk = self.desk(ctx, asked)?;
        let command = UpdateElement::read(&desk.ctx, request)?;
        Ok(desk.submit(|| self.planner.update_element(ctx, &command)).await?)
    }

    async fn delete_element(
        &self,
        ctx: &Context,
        request: DeleteElementRequest,
    ) -> Result<DeleteElementResponse, CallError> {
        let asked = Asked::new("deleteElement", RiskTier::High, request.commit_mode(), &request);
        let desk = self.desk(ctx, asked)?;
        let command = DeleteElement::read(request)?;
        Ok(desk.submit(|| self.planner.delete_element(ctx, &command)).await?)
    }

    async fn submit_intent(
        &self,
        ctx: &Context,
        request: TransformationArchitectureDomainIntent,
    ) -> Result<SubmitArchitectureIntentResponse, CallError> {
        let tier = intent_tier(request.operation());
        let asked = Asked::new("submitArchitectureIntent", tier, request.commit_mode(), &request);
        let desk = self.desk(ctx, asked)?;
        let command = Command::intent(&desk.ctx, request)?;
        Ok(desk.submit(|| self.planner.decide(ctx, &command)).await?)
    }
}

/// The risk of an intent is that of its operation: a drawing changes nothing but itself, a deletion takes something away.
fn intent_tier(operation: ArchitectureOperation) -> RiskTier {
    use ArchitectureOperation as Operation;
    match operation {
        Operation::IntentCreateView | Operation::IntentRecordViewLayout => RiskTier::Low,
        Operation::IntentCreateElement
        | Operation::IntentUpdateElement
        | Operation::IntentCreateRelationship
        | Operation::IntentUpdateRelationship => RiskTier::Medium,
        Operation::IntentDeleteElement
        | Operation::IntentDeleteRelationship
        | Operation::IntentDeleteView
        | Operation::Unspecified => RiskTier::High,
    }
}

impl CapabilityWriteService for ArchitectureWrite {
    async fn create_capability(
        &self,
        ctx: &Context,
        request: CreateCapabilityRequest,
    ) -> Result<CreateCapabilityResponse, CallError> {
        let asked = Asked::new("createCapability", RiskTier::Medium, request.commit_mode(), &request);
        let desk = self.desk(ctx, asked)?;
        let command = CreateElement::capability(&desk.ctx, request)?;
        let decide = async || Ok(self.planner.create_element(ctx, &command).await?.map(CapabilityCreated));
        Ok(desk.submit(decide).await?)
    }

    async fn create_capability_structure(
        &self,
        ctx: &Context,
        request: CreateCapabilityStructureRequest,
    ) -> Result<CreateCapabilityStructureResponse, CallError> {
        let asked = Asked::new("createCapabilityStructure", RiskTier::Medium, request.commit_mode(), &request);
        let desk = self.desk(ctx, asked)?;
        let command = CreateStructure::read(&desk.ctx, request)?;
        let decide = async || Ok(self.planner.create_structure(ctx, &command).await?.map(StructureMade));
        Ok(desk.submit(decide).await?)
    }

    async fn add_component_to_capability(
        &self,
        ctx: &Context,
        request: AddComponentToCapabilityRequest,
    ) -> Result<AddComponentToCapabilityResponse, CallError> {
        let asked = Asked::new("addComponentToCapability", RiskTier::Medium, request.commit_mode(), &request);
        let desk = self.desk(ctx, asked)?;
        let command = AddComponent::read(&desk.ctx, request)?;
        let decide = async || Ok(self.planner.add_component(ctx, &command).await?.map(ComponentMade));
        Ok(desk.submit(decide).await?)
    }
}
