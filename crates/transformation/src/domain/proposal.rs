//! Proposals: writes that wait until people have decided.
//!
//! A proposal keeps the arguments of the write, the ids reserved for what it would make, and the versions it rests on.
//! Accepting it decides the same write again, on the same versions, and records both together. If that would now do
//! something else than what was reviewed, the proposal is stale.

mod discussion;
mod fact;
pub mod part;
pub mod rebase;

use contract::Object;
use ledger::{Expectation, RecordKey, Seq};
use scope::{Principal, PrincipalKind, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::fact::{kind, text};
use super::policy::{self, Governance};
use super::{Decision, Fact, Notes, Stored};
use crate::Error;

pub use discussion::{Comment, comment};
pub use fact::ProposalFact;
pub use rebase::Settled;

/// Where a proposal stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Status {
    Proposed,
    Triaged,
    InReview,
    Accepted,
    Rejected,
    Withdrawn,
    /// Its author is asked to file it anew.
    ChangesRequested,
}

impl Status {
    pub const ALL: [Self; 7] = [
        Self::Proposed,
        Self::Triaged,
        Self::InReview,
        Self::Accepted,
        Self::Rejected,
        Self::Withdrawn,
        Self::ChangesRequested,
    ];

    pub fn label(self) -> &'static str {
        match self {
            Self::Proposed => "PROPOSED",
            Self::Triaged => "TRIAGED",
            Self::InReview => "IN_REVIEW",
            Self::Accepted => "ACCEPTED",
            Self::Rejected => "REJECTED",
            Self::Withdrawn => "WITHDRAWN",
            Self::ChangesRequested => "CHANGES_REQUESTED",
        }
    }

    pub fn is_open(self) -> bool {
        matches!(self, Self::Proposed | Self::Triaged | Self::InReview | Self::ChangesRequested)
    }
}

/// How much harm a change can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Risk {
    Low,
    Med,
    High,
}

impl From<contract::RiskTier> for Risk {
    fn from(tier: contract::RiskTier) -> Self {
        match tier {
            contract::RiskTier::Low => Self::Low,
            contract::RiskTier::Medium => Self::Med,
            contract::RiskTier::High | contract::RiskTier::Critical => Self::High,
        }
    }
}

/// What a proposal would do to its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Change {
    Create,
    Update,
    Link,
    Unlink,
    Supersede,
    Delete,
}

/// A version that a proposal rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pin {
    pub kind: String,
    pub id: String,
    pub version: u64,
}

impl Pin {
    pub fn key(&self) -> RecordKey {
        RecordKey::new(&self.kind, &self.id)
    }
}

/// The relationships at an element, as they were at a point that a proposal rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkPin {
    pub id: String,
    pub since: Seq,
}

/// What a proposal rests on, as it is now.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PinsNow {
    /// In the order of the pins; none for what is no longer there.
    pub versions: Vec<Option<u64>>,
    /// Ids of elements whose relationships are others than those that were reviewed.
    pub links_changed: Vec<String>,
}

impl PinsNow {
    /// All as it was when the proposal was filed.
    pub fn unchanged(proposal: &Proposal) -> Self {
        let versions = proposal.pins.iter().map(|pin| Some(pin.version)).collect();
        Self { versions, links_changed: Vec::new() }
    }
}

/// A fact that waits for its number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProposedFact {
    pub kind: String,
    pub body: Value,
}

impl ProposedFact {
    pub fn new(fact: &Fact) -> Self {
        let body = serde_json::from_str(&fact.body()).expect("a body is JSON");
        Self { kind: fact.kind().to_owned(), body }
    }

    pub fn fact(&self) -> Result<Fact, String> {
        Fact::read(&self.kind, &self.body.to_string())
    }
}

/// Somebody's agreement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approval {
    pub by: String,
    pub at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rationale: Option<String>,
    /// The plan that was agreed to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
}

/// Who decided what, when and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecisionRecord {
    pub id: String,
    pub proposal_id: String,
    pub accepted: bool,
    pub decided_by: String,
    pub decided_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rationale: Option<String>,
}

impl DecisionRecord {
    pub fn key(&self) -> RecordKey {
        RecordKey::new(kind::DECISION, &self.id)
    }
}

