//! An entity as it is now, by its id: one look-up, and no point is asked for before.
//!
//! What is live is what it was when it was last changed, so the fact that made the newest version is the point of the
//! answer. Whatever else the answer needs is read at that point too, and the whole is of one moment.

use ledger::LIVE;

use crate::Error;
use crate::projection::Reader;
use crate::projection::row::EntityRow;

/// An entity and the point at which it was found.
pub struct Found<'a> {
    pub reader: Reader<'a>,
    /// The id that was named; of the entity, or of one that was merged into it.
    pub asked: String,
    pub entity: EntityRow,
}

/// The entity that `entity_id` names, after merges; deleted ones too. The reader is live only for an id.
pub async fn find<'a>(mut reader: Reader<'a>, reference: &str) -> Result<Found<'a>, Error> {
    let field = "entity_id";
    let mut named = reader.named(field, reference).await?;
    if reader.at == LIVE {
        if named.row.merged_into.is_none() {
            return Ok(Found { reader: reader.pinned(named.seq), asked: named.key.id, entity: named.row });
        }
        // Two live reads may be of two moments.
        reader = reader.at_head().await?;
        named = reader.named(field, reference).await?;
    }
    let asked = named.key.id.clone();
    let entity = reader.survivor(named).await?.row;
    Ok(Found { reader, asked, entity })
}
