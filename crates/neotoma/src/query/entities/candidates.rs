//! Which index a filtered listing walks.

use ledger::{FieldRange, Find, FindOrder};

use super::cursor::Position;
use super::listing::Listing;
use crate::Error;
use crate::projection::row::kind;
use crate::projection::{Reader, fields};
use crate::query::interleaved::ROWS_AT_ONCE;

/// Filters that are weighed against each other.
const WEIGHED_MAX: usize = 4;
/// A filter that leaves no more than this is taken without a further look.
const FEW: u64 = 1000;
/// What a range leaves is gathered and sorted for each page. Beyond this many the walk by creation comes by matches often enough.
const GATHERED_MAX: u64 = 5000;
/// Rows that are read at once of what was gathered.
const GATHERED_AT_ONCE: usize = 2500;

/// What to walk for the filters of a listing, in the order of creation: what the most selective of them leaves, or everything.
/// An entity may come twice in a row.
pub async fn finds(reader: &Reader<'_>, listing: &Listing, after: Option<&Position>) -> Result<Vec<Find>, Error> {
    let schema = match &listing.entity_type {
        Some(of) => Some(reader.schema(of).await?),
        None => None,
    };
    let served = listing.filters.iter().filter_map(|filter| {
        let declared = schema.as_ref().map(|schema| schema.field_type(&filter.field));
        fields::ranges(filter, declared)
    });
    let mut best: Option<(u64, bool, Vec<FieldRange>)> = None;
    for ranges in served.take(WEIGHED_MAX) {
        let left = count(reader, listing, &ranges, FEW + 1).await?;
        let in_order = ranges.iter().all(FieldRange::is_one_key);
        // Among those that leave many, one value is better than a range: it is walked in order.
        if best.as_ref().is_none_or(|(least, ordered, _)| (left, !in_order) < (*least, !ordered)) {
            best = Some((left, in_order, ranges));
        }
    }
    let all = || listing.finds(reader.user, after);
    let Some((left, in_order, ranges)) = best else { return Ok(all()) };
    if left > FEW && !in_order && count(reader, listing, &ranges, GATHERED_MAX + 1).await? > GATHERED_MAX {
        return Ok(all());
    }
    let limit = if in_order { ROWS_AT_ONCE } else { GATHERED_AT_ONCE };
    let after = after.map(|position| Find::after_time(position.created_at, &position.id));
    let ranges = ranges.into_iter().chain([fields::unindexed()]);
    let finds = ranges.flat_map(|range| {
        let find = move |scope| Find { field: Some(range.clone()), limit, ..of_scope(listing, scope) };
        listing.scopes(reader.user).map(find).collect::<Vec<_>>()
    });
    Ok(finds.map(|find| Find { after: after.clone(), ..find }).collect())
}

async fn count(reader: &Reader<'_>, listing: &Listing, ranges: &[FieldRange], most: u64) -> Result<u64, Error> {
    let mut counted = 0;
    for range in ranges {
        for scope in listing.scopes(reader.user) {
            let find = Find { field: Some(range.clone()), ..of_scope(listing, scope) };
            counted += reader.count(find, most.saturating_sub(counted)).await?;
        }
    }
    Ok(counted)
}

fn of_scope(listing: &Listing, scope: String) -> Find {
    Find { scope: Some(scope), r#type: listing.entity_type.clone(), order: FindOrder::Time, ..Find::all(kind::ENTITY) }
}
