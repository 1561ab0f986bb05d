//! Decides all proposals of a scene, in their order.
//!
//! Entities come first, then facts and events, changes of state, relationships, so that a later one can name what an earlier one
//! brings; within each sort by time of filing, then by id, effects before their causes. A proposal is decided on the canon as
//! the ones before it leave it. What names an entity is judged as if that entity were accepted, if it can be; an entity is then
//! accepted by its own score, or because something that was accepted needs it.

mod apply;
mod batch;

use std::collections::BTreeMap;

use scope::Timestamp;

use super::narrative::Proposal;
use super::node::{Entity, Event, Fact, Relationship};
use super::policy::{Policy, Verdict};
use super::row::Row;
use super::words::{EvidenceKind, Speaker};

pub use batch::references;

/// What decisions rest on: the part of the canon that the proposals touch.
#[derive(Debug, Clone, Default)]
pub struct Canon {
    pub entities: BTreeMap<String, Entity>,
    pub events: BTreeMap<String, Event>,
    pub facts: BTreeMap<String, Fact>,
    pub relationships: BTreeMap<String, Relationship>,
    /// The evidence that resolves; of a turn also who speaks.
    pub evidence: BTreeMap<(EvidenceKind, String), Option<Speaker>>,
}

/// The decision on one proposal, with all that it records.
#[derive(Debug, Clone, PartialEq)]
pub struct Ruling {
    pub proposal: Proposal,
    pub verdict: Verdict,
    /// What becomes canon or is retconned by it; nothing when it is rejected.
    pub rows: Vec<Row>,
    /// The facts and relationships that it takes the place of.
    pub retconned: Vec<String>,
}

/// Decides the pending ones of `proposals`, which are all that the scene has. `next_id` makes ids for what becomes canon.
pub fn rule(
    policy: &Policy,
    proposals: &[Proposal],
    canon: Canon,
    now: Timestamp,
    next_id: &mut dyn FnMut() -> String,
) -> Vec<Ruling> {
    batch::Batch::new(policy, proposals, canon, now, next_id).rule()
}

/// Carries out one proposal that CanonKeeper accepted: everything but the threshold must hold. `None` if it is not pending.
pub fn accept(
    policy: &Policy,
    proposals: &[Proposal],
    canon: Canon,
    now: Timestamp,
    (chosen, next_id): (&str, &mut dyn FnMut() -> String),
) -> Option<Ruling> {
    batch::Batch::new(policy, proposals, canon, now, next_id).accept(chosen)
}

/// Decides what CanonKeeper writes without a scene, put as a proposal. What is only below the threshold is kept as proposed:
/// then there are rows although the verdict does not accept it.
pub fn direct(
    policy: &Policy,
    proposal: &Proposal,
    canon: Canon,
    now: Timestamp,
    next_id: &mut dyn FnMut() -> String,
) -> Option<Ruling> {
    let proposals = std::slice::from_ref(proposal);
    batch::Batch::new(policy, proposals, canon, now, next_id).direct()
}

#[cfg(test)]
mod tests;
