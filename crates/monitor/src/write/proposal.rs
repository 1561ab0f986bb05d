//! Changes of canon are proposed, and CanonKeeper decides single ones.

use contract::Context;
use contract::generated::monitor::{
    self as proto, CreateProposedChangeRequest, CreateProposedChangeResponse, EvaluateProposalRequest,
    EvaluateProposalResponse,
};
use desk::Stored;

use super::entity::decision;
use super::scene::{proposals_of, same_universe, scene_of, universe_of};
use super::{Decision, Write, canon, receipt};
use crate::Error;
use crate::authority::Agent;
use crate::domain::canonize::{self, Ruling};
use crate::domain::fact::Happening;
use crate::domain::narrative::{Evidence, Proposal, Scene, Turn};
use crate::domain::policy::Reason;
use crate::domain::row::{Row, kind};
use crate::domain::words::{Authority, EvidenceKind, ProposalStatus, ProposalType};
use crate::domain::{check, limit, scene};
use crate::error::Flaws;
use crate::projection::message::{self, number, word};
use crate::projection::{Reader, told};

impl Write {
    pub(super) async fn new_proposal(
        &self,
        ctx: &Context,
        request: &CreateProposedChangeRequest,
    ) -> Result<Decision<CreateProposedChangeResponse>, Error> {
        let content = request.content.clone().unwrap_or_default().0;
        let mut flaws = Flaws::default();
        let confidence = flaws.check(check::confidence("confidence", request.confidence));
        let (chars, most) = (serde_json::to_string(&content).map_or(0, |text| text.len()), limit::CONTENT_CHARS_MAX);
        if chars > most {
            flaws.push("content", format!("has {chars} characters of JSON"), format!("give {most} at most"));
        }
        if request.evidence.len() > limit::REFERENCES_MAX {
            let reason = format!("names {} pieces", request.evidence.len());
            flaws.push("evidence", reason, format!("name {} at most", limit::REFERENCES_MAX));
        }
        flaws.refuse()?;
        let reader = self.reader(ctx);
        let scene = scene_of(&reader, &request.scene_id).await?;
        scene::check_active(&scene)?;
        if scene.proposal_count >= limit::PROPOSALS_MAX as u64 {
            let message =
                format!("the scene has {} proposals, which is as many as a scene takes", scene.proposal_count);
            return Err(Error::constraint("scene_id", message, "canonize it, and go on in a new scene"));
        }
        if let Some(id) = &request.turn_id {
            let turn: Stored<Turn> = reader.get(kind::TURN, ("turn_id", "turn"), id).await?;
            if turn.scene_id != scene.scene_id {
                let message = "turn_id names a turn of another scene";
                return Err(Error::constraint("turn_id", message, "name a turn of this scene, or leave turn_id out"));
            }
        }
        let agent = Agent::of(ctx, self.config.agent_type)?;
        let evidence = request.evidence.iter().map(|one| Evidence {
            r#type: EvidenceKind::of(word::<proto::EvidenceType>(one.r#type)).unwrap_or_default(),
            ref_id: one.ref_id.to_ascii_lowercase(),
        });
        let proposal = Proposal {
            proposal_id: ctx.ids.next(),
            scene_id: scene.scene_id.clone(),
            universe_id: scene.universe_id.clone(),
            turn_id: request.turn_id.as_ref().map(|id| id.to_ascii_lowercase()),
            r#type: ProposalType::of(word::<proto::ProposalType>(request.r#type)).unwrap_or_default(),
            content,
            evidence: evidence.collect(),
            confidence,
            authority: Authority::of(word::<proto::Authority>(request.authority)).unwrap_or_default(),
            by_gm: ctx.principal.roles.contains("gm"),
            status: ProposalStatus::Pending,
            reason: None,
            rationale: None,
            score: None,
            canonical_id: None,
            retconned: Vec::new(),
            proposer_id: agent.id,
            proposer_type: agent.kind.as_str().to_owned(),
            created_at: ctx.now,
            evaluated_at: None,
        };
        let answer = CreateProposedChangeResponse {
            proposal_id: proposal.proposal_id.clone(),
            status: number::<proto::ProposalStatus>(proposal.status.as_str()),
            created_at: proposal.created_at.to_string(),
            proposal: Some(told::proposal(&proposal)),
            receipt: receipt(),
        };
        // The scene knows how many it has, so that nobody ends it while one more is filed.
        let after = Scene { proposal_count: scene.proposal_count + 1, updated_at: ctx.now, ..scene.row.clone() };
        let rows = vec![Row::Proposal(proposal), Row::Scene(after)];
        Ok(decision(Happening::ChangeProposed, rows, vec![scene.unchanged()], answer))
    }

