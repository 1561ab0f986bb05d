//! Which index a filtered listing walks.

use ledger::{FieldRange, Find, FindOrder};

use super::Cursor;
use super::cursor::Position;
use super::listing::Listing;
use crate::Error;
use crate::projection::Reader;
use crate::projection::fields::{self, Exact};
use crate::projection::row::kind;
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

/// What to walk where the index tells who meets the only filter, and how many do; nothing where they have to be looked at, or are
/// too many to be counted.
pub async fn exact(reader: &Reader<'_>, listing: &Listing, start: &Cursor) -> Result<Option<(Vec<Find>, u64)>, Error> {
    let (Some(of), [filter]) = (&listing.entity_type, listing.filters.as_slice()) else { return Ok(None) };
    let declared = reader.schema(of).await?.field_type(&filter.field);
    let Some(Exact { range, unless }) = fields::exact(filter, declared) else { return Ok(None) };
    let doubts: Vec<FieldRange> = unless.into_iter().chain([fields::unindexed()]).collect();
    if count(reader, listing, &doubts, 1).await? > 0 {
        return Ok(None);
    }
    let total = count(reader, listing, std::slice::from_ref(&range), GATHERED_MAX + 1).await?;
    if total > GATHERED_MAX {
        return Ok(None);
    }
    let after = start.position()?.map(|position| Find::after_time(position.created_at, &position.id));
    let find = |scope| Find {
        field: Some(range.clone()),
        limit: listing.limit.min(ROWS_AT_ONCE),
        after: after.clone(),
        ..of_scope(listing, scope)
    };
    Ok(Some((listing.scopes(reader.user).map(find).collect(), total)))
}

/// How many keys lie in the ranges, counted up to a bound.
async fn count(reader: &Reader<'_>, listing: &Listing, ranges: &[FieldRange], most: u64) -> Result<u64, Error> {
    let mut counted = 0;
    for range in ranges {
        for scope in listing.scopes(reader.user) {
            let find = Find { field: Some(range.clone()), order: FindOrder::Field, ..of_scope(listing, scope) };
            counted += reader.count(find, most.saturating_sub(counted)).await?;
        }
    }
    Ok(counted)
}

fn of_scope(listing: &Listing, scope: String) -> Find {
    Find { scope: Some(scope), r#type: listing.entity_type.clone(), order: FindOrder::Time, ..Find::all(kind::ENTITY) }
}
