//! Paths between entities that must not be there: edges of an acyclic type never lead back.
//!
//! A [`Reach`] looks for one. It is told what is stored at each entity that it comes to, and knows what a plan changes.

use std::collections::{BTreeMap, BTreeSet};

use ledger::{Expectation, Seq};

use super::plan::Plan;
use super::relationship::{EdgeState, Relationship};
use super::row::kind;
use crate::Error;

/// A search gives up after this many entities, and refuses.
const PASSED_MAX: usize = 10_000;

/// A path that must not be there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Search {
    pub relationship_type: String,
    pub from: Vec<String>,
    pub to: String,
    /// The argument that would close the cycle.
    pub field: &'static str,
    pub guard: Guard,
}

/// What keeps the path away until the commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guard {
    /// The ledger looks for the path once more.
    NoPath,
    /// Nothing that was passed gets another link after this point.
    LinksUnchanged(Seq),
}

impl Search {
    /// The refusal of what would close a cycle.
    pub fn cycle(&self) -> Error {
        Error::Cycle { field: self.field, relationship_type: self.relationship_type.clone() }
    }

    /// What has to hold at the commit.
    pub fn guards(&self, passed: BTreeSet<String>) -> Vec<Expectation> {
        match self.guard {
            Guard::NoPath => {
                let path = |from: &String| Expectation::NoPath {
                    kind: kind::RELATIONSHIP.to_owned(),
                    types: vec![self.relationship_type.clone()],
                    from: from.clone(),
                    to: self.to.clone(),
                };
                self.from.iter().map(path).collect()
            }
            Guard::LinksUnchanged(since) => {
                passed.into_iter().map(|id| Expectation::LinksUnchanged { id, since }).collect()
            }
        }
    }
}

/// A search under way.
pub struct Reach<'p> {
    to: &'p str,
    /// Edges that the plan changes: what is stored of them does not count.
    changed: BTreeSet<&'p str>,
    /// Where the plan's own edges lead.
    ahead: BTreeMap<&'p str, Vec<&'p str>>,
    passed: BTreeSet<String>,
    open: Vec<String>,
}

impl<'p> Reach<'p> {
    pub fn new(plan: &'p Plan, search: &'p Search) -> Self {
        let (mut changed, mut ahead) = (BTreeSet::new(), BTreeMap::<&str, Vec<&str>>::new());
        for edge in plan.edges().filter(|edge| edge.relationship_type == search.relationship_type) {
            changed.insert(edge.id.as_str());
            if edge.state == EdgeState::Live {
                ahead.entry(&edge.source).or_default().push(&edge.target);
            }
        }
        let passed = search.from.iter().cloned().collect();
        Self { to: &search.to, changed, ahead, passed, open: search.from.clone() }
    }

    /// The entity whose stored edges are to be told next. Refuses when the path is there, or too long to know.
    pub fn next(&mut self, search: &Search) -> Result<Option<String>, Error> {
        let Some(at) = self.open.pop() else { return Ok(None) };
        if at == self.to || self.passed.len() > PASSED_MAX {
            return Err(search.cycle());
        }
        let planned = self.ahead.get(at.as_str()).into_iter().flatten().map(|target| (*target).to_owned());
        let planned: Vec<String> = planned.collect();
        self.pass(planned);
        Ok(Some(at))
    }

    /// Takes the stored edges that leave an entity.
    pub fn follow(&mut self, stored: impl IntoIterator<Item = Relationship>) {
        let stored = stored.into_iter().filter(|edge| !self.changed.contains(edge.id.as_str()));
        let targets: Vec<String> = stored.map(|edge| edge.target).collect();
        self.pass(targets);
    }

    fn pass(&mut self, targets: Vec<String>) {
        for id in targets {
            if self.passed.insert(id.clone()) {
                self.open.push(id);
            }
        }
    }

    /// Everything that was passed.
    pub fn passed(self) -> BTreeSet<String> {
        self.passed
    }
}

#[cfg(test)]
mod tests;
