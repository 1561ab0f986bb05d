//! Reading ahead: what a small call is about, read at once instead of one thing after the other.
//!
//! Which entities a call is about depends on the schemas of their types. For built-in types it is assumed that the user
//! has no schema of their own, and found out with everything else whether that is right.

use ledger::RecordKey;

use super::Plan;
use crate::Error;
use crate::projection::Stored;
use crate::projection::row::{self, EntityRow, SourceRow, kind};

/// What was read before it was asked for.
pub(super) struct Ahead {
    source_id: String,
    source: Option<Stored<SourceRow>>,
    entity_ids: Vec<String>,
    entities: Vec<Option<Stored<EntityRow>>>,
}

impl Plan<'_> {
    /// Reads a source and entities, whose ids are made from the user's. False when a schema was assumed and the user has
    /// one of their own.
    pub async fn read_ahead(&mut self, source_id: &str, entity_ids: &[String]) -> Result<bool, Error> {
        let reader = self.reader;
        let schemas = self.assumed_types().map(|of| row::schema_key(reader.user, of));
        let mut keys: Vec<RecordKey> = schemas.collect();
        let schemas = keys.len();
        keys.push(RecordKey::new(kind::SOURCE, source_id));
        keys.extend(entity_ids.iter().map(|id| RecordKey::new(kind::ENTITY, id)));
        let mut found = reader.ledger.get(reader.tenant, reader.at, &keys).await?.into_iter();
        if found.by_ref().take(schemas).any(|own| own.is_some()) {
            return Ok(false);
        }
        let source = found.next().flatten().map(|found| reader.parse(found)).transpose()?;
        let entities = found.map(|found| found.map(|found| reader.parse(found)).transpose());
        let entities = entities.collect::<Result<_, _>>()?;
        let (source_id, entity_ids) = (source_id.to_owned(), entity_ids.to_vec());
        self.ahead = Some(Ahead { source_id, source, entity_ids, entities });
        Ok(true)
    }

    /// A source, read now or ahead.
    pub async fn source(&mut self, id: &str) -> Result<Option<Stored<SourceRow>>, Error> {
        match self.ahead.as_mut().filter(|ahead| ahead.source_id == id) {
            Some(ahead) => Ok(ahead.source.take()),
            None => self.reader.source(id).await,
        }
    }

    /// Entities in order, read now or ahead.
    pub(super) async fn entities(&mut self, ids: &[String]) -> Result<Vec<Option<Stored<EntityRow>>>, Error> {
        match self.ahead.take_if(|ahead| ahead.entity_ids == ids) {
            Some(ahead) => Ok(ahead.entities),
            None => self.reader.entities(ids).await,
        }
    }
}
