//! Where people decide what was filed. Nothing here is a tool.

mod part;

use std::collections::BTreeMap;
use std::sync::Arc;

use contract::generated::transformation::{
    ApproveProposalRequest, CommentProposalRequest, Outcome as OutcomeMessage, ProposalDecided, ProposalWriteService,
    RebaseProposalRequest, RejectProposalRequest, RiskLevel, TriageProposalRequest, WithdrawProposalRequest,
};
use contract::{CallError, Context, RiskTier};
use ledger::{Expectation, Overlay, Seq, SharedLedger};
use scope::Timestamp;

use super::answer::{Answered, Replayable};
use super::governed::{Asked, GovernedWrite, Reserve};
use super::planner::Outcome;
use super::{Command, Planner, Recorder};
use crate::domain::decision::version_id;
use crate::domain::policy::{Mode, Policy};
use crate::domain::proposal::rebase::{self, Keep};
use crate::domain::proposal::{self, Act, Approved, LinkPin, PinsNow, Proposal, ProposalFact, Risk, Settled};
use crate::domain::{Decision, Fact, Notes, Stored};
use crate::projection::{Snapshot, fold, message};
use crate::{Config, Error};

/// Everything that is decided about proposals.
#[derive(Clone)]
pub struct ProposalWrite {
    pub(super) planner: Planner,
    pub(super) recorder: Recorder,
    pub(super) policy: Policy,
}

impl ProposalWrite {
    pub fn new(ledger: SharedLedger, config: &Config) -> Self {
        Self {
            planner: Planner::new(ledger.clone(), config.profile),
            recorder: Recorder::new(ledger),
            policy: config.policy(),
        }
    }

