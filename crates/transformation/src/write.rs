//! The write side: a request becomes a command, the command a decision, the decision a commit and an answer.
//!
//! [`Planner`] loads what a command touches and lets [`crate::domain`] decide; it cannot write, so a dry run uses it
//! as it is. [`Recorder`] makes a decision durable, once. [`governed`] asks the policy whether a write is made or filed;
//! [`ProposalWrite`] is where people decide what was filed. [`ArchitectureWrite`] joins them.

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
    CommitMode, CreateCapabilityRequest, CreateCapabilityResponse, CreateCapabilityStructureRequest,
    CreateCapabilityStructureResponse, CreateElementRequest, CreateElementResponse, CreateRelationshipRequest,
    CreateRelationshipResponse, DeleteElementRequest, DeleteElementResponse, SubmitArchitectureIntentResponse,
    TransformationArchitectureDomainIntent, TransformationArchitectureWriteService, UpdateElementRequest,
    UpdateElementResponse,
};
use contract::{CallError, Context, RiskTier};
use ledger::SharedLedger;
use serde::Serialize;

pub use baseline::BaselineWrite;
pub use command::Command;
pub use definition::{DefinitionPlanner, DefinitionWrite};
pub use models::ModelWrite;
pub use planner::Planner;
pub use proposals::ProposalWrite;
pub use recorder::Recorder;
pub use scrum::ScrumWrite;

use crate::domain::element::{CreateElement, DeleteElement, UpdateElement};
use crate::domain::model;
use crate::domain::policy::Policy;
use crate::domain::relationship::CreateRelationship;
use crate::domain::template::{AddComponent, CreateStructure};
use crate::projection::Snapshot;
use crate::{Config, Error};
use answer::{CapabilityCreated, ComponentMade, StructureMade};
use governed::{Asked, GovernedWrite};

/// Everything that changes the architecture model.
#[derive(Clone)]
pub struct ArchitectureWrite {
    planner: Planner,
    recorder: Recorder,
    policy: Policy,
}

impl ArchitectureWrite {
    pub fn new(ledger: SharedLedger, config: &Config) -> Self {
        Self {
            planner: Planner::new(ledger.clone(), config.profile),
            recorder: Recorder::new(ledger),
            policy: config.policy(),
        }
    }

    /// Makes sure that the caller's repository exists and has an active model. Safe to call from many processes at once.
    pub async fn provision(&self, ctx: &Context) -> Result<(), Error> {
        let snapshot = Snapshot::head(self.recorder.ledger(), ctx).await?;
        if snapshot.repository().await?.is_some() {
            return Ok(());
        }
        let decision = model::provision(ctx.scope.repository.as_str(), &ctx.scope.organization);
        self.recorder.record_unless_done(ctx, decision).await
    }

    /// Asks the policy about a write of the risk that its tool publishes.
    fn govern<'a>(
        &'a self,
        ctx: &'a Context,
        operation: &'static str,
        mode: CommitMode,
        request: &impl Serialize,
    ) -> Result<GovernedWrite<'a>, Error> {
        self.govern_as(ctx, operation, self.policy.tier(operation), mode, request)
    }

    /// The same for a tool whose risk depends on what is asked of it.
    fn govern_as<'a>(
        &'a self,
        ctx: &'a Context,
        operation: &'static str,
        tier: RiskTier,
        mode: CommitMode,
        request: &impl Serialize,
    ) -> Result<GovernedWrite<'a>, Error> {
        let asked = Asked { operation, tier, mode: governed::mode(mode), rebase_of: None };
        GovernedWrite::open(&self.recorder, &self.policy, ctx, asked, request)
    }
}

impl TransformationArchitectureWriteService for ArchitectureWrite {
    async fn create_element(
        &self,
        ctx: &Context,
        request: CreateElementRequest,
    ) -> Result<CreateElementResponse, CallError> {
        let write = self.govern(ctx, "createElement", request.commit_mode(), &request)?;
        let command = CreateElement::read(&write.ctx, request)?;
        Ok(write.submit(|| self.planner.create_element(ctx, &command)).await?)
    }

    async fn create_relationship(
        &self,
        ctx: &Context,
        request: CreateRelationshipRequest,
    ) -> Result<CreateRelationshipResponse, CallError> {
        let write = self.govern(ctx, "createRelationship", request.commit_mode(), &request)?;
        let command = CreateRelationship::read(&write.ctx, request)?;
        Ok(write.submit(|| self.planner.create_relationship(ctx, &command)).await?)
    }

    async fn update_element(
        &self,
        ctx: &Context,
        request: UpdateElementRequest,
    ) -> Result<UpdateElementResponse, CallError> {
        let write = self.govern(ctx, "updateElement", request.commit_mode(), &request)?;
        let command = UpdateElement::read(&write.ctx, request)?;
        Ok(write.submit(|| self.planner.update_element(ctx, &command)).await?)
    }

    async fn delete_element(
        &self,
        ctx: &Context,
        request: DeleteElementRequest,
    ) -> Result<DeleteElementResponse, CallError> {
        let write = self.govern(ctx, "deleteElement", request.commit_mode(), &request)?;
        let command = DeleteElement::read(request)?;
        Ok(write.submit(|| self.planner.delete_element(ctx, &command)).await?)
    }

    async fn submit_intent(
        &self,
        ctx: &Context,
        request: TransformationArchitectureDomainIntent,
    ) -> Result<SubmitArchitectureIntentResponse, CallError> {
        let tier = intent_tier(request.operation());
        let write = self.govern_as(ctx, "submitArchitectureIntent", tier, request.commit_mode(), &request)?;
        let command = Command::intent(&write.ctx, request)?;
        Ok(write.submit(|| self.planner.decide(ctx, &command)).await?)
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
        let write = self.govern(ctx, "createCapability", request.commit_mode(), &request)?;
        let command = CreateElement::capability(&write.ctx, request)?;
        let decide = async || Ok(self.planner.create_element(ctx, &command).await?.map(CapabilityCreated));
        Ok(write.submit(decide).await?)
    }

    async fn create_capability_structure(
        &self,
        ctx: &Context,
        request: CreateCapabilityStructureRequest,
    ) -> Result<CreateCapabilityStructureResponse, CallError> {
        let write = self.govern(ctx, "createCapabilityStructure", request.commit_mode(), &request)?;
        let command = CreateStructure::read(&write.ctx, request)?;
        let decide = async || Ok(self.planner.create_structure(ctx, &command).await?.map(StructureMade));
        Ok(write.submit(decide).await?)
    }

    async fn add_component_to_capability(
        &self,
        ctx: &Context,
        request: AddComponentToCapabilityRequest,
    ) -> Result<AddComponentToCapabilityResponse, CallError> {
        let write = self.govern(ctx, "addComponentToCapability", request.commit_mode(), &request)?;
        let command = AddComponent::read(&write.ctx, request)?;
        let decide = async || Ok(self.planner.add_component(ctx, &command).await?.map(ComponentMade));
        Ok(write.submit(decide).await?)
    }
}
