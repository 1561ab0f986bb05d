//! Find: pages of records that match, in order.
//!
//! A find chooses one order to walk ([`walk`]) and checks the rest of the query row by row ([`filter`]). When
//! it is the order that was asked for, the walk stops as soon as the page is full, so its cost does not grow
//! with what is stored. In the past it also passes over what changed since within the page ([`merge`]).
//! Otherwise all matches are gathered and sorted; that happens for orders by name, time or field without a scope or
//! of links at a record, and for ranges that are listed by id or by time.

mod cursor;
mod field;
mod filter;
mod merge;
mod walk;

use ledger::{Direction, FieldRange, Find, FindOrder, Page, ReadError, RecordKey, RecordVersion, Seq};
use rusqlite::{Connection, params};
use scope::TenantId;

use crate::readers::failed;
use crate::{point, record};
use cursor::Cursor;
use field::ByField;
use filter::{Filter, TextRange};
use walk::Walk;

/// A page that passes over and reads more rows than this is read on a thread that may block.
const ROWS_INLINE_MAX: usize = 200;

/// One page of what matches at `at`.
pub(crate) fn page(
    connection: &Connection,
    tenant: &TenantId,
    at: Seq,
    find: &Find,
) -> Result<Page<RecordVersion>, ReadError> {
    // A reader's transaction keeps head and listing to one moment; otherwise the head's index would show more.
    let live = point::check(connection, tenant, at)?;
    page_at(connection, tenant, (at, live), find)
}

fn page_at(
    connection: &Connection,
    tenant: &TenantId,
    point: (Seq, bool),
    find: &Find,
) -> Result<Page<RecordVersion>, ReadError> {
    let mut found = matching(connection, tenant, point, find, find.limit.saturating_add(1))?;
    let more = found.len() > find.limit;
    found.truncate(find.limit);
    let last = found.last().and_then(Hit::place).cloned();
    let items = versions(connection, tenant, (&find.kind, point.0), found).map_err(failed)?;
    let last = last.or_else(|| items.last().map(|last| cursor::place(find.order, &last.record)));
    Ok(Page { next: last.filter(|_| more).map(|last| last.text()), items })
}

/// A match, as far as a walk knows it.
enum Hit {
    /// The version in this slot.
    Version(i64),
    /// The version in this slot, which stands there.
    Sorted(i64, Cursor),
    /// The version of the record that stands there, as it was at the point.
    Placed(Cursor),
}

impl Hit {
    fn place(&self) -> Option<&Cursor> {
        match self {
            Self::Version(_) => None,
            Self::Sorted(_, place) | Self::Placed(place) => Some(place),
        }
    }
}

/// Reads what was found. The matches of one find are all of one sort.
fn versions(
    connection: &Connection,
    tenant: &TenantId,
    (kind, at): (&str, Seq),
    found: Vec<Hit>,
) -> rusqlite::Result<Vec<RecordVersion>> {
    let (mut slots, mut keys) = (Vec::new(), Vec::new());
    for hit in found {
        match hit {
            Hit::Version(slot) | Hit::Sorted(slot, _) => slots.push(slot),
            Hit::Placed(place) => keys.push(RecordKey::new(kind, place.record_id())),
        }
    }
    if keys.is_empty() {
        return record::in_slots(connection, &slots);
    }
    let found = record::versions_at(connection, tenant, &keys, at)?.0;
    found.into_iter().map(|version| version.ok_or(rusqlite::Error::QueryReturnedNoRows)).collect()
}

/// The slot of the version that was visible at the point of the walk.
fn slot_at(walk: &Walk<'_>, id: &str) -> rusqlite::Result<i64> {
    let mut statement = walk.connection.prepare_cached(
        "SELECT slot
           FROM record_versions INDEXED BY history
          WHERE tenant = ?1 AND kind = ?2 AND id = ?3 AND from_seq <= ?4
          ORDER BY from_seq DESC, version DESC
          LIMIT 1",
    )?;
    statement.query_row(params![walk.tenant.as_str(), walk.kind, id, walk.at.cast_signed()], |row| row.get(0))
}