    pub(super) async fn load<'a>(
        &'a self,
        ctx: &'a Context,
        id: &str,
    ) -> Result<(Snapshot<'a>, Stored<Proposal>), Error> {
        let snapshot = Snapshot::live(self.recorder.ledger(), ctx).await?;
        let proposal = snapshot.proposal(id).await?;
        Ok((snapshot, proposal))
    }

    /// Decides what an approval leads to; with the last one, the change itself is part of the decision. With `together`, the
    /// open proposals that it builds upon are approved too, and all are made at once or none.
    async fn approve(
        &self,
        ctx: &Context,
        request: &ApproveProposalRequest,
        act: &Act<'_>,
    ) -> Result<Decision<Decided>, Error> {
        let (snapshot, stored) = self.load(ctx, &request.proposal_id).await?;
        proposal::refuse_other_plan(&stored, request.plan.as_deref())?;
        let governance = &self.policy.governance;
        let current = snapshot.pins_with_extended(&stored).await?;
        let approved = proposal::approve(governance, &stored, &current, act)?;
        let chain = snapshot.chain(&stored).await?;
        if !request.together || chain.len() == 1 {
            return match approved {
                Approved::Counted(decision) => Ok(decided(decision, stored.version, OutcomeMessage::PendingApproval)),
                Approved::Carried(accepted) => {
                    proposal::refuse_out_of_order(&stored, &chain)?;
                    self.carry(ctx, snapshot.since, vec![(stored, *accepted)]).await
                }
            };
        }
        let mut counted: Option<Decision<Decided>> = None;
        let mut carried: Vec<(Stored<Proposal>, Proposal)> = Vec::new();
        for one in chain {
            let act = Act { decision_id: ctx.ids.next(), ..act.clone() };
            let current = snapshot.pins_with_extended(&one).await?;
            match proposal::approve(governance, &one, &current, &act)? {
                Approved::Carried(accepted) => carried.push((one, *accepted)),
                Approved::Counted(decision) => {
                    let decision = decided(decision, one.version, OutcomeMessage::PendingApproval);
                    counted = Some(match counted {
                        Some(earlier) => earlier.then(decision),
                        None => decision,
                    });
                }
            }
        }
        let Some(mut counted) = counted else { return self.carry(ctx, snapshot.since, carried).await };
        for (one, accepted) in carried {
            let waiting = proposal::wait_for_others(&one, accepted);
            counted = counted.then(decided(waiting, one.version, OutcomeMessage::PendingApproval));
        }
        Ok(counted)
    }

    /// The accepted changes, each on the versions that were reviewed and over those before it, together with their acceptance.
    async fn carry(
        &self,
        ctx: &Context,
        since: Seq,
        accepted: Vec<(Stored<Proposal>, Proposal)>,
    ) -> Result<Decision<Decided>, Error> {
        let overlay = Arc::new(Overlay::over(self.planner.ledger(), ctx.scope.tenant.clone(), since));
        let planner = self.planner.over(overlay.clone());
        let (mut facts, mut expectations, mut notes) = (Vec::new(), Vec::new(), Notes::default());
        let mut last = None;
        for (stored, mut accepted) in accepted {
            let reserve = Reserve::of(stored.reserved_ids.clone(), ctx.ids.clone());
            let reserved = Context { ids: Arc::new(reserve), ..ctx.clone() };
            let command = Command::filed(&reserved, &stored)?;
            let change = planner.decide(&reserved, &command).await?;
            proposal::refuse_other_change(&stored, &change.facts)?;
            accepted.accepted_as = versions_made(&change.outcome);
            let unchanged = |pin: &LinkPin| Expectation::LinksUnchanged { id: pin.id.clone(), since: pin.since };
            let mut expected = change.expectations;
            expected.push(Expectation::Version { key: stored.key(), version: stored.version });
            expected
                .extend(stored.pins.iter().map(|pin| Expectation::Version { key: pin.key(), version: pin.version }));
            expected.extend(stored.link_pins.iter().map(unchanged));
            // What the changes before it make need not be expected of the ledger.
            expectations.extend(expected.into_iter().filter(|expectation| match expectation {
                Expectation::Version { key, .. } | Expectation::Exists { key } | Expectation::Absent { key } => {
                    !overlay.changes(key)
                }
                Expectation::LinksUnchanged { .. } | Expectation::NoPath { .. } => true,
            }));
            for fact in &change.facts {
                overlay.lay(&fold::effects(fact), ctx.now).await?;
            }
            facts.extend(change.facts);
            let record = accepted.decision.clone();
            facts.push(Fact::Proposal(ProposalFact::Accepted(accepted.clone())));
            facts.extend(record.map(|record| Fact::Proposal(ProposalFact::DecisionRecorded(record))));
            notes = change.notes;
            let proposal = Stored { state: accepted, version: stored.version + 1, at: ctx.now };
            last = Some(Decided { proposal, outcome: OutcomeMessage::Committed, rest: None });
        }
        let outcome = last.expect("at least one proposal is accepted");
        Ok(Decision { outcome, facts, expectations, notes })
    }

    /// Files the same change again on the current versions, and closes the old proposal with its approvals. Fields that others
    /// have changed meanwhile stay as they are; where both changed the same one, the request says which value stays.
    async fn rebase(&self, ctx: &Context, request: &RebaseProposalRequest) -> Result<ProposalDecided, Error> {
        let (snapshot, stored) = self.load(ctx, &request.proposal_id).await?;
        let settled = self.settle(&snapshot, &stored, request).await?;
        let mut next = stored.state.clone();
        for one in settled.iter().filter(|one| one.kept == Keep::Live) {
            if !rebase::leave_out(&mut next.arguments, &one.record, &one.field) {
                let reason = format!("{} of {} cannot stay as it is without the rest", one.field, one.record);
                let hint = "keep the proposed value, or withdraw the proposal and file another";
                return Err(Error::invalid("fields", reason, hint));
            }
        }
        let asked = Asked {
            rebase_of: Some(Box::new(stored.clone())),
            settled,
            reason: stored.reason.clone(),
            ..Asked::new(Command::operation_of(&stored)?, tier(stored.risk), Mode::Propose)
        };
        let write = GovernedWrite::open(&self.recorder, &self.policy, ctx, asked, &next.arguments)?
            .reusing(stored.reserved_ids.clone());
        let command = Command::filed(&write.ctx, &next)?;
        let filed =
            write.submit_over(&self.planner, async |planner: Planner| planner.decide(ctx, &command).await).await?;
        let Some(next) = filed.proposal.map(|note| note.id) else {
            return Err(Error::ProposalState {
                proposal: stored.id.clone(),
                status: stored.status.label(),
                reason: "nothing of it is left to propose: withdraw it".to_owned(),
            });
        };
        let (snapshot, fresh) = self.load(ctx, &next).await?;
        let current = snapshot.pins_with_extended(&fresh).await?;
        let rivals = snapshot.rivals(&fresh).await?;
        Ok(ProposalDecided {
            success: true,
            proposal: Some(message::proposal(&fresh, &current, rivals, true)),
            outcome: OutcomeMessage::Proposed.into(),
            rest_id: None,
        })
    }

    /// What a rebase decides where both sides have changed the same field; refuses while something is undecided.
    async fn settle(
        &self,
        snapshot: &Snapshot<'_>,
        proposal: &Proposal,
        request: &RebaseProposalRequest,
    ) -> Result<Vec<Settled>, Error> {
        let for_all = request.keep.as_deref().map(|word| Keep::read("keep", word)).transpose()?;
        let mut choices = BTreeMap::new();
        for choice in &request.fields {
            let keep = Keep::read("fields", &choice.keep)?;
            choices.insert((choice.element_id.as_str(), choice.field.as_str()), keep);
        }
        let (mut settled, mut open) = (Vec::new(), Vec::new());
        for met in snapshot.meetings(proposal).await? {
            match choices.get(&(met.record.as_str(), met.field.as_str())).copied().or(for_all) {
                None => open.push(met),
                Some(kept) => settled.push(Settled {
                    record: met.record,
                    field: met.field,
                    base: met.base,
                    live: met.live,
                    proposed: met.proposed,
                    kept,
                }),
            }
        }
        match open.is_empty() {
            true => Ok(settled),
            false => Err(Error::RebaseConflict { proposal: proposal.id.clone(), meetings: open }),
        }
    }
}

