//! get_graph_neighborhood: everything around an entity or a source, each part capped.
//!
//! Relationships are newest first, entities and sources by id, events and observations newest first. The entities around
//! a source are those it speaks about; the sources around a source are others that its entities show values of.

use std::collections::BTreeSet;

use contract::List;
use contract::generated::neotoma::{Entity, GetGraphNeighborhoodRequest, GetGraphNeighborhoodResponse, NodeType};
use ledger::{Direction, Find};

use super::related::{edges_at, live};
use super::{observations, timeline};
use crate::Error;
use crate::domain::Observation;
use crate::projection::listed::Edge;
use crate::projection::row::{EntityRow, SourceRow, kind};
use crate::projection::{Reader, message};

/// Most items of each part.
const PART_MAX: usize = 100;
/// Characters of JSON that the entity's own snapshot takes, about.
const SNAPSHOT_CHARS_MAX: usize = 80_000;
/// How to get what was cut.
const MORE: &str = "get_entity_snapshot shows an entity, list_observations and list_relationships go on by offset";
/// Observations that are looked at for sources.
const OBSERVATIONS_MAX: usize = 1000;

/// Answers get_graph_neighborhood.
pub async fn get(
    reader: &Reader<'_>,
    request: &GetGraphNeighborhoodRequest,
) -> Result<GetGraphNeighborhoodResponse, Error> {
    let mut answer = GetGraphNeighborhoodResponse { read_point: reader.at, ..Default::default() };
    match request.node_type() {
        NodeType::Entity | NodeType::Unspecified => {
            let entity = reader.resolved("node_id", &request.node_id).await?.row;
            answer.node_id.clone_from(&entity.id);
            answer.set_node_type(NodeType::Entity);
            around_entity(reader, request, &entity, &mut answer).await?;
        }
        NodeType::Source => {
            let source = reader.named_source("node_id", &request.node_id).await?;
            answer.node_id.clone_from(&source.id);
            answer.set_node_type(NodeType::Source);
            around_source(reader, request, &source, &mut answer).await?;
        }
    }
    Ok(answer)
}

async fn around_entity(
    reader: &Reader<'_>,
    request: &GetGraphNeighborhoodRequest,
    entity: &EntityRow,
    answer: &mut GetGraphNeighborhoodResponse,
) -> Result<(), Error> {
    answer.entity = Some(message::entity(entity.into(), false, &[]));
    let (snapshot, is_cut) = message::within(entity.state.snapshot(), SNAPSHOT_CHARS_MAX);
    answer.entity_snapshot = Some(snapshot);
    cut(answer, is_cut, &["entity_snapshot"]);
    if request.include_relationships.unwrap_or(true) {
        let (edges, more) = edges_at(reader, &entity.id, &BTreeSet::new(), Direction::Both, PART_MAX).await?;
        let ends: BTreeSet<String> = edges.iter().flat_map(|edge| [edge.source.clone(), edge.target.clone()]).collect();
        let others: Vec<String> = ends.into_iter().filter(|id| *id != entity.id).collect();
        let related = live(reader, &others).await?;
        let there: BTreeSet<&str> = related.iter().map(|one| one.id.as_str()).chain([entity.id.as_str()]).collect();
        let whole = |edge: &Edge| there.contains(edge.source.as_str()) && there.contains(edge.target.as_str());
        answer.relationships = Some(List::of(edges.into_iter().filter(whole).map(message::relationship)));
        let related = related.into_iter().map(|one| message::entity(one, true, &[]));
        cut(answer, more, &["relationships", "related_entities"]);
        list_entities(related, answer);
    }
    if request.include_events.unwrap_or(true) {
        events(reader, &entity.id, answer).await?;
    }
    let (with_sources, with_observations) =
        (request.include_sources.unwrap_or(true), request.include_observations.unwrap_or(false));
    if with_sources || with_observations {
        let most = if with_sources { OBSERVATIONS_MAX } else { PART_MAX };
        let newest = observations::newest(reader, entity.written_to(), 0, most).await?;
        if with_sources {
            let ids: BTreeSet<String> = newest.iter().map(|observation| observation.source_id.clone()).collect();
            let more = entity.state.count() > newest.len() as u64;
            sources(reader, ids, more, answer).await?;
        }
        if with_observations {
            let more = entity.state.count() > PART_MAX as u64;
            cut(answer, more, &["observations"]);
            list_observations(newest.iter().take(PART_MAX), answer);
        }
    }
    Ok(())
}

async fn around_source(
    reader: &Reader<'_>,
    request: &GetGraphNeighborhoodRequest,
    source: &SourceRow,
    answer: &mut GetGraphNeighborhoodResponse,
) -> Result<(), Error> {
    answer.source_material = Some(message::source(source));
    let with_sources = request.include_sources.unwrap_or(true);
    if request.include_relationships.unwrap_or(true) || with_sources {
        let (entities, more) = entities_of(reader, source).await?;
        if request.include_relationships.unwrap_or(true) {
            relationships_at(reader, &entities, answer).await?;
            cut(answer, more, &["related_entities"]);
            list_entities(entities.iter().map(|entity| message::entity(entity.into(), true, &[])), answer);
        }
        if with_sources {
            let shown = entities.iter().flat_map(|entity| {
                let fields = entity.state.provenance().into_keys();
                fields.filter_map(|field| Some(entity.state.winner(&field)?.source_id.clone())).collect::<Vec<_>>()
            });
            let ids = shown.filter(|id| *id != source.id).collect();
            sources(reader, ids, more, answer).await?;
        }
    }
    if request.include_events.unwrap_or(true) {
        events(reader, &source.id, answer).await?;
    }
    if request.include_observations.unwrap_or(false) {
        observations_from(reader, source, answer).await?;
    }
    Ok(())
}

