//! From draft to published, and back: who may do which step, and when.

use ledger::Expectation;
use scope::{Principal, Timestamp};

use super::draft::{CreateBaseline, Surroundings, begin};
use super::fact::Drafted;
use super::members::Membership;
use super::{Baseline, BaselineFact, Decided, Status, Step};
use crate::Error;
use crate::domain::model::Repository;
use crate::domain::policy::{Governance, may_approve};
use crate::domain::proposal::{Risk, approvals_needed};
use crate::domain::{Decision, Fact, Name, Notes, Stored};
use crate::error::BaselineRefusal;

/// Who takes a step, when, and why.
#[derive(Debug, Clone)]
pub struct Act {
    pub by: Principal,
    pub now: Timestamp,
    pub rationale: Option<String>,
}

impl Act {
    fn decided(&self) -> Decided {
        Decided { by: self.by.id(), at: self.now }
    }
}

/// What is published now.
#[derive(Debug, Clone)]
pub struct Publication {
    pub repository: Stored<Repository>,
    pub baseline: Option<Stored<Baseline>>,
}

/// Decides whether a draft may be frozen.
pub fn submit(baseline: &Stored<Baseline>, act: &Act) -> Result<Decision<Step>, Error> {
    refuse_unless(baseline, &[Status::Draft], "submitted")?;
    let mut path = Path::new(baseline);
    path.submit(act);
    let mut decision = path.decide(true);
    decision.notes.suggest(ask_somebody(baseline));
    Ok(decision)
}

/// Decides what an approval of a submitted baseline leads to.
pub fn approve(governance: &Governance, baseline: &Stored<Baseline>, act: &Act) -> Result<Decision<Step>, Error> {
    refuse_agents(act, "approve")?;
    refuse_unless(baseline, &[Status::Submitted], "approved")?;
    if is_own(governance, baseline, act) {
        return Err(BaselineRefusal::Own { baseline: baseline.mention() }.into());
    }
    if has_approved(baseline, act) {
        return Err(BaselineRefusal::ApprovedAlready { baseline: baseline.mention() }.into());
    }
    let mut path = Path::new(baseline);
    path.approve(governance, act);
    let pending = path.state.status != Status::Approved;
    let next = match pending {
        true => ask_somebody(baseline),
        false => "Publish it with transformation.promoteBaseline".to_owned(),
    };
    let mut decision = path.decide(pending);
    decision.notes.suggest(next);
    Ok(decision)
}

/// Decides whether a baseline is rejected.
pub fn reject(baseline: &Stored<Baseline>, act: &Act) -> Result<Decision<Step>, Error> {
    refuse_agents(act, "reject")?;
    refuse_unless(baseline, &[Status::Submitted, Status::Approved], "rejected")?;
    if act.rationale.is_none() {
        return Err(Error::invalid("rationale", "is empty".to_owned(), "say in a sentence what has to change"));
    }
    let mut path = Path::new(baseline);
    path.state.status = Status::Rejected;
    path.state.rejection = Some(act.decided());
    path.state.rationale = act.rationale.clone();
    path.step(BaselineFact::Rejected);
    let mut decision = path.decide(false);
    decision.notes.suggest("Create another baseline when the model has changed");
    Ok(decision)
}

/// Decides what a wish to publish leads to: publication, or a request for it as long as others have to approve.
///
/// A steward who publishes a draft commits, as with any write. A baseline that was submitted asked for approval, so its
/// author does not approve it; and where policy wants several people, one is not enough either way.
pub fn promote(
    governance: &Governance,
    baseline: &Stored<Baseline>,
    published: &Publication,
    act: &Act,
) -> Result<Decision<Step>, Error> {
    refuse_unless(baseline, &[Status::Draft, Status::Submitted, Status::Approved], "promoted")?;
    let mut path = Path::new(baseline);
    let commits = baseline.status == Status::Draft && needed(governance) <= 1;
    if path.state.status == Status::Draft {
        path.submit(act);
    }
    let counts = may_approve(&act.by) && (commits || !is_own(governance, baseline, act));
    if path.state.status == Status::Submitted && counts && !has_approved(baseline, act) {
        path.approve(governance, act);
    }
    if path.state.status != Status::Approved || !may_approve(&act.by) {
        let mut decision = path.decide(true);
        decision.notes.suggest(ask_somebody(baseline));
        return Ok(decision);
    }
    path.publish(published, act);
    let mut decision = path.decide(false);
    decision.notes.suggest("Read it with read_context {\"selector\": \"published\"}");
    Ok(decision)
}

/// Decides whether what `earlier` held may be published again. `around` says where `earlier` reads.
pub fn rollback(
    governance: &Governance,
    earlier: &Stored<Baseline>,
    around: Surroundings,
    published: &Publication,
    command: &CreateBaseline,
    act: &Act,
) -> Result<Decision<Step>, Error> {
    refuse_agents(act, "roll back")?;
    refuse_unless(earlier, &[Status::Superseded], "published again")?;
    let mut state = begin(&around, command)?;
    let commits = needed(governance) <= 1;
    state.status = if commits { Status::Approved } else { Status::Submitted };
    state.submitted_at = Some(act.now);
    if commits || governance.self_approval {
        state.approvals.push(act.decided());
    }
    state.rationale = act.rationale.clone();
    state.rollback_of = Some(earlier.id.clone());
    let mut path = Path { state, version: 0, facts: Vec::new(), expectations: Vec::new() };
    let joined = around.members.unwrap_or_default();
    path.step(|baseline| {
        BaselineFact::RollbackCreated(Box::new(Drafted { baseline: *baseline, joined, left: Membership::default() }))
    });
    if !commits {
        let next = ask_somebody(&path.state);
        let mut decision = path.decide(true);
        decision.notes.suggest(next);
        return Ok(decision);
    }
    path.publish(published, act);
    let mut decision = path.decide(false);
    decision.notes.suggest("Compare it with head to see what was taken back: transformation.compareStates");
    Ok(decision)
}

