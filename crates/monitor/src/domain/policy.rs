//! The canonization policy: whether a claim becomes canon. One function, the same for proposals and direct writes.
//!
//! The steps are taken in order, and the first that decides gives the reason:
//! 1. the content is not what its type asks for: rejected, `invalid_content`;
//! 2. something it names does not exist: rejected, `missing_reference`; no evidence resolves: rejected, `no_evidence`;
//! 3. it contradicts the canon, and no game master vouches for it: rejected, `contradicts_canon`;
//! 4. a game master vouches for it: accepted at any confidence, and what it contradicts is retconned;
//! 5. confidence times the weight of its authority reaches the threshold: accepted; otherwise rejected, `below_threshold`.

use serde::{Deserialize, Serialize};

use super::words::Authority;

/// What an operator may tune, in hundredths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Policy {
    pub weight_source: u32,
    pub weight_gm: u32,
    pub weight_player: u32,
    pub weight_system: u32,
    pub threshold: u32,
}

impl Default for Policy {
    fn default() -> Self {
        Self { weight_source: 100, weight_gm: 100, weight_player: 70, weight_system: 50, threshold: 50 }
    }
}

impl Policy {
    pub fn weight(&self, authority: Authority) -> f64 {
        f64::from(match authority {
            Authority::Source => self.weight_source,
            Authority::Gm => self.weight_gm,
            Authority::Player => self.weight_player,
            Authority::System => self.weight_system,
        }) / 100.0
    }

    pub fn threshold(&self) -> f64 {
        f64::from(self.threshold) / 100.0
    }
}

/// What the policy looks at.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Case {
    pub authority: Authority,
    pub confidence: f64,
    /// What is wrong with the content.
    pub invalid: Option<String>,
    /// What it names and does not exist.
    pub missing: Vec<String>,
    /// Whether any of its evidence resolves.
    pub has_evidence: bool,
    /// Whether a game master vouches for it: a turn of theirs among the evidence, or the role in the credential.
    pub is_vouched: bool,
    pub contradictions: Vec<Contradiction>,
}

/// Something in the canon that a claim contradicts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contradiction {
    /// The fact, event or relationship, or the entity whose state it is.
    pub id: String,
    pub why: String,
    /// False for what no retcon can put right, such as a cause that is later than its effect.
    pub can_be_retconned: bool,
}

/// Why a claim was accepted or rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    InvalidContent,
    MissingReference,
    NoEvidence,
    ContradictsCanon,
    BelowThreshold,
    /// A game master vouches for it.
    Vouched,
    /// The score reaches the threshold.
    Score,
    /// An entity that an accepted proposal of the same scene needs.
    Needed,
    /// CanonKeeper decided it.
    Decided,
}

impl Reason {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InvalidContent => "invalid_content",
            Self::MissingReference => "missing_reference",
            Self::NoEvidence => "no_evidence",
            Self::ContradictsCanon => "contradicts_canon",
            Self::BelowThreshold => "below_threshold",
            Self::Vouched => "gm",
            Self::Score => "score",
            Self::Needed => "needed",
            Self::Decided => "decided",
        }
    }

    pub fn accepts(self) -> bool {
        matches!(self, Self::Vouched | Self::Score | Self::Needed | Self::Decided)
    }
}

/// A decision with what it rests on.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    pub reason: Reason,
    pub score: f64,
    /// In one or two sentences, with the numbers.
    pub rationale: String,
}

impl Verdict {
    pub fn is_accepted(&self) -> bool {
        self.reason.accepts()
    }
}

/// Decides a case.
pub fn judge(policy: &Policy, case: &Case) -> Verdict {
    let score = case.confidence * policy.weight(case.authority);
    let reason = reason(policy, case, score);
    Verdict { reason, score, rationale: rationale(policy, case, reason, score) }
}

/// Decides an entity that an accepted proposal needs: its score does not matter, everything else does.
pub fn judge_needed(policy: &Policy, case: &Case) -> Verdict {
    match judge(policy, case) {
        verdict if verdict.reason == Reason::BelowThreshold => Verdict {
            reason: Reason::Needed,
            rationale: format!(
                "accepted (needed): an accepted proposal of the scene rests on it; {}",
                sum(policy, case, verdict.score)
            ),
            ..verdict
        },
        verdict => verdict,
    }
}

/// Confidences are decimal fractions, which a double holds almost: 5/7 x 0.7 is 0.5.
const EPSILON: f64 = 1e-9;

fn reason(policy: &Policy, case: &Case, score: f64) -> Reason {
    let gm = case.authority == Authority::Gm && case.is_vouched;
    let stands = |contradiction: &Contradiction| !(gm && contradiction.can_be_retconned);
    if case.invalid.is_some() {
        Reason::InvalidContent
    } else if !case.missing.is_empty() {
        Reason::MissingReference
    } else if !case.has_evidence {
        Reason::NoEvidence
    } else if case.contradictions.iter().any(stands) {
        Reason::ContradictsCanon
    } else if gm {
        Reason::Vouched
    } else if score + EPSILON >= policy.threshold() {
        Reason::Score
    } else {
        Reason::BelowThreshold
    }
}

fn rationale(policy: &Policy, case: &Case, reason: Reason, score: f64) -> String {
    let contradicted = || {
        let list: Vec<String> = case.contradictions.iter().map(|one| format!("{} ({})", one.id, one.why)).collect();
        list.join("; ")
    };
    let because = match reason {
        Reason::InvalidContent => case.invalid.clone().unwrap_or_default(),
        Reason::MissingReference => format!("there is no {}", case.missing.join(", ")),
        Reason::NoEvidence => "none of its evidence resolves to something that is kept".to_owned(),
        Reason::ContradictsCanon => format!("it contradicts {}", contradicted()),
        Reason::Vouched if case.contradictions.is_empty() => {
            format!("a game master vouches for it; {}", sum(policy, case, score))
        }
        Reason::Vouched => format!("a game master vouches for it and retcons {}", contradicted()),
        Reason::Score | Reason::BelowThreshold => sum(policy, case, score),
        Reason::Needed | Reason::Decided => String::new(),
    };
    format!("{} ({}): {because}", if reason.accepts() { "accepted" } else { "rejected" }, reason.as_str())
}

/// The numbers behind a decision.
fn sum(policy: &Policy, case: &Case, score: f64) -> String {
    let (weight, threshold) = (policy.weight(case.authority), policy.threshold());
    let sign = if score + EPSILON >= threshold { "reaches" } else { "is below" };
    format!(
        "score {} = confidence {} x weight {} of {} {sign} the threshold {}",
        short(score),
        short(case.confidence),
        short(weight),
        case.authority,
        short(threshold)
    )
}

/// At most three decimals.
fn short(number: f64) -> String {
    let text = format!("{number:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests;