/// A proposal's state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Proposal {
    pub id: String,
    pub repository_id: String,
    pub status: Status,
    pub summary: String,
    pub change: Change,
    pub risk: Risk,
    /// The write's name, without the capability.
    pub operation: String,
    /// The write's arguments, with ids where names were given.
    pub arguments: Object,
    /// The answer as it would be.
    pub would_be: Object,
    /// Ids that the write will use, in the order in which it asks for them.
    pub reserved_ids: Vec<String>,
    pub pins: Vec<Pin>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub link_pins: Vec<LinkPin>,
    /// The [`outline`] of what was reviewed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outline: Option<String>,
    /// What it would record, in order, as facts that have no numbers yet. Empty in proposals of the earlier format.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<ProposedFact>,
    /// The hash of those facts. Approvals hold for it alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
    /// Proposals that were open when it was filed and that it builds upon, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extends: Vec<String>,
    /// The hash of the arguments as they were given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<String>,
    pub proposed_by: String,
    pub proposed_by_kind: PrincipalKind,
    pub approvals_needed: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub approvals: Vec<Approval>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<DecisionRecord>,
    /// Versions that the accepted change made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accepted_as: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rebased_to: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rebase_of: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<Comment>,
    /// What the rebase that made it decided, field by field.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub settled: Vec<Settled>,
    /// Why it was proposed, in its author's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The id of the call that filed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl Proposal {
    pub fn key(&self) -> RecordKey {
        Self::key_of(&self.id)
    }

    pub fn key_of(id: &str) -> RecordKey {
        RecordKey::new(kind::PROPOSAL, id)
    }

    /// How many people have agreed to its plan.
    pub fn given(&self) -> u32 {
        let given = self.approvals.iter().filter(|approval| approval.plan == self.plan).count();
        u32::try_from(given).unwrap_or(u32::MAX)
    }

    /// Whether it would change one of these records.
    pub fn changes_any(&self, keys: &[RecordKey]) -> bool {
        self.subjects().any(|subject| keys.contains(&subject))
    }

    /// The records that it would change.
    pub fn subjects(&self) -> impl Iterator<Item = RecordKey> {
        self.facts.iter().filter_map(|planned| planned.fact().ok()).map(|fact| fact.subject())
    }

    /// The records that it would change with their last states; `None` where it would delete one.
    pub fn proposed_states(&self) -> Vec<(RecordKey, Option<serde_json::Map<String, Value>>)> {
        let mut states: Vec<(RecordKey, Option<serde_json::Map<String, Value>>)> = Vec::new();
        for planned in &self.facts {
            let Ok(fact) = planned.fact() else { continue };
            let gone =
                matches!(fact, Fact::ElementDeleted(_) | Fact::ElementRelationshipDeleted(_) | Fact::ViewDeleted(_));
            let (key, state) = (fact.subject(), planned.body.as_object().filter(|_| !gone).cloned());
            states.retain(|(known, _)| *known != key);
            states.push((key, state));
        }
        states
    }

    /// The ids at the ends of the relationships that it would make or change.
    pub fn linked(&self) -> Vec<&str> {
        let end = |name: &'static str| {
            self.facts.iter().filter_map(move |planned| planned.body.get(name).and_then(Value::as_str))
        };
        end("source_id").chain(end("target_id")).collect()
    }

    /// The same for two proposals of one author that would do the same to the same versions.
    pub fn fingerprint(&self) -> String {
        let mut arguments = self.arguments.0.clone();
        arguments.retain(|name, _| name != "client_request_id" && name != "commit_mode");
        let same = (&self.proposed_by, &self.operation, &arguments, &self.pins);
        digest(&text(&same))
    }
}

/// Who acts on a proposal, when, and with which words.
#[derive(Debug, Clone)]
pub struct Act<'a> {
    pub by: &'a Principal,
    pub now: Timestamp,
    /// For the decision record, if there is one.
    pub decision_id: String,
    pub rationale: Option<String>,
}

/// What an approval leads to.
#[derive(Debug, Clone)]
#[expect(clippy::large_enum_variant, reason = "one value per approval")]
pub enum Approved {
    /// More people must agree.
    Counted(Decision<Proposal>),
    /// Enough agree: make the change, and record this with it.
    Carried(Box<Proposal>),
}

/// Which records facts touch, and how: the same as long as a change would do the same.
pub fn outline(facts: &[Fact]) -> String {
    let mut lines: Vec<String> = facts.iter().map(|fact| format!("{} {}", fact.kind(), fact.subject().id)).collect();
    lines.sort();
    digest(&lines.join("\n"))
}

/// The hash of what facts would record, without the moments at which they were decided.
pub fn plan_of(facts: &[ProposedFact]) -> String {
    let timeless = |fact: &ProposedFact| {
        let mut body = fact.body.clone();
        if let Value::Object(members) = &mut body {
            members.retain(|name, _| name != "created_at" && name != "updated_at");
        }
        (fact.kind.clone(), body)
    };
    digest(&text(&facts.iter().map(timeless).collect::<Vec<_>>()))
}

/// The hash of a request as it was given, but for what does not change its meaning.
pub fn request_hash(author: &str, operation: &str, arguments: &Object) -> String {
    let mut arguments = arguments.0.clone();
    arguments.retain(|name, _| name != "client_request_id" && name != "commit_mode");
    digest(&text(&(author, operation, &arguments)))
}