/// What a baseline is called that publishes `earlier` again, when nobody named it.
pub fn rollback_name(earlier: &Baseline, act: &Act) -> Result<Name, Error> {
    let start: String = earlier.name.as_str().chars().take(400).collect();
    Name::new("name", &format!("Rollback to {start} at {}", act.now))
}

/// Refuses a step that the status of the baseline does not lead to.
pub(super) fn refuse_unless(
    baseline: &Stored<Baseline>,
    permitted: &[Status],
    step: &'static str,
) -> Result<(), BaselineRefusal> {
    if permitted.contains(&baseline.status) {
        return Ok(());
    }
    let hint = match baseline.status {
        Status::Draft => "submit it first with transformation.promoteBaseline or `chancery baselines submit`",
        Status::Submitted => "a person with role admin or curator approves or rejects it first",
        Status::Approved => "publish it with transformation.promoteBaseline, or have it rejected",
        Status::Rejected => "create another baseline with transformation.createBaseline",
        Status::Promoted => "it is published already; create another baseline with transformation.createBaseline",
        Status::Superseded => "publish it again with `chancery baselines rollback`, or create another baseline",
    };
    Err(BaselineRefusal::Status { baseline: baseline.mention(), step, hint })
}

fn refuse_agents(act: &Act, step: &'static str) -> Result<(), BaselineRefusal> {
    if may_approve(&act.by) { Ok(()) } else { Err(BaselineRefusal::NotYours { step }) }
}

/// How many people must agree to a publication, which is as risky as a change can be.
fn needed(governance: &Governance) -> usize {
    usize::try_from(approvals_needed(governance, Risk::High)).unwrap_or(usize::MAX)
}

/// Whether the caller made the baseline and so may not approve it.
fn is_own(governance: &Governance, baseline: &Baseline, act: &Act) -> bool {
    baseline.created_by == act.by.id() && !governance.self_approval
}

fn has_approved(baseline: &Baseline, act: &Act) -> bool {
    let by = act.by.id();
    baseline.approvals.iter().any(|approval| approval.by == by)
}

fn ask_somebody(baseline: &Baseline) -> String {
    format!(
        "Somebody else with role admin or curator decides: `chancery baselines promote {0}` or `chancery baselines reject {0}`",
        baseline.id
    )
}

/// The steps that a baseline takes in one write.
struct Path {
    state: Baseline,
    version: u64,
    facts: Vec<Fact>,
    expectations: Vec<Expectation>,
}

impl Path {
    fn new(baseline: &Stored<Baseline>) -> Self {
        let unchanged = Expectation::Version { key: baseline.key(), version: baseline.version };
        Self {
            state: baseline.state.clone(),
            version: baseline.version,
            facts: Vec::new(),
            expectations: vec![unchanged],
        }
    }

    /// Notes that the state was reached.
    fn step(&mut self, fact: impl FnOnce(Box<Baseline>) -> BaselineFact) {
        self.version += 1;
        self.facts.push(Fact::Baseline(fact(Box::new(self.state.clone()))));
    }

    fn submit(&mut self, act: &Act) {
        self.state.status = Status::Submitted;
        self.state.submitted_at = Some(act.now);
        self.step(BaselineFact::SubmittedForApproval);
    }

    /// Counts an approval; enough of them make the baseline approved.
    fn approve(&mut self, governance: &Governance, act: &Act) {
        self.state.approvals.push(act.decided());
        if self.state.approvals.len() >= needed(governance) {
            self.state.status = Status::Approved;
        }
        self.state.rationale = act.rationale.clone();
        self.step(BaselineFact::Approved);
    }

    /// The baseline takes the place of the one that is published.
    fn publish(&mut self, published: &Publication, act: &Act) {
        self.state.status = Status::Promoted;
        self.state.promoted_at = Some(act.now);
        self.state.supersedes = published.baseline.as_ref().map(|before| before.id.clone());
        self.step(BaselineFact::Promoted);
        let Publication { repository, baseline } = published;
        self.expectations.push(Expectation::Version { key: repository.key(), version: repository.version });
        if let Some(before) = baseline {
            let superseded = Baseline { status: Status::Superseded, ..before.state.clone() };
            self.facts.push(Fact::Baseline(BaselineFact::Superseded(Box::new(superseded))));
            self.expectations.push(Expectation::Version { key: before.key(), version: before.version });
        }
        let mut repository = repository.state.clone();
        repository.published_baseline_id = Some(self.state.id.clone());
        self.facts.push(Fact::Baseline(BaselineFact::RepositoryPublished(repository)));
    }

    fn decide(self, pending: bool) -> Decision<Step> {
        Decision {
            outcome: Step { baseline: self.state, version: self.version, pending },
            facts: self.facts,
            expectations: self.expectations,
            notes: Notes::default(),
        }
    }
}
