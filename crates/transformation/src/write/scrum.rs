//! Scrum intents: read, decided, recorded.

mod answer;
mod command;
mod planner;

use contract::generated::transformation::{ScrumDomainIntent, ScrumDomainIntentResponse, ScrumWriteService};
use contract::{CallError, Context};
use ledger::SharedLedger;

use super::Recorder;
use crate::domain::scrum::intent::Submission;
use planner::ScrumPlanner;

/// Everything that changes a product.
#[derive(Clone)]
pub struct ScrumWrite {
    planner: ScrumPlanner,
    recorder: Recorder,
}

impl ScrumWrite {
    pub fn new(ledger: SharedLedger) -> Self {
        Self { planner: ScrumPlanner::new(ledger.clone()), recorder: Recorder::new(ledger) }
    }
}

impl ScrumWriteService for ScrumWrite {
    async fn submit_intent(
        &self,
        ctx: &Context,
        request: ScrumDomainIntent,
    ) -> Result<ScrumDomainIntentResponse, CallError> {
        let submission = Submission::read(ctx, request)?;
        Ok(self.recorder.once(ctx, || self.planner.decide(ctx, &submission)).await?)
    }
}
