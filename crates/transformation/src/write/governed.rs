//! How a write is made: at once, or as a proposal. The policy decides; this carries it out.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use contract::generated::transformation::CommitMode;
use contract::{Context, Object, RiskTier};
use ledger::{Expectation, Overlay, RecordKey};
use scope::IdSource;
use serde::Serialize;
use serde_json::Value;

use super::answer::{Answered, Proposable, describe};
use super::{Planner, Recorder, references};
use crate::Error;
use crate::domain::policy::{Governance, Mode, Policy, Ruling, Way};
use crate::domain::proposal::{
    self, Act, Change, LinkPin, Pin, Proposal, ProposalFact, ProposedFact, Risk, Settled, Status,
};
use crate::domain::{Decision, Fact, Notes, Stored};
use crate::projection::{Snapshot, message};

/// A proposal watches the relationships at no more ends than this.
const LINK_PINS_MAX: usize = 20;

/// A write with what governance needs to know about it.
#[derive(Debug, Clone)]
pub struct Asked {
    /// The write's name, without the capability.
    pub operation: &'static str,
    pub tier: RiskTier,
    pub mode: Mode,
    /// The proposal that this one takes the place of.
    pub rebase_of: Option<Box<Stored<Proposal>>>,
    /// What was decided on the way there, field by field.
    pub settled: Vec<Settled>,
    /// Why, in the caller's words.
    pub reason: Option<String>,
}

impl Asked {
    pub fn new(operation: &'static str, tier: RiskTier, mode: Mode) -> Self {
        Self { operation, tier, mode, rebase_of: None, settled: Vec::new(), reason: None }
    }
}

/// The mode that an argument names.
pub fn mode(given: CommitMode) -> Mode {
    match given {
        CommitMode::Unspecified | CommitMode::Auto => Mode::Auto,
        CommitMode::Commit => Mode::Commit,
        CommitMode::Propose => Mode::Propose,
    }
}

/// One write on its way. Commands are read with [`Self::ctx`], so that the ids they take can be reserved.
pub struct GovernedWrite<'a> {
    recorder: &'a Recorder,
    caller: &'a Context,
    governance: &'a Governance,
    asked: Asked,
    way: Way,
    /// The arguments as they were given; empty unless a proposal is filed.
    arguments: Object,
    reserved: Arc<Reserved>,
    pub ctx: Context,
}

impl<'a> GovernedWrite<'a> {
    /// Asks the policy about a write, and notes its verdict for the audit record. A proposal keeps the `request`.
    pub fn open(
        recorder: &'a Recorder,
        policy: &'a Policy,
        caller: &'a Context,
        asked: Asked,
        request: &impl Serialize,
    ) -> Result<Self, Error> {
        let ruling = policy.rule(&caller.principal, asked.tier, asked.mode);
        Self::ruled(recorder, policy, caller, asked, request, ruling)
    }

    /// A write that the policy has ruled on.
    pub fn ruled(
        recorder: &'a Recorder,
        policy: &'a Policy,
        caller: &'a Context,
        asked: Asked,
        request: &impl Serialize,
        ruling: Ruling,
    ) -> Result<Self, Error> {
        let way = ruling.carry_out(caller, asked.mode)?;
        let arguments = match way {
            Way::Commit => Object::default(),
            Way::Propose => object(request),
        };
        let reserved = Arc::new(Reserved { source: caller.ids.clone(), taken: Mutex::default() });
        let ctx = Context { ids: reserved.clone(), ..caller.clone() };
        Ok(Self { recorder, caller, governance: &policy.governance, asked, way, arguments, reserved, ctx })
    }

    /// The same write with ids that were reserved before, as far as they go.
    pub fn reusing(mut self, ids: Vec<String>) -> Self {
        let source: Arc<dyn IdSource> = Arc::new(Reserve::of(ids, self.caller.ids.clone()));
        self.reserved = Arc::new(Reserved { source, taken: Mutex::default() });
        self.ctx = Context { ids: self.reserved.clone(), ..self.caller.clone() };
        self
    }

    /// Makes the write, or files it.
    pub async fn submit<T, F, Fut>(&self, decide: F) -> Result<T::Answer, Error>
    where
        T: Answered<Answer: Proposable> + Send + Sync,
        F: Fn() -> Fut + Sync,
        Fut: Future<Output = Result<Decision<T>, Error>> + Send,
    {
        match self.way {
            Way::Commit => self.recorder.once(self.caller, decide).await,
            Way::Propose => {
                let filed = || async { Box::pin(self.propose(decide().await?, &[])).await };
                self.recorder.once(self.caller, filed).await
            }
        }
    }

