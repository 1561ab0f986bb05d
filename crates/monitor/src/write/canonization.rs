//! A scene becomes canon: its proposals are decided one by one, each in a commit of its own, and then it is completed.
//!
//! The scene is marked as finalizing first. Whoever finds it so may go on: what is decided stays decided, and what is pending is
//! decided on the canon as it is by then. The last commit completes the scene, and only one can make it.

use contract::Context;
use contract::generated::monitor::{self as proto, CanonizeSceneRequest, CanonizeSceneResponse};
use desk::Stored;
use ledger::{Expectation, RecordKey};
use scope::Timestamp;
use serde::{Deserialize, Serialize};

use super::entity::decision;
use super::scene::{proposals_of, scene_of, stored_proposals};
use super::{Decision, Marks, Write, canon, receipt};
use crate::Error;
use crate::domain::canonize::{self, Ruling};
use crate::domain::content::{self, Content};
use crate::domain::fact::{Fact, Happening};
use crate::domain::narrative::{Proposal, Scene};
use crate::domain::row::{Row, kind};
use crate::domain::scene;
use crate::domain::words::{ProposalStatus, ProposalType, SceneStatus};
use crate::projection::Reader;
use crate::projection::message::number;

/// So often in a row may others change what decisions rest on before a call gives up.
const STALLS_MAX: u32 = 8;

/// Nothing to say: the answer of a commit on the way.
#[derive(Serialize, Deserialize)]
pub struct Silent;

impl desk::Marks<Silent> for Marks {
    fn mark_replay(_answer: &mut Silent, _at: Timestamp) {}
}

impl Write {
    /// Decides everything that is pending, and then what completes the scene.
    pub(super) async fn canonized(
        &self,
        ctx: &Context,
        request: &CanonizeSceneRequest,
    ) -> Result<Decision<CanonizeSceneResponse>, Error> {
        // Only the last commit answers the call, so only it carries the key and the audit record.
        let on_the_way = Context { effect: None, audit: Default::default(), ..ctx.clone() };
        self.begin(&on_the_way, request).await?;
        self.decide_all(&on_the_way, request).await?;
        let reader = self.reader(ctx);
        let scene = scene_of(&reader, &request.scene_id).await?;
        let proposals = proposals_of(&reader, &scene.scene_id).await?;
        let aggregate = RecordKey::new(kind::SCENE, &scene.scene_id);
        if scene.status == SceneStatus::Completed {
            check_ours(&scene, ctx)?;
            return Ok(Decision::new(Vec::new(), aggregate, answer(&scene, &proposals)));
        }
        scene::check_decided(&proposals)?;
        let summary = scene::summary(&scene, &statements(&proposals));
        let outcomes = accepted(&proposals).filter_map(|proposal| proposal.canonical_id.clone()).collect();
        let after = scene::complete(&scene, outcomes, summary, ctx.now);
        let answer = answer(&after, &proposals);
        Ok(decision(Happening::SceneFinalized, vec![Row::Scene(after)], vec![scene.unchanged()], answer))
    }

    /// Marks the scene as finalizing, unless it is.
    async fn begin(&self, ctx: &Context, request: &CanonizeSceneRequest) -> Result<(), Error> {
        let decide = async || -> Result<Decision<Silent>, Error> {
            let reader = self.reader(ctx);
            let scene = scene_of(&reader, &request.scene_id).await?;
            let aggregate = RecordKey::new(kind::SCENE, &scene.scene_id);
            match scene.status {
                SceneStatus::Completed => check_ours(&scene, ctx)?,
                SceneStatus::Finalizing => {}
                SceneStatus::Active => {
                    if !request.evaluate_proposals {
                        scene::check_decided(&proposals_of(&reader, &scene.scene_id).await?)?;
                    }
                    let after = scene::finalizing(&scene, &ctx.request.request_id, ctx.now);
                    let rows = vec![Row::Scene(after)];
                    return Ok(decision(Happening::SceneFinalizing, rows, vec![scene.unchanged()], Silent));
                }
            }
            Ok(Decision::new(Vec::new(), aggregate, Silent))
        };
        self.recorder.once(ctx, decide).await.map(|Silent| ())
    }

    async fn decide_all(&self, ctx: &Context, request: &CanonizeSceneRequest) -> Result<(), Error> {
        let mut stalls = 0;
        while stalls < STALLS_MAX {
            let reader = self.reader(ctx);
            let scene = scene_of(&reader, &request.scene_id).await?;
            if scene.status == SceneStatus::Completed {
                return Ok(());
            }
            let proposals = stored_proposals(&reader, &scene.scene_id).await?;
            if let Some(bare) = proposals.iter().find(|one| is_bare(one)) {
                let (ruling, expectations) = self.carried_out(ctx, &reader, bare).await?;
                let round = Round { scene: &scene, proposals: &proposals, expectations };
                self.commit(ctx, &reader, round, vec![ruling]).await?;
                continue;
            }
            if !request.evaluate_proposals || proposals.iter().all(|one| one.status != ProposalStatus::Pending) {
                return Ok(());
            }
            let rows: Vec<Proposal> = proposals.iter().map(|one| one.row.clone()).collect();
            let (canon, expectations) = canon::load(&reader.view, &rows).await?;
            let rulings = canonize::rule(&self.config.policy, &rows, canon, ctx.now, &mut || ctx.ids.next());
            let round = Round { scene: &scene, proposals: &proposals, expectations };
            let decided = self.commit(ctx, &reader, round, rulings).await?;
            stalls = if decided == 0 { stalls + 1 } else { 0 };
        }
        Err(Error::Transaction {
            message: "what the proposals rest on kept changing while they were decided".to_owned(),
            fix: "make the same call again; what is decided stays decided".to_owned(),
            details: Default::default(),
        })
    }

