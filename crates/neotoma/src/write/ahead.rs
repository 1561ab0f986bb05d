//! Reading ahead: what a small call is about, read at once instead of one thing after the other.
//!
//! Which entities a call is about depends on the schemas of their types. For built-in types it is assumed that the user
//! has no schema of their own, and found out with everything else whether that is right.

use desk::Stored;
use ledger::RecordKey;

use crate::Error;
use crate::domain::plan::Plan;
use crate::projection::Reader;
use crate::projection::row::{self, EntityRow, SourceRow, kind};

/// What was read before it was asked for.
pub struct Ahead {
    pub source: Option<Stored<SourceRow>>,
    /// The entities of the batch, in order.
    pub entities: Vec<Option<Stored<EntityRow>>>,
}

/// Reads a source and entities, whose ids are made from the user's. Nothing when the plan assumed a schema and the user has
/// one of their own.
pub async fn read(
    reader: &Reader<'_>,
    plan: &Plan,
    source_id: &str,
    entity_ids: &[String],
) -> Result<Option<Ahead>, Error> {
    let mut keys: Vec<RecordKey> = plan.assumed_types().map(|of| row::schema_key(reader.user, of)).collect();
    let schemas = keys.len();
    keys.push(RecordKey::new(kind::SOURCE, source_id));
    keys.extend(entity_ids.iter().map(|id| RecordKey::new(kind::ENTITY, id)));
    let mut found = reader.ledger.get(reader.tenant, reader.at, &keys).await?.into_iter();
    if found.by_ref().take(schemas).any(|own| own.is_some()) {
        return Ok(None);
    }
    let source = found.next().flatten().map(|found| reader.parse(found)).transpose()?;
    let entities = found.map(|found| found.map(|found| reader.parse(found)).transpose());
    Ok(Some(Ahead { source, entities: entities.collect::<Result<_, _>>()? }))
}
