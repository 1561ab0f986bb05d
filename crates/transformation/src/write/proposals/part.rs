//! Part of a change set is accepted, and the rest stays proposed: one commit closes the set and files both.

use std::sync::Arc;

use contract::generated::transformation::{ApproveProposalRequest, Outcome as OutcomeMessage};
use contract::{Context, Object};
use ledger::{Expectation, Overlay};

use super::super::answer::{Answered, Proposable, describe};
use super::super::governed::{Reserve, change_of, link_pins, pins};
use super::{Decided, Outcome, ProposalWrite, versions_made};
use crate::Error;
use crate::domain::proposal::part::{self, Part};
use crate::domain::proposal::{self, Act, Approved, Proposal, ProposalFact, ProposedFact, Status};
use crate::domain::{Decision, Fact, Notes, Stored};
use crate::projection::{Snapshot, fold};
use crate::write::{Command, Planner};

/// A set on its way to become two.
struct Splitting<'a> {
    ctx: &'a Context,
    whole: &'a Stored<Proposal>,
    planner: Planner,
    overlay: Arc<Overlay<'static>>,
}

impl ProposalWrite {
    /// Decides what an approval of some changes of a set leads to.
    pub(super) async fn approve_part(
        &self,
        ctx: &Context,
        request: &ApproveProposalRequest,
        act: &Act<'_>,
    ) -> Result<Decision<Decided>, Error> {
        let (snapshot, whole) = self.load(ctx, &request.proposal_id).await?;
        proposal::refuse_other_plan(&whole, request.plan.as_deref())?;
        // Whoever may not approve the whole may not approve a part of it.
        proposal::approve(&self.policy.governance, &whole, &snapshot.pins_with_extended(&whole).await?, act)?;
        proposal::refuse_out_of_order(&whole, &snapshot.chain(&whole).await?)?;
        let (chosen, left) = part::split(&whole, &request.only)?;
        let overlay = Arc::new(Overlay::over(self.planner.ledger(), ctx.scope.tenant.clone(), snapshot.since));
        let planner = self.planner.over(overlay.clone());
        let splitting = Splitting { ctx, whole: &whole, planner, overlay };

        let (mut accepted, made) = splitting.proposal(chosen, &[]).await?;
        let filed = Stored { state: accepted.clone(), version: 1, at: ctx.now };
        let unchanged = proposal::PinsNow::unchanged(&accepted);
        let closed = proposal::withdraw(&whole, Some(accepted.id.clone()), act)?;
        let (mut facts, mut expectations) = (closed.facts, closed.expectations);
        expectations.push(Expectation::Absent { key: accepted.key() });
        expectations.extend(made.expectations.iter().cloned());
        facts.push(Fact::Proposal(ProposalFact::Created(accepted.clone())));
        let outcome = match proposal::approve(&self.policy.governance, &filed, &unchanged, act)? {
            Approved::Counted(counted) => {
                accepted = counted.outcome;
                facts.extend(counted.facts);
                OutcomeMessage::PendingApproval
            }
            Approved::Carried(carried) => {
                accepted = *carried;
                accepted.accepted_as = versions_made(&made.outcome);
                facts.extend(made.facts.iter().cloned());
                facts.push(Fact::Proposal(ProposalFact::Accepted(accepted.clone())));
                let record = accepted.decision.clone();
                facts.extend(record.map(|record| Fact::Proposal(ProposalFact::DecisionRecorded(record))));
                OutcomeMessage::Committed
            }
        };
        splitting.lay(&made.facts).await?;
        let (mut rest, rest_made) = splitting.proposal(left, std::slice::from_ref(&filed)).await?;
        if outcome == OutcomeMessage::PendingApproval && rest.pins.iter().any(|pin| accepted.changes_any(&[pin.key()]))
        {
            rest.extends.push(accepted.id.clone());
        }
        // What the rest needs is asked of the model when it is accepted; here it must only be new.
        drop(rest_made);
        expectations.push(Expectation::Absent { key: rest.key() });
        facts.push(Fact::Proposal(ProposalFact::Created(rest.clone())));
        let proposal = Stored { state: accepted, version: 2, at: ctx.now };
        let outcome = Decided { proposal, outcome, rest: Some(rest.id) };
        Ok(Decision { outcome, facts, expectations, notes: Notes::default() })
    }
}

impl Splitting<'_> {
    /// A part as a proposal of its own, and what it would do.
    async fn proposal(&self, part: Part, before: &[Stored<Proposal>]) -> Result<(Proposal, Decision<Outcome>), Error> {
        let reserve = Reserve::of(part.reserved_ids.clone(), self.ctx.ids.clone());
        let reserved = Context { ids: Arc::new(reserve), ..self.ctx.clone() };
        let asked = Proposal { arguments: part.arguments.clone(), ..self.whole.state.clone() };
        let command = Command::filed(&reserved, &asked)?;
        let decision = self.planner.decide(&reserved, &command).await?;
        let snapshot = Snapshot::live(self.overlay.as_ref(), self.ctx).await?;
        let facts: Vec<ProposedFact> = decision.facts.iter().map(ProposedFact::new).collect();
        let mut would_be = decision.outcome.answer(&decision.notes);
        would_be.make_hypothetical();
        let would_be = match serde_json::to_value(&would_be) {
            Ok(serde_json::Value::Object(members)) => Object(members),
            _ => Object::default(),
        };
        let proposal = Proposal {
            id: self.ctx.ids.next(),
            status: Status::Proposed,
            summary: describe(&decision.facts),
            change: change_of(&decision.facts),
            reserved_ids: part.reserved_ids,
            pins: pins(&decision.expectations, &snapshot).await?,
            link_pins: link_pins(&decision.expectations, before),
            outline: Some(proposal::outline(&decision.facts)),
            plan: Some(proposal::plan_of(&facts)),
            facts,
            would_be,
            asked: None,
            approvals: Vec::new(),
            rebase_of: Some(self.whole.id.clone()),
            created_at: self.ctx.now,
            updated_at: self.ctx.now,
            ..asked
        };
        Ok((proposal, decision))
    }

    async fn lay(&self, facts: &[Fact]) -> Result<(), Error> {
        for fact in facts {
            self.overlay.lay(&fold::effects(fact), self.ctx.now).await?;
        }
        Ok(())
    }
}
