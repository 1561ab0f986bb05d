//! get_field_provenance: from a value to the observation, the source and the file it came from.

use contract::generated::neotoma::{
    GetFieldProvenanceRequest, GetFieldProvenanceResponse, LosingObservation, SourceObservation,
};
use contract::{Json, Object};

use super::observations;
use crate::Error;
use crate::domain::reducer::{Winner, ranked};
use crate::domain::{Observation, shape};
use crate::projection::row::{EntityRow, observation_key};
use crate::projection::{Reader, message};

/// Losers are looked for among this many observations, the newest.
const OBSERVATIONS_MAX: usize = 1000;
const LOSERS_MAX: usize = 100;
const KNOWN_MAX: usize = 100;

/// Answers get_field_provenance. The winner is kept with the entity; only the losers need the observations.
pub async fn get(
    reader: &Reader<'_>,
    request: &GetFieldProvenanceRequest,
) -> Result<GetFieldProvenanceResponse, Error> {
    let field = request.field.as_str();
    shape::check_name(field)
        .map_err(|reason| Error::invalid("field", reason, "give the name of a field of the snapshot"))?;
    let entity = reader.resolved("entity_id", &request.entity_id).await?.row;
    let (Some(value), Some(winner)) = (entity.state.value(field), entity.state.winner(field)) else {
        let known = entity.state.provenance().into_keys().take(KNOWN_MAX).collect();
        return Err(Error::NoSuchField { known });
    };
    let source = reader.source_head(&winner.source_id).await?;
    let source = source.ok_or_else(|| reader.fault("an observation names no source"))?.row;
    let losers = if entity.state.count() == 1 { Vec::new() } else { losers(reader, &entity, field, winner).await? };
    Ok(GetFieldProvenanceResponse {
        field: request.field.clone(),
        value: Some(Json(value.clone())),
        source_observation: Some(SourceObservation {
            id: winner.id.clone(),
            source_id: winner.source_id.clone(),
            observed_at: winner.observed_at.to_string(),
            specificity_score: winner.specificity_score,
            source_priority: winner.source_priority,
        }),
        source_material: Some(message::source_head(source)),
        observed_at: winner.observed_at.to_string(),
        other_observations: losers,
        contributors: entity.state.contributors().remove(field).unwrap_or_default(),
        read_point: reader.at,
    })
}

/// The observations that carry the field and do not show in it, best first.
async fn losers(
    reader: &Reader<'_>,
    entity: &EntityRow,
    field: &str,
    winner: &Winner,
) -> Result<Vec<LosingObservation>, Error> {
    let mut observations = observations::newest(reader, entity, 0, OBSERVATIONS_MAX).await?;
    // An old correction may outrank all that is newer; the losers lost against it.
    if !observations.iter().any(|observation| observation.id == winner.id) {
        let written_to = std::iter::once(&entity.id).chain(&entity.members);
        let keys: Vec<_> = written_to.map(|id| observation_key(id, winner.observed_at, &winner.id)).collect();
        observations.extend(reader.rows::<Observation>(&keys).await?.into_iter().flatten().map(|stored| stored.row));
    }
    let schema = reader.schema(&entity.entity_type).await?;
    let lost = ranked(&schema, field, &observations)
        .into_iter()
        .filter(|(observation, reason)| observation.id != winner.id && *reason != "merged");
    let word = |(observation, reason): (&Observation, &'static str)| LosingObservation {
        id: observation.id.clone(),
        source_id: observation.source_id.clone(),
        observed_at: observation.observed_at.to_string(),
        specificity_score: observation.specificity_score,
        source_priority: observation.source_priority,
        value: Some(Json(value_of(&observation.fields, field))),
        reason: reason.to_owned(),
    };
    Ok(lost.take(LOSERS_MAX).map(word).collect())
}

fn value_of(fields: &Object, field: &str) -> serde_json::Value {
    fields.get(field).cloned().unwrap_or_default()
}
