//! Schema: numbered steps, forward only. The number of the last step that ran is kept in the file.

use std::path::Path;

use ledger::Folds;
use rusqlite::{Connection, TransactionBehavior};

use crate::{OpenError, rebuild};

/// Every step, in order. A step that has shipped is never edited; a change is a new step.
const STEPS: [&str; 8] = [
    include_str!("migrations/0001_ledger.sql"),
    include_str!("migrations/0002_past_listings.sql"),
    include_str!("migrations/0003_unlisted.sql"),
    include_str!("migrations/0004_listed.sql"),
    include_str!("migrations/0005_fields.sql"),
    include_str!("migrations/0006_audit.sql"),
    include_str!("migrations/0007_search.sql"),
    include_str!("migrations/0008_trees.sql"),
];

/// Files with fewer steps than this hold less in their rows than the folds make of the facts today.
const REBUILT_BEFORE: usize = 5;

/// Marks the file as ours: "CHAN".
const APPLICATION_ID: i64 = 0x4348_414E;

/// Gives an empty file the newest format this program knows; whether the file has it now. One of an older format is left.
pub(crate) fn create(connection: &mut Connection, path: &Path) -> Result<bool, OpenError> {
    bring_forward(connection, path, &Folds::new(), |done| done == 0)
}

/// Brings the file to the newest format this program knows, or says why it must not be touched. `folds` make rows again that
/// an older format did not hold. Processes of older versions must not write to the file any more.
pub(crate) fn migrate(connection: &mut Connection, path: &Path, folds: &Folds) -> Result<(), OpenError> {
    bring_forward(connection, path, folds, |_| true).map(drop)
}

/// Runs the steps that the file lacks if it `may` go on from those it has; whether it has all now.
fn bring_forward(
    connection: &mut Connection,
    path: &Path,
    folds: &Folds,
    may: fn(usize) -> bool,
) -> Result<bool, OpenError> {
    let newest = STEPS.len();
    let found = format(connection, path)?;
    if found == newest || !may(found) {
        return Ok(found == newest);
    }
    let fail = |error: rusqlite::Error| OpenError::sqlite(path, &error);
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(fail)?;
    // Another process may have done it while this one waited for the lock.
    let done = format(&transaction, path)?;
    if done == newest || !may(done) {
        return Ok(done == newest);
    }
    for step in &STEPS[done..] {
        transaction.execute_batch(step).map_err(fail)?;
    }
    if done < REBUILT_BEFORE && rebuild::holds_facts(&transaction).map_err(fail)? {
        tracing::info!(path = %path.display(), "the rows are made again from the facts for a newer format; this takes a while once");
        rebuild::rebuild(&transaction, folds).map_err(|reason| OpenError::Failed { path: path.to_owned(), reason })?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID).map_err(fail)?;
    transaction.pragma_update(None, "user_version", newest as i64).map_err(fail)?;
    transaction.commit().map_err(fail)?;
    Ok(true)
}

/// Writes the number of the format again: a write that changes nothing.
pub(crate) fn write_again(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "user_version", STEPS.len() as i64)
}

/// Refuses to write to a file that a newer program has brought forward since it was opened. Asked inside the transaction of
/// a write, so that none slips in between.
pub(crate) fn check_unchanged(connection: &Connection, path: &Path) -> Result<(), OpenError> {
    let known = STEPS.len() as i64;
    let found: rusqlite::Result<i64> =
        connection.prepare_cached("PRAGMA user_version").and_then(|mut ask| ask.query_row([], |row| row.get(0)));
    match found {
        Ok(found) if found == known => Ok(()),
        Ok(found) => Err(OpenError::Newer { path: path.to_owned(), found, known }),
        Err(error) => Err(OpenError::sqlite(path, &error)),
    }
}

/// How many steps the file has behind it, once it is known to be ours.
pub(crate) fn format(connection: &Connection, path: &Path) -> Result<usize, OpenError> {
    let fail = |error: rusqlite::Error| OpenError::sqlite(path, &error);
    let number = |pragma: &str| connection.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0)).map_err(fail);
    let (application, found) = (number("application_id")?, number("user_version")?);
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).map_err(fail)?;
    if application != APPLICATION_ID && (application != 0 || found != 0 || tables != 0) {
        return Err(OpenError::Foreign { path: path.to_owned() });
    }
    match usize::try_from(found) {
        Ok(steps) if steps <= STEPS.len() => Ok(steps),
        _ => Err(OpenError::Newer { path: path.to_owned(), found, known: STEPS.len() as i64 }),
    }
}
