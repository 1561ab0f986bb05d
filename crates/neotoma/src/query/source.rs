//! The resource of a source: what was stored, and what it is about.

use contract::generated::neotoma::{ReadSourceRequest, ReadSourceResponse};

use crate::Error;
use crate::projection::{Reader, message};

/// Answers a read of `neotoma://source/ID`.
pub async fn read(reader: &Reader<'_>, request: &ReadSourceRequest) -> Result<ReadSourceResponse, Error> {
    let source = reader.stored_source("source_id", &request.source_id).await.map_err(|error| match error {
        Error::NoSuchSource { .. } | Error::Invalid { .. } => Error::NoSuchResource,
        other => other,
    })?;
    Ok(ReadSourceResponse {
        source_material: Some(message::source(&source.row)),
        entities: reader.content(&source).await?,
        entity_ids: source.row.entities.into_keys().collect(),
    })
}
