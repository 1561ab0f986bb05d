//! Verify: makes every row again from the facts, in a scratch database, and compares.
//!
//! The scratch database has the same tables and is filled by the same code as the real one. What differs is
//! reported as one line; the reader's transaction keeps the comparison to one moment while writes go on.

mod compare;

use std::path::{Path, PathBuf};

use ledger::{Fact, Folds, NewFact, Seq, Verification};
use rusqlite::Connection;
use scope::{TenantId, Timestamp};

use crate::change::{self, facts, tenants};
use crate::effect::{self, Cause, Notes};
use crate::{directory, names, schema};

pub(crate) const FACTS_PER_PAGE: usize = 1000;
const DIFFERENCES_MAX: usize = 100;

/// Replays all facts and compares the outcome with what is stored.
pub(crate) fn verify(stored: &Connection, directory: &Path, folds: &Folds) -> rusqlite::Result<Verification> {
    let mut found = Verification::default();
    integrity(stored, &mut found)?;
    let scratch = Scratch::create(directory)?;
    scratch.database.execute_batch("BEGIN")?;
    for tenant in tenants(stored)? {
        replay(stored, &scratch.database, &tenant, folds, &mut found)?;
        found.tenants += 1;
    }
    compare::all(stored, &scratch.database, &mut found)?;
    found.versions =
        stored.query_row("SELECT count(*) FROM record_versions", [], |row| row.get::<_, i64>(0))?.cast_unsigned();
    found.differences.truncate(DIFFERENCES_MAX);
    Ok(found)
}

/// What SQLite itself finds wrong with the file.
fn integrity(stored: &Connection, found: &mut Verification) -> rusqlite::Result<()> {
    let mut statement = stored.prepare("PRAGMA integrity_check(20)")?;
    for line in statement.query_map([], |row| row.get::<_, String>(0))? {
        let line = line?;
        if line != "ok" {
            found.differences.push(format!("file: {line}"));
        }
    }
    Ok(())
}

/// Writes one tenant's facts and their effects again.
fn replay(
    stored: &Connection,
    scratch: &Connection,
    tenant: &TenantId,
    folds: &Folds,
    found: &mut Verification,
) -> rusqlite::Result<()> {
    let tenant_number = change::insert_tenant(scratch, tenant)?;
    let (mut seq, mut at): (Seq, Timestamp) = (0, Timestamp(i64::MIN));
    loop {
        let page = facts(stored, tenant, seq, FACTS_PER_PAGE)?;
        if page.is_empty() {
            break;
        }
        for fact in page {
            if fact.seq != seq + 1 {
                found.differences.push(format!("{tenant}: fact {} follows fact {seq}", fact.seq));
            }
            if fact.at < at {
                found.differences.push(format!("{tenant}: fact {} is earlier than the one before", fact.seq));
            }
            (seq, at) = (fact.seq, fact.at);
            found.facts += 1;
            let cause = Cause { tenant, tenant_number, seq, at };
            if let Err(reason) = replay_fact(scratch, cause, fact, folds)? {
                found.differences.push(format!("{tenant}: fact {seq}: {reason}"));
            }
        }
    }
    names::hold_all(scratch, tenant)?;
    change::move_head(scratch, tenant_number, seq, at)
}

/// Writes the effects of one fact again; the inner error says why it cannot be understood.
pub(crate) fn replay_fact(
    scratch: &Connection,
    cause: Cause<'_>,
    fact: Fact,
    folds: &Folds,
) -> rusqlite::Result<Result<(), String>> {
    let owner = fact.kind.split('.').next().unwrap_or_default();
    let Some(fold) = folds.get(owner) else { return Ok(Err(format!("no capability folds {}", fact.kind))) };
    let fact = NewFact { kind: fact.kind, subject: fact.subject, body: fact.body, meta: fact.meta };
    match fold.effects(&fact) {
        Ok(effects) => {
            let mut notes = Notes::default();
            for effect in &effects {
                effect::apply(scratch, cause, effect, &mut notes)?;
            }
            notes.tally.flush(scratch, cause).map(Ok)
        }
        Err(reason) => Ok(Err(reason)),
    }
}

/// A database for one replay, removed when it is done.
struct Scratch {
    database: Connection,
    path: PathBuf,
}

impl Scratch {
    fn create(directory: &Path) -> rusqlite::Result<Self> {
        let path = directory.join(format!("verify-{}-{:08x}.tmp", std::process::id(), rand::random::<u32>()));
        let failed = |reason: String| {
            rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CANTOPEN), Some(reason))
        };
        directory::keep_private(&path).map_err(|error| failed(error.to_string()))?;
        let mut database = Connection::open(&path)?;
        // Nothing in it needs to outlive this call.
        database
            .execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;")?;
        schema::migrate(&mut database, &path, &Folds::new()).map_err(|error| failed(error.to_string()))?;
        Ok(Self { database, path })
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_file(&self.path) {
            tracing::warn!(path = %self.path.display(), %error, "a scratch database was left behind; remove it by hand");
        }
    }
}
