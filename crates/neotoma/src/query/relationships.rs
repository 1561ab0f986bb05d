//! list_relationships: the live edges at an entity, newest first, then by id.

use contract::generated::neotoma::{Direction as Asked, ListRelationshipsRequest, ListRelationshipsResponse};
use ledger::{Direction, Find};

use super::window::{COUNT_MAX, Window};
use crate::projection::listed::{Edge, Listed};
use crate::projection::row::kind;
use crate::projection::{Reader, message};
use crate::{Error, near};

/// Answers list_relationships.
pub async fn list(reader: &Reader<'_>, request: &ListRelationshipsRequest) -> Result<ListRelationshipsResponse, Error> {
    let page = Window::new(request.limit, request.offset);
    let entity = reader.resolved_as::<Listed>("entity_id", &request.entity_id).await?.row;
    if let Some(named) = &request.relationship_type {
        check_types(reader, "relationship_type", std::slice::from_ref(named)).await?;
    }
    let find = Find {
        r#type: request.relationship_type.clone(),
        touching: Some((entity.id, direction(request.direction()))),
        ..Find::all(kind::RELATIONSHIP)
    };
    let paged = Find { skip: page.skip(), limit: page.size(), ..find.clone() };
    let (edges, next) = reader.find::<Edge>(paged).await?;
    let total = match (page.offset, next) {
        (0, None) => edges.len() as u64,
        _ => reader.count(find, COUNT_MAX).await?,
    };
    Ok(ListRelationshipsResponse {
        relationships: edges.into_iter().map(|edge| message::relationship(edge.row)).collect(),
        total,
        limit: page.limit,
        offset: page.offset,
        read_point: reader.at,
    })
}

/// Refuses names of relationship types that do not exist.
pub async fn check_types(reader: &Reader<'_>, field: &str, named: &[String]) -> Result<(), Error> {
    for name in named {
        if reader.relation_type(name).await?.is_none() {
            return Err(no_such_type(reader, field, name).await?);
        }
    }
    Ok(())
}

/// The refusal of a name that no relationship type has.
pub async fn no_such_type(reader: &Reader<'_>, field: &str, name: &str) -> Result<Error, Error> {
    let valid: Vec<String> = reader.relation_types().await?.into_iter().map(|relation| relation.name).collect();
    Ok(Error::NoSuchRelationType { field: field.to_owned(), near: near::relation_types(name, &valid), valid })
}

/// The direction as the ledger names it.
pub fn direction(asked: Asked) -> Direction {
    match asked {
        Asked::Inbound => Direction::Incoming,
        Asked::Outbound => Direction::Outgoing,
        Asked::Both | Asked::Unspecified => Direction::Both,
    }
}
