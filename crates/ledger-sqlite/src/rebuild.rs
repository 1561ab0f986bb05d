//! Rebuild: makes all rows that are not facts again, when a new format holds more than the old rows tell.

use ledger::Folds;
use rusqlite::Connection;

use crate::change::{facts, tenant_row, tenants};
use crate::effect::Cause;
use crate::names;
use crate::verify::{FACTS_PER_PAGE, replay_fact};

/// Drops what was made from the facts and makes it again, inside the transaction of the caller. The error says which fact
/// cannot be understood.
pub(crate) fn rebuild(connection: &Connection, folds: &Folds) -> Result<(), String> {
    let failed = |error: rusqlite::Error| error.to_string();
    let drop_all = "DELETE FROM record_versions;
                    DELETE FROM record_tags;
                    DELETE FROM ended_tags;
                    DELETE FROM unique_names;
                    DELETE FROM link_changes;
                    DELETE FROM live_fields;
                    DELETE FROM ended_fields;
                    DELETE FROM field_lists;
                    DELETE FROM record_counts;
                    INSERT INTO search (search) VALUES ('delete-all');";
    connection.execute_batch(drop_all).map_err(failed)?;
    for tenant in tenants(connection).map_err(failed)? {
        let Some(row) = tenant_row(connection, &tenant).map_err(failed)? else { continue };
        let mut seq = 0;
        loop {
            let page = facts(connection, &tenant, seq, FACTS_PER_PAGE).map_err(failed)?;
            if page.is_empty() {
                break;
            }
            for fact in page {
                seq = fact.seq;
                let cause = Cause { tenant: &tenant, tenant_number: row.number, seq, at: fact.at };
                let replayed = replay_fact(connection, cause, fact, folds).map_err(failed)?;
                replayed.map_err(|reason| format!("fact {seq} of {tenant}: {reason}"))?;
            }
        }
        names::hold_all(connection, &tenant).map_err(failed)?;
    }
    Ok(())
}

/// Whether anything was ever committed.
pub(crate) fn holds_facts(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row("SELECT EXISTS (SELECT 1 FROM facts)", [], |row| row.get(0))
}
