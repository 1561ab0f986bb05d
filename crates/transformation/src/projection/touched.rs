//! What may differ between two states, told by the facts in between.

use std::collections::{BTreeMap, BTreeSet};

use super::Snapshot;
use crate::Error;

const FACTS_PER_READ: usize = 500;

impl Snapshot<'_> {
    /// The ids, by kind, of all records that facts between the two states are about. None when there are more than
    /// `facts_max`, or when a state shows only a part or a proposal, so that facts do not tell all.
    pub async fn touched_until(
        &self,
        other: &Snapshot<'_>,
        facts_max: u64,
    ) -> Result<Option<BTreeMap<String, BTreeSet<String>>>, Error> {
        let (mut after, until) = (self.at.min(other.at), self.at.max(other.at));
        let told = |state: &Snapshot<'_>| !state.shows_a_part() && state.proposal.is_none();
        if !told(self) || !told(other) || until - after > facts_max {
            return Ok(None);
        }
        let mut touched: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        while after < until {
            let facts = self.ledger.facts(&self.ctx.scope.tenant, after, FACTS_PER_READ).await?;
            let Some(last) = facts.last() else { break };
            after = last.seq;
            for fact in facts.into_iter().filter(|fact| fact.seq <= until) {
                touched.entry(fact.subject.kind).or_default().insert(fact.subject.id);
            }
        }
        Ok(Some(touched))
    }
}
