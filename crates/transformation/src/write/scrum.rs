//! Scrum intents: read, decided, recorded.

mod answer;
mod command;
mod planner;

use contract::generated::transformation::{ScrumDomainIntent, ScrumDomainIntentResponse, ScrumWriteService};
use contract::{CallError, Context};
use ledger::SharedLedger;

use super::Recorder;
use super::governed::{self, Asked, GovernedWrite};
use crate::domain::policy::{self, Policy};
use crate::domain::scrum::intent::Submission;
use crate::domain::scrum::role;
use crate::{Config, Error};

pub use planner::ScrumPlanner;

/// Everything that changes a product.
#[derive(Clone)]
pub struct ScrumWrite {
    planner: ScrumPlanner,
    recorder: Recorder,
    policy: Policy,
}

impl ScrumWrite {
    pub fn new(ledger: SharedLedger, config: &Config) -> Self {
        Self { planner: ScrumPlanner::new(ledger.clone()), recorder: Recorder::new(ledger), policy: config.policy() }
    }
}

impl ScrumWriteService for ScrumWrite {
    async fn submit_intent(
        &self,
        ctx: &Context,
        request: ScrumDomainIntent,
    ) -> Result<ScrumDomainIntentResponse, CallError> {
        let (operation, mode) = ("submitScrumIntent", governed::mode(request.commit_mode()));
        let asked = Asked::new(operation, self.policy.tier(operation), mode);
        let intent = Submission::read(ctx, request.clone())?.intent;
        let fits = role::permit(&ctx.principal.roles, &intent);
        let ruling = policy::rule_scrum(&self.policy, &ctx.principal, fits.is_ok(), mode);
        if let (None, Err(refusal)) = (ruling.way, fits) {
            ctx.verdict.say(format!("deny: {}", ruling.reason));
            return Err(Error::from(refusal).into());
        }
        let write = GovernedWrite::ruled(&self.recorder, &self.policy, ctx, asked, &request, ruling)?;
        let submission = Submission::read(&write.ctx, request)?;
        Ok(write.submit(|| self.planner.decide(ctx, &submission)).await?)
    }
}
