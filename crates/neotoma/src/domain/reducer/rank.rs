//! Which of two observations ranks first.

use std::cmp::Ordering;

use scope::Timestamp;

use super::Winner;
use crate::domain::observation::{CORRECTION_PRIORITY, Kind, Observation};
use crate::domain::schema::{Reducer, Strategy, TieBreaker};

/// What ranks an observation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rank<'a> {
    pub id: &'a str,
    pub observed_at: Timestamp,
    pub priority: f64,
    pub specificity: f64,
    pub kind: Option<Kind>,
}

/// The order of two observations, `Less` for the one that ranks first, and why the other one lost.
pub(super) fn compare(reducer: Reducer, one: Rank<'_>, other: Rank<'_>) -> (Ordering, &'static str) {
    let by_priority = || (other.priority.total_cmp(&one.priority), "lower priority");
    let by_kind = || (kind_rank(one.kind).cmp(&kind_rank(other.kind)), "weaker kind of source");
    let by_time = || (other.observed_at.cmp(&one.observed_at), "older");
    let by_id = || (one.id.cmp(other.id), "same rank, larger id");
    let by_specificity = || (other.specificity.total_cmp(&one.specificity), "less specific");
    let prefers_priority = reducer.tie_breaker == Some(TieBreaker::SourcePriority);

    let tier = (other.is_correction().cmp(&one.is_correction()), "outranked by a correction");
    let steps: &[&dyn Fn() -> (Ordering, &'static str)] = match reducer.strategy {
        Strategy::LastWrite => &[&by_time],
        // Of two corrections the newer one counts, or nobody could correct a correction.
        Strategy::HighestPriority if prefers_priority && !one.is_correction() => &[&by_priority, &by_kind],
        Strategy::HighestPriority => &[&by_priority, &by_kind, &by_time],
        Strategy::MostSpecific if prefers_priority => &[&by_specificity, &by_priority, &by_kind, &by_time],
        Strategy::MostSpecific => &[&by_specificity, &by_time],
        Strategy::MergeArray => &[&by_priority, &by_time],
    };
    let decided = std::iter::once(tier).chain(steps.iter().map(|step| step())).find(|(order, _)| order.is_ne());
    decided.unwrap_or_else(by_id)
}

impl Rank<'_> {
    pub fn is_correction(&self) -> bool {
        self.priority >= CORRECTION_PRIORITY
    }
}

impl<'a> From<&'a Winner> for Rank<'a> {
    fn from(winner: &'a Winner) -> Self {
        Self {
            id: &winner.id,
            observed_at: winner.observed_at,
            priority: winner.source_priority,
            specificity: winner.specificity_score,
            kind: winner.kind,
        }
    }
}

impl<'a> From<&'a Observation> for Rank<'a> {
    fn from(observation: &'a Observation) -> Self {
        Self {
            id: &observation.id,
            observed_at: observation.observed_at,
            priority: observation.source_priority,
            specificity: observation.specificity_score,
            kind: observation.kind,
        }
    }
}

/// Kinds are declared from the strongest to the weakest; an unnamed kind is weaker than all.
fn kind_rank(kind: Option<Kind>) -> (bool, Option<Kind>) {
    (kind.is_none(), kind)
}
