//! get_entity_snapshot: an entity's truth, now or at a time.

use contract::generated::neotoma::{GetEntitySnapshotRequest, GetEntitySnapshotResponse};

use super::newest::{self, Found};
use crate::Error;
use crate::domain::reducer::Objects;
use crate::domain::{State, identity};
use crate::projection::reader::moment;
use crate::projection::row::EntityRow;
use crate::projection::{Reader, message};

/// Characters of JSON that each part of the answer takes, about.
const SNAPSHOT_CHARS_MAX: usize = 80_000;
const ALIASES_MAX: usize = 100;

/// Answers get_entity_snapshot.
pub async fn get(reader: Reader<'_>, request: &GetEntitySnapshotRequest) -> Result<GetEntitySnapshotResponse, Error> {
    let at = request.at.as_deref().map(|at| moment("at", at)).transpose()?;
    let Found { reader, asked, mut entity } = newest::find(reader, &request.entity_id).await?;
    if let Some(at) = at {
        entity = then(&reader, entity, at).await?;
    }
    let missing = Error::NoSuchEntity { field: "entity_id" };
    if entity.state.is_deleted() {
        return Err(missing);
    }
    let Some(newest) = entity.state.last_observation_at() else { return Err(missing) };
    let newest = newest.to_string();
    let observation_count = entity.state.count();
    let Objects { snapshot, provenance, contributors } = entity.state.into();
    let (snapshot, cut) = message::within(snapshot, SNAPSHOT_CHARS_MAX);
    let (provenance, cut_provenance) = message::within(provenance, SNAPSHOT_CHARS_MAX);
    let (contributors, cut_contributors) = message::within(contributors, SNAPSHOT_CHARS_MAX);
    Ok(GetEntitySnapshotResponse {
        schema_version: entity.schema_version,
        snapshot: Some(snapshot),
        provenance: Some(provenance),
        truncated: (cut || cut_provenance || cut_contributors).then_some(true),
        more: cut.then(|| "get_field_provenance shows a field in full".to_owned()),
        computed_at: newest.clone(),
        observation_count,
        last_observation_at: newest,
        unvalidated: entity.unvalidated,
        contributors: Some(contributors),
        canonical_name: Some(message::name(entity.name)),
        aliases: entity.aliases.into_iter().take(ALIASES_MAX).map(message::name).collect(),
        merged_from: if entity.id == asked { Vec::new() } else { vec![asked] },
        entity_id: entity.id,
        entity_type: entity.entity_type,
        read_point: reader.at,
    })
}

/// The entity by what had been observed until a time.
async fn then(reader: &Reader<'_>, mut entity: EntityRow, at: scope::Timestamp) -> Result<EntityRow, Error> {
    let schema = reader.schema(&entity.entity_type).await?;
    let written_to: Vec<&str> = entity.written_to().collect();
    let observations = reader.observations_of(&written_to).await?;
    entity.state = State::of(&schema, observations.iter().filter(|observation| observation.observed_at <= at));
    entity.unvalidated = entity.state.unvalidated(&schema);
    if let Some(name) = identity::display_name(&entity.entity_type, &entity.state.snapshot()) {
        entity.name = name;
    }
    Ok(entity)
}
