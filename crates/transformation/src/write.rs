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
    AddComponentToCapabilityRequest, AddComponentToCapabilityResponse, ApplyChangesRequest, ApplyChangesResponse,
    ArchitectureOperation, CapabilityWriteService, ChangeOp, ChangeWriteService, CommitMode, CreateCapabilityRequest,
    CreateCapabilityResponse, CreateCapabilityStructureRequest, CreateCapabilityStructureResponse,
    CreateElementRequest, CreateElementResponse, CreateRelationshipRequest, CreateRelationshipResponse,
    DeleteElementRequest, DeleteElementResponse, SubmitArchitectureIntentResponse,
    TransformationArchitectureDomainIntent, TransformationArchitectureWriteService, UndoChangeRequest,
    UpdateElementRequest, UpdateElementResponse,
};
use contract::{CallError, Context, Object, RiskTier};
use ledger::SharedLedger;
use serde::Serialize;
use serde_json::Value;

pub use baseline::BaselineWrite;
pub use command::Command;
pub use definition::{DefinitionPlanner, DefinitionWrite};
pub use models::ModelWrite;
pub use planner::Planner;
pub use proposals::ProposalWrite;
pub use recorder::Recorder;
pub use scrum::ScrumWrite;

use crate::domain::change_set::ChangeSet;
use crate::domain::element::{CreateElement, DeleteElement, UpdateElement};
use crate::domain::model;
use crate::domain::policy::{Mode, Policy};
use crate::domain::proposal::{self, Proposal};
use crate::domain::relationship::CreateRelationship;
use crate::domain::template::{AddComponent, CreateStructure};
use crate::domain::undo::Undo;
use crate::domain::{Stored, properties};
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
        let asked = Asked::new(operation, tier, governed::mode(mode));
        GovernedWrite::open(&self.recorder, &self.policy, ctx, asked, request)
    }
}

impl ArchitectureWrite {
    /// The caller's own open proposal that a new one takes the place of, with its approvals.
    async fn revised(&self, ctx: &Context, id: &str) -> Result<Stored<Proposal>, Error> {
        let snapshot = Snapshot::live(self.recorder.ledger(), ctx).await?;
        let found = snapshot.proposal(id).await;
        let proposal = match found {
            Err(Error::NoSuchProposal { reference }) => {
                return Err(Error::NoSuchProposalIn { field: "revises".to_owned(), reference });
            }
            found => found?,
        };
        proposal::refuse_revision_by_others(&proposal, &ctx.principal)?;
        Ok(proposal)
    }
}

/// What takes the place of a proposal is a proposal.
fn revision_mode(mode: Mode) -> Result<Mode, Error> {
    match mode {
        Mode::Commit => {
            let reason = "does not go with revises, which files a proposal".to_owned();
            Err(Error::invalid("commit_mode", reason, "leave commit_mode out"))
        }
        Mode::Auto | Mode::Propose => Ok(Mode::Propose),
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
        Ok(write
            .submit_over(&self.planner, async |planner: Planner| planner.create_element(ctx, &command).await)
            .await?)
    }

    async fn create_relationship(
        &self,
        ctx: &Context,
        request: CreateRelationshipRequest,
    ) -> Result<CreateRelationshipResponse, CallError> {
        let write = self.govern(ctx, "createRelationship", request.commit_mode(), &request)?;
        let command = CreateRelationship::read(&write.ctx, request)?;
        Ok(write
            .submit_over(&self.planner, async |planner: Planner| planner.create_relationship(ctx, &command).await)
            .await?)
    }

    async fn update_element(
        &self,
        ctx: &Context,
        request: UpdateElementRequest,
    ) -> Result<UpdateElementResponse, CallError> {
        let write = self.govern(ctx, "updateElement", request.commit_mode(), &request)?;
        let command = UpdateElement::read(&write.ctx, request)?;
        Ok(write
            .submit_over(&self.planner, async |planner: Planner| planner.update_element(ctx, &command).await)
            .await?)
    }

    async fn delete_element(
        &self,
        ctx: &Context,
        request: DeleteElementRequest,
    ) -> Result<DeleteElementResponse, CallError> {
        let write = self.govern(ctx, "deleteElement", request.commit_mode(), &request)?;
        let command = DeleteElement::read(request)?;
        Ok(write
            .submit_over(&self.planner, async |planner: Planner| planner.delete_element(ctx, &command).await)
            .await?)
    }

    async fn apply_changes(
        &self,
        ctx: &Context,
        mut request: ApplyChangesRequest,
    ) -> Result<ApplyChangesResponse, CallError> {
        let tier = command::changes::tier(request.changes.iter().map(|change| change.op()));
        let dry_run = request.dry_run.unwrap_or(false);
        let mut asked = Asked::new("applyChanges", tier, governed::mode(request.commit_mode()));
        asked.reason = properties::description("reason", request.reason.take())?;
        if let Some(id) = request.revises.take() {
            asked.mode = revision_mode(asked.mode)?;
            asked.rebase_of = Some(Box::new(self.revised(ctx, &id).await?));
        }
        let write = GovernedWrite::open(&self.recorder, &self.policy, ctx, asked, &request)?;
        let set = ChangeSet::read(&write.ctx, request)?;
        if dry_run {
            let decision = self.planner.apply(ctx, &set).await?;
            return Ok(decision.outcome.rehearsed(&decision.notes));
        }
        Ok(write.submit_over(&self.planner, async |planner: Planner| planner.apply(ctx, &set).await).await?)
    }

    async fn submit_intent(
        &self,
        ctx: &Context,
        request: TransformationArchitectureDomainIntent,
    ) -> Result<SubmitArchitectureIntentResponse, CallError> {
        let tier = intent_tier(&request);
        let write = self.govern_as(ctx, "submitArchitectureIntent", tier, request.commit_mode(), &request)?;
        let command = Command::intent(&write.ctx, request)?;
        Ok(write.submit_over(&self.planner, async |planner: Planner| planner.decide(ctx, &command).await).await?)
    }
}