    pub(super) async fn evaluated(
        &self,
        ctx: &Context,
        request: &EvaluateProposalRequest,
    ) -> Result<Decision<EvaluateProposalResponse>, Error> {
        let mut flaws = Flaws::default();
        let given = request.rationale.as_deref();
        let given = flaws.check(check::optional("rationale", given, limit::RATIONALE_CHARS_MAX));
        flaws.refuse()?;
        let reader = self.reader(ctx);
        let what = ("proposal_id", "proposal");
        let proposal: Stored<Proposal> = reader.get(kind::PROPOSAL, what, &request.proposal_id).await?;
        let scene = scene_of(&reader, &proposal.scene_id).await?;
        check_open(&proposal, &scene)?;
        let mut expectations = vec![proposal.unchanged(), scene.unchanged()];
        let accepted = word::<proto::Decision>(request.decision) == "accepted";
        let (mut decided, mut rows) = match (&request.canonical_id, accepted) {
            (Some(_), false) => {
                let reason = "is given although the proposal is rejected";
                return Err(Error::invalid("canonical_id", reason, "leave canonical_id out"));
            }
            (None, false) => (decide(&proposal, ProposalStatus::Rejected, None, ctx), Vec::new()),
            (Some(id), true) => {
                exists(&reader, &proposal, &scene, id).await?;
                let id = Some(id.to_ascii_lowercase());
                (decide(&proposal, ProposalStatus::Accepted, id, ctx), Vec::new())
            }
            (None, true) => {
                let (ruling, more) = self.carried_out(ctx, &reader, &proposal).await?;
                expectations.extend(more);
                (ruling.proposal, ruling.rows)
            }
        };
        if !given.is_empty() {
            decided.rationale = Some(given);
        }
        let answer = EvaluateProposalResponse {
            proposal_id: decided.proposal_id.clone(),
            status: number::<proto::ProposalStatus>(decided.status.as_str()),
            rationale: decided.rationale.clone(),
            canonical_id: decided.canonical_id.clone(),
            evaluated_at: message::moment(decided.evaluated_at).unwrap_or_default(),
            proposal: Some(told::proposal(&decided)),
            receipt: receipt(),
        };
        rows.insert(0, Row::Proposal(decided));
        Ok(decision(Happening::ProposalEvaluated, rows, expectations, answer))
    }

    /// The canonical write of a proposal that CanonKeeper accepts.
    pub(super) async fn carried_out(
        &self,
        ctx: &Context,
        reader: &Reader<'_>,
        proposal: &Proposal,
    ) -> Result<(Ruling, Vec<ledger::Expectation>), Error> {
        let chosen = |one: &Proposal| one.proposal_id == proposal.proposal_id;
        let mut proposals = proposals_of(reader, &proposal.scene_id).await?;
        proposals.retain(|one| chosen(one) || one.status == ProposalStatus::Accepted);
        proposals.iter_mut().filter(|one| chosen(one)).for_each(|one| one.status = ProposalStatus::Pending);
        let (canon, expectations) = canon::load(&reader.view, &proposals).await?;
        let mut next_id = || ctx.ids.next();
        let chosen = (proposal.proposal_id.as_str(), &mut next_id as &mut dyn FnMut() -> String);
        let ruling = canonize::accept(&self.config.policy, &proposals, canon, ctx.now, chosen);
        let ruling = ruling.ok_or_else(|| Error::internal(&ctx.request.request_id, "a proposal was not judged"))?;
        if ruling.verdict.is_accepted() {
            return Ok((ruling, expectations));
        }
        let fix = match ruling.verdict.reason {
            Reason::ContradictsCanon => "reject it, or let a game master vouch for it with a turn as evidence",
            Reason::MissingReference => "accept what it names first, or reject it",
            _ => "reject it; what it lacks can be proposed again",
        };
        let reason = ruling.verdict.reason.as_str();
        Err(Error::constraint("decision", ruling.verdict.rationale, fix).detail("policy", reason))
    }
}

/// Refuses to decide what is decided, or what belongs to a scene that is not being played.
fn check_open(proposal: &Proposal, scene: &Scene) -> Result<(), Error> {
    scene::check_active(scene)?;
    if proposal.status == ProposalStatus::Pending {
        return Ok(());
    }
    let message = format!("the proposal is {} already", proposal.status);
    Err(Error::constraint("proposal_id", message, "leave it; a decision stands, and a new proposal can be filed"))
}

fn decide(proposal: &Proposal, status: ProposalStatus, canonical_id: Option<String>, ctx: &Context) -> Proposal {
    let reason = Reason::Decided.as_str();
    Proposal {
        status,
        reason: Some(reason.to_owned()),
        rationale: Some(format!("{status} ({reason}): CanonKeeper decided it")),
        canonical_id,
        evaluated_at: Some(ctx.now),
        ..proposal.clone()
    }
}

/// Refuses a canonical id of nothing that such a proposal can have become.
async fn exists(reader: &Reader<'_>, proposal: &Proposal, scene: &Scene, id: &str) -> Result<(), Error> {
    let kinds = match proposal.r#type {
        ProposalType::Fact | ProposalType::StateChange => kind::FACT,
        ProposalType::Event => kind::EVENT,
        ProposalType::Entity => kind::ENTITY,
        ProposalType::Relationship => kind::RELATIONSHIP,
    };
    let what = match proposal.r#type {
        ProposalType::Fact | ProposalType::StateChange => "fact",
        ProposalType::Event => "event",
        ProposalType::Entity => "entity",
        ProposalType::Relationship => "relationship",
    };
    let universe = universe_of(reader, &[kinds], id).await?;
    same_universe("canonical_id", &universe.ok_or_else(|| Error::not_found("canonical_id", what, id))?, scene)
}