    /// The same for writes that may build upon what the caller has proposed before: `decide` is given the planner to use.
    pub async fn submit_over<T, F, Fut>(&self, planner: &Planner, decide: F) -> Result<T::Answer, Error>
    where
        T: Answered<Answer: Proposable> + Send + Sync,
        F: Fn(Planner) -> Fut + Sync,
        Fut: Future<Output = Result<Decision<T>, Error>> + Send,
    {
        match self.way {
            Way::Commit => self.recorder.once(self.caller, || decide(planner.clone())).await,
            Way::Propose => {
                let filed = || Box::pin(self.propose_over(planner, &decide));
                self.recorder.once(self.caller, filed).await
            }
        }
    }

    /// Files a write on the model as it is; or, where that refuses it or the caller has proposed to change the same, on the
    /// model as it would be with the caller's open proposals.
    async fn propose_over<T, F, Fut>(
        &self,
        planner: &Planner,
        decide: &F,
    ) -> Result<Decision<Proposed<T::Answer>>, Error>
    where
        T: Answered<Answer: Proposable> + Send + Sync,
        F: Fn(Planner) -> Fut + Sync,
        Fut: Future<Output = Result<Decision<T>, Error>> + Send,
    {
        let live = Snapshot::live(self.recorder.ledger(), self.caller).await?;
        if self.asked.rebase_of.is_none()
            && let Some(same) = live.asked_before(&self.request_hash()).await?
            && !proposal::is_stale(&same, &live.pins_with_extended(&same).await?)
        {
            let would_be = serde_json::from_value(Value::Object(same.would_be.0.clone()));
            if let Ok(would_be) = would_be {
                return self.filed_before(same.state, would_be, None);
            }
        }
        let plain = decide(planner.clone()).await;
        let own = live.own_open_proposals().await?;
        let own: Vec<Stored<Proposal>> = own.into_iter().filter(|one| self.may_build_upon(one)).collect();
        let touched = |keys: &[RecordKey]| own.iter().any(|one| one.changes_any(keys));
        match &plain {
            Ok(decision) if !touched(&rests_on(decision)) => return self.propose(plain?, &[]).await,
            Err(Error::Failed(_)) => return self.propose(plain?, &[]).await,
            _ if own.is_empty() => return self.propose(plain?, &[]).await,
            _ => {}
        }
        let overlay = Overlay::over(planner.ledger(), self.caller.scope.tenant.clone(), live.since);
        let mut laid: Vec<Stored<Proposal>> = Vec::new();
        for one in own {
            // What builds upon something that was closed cannot be built upon.
            if live.chain(&one).await.is_ok() && !proposal::is_stale(&one, &live.pins_with_extended(&one).await?) {
                live.lay(&overlay, &one).await?;
                laid.push(one);
            }
        }
        let over = planner.over(Arc::new(overlay));
        match (decide(over).await, plain) {
            (Ok(decision), _) => {
                let keys = rests_on(&decision);
                let extended: Vec<Stored<Proposal>> = laid.into_iter().filter(|one| one.changes_any(&keys)).collect();
                self.propose(decision, &extended).await
            }
            (Err(_), Ok(decision)) => self.propose(decision, &[]).await,
            (Err(refusal), Err(_)) => Err(refusal),
        }
    }

    /// A proposal is not built upon by the one that takes its place.
    fn may_build_upon(&self, proposal: &Proposal) -> bool {
        self.asked.rebase_of.as_ref().is_none_or(|old| old.id != proposal.id && !proposal.extends.contains(&old.id))
    }

    fn request_hash(&self) -> String {
        proposal::request_hash(&self.caller.principal.id(), self.asked.operation, &self.arguments)
    }