/// The entities that a source speaks about, as they are now, and whether there are more.
async fn entities_of(reader: &Reader<'_>, source: &SourceRow) -> Result<(Vec<EntityRow>, bool), Error> {
    let ids: Vec<String> = source.entities.iter().take(PART_MAX).map(|(id, _)| id.clone()).collect();
    let mut entities: Vec<EntityRow> = Vec::with_capacity(ids.len());
    for found in reader.entities(&ids).await?.into_iter().flatten() {
        let entity = reader.survivor(found).await?.row;
        if entity.is_live() {
            entities.push(entity);
        }
    }
    entities.sort_by(|one, other| one.id.cmp(&other.id));
    entities.dedup_by(|one, other| one.id == other.id);
    Ok((entities, source.entities.len() > PART_MAX))
}

/// The relationships at any of the entities.
async fn relationships_at(
    reader: &Reader<'_>,
    entities: &[EntityRow],
    answer: &mut GetGraphNeighborhoodResponse,
) -> Result<(), Error> {
    let mut found: Vec<Edge> = Vec::new();
    let mut known = BTreeSet::new();
    let mut more = false;
    for entity in entities {
        let (edges, further) = edges_at(reader, &entity.id, &BTreeSet::new(), Direction::Both, PART_MAX).await?;
        found.extend(edges.into_iter().filter(|edge| known.insert(edge.id.clone())));
        more |= further || found.len() > PART_MAX;
        if more {
            break;
        }
    }
    found.truncate(PART_MAX);
    found.sort_by(|one, other| other.created_at.cmp(&one.created_at).then_with(|| one.id.cmp(&other.id)));
    answer.relationships = Some(List::of(found.into_iter().map(message::relationship)));
    cut(answer, more, &["relationships"]);
    Ok(())
}

/// The observations that a source gave. They are kept by entity, and the source knows how many it gave about each.
async fn observations_from(
    reader: &Reader<'_>,
    source: &SourceRow,
    answer: &mut GetGraphNeighborhoodResponse,
) -> Result<(), Error> {
    let mut found: Vec<Observation> = Vec::new();
    let (mut looked_at, mut more) = (0, false);
    for (entity_id, times) in &source.entities {
        let mut walk = observations::walk(std::iter::once(entity_id.as_str()), 0, PART_MAX);
        let mut left = *times;
        while left > 0 && found.len() < PART_MAX && looked_at < OBSERVATIONS_MAX {
            let Some(observation) = walk.next(reader).await? else { break };
            looked_at += 1;
            if observation.source_id == source.id {
                left -= 1;
                found.push(observation);
            }
        }
        if found.len() == PART_MAX || looked_at == OBSERVATIONS_MAX {
            let is_last = source.entities.last_key_value().is_some_and(|(last, _)| last == entity_id);
            more = left > 0 || !is_last;
            break;
        }
    }
    found.sort_by(|one, other| other.observed_at.cmp(&one.observed_at).then_with(|| one.id.cmp(&other.id)));
    cut(answer, more, &["observations"]);
    list_observations(found.iter(), answer);
    Ok(())
}

async fn sources(
    reader: &Reader<'_>,
    ids: BTreeSet<String>,
    more: bool,
    answer: &mut GetGraphNeighborhoodResponse,
) -> Result<(), Error> {
    let more = more || ids.len() > PART_MAX;
    let ids: Vec<String> = ids.into_iter().take(PART_MAX).collect();
    let found = reader.sources(&ids).await?;
    answer.related_sources = Some(List::of(found.iter().flatten().map(|stored| message::source(&stored.row))));
    cut(answer, more, &["related_sources"]);
    Ok(())
}

/// The events of an entity or from a source; both are tags of an event.
async fn events(reader: &Reader<'_>, tag: &str, answer: &mut GetGraphNeighborhoodResponse) -> Result<(), Error> {
    let find = Find { scope: Some(reader.user.to_owned()), tag: Some(tag.to_owned()), ..Find::all(kind::EVENT) };
    let (events, total) = timeline::newest(reader, find, 0, PART_MAX).await?;
    answer.timeline_events = Some(List::of(events.iter().map(message::event)));
    cut(answer, total > PART_MAX as u64, &["timeline_events"]);
    Ok(())
}

/// Lists entities, with their snapshots as long as these fit.
fn list_entities(entities: impl Iterator<Item = Entity>, answer: &mut GetGraphNeighborhoodResponse) {
    let mut listed: Vec<Entity> = entities.collect();
    let is_cut = message::snapshots_within(&mut listed);
    answer.related_entities = Some(List::of(listed));
    cut(answer, is_cut, &["related_entities"]);
}

fn list_observations<'o>(
    observations: impl Iterator<Item = &'o Observation>,
    answer: &mut GetGraphNeighborhoodResponse,
) {
    let (listed, is_cut) = observations::shown(observations);
    answer.observations = Some(List::of(listed));
    cut(answer, is_cut, &["observations"]);
}

/// Names parts that are not there in full.
fn cut(answer: &mut GetGraphNeighborhoodResponse, more: bool, parts: &[&str]) {
    if !more {
        return;
    }
    answer.more = Some(MORE.to_owned());
    for part in parts {
        if !answer.truncated.iter().any(|named| named == part) {
            answer.truncated.push((*part).to_owned());
        }
    }
}
