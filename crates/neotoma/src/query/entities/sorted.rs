//! Sorted listings along the index of a field.
//!
//! Each sort of value has a stretch of the index; what the field declares comes first. An entity stands in several stretches when its
//! value can be read in several ways, and counts in the one that the schema says. Entities without the field come last: they
//! are looked for in the order of creation.

use ledger::{FieldRange, Find, FindOrder};

use super::cursor::{After, Position};
use super::listing::{Listing, Sort};
use super::{Cursor, Found, Growing, SCAN_MAX};
use crate::Error;
use crate::domain::schema::FieldType;
use crate::projection::listed::Listed;
use crate::projection::row::kind;
use crate::projection::{Reader, fields};
use crate::query::interleaved::ROWS_AT_ONCE;

/// Rows that are read at once to see whether a page follows.
const ROWS_AHEAD: usize = 16;

/// Whether the index holds all entities of the listing: merged ones stand elsewhere, and those with very many fields nowhere.
pub async fn has_index(reader: &Reader<'_>, listing: &Listing) -> Result<bool, Error> {
    if listing.merged {
        return Ok(false);
    }
    Ok(reader.count(find(reader, listing, Some(fields::unindexed())), 1).await? == 0)
}

/// A page in the order of a field.
pub async fn by_index(reader: &Reader<'_>, listing: &Listing, sort: &Sort, start: &Cursor) -> Result<Found, Error> {
    let declared = listing.declared(reader, &sort.field).await?;
    let mut stretches = fields::sorts(&sort.field, declared);
    if sort.descending {
        stretches.reverse();
    }
    let mut page = Filling {
        reader,
        listing,
        sort,
        declared,
        answer: Growing::new(listing),
        skip: start.skip,
        looked_at: 0,
        next: None,
        is_incomplete: false,
    };
    let (first, mut after) = start.stretch()?;
    for (number, range) in stretches.iter().enumerate().skip(first) {
        page.walk(number, Some(range), after.take()).await?;
    }
    // Entities without the field.
    if page.next.is_none() {
        page.walk(stretches.len(), None, after).await?;
    }
    let next = page.next.map(|(number, after)| {
        let after = After::Stretch(number, after);
        Cursor { skip: page.skip, after: Some(after), counted: start.counted }
    });
    let total = listing.total(reader).await?;
    Ok(Found { entities: page.answer.entities, total, next, is_incomplete: page.is_incomplete })
}

/// A page that is being filled.
struct Filling<'a> {
    reader: &'a Reader<'a>,
    listing: &'a Listing,
    sort: &'a Sort,
    declared: Option<FieldType>,
    answer: Growing<'a>,
    /// How many entities are still to be passed over.
    skip: usize,
    looked_at: usize,
    /// In which stretch, and after what, the next page begins.
    next: Option<(usize, Option<String>)>,
    is_incomplete: bool,
}

impl Filling<'_> {
    /// Walks one stretch, or the entities without the field, until the page is full.
    async fn walk(
        &mut self,
        number: usize,
        range: Option<&FieldRange>,
        mut after: Option<String>,
    ) -> Result<(), Error> {
        while self.next.is_none() {
            if self.looked_at >= SCAN_MAX {
                self.is_incomplete = !self.answer.is_full();
                self.next = Some((number, after));
                break;
            }
            let order = match (range, self.sort.descending) {
                (None, _) => FindOrder::Time,
                (Some(_), false) => FindOrder::Field,
                (Some(_), true) => FindOrder::FieldDescending,
            };
            let room = self.listing.limit - self.answer.entities.len() + self.skip;
            // A full page looks whether there is another one.
            let limit = if room == 0 { ROWS_AHEAD } else { room.min(ROWS_AT_ONCE) };
            let find = Find { order, after, limit, ..find(self.reader, self.listing, range.cloned()) };
            let (rows, next) = self.reader.find::<Listed>(find.clone()).await?;
            for (index, stored) in rows.into_iter().enumerate() {
                self.looked_at += 1;
                if !self.belongs(number, &stored.row) {
                    continue;
                }
                if self.skip > 0 {
                    self.skip -= 1;
                    continue;
                }
                self.answer.push(stored.row);
                if self.answer.was_cut {
                    // The one that did not fit begins the next page.
                    self.next = Some((number, self.after(&find, index).await?));
                    return Ok(());
                }
            }
            if next.is_none() {
                break;
            }
            after = next;
        }
        Ok(())
    }

    /// The place after the first `read` rows of a find.
    async fn after(&self, find: &Find, read: usize) -> Result<Option<String>, Error> {
        if read == 0 {
            return Ok(find.after.clone());
        }
        Ok(self.reader.page(Find { limit: read, ..find.clone() }).await?.next)
    }

    /// Whether this stretch is where the entity counts.
    fn belongs(&self, number: usize, entity: &Listed) -> bool {
        let field = &self.sort.field;
        let stretches = fields::sorts(field, self.declared).len();
        match entity.state.snapshot.get(field).filter(|value| !value.is_null()) {
            None => number == stretches,
            Some(value) => {
                let (sort, _) = fields::place(field, self.declared, value);
                number == if self.sort.descending { stretches - 1 - sort } else { sort }
            }
        }
    }
}

fn find(reader: &Reader<'_>, listing: &Listing, field: Option<FieldRange>) -> Find {
    Find {
        scope: Some(reader.user.to_owned()),
        r#type: listing.entity_type.clone(),
        order: FindOrder::Time,
        field,
        ..Find::all(kind::ENTITY)
    }
}

/// What an entity is sorted by, for listings that are sorted here: which stretch, its place in it, and where it was created.
pub type SortKey = (usize, Option<ledger::FieldKey>, Position);

/// The sort key of an entity; entities without the field come last.
pub fn key(entity: &Listed, sort: &Sort, declared: Option<FieldType>) -> SortKey {
    let value = entity.state.snapshot.get(&sort.field).filter(|value| !value.is_null());
    match value.map(|value| fields::place(&sort.field, declared, value)) {
        Some((stretch, key)) => (stretch, Some(key), Position::of(entity)),
        None => (usize::MAX, None, Position::of(entity)),
    }
}
