//! Where people decide what was filed. Nothing here is a tool.

use std::sync::Arc;

use contract::generated::transformation::{
    ApproveProposalRequest, Outcome as OutcomeMessage, ProposalDecided, ProposalWriteService, RebaseProposalRequest,
    RejectProposalRequest, RiskLevel, TriageProposalRequest, WithdrawProposalRequest,
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
use crate::domain::proposal::{self, Act, Approved, LinkPin, PinsNow, Proposal, ProposalFact, Risk};
use crate::domain::{Decision, Fact, Notes, Stored};
use crate::projection::{Snapshot, fold, message};
use crate::{Config, Error};

/// Everything that is decided about proposals.
#[derive(Clone)]
pub struct ProposalWrite {
    planner: Planner,
    recorder: Recorder,
    policy: Policy,
}

impl ProposalWrite {
    pub fn new(ledger: SharedLedger, config: &Config) -> Self {
        Self {
            planner: Planner::new(ledger.clone(), config.profile),
            recorder: Recorder::new(ledger),
            policy: config.policy(),
        }
    }

    async fn load<'a>(&'a self, ctx: &'a Context, id: &str) -> Result<(Snapshot<'a>, Stored<Proposal>), Error> {
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
            last = Some(Decided { proposal, outcome: OutcomeMessage::Committed });
        }
        let outcome = last.expect("at least one proposal is accepted");
        Ok(Decision { outcome, facts, expectations, notes })
    }

    /// Files the same change again on the current versions, and closes the old proposal.
    async fn rebase(&self, ctx: &Context, id: &str) -> Result<ProposalDecided, Error> {
        let (_, stored) = self.load(ctx, id).await?;
        let asked = Asked {
            operation: Command::operation_of(&stored)?,
            tier: tier(stored.risk),
            mode: Mode::Propose,
            rebase_of: Some(Box::new(stored.clone())),
        };
        let write = GovernedWrite::open(&self.recorder, &self.policy, ctx, asked, &stored.arguments)?;
        let command = Command::filed(&write.ctx, &stored)?;
        let filed =
            write.submit_over(&self.planner, async |planner: Planner| planner.decide(ctx, &command).await).await?;
        let next = filed.proposal.map(|note| note.id).unwrap_or_default();
        let (snapshot, fresh) = self.load(ctx, &next).await?;
        let current = snapshot.pins_with_extended(&fresh).await?;
        let rivals = snapshot.rivals(&fresh).await?;
        Ok(ProposalDecided {
            success: true,
            proposal: Some(message::proposal(&fresh, &current, rivals, true)),
            outcome: OutcomeMessage::Proposed.into(),
        })
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
        Ok(self.recorder.once(ctx, || self.approve(ctx, &request, &act)).await?)
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
        Ok(self.rebase(ctx, &request.proposal_id).await?)
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
    proposal: Stored<Proposal>,
    outcome: OutcomeMessage,
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
    decision.map(|state| Decided { proposal: Stored { state, version: version + 1, at }, outcome })
}

fn tier(risk: Risk) -> RiskTier {
    match risk {
        Risk::Low => RiskTier::Low,
        Risk::Med => RiskTier::Medium,
        Risk::High => RiskTier::High,
    }
}

/// The versions that a change makes.
fn versions_made(outcome: &Outcome) -> Vec<String> {
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
