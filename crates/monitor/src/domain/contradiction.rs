//! What speaks against a claim: deterministic comparisons with the canon.
//!
//! * a state tag that excludes one that the entity has;
//! * a statement that denies another one about the same entities;
//! * an entity that is located in two places at one time;
//! * allies who are enemies;
//! * a cause that is later than its effect;
//! * an action of somebody who is dead by then.

use scope::Timestamp;

use super::claim::Claim;
use super::node::{Entity, Event, Fact, Relationship, TagChange};
use super::policy::Contradiction;
use super::words::{CanonLevel, FactType};
use super::{Map, relation, tags};

/// State tags against those of the entity. `facts` are the ones that gave it its tags, as far as there are any.
pub fn state<'a>(
    entity: &Entity,
    change: &TagChange,
    facts: impl Iterator<Item = &'a Fact> + Clone,
) -> Vec<Contradiction> {
    let against = |tag: &str| {
        let given = facts.clone().find(|fact| gave(fact, &entity.entity_id, tag));
        let id = given.map_or_else(|| entity.entity_id.clone(), |fact| fact.fact_id.clone());
        contradiction(id, format!("{} is {tag}", entity.name))
    };
    tags::excluded(entity, change).into_iter().map(against).collect()
}

/// A statement against canonical ones about the same entities.
pub fn statement<'a>(
    statement: &str,
    entities: &[String],
    facts: impl Iterator<Item = &'a Fact>,
) -> Vec<Contradiction> {
    let (claim, about) = (Claim::of(statement), sorted(entities));
    let against = |fact: &&Fact| {
        fact.canon_level == CanonLevel::Canon
            && sorted(&fact.involved_entity_ids) == about
            && claim.denies(&Claim::of(&fact.statement))
    };
    facts
        .filter(against)
        .map(|fact| contradiction(fact.fact_id.clone(), format!("it says {:?}", fact.statement)))
        .collect()
}

/// A relationship against those that its first entity has.
pub fn relationship<'a>(
    (from, to, rel_type, properties): (&str, &str, &str, &Map),
    existing: impl Iterator<Item = &'a Relationship>,
) -> Vec<Contradiction> {
    let elsewhere = |other: &Relationship| {
        rel_type == relation::LOCATED_IN
            && other.rel_type == relation::LOCATED_IN
            && other.to_entity_id != to
            && time_ref(&other.properties) == time_ref(properties)
    };
    let opposite = |other: &Relationship| {
        relation::opposite(rel_type) == Some(other.rel_type.as_str()) && other.to_entity_id == to
    };
    existing
        .filter(|other| other.canon_level == CanonLevel::Canon && other.from_entity_id == from)
        .filter(|other| elsewhere(other) || opposite(other))
        .map(|other| contradiction(other.relationship_id.clone(), format!("{} {}", other.rel_type, other.to_entity_id)))
        .collect()
}

/// An event against the events that it causes. No retcon makes a later cause possible.
pub fn causes<'a>(time_ref: Option<Timestamp>, effects: impl Iterator<Item = &'a Event>) -> Vec<Contradiction> {
    let earlier =
        |effect: &&Event| matches!((time_ref, effect.time_ref), (Some(cause), Some(effect)) if cause > effect);
    let against = |effect: &Event| Contradiction {
        id: effect.event_id.clone(),
        why: "it happened before its cause".to_owned(),
        can_be_retconned: false,
    };
    effects.filter(earlier).map(against).collect()
}

/// An action against the deaths of those who take part in it. `facts` are the ones that gave them the tag.
pub fn action<'a>(
    time_ref: Option<Timestamp>,
    involved: impl Iterator<Item = &'a Entity>,
    facts: impl Iterator<Item = &'a Fact> + Clone,
) -> Vec<Contradiction> {
    let dead = involved.filter(|entity| entity.state_tags.iter().any(|tag| tag == tags::DEAD));
    let against = |entity: &Entity| {
        let death = facts.clone().find(|fact| gave(fact, &entity.entity_id, tags::DEAD));
        let after = match (time_ref, death.and_then(|death| death.time_ref)) {
            // What has no time is told now.
            (None, _) => true,
            (Some(now), Some(died)) => now > died,
            (Some(_), None) => false,
        };
        let id = death.map_or_else(|| entity.entity_id.clone(), |fact| fact.fact_id.clone());
        after.then(|| contradiction(id, format!("{} is dead by then", entity.name)))
    };
    dead.filter_map(against).collect()
}

/// Whether a fact tells of an action.
pub fn is_action(fact_type: FactType) -> bool {
    fact_type == FactType::Occurrence
}

/// When a relationship holds, as far as its properties tell.
fn time_ref(properties: &Map) -> Option<Timestamp> {
    properties.get("time_ref")?.as_str()?.parse().ok()
}

fn gave(fact: &Fact, entity: &str, tag: &str) -> bool {
    let change = fact.state_change.as_ref().filter(|_| fact.canon_level == CanonLevel::Canon);
    change.is_some_and(|change| change.entity_id == entity && change.add.iter().any(|added| added == tag))
}

fn contradiction(id: String, why: String) -> Contradiction {
    Contradiction { id, why, can_be_retconned: true }
}

fn sorted(ids: &[String]) -> Vec<&String> {
    let mut ids: Vec<&String> = ids.iter().collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

#[cfg(test)]
mod tests;
