//! get_entity_snapshot: an entity's truth, now or at a time.

use contract::Object;
use contract::generated::neotoma::{GetEntitySnapshotRequest, GetEntitySnapshotResponse};

use super::newest::{self, Found};
use crate::Error;
use crate::domain::reducer::Objects;
use crate::domain::{State, identity};
use crate::projection::Reader;
use crate::projection::listed::Pictured;
use crate::projection::reader::moment;
use crate::projection::row::EntityRow;

/// Answers get_entity_snapshot.
pub async fn get(reader: Reader<'_>, request: &GetEntitySnapshotRequest) -> Result<GetEntitySnapshotResponse, Error> {
    let Found { reader, asked, entity } = match request.at.as_deref() {
        None => newest::find::<Pictured>(reader, &request.entity_id).await?,
        Some(at) => {
            let at = moment("at", at)?;
            let Found { reader, asked, entity } = newest::find::<EntityRow>(reader, &request.entity_id).await?;
            let entity = then(&reader, entity, at).await?.into();
            Found { reader, asked, entity }
        }
    };
    let missing = Error::NoSuchEntity { field: "entity_id" };
    if entity.state.is_deleted {
        return Err(missing);
    }
    let Some(newest) = entity.state.newest else { return Err(missing) };
    let newest = newest.to_string();
    let observation_count = entity.state.count;
    let Objects { snapshot, provenance, contributors } = entity.state.into_objects();
    Ok(GetEntitySnapshotResponse {
        schema_version: entity.schema_version,
        snapshot: Some(Object(snapshot)),
        provenance: Some(Object(provenance)),
        computed_at: newest.clone(),
        observation_count,
        last_observation_at: newest,
        unvalidated: entity.unvalidated,
        contributors: Some(Object(contributors)),
        canonical_name: Some(entity.name),
        aliases: entity.aliases,
        merged_from: if entity.id == asked { Vec::new() } else { vec![asked] },
        entity_id: entity.id,
        entity_type: entity.entity_type,
        read_point: reader.at,
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
