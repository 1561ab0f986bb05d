//! Rows as callers see them.

use contract::Object;
use contract::generated::neotoma as proto;
use desk::bounds;
use serde_json::Value;

use super::listed::{Edge, Listed, SourceHead};
use super::row::{EventRow, SourceRow};
use crate::domain::{Map, Observation};

/// Characters of JSON that a listing shows of one snapshot; the entity itself shows more.
const LISTED_CHARS_MAX: usize = 40_000;
/// Characters that are shown of a name.
const NAME_CHARS_MAX: usize = 500;
/// Characters of JSON that are shown of what was said about an edge or a moment.
const REMARK_CHARS_MAX: usize = 2_000;

/// An entity in a list; `fields` chooses what of its snapshot is shown, nothing shows all.
pub fn entity(entity: Listed, with_snapshot: bool, fields: &[String]) -> proto::Entity {
    let (snapshot, truncated) = shown(with_snapshot.then_some(entity.state.snapshot), fields);
    proto::Entity {
        id: entity.id,
        entity_type: entity.entity_type,
        canonical_name: name(entity.name),
        snapshot,
        truncated,
        observation_count: Some(entity.state.count),
        last_observation_at: entity.state.newest.map(|at| at.to_string()),
        merged_into: entity.merged_into,
        r#match: None,
    }
}

/// The chosen fields of a snapshot, cut to what a listing shows, and a mark when something was cut.
fn shown(snapshot: Option<Map>, fields: &[String]) -> (Option<Object>, Option<bool>) {
    let Some(mut snapshot) = snapshot else { return (None, None) };
    if !fields.is_empty() {
        snapshot.retain(|name, _| fields.contains(name));
    }
    let (snapshot, cut) = within(snapshot, LISTED_CHARS_MAX);
    (Some(snapshot), cut.then_some(true))
}

/// An object cut to about so many characters of JSON, and whether something was cut.
pub fn within(object: Map, chars_max: usize) -> (Object, bool) {
    // Looking is much cheaper than cutting, and almost nothing is this long.
    if object.iter().map(field_chars).sum::<usize>() <= chars_max {
        return (Object(object), false);
    }
    let mut whole = Value::Object(object);
    // Long texts first, so that one of them does not take the place of all that follows.
    shorten(&mut whole, chars_max / 8);
    bounds::cut_value(&mut whole, chars_max);
    match whole {
        Value::Object(object) => (Object(object), true),
        _ => (Object::default(), true),
    }
}

/// Cuts every text that is longer than `chars_max`.
fn shorten(value: &mut Value, chars_max: usize) {
    match value {
        Value::String(text) => {
            if let Some(cut) = bounds::cut_text(text, chars_max) {
                *text = cut;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| shorten(item, chars_max)),
        Value::Object(members) => members.values_mut().for_each(|member| shorten(member, chars_max)),
        _ => {}
    }
}

/// Leaves the snapshots of entities out once they have taken what an answer may hold. True when something is not shown.
pub fn snapshots_within(entities: &mut [proto::Entity]) -> bool {
    let (mut chars, mut cut) = (0, false);
    for entity in entities {
        chars += entity_chars(entity);
        cut |= entity.truncated == Some(true);
        if chars > bounds::ANSWER_CHARS_MAX && entity.snapshot.take().is_some() {
            entity.truncated = Some(true);
            cut = true;
        }
    }
    cut
}

/// A name, cut where it is longer than one.
pub fn name(name: String) -> String {
    bounds::cut_text(&name, NAME_CHARS_MAX).unwrap_or(name)
}

pub fn observation(observation: &Observation) -> proto::Observation {
    let word = |value: Option<Value>| value.and_then(|value| value.as_str().map(str::to_owned));
    proto::Observation {
        id: observation.id.clone(),
        entity_id: observation.entity_id.clone(),
        entity_type: observation.entity_type.clone(),
        schema_version: observation.schema_version.clone(),
        source_id: observation.source_id.clone(),
        observed_at: observation.observed_at.to_string(),
        specificity_score: observation.specificity_score,
        source_priority: observation.source_priority,
        fields: Some(observation.fields.clone()),
        created_at: observation.created_at.to_string(),
        kind: word(observation.kind.and_then(|kind| serde_json::to_value(kind).ok())),
        marker: word(observation.marker.and_then(|marker| serde_json::to_value(marker).ok())),
        run_id: observation.run_id.clone(),
    }
}

pub fn relationship(edge: Edge) -> proto::Relationship {
    proto::Relationship {
        id: edge.id,
        relationship_type: edge.relationship_type,
        source_entity_id: edge.source,
        target_entity_id: edge.target,
        metadata: edge.metadata.map(|said| within(said.0, REMARK_CHARS_MAX).0),
        created_at: edge.created_at.to_string(),
    }
}

pub fn event(event: &EventRow) -> proto::TimelineEvent {
    let mut properties = Map::new();
    properties.insert("entity_type".to_owned(), event.entity_type.clone().into());
    properties.insert("field".to_owned(), event.field.clone().into());
    let mut value = event.value.clone();
    bounds::cut_value(&mut value, REMARK_CHARS_MAX);
    properties.insert("value".to_owned(), value);
    proto::TimelineEvent {
        id: event.id.clone(),
        event_type: event.event_type.clone(),
        event_timestamp: event.at.to_string(),
        source_id: event.source_id.clone(),
        entity_ids: vec![event.entity_id.clone()],
        properties: Some(Object(properties)),
    }
}

pub fn source(source: &SourceRow) -> proto::SourceMaterial {
    source_head(SourceHead {
        id: source.id.clone(),
        kind: source.kind,
        content_hash: source.content_hash.clone(),
        created_at: source.created_at,
        mime_type: source.mime_type.clone(),
        file_size: source.file_size,
        original_filename: source.original_filename.clone(),
        files: source.files.clone(),
    })
}

/// A source that was read without its content.
pub fn source_head(source: SourceHead) -> proto::SourceMaterial {
    proto::SourceMaterial {
        id: source.id,
        kind: source.kind.name().to_owned(),
        content_hash: source.content_hash,
        mime_type: source.mime_type,
        file_size: source.file_size,
        original_filename: source.original_filename,
        file_urls: source.files,
        created_at: source.created_at.to_string(),
    }
}

/// How many characters of JSON an entity takes, about.
pub fn entity_chars(entity: &proto::Entity) -> usize {
    const ENVELOPE: usize = 150;
    let snapshot = entity.snapshot.as_ref().map_or(0, |snapshot| snapshot.iter().map(field_chars).sum());
    ENVELOPE + entity.id.len() + entity.entity_type.len() + entity.canonical_name.len() + snapshot
}

/// How many characters of JSON an object takes, about.
pub fn object_chars(object: &Map) -> usize {
    object.iter().map(field_chars).sum()
}

fn field_chars((name, value): (&String, &Value)) -> usize {
    name.len() + 4 + chars(value)
}

/// How many characters of JSON a value takes, about.
pub fn value_chars(value: &Value) -> usize {
    chars(value)
}

fn chars(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) => 5,
        Value::Number(_) => 8,
        Value::String(text) => text.len() + 2,
        Value::Array(items) => 2 + items.iter().map(|item| chars(item) + 1).sum::<usize>(),
        Value::Object(fields) => 2 + fields.iter().map(field_chars).sum::<usize>(),
    }
}