impl ProposalWriteService for ProposalWrite {
    async fn triage_proposal(
        &self,
        ctx: &Context,
        request: TriageProposalRequest,
    ) -> Result<ProposalDecided, CallError> {
        let risk = match request.risk_level() {
            RiskLevel::Unspecified => None,
            RiskLevel::RiskLow => Some(Risk::Low),
            RiskLevel::RiskMed => Some(Risk::Med),
            RiskLevel::RiskHigh => Some(Risk::High),
        };
        let act = act(ctx, None);
        let decide = async || {
            let (_, stored) = self.load(ctx, &request.proposal_id).await?;
            let triaged = proposal::triage(&self.policy.governance, &stored, risk, &act)?;
            Ok(decided(triaged, stored.version, OutcomeMessage::PendingApproval))
        };
        Ok(self.recorder.once(ctx, decide).await?)
    }

    async fn approve_proposal(
        &self,
        ctx: &Context,
        request: ApproveProposalRequest,
    ) -> Result<ProposalDecided, CallError> {
        let act = act(ctx, request.rationale.clone());
        if !request.only.is_empty() {
            return Ok(self.recorder.once(ctx, || Box::pin(self.approve_part(ctx, &request, &act))).await?);
        }
        Ok(self.recorder.once(ctx, || Box::pin(self.approve(ctx, &request, &act))).await?)
    }

    async fn reject_proposal(
        &self,
        ctx: &Context,
        request: RejectProposalRequest,
    ) -> Result<ProposalDecided, CallError> {
        let act = act(ctx, Some(request.rationale));
        let decide = async || {
            let (_, stored) = self.load(ctx, &request.proposal_id).await?;
            Ok(decided(proposal::reject(&stored, &act)?, stored.version, OutcomeMessage::Committed))
        };
        Ok(self.recorder.once(ctx, decide).await?)
    }

    async fn rebase_proposal(
        &self,
        ctx: &Context,
        request: RebaseProposalRequest,
    ) -> Result<ProposalDecided, CallError> {
        Ok(self.rebase(ctx, &request).await?)
    }

