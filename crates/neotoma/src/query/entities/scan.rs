//! Listings that look at entity after entity, up to a bound: of what an index leaves, or of all.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::cursor::{After, Position};
use super::listing::{Listing, Sort};
use super::{Cursor, Found, Growing, SCAN_MAX, candidates, sorted};
use crate::Error;
use crate::domain::{Schema, filter};
use crate::projection::Reader;
use crate::projection::listed::Listed;
use crate::query::interleaved::{Interleaved, ROWS_AT_ONCE};

/// A page of the entities that meet the filters, the oldest first. When there are more candidates than one call looks at, the page
/// may be short, the total is of what was looked at, and the cursor goes on.
pub async fn filtered(reader: &Reader<'_>, listing: &Listing, start: &Cursor) -> Result<Found, Error> {
    let mut walk = Interleaved::<Listed>::new(candidates::finds(reader, listing, start.position()?).await?, 0);
    let mut schemas = Schemas::default();
    let mut answer = Growing::new(listing);
    let (mut matched, mut passed, mut scanned) = (0_u64, 0, 0);
    let mut last = None;
    while scanned < SCAN_MAX
        && let Some(entity) = walk.next(reader).await?
    {
        let position = Position::of(&entity);
        if last.as_ref() == Some(&position) {
            continue;
        }
        scanned += 1;
        if schemas.admit(reader, listing, &entity).await? {
            matched += 1;
            if passed < start.skip {
                passed += 1;
            } else if !answer.is_full() {
                answer.push(entity);
            }
        }
        last = Some(position);
    }
    let shown = answer.entities.len();
    let is_incomplete = !walk.is_done();
    let after_page = matched - (passed + shown) as u64;
    let next = if after_page > 0 {
        let counted = start.counted + (passed + shown) as u64;
        Some(Cursor { after: answer.last.map(After::Position), counted, skip: 0 })
    } else if is_incomplete {
        let (after, counted) = (last.map(After::Position), start.counted + matched);
        Some(Cursor { after, counted, skip: start.skip - passed })
    } else {
        None
    };
    Ok(Found { entities: answer.entities, total: start.counted + matched, next, is_incomplete })
}

/// A page of the entities that meet the filters, sorted. Only what is sorted by is held; the page is read again by id.
pub async fn sorted(reader: &Reader<'_>, listing: &Listing, sort: &Sort, start: &Cursor) -> Result<Found, Error> {
    if !matches!(start.after, None | Some(After::Sorted)) {
        return Err(Cursor::foreign());
    }
    let mut walk = Interleaved::<Listed>::new(candidates::finds(reader, listing, None).await?, 0);
    let declared = listing.declared(reader, &sort.field).await?;
    let mut schemas = Schemas::default();
    let (mut keys, mut scanned, mut last) = (Vec::new(), 0, None);
    while let Some(entity) = walk.next(reader).await? {
        let position = Position::of(&entity);
        if last.as_ref() == Some(&position) {
            continue;
        }
        last = Some(position);
        scanned += 1;
        if scanned > SCAN_MAX {
            return Err(Error::invalid(
                "sort",
                format!("is for listings that look at no more than {SCAN_MAX} entities"),
                "narrow the listing by entity_type or by a filter with eq, lt, lte, gt or gte, or use filters without sort",
            ));
        }
        if schemas.admit(reader, listing, &entity).await? {
            keys.push(sorted::key(&entity, sort, declared));
        }
    }
    keys.sort_unstable();
    if sort.descending {
        let absent = keys.partition_point(|(_, key, _)| key.is_some());
        keys[..absent].reverse();
    }
    let total = keys.len();
    let mut answer = Growing::new(listing);
    for ids in keys[start.skip.min(total)..].chunks(ROWS_AT_ONCE.min(listing.limit)) {
        let ids: Vec<String> = ids.iter().map(|(_, _, position)| position.id.clone()).collect();
        for found in reader.listed(&ids).await?.into_iter().flatten() {
            answer.push(found.row);
        }
        if answer.is_full() {
            break;
        }
    }
    let end = start.skip + answer.entities.len();
    let next = (end < total).then_some(Cursor { skip: end, after: Some(After::Sorted), counted: start.counted });
    Ok(Found { entities: answer.entities, total: total as u64, next, is_incomplete: false })
}

/// The schemas that a scan came by.
#[derive(Default)]
struct Schemas {
    by_type: BTreeMap<String, Cow<'static, Schema>>,
}

impl Schemas {
    /// Whether an entity meets all filters, by what its own type declares.
    async fn admit(&mut self, reader: &Reader<'_>, listing: &Listing, entity: &Listed) -> Result<bool, Error> {
        if listing.filters.is_empty() {
            return Ok(true);
        }
        if !self.by_type.contains_key(&entity.entity_type) {
            let schema = reader.schema(&entity.entity_type).await?;
            self.by_type.insert(entity.entity_type.clone(), schema);
        }
        let schema = self.by_type.get(&entity.entity_type).map(|schema| &**schema);
        Ok(listing.filters.iter().all(|one| filter::admits(schema, one, &entity.state.snapshot)))
    }
}