/// Whether a page at the head is found in a few steps: an index lists just what matches, in order, and not much of it.
pub(crate) fn is_short(find: &Find) -> bool {
    let few = find.skip.saturating_add(find.limit) <= ROWS_INLINE_MAX;
    let route = Route::choose(find);
    // The index of all versions may hold many old ones in between.
    few && route.in_order && route.filter.is_empty() && !matches!(route.index, Index::Kind)
}

/// One page of what matches, if `at` is the head or whatever is live; elsewhere a walk may have to pass over many versions.
pub(crate) fn page_of_head(
    connection: &Connection,
    tenant: &TenantId,
    at: Seq,
    find: &Find,
) -> Result<Option<Page<RecordVersion>>, ReadError> {
    let live = point::check(connection, tenant, at)?;
    if live { page_at(connection, tenant, (at, live), find).map(Some) } else { Ok(None) }
}

/// How many match at `at`, counted up to `most`.
pub(crate) fn count(
    connection: &Connection,
    tenant: &TenantId,
    at: Seq,
    find: Find,
    most: u64,
) -> Result<u64, ReadError> {
    let find = Find { after: None, skip: 0, ..find };
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let live = point::check(connection, tenant, at)?;
    if live && find.order.is_by_field() {
        let route = Route::choose(&find);
        if let (Index::Field(scope, wanted, range), true) = (&route.index, route.filter.is_empty()) {
            let walk = Walk { connection, tenant, kind: &find.kind, at, live, skip: 0, want: most };
            let by_field = ByField { scope, r#type: wanted.as_deref(), range, filter: &route.filter };
            return by_field.count_live(&walk).map_err(failed);
        }
    }
    Ok(matching(connection, tenant, (at, live), &find, most)?.len() as u64)
}

/// The first `want` matches after the cursor and what is passed over, in order. The point comes with whether it
/// is the head.
fn matching(
    connection: &Connection,
    tenant: &TenantId,
    (at, live): (Seq, bool),
    find: &Find,
    want: usize,
) -> Result<Vec<Hit>, ReadError> {
    let cursor = Cursor::parse(find)?;
    if find.order.is_by_field() && find.field.is_none() {
        return Ok(Vec::new());
    }
    let route = Route::choose(find);
    let walk = Walk { connection, tenant, kind: &find.kind, at, live, skip: find.skip, want };
    if let Index::Field(scope, wanted, range) = &route.index {
        let by_field = ByField { scope, r#type: wanted.as_deref(), range, filter: &route.filter };
        by_field.matching(&walk, find, &cursor).map_err(failed)
    } else if route.in_order {
        Ok(route.run(&walk, find, &cursor)?.into_iter().map(Hit::Version).collect())
    } else {
        let all = route.run(&Walk { skip: 0, want: usize::MAX, ..walk }, find, &Cursor::start(find))?;
        cursor::sort(connection, find, all, &cursor, find.skip, want).map_err(failed)
    }
}

/// Which order a find walks.
struct Route {
    index: Index,
    /// What the index does not check.
    filter: Filter,
    /// Whether the index is in the order that was asked for.
    in_order: bool,
}

enum Index {
    Touching(String, Direction),
    Under(String, String),
    /// Scope, type and keys.
    Field(String, Option<String>, FieldRange),
    Name(String, TextRange),
    Time(String),
    TypeTime(String, String),
    Tag(String, String),
    Type(String, String),
    Status(String, String),
    Scope(String),
    Kind,
}

impl Route {
    fn choose(find: &Find) -> Self {
        let mut filter = Filter::of(find);
        let by_id = find.order == FindOrder::Id;
        if let Some((id, direction)) = &find.touching {
            return Self { index: Index::Touching(id.clone(), *direction), filter, in_order: by_id };
        }
        if let Some((from, until)) = filter.under.take() {
            return Self { index: Index::Under(from, until), filter, in_order: by_id };
        }
        let Some(scope) = filter.scope.take() else {
            return Self { index: Index::Kind, filter, in_order: by_id };
        };
        let exact = find.name.is_some();
        let by_field = find.order.is_by_field() || (!exact && find.tag.is_none());
        if by_field && let Some(range) = filter.field.take() {
            let in_order = field::is_in_order(find.order, &range);
            if in_order && find.order == FindOrder::Time {
                filter.time = None;
            }
            return Self { index: Index::Field(scope, filter.r#type.take(), range), filter, in_order };
        }
        let (index, in_order) = if exact || find.order == FindOrder::Name || (by_id && find.name_prefix.is_some()) {
            let range = filter.name.take().unwrap_or_else(TextRange::all);
            (Index::Name(scope, range), find.order == FindOrder::Name || (exact && by_id))
        } else if find.order == FindOrder::Time {
            filter.time = None;
            match filter.r#type.take() {
                Some(wanted) => (Index::TypeTime(scope, wanted), true),
                None => (Index::Time(scope), true),
            }
        } else if let Some(tag) = filter.tag.take() {
            (Index::Tag(scope, tag), true)
        } else if filter.time.take().is_some() {
            (Index::Time(scope), false)
        } else if let Some(wanted) = filter.r#type.take() {
            (Index::Type(scope, wanted), true)
        } else if let Some(wanted) = filter.status.take() {
            (Index::Status(scope, wanted), true)
        } else {
            (Index::Scope(scope), true)
        };
        Self { index, filter, in_order }
    }

    fn run(&self, walk: &Walk<'_>, find: &Find, cursor: &Cursor) -> Result<Vec<i64>, ReadError> {
        let filter = &self.filter;
        let found = match &self.index {
            Index::Touching(id, direction) => walk.touching(id, *direction, cursor.id(), filter),
            Index::Under(from, until) => walk.under(from, until, cursor.id(), filter),
            Index::Field(..) => Ok(Vec::new()),
            Index::Name(scope, range) => walk.name(scope, range, cursor, filter),
            Index::Time(scope) => walk.time(scope, find.time, cursor, filter),
            Index::TypeTime(scope, wanted) => walk.type_time(scope, wanted, find.time, cursor, filter),
            Index::Tag(scope, tag) => walk.tag(scope, tag, cursor.id(), filter),
            Index::Type(scope, wanted) => walk.r#type(scope, wanted, cursor.id(), filter),
            Index::Status(scope, wanted) => walk.status(scope, wanted, cursor.id(), filter),
            Index::Scope(scope) => walk.scope(scope, cursor.id(), filter),
            Index::Kind => walk.kind(cursor.id(), filter),
        };
        found.map_err(failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_short_when_an_index_lists_just_its_rows() {
        let text = |text: &str| Some(text.to_owned());
        let scoped = || Find { scope: text("s"), ..Find::all("k") };
        for (find, short) in [
            (scoped(), true),
            (Find { r#type: text("t"), order: FindOrder::Time, ..scoped() }, true),
            (Find { name_prefix: text("a"), order: FindOrder::Name, ..scoped() }, true),
            (Find { touching: Some(("a".to_owned(), Direction::Both)), ..Find::all("k") }, true),
            (Find { limit: ROWS_INLINE_MAX, ..scoped() }, true),
            (Find { limit: ROWS_INLINE_MAX, skip: 1, ..scoped() }, false),
            (Find { limit: usize::MAX, skip: usize::MAX, ..scoped() }, false),
            (Find { name: text("a"), r#type: text("t"), ..scoped() }, false),
            (Find { name_prefix: text("a"), ..scoped() }, false),
            (Find::all("k"), false),
        ] {
            assert_eq!(is_short(&find), short, "{find:?}");
        }
    }
}