fn digest(text: &str) -> String {
    hex::encode(&Sha256::digest(text)[..16])
}

/// How many people must agree to a change of this risk.
pub fn approvals_needed(governance: &Governance, risk: Risk) -> u32 {
    match risk {
        Risk::Low => governance.approvals_low,
        Risk::Med => governance.approvals_med,
        Risk::High => governance.approvals_high,
    }
    .max(1)
}

/// How many people must agree to a proposal, whatever the policy was when it was filed; never fewer than were promised then.
pub fn needed(governance: &Governance, proposal: &Proposal) -> u32 {
    proposal.approvals_needed.max(approvals_needed(governance, proposal.risk))
}

/// Decides what an approval leads to.
pub fn approve(
    governance: &Governance,
    proposal: &Stored<Proposal>,
    current: &PinsNow,
    act: &Act<'_>,
) -> Result<Approved, Error> {
    refuse_closed(proposal)?;
    refuse_unless_steward(act.by, "approve")?;
    let by = act.by.id();
    if by == proposal.proposed_by && !governance.self_approval {
        return Err(Error::OwnProposal { proposal: proposal.id.clone() });
    }
    if proposal.status == Status::ChangesRequested {
        return Err(Error::ProposalState {
            proposal: proposal.id.clone(),
            status: proposal.status.label(),
            reason: "changes were requested: its author revises it, or triage it to go on as it is".to_owned(),
        });
    }
    refuse_stale(proposal, current)?;
    if proposal.approvals.iter().any(|approval| approval.by == by) {
        return Err(Error::ProposalState {
            proposal: proposal.id.clone(),
            status: proposal.status.label(),
            reason: "you approved it already".to_owned(),
        });
    }
    let mut changed = proposal.state.clone();
    changed.updated_at = act.now;
    changed.approvals.push(Approval { by, at: act.now, rationale: act.rationale.clone(), plan: proposal.plan.clone() });
    // An agreement to another plan is none to this one.
    changed.approvals_needed = needed(governance, proposal);
    if changed.given() < changed.approvals_needed {
        changed.status = Status::InReview;
        return Ok(Approved::Counted(moved(proposal, changed, ProposalFact::Approved)));
    }
    changed.status = Status::Accepted;
    changed.decision = Some(decided(&changed, act, true));
    Ok(Approved::Carried(Box::new(changed)))
}

/// An approval that is enough, but only counted: others must agree to what the change is made together with.
pub fn wait_for_others(proposal: &Stored<Proposal>, approved: Proposal) -> Decision<Proposal> {
    let waiting = Proposal { status: Status::InReview, decision: None, ..approved };
    moved(proposal, waiting, ProposalFact::Approved)
}

/// Refuses an approval of another plan than the one that is filed.
pub fn refuse_other_plan(proposal: &Proposal, plan: Option<&str>) -> Result<(), Error> {
    match plan {
        Some(plan) if proposal.plan.as_deref() != Some(plan) => Err(Error::ProposalState {
            proposal: proposal.id.clone(),
            status: proposal.status.label(),
            reason: format!("its plan is {}, not {plan}", proposal.plan.as_deref().unwrap_or("unknown")),
        }),
        _ => Ok(()),
    }
}

/// Refuses to make a change before the open ones that it builds upon.
pub fn refuse_out_of_order(proposal: &Proposal, chain: &[Stored<Proposal>]) -> Result<(), Error> {
    let open: Vec<&str> = chain.iter().map(|one| one.id.as_str()).filter(|id| *id != proposal.id).collect();
    match open.is_empty() {
        true => Ok(()),
        false => Err(Error::ProposalState {
            proposal: proposal.id.clone(),
            status: proposal.status.label(),
            reason: format!("it extends {}, which is open: approve that first, or both together", open.join(", ")),
        }),
    }
}

/// Decides whether a proposal may be rejected.
pub fn reject(proposal: &Stored<Proposal>, act: &Act<'_>) -> Result<Decision<Proposal>, Error> {
    refuse_closed(proposal)?;
    refuse_unless_steward(act.by, "reject")?;
    if act.rationale.as_deref().is_none_or(|text| text.trim().is_empty()) {
        return Err(Error::invalid("rationale", "is missing".to_owned(), "say why the proposal is rejected"));
    }
    let mut changed = proposal.state.clone();
    changed.updated_at = act.now;
    changed.status = Status::Rejected;
    let record = decided(&changed, act, false);
    changed.decision = Some(record.clone());
    let mut decision = moved(proposal, changed, ProposalFact::Rejected);
    decision.facts.push(Fact::Proposal(ProposalFact::DecisionRecorded(record)));
    Ok(decision)
}

