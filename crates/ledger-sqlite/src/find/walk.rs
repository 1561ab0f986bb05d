//! Walks: one index each, in its own order. `INDEXED BY` fixes the plan, so a listing costs the same however
//! the statistics look; a test explains every statement.

use ledger::{Direction, Seq};
use rusqlite::types::Value;
use rusqlite::{Connection, Params, params};
use scope::{TenantId, Timestamp};

use super::Found;
use super::cursor::Cursor;
use super::filter::{Filter, TextRange};

/// What every walk needs to know.
pub(super) struct Walk<'a> {
    pub connection: &'a Connection,
    pub tenant: &'a TenantId,
    pub kind: &'a str,
    pub at: Seq,
    /// The walk ends when it has found this many.
    pub want: usize,
}

type Outcome = rusqlite::Result<Vec<Found>>;

impl Walk<'_> {
    pub(super) fn scope(&self, scope: &str, after: &str, filter: &Filter) -> Outcome {
        let sql = "SELECT slot, id
                     FROM record_versions INDEXED BY live_scope
                    WHERE tenant = ?1 AND kind = ?2 AND scope = ?3 AND to_seq IS NULL AND id > ?4
                    ORDER BY id";
        self.collect(sql, params![self.tenant.as_str(), self.kind, scope, after], filter)
    }

    pub(super) fn r#type(&self, scope: &str, wanted: &str, after: &str, filter: &Filter) -> Outcome {
        let sql = "SELECT slot, id
                     FROM record_versions INDEXED BY live_type
                    WHERE tenant = ?1 AND kind = ?2 AND scope = ?3 AND type = ?4 AND to_seq IS NULL AND id > ?5
                    ORDER BY id";
        self.collect(sql, params![self.tenant.as_str(), self.kind, scope, wanted, after], filter)
    }

    pub(super) fn status(&self, scope: &str, wanted: &str, after: &str, filter: &Filter) -> Outcome {
        let sql = "SELECT slot, id
                     FROM record_versions INDEXED BY live_status
                    WHERE tenant = ?1 AND kind = ?2 AND scope = ?3 AND status = ?4 AND to_seq IS NULL AND id > ?5
                    ORDER BY id";
        self.collect(sql, params![self.tenant.as_str(), self.kind, scope, wanted, after], filter)
    }

    pub(super) fn tag(&self, scope: &str, tag: &str, after: &str, filter: &Filter) -> Outcome {
        let sql = "SELECT v.slot, t.id
                     FROM record_tags t
                    CROSS JOIN record_versions v INDEXED BY live_scope
                       ON v.tenant = t.tenant AND v.kind = t.kind AND v.scope = t.scope AND v.id = t.id AND v.to_seq IS NULL
                    WHERE t.tenant = ?1 AND t.kind = ?2 AND t.scope = ?3 AND t.tag = ?4 AND t.id > ?5
                    ORDER BY t.id";
        self.collect(sql, params![self.tenant.as_str(), self.kind, scope, tag, after], filter)
    }

    pub(super) fn name(&self, scope: &str, range: &TextRange, cursor: &Cursor, filter: &Filter) -> Outcome {
        let sql = "SELECT slot, id
                     FROM record_versions INDEXED BY live_name
                    WHERE tenant = ?1 AND kind = ?2 AND scope = ?3 AND to_seq IS NULL
                      AND (name, id) > (?4, ?5) AND name < ?6
                    ORDER BY name, id";
        // The cursor of an order by id can only come with an exact name, where both orders agree.
        let (name, id) = match cursor {
            Cursor::Name(name, id) if *name >= range.from => (name, id.as_str()),
            cursor => (&range.from, cursor.id()),
        };
        self.collect(sql, params![self.tenant.as_str(), self.kind, scope, name, id, range.until_value()], filter)
    }

    pub(super) fn time(
        &self,
        scope: &str,
        range: Option<(Timestamp, Timestamp)>,
        cursor: &Cursor,
        filter: &Filter,
    ) -> Outcome {
        let sql = "SELECT slot, id
                     FROM record_versions INDEXED BY live_time
                    WHERE tenant = ?1 AND kind = ?2 AND scope = ?3 AND to_seq IS NULL
                      AND (time, id) > (?4, ?5) AND time < ?6
                    ORDER BY time, id";
        // SQLite orders every blob after every number.
        let open = (i64::MIN, Value::Blob(Vec::new()));
        let (from, until) = range.map_or(open, |(from, until)| (from.0, Value::Integer(until.0)));
        let (time, id) = match cursor {
            Cursor::Time(time, id) if *time >= from => (*time, id.as_str()),
            _ => (from, ""),
        };
        self.collect(sql, params![self.tenant.as_str(), self.kind, scope, time, id, until], filter)
    }

    /// Live records of the kind in every scope.
    pub(super) fn kind(&self, after: &str, filter: &Filter) -> Outcome {
        let sql = "SELECT slot, id
                     FROM record_versions INDEXED BY history
                    WHERE tenant = ?1 AND kind = ?2 AND id > ?3 AND to_seq IS NULL
                    ORDER BY id";
        self.collect(sql, params![self.tenant.as_str(), self.kind, after], filter)
    }

    pub(super) fn past_scope(&self, scope: &str, after: &str, filter: &Filter) -> Outcome {
        let sql = "SELECT slot, id
                     FROM record_versions INDEXED BY scope_history
                    WHERE tenant = ?1 AND kind = ?2 AND scope = ?3 AND id > ?4
                      AND from_seq <= ?5 AND (to_seq IS NULL OR to_seq > ?5)
                    ORDER BY id";
        self.collect(sql, params![self.tenant.as_str(), self.kind, scope, after, self.at.cast_signed()], filter)
    }

    pub(super) fn past(&self, after: &str, filter: &Filter) -> Outcome {
        let sql = "SELECT slot, id
                     FROM record_versions INDEXED BY history
                    WHERE tenant = ?1 AND kind = ?2 AND id > ?3
                      AND from_seq <= ?4 AND (to_seq IS NULL OR to_seq > ?4)
                    ORDER BY id";
        self.collect(sql, params![self.tenant.as_str(), self.kind, after, self.at.cast_signed()], filter)
    }

    /// Links at a record. A link from a record to itself is found once.
    pub(super) fn touching(&self, id: &str, direction: Direction, live: bool, after: &str, filter: &Filter) -> Outcome {
        let mut found = Vec::new();
        if direction != Direction::Incoming {
            found.append(&mut if live { self.source(id, after, filter)? } else { self.past_source(id, filter)? });
        }
        if direction != Direction::Outgoing {
            found.append(&mut if live { self.target(id, after, filter)? } else { self.past_target(id, filter)? });
        }
        // Each part holds its first `want`, so the first `want` of both are among them.
        found.sort_by(|left, right| left.id.cmp(&right.id));
        found.dedup();
        found.truncate(self.want);
        Ok(found)
    }

    fn source(&self, id: &str, after: &str, filter: &Filter) -> Outcome {
        let sql = "SELECT slot, id
                     FROM record_versions INDEXED BY links_source
                    WHERE tenant = ?1 AND source = ?2 AND kind = ?3 AND to_seq IS NULL AND id > ?4
                    ORDER BY id";
        self.collect(sql, params![self.tenant.as_str(), id, self.kind, after], filter)
    }

    fn target(&self, id: &str, after: &str, filter: &Filter) -> Outcome {
        let sql = "SELECT slot, id
                     FROM record_versions INDEXED BY links_target
                    WHERE tenant = ?1 AND target = ?2 AND kind = ?3 AND to_seq IS NULL AND id > ?4
                    ORDER BY id";
        self.collect(sql, params![self.tenant.as_str(), id, self.kind, after], filter)
    }

    fn past_source(&self, id: &str, filter: &Filter) -> Outcome {
        let sql = "SELECT slot, id
                     FROM record_versions INDEXED BY links_source
                    WHERE tenant = ?1 AND source = ?2 AND kind = ?3
                      AND from_seq <= ?4 AND (to_seq IS NULL OR to_seq > ?4)";
        self.collect(sql, params![self.tenant.as_str(), id, self.kind, self.at.cast_signed()], filter)
    }

    fn past_target(&self, id: &str, filter: &Filter) -> Outcome {
        let sql = "SELECT slot, id
                     FROM record_versions INDEXED BY links_target
                    WHERE tenant = ?1 AND target = ?2 AND kind = ?3
                      AND from_seq <= ?4 AND (to_seq IS NULL OR to_seq > ?4)";
        self.collect(sql, params![self.tenant.as_str(), id, self.kind, self.at.cast_signed()], filter)
    }

    /// Steps through the rows until enough passed the filter.
    fn collect(&self, sql: &'static str, params: impl Params, filter: &Filter) -> Outcome {
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query(params)?;
        let mut found = Vec::new();
        while found.len() < self.want {
            let Some(row) = rows.next()? else { break };
            let slot = row.get(0)?;
            if filter.admits(self.connection, slot)? {
                found.push(Found { slot, id: row.get(1)? });
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    /// Every statement of this file that lists in order.
    fn ordered_statements() -> Vec<&'static str> {
        let literals = include_str!("walk.rs").split("let sql = \"").skip(1);
        literals.filter_map(|rest| rest.split("\";").next()).filter(|sql| sql.contains("ORDER BY")).collect()
    }

    //
    #[test]
    fn every_ordered_walk_searches_its_index_and_never_sorts() {
        let mut database = Connection::open_in_memory().unwrap();
        crate::schema::migrate(&mut database, std::path::Path::new("memory")).unwrap();
        let statements = ordered_statements();
        assert_eq!(statements.len(), 11);
        for sql in statements {
            let mut statement = database.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
            let parameters = rusqlite::params_from_iter(vec!["0"; statement.parameter_count()]);
            let plan: Vec<String> =
                statement.query_map(parameters, |row| row.get(3)).unwrap().map(Result::unwrap).collect();
            assert!(plan.iter().all(|line| line.starts_with("SEARCH ")), "{sql}\n{plan:#?}");
            let after = [("(name, id)", "(name,id)>"), ("(time, id)", "(time,id)>"), ("id >", "id>?")]
                .into_iter()
                .find_map(|(written, planned)| sql.contains(written).then_some(planned))
                .unwrap();
            assert!(plan[0].contains(after), "the cursor is not part of the search: {plan:#?}");
        }
    }
}
