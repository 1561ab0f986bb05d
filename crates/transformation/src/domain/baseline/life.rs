//! From draft to published, and back: who may do which step, and when.

use ledger::Expectation;
use scope::{Principal, Timestamp};

use super::draft::{CreateBaseline, Surroundings, begin};
use super::fact::Drafted;
use super::members::Membership;
use super::{Baseline, BaselineFact, Decided, Status, Step};
use crate::Error;
use crate::domain::model::Repository;
use crate::domain::policy::may_approve;
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

/// Decides whether a submitted baseline is approved.
pub fn approve(baseline: &Stored<Baseline>, act: &Act) -> Result<Decision<Step>, Error> {
    refuse_agents(act, "approve")?;
    refuse_unless(baseline, &[Status::Submitted], "approved")?;
    let mut path = Path::new(baseline);
    path.approve(act);
    let mut decision = path.decide(false);
    decision.notes.suggest("Publish it with transformation.promoteBaseline");
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

/// Decides what a wish to publish leads to: publication, or a request for it by a caller who may not approve.
pub fn promote(baseline: &Stored<Baseline>, published: &Publication, act: &Act) -> Result<Decision<Step>, Error> {
    refuse_unless(baseline, &[Status::Draft, Status::Submitted, Status::Approved], "promoted")?;
    let mut path = Path::new(baseline);
    if path.state.status == Status::Draft {
        path.submit(act);
    }
    if !may_approve(&act.by) {
        let mut decision = path.decide(true);
        decision.notes.suggest(ask_somebody(baseline));
        return Ok(decision);
    }
    if path.state.status == Status::Submitted {
        path.approve(act);
    }
    path.publish(published, act);
    let mut decision = path.decide(false);
    decision.notes.suggest("Read it with read_context {\"selector\": \"published\"}");
    Ok(decision)
}

/// Decides whether what `earlier` held may be published again. `around` says where `earlier` reads.
pub fn rollback(
    earlier: &Stored<Baseline>,
    around: Surroundings,
    published: &Publication,
    command: &CreateBaseline,
    act: &Act,
) -> Result<Decision<Step>, Error> {
    refuse_agents(act, "roll back")?;
    refuse_unless(earlier, &[Status::Superseded], "published again")?;
    let mut state = begin(&around, command)?;
    state.status = Status::Approved;
    state.submitted_at = Some(act.now);
    state.approvals.push(act.decided());
    state.rationale = act.rationale.clone();
    state.rollback_of = Some(earlier.id.clone());
    let mut path = Path { state, version: 0, facts: Vec::new(), expectations: Vec::new() };
    let joined = around.members.unwrap_or_default();
    path.step(|baseline| {
        BaselineFact::RollbackCreated(Box::new(Drafted { baseline: *baseline, joined, left: Membership::default() }))
    });
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

fn ask_somebody(baseline: &Baseline) -> String {
    format!(
        "Somebody with role admin or curator decides: `chancery baselines promote {0}` or `chancery baselines reject {0}`",
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

    fn approve(&mut self, act: &Act) {
        self.state.status = Status::Approved;
        self.state.approvals.push(act.decided());
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