/// The risk of an intent is that of its operation: a drawing changes nothing but itself, a deletion takes something away.
fn intent_tier(intent: &TransformationArchitectureDomainIntent) -> RiskTier {
    use ArchitectureOperation as Operation;
    match intent.operation() {
        Operation::IntentApplyChanges => {
            let changes = intent.apply_changes.iter().flat_map(|set| &set.changes);
            let op = |change: &Object| change.0.get("op").and_then(Value::as_str).and_then(ChangeOp::from_label);
            command::changes::tier(changes.map(|change| op(change).unwrap_or_default()))
        }
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

impl ChangeWriteService for ArchitectureWrite {
    async fn undo_change(&self, ctx: &Context, request: UndoChangeRequest) -> Result<ApplyChangesResponse, CallError> {
        let dry_run = request.dry_run.unwrap_or(false);
        let write = self.govern_as(ctx, command::UNDO, RiskTier::High, request.commit_mode(), &request)?;
        let command = Undo::read(&write.ctx, request);
        if dry_run {
            let decision = self.planner.undo(ctx, &command).await?;
            return Ok(decision.outcome.rehearsed(&decision.notes));
        }
        Ok(write.submit_over(&self.planner, async |planner: Planner| planner.undo(ctx, &command).await).await?)
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
        let decide = async |planner: Planner| Ok(planner.create_element(ctx, &command).await?.map(CapabilityCreated));
        Ok(write.submit_over(&self.planner, decide).await?)
    }

    async fn create_capability_structure(
        &self,
        ctx: &Context,
        request: CreateCapabilityStructureRequest,
    ) -> Result<CreateCapabilityStructureResponse, CallError> {
        let write = self.govern(ctx, "createCapabilityStructure", request.commit_mode(), &request)?;
        let command = CreateStructure::read(&write.ctx, request)?;
        let decide = async |planner: Planner| Ok(planner.create_structure(ctx, &command).await?.map(StructureMade));
        Ok(write.submit_over(&self.planner, decide).await?)
    }

    async fn add_component_to_capability(
        &self,
        ctx: &Context,
        request: AddComponentToCapabilityRequest,
    ) -> Result<AddComponentToCapabilityResponse, CallError> {
        let write = self.govern(ctx, "addComponentToCapability", request.commit_mode(), &request)?;
        let command = AddComponent::read(&write.ctx, request)?;
        let decide = async |planner: Planner| Ok(planner.add_component(ctx, &command).await?.map(ComponentMade));
        Ok(write.submit_over(&self.planner, decide).await?)
    }
}
