//! Traversal: one statement for each hop, over the whole frontier at once.
//!
//! `json_each` CROSS JOIN fixes the order of the join: SQLite would otherwise start from the links.
//! What was seen, the caps and the order live here, not in SQL.

use std::collections::{BTreeMap, HashSet};

use ledger::{Direction, Neighbour, ReadError, Seq, Traversal, Traverse};
use rusqlite::{Connection, params};
use scope::TenantId;

use crate::readers::failed;
use crate::{point, record};

/// Follows links outward from a record.
pub(crate) fn traverse(
    connection: &Connection,
    tenant: &TenantId,
    at: Seq,
    traverse: &Traverse,
) -> Result<Traversal, ReadError> {
    let live = point::check(connection, tenant, at)?;
    Walk { connection, tenant, at, live, traverse }.run().map_err(failed)
}

/// What every hop needs to know.
struct Walk<'a> {
    connection: &'a Connection,
    tenant: &'a TenantId,
    at: Seq,
    /// Whether `at` is the head, where no ended link is visible.
    live: bool,
    traverse: &'a Traverse,
}

/// A step along a link: the link's id and slot, by the record it leads to.
type Steps = BTreeMap<String, (String, i64)>;

impl Walk<'_> {
    fn run(&self) -> rusqlite::Result<Traversal> {
        let traverse = self.traverse;
        let (mut reached, mut capped) = (Vec::new(), false);
        let mut seen = HashSet::from([traverse.from.clone()]);
        let mut frontier = vec![traverse.from.clone()];
        'hops: for hops in 1..=traverse.hops_max {
            let mut steps = Steps::new();
            let from = serde_json::to_string(&frontier).expect("texts are JSON");
            if traverse.direction != Direction::Incoming {
                outgoing(self, &from, &mut steps)?;
            }
            if traverse.direction != Direction::Outgoing {
                incoming(self, &from, &mut steps)?;
            }
            frontier.clear();
            for (id, (_, slot)) in steps {
                if seen.contains(&id) {
                    continue;
                }
                if reached.len() == traverse.records_max {
                    capped = true;
                    break 'hops;
                }
                seen.insert(id.clone());
                frontier.push(id.clone());
                reached.push((id, hops, slot));
            }
            if frontier.is_empty() {
                break;
            }
        }
        let slots: Vec<i64> = reached.iter().map(|(_, _, slot)| *slot).collect();
        let links = record::in_slots(self.connection, &slots)?;
        let neighbour = |((id, hops, _), link)| Neighbour { id, hops, link };
        Ok(Traversal { reached: reached.into_iter().zip(links).map(neighbour).collect(), capped })
    }
}

fn outgoing(walk: &Walk<'_>, from: &str, steps: &mut Steps) -> rusqlite::Result<()> {
    let live = "SELECT v.target, v.id, v.slot, v.type
                  FROM json_each(?1) f
                 CROSS JOIN record_versions v INDEXED BY live_source
                    ON v.tenant = ?2 AND v.source = f.value AND v.kind = ?3
                 WHERE v.to_seq IS NULL AND v.from_seq <= ?4";
    let ended = "SELECT v.target, v.id, v.slot, v.type
                   FROM json_each(?1) f
                  CROSS JOIN record_versions v INDEXED BY ended_source
                     ON v.tenant = ?2 AND v.source = f.value AND v.kind = ?3
                  WHERE v.to_seq > v.from_seq AND v.from_seq <= ?4 AND v.to_seq > ?4";
    follow(walk, live, from, steps)?;
    if walk.live { Ok(()) } else { follow(walk, ended, from, steps) }
}

fn incoming(walk: &Walk<'_>, from: &str, steps: &mut Steps) -> rusqlite::Result<()> {
    let live = "SELECT v.source, v.id, v.slot, v.type
                  FROM json_each(?1) f
                 CROSS JOIN record_versions v INDEXED BY live_target
                    ON v.tenant = ?2 AND v.target = f.value AND v.kind = ?3
                 WHERE v.to_seq IS NULL AND v.from_seq <= ?4";
    let ended = "SELECT v.source, v.id, v.slot, v.type
                   FROM json_each(?1) f
                  CROSS JOIN record_versions v INDEXED BY ended_target
                     ON v.tenant = ?2 AND v.target = f.value AND v.kind = ?3
                  WHERE v.to_seq > v.from_seq AND v.from_seq <= ?4 AND v.to_seq > ?4";
    follow(walk, live, from, steps)?;
    if walk.live { Ok(()) } else { follow(walk, ended, from, steps) }
}

fn follow(walk: &Walk<'_>, sql: &'static str, from: &str, steps: &mut Steps) -> rusqlite::Result<()> {
    let Walk { connection, tenant, at, traverse, .. } = walk;
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params![from, tenant.as_str(), traverse.kind, at.cast_signed()])?;
    while let Some(row) = rows.next()? {
        let (to, link, slot): (String, String, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let link_type = row.get_ref(3)?.as_str()?;
        if !traverse.types.is_empty() && !traverse.types.iter().any(|wanted| wanted == link_type) {
            continue;
        }
        match steps.get(&to) {
            Some((first, _)) if *first <= link => {}
            _ => _ = steps.insert(to, (link, slot)),
        }
    }
    Ok(())
}
