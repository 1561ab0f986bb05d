//! Scrum intents: read, decided, recorded.

mod answer;
mod command;
mod planner;

use contract::generated::transformation::{ScrumDomainIntent, ScrumDomainIntentResponse, ScrumWriteService};
use contract::{CallError, Context, RiskTier};
use ledger::SharedLedger;

use super::Recorder;
use super::governed::{Asked, Desk};
use crate::domain::policy::{self, Governance};
use crate::domain::scrum::intent::Submission;
use crate::domain::scrum::role;
use crate::{Config, Error};

pub use planner::ScrumPlanner;

/// Everything that changes a product.
#[derive(Clone)]
pub struct ScrumWrite {
    planner: ScrumPlanner,
    recorder: Recorder,
    governance: Governance,
}

impl ScrumWrite {
    pub fn new(ledger: SharedLedger, config: &Config) -> Self {
        let governance = config.governance.clone();
        Self { planner: ScrumPlanner::new(ledger.clone()), recorder: Recorder::new(ledger), governance }
    }
}

impl ScrumWriteService for ScrumWrite {
    async fn submit_intent(
        &self,
        ctx: &Context,
        request: ScrumDomainIntent,
    ) -> Result<ScrumDomainIntentResponse, CallError> {
        let mode = request.commit_mode();
        let asked = Asked::new("submitScrumIntent", RiskTier::Medium, mode, &request);
        let intent = Submission::read(ctx, request.clone())?.intent;
        let fits = role::permit(&ctx.principal.roles, &intent);
        let ruling = policy::rule_scrum(&self.governance, &ctx.principal, fits.is_ok(), mode.into());
        if let (None, Err(refusal)) = (ruling.way, fits) {
            ctx.verdict.say(format!("deny: {}", ruling.reason));
            return Err(Error::from(refusal).into());
        }
        let desk = Desk::ruled(&self.recorder, &self.governance, ctx, asked, ruling)?;
        let submission = Submission::read(&desk.ctx, request)?;
        Ok(desk.submit(|| self.planner.decide(ctx, &submission)).await?)
    }
}
