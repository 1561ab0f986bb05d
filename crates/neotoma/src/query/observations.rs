//! list_observations: what was said about an entity, newest first, then by id.

use contract::generated::neotoma::{ListObservationsRequest, ListObservationsResponse};
use ledger::Find;

use super::page::Page;
use super::walk::{ROWS_AT_ONCE, Walk};
use crate::Error;
use crate::domain::Observation;
use crate::projection::row::{EntityRow, kind};
use crate::projection::{Reader, message};

/// Answers list_observations. What was written to entities that were merged into this one is listed with it.
pub async fn list(reader: &Reader<'_>, request: &ListObservationsRequest) -> Result<ListObservationsResponse, Error> {
    let page = Page::new(request.limit, request.offset);
    let entity = reader.resolved("entity_id", &request.entity_id).await?.row;
    let found = newest(reader, &entity, page.skip(), page.size()).await?;
    Ok(ListObservationsResponse {
        observations: found.iter().map(message::observation).collect(),
        total: entity.state.count(),
        limit: page.limit,
        offset: page.offset,
        read_point: reader.at,
    })
}

/// The newest observations of an entity and its members, after `skip` of them.
pub async fn newest(
    reader: &Reader<'_>,
    entity: &EntityRow,
    skip: usize,
    limit: usize,
) -> Result<Vec<Observation>, Error> {
    let written_to = std::iter::once(&entity.id).chain(&entity.members);
    let mut walk = walk(written_to.map(String::as_str), skip, limit);
    let mut found = Vec::new();
    while found.len() < limit
        && let Some(observation) = walk.next(reader).await?
    {
        found.push(observation);
    }
    Ok(found)
}

/// A walk along the observations that were written to these entities, newest first.
pub fn walk<'a>(written_to: impl Iterator<Item = &'a str>, skip: usize, limit: usize) -> Walk<Observation> {
    let find =
        |id: &str| Find { under: Some(id.to_owned()), limit: limit.min(ROWS_AT_ONCE), ..Find::all(kind::OBSERVATION) };
    Walk::new(written_to.map(find).collect(), skip)
}