/// Refuses a change that would now do something else than what was reviewed.
pub fn refuse_other_change(proposal: &Proposal, facts: &[Fact]) -> Result<(), Error> {
    // The facts of a Scrum team hold the moment at which they are decided.
    let timed = facts.iter().any(|fact| matches!(fact, Fact::Scrum(_)));
    let planned = || plan_of(&facts.iter().map(ProposedFact::new).collect::<Vec<_>>());
    let same = match &proposal.outline {
        Some(_) if proposal.plan.is_some() && !timed => proposal.plan == Some(planned()),
        Some(reviewed) => *reviewed == outline(facts),
        // Deletions that were filed without an outline may have grown since.
        None => proposal.change != Change::Delete,
    };
    match same {
        true => Ok(()),
        false => Err(Error::StaleProposal { proposal: proposal.id.clone(), stale: Vec::new(), links: Vec::new() }),
    }
}

/// Decides whether a proposal may be marked as seen. A higher risk may need more approvals, a lower one never fewer.
pub fn triage(
    governance: &Governance,
    proposal: &Stored<Proposal>,
    risk: Option<Risk>,
    act: &Act<'_>,
) -> Result<Decision<Proposal>, Error> {
    refuse_closed(proposal)?;
    refuse_unless_steward(act.by, "triage")?;
    let mut changed = proposal.state.clone();
    changed.updated_at = act.now;
    changed.status = Status::Triaged;
    changed.risk = risk.unwrap_or(changed.risk);
    changed.approvals_needed = changed.approvals_needed.max(approvals_needed(governance, changed.risk));
    Ok(moved(proposal, changed, ProposalFact::Triaged))
}

/// Decides whether a proposal may be taken back, by its author or by a steward.
pub fn withdraw(
    proposal: &Stored<Proposal>,
    rebased_to: Option<String>,
    act: &Act<'_>,
) -> Result<Decision<Proposal>, Error> {
    refuse_closed(proposal)?;
    if act.by.id() != proposal.proposed_by {
        refuse_unless_steward(act.by, "withdraw another's proposal")?;
    }
    let mut changed = proposal.state.clone();
    changed.updated_at = act.now;
    changed.status = Status::Withdrawn;
    changed.rebased_to = rebased_to;
    Ok(moved(proposal, changed, ProposalFact::Withdrawn))
}

/// Refuses to replace what another has proposed, or what is closed.
pub fn refuse_revision_by_others(proposal: &Proposal, by: &Principal) -> Result<(), Error> {
    refuse_closed(proposal)?;
    match by.id() == proposal.proposed_by {
        true => Ok(()),
        false => refuse_unless_steward(by, "revise another's proposal"),
    }
}

fn moved(before: &Stored<Proposal>, after: Proposal, fact: fn(Proposal) -> ProposalFact) -> Decision<Proposal> {
    Decision {
        facts: vec![Fact::Proposal(fact(after.clone()))],
        expectations: vec![Expectation::Version { key: before.key(), version: before.version }],
        outcome: after,
        notes: Notes::default(),
    }
}

fn decided(proposal: &Proposal, act: &Act<'_>, accepted: bool) -> DecisionRecord {
    DecisionRecord {
        id: act.decision_id.clone(),
        proposal_id: proposal.id.clone(),
        accepted,
        decided_by: act.by.id(),
        decided_at: act.now,
        rationale: act.rationale.clone(),
    }
}

fn refuse_closed(proposal: &Proposal) -> Result<(), Error> {
    match proposal.status.is_open() {
        true => Ok(()),
        false => Err(Error::ProposalState {
            proposal: proposal.id.clone(),
            status: proposal.status.label(),
            reason: match &proposal.rebased_to {
                Some(next) => format!("it was rebased to {next}"),
                None => "it is closed".to_owned(),
            },
        }),
    }
}

/// Refuses what only stewards decide.
pub fn refuse_unless_steward(by: &Principal, act: &str) -> Result<(), Error> {
    match policy::may_approve(by) {
        true => Ok(()),
        false => Err(Error::NotSteward { act: act.to_owned() }),
    }
}

/// Whether something that a proposal rests on has changed.
pub fn is_stale(proposal: &Proposal, current: &PinsNow) -> bool {
    !current.links_changed.is_empty() || stale_pins(proposal, current).next().is_some()
}

/// The pins that no longer hold.
fn stale_pins<'a>(proposal: &'a Proposal, current: &'a PinsNow) -> impl Iterator<Item = (&'a Pin, Option<u64>)> {
    proposal.pins.iter().zip(current.versions.iter().copied()).filter(|(pin, now)| *now != Some(pin.version))
}

fn refuse_stale(proposal: &Proposal, current: &PinsNow) -> Result<(), Error> {
    if !is_stale(proposal, current) {
        return Ok(());
    }
    let stale = stale_pins(proposal, current).map(|(pin, now)| (pin.clone(), now)).collect();
    Err(Error::StaleProposal { proposal: proposal.id.clone(), stale, links: current.links_changed.clone() })
}