    /// The decision to file a proposal instead of what was decided, over those that it builds upon.
    async fn propose<T: Answered<Answer: Proposable>>(
        &self,
        decision: Decision<T>,
        extended: &[Stored<Proposal>],
    ) -> Result<Decision<Proposed<T::Answer>>, Error> {
        let mut would_be = decision.outcome.answer(&decision.notes);
        if decision.facts.is_empty() {
            let about = decision.outcome.aggregate_id().to_owned();
            let outcome = Proposed { proposal: None, about, would_be };
            return Ok(Decision {
                facts: Vec::new(),
                expectations: decision.expectations,
                outcome,
                notes: decision.notes,
            });
        }
        let snapshot = Snapshot::live(self.recorder.ledger(), self.caller).await?;
        let pins = pins(&decision.expectations, &snapshot.clone().with(extended).await?).await?;
        would_be.make_hypothetical();
        let risk: Risk = self.asked.tier.into();
        let ctx = self.caller;
        let facts: Vec<ProposedFact> = decision.facts.iter().map(ProposedFact::new).collect();
        let mut proposal = Proposal {
            id: ctx.ids.next(),
            repository_id: ctx.scope.repository.to_string(),
            status: Status::Proposed,
            summary: describe(&decision.facts),
            change: change_of(&decision.facts),
            risk,
            operation: self.asked.operation.to_owned(),
            arguments: references::with_ids(self.arguments.clone(), &decision.notes.resolved),
            would_be: object(&would_be),
            reserved_ids: self.reserved.taken(),
            pins,
            link_pins: link_pins(&decision.expectations, extended),
            outline: Some(proposal::outline(&decision.facts)),
            plan: Some(proposal::plan_of(&facts)),
            facts,
            extends: extended.iter().map(|one| one.id.clone()).collect(),
            asked: Some(self.request_hash()),
            proposed_by: ctx.principal.id(),
            proposed_by_kind: ctx.principal.kind,
            approvals_needed: proposal::approvals_needed(self.governance, risk),
            approvals: Vec::new(),
            decision: None,
            accepted_as: Vec::new(),
            rebased_to: None,
            rebase_of: None,
            comments: Vec::new(),
            settled: self.asked.settled.clone(),
            reason: self.asked.reason.clone(),
            call: Some(ctx.request.request_id.clone()),
            created_at: ctx.now,
            updated_at: ctx.now,
        };
        let mut notes = decision.notes;
        let mut replaced = self.asked.rebase_of.clone();
        if let Some(same) = snapshot.same_proposal(&proposal).await? {
            let is_replaced = replaced.as_ref().is_some_and(|old| old.id == same.id);
            if !is_replaced && proposal::is_stale(&same, &snapshot.pins_with_extended(&same).await?) {
                replaced = Some(Box::new(same));
            } else if !is_replaced {
                return self.filed_before(same.state, would_be, replaced.as_deref());
            }
        }
        proposal.rebase_of = replaced.as_ref().map(|old| old.id.clone());
        let rivals = snapshot.rivals(&proposal).await?;
        if !rivals.is_empty() {
            notes.warn(
                "OPEN_PROPOSALS",
                format!("{} other open proposals touch the same: {}", rivals.len(), rivals.join(", ")),
                "Read them with transformation.getProposal before more is proposed",
            );
        }
        notes.suggestions = vec![follow(&proposal), read_so(&proposal)];
        if !proposal.extends.is_empty() {
            notes.suggest(format!(
                "It extends {} and is accepted after it, or together with it",
                proposal.extends.join(", ")
            ));
        }
        let (mut facts, mut expectations) = self.close(replaced.as_deref(), &proposal.id)?;
        facts.push(Fact::Proposal(ProposalFact::Created(proposal.clone())));
        expectations.push(Expectation::Absent { key: proposal.key() });
        let outcome = Proposed { about: proposal.id.clone(), proposal: Some(Box::new(proposal)), would_be };
        Ok(Decision { facts, expectations, outcome, notes })
    }

    /// The answer for a change that the same author has filed already.
    fn filed_before<A: Proposable>(
        &self,
        same: Proposal,
        would_be: A,
        replaced: Option<&Stored<Proposal>>,
    ) -> Result<Decision<Proposed<A>>, Error> {
        let (facts, expectations) = self.close(replaced, &same.id)?;
        let earlier = serde_json::from_value(Value::Object(same.would_be.0.clone()));
        let mut notes = Notes::default();
        notes.warn(
            "ALREADY_PROPOSED",
            format!("You filed the same change before, as proposal {}", same.id),
            "Wait for the decision; nothing was filed again",
        );
        notes.suggest(follow(&same));
        let (about, would_be) = (same.id.clone(), earlier.unwrap_or(would_be));
        let outcome = Proposed { about, proposal: Some(Box::new(same)), would_be };
        Ok(Decision { facts, expectations, outcome, notes })
    }

    /// What closes the proposal whose place another takes.
    fn close(&self, old: Option<&Stored<Proposal>>, next: &str) -> Result<(Vec<Fact>, Vec<Expectation>), Error> {
        let Some(old) = old else { return Ok((Vec::new(), Vec::new())) };
        let ctx = self.caller;
        let act = Act { by: &ctx.principal, now: ctx.now, decision_id: String::new(), rationale: None };
        let closed = proposal::withdraw(old, Some(next.to_owned()), &act)?;
        Ok((closed.facts, closed.expectations))
    }
}

/// A message as an object.
fn object(message: &impl Serialize) -> Object {
    match serde_json::to_value(message) {
        Ok(serde_json::Value::Object(members)) => Object(members),
        _ => Object::default(),
    }
}

/// Where an author sees what becomes of a proposal.
fn follow(proposal: &Proposal) -> String {
    format!("transformation.getProposal with proposal_id {} shows what becomes of it", proposal.id)
}

/// How the model is read as if a proposal were accepted.
fn read_so(proposal: &Proposal) -> String {
    format!("Every query shows the model with it: read_context {{\"proposal_id\": \"{}\"}}", proposal.id)
}