    async fn comment_proposal(
        &self,
        ctx: &Context,
        request: CommentProposalRequest,
    ) -> Result<ProposalDecided, CallError> {
        let act = act(ctx, Some(request.text.clone()));
        let decide = async || {
            let (_, stored) = self.load(ctx, &request.proposal_id).await?;
            let said = proposal::comment(&stored, request.field.clone(), request.request_changes, &act)?;
            Ok(decided(said, stored.version, OutcomeMessage::Committed))
        };
        Ok(self.recorder.once(ctx, decide).await?)
    }

    async fn withdraw_proposal(
        &self,
        ctx: &Context,
        request: WithdrawProposalRequest,
    ) -> Result<ProposalDecided, CallError> {
        let act = act(ctx, request.rationale);
        let decide = async || {
            let (_, stored) = self.load(ctx, &request.proposal_id).await?;
            Ok(decided(proposal::withdraw(&stored, None, &act)?, stored.version, OutcomeMessage::Committed))
        };
        Ok(self.recorder.once(ctx, decide).await?)
    }
}

/// A proposal after something was decided about it.
#[derive(Debug, Clone)]
pub struct Decided {
    pub(super) proposal: Stored<Proposal>,
    pub(super) outcome: OutcomeMessage,
    /// The proposal that holds what was not accepted.
    pub(super) rest: Option<String>,
}

impl Answered for Decided {
    type Answer = ProposalDecided;
    const AGGREGATE: &'static str = "proposal";

    fn aggregate_id(&self) -> &str {
        &self.proposal.id
    }

    fn answer(&self, _: &Notes) -> ProposalDecided {
        let unchanged = PinsNow::unchanged(&self.proposal);
        ProposalDecided {
            success: true,
            proposal: Some(message::proposal(&self.proposal, &unchanged, Vec::new(), true)),
            outcome: self.outcome.into(),
            rest_id: self.rest.clone(),
        }
    }
}

impl Replayable for ProposalDecided {
    // Decisions carry no key of the caller's: what was decided stays decided.
    fn mark_replay(&mut self, _: Timestamp) {}
}

fn act(ctx: &Context, rationale: Option<String>) -> Act<'_> {
    Act { by: &ctx.principal, now: ctx.now, decision_id: ctx.ids.next(), rationale }
}

fn decided(decision: Decision<Proposal>, version: u64, outcome: OutcomeMessage) -> Decision<Decided> {
    let at = decision.outcome.updated_at;
    decision.map(|state| Decided { proposal: Stored { state, version: version + 1, at }, outcome, rest: None })
}

fn tier(risk: Risk) -> RiskTier {
    match risk {
        Risk::Low => RiskTier::Low,
        Risk::Med => RiskTier::Medium,
        Risk::High => RiskTier::High,
    }
}

/// The versions that a change makes.
pub(super) fn versions_made(outcome: &Outcome) -> Vec<String> {
    match outcome {
        Outcome::Created(created) => std::iter::once(version_id(&created.element.id, 1))
            .chain(created.link.iter().map(|link| version_id(&link.relationship.id, 1)))
            .collect(),
        Outcome::Updated(updated) => vec![version_id(&updated.element.id, updated.version)],
        Outcome::Deleted(deleted) => vec![version_id(&deleted.element.id, deleted.element.version + 1)],
        Outcome::Linked(link) => vec![version_id(&link.relationship.id, 1)],
        Outcome::Settled(settled) => vec![version_id(&settled.relationship.id, settled.version)],
        Outcome::Made(made) => {
            let elements = made.elements.iter().map(|element| version_id(&element.id, 1));
            elements.chain(made.links.iter().map(|link| version_id(&link.relationship.id, 1))).collect()
        }
        Outcome::Saved(saved) => vec![version_id(&saved.view.id, saved.version)],
        Outcome::Applied(applied) => applied.rows.iter().map(|(_, row)| version_id(&row.key.id, row.version)).collect(),
        Outcome::Scrum(changed) => vec![changed.product_id.clone()],
    }
}
