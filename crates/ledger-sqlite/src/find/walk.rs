//! Walks: one order each. An order has an index of live versions and one of ended versions; at the head the first is
//! enough, and in the past both are walked together. `INDEXED BY` fixes the plan, so a listing costs the same
//! however the statistics look; a test explains every statement.

use ledger::{Direction, FindOrder, Seq};
use rusqlite::types::Value;
use rusqlite::{Connection, ToSql, params};
use scope::{TenantId, Timestamp};

use super::cursor::Cursor;
use super::filter::{Filter, TextRange};
use super::merge;

/// What every walk needs to know.
pub(super) struct Walk<'a> {
    pub connection: &'a Connection,
    pub tenant: &'a TenantId,
    pub kind: &'a str,
    pub at: Seq,
    /// Whether `at` is the head, where no ended version is visible.
    pub live: bool,
    /// How many matches the walk passes over before the first.
    pub skip: usize,
    /// The walk ends when it has found this many.
    pub want: usize,
}

/// The slots of the versions that match, in the order of the walk.
type Outcome = rusqlite::Result<Vec<i64>>;

impl Walk<'_> {
    pub(super) fn scope(&self, scope: &str, after: &str, filter: &Filter) -> Outcome {
        let live = "SELECT slot, from_seq, NULL, id
                      FROM record_versions INDEXED BY live_scope
                     WHERE tenant = ?1 AND kind = ?2 AND scope = ?3 AND to_seq IS NULL AND listed AND id > ?4
                     ORDER BY id";
        let ended = "SELECT slot, from_seq, to_seq, id
                       FROM record_versions INDEXED BY ended_scope
                      WHERE tenant = ?1 AND kind = ?2 AND scope = ?3 AND to_seq > from_seq AND listed AND id > ?4
                      ORDER BY id";
        let params = params![self.tenant.as_str(), self.kind, scope, after];
        self.collect(&self.sides(live, ended), FindOrder::Id, params, filter)
    }

    pub(super) fn r#type(&self, scope: &str, wanted: &str, after: &str, filter: &Filter) -> Outcome {
        let live = "SELECT slot, from_seq, NULL, id
                      FROM record_versions INDEXED BY live_type
                     WHERE tenant = ?1 AND kind = ?2 AND scope = ?3 AND type = ?4 AND to_seq IS NULL AND listed AND id > ?5
                     ORDER BY id";
        let ended = "SELECT slot, from_seq, to_seq, id
                       FROM record_versions INDEXED BY ended_type
                      WHERE tenant = ?1 AND kind = ?2 AND scope = ?3 AND type = ?4 AND to_seq > from_seq AND listed AND id > ?5
                      ORDER BY id";
        let params = params![self.tenant.as_str(), self.kind, scope, wanted, after];
        self.collect(&self.sides(live, ended), FindOrder::Id, params, filter)
    }

    pub(super) fn status(&self, scope: &str, wanted: &str, after: &str, filter: &Filter) -> Outcome {
        let live = "SELECT slot, from_seq, NULL, id
                      FROM record_versions INDEXED BY live_status
                     WHERE tenant = ?1 AND kind = ?2 AND scope = ?3 AND status = ?4 AND to_seq IS NULL AND id > ?5
                     ORDER BY id";
        let ended = "SELECT slot, from_seq, to_seq, id
                       FROM record_versions INDEXED BY ended_status
                      WHERE tenant = ?1 AND kind = ?2 AND scope = ?3 AND status = ?4 AND to_seq > from_seq AND id > ?5
                      ORDER BY id";
        let params = params![self.tenant.as_str(), self.kind, scope, wanted, after];
        self.collect(&self.sides(live, ended), FindOrder::Id, params, filter)
    }

    pub(super) fn tag(&self, scope: &str, tag: &str, after: &str, filter: &Filter) -> Outcome {
        // The newest version of a record is the only one that can be live.
        let live = "SELECT v.slot, v.from_seq, NULL, t.id
                      FROM record_tags t
                     CROSS JOIN record_versions v
                        ON v.to_seq IS NULL
                       AND v.slot = (SELECT slot
                                       FROM record_versions INDEXED BY history
                                      WHERE tenant = t.tenant AND kind = t.kind AND id = t.id
                                      ORDER BY from_seq DESC, version DESC
                                      LIMIT 1)
                     WHERE t.tenant = ?1 AND t.kind = ?2 AND t.scope = ?3 AND t.tag = ?4 AND t.id > ?5
                     ORDER BY t.id";
        let ended = "SELECT slot, from_seq, to_seq, id
                       FROM ended_tags
                      WHERE tenant = ?1 AND kind = ?2 AND scope = ?3 AND tag = ?4 AND id > ?5
                      ORDER BY id";
        let params = params![self.tenant.as_str(), self.kind, scope, tag, after];
        self.collect(&self.sides(live, ended), FindOrder::Id, params, filter)
    }

    pub(super) fn name(&self, scope: &str, range: &TextRange, cursor: &Cursor, filter: &Filter) -> Outcome {
        let live = "SELECT slot, from_seq, NULL, id, name
                      FROM record_versions INDEXED BY live_name
                     WHERE tenant = ?1 AND kind = ?2 AND scope = ?3 AND to_seq IS NULL
                       AND (name, id) > (?4, ?5) AND name < ?6
                     ORDER BY name, id";
        let ended = "SELECT slot, from_seq, to_seq, id, name
                       FROM record_versions INDEXED BY ended_name
                      WHERE tenant = ?1 AND kind = ?2 AND scope = ?3 AND to_seq > from_seq
                        AND (name, id) > (?4, ?5) AND name < ?6
                      ORDER BY name, id";
        // The cursor of an order by id can only come with an exact name, where both orders agree.
        let (name, id) = match cursor {
            Cursor::Name(name, id) if *name >= range.from => (name, id.as_str()),
            cursor => (&range.from, cursor.id()),
        };
        let params = params![self.tenant.as_str(), self.kind, scope, name, id, range.until_value()];
        self.collect(&self.sides(live, ended), FindOrder::Name, params, filter)
    }

    pub(super) fn time(
        &self,
        scope: &str,
        range: Option<(Timestamp, Timestamp)>,
        cursor: &Cursor,
        filter: &Filter,
    ) -> Outcome {
        let live = "SELECT slot, from_seq, NULL, id, time
                      FROM record_versions INDEXED BY live_time
                     WHERE tenant = ?1 AND kind = ?2 AND scope = ?3 AND to_seq IS NULL
                       AND (time, id) > (?4, ?5) AND time < ?6
                     ORDER BY time, id";
        let ended = "SELECT slot, from_seq, to_seq, id, time
                       FROM record_versions INDEXED BY ended_time
                      WHERE tenant = ?1 AND kind = ?2 AND scope = ?3 AND to_seq > from_seq
                        AND (time, id) > (?4, ?5) AND time < ?6
                      ORDER BY time, id";
        let ((time, id), until) = from_until(range, cursor);
        let params = params![self.tenant.as_str(), self.kind, scope, time, id, until];
        self.collect(&self.sides(live, ended), FindOrder::Time, params, filter)
    }

    pub(super) fn type_time(
        &self,
        scope: &str,
        wanted: &str,
        range: Option<(Timestamp, Timestamp)>,
        cursor: &Cursor,
        filter: &Filter,
    ) -> Outcome {
        let live = "SELECT slot, from_seq, NULL, id, time
                      FROM record_versions INDEXED BY live_type_time
                     WHERE tenant = ?1 AND kind = ?2 AND scope = ?3 AND type = ?4 AND to_seq IS NULL
                       AND (time, id) > (?5, ?6) AND time < ?7
                     ORDER BY time, id";
        let ended = "SELECT slot, from_seq, to_seq, id, time
                       FROM record_versions INDEXED BY ended_type_time
                      WHERE tenant = ?1 AND kind = ?2 AND scope = ?3 AND type = ?4 AND to_seq > from_seq
                        AND (time, id) > (?5, ?6) AND time < ?7
                      ORDER BY time, id";
        let ((time, id), until) = from_until(range, cursor);
        let params = params![self.tenant.as_str(), self.kind, scope, wanted, time, id, until];
        self.collect(&self.sides(live, ended), FindOrder::Time, params, filter)
    }

    /// Records whose ids lie between two texts, in every scope. This index holds all versions too.
    pub(super) fn under(&self, from: &str, until: &str, after: &str, filter: &Filter) -> Outcome {
        let all = "SELECT slot, from_seq, to_seq, id
                     FROM record_versions INDEXED BY history
                    WHERE tenant = ?1 AND kind = ?2 AND id > ?3 AND id < ?4
                      AND from_seq <= ?5 AND (to_seq IS NULL OR to_seq > ?5)
                    ORDER BY id";
        let params = params![self.tenant.as_str(), self.kind, from.max(after), until, self.at.cast_signed()];
        self.collect(&[all], FindOrder::Id, params, filter)
    }

    /// Records of the kind in every scope. This index holds all versions, so one statement shows any point.
    pub(super) fn kind(&self, after: &str, filter: &Filter) -> Outcome {
        let all = "SELECT slot, from_seq, to_seq, id
                     FROM record_versions INDEXED BY history
                    WHERE tenant = ?1 AND kind = ?2 AND id > ?3
                      AND from_seq <= ?4 AND (to_seq IS NULL OR to_seq > ?4)
                    ORDER BY id";
        let params = params![self.tenant.as_str(), self.kind, after, self.at.cast_signed()];
        self.collect(&[all], FindOrder::Id, params, filter)
    }

    /// Links at a record. A link from a record to itself is found once.
    pub(super) fn touching(&self, id: &str, direction: Direction, after: &str, filter: &Filter) -> Outcome {
        let live_source = "SELECT slot, from_seq, NULL, id
                             FROM record_versions INDEXED BY live_source
                            WHERE tenant = ?1 AND source = ?2 AND kind = ?3 AND to_seq IS NULL AND id > ?4
                            ORDER BY id";
        let live_target = "SELECT slot, from_seq, NULL, id
                             FROM record_versions INDEXED BY live_target
                            WHERE tenant = ?1 AND target = ?2 AND kind = ?3 AND to_seq IS NULL AND id > ?4
                            ORDER BY id";
        let ended_source = "SELECT slot, from_seq, to_seq, id
                              FROM record_versions INDEXED BY ended_source
                             WHERE tenant = ?1 AND source = ?2 AND kind = ?3 AND to_seq > from_seq AND id > ?4
                             ORDER BY id";
        let ended_target = "SELECT slot, from_seq, to_seq, id
                              FROM record_versions INDEXED BY ended_target
                             WHERE tenant = ?1 AND target = ?2 AND kind = ?3 AND to_seq > from_seq AND id > ?4
                             ORDER BY id";
        let mut statements = Vec::new();
        if direction != Direction::Incoming {
            statements.extend(self.sides(live_source, ended_source));
        }
        if direction != Direction::Outgoing {
            statements.extend(self.sides(live_target, ended_target));
        }
        let params = params![self.tenant.as_str(), id, self.kind, after];
        self.collect(&statements, FindOrder::Id, params, filter)
    }

    pub(super) fn sides(&self, live: &'static str, ended: &'static str) -> Vec<&'static str> {
        if self.live { vec![live] } else { vec![live, ended] }
    }

    /// Steps through the rows until enough are visible and pass the filter.
    fn collect(
        &self,
        statements: &[&'static str],
        order: FindOrder,
        params: &[&dyn ToSql],
        filter: &Filter,
    ) -> Outcome {
        let mut found = Vec::new();
        if self.want == 0 {
            return Ok(found);
        }
        let (mut last, mut passed) = (None, 0);
        let walks: Vec<(&'static str, &[&dyn ToSql])> = statements.iter().map(|sql| (*sql, params)).collect();
        merge::steps(self.connection, &walks, order, |step| {
            // A version that two walks come by comes twice in a row.
            if last != Some(step.slot) && step.is_visible(self.at) && filter.admits(self.connection, step.slot)? {
                last = Some(step.slot);
                if passed < self.skip {
                    passed += 1;
                } else {
                    found.push(step.slot);
                }
            }
            Ok(found.len() == self.want)
        })?;
        Ok(found)
    }
}

/// The place that a walk by time starts after, and the moment that it ends before.
pub(super) fn from_until(range: Option<(Timestamp, Timestamp)>, cursor: &Cursor) -> ((i64, &str), Value) {
    // SQLite orders every blob after every number.
    let open = (i64::MIN, Value::Blob(Vec::new()));
    let (from, until) = range.map_or(open, |(from, until)| (from.0, Value::Integer(until.0)));
    let start = match cursor {
        Cursor::Time(time, id) if *time >= from => (*time, id.as_str()),
        _ => (from, ""),
    };
    (start, until)
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    /// Every statement of this file.
    fn statements() -> Vec<&'static str> {
        let before_tests = include_str!("walk.rs").split("mod tests").next().unwrap();
        let literals = before_tests.split(" = \"SELECT ").skip(1);
        literals.filter_map(|rest| rest.split("\";").next()).collect()
    }

    // R-826 (listing), N-147
    #[test]
    fn every_walk_searches_its_index_and_never_sorts() {
        let mut database = Connection::open_in_memory().unwrap();
        crate::schema::migrate(&mut database, std::path::Path::new("memory"), &ledger::Folds::new()).unwrap();
        let statements = statements();
        assert_eq!(statements.len(), 20);
        for sql in statements {
            assert!(sql.contains("ORDER BY"), "{sql}");
            let mut statement = database.prepare(&format!("EXPLAIN QUERY PLAN SELECT {sql}")).unwrap();
            let parameters = rusqlite::params_from_iter(vec!["0"; statement.parameter_count()]);
            let plan: Vec<String> =
                statement.query_map(parameters, |row| row.get(3)).unwrap().map(Result::unwrap).collect();
            let searches =
                |line: &String| line.starts_with("SEARCH ") || line.starts_with("CORRELATED SCALAR SUBQUERY");
            assert!(plan.iter().all(searches), "{sql}\n{plan:#?}");
            let after = [("(name, id)", "(name,id)>"), ("(time, id)", "(time,id)>"), ("id >", "id>?")]
                .into_iter()
                .find_map(|(written, planned)| sql.contains(written).then_some(planned))
                .unwrap();
            assert!(plan[0].contains(after), "the cursor is not part of the search: {plan:#?}");
        }
    }

    /// The table is the first cursor of a walk; what only the index knows is read through the second.
    #[test]
    fn what_is_not_visible_is_passed_over_without_reading_its_row() {
        let mut database = Connection::open_in_memory().unwrap();
        crate::schema::migrate(&mut database, std::path::Path::new("memory"), &ledger::Folds::new()).unwrap();
        let indexed = |sql: &&str| !sql.contains("tags") && !sql.contains("INDEXED BY history");
        for sql in statements().into_iter().filter(indexed) {
            let mut statement = database.prepare(&format!("EXPLAIN SELECT {sql}")).unwrap();
            let parameters = rusqlite::params_from_iter(vec!["0"; statement.parameter_count()]);
            let read = |row: &rusqlite::Row<'_>| Ok((row.get::<_, String>(1)?, row.get::<_, i64>(2)?));
            let program: Vec<_> = statement.query_map(parameters, read).unwrap().map(Result::unwrap).collect();
            assert!(!program.contains(&("Column".to_owned(), 0)), "{sql}\n{program:?}");
        }
    }
}