    /// Commits rulings one by one, as long as nobody else changes what they rest on. Returns how many were made.
    async fn commit(
        &self,
        ctx: &Context,
        reader: &Reader<'_>,
        mut round: Round<'_>,
        rulings: Vec<Ruling>,
    ) -> Result<usize, Error> {
        let all = rulings.len();
        for (made, Ruling { proposal, mut rows, .. }) in rulings.into_iter().enumerate() {
            let id = proposal.proposal_id.clone();
            rows.insert(0, Row::Proposal(proposal));
            let put: Vec<RecordKey> = rows.iter().map(Row::key).collect();
            let mut expectations = round.expectations.clone();
            expectations.push(round.scene.unchanged());
            expectations.extend(round.proposals.iter().find(|one| one.proposal_id == id).map(Stored::unchanged));
            let fact = Fact::new(Happening::ProposalEvaluated, rows);
            self.recorder.record_unless_done(ctx, vec![fact], expectations).await?;
            match reader.find::<Proposal>(kind::PROPOSAL, &id).await? {
                Some(after) if after.evaluated_at == Some(ctx.now) => round.follow(&put, after.seq),
                _ => return Ok(made),
            }
        }
        Ok(all)
    }
}

/// What the rulings of one load rest on, kept up as they are committed.
struct Round<'a> {
    scene: &'a Stored<Scene>,
    proposals: &'a [Stored<Proposal>],
    expectations: Vec<Expectation>,
}

impl Round<'_> {
    /// What a commit of ours put has its next version, and the links that it put are no surprise.
    fn follow(&mut self, put: &[RecordKey], seq: ledger::Seq) {
        for expectation in &mut self.expectations {
            match expectation {
                Expectation::Version { key, version } => {
                    *version += put.iter().filter(|other| *other == key).count() as u64;
                }
                Expectation::LinksUnchanged { since, .. } => *since = seq,
                _ => {}
            }
        }
    }
}

/// Refuses a scene that another call completed.
fn check_ours(scene: &Scene, ctx: &Context) -> Result<(), Error> {
    if scene.canonization.as_deref() == Some(ctx.request.request_id.as_str()) {
        return Ok(());
    }
    Err(Error::already_canonized(&scene.scene_id, scene.completed_at))
}

/// Accepted, and not written yet: what an import can bring.
fn is_bare(proposal: &Proposal) -> bool {
    proposal.status == ProposalStatus::Accepted && proposal.canonical_id.is_none()
}

fn accepted(proposals: &[Proposal]) -> impl Iterator<Item = &Proposal> {
    proposals.iter().filter(|proposal| proposal.status == ProposalStatus::Accepted)
}

/// What was accepted, in words.
fn statements(proposals: &[Proposal]) -> Vec<String> {
    let said = |proposal: &Proposal| match content::parse(proposal.r#type, &proposal.content).ok()? {
        Content::Fact(fact) => Some(fact.statement),
        Content::Event(event) => Some(event.title),
        _ => None,
    };
    accepted(proposals).filter_map(said).collect()
}

fn answer(scene: &Scene, proposals: &[Proposal]) -> CanonizeSceneResponse {
    let ids = |kinds: &[ProposalType]| -> Vec<String> {
        accepted(proposals)
            .filter(|proposal| kinds.contains(&proposal.r#type))
            .filter_map(|proposal| proposal.canonical_id.clone())
            .collect()
    };
    let by = |status: ProposalStatus| -> Vec<String> {
        proposals.iter().filter(|one| one.status == status).map(|one| one.proposal_id.clone()).collect()
    };
    let decisions = proposals.iter().map(|proposal| proto::Verdict {
        proposal_id: proposal.proposal_id.clone(),
        decision: number::<proto::Decision>(proposal.status.as_str()),
        reason: proposal.reason.clone().unwrap_or_default(),
        rationale: proposal.rationale.clone().unwrap_or_default(),
        canonical_id: proposal.canonical_id.clone(),
        score: proposal.score,
    });
    CanonizeSceneResponse {
        scene_id: scene.scene_id.clone(),
        accepted_proposals: by(ProposalStatus::Accepted),
        rejected_proposals: by(ProposalStatus::Rejected),
        canonical_fact_ids: ids(&[ProposalType::Fact, ProposalType::StateChange]),
        canonical_event_ids: ids(&[ProposalType::Event]),
        canonical_entity_ids: ids(&[ProposalType::Entity]),
        relationships_created: ids(&[ProposalType::Relationship]),
        retconned_fact_ids: proposals.iter().flat_map(|proposal| proposal.retconned.clone()).collect(),
        summary: scene.summary.clone(),
        decisions: decisions.collect(),
        receipt: receipt(),
    }
}
