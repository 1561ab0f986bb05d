//! Models: created by people, on the terminal.

use contract::generated::transformation::{CreateModelRequest, CreateModelResponse, ModelWriteService, Outcome};
use contract::{CallError, Context, RiskTier};
use ledger::SharedLedger;
use scope::Timestamp;

use super::Recorder;
use super::answer::{Answered, Replayable};
use crate::domain::model::{self, CreateModel, Model};
use crate::domain::policy::{Mode, Policy};
use crate::domain::{Decision, Name, Notes, Stored, key, properties};
use crate::projection::{Snapshot, message};
use crate::{Config, Error};

/// Everything that changes which models there are.
#[derive(Clone)]
pub struct ModelWrite {
    recorder: Recorder,
    policy: Policy,
}

impl ModelWrite {
    pub fn new(ledger: SharedLedger, config: &Config) -> Self {
        Self { recorder: Recorder::new(ledger), policy: config.policy() }
    }

    async fn create(&self, ctx: &Context, command: &CreateModel) -> Result<Decision<Model>, Error> {
        let snapshot = Snapshot::live(self.recorder.ledger(), ctx).await?;
        let models = snapshot.models().await?;
        let holder = models.iter().find(|model| model.state.key == command.key);
        model::create(ctx.scope.repository.as_str(), holder.map(|model| &model.state), command)
    }
}

impl ModelWriteService for ModelWrite {
    async fn create_model(&self, ctx: &Context, request: CreateModelRequest) -> Result<CreateModelResponse, CallError> {
        // There is no proposal of a model: who may not commit is refused.
        let ruling = self.policy.rule(&ctx.principal, RiskTier::Medium, Mode::Commit);
        ruling.carry_out(ctx, Mode::Commit)?;
        let command = CreateModel {
            id: ctx.ids.next(),
            name: Name::new("name", request.name.as_deref().unwrap_or(&request.key))?,
            key: key::checked_in("key", request.key)?,
            description: properties::description("description", request.description)?,
        };
        Ok(self.recorder.once(ctx, || self.create(ctx, &command)).await?)
    }
}

impl Answered for Model {
    type Answer = CreateModelResponse;
    const AGGREGATE: &'static str = "model";

    fn aggregate_id(&self) -> &str {
        &self.id
    }

    fn answer(&self, notes: &Notes) -> CreateModelResponse {
        let stored = Stored { state: self.clone(), version: 1, at: Timestamp(0) };
        CreateModelResponse {
            success: true,
            model: Some(message::model(&stored, None)),
            suggestions: notes.suggestions.clone(),
            outcome: Outcome::Committed.into(),
        }
    }
}

impl Replayable for CreateModelResponse {
    // The terminal gives no key of its own, so nothing is replayed.
    fn mark_replay(&mut self, _: Timestamp) {}
}
