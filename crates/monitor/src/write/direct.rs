//! What CanonKeeper writes into the canon without a proposal. It is judged like one, so there is one policy: what is accepted
//! becomes canon, what only misses the threshold is kept as proposed, and everything else is refused.

use contract::Context;
use ledger::Expectation;

use super::{Write, canon};
use crate::Error;
use crate::domain::narrative::{Evidence, Proposal};
use crate::domain::policy::Reason;
use crate::domain::words::{Authority, EvidenceKind, ProposalStatus, ProposalType};
use crate::domain::{Map, canonize, row::Row};
use crate::projection::Reader;

/// What is to become canon, with checked arguments.
#[derive(Clone)]
pub struct Claim {
    pub universe_id: String,
    pub r#type: ProposalType,
    /// As a proposal of the type has it.
    pub content: Map,
    pub authority: Authority,
    pub confidence: f64,
    pub evidence: Vec<Evidence>,
    /// The argument that a refusal by the policy names.
    pub field: &'static str,
}

/// What is to be recorded.
pub struct Ruled {
    /// At least one; what the claim is about comes first.
    pub rows: Vec<Row>,
    pub expectations: Vec<Expectation>,
}

impl Write {
    /// Judges a claim, or refuses it with the reason of the policy.
    pub(super) async fn judged(&self, ctx: &Context, reader: &Reader<'_>, claim: Claim) -> Result<Ruled, Error> {
        evidence_resolves(reader, &claim.universe_id, &claim.evidence).await?;
        let field = claim.field;
        let proposal = proposal(ctx, claim);
        let (canon, expectations) = canon::load(&reader.view, std::slice::from_ref(&proposal)).await?;
        let mut next_id = || ctx.ids.next();
        let ruling = canonize::direct(&self.config.policy, &proposal, canon, ctx.now, &mut next_id);
        let ruling = ruling.ok_or_else(|| Error::internal(&ctx.request.request_id, "a claim was not judged"))?;
        let verdict = ruling.verdict;
        if verdict.is_accepted() || verdict.reason == Reason::BelowThreshold {
            return Ok(Ruled { rows: ruling.rows, expectations });
        }
        let fix = match verdict.reason {
            Reason::ContradictsCanon => {
                "leave it, or let a game master vouch for it: authority gm with a turn of theirs as evidence"
            }
            Reason::MissingReference => "name what exists",
            Reason::NoEvidence => "name evidence that exists",
            _ => "give what the reason names",
        };
        let error = Error::constraint(field, verdict.rationale, fix).detail("policy", verdict.reason.as_str());
        Err(error)
    }
}

fn proposal(ctx: &Context, claim: Claim) -> Proposal {
    Proposal {
        proposal_id: ctx.request.request_id.clone(),
        scene_id: String::new(),
        universe_id: claim.universe_id,
        turn_id: None,
        r#type: claim.r#type,
        content: claim.content,
        evidence: claim.evidence,
        confidence: claim.confidence,
        authority: claim.authority,
        by_gm: ctx.principal.roles.contains("gm"),
        status: ProposalStatus::Pending,
        reason: None,
        rationale: None,
        score: None,
        canonical_id: None,
        retconned: Vec::new(),
        proposer_id: ctx.principal.id(),
        proposer_type: String::new(),
        created_at: ctx.now,
        evaluated_at: None,
    }
}

/// Refuses evidence that names nothing of this universe, each piece by its place.
pub async fn evidence_resolves(reader: &Reader<'_>, universe_id: &str, evidence: &[Evidence]) -> Result<(), Error> {
    let resolved = canon::evidence(&reader.view, evidence).await?;
    for (place, (one, found)) in evidence.iter().zip(resolved).enumerate() {
        let what = match one.r#type {
            EvidenceKind::Source => "source",
            EvidenceKind::Turn => "turn",
            EvidenceKind::Scene => "scene",
            EvidenceKind::Snippet => "snippet",
            EvidenceKind::Rule => "axiom or snippet",
        };
        match found {
            Some(found) if found.universe_id == universe_id => {}
            Some(_) => {
                return Err(Error::constraint(
                    format!("evidence_refs[{place}]"),
                    format!("evidence_refs[{place}] names a {what} of another universe"),
                    "name evidence of the universe that the claim is about",
                ));
            }
            None => return Err(Error::not_found(format!("evidence_refs[{place}]"), what, &one.ref_id)),
        }
    }
    Ok(())
}
