//! get_field_provenance: from a value to the observation, the source and the file it came from.

use blobs::Key;
use contract::generated::neotoma::{
    GetFieldProvenanceRequest, GetFieldProvenanceResponse, LosingObservation, SourceObservation,
};
use contract::{Context, Json, Object};
use desk::bounds;
use tokio::io::AsyncReadExt as _;

use super::newest::{self, Found};
use super::observations;
use crate::Error;
use crate::capability::Parts;
use crate::domain::reducer::{Winner, ranked};
use crate::domain::{Observation, Values as _, shape};
use crate::interpret::{Document, QUOTED_BYTES_MAX, Quotes};
use crate::projection::row::{EntityRow, observation_key};
use crate::projection::{Reader, message};

/// Losers are looked for among this many observations, the newest.
const OBSERVATIONS_MAX: usize = 1000;
const LOSERS_MAX: usize = 100;
/// Characters of JSON that are shown of the value of a loser.
const LOSER_CHARS_MAX: usize = 1_000;
const KNOWN_MAX: usize = 100;
const CONTRIBUTORS_MAX: usize = 1_000;

/// Answers get_field_provenance. The winner is kept with the entity; only the losers need the observations.
pub async fn get(reader: Reader<'_>, request: &GetFieldProvenanceRequest) -> Result<GetFieldProvenanceResponse, Error> {
    let field = request.field.as_str();
    shape::check_name(field)
        .map_err(|reason| Error::invalid("field", reason, "give the name of a field of the snapshot"))?;
    let Found { reader, entity, .. } = newest::find(reader, &request.entity_id).await?;
    if entity.state.is_deleted() {
        return Err(Error::NoSuchEntity { field: "entity_id" });
    }
    let Some((value, winner, contributors)) = entity.state.field(field) else {
        let known = entity.state.all().take(KNOWN_MAX).map(|(name, _)| name.to_owned()).collect();
        return Err(Error::NoSuchField { known });
    };
    let source = reader.source_head(&winner.source_id).await?;
    let source = source.ok_or_else(|| reader.fault("an observation names no source"))?.row;
    let losers = if entity.state.count() == 1 { Vec::new() } else { losers(&reader, &entity, field, winner).await? };
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
        contributors: contributors.into_iter().take(CONTRIBUTORS_MAX).collect(),
        quote: None,
        read_point: reader.at,
    })
}

/// The line of the source that says the value, for a file that is short enough to be searched.
pub async fn quote(
    parts: &Parts,
    quotes: &Quotes,
    ctx: &Context,
    found: &GetFieldProvenanceResponse,
) -> Option<String> {
    let (source, value) = (found.source_material.as_ref()?, found.value.as_ref()?);
    let (path, mime_type) = (source.file_urls.first()?, source.mime_type.as_deref()?);
    if source.file_size.is_none_or(|size| size > QUOTED_BYTES_MAX) {
        return None;
    }
    let key = Key::parse(&ctx.scope.tenant, path).ok()?;
    let mut bytes = Vec::new();
    parts.blobs.read(&key, 0, QUOTED_BYTES_MAX).await.ok()?.read_to_end(&mut bytes).await.ok()?;
    let document = Document { bytes: &bytes.into(), mime_type, filename: source.original_filename.as_deref() };
    quotes.line(document, &value.0).await
}

/// The observations that carry the field and do not show in it, best first.
async fn losers(
    reader: &Reader<'_>,
    entity: &EntityRow,
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

/// What a loser says, as much as shows that it is another value.
fn value_of(fields: &Object, field: &str) -> serde_json::Value {
    let mut value = fields.get(field).cloned().unwrap_or_default();
    bounds::cut_value(&mut value, LOSER_CHARS_MAX);
    value
}
