//! Finds by field: along the lists of keys.
//!
//! In the order of keys, or in the order of time where all have one key, the lists are walked in order. Otherwise the matches are
//! gathered from the lists and sorted, without reading their rows; of one list at the head SQLite keeps only what is wanted.

use std::cmp::Reverse;

use ledger::{FieldRange, Find, FindOrder};
use rusqlite::{ToSql, params};

use super::cursor::Cursor;
use super::filter::Filter;
use super::merge::{self, Step};
use super::walk::Walk;
use super::{Hit, cursor, slot_at};
use crate::fields::{self, NO_TIME};

/// What is looked for by field, and what is left to check.
pub(super) struct ByField<'a> {
    pub scope: &'a str,
    pub r#type: Option<&'a str>,
    pub range: &'a FieldRange,
    pub filter: &'a Filter,
}

/// Whether the lists are in the order that was asked for.
pub(super) fn is_in_order(order: FindOrder, range: &FieldRange) -> bool {
    order.is_by_field() || (order == FindOrder::Time && range.is_one_key())
}

impl ByField<'_> {
    /// The matches after the cursor, in order.
    pub(super) fn matching(&self, walk: &Walk<'_>, find: &Find, cursor: &Cursor) -> rusqlite::Result<Vec<Hit>> {
        let lists =
            fields::lists(walk.connection, walk.tenant, (walk.kind, self.scope), &self.range.name, self.r#type)?;
        if lists.is_empty() || walk.want == 0 {
            return Ok(Vec::new());
        }
        match find.order {
            FindOrder::Field => self.ascending(walk, &lists, cursor),
            FindOrder::FieldDescending => self.descending(walk, &lists, cursor),
            FindOrder::Time if self.range.is_one_key() => self.by_time(walk, &lists, find, cursor),
            FindOrder::Time if walk.live && lists.len() == 1 && self.filter.is_empty() => {
                self.first_by_time(walk, lists[0], cursor)
            }
            FindOrder::Id | FindOrder::Time => self.sorted(walk, &lists, find.order, cursor),
            FindOrder::Name => {
                let mut slots = Vec::new();
                for (_, id) in self.gathered(walk, &lists)? {
                    let slot = slot_at(walk, &id)?;
                    if self.filter.admits(walk.connection, slot)? {
                        slots.push(slot);
                    }
                }
                slots.sort_unstable();
                slots.dedup();
                cursor::sort(walk.connection, find, slots, cursor, walk.skip, walk.want)
            }
        }
    }

    /// How many keys of live records lie in the range, counted up to what the walk wants.
    pub(super) fn count_live(&self, walk: &Walk<'_>) -> rusqlite::Result<u64> {
        let keys = "SELECT count(*)
                      FROM (SELECT 1 FROM live_fields WHERE list = ?1 AND key >= ?2 AND key < ?3 LIMIT ?4)";
        let mut statement = walk.connection.prepare_cached(keys)?;
        let (mut left, mut counted) = (i64::try_from(walk.want).unwrap_or(i64::MAX), 0);
        for list in fields::lists(walk.connection, walk.tenant, (walk.kind, self.scope), &self.range.name, self.r#type)?
        {
            let here: i64 =
                statement.query_row(params![list, self.range.from(), self.range.until(), left], |row| row.get(0))?;
            (left, counted) = (left - here, counted + here.cast_unsigned());
        }
        Ok(counted)
    }

    fn ascending(&self, walk: &Walk<'_>, lists: &[i64], cursor: &Cursor) -> rusqlite::Result<Vec<Hit>> {
        let live = "SELECT 0, from_seq, NULL, id, key, time
                      FROM live_fields
                     WHERE list = ?1 AND (key, time, id) > (?2, ?3, ?4) AND key < ?5
                     ORDER BY key, time, id";
        let ended = "SELECT 0, from_seq, to_seq, id, key, time
                       FROM ended_fields
                      WHERE list = ?1 AND (key, time, id) > (?2, ?3, ?4) AND key < ?5
                      ORDER BY key, time, id";
        let (from, until) = (self.range.from().to_owned(), self.range.until());
        let (key, time, id) = match cursor {
            Cursor::Field(key, time, id) if *key >= from => (key.as_str(), *time, id.as_str()),
            _ => (from.as_str(), NO_TIME, ""),
        };
        self.walk(walk, lists, (live, ended), &[&key, &time, &id, &until], FindOrder::Field)
    }

    fn descending(&self, walk: &Walk<'_>, lists: &[i64], cursor: &Cursor) -> rusqlite::Result<Vec<Hit>> {
        let live = "SELECT 0, from_seq, NULL, id, key, time
                      FROM live_fields
                     WHERE list = ?1 AND (key, time, id) < (?2, ?3, ?4) AND key >= ?5
                     ORDER BY key DESC, time DESC, id DESC";
        let ended = "SELECT 0, from_seq, to_seq, id, key, time
                       FROM ended_fields
                      WHERE list = ?1 AND (key, time, id) < (?2, ?3, ?4) AND key >= ?5
                      ORDER BY key DESC, time DESC, id DESC";
        let (from, until) = (self.range.from(), self.range.until().to_owned());
        let (key, time, id) = match cursor {
            Cursor::FieldDescending(Reverse((key, time, id))) if *key < until => (key.as_str(), *time, id.as_str()),
            _ => (until.as_str(), NO_TIME, ""),
        };
        self.walk(walk, lists, (live, ended), &[&key, &time, &id, &from], FindOrder::FieldDescending)
    }

    fn by_time(&self, walk: &Walk<'_>, lists: &[i64], find: &Find, cursor: &Cursor) -> rusqlite::Result<Vec<Hit>> {
        let live = "SELECT 0, from_seq, NULL, id, time
                      FROM live_fields
                     WHERE list = ?1 AND key = ?2 AND (time, id) > (?3, ?4) AND time < ?5
                     ORDER BY time, id";
        let ended = "SELECT 0, from_seq, to_seq, id, time
                       FROM ended_fields
                      WHERE list = ?1 AND key = ?2 AND (time, id) > (?3, ?4) AND time < ?5
                      ORDER BY time, id";
        let ((time, id), until) = super::walk::from_until(find.time, cursor);
        let time = time.max(NO_TIME + 1);
        self.walk(walk, lists, (live, ended), &[&self.range.from(), &time, &id, &until], FindOrder::Time)
    }

    /// Walks all lists as one, until enough are visible and pass the filter.
    fn walk(
        &self,
        walk: &Walk<'_>,
        lists: &[i64],
        (live, ended): (&'static str, &'static str),
        bounds: &[&dyn ToSql],
        order: FindOrder,
    ) -> rusqlite::Result<Vec<Hit>> {
        let params: Vec<Vec<&dyn ToSql>> = lists
            .iter()
            .map(|list| std::iter::once(list as &dyn ToSql).chain(bounds.iter().copied()).collect())
            .collect();
        let sides = walk.sides(live, ended);
        let walks: Vec<(&'static str, &[&dyn ToSql])> =
            params.iter().flat_map(|params| sides.iter().map(move |sql| (*sql, params.as_slice()))).collect();
        let (mut found, mut passed) = (Vec::new(), 0);
        merge::steps(walk.connection, &walks, order, |step: Step| {
            if step.is_visible(walk.at) && self.admits(walk, step.id())? {
                if passed < walk.skip {
                    passed += 1;
                } else {
                    found.push(Hit::Placed(step.into_place()));
                }
            }
            Ok(found.len() == walk.want)
        })?;
        Ok(found)
    }

    /// The first matches of one list in the order of time, at the head. A record of several keys comes several times in a row.
    fn first_by_time(&self, walk: &Walk<'_>, list: i64, cursor: &Cursor) -> rusqlite::Result<Vec<Hit>> {
        let first = "SELECT time, id
                       FROM live_fields
                      WHERE list = ?1 AND key >= ?2 AND key < ?3 AND (time, id) > (?4, ?5)
                      ORDER BY time, id
                      LIMIT ?6";
        let ((time, id), _) = super::walk::from_until(None, cursor);
        let (wanted, time) = (walk.skip.saturating_add(walk.want), time.max(NO_TIME + 1));
        let mut statement = walk.connection.prepare_cached(first)?;
        let mut rows_max = i64::try_from(wanted).unwrap_or(i64::MAX);
        loop {
            let params = params![list, self.range.from(), self.range.until(), time, id, rows_max];
            let rows = statement.query_map(params, |row| Ok(Cursor::Time(row.get(0)?, row.get(1)?)))?;
            let mut places = rows.collect::<rusqlite::Result<Vec<_>>>()?;
            let is_all = i64::try_from(places.len()).is_ok_and(|rows| rows < rows_max);
            places.dedup();
            if is_all || places.len() >= wanted {
                return Ok(places.into_iter().skip(walk.skip).take(walk.want).map(Hit::Placed).collect());
            }
            rows_max = rows_max.saturating_mul(2);
        }
    }

    /// All matches, sorted here; those of several keys once.
    fn sorted(&self, walk: &Walk<'_>, lists: &[i64], order: FindOrder, cursor: &Cursor) -> rusqlite::Result<Vec<Hit>> {
        let gathered = self.gathered(walk, lists)?;
        let mut places: Vec<Cursor> = match order {
            FindOrder::Id => gathered.into_iter().map(|(_, id)| Cursor::Id(id)).collect(),
            _ => {
                let timed = gathered.into_iter().filter(|(time, _)| *time != NO_TIME);
                timed.map(|(time, id)| Cursor::Time(time, id)).collect()
            }
        };
        places.sort_unstable();
        places.dedup();
        let (mut found, mut passed) = (Vec::new(), 0);
        for place in places.into_iter().filter(|place| place > cursor) {
            if !self.admits(walk, place.record_id())? {
                continue;
            }
            if passed < walk.skip {
                passed += 1;
                continue;
            }
            found.push(Hit::Placed(place));
            if found.len() == walk.want {
                break;
            }
        }
        Ok(found)
    }

    /// Time and id of everything with a key in the range, whatever the filter says.
    fn gathered(&self, walk: &Walk<'_>, lists: &[i64]) -> rusqlite::Result<Vec<(i64, String)>> {
        let live = "SELECT time, id, from_seq, NULL FROM live_fields WHERE list = ?1 AND key >= ?2 AND key < ?3";
        let ended = "SELECT time, id, from_seq, to_seq FROM ended_fields WHERE list = ?1 AND key >= ?2 AND key < ?3";
        let at = walk.at.cast_signed();
        let mut gathered = Vec::new();
        for sql in walk.sides(live, ended) {
            let mut statement = walk.connection.prepare_cached(sql)?;
            for list in lists {
                let mut rows = statement.query(params![list, self.range.from(), self.range.until()])?;
                while let Some(row) = rows.next()? {
                    let (from, to): (i64, Option<i64>) = (row.get(2)?, row.get(3)?);
                    if from <= at && to.is_none_or(|to| to > at) {
                        gathered.push((row.get(0)?, row.get(1)?));
                    }
                }
            }
        }
        Ok(gathered)
    }

    fn admits(&self, walk: &Walk<'_>, id: &str) -> rusqlite::Result<bool> {
        if self.filter.is_empty() {
            return Ok(true);
        }
        self.filter.admits(walk.connection, slot_at(walk, id)?)
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    #[test]
    fn every_walk_searches_its_list_and_never_sorts() {
        let mut database = Connection::open_in_memory().unwrap();
        crate::schema::migrate(&mut database, std::path::Path::new("memory"), &ledger::Folds::new()).unwrap();
        let before_tests = include_str!("field.rs").split("mod tests").next().unwrap();
        let statements: Vec<&str> =
            before_tests.split(" = \"SELECT ").skip(1).filter_map(|rest| rest.split("\";").next()).collect();
        assert_eq!(statements.len(), 10);
        // The one sorts what it finds, the other counts; both search like the rest.
        let is_walk = |sql: &&str| !sql.contains("LIMIT");
        assert_eq!(statements.iter().copied().filter(is_walk).count(), 8);
        for sql in statements.into_iter().filter(is_walk) {
            let mut statement = database.prepare(&format!("EXPLAIN QUERY PLAN SELECT {sql}")).unwrap();
            let parameters = rusqlite::params_from_iter(vec!["0"; statement.parameter_count()]);
            let plan: Vec<String> =
                statement.query_map(parameters, |row| row.get(3)).unwrap().map(Result::unwrap).collect();
            assert_eq!(plan.len(), 1, "{sql}\n{plan:#?}");
            assert!(plan[0].starts_with("SEARCH "), "{sql}\n{plan:#?}");
            // Both ends of the range are part of the search, so that it stops where the range does.
            assert_eq!(plan[0].matches('<').count(), 1, "{sql}\n{plan:#?}");
            assert_eq!(plan[0].matches('>').count(), 1, "{sql}\n{plan:#?}");
        }
    }
}
