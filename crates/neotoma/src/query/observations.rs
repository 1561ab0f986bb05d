//! list_observations: what was said about an entity, newest first, then by id.

use contract::generated::neotoma::{ListObservationsRequest, ListObservationsResponse};
use ledger::Find;

use super::page::Page;
use super::walk::{ROWS_AT_ONCE, Walk};
use crate::Error;
use crate::domain::Observation;
use crate::projection::listed::Pictured;
use crate::projection::row::kind;
use crate::projection::{Reader, message};

/// Answers list_observations. What was written to entities that were merged into this one is listed with it.
pub async fn list(reader: &Reader<'_>, request: &ListObservationsRequest) -> Result<ListObservationsResponse, Error> {
    let page = Page::new(request.limit, request.offset);
    let entity = reader.resolved_as::<Pictured>("entity_id", &request.entity_id).await?.row;
    let found = newest(reader, entity.written_to(), page.skip(), page.size()).await?;
    Ok(ListObservationsResponse {
        observations: found.iter().map(message::observation).collect(),
        total: entity.state.count,
        limit: page.limit,
        offset: page.offset,
        read_point: reader.at,
    })
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
pub fn walk<'a>(written_to: impl Iterator<Item = &'a str>, skip: usize, limit: usize) -> Walk<Observation> {
    let find =
        |id: &str| Find { under: Some(id.to_owned()), limit: limit.min(ROWS_AT_ONCE), ..Find::all(kind::ENTITY) };
    Walk::new(written_to.map(find).collect(), skip)
}
