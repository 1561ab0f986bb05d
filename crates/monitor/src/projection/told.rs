//! What was told, as callers see it.

use contract::generated::monitor as proto;

use super::message::{moment, number, text};
use crate::domain::memory::Recalled;
use crate::domain::narrative::{Memory, Proposal, Resolution, Scene, Turn};

/// A scene without its turns and proposals.
pub fn scene(row: &Scene) -> proto::Scene {
    proto::Scene {
        scene_id: row.scene_id.clone(),
        story_id: row.story_id.clone(),
        universe_id: row.universe_id.clone(),
        title: row.title.clone(),
        purpose: text(&row.purpose),
        status: number::<proto::SceneStatus>(row.status.as_str()),
        order: row.order.and_then(|order| i32::try_from(order).ok()),
        location_ref: row.location_ref.clone(),
        participating_entities: row.participating_entities.clone(),
        turns: Vec::new(),
        proposed_changes: Vec::new(),
        canonical_outcomes: row.canonical_outcomes.clone(),
        summary: text(&row.summary),
        gm_notes: text(&row.gm_notes),
        created_at: row.created_at.to_string(),
        updated_at: row.updated_at.to_string(),
        completed_at: moment(row.completed_at),
        turn_count: row.turn_count.cast_signed(),
    }
}

pub fn turn(row: &Turn) -> proto::Turn {
    proto::Turn {
        turn_id: row.turn_id.clone(),
        scene_id: row.scene_id.clone(),
        speaker: number::<proto::Speaker>(row.speaker.as_str()),
        entity_id: row.entity_id.clone(),
        text: row.text.clone(),
        timestamp: row.timestamp.to_string(),
        resolution_ref: row.resolution_ref.clone(),
    }
}

/// A proposal in full.
pub fn proposal(row: &Proposal) -> proto::Proposal {
    let evidence = row.evidence.iter().map(|one| proto::Evidence {
        r#type: number::<proto::EvidenceType>(one.r#type.as_str()),
        ref_id: one.ref_id.clone(),
    });
    proto::Proposal {
        scene_id: Some(row.scene_id.clone()),
        turn_id: row.turn_id.clone(),
        content: Some(row.content.clone().into()),
        evidence: evidence.collect(),
        confidence: Some(row.confidence),
        authority: Some(number::<proto::Authority>(row.authority.as_str())),
        rationale: row.rationale.clone(),
        canonical_id: row.canonical_id.clone(),
        proposer_agent_id: Some(row.proposer_id.clone()),
        proposer_agent_type: Some(row.proposer_type.clone()),
        created_at: Some(row.created_at.to_string()),
        evaluated_at: moment(row.evaluated_at),
        ..outline(row)
    }
}

/// What everybody may see of a proposal.
pub fn outline(row: &Proposal) -> proto::Proposal {
    proto::Proposal {
        proposal_id: row.proposal_id.clone(),
        r#type: number::<proto::ProposalType>(row.r#type.as_str()),
        status: number::<proto::ProposalStatus>(row.status.as_str()),
        ..proto::Proposal::default()
    }
}

pub fn memory(row: &Memory) -> proto::Memory {
    proto::Memory {
        memory_id: row.memory_id.clone(),
        entity_id: row.entity_id.clone(),
        text: row.text.clone(),
        linked_fact_id: row.linked_fact_id.clone(),
        scene_id: row.scene_id.clone(),
        emotional_valence: row.emotional_valence,
        importance: row.importance,
        certainty: row.certainty,
        created_at: row.created_at.to_string(),
        last_accessed: None,
        access_count: None,
        score: None,
    }
}

/// A memory that was recalled. A read of the past leaves out how often, which belongs to now.
pub fn recalled(row: &Recalled, score: Option<f64>, is_now: bool) -> proto::Memory {
    proto::Memory {
        last_accessed: is_now.then(|| row.last_accessed.to_string()),
        access_count: is_now.then(|| row.access_count.cast_signed()),
        score,
        ..memory(&row.memory)
    }
}

pub fn resolution(row: &Resolution) -> proto::Resolution {
    proto::Resolution {
        resolution_id: row.resolution_id.clone(),
        scene_id: row.scene_id.clone(),
        story_id: row.story_id.clone(),
        turn_id: row.turn_id.clone(),
        actor_id: row.actor_id.clone(),
        action: row.action.clone(),
        action_type: number::<proto::ActionType>(row.action_type.as_str()),
        resolution_type: number::<proto::ResolutionType>(row.resolution_type.as_str()),
        mechanics: Some(row.mechanics.clone().into()),
        success_level: number::<proto::SuccessLevel>(row.success_level.as_str()),
        margin: row.margin,
        effects: row.effects.iter().cloned().map(Into::into).collect(),
        created_at: row.created_at.to_string(),
    }
}
