//! Pages of what matches.
//!
//! A listing is one or more finds, one after the other, each of which walks an index in order. What no index can tell is looked
//! at row by row, within a bound. So the order is the same on every page, and the cost grows with the page and not with what is
//! stored; a total is exact up to a bound and says so beyond.

use ledger::Find;
use serde::de::DeserializeOwned;

use crate::Error;
use crate::domain::node::Universe;
use crate::domain::row::{WORLD, kind};
use crate::projection::Reader;

/// Up to here totals are exact.
pub const TOTAL_MAX: u64 = 1_000;
/// Rows that are looked at for one page when no index tells whether they match.
const LOOKED_AT_MAX: usize = 20_000;
const LOOKED_AT_ONCE: usize = 200;
/// Largest page where the specification names no other.
pub const LIMIT_MAX: i32 = 500;
/// Universes that one query goes through when it names none.
const UNIVERSES_MAX: usize = 1_000;

/// Which part of a listing is wanted.
#[derive(Debug, Clone, Copy)]
pub struct Slice {
    offset: usize,
    limit: usize,
}

/// One page.
#[derive(Debug)]
pub struct Listed<T> {
    pub items: Vec<T>,
    pub total: i64,
    /// `Some(true)` when there may be more than `total`.
    pub total_is_lower_bound: Option<bool>,
}

impl Slice {
    /// `limit` lies between 1 and `most`, and `offset` is not negative.
    pub fn of(limit: i32, offset: i32, most: i32) -> Result<Self, Error> {
        if !(1..=most).contains(&limit) {
            return Err(Error::invalid("limit", format!("is {limit}"), format!("give a number from 1 to {most}")));
        }
        let offset = usize::try_from(offset)
            .map_err(|_| Error::invalid("offset", format!("is {offset}"), "give 0 or a positive number"))?;
        Ok(Self { offset, limit: limit.unsigned_abs() as usize })
    }

    pub fn first(limit: usize) -> Self {
        Self { offset: 0, limit }
    }
}

/// The universes that a query looks at: the one it names, or all.
pub async fn scopes(reader: &Reader<'_>, universe_id: Option<&str>) -> Result<Vec<String>, Error> {
    if let Some(id) = universe_id {
        return Ok(vec![reader.universe("universe_id", id).await?.into_row().universe_id]);
    }
    let find = Find { scope: Some(WORLD.to_owned()), ..Find::all(kind::UNIVERSE) };
    let (universes, _) = reader.some::<Universe>(find, UNIVERSES_MAX).await?;
    Ok(universes.into_iter().map(|universe| universe.into_row().universe_id).collect())
}

/// A page of what finds list one after the other, where their indexes tell all.
pub async fn page<T: DeserializeOwned>(
    reader: &Reader<'_>,
    finds: Vec<Find>,
    slice: Slice,
) -> Result<Listed<T>, Error> {
    let (mut skip, mut room, mut total) = (slice.offset, slice.limit, 0);
    let mut items = Vec::new();
    for find in finds {
        let most = TOTAL_MAX.saturating_sub(total).max(skip as u64) + 1;
        let here = count(reader, &find, most).await?;
        total += here;
        let passed = usize::try_from(here).unwrap_or(usize::MAX);
        if room > 0 && skip < passed {
            let found = reader.view.find::<T>(Find { skip, limit: room, ..find }).await?;
            room -= found.items.len();
            items.extend(found.items.into_iter().map(desk::Stored::into_row));
        }
        skip = skip.saturating_sub(passed);
        if room == 0 && total > TOTAL_MAX {
            break;
        }
    }
    Ok(listed(items, total, total > TOTAL_MAX))
}

/// The same where each row is looked at: `keep` sees it with the number of the find that listed it.
pub async fn page_of<T: DeserializeOwned>(
    reader: &Reader<'_>,
    finds: Vec<Find>,
    slice: Slice,
    keep: impl Fn(&T, usize) -> bool,
) -> Result<Listed<T>, Error> {
    let (mut looked_at, mut total, mut items) = (0, 0_u64, Vec::new());
    for (number, find) in finds.into_iter().enumerate() {
        let mut after = None;
        loop {
            let page = Find { after, limit: LOOKED_AT_ONCE, skip: 0, ..find.clone() };
            let found = reader.view.find::<T>(page).await?;
            looked_at += found.items.len();
            for row in found.items.into_iter().map(desk::Stored::into_row).filter(|row| keep(row, number)) {
                if total >= slice.offset as u64 && items.len() < slice.limit {
                    items.push(row);
                }
                total += 1;
            }
            let is_full = items.len() == slice.limit && total > TOTAL_MAX;
            if is_full || looked_at >= LOOKED_AT_MAX {
                return Ok(listed(items, total, true));
            }
            match found.next {
                Some(next) => after = Some(next),
                None => break,
            }
        }
    }
    Ok(listed(items, total, total > TOTAL_MAX))
}

fn listed<T>(items: Vec<T>, total: u64, is_lower_bound: bool) -> Listed<T> {
    let total = i64::try_from(total).unwrap_or(i64::MAX);
    Listed { items, total, total_is_lower_bound: is_lower_bound.then_some(true) }
}

/// How many a find lists, up to `most`. Whole universes and whole types are counted by the ledger as it goes along.
async fn count(reader: &Reader<'_>, find: &Find, most: u64) -> Result<u64, Error> {
    if let (true, None, Some(scope)) = (find.is_listing(), &find.status, &find.scope) {
        let view = reader.view;
        let counts = view.ledger.counts(view.tenant, view.at, &find.kind, scope).await?;
        let wanted = counts.iter().filter(|(name, _)| find.r#type.as_ref().is_none_or(|wanted| wanted == name));
        return Ok(wanted.map(|(_, count)| count).sum());
    }
    Ok(reader.view.count(find.clone(), most).await?)
}
