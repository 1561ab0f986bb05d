//! What to say about a listing that found nothing because it was asked about a field that no entity has.

use contract::generated::neotoma::FieldFilter;

use crate::projection::Reader;
use crate::{Error, near};

/// Fields that are spoken of.
const HINTS_MAX: usize = 5;

/// A remark for each filter whose field the type neither declares nor has, with the nearest one that it declares.
pub async fn about_filters(
    reader: &Reader<'_>,
    entity_type: Option<&str>,
    filters: &[FieldFilter],
) -> Result<Vec<String>, Error> {
    let Some(entity_type) = entity_type else { return Ok(Vec::new()) };
    let meant = reader.meant_type("entity_type", entity_type).await?;
    let schema = reader.schema(&meant).await?;
    let unknown = filters.iter().enumerate().filter(|(_, filter)| schema.field_type(&filter.field).is_none());
    let word = |(index, filter): (usize, &FieldFilter)| {
        let near = near::words(&filter.field, schema.fields.keys().map(String::as_str));
        let place = format!("filters.{index}.field is not a declared field of {meant}");
        match near.first() {
            Some(meant) => format!("{place}; did you mean {meant}"),
            None => format!("{place}; describe_schema shows those that are"),
        }
    };
    Ok(unknown.map(word).take(HINTS_MAX).collect())
}
