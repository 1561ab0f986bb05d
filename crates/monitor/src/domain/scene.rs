//! The life of a scene: it is played, canonized, and then it stays as it is.

use scope::Timestamp;

use super::limit;
use super::narrative::{Proposal, Scene, Turn};
use super::node::{Entity, Story};
use super::words::{EntityClass, EntityType, ProposalStatus, SceneStatus, Speaker};
use crate::Error;

/// Checks where a scene plays and who takes part, as far as they were found.
pub fn check_cast(
    story: &Story,
    universe_id: &str,
    location: Option<&Entity>,
    participants: &[(&String, Option<&Entity>)],
) -> Result<(), Error> {
    if story.universe_id != universe_id {
        let message = format!("story_id names a story of universe {}, not of {universe_id}", story.universe_id);
        return Err(Error::constraint("story_id", message, "give the universe of the story as universe_id"));
    }
    if let Some(place) = location {
        let is_place = place.entity_class == EntityClass::Concreta && place.entity_type == EntityType::Location;
        if place.universe_id != universe_id || !is_place {
            let message = format!("location_ref names {:?}, which is no place of this universe", place.name);
            let fix = "give the id of an EntityConcreta of type location in the same universe";
            return Err(Error::constraint("location_ref", message, fix));
        }
    }
    for (place, (id, found)) in participants.iter().enumerate() {
        let field = format!("participating_entities[{place}]");
        let Some(entity) = found else { return Err(Error::not_found(field, "entity", id)) };
        if entity.universe_id != universe_id {
            let message = format!("{field} names {:?} of another universe", entity.name);
            let fix = "name entities of the scene's universe; neo4j_query_entities lists them";
            return Err(Error::constraint(field, message, fix));
        }
    }
    Ok(())
}

/// Refuses a change of a scene that is not being played.
pub fn check_active(scene: &Scene) -> Result<(), Error> {
    match scene.status {
        SceneStatus::Active => Ok(()),
        SceneStatus::Completed => Err(Error::already_canonized(&scene.scene_id, scene.completed_at)),
        SceneStatus::Finalizing => Err(Error::constraint(
            "scene_id",
            "scene_id names a scene that is being canonized",
            "wait until it is completed, or let CanonKeeper call composite_canonize_scene again to bring it to its end",
        )),
    }
}

/// What a turn says, before it has its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    pub turn_id: String,
    pub speaker: Speaker,
    pub entity_id: Option<String>,
    pub text: String,
    pub resolution_ref: Option<String>,
}

/// Appends a turn: the scene and its new turn. Times in a scene strictly increase.
pub fn append(scene: &Scene, said: Said, now: Timestamp) -> Result<(Scene, Turn), Error> {
    check_active(scene)?;
    check_speaker(&said)?;
    let timestamp = match scene.last_turn_at {
        Some(last) if now <= last => last.plus_micros(1),
        _ => now,
    };
    let turn = Turn {
        turn_id: said.turn_id,
        scene_id: scene.scene_id.clone(),
        story_id: scene.story_id.clone(),
        universe_id: scene.universe_id.clone(),
        number: scene.turn_count + 1,
        speaker: said.speaker,
        entity_id: said.entity_id,
        text: said.text,
        resolution_ref: said.resolution_ref,
        timestamp,
    };
    let (turn_count, last_turn_at) = (turn.number, Some(timestamp));
    Ok((Scene { turn_count, last_turn_at, updated_at: timestamp, ..scene.clone() }, turn))
}

fn check_speaker(said: &Said) -> Result<(), Error> {
    match (said.speaker, &said.entity_id) {
        (Speaker::Entity, None) => Err(Error::invalid(
            "entity_id",
            "is required when speaker is entity",
            "give the id of the entity that speaks",
        )),
        (Speaker::User | Speaker::Gm, Some(_)) => Err(Error::invalid(
            "entity_id",
            format!("is given although speaker is {}", said.speaker),
            "leave entity_id out, or give speaker entity",
        )),
        _ => Ok(()),
    }
}

/// The scene while it is canonized by the call of this id.
pub fn finalizing(scene: &Scene, call: &str, now: Timestamp) -> Scene {
    let canonization = Some(call.to_owned());
    Scene { status: SceneStatus::Finalizing, canonization, updated_at: now, ..scene.clone() }
}

/// The scene once everything about it is decided.
pub fn complete(scene: &Scene, canonical_outcomes: Vec<String>, summary: String, now: Timestamp) -> Scene {
    Scene {
        status: SceneStatus::Completed,
        canonical_outcomes,
        summary,
        updated_at: now,
        completed_at: Some(now),
        ..scene.clone()
    }
}

/// Refuses to close a scene whose proposals are not all decided.
pub fn check_decided(proposals: &[Proposal]) -> Result<(), Error> {
    let pending: Vec<&str> = proposals
        .iter()
        .filter(|proposal| proposal.status == ProposalStatus::Pending)
        .map(|proposal| proposal.proposal_id.as_str())
        .collect();
    if pending.is_empty() {
        return Ok(());
    }
    let reason = format!("the scene has {} proposals that nobody has decided", pending.len());
    let fix = "call composite_canonize_scene, or mongodb_evaluate_proposal for each of them";
    Err(Error::constraint("scene_id", reason, fix).detail("pending_proposals", pending))
}

/// The summary of a scene that has none: title, purpose and what became canon.
pub fn summary(scene: &Scene, statements: &[String]) -> String {
    if !scene.summary.is_empty() {
        return scene.summary.clone();
    }
    let sentence = |text: &str| match text.trim_end() {
        text if text.ends_with(['.', '!', '?', '…']) => text.to_owned(),
        text => format!("{text}."),
    };
    let parts = [&scene.title, &scene.purpose].into_iter().chain(statements).filter(|part| !part.trim().is_empty());
    let whole = parts.map(|part| sentence(part)).collect::<Vec<_>>().join(" ");
    contract::excerpt(&whole, limit::SUMMARY_CHARS_MAX - 1)
}

#[cfg(test)]
mod tests;
