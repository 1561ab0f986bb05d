//! list_observations: what was said about an entity, newest first, then by id.

use contract::generated::neotoma as proto;
use contract::generated::neotoma::{ListObservationsRequest, ListObservationsResponse};
use desk::bounds::ANSWER_CHARS_MAX;
use ledger::Find;

use super::interleaved::{Interleaved, ROWS_AT_ONCE};
use super::window::Window;
use crate::Error;
use crate::domain::Observation;
use crate::projection::row::kind;
use crate::projection::{Reader, message};

/// Characters of JSON that a listing shows of what one observation says.
const FIELDS_CHARS_MAX: usize = 8_000;
/// What an observation takes beside that.
const OBSERVATION_CHARS: usize = 400;

/// Answers list_observations. What was written to entities that were merged into this one is listed with it.
pub async fn list(reader: &Reader<'_>, request: &ListObservationsRequest) -> Result<ListObservationsResponse, Error> {
    let page = Window::new(request.limit, request.offset);
    let entity = reader.resolved("entity_id", &request.entity_id).await?.row;
    let found = newest(reader, entity.written_to(), page.skip(), page.size()).await?;
    let (observations, cut) = shown(found.iter());
    let next = page.skip() + observations.len();
    let more = cut.then(|| format!("go on with offset {next}; get_field_provenance shows a value in full"));
    Ok(ListObservationsResponse {
        truncated: cut.then_some(true),
        more,
        observations,
        total: entity.state.count(),
        limit: page.limit,
        offset: page.offset,
        read_point: reader.at,
    })
}

/// Observations as long as they fit into an answer, at least one, each with as much of what it says as a listing shows; and
/// whether something was cut.
pub fn shown<'o>(observations: impl Iterator<Item = &'o Observation>) -> (Vec<proto::Observation>, bool) {
    let (mut shown, mut chars, mut cut) = (Vec::new(), 0, false);
    for observation in observations {
        let mut observation = message::observation(observation);
        if let Some(fields) = observation.fields.take() {
            let (fields, is_cut) = message::within(fields.0, FIELDS_CHARS_MAX);
            cut |= is_cut;
            chars += OBSERVATION_CHARS + message::object_chars(&fields);
            observation.fields = Some(fields);
        }
        if chars > ANSWER_CHARS_MAX && !shown.is_empty() {
            return (shown, true);
        }
        shown.push(observation);
    }
    (shown, cut)
}

/// The newest observations that were written to these entities, after `skip` of them.
pub async fn newest<'a>(
    reader: &Reader<'_>,
    written_to: impl Iterator<Item = &'a str>,
    skip: usize,
    limit: usize,
) -> Result<Vec<Observation>, Error> {
    let mut walk = walk(written_to, skip, limit);
    let mut found = Vec::new();
    while found.len() < limit
        && let Some(observation) = walk.next(reader).await?
    {
        found.push(observation);
    }
    Ok(found)
}

/// A walk along the observations that were written to these entities, newest first.
pub fn walk<'a>(written_to: impl Iterator<Item = &'a str>, skip: usize, limit: usize) -> Interleaved<Observation> {
    let find =
        |id: &str| Find { under: Some(id.to_owned()), limit: limit.min(ROWS_AT_ONCE), ..Find::all(kind::ENTITY) };
    Interleaved::new(written_to.map(find).collect(), skip)
}
