//! get_entity_snapshot: an entity's truth, now or at a time.

use contract::Object;
use contract::generated::neotoma::{GetEntitySnapshotRequest, GetEntitySnapshotResponse};
use ledger::LIVE;
use serde_json::Value;

use crate::Error;
use crate::domain::{State, identity};
use crate::projection::reader::moment;
use crate::projection::row::EntityRow;
use crate::projection::{Reader, message};

/// Answers get_entity_snapshot.
pub async fn get(reader: &Reader<'_>, request: &GetEntitySnapshotRequest) -> Result<GetEntitySnapshotResponse, Error> {
    let at = request.at.as_deref().map(|at| moment("at", at)).transpose()?;
    let named = reader.named("entity_id", &request.entity_id).await?;
    let (asked, named_at) = (named.row.id.clone(), named.seq);
    let survivor = reader.survivor(named).await?;
    // What is live is what it was when it was last changed.
    let read_point = if reader.at == LIVE { survivor.seq.max(named_at) } else { reader.at };
    let entity = survivor.row;
    let merged_from = if entity.id == asked { Vec::new() } else { vec![asked] };
    let entity = match at {
        Some(at) => then(reader, entity, at).await?,
        None => entity,
    };
    if entity.state.is_deleted() {
        return Err(Error::NoSuchEntity { field: "entity_id" });
    }
    let Some(newest) = entity.state.last_observation_at() else {
        return Err(Error::NoSuchEntity { field: "entity_id" });
    };
    let contributors = entity.state.contributors().into_iter();
    Ok(GetEntitySnapshotResponse {
        schema_version: entity.schema_version,
        snapshot: Some(Object(entity.state.snapshot())),
        provenance: Some(message::named(entity.state.provenance())),
        computed_at: newest.to_string(),
        observation_count: entity.state.count(),
        last_observation_at: newest.to_string(),
        unvalidated: entity.unvalidated,
        contributors: Some(Object(contributors.map(|(field, ids)| (field, Value::from(ids))).collect())),
        canonical_name: Some(entity.name),
        aliases: entity.aliases,
        entity_id: entity.id,
        entity_type: entity.entity_type,
        merged_from,
        read_point,
    })
}

/// The entity by what had been observed until a time.
async fn then(reader: &Reader<'_>, mut entity: EntityRow, at: scope::Timestamp) -> Result<EntityRow, Error> {
    let schema = reader.schema(&entity.entity_type).await?;
    let written_to: Vec<&str> = std::iter::once(&entity.id).chain(&entity.members).map(String::as_str).collect();
    let observations = reader.observations_of(&written_to).await?;
    entity.state = State::of(&schema, observations.iter().filter(|observation| observation.observed_at <= at));
    entity.unvalidated = entity.state.unvalidated(&schema);
    if let Some(name) = identity::display_name(&entity.entity_type, &entity.state.snapshot()) {
        entity.name = name;
    }
    Ok(entity)
}
