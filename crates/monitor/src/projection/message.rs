//! Rows as callers see them, and words as the messages number them.

use contract::generated::monitor as proto;
use contract::labels::Labelled;
use scope::Timestamp;

use crate::domain::node::{Axiom, Entity, Event, Fact, Multiverse, Relationship, Source, Story, Universe};

/// The one multiverse of multiverses that a tenant has.
pub const OMNIVERSE: &str = "00000000-0000-0000-0000-000000000001";

/// The number that a published word has in the messages.
pub fn number<E: Labelled>(word: &str) -> i32 {
    E::from_label(word).map_or(0, Into::into)
}

/// The published word of a number in a message; empty for none.
pub fn word<E: Labelled>(number: i32) -> &'static str {
    E::try_from(number).map_or("", E::label)
}

/// A text that is absent when it is empty.
pub fn text(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

pub fn moment(moment: Option<Timestamp>) -> Option<String> {
    moment.map(|moment| moment.to_string())
}

pub fn multiverse(row: &Multiverse) -> proto::Multiverse {
    proto::Multiverse {
        multiverse_id: row.multiverse_id.clone(),
        omniverse_id: OMNIVERSE.to_owned(),
        name: row.name.clone(),
        system_name: text(&row.system_name),
        description: text(&row.description),
        created_at: row.created_at.to_string(),
    }
}

pub fn universe(row: &Universe) -> proto::Universe {
    proto::Universe {
        universe_id: row.universe_id.clone(),
        multiverse_id: row.multiverse_id.clone(),
        name: row.name.clone(),
        description: text(&row.description),
        genre: text(&row.genre),
        tone: text(&row.tone),
        tech_level: text(&row.tech_level),
        canon_level: number::<proto::CanonLevel>(row.canon_level.as_str()),
        confidence: row.confidence,
        authority: number::<proto::WorldAuthority>(row.authority.as_str()),
        created_at: row.created_at.to_string(),
    }
}

pub fn source(row: &Source) -> proto::Source {
    proto::Source {
        source_id: row.source_id.clone(),
        universe_id: row.universe_id.clone(),
        doc_id: row.doc_id.clone(),
        title: row.title.clone(),
        edition: text(&row.edition),
        provenance: text(&row.provenance),
        source_type: number::<proto::SourceType>(row.source_type.as_str()),
        canon_level: number::<proto::SourceCanonLevel>(row.canon_level.as_str()),
        created_at: row.created_at.to_string(),
    }
}

pub fn axiom(row: &Axiom) -> proto::Axiom {
    proto::Axiom {
        axiom_id: row.axiom_id.clone(),
        universe_id: row.universe_id.clone(),
        statement: row.statement.clone(),
        domain: text(&row.domain),
        confidence: row.confidence,
        canon_level: number::<proto::CanonLevel>(row.canon_level.as_str()),
        authority: number::<proto::WorldAuthority>(row.authority.as_str()),
        evidence_refs: row.evidence_refs.clone(),
        created_at: row.created_at.to_string(),
    }
}

pub fn entity(row: &Entity) -> proto::Entity {
    proto::Entity {
        entity_id: row.entity_id.clone(),
        entity_class: number::<proto::EntityClass>(row.entity_class.as_str()),
        universe_id: row.universe_id.clone(),
        name: row.name.clone(),
        entity_type: number::<proto::EntityType>(row.entity_type.as_str()),
        description: row.description.clone(),
        properties: Some(row.properties.clone().into()),
        state_tags: row.state_tags.clone(),
        derives_from: row.derives_from.clone(),
        canon_level: number::<proto::CanonLevel>(row.canon_level.as_str()),
        confidence: row.confidence,
        authority: number::<proto::Authority>(row.authority.as_str()),
        evidence_refs: row.evidence_refs.clone(),
        created_at: row.created_at.to_string(),
        updated_at: (row.updated_at != row.created_at).then(|| row.updated_at.to_string()),
    }
}

pub fn relationship(row: &Relationship) -> proto::Relationship {
    let time_ref = row.properties.get("time_ref").and_then(serde_json::Value::as_str);
    proto::Relationship {
        relationship_id: row.relationship_id.clone(),
        universe_id: row.universe_id.clone(),
        from_entity_id: row.from_entity_id.clone(),
        to_entity_id: row.to_entity_id.clone(),
        rel_type: row.rel_type.clone(),
        time_ref: time_ref.map(str::to_owned),
        properties: Some(row.properties.clone().into()),
        canon_level: number::<proto::CanonLevel>(row.canon_level.as_str()),
        confidence: row.confidence,
        authority: number::<proto::Authority>(row.authority.as_str()),
        evidence_refs: row.evidence_refs.clone(),
        created_at: row.created_at.to_string(),
    }
}

pub fn fact(row: &Fact) -> proto::Fact {
    proto::Fact {
        fact_id: row.fact_id.clone(),
        universe_id: row.universe_id.clone(),
        statement: row.statement.clone(),
        fact_type: row.fact_type.to_string(),
        time_ref: moment(row.time_ref),
        duration: row.duration,
        involved_entity_ids: row.involved_entity_ids.clone(),
        confidence: row.confidence,
        canon_level: number::<proto::CanonLevel>(row.canon_level.as_str()),
        authority: number::<proto::Authority>(row.authority.as_str()),
        evidence_refs: row.evidence_refs.clone(),
        replaces: row.replaces.clone(),
        replaced_by: row.replaced_by.clone(),
        created_at: row.created_at.to_string(),
    }
}

pub fn event(row: &Event) -> proto::Event {
    proto::Event {
        event_id: row.event_id.clone(),
        universe_id: row.universe_id.clone(),
        scene_id: row.scene_id.clone(),
        title: row.title.clone(),
        description: row.description.clone(),
        time_ref: moment(row.time_ref),
        severity: i32::try_from(row.severity).unwrap_or(i32::MAX),
        involved_entity_ids: row.involved_entity_ids.clone(),
        causes_event_ids: row.causes_event_ids.clone(),
        confidence: row.confidence,
        canon_level: number::<proto::CanonLevel>(row.canon_level.as_str()),
        authority: number::<proto::Authority>(row.authority.as_str()),
        evidence_refs: row.evidence_refs.clone(),
        created_at: row.created_at.to_string(),
    }
}

pub fn story(row: &Story) -> proto::Story {
    proto::Story {
        story_id: row.story_id.clone(),
        universe_id: row.universe_id.clone(),
        title: row.title.clone(),
        story_type: number::<proto::StoryType>(row.story_type.as_str()),
        theme: text(&row.theme),
        premise: text(&row.premise),
        status: number::<proto::StoryStatus>(row.status.as_str()),
        parent_story_id: row.parent_story_id.clone(),
        start_time_ref: moment(row.start_time_ref),
        end_time_ref: moment(row.end_time_ref),
        created_at: row.created_at.to_string(),
        completed_at: moment(row.completed_at),
    }
}
