//! Everything that changes a baseline or what is published.

mod answer;
mod planner;

use contract::generated::transformation::{
    ApproveBaselineRequest, BaselineWriteResponse, BaselineWriteService, ChangeBaselineDraftRequest,
    CreateBaselineRequest, PromoteBaselineRequest, RejectBaselineRequest, RollbackBaselineRequest,
    SubmitBaselineRequest,
};
use contract::{CallError, Context};
use ledger::SharedLedger;

use super::Recorder;
use super::governed;
use crate::domain::baseline::draft::CreateBaseline;
use crate::domain::baseline::life::{self, Act};
use crate::domain::policy::{Mode, Policy, Way};
use crate::domain::{Name, Stored, key, properties};
use crate::{Config, Error};
use planner::{Choice, Planner, Redraft};

/// The write side of baselines.
#[derive(Clone)]
pub struct BaselineWrite {
    planner: Planner,
    recorder: Recorder,
    policy: Policy,
}

impl BaselineWrite {
    pub fn new(ledger: SharedLedger, config: &Config) -> Self {
        Self { planner: Planner::new(ledger.clone()), recorder: Recorder::new(ledger), policy: config.policy() }
    }

    /// A baseline waits for approval by its nature, so to propose one is to submit it.
    fn way(&self, ctx: &Context, operation: &str, mode: Mode) -> Result<Way, Error> {
        let ruling = self.policy.rule(&ctx.principal, self.policy.tier(operation), mode);
        Ok(ruling.carry_out(ctx, mode)?)
    }
}

impl BaselineWriteService for BaselineWrite {
    async fn create_baseline(
        &self,
        ctx: &Context,
        request: CreateBaselineRequest,
    ) -> Result<BaselineWriteResponse, CallError> {
        let way = self.way(ctx, "createBaseline", governed::mode(request.commit_mode()))?;
        let act = act(ctx, None)?;
        let choice = Choice {
            model: request.model_id,
            elements: request.element_ids,
            context: request.read_context.unwrap_or_default(),
        };
        let command = CreateBaseline {
            id: ctx.ids.next(),
            by: ctx.principal.id(),
            now: ctx.now,
            name: Name::new("name", &request.name)?,
            key: key::checked(request.key)?,
            description: properties::description("description", request.description)?,
        };
        let decide = async || {
            let created = self.planner.create(ctx, &choice, &command).await?;
            report(ctx, 2 * choice.elements.len().max(1), "writing the baseline").await?;
            if way == Way::Commit {
                return Ok(created);
            }
            let draft =
                Stored { state: created.outcome.baseline.clone(), version: created.outcome.version, at: ctx.now };
            Ok(created.then(life::submit(&draft, &act)?))
        };
        Ok(self.recorder.once(ctx, decide).await?)
    }

    async fn promote_baseline(
        &self,
        ctx: &Context,
        request: PromoteBaselineRequest,
    ) -> Result<BaselineWriteResponse, CallError> {
        let mode = governed::mode(request.commit_mode());
        let way = self.way(ctx, "promoteBaseline", mode)?;
        let (reference, act) = (request.baseline_id, act(ctx, request.rationale)?);
        if way == Way::Propose && mode == Mode::Propose {
            return Ok(self
                .recorder
                .once(ctx, || self.planner.step(ctx, &reference, |baseline| life::submit(baseline, &act)))
                .await?);
        }
        let decide = async || {
            let decision = self.planner.promote(ctx, &self.policy.governance, &reference, &act).await?;
            report(ctx, 1, "publishing the baseline").await?;
            Ok(decision)
        };
        Ok(self.recorder.once(ctx, decide).await?)
    }

    async fn change_baseline_draft(
        &self,
        ctx: &Context,
        request: ChangeBaselineDraftRequest,
    ) -> Result<BaselineWriteResponse, CallError> {
        let (add, remove) = (request.add_element_ids, request.remove_element_ids);
        let redraft = Redraft { baseline: request.baseline_id, add, remove };
        Ok(self.recorder.once(ctx, || self.planner.change(ctx, &redraft)).await?)
    }

    async fn submit_baseline(
        &self,
        ctx: &Context,
        request: SubmitBaselineRequest,
    ) -> Result<BaselineWriteResponse, CallError> {
        let (reference, act) = (request.baseline_id, act(ctx, None)?);
        Ok(self
            .recorder
            .once(ctx, || self.planner.step(ctx, &reference, |baseline| life::submit(baseline, &act)))
            .await?)
    }

    async fn approve_baseline(
        &self,
        ctx: &Context,
        request: ApproveBaselineRequest,
    ) -> Result<BaselineWriteResponse, CallError> {
        let (reference, act) = (request.baseline_id, act(ctx, request.rationale)?);
        Ok(self
            .recorder
            .once(ctx, || {
                self.planner.step(ctx, &reference, |baseline| life::approve(&self.policy.governance, baseline, &act))
            })
            .await?)
    }

    async fn reject_baseline(
        &self,
        ctx: &Context,
        request: RejectBaselineRequest,
    ) -> Result<BaselineWriteResponse, CallError> {
        let (reference, act) = (request.baseline_id, act(ctx, Some(request.rationale))?);
        Ok(self
            .recorder
            .once(ctx, || self.planner.step(ctx, &reference, |baseline| life::reject(baseline, &act)))
            .await?)
    }

    async fn rollback_baseline(
        &self,
        ctx: &Context,
        request: RollbackBaselineRequest,
    ) -> Result<BaselineWriteResponse, CallError> {
        let (reference, act) = (request.baseline_id, act(ctx, request.rationale)?);
        let name = request.name.map(|name| Name::new("name", &name)).transpose()?;
        let id = ctx.ids.next();
        Ok(self
            .recorder
            .once(ctx, || self.planner.rollback(ctx, &self.policy.governance, &reference, &id, name.as_ref(), &act))
            .await?)
    }
}

/// Says that all is decided and about to be written, unless the caller has given up.
async fn report(ctx: &Context, total: usize, doing: &str) -> Result<(), Error> {
    if ctx.cancelled.is_cancelled() {
        return Err(desk::Failure::Cancelled.into());
    }
    let total = f64::from(u32::try_from(total).unwrap_or(u32::MAX));
    ctx.client.progress(total, Some(total), Some(doing)).await;
    Ok(())
}

fn act(ctx: &Context, rationale: Option<String>) -> Result<Act, Error> {
    let rationale = properties::description("rationale", rationale)?;
    Ok(Act { by: ctx.principal.clone(), now: ctx.now, rationale })
}