/// The records that a decision rests on or changes.
fn rests_on<T>(decision: &Decision<T>) -> Vec<RecordKey> {
    let expected = decision.expectations.iter().filter_map(|expectation| match expectation {
        Expectation::Version { key, .. } | Expectation::Exists { key } => Some(key.clone()),
        _ => None,
    });
    expected.chain(decision.facts.iter().map(Fact::subject)).collect()
}

/// A write that was filed, with the answer as it would be.
#[derive(Debug, Clone)]
pub struct Proposed<A> {
    /// None when there is nothing to decide, because the write changes nothing.
    pub proposal: Option<Box<Proposal>>,
    /// The id of the proposal, or of what the write is about.
    pub about: String,
    pub would_be: A,
}

impl<A: Proposable + Clone + Send + Sync> Answered for Proposed<A> {
    type Answer = A;
    const AGGREGATE: &'static str = "proposal";

    fn aggregate_id(&self) -> &str {
        &self.about
    }

    fn answer(&self, notes: &Notes) -> A {
        let mut answer = self.would_be.clone();
        if let Some(proposal) = &self.proposal {
            answer.mark_proposed(message::proposal_note(proposal), notes);
        }
        answer
    }
}

/// The versions that a decision rests on, as they are now.
pub async fn pins(expectations: &[Expectation], snapshot: &Snapshot<'_>) -> Result<Vec<Pin>, Error> {
    let key = |expectation: &Expectation| match expectation {
        Expectation::Version { key, .. } | Expectation::Exists { key }
            if key.kind != crate::domain::fact::kind::MODEL =>
        {
            Some(key.clone())
        }
        _ => None,
    };
    let mut keys: Vec<RecordKey> = expectations.iter().filter_map(key).collect();
    keys.sort();
    keys.dedup();
    let versions = snapshot.versions_of(&keys).await?;
    let pin =
        |(key, version): (RecordKey, Option<u64>)| version.map(|version| Pin { kind: key.kind, id: key.id, version });
    Ok(keys.into_iter().zip(versions).filter_map(pin).collect())
}

/// The elements whose relationships a decision rests on.
pub fn link_pins(expectations: &[Expectation], extended: &[Stored<Proposal>]) -> Vec<LinkPin> {
    // Where the proposals that it builds upon link something, the outline has to do.
    let linked: BTreeSet<&str> = extended.iter().flat_map(|one| one.linked()).collect();
    let pin = |expectation: &Expectation| match expectation {
        Expectation::LinksUnchanged { id, since } if !linked.contains(id.as_str()) => {
            Some(LinkPin { id: id.clone(), since: *since })
        }
        _ => None,
    };
    // The outline sees to what is beyond the bound, once the proposal is accepted.
    expectations.iter().filter_map(pin).take(LINK_PINS_MAX).collect()
}

/// What the facts would do, as a reviewer calls it.
pub fn change_of(facts: &[Fact]) -> Change {
    let only = |of: fn(&Fact) -> bool| !facts.is_empty() && facts.iter().all(of);
    if facts.iter().any(|fact| matches!(fact, Fact::ElementDeleted(_) | Fact::ViewDeleted(_))) {
        Change::Delete
    } else if only(|fact| matches!(fact, Fact::ElementRelationshipCreated(_))) {
        Change::Link
    } else if only(|fact| matches!(fact, Fact::ElementRelationshipDeleted(_))) {
        Change::Unlink
    } else if facts.iter().any(|fact| matches!(fact, Fact::ElementCreated(_) | Fact::ViewCreated(_))) {
        Change::Create
    } else {
        Change::Update
    }
}

/// Hands out ids and remembers them.
struct Reserved {
    source: Arc<dyn IdSource>,
    taken: Mutex<Vec<String>>,
}

impl Reserved {
    fn taken(&self) -> Vec<String> {
        self.taken.lock().expect("nobody panics with the list in hand").clone()
    }
}

impl IdSource for Reserved {
    fn next(&self) -> String {
        let id = self.source.next();
        self.taken.lock().expect("nobody panics with the list in hand").push(id.clone());
        id
    }
}

/// Hands out the ids that were reserved, in the same order.
pub struct Reserve {
    ids: Mutex<std::vec::IntoIter<String>>,
    rest: Arc<dyn IdSource>,
}

impl Reserve {
    /// `rest` gives what goes beyond the reservation.
    pub fn of(ids: Vec<String>, rest: Arc<dyn IdSource>) -> Self {
        Self { ids: Mutex::new(ids.into_iter()), rest }
    }
}

impl IdSource for Reserve {
    fn next(&self) -> String {
        let reserved = self.ids.lock().expect("nobody panics with the list in hand").next();
        reserved.unwrap_or_else(|| self.rest.next())
    }
}
