//! Filtered and sorted listings: a look at every entity of the type, up to a bound.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::cursor::Place;
use super::listing::{Listing, Sort};
use super::{Cursor, Found, Growing, SCAN_MAX};
use crate::Error;
use crate::domain::{Map, Schema, filter};
use crate::projection::Reader;
use crate::projection::listed::Listed;
use crate::query::walk::{ROWS_AT_ONCE, Walk};

/// A page of the entities that meet the filters, the oldest first. When there are more entities than one call looks at, the page may
/// be short, the total is of what was looked at, and the cursor goes on.
pub async fn filtered(reader: &Reader<'_>, listing: &Listing, start: &Cursor) -> Result<Found, Error> {
    let mut walk = Walk::<Listed>::new(listing.finds(reader.user, start.after.as_ref()), 0);
    let mut schemas = Schemas::default();
    let mut answer = Growing::new(listing);
    let (mut matched, mut passed, mut scanned) = (0_u64, 0, 0);
    let mut last = None;
    while scanned < SCAN_MAX
        && let Some(entity) = walk.next(reader).await?
    {
        scanned += 1;
        let place = Place { created_at: entity.created_at, id: entity.id.clone() };
        if schemas.admit(reader, listing, &entity).await? {
            matched += 1;
            if passed < start.skip {
                passed += 1;
            } else if !answer.is_full() {
                answer.push(entity);
            }
        }
        last = Some(place);
    }
    let shown = answer.entities.len();
    let after_page = matched - (passed + shown) as u64;
    let next = if after_page > 0 {
        let counted = start.counted + (passed + shown) as u64;
        Some(Cursor { after: answer.last, counted, skip: 0, ..start.clone() })
    } else if walk.is_done() {
        None
    } else {
        Some(Cursor { after: last, counted: start.counted + matched, skip: start.skip - passed, ..start.clone() })
    };
    Ok(Found { entities: answer.entities, total: start.counted + matched, next })
}

/// A page of the entities that meet the filters, sorted. Only what is sorted by is held; the page is read again by id.
pub async fn sorted(reader: &Reader<'_>, listing: &Listing, start: &Cursor) -> Result<Found, Error> {
    let Some(sort) = &listing.sort else { return Err(reader.fault("a listing without sort was sorted")) };
    let mut walk = Walk::<Listed>::new(listing.finds(reader.user, None), 0);
    let mut schemas = Schemas::default();
    let mut keys = Vec::new();
    let mut scanned = 0;
    while let Some(entity) = walk.next(reader).await? {
        scanned += 1;
        if scanned > SCAN_MAX {
            return Err(Error::invalid(
                "sort",
                format!("is for listings of at most {SCAN_MAX} entities"),
                "narrow the listing by entity_type, or use filters without sort",
            ));
        }
        if schemas.admit(reader, listing, &entity).await? {
            keys.push(Key::new(entity, sort));
        }
    }
    let schema = match only_type(&keys) {
        Some(of) => Some(reader.schema(&of).await?),
        None => None,
    };
    keys.sort_by(|one, other| one.compare(other, schema.as_deref(), sort));
    let total = keys.len();
    let mut answer = Growing::new(listing);
    for ids in keys[start.skip.min(total)..].chunks(ROWS_AT_ONCE.min(listing.limit)) {
        let ids: Vec<String> = ids.iter().map(|key| key.id.clone()).collect();
        for found in reader.listed(&ids).await?.into_iter().flatten() {
            answer.push(found.row);
        }
        if answer.is_full() {
            break;
        }
    }
    let end = start.skip + answer.entities.len();
    let next = (end < total).then(|| Cursor { skip: end, ..start.clone() });
    Ok(Found { entities: answer.entities, total: total as u64, next })
}

/// An entity and what it is sorted by.
struct Key {
    id: String,
    entity_type: String,
    /// The one field of the snapshot.
    value: Map,
}

impl Key {
    fn new(mut entity: Listed, sort: &Sort) -> Self {
        let value = entity.state.snapshot.shift_remove_entry(&sort.field).into_iter().collect();
        Self { id: entity.id, entity_type: entity.entity_type, value }
    }

    fn compare(&self, other: &Self, schema: Option<&Schema>, sort: &Sort) -> Ordering {
        let order = filter::compare(schema, &sort.field, &self.value, &other.value);
        let both = !self.value.is_empty() && !other.value.is_empty();
        let order = if sort.descending && both { order.reverse() } else { order };
        order.then_with(|| self.id.cmp(&other.id))
    }
}

/// The type of all, when they are of one. Values of several types compare by what they are, not by what is declared.
fn only_type(keys: &[Key]) -> Option<String> {
    let first = &keys.first()?.entity_type;
    keys.iter().all(|key| key.entity_type == *first).then(|| first.clone())
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
