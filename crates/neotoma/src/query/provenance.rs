//! get_field_provenance: from a value to the observation, the source and the file it came from.

use contract::generated::neotoma::{
    GetFieldProvenanceRequest, GetFieldProvenanceResponse, LosingObservation, SourceObservation,
};
use contract::{Json, Object};

use super::newest::{self, Found};
use super::observations;
use crate::Error;
use crate::domain::reducer::{Winner, ranked};
use crate::domain::{Observation, shape};
use crate::projection::listed::Pictured;
use crate::projection::row::observation_key;
use crate::projection::{Reader, message};

/// Losers are looked for among this many observations, the newest.
const OBSERVATIONS_MAX: usize = 1000;
const LOSERS_MAX: usize = 100;
const KNOWN_MAX: usize = 100;

/// Answers get_field_provenance. The winner is kept with the entity; only the losers need the observations.
pub async fn get(reader: Reader<'_>, request: &GetFieldProvenanceRequest) -> Result<GetFieldProvenanceResponse, Error> {
    let field = request.field.as_str();
    shape::check_name(field)
        .map_err(|reason| Error::invalid("field", reason, "give the name of a field of the snapshot"))?;
    let Found { reader, entity, .. } = newest::find::<Pictured>(reader, &request.entity_id).await?;
    if entity.state.is_deleted {
        return Err(Error::NoSuchEntity { field: "entity_id" });
    }
    let Some((value, winner, contributors)) = entity.state.field(field) else {
        return Err(Error::NoSuchField { known: entity.state.names().take(KNOWN_MAX).map(str::to_owned).collect() });
    };
    let source = reader.source_head(&winner.source_id).await?;
    let source = source.ok_or_else(|| reader.fault("an observation names no source"))?.row;
    let losers = if entity.state.count == 1 { Vec::new() } else { losers(&reader, &entity, field, winner).await? };
    let observed_at = winner.observed_at.to_string();
    Ok(GetFieldProvenanceResponse {
        field: request.field.clone(),
        value: Some(Json(value.clone())),
        source_observation: Some(SourceObservation {
            id: winner.id.clone(),
            source_id: winner.source_id.clone(),
            observed_at: observed_at.clone(),
            specificity_score: winner.specificity_score,
            source_priority: winner.source_priority,
        }),
        source_material: Some(message::source_head(source)),
        observed_at,
        other_observations: losers,
        contributors: contributors.to_vec(),
        read_point: reader.at,
    })
}

/// The observations that carry the field and do not show in it, best first.
async fn losers(
    reader: &Reader<'_>,
    entity: &Pictured,
    field: &str,
    winner: &Winner,
) -> Result<Vec<LosingObservation>, Error> {
    let mut observations = observations::newest(reader, entity.written_to(), 0, OBSERVATIONS_MAX).await?;
    // An old correction may outrank all that is newer; the losers lost against it.
    if !observations.iter().any(|observation| observation.id == winner.id) {
        let keys: Vec<_> = entity.written_to().map(|id| observation_key(id, winner.observed_at, &winner.id)).collect();
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
