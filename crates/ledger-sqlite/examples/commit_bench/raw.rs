//! SQLite alone: one thread, the same rows, no look-ups, no queue, one commit for each batch.

use std::time::{Duration, Instant};

use ledger::{Change, Effect};
use ledger_sqlite::{Options, SqliteLedger};
use rusqlite::{Connection, params};

use crate::rows;

/// Durable creates per second in batches of `batch`.
pub fn rate(batch: usize, slice: Duration) -> f64 {
    let directory = tempfile::tempdir().unwrap();
    drop(SqliteLedger::open(directory.path(), Options::default()).unwrap());
    let db = Connection::open(directory.path().join("chancery.db")).unwrap();
    db.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -8192;
         PRAGMA temp_store = MEMORY; PRAGMA wal_autocheckpoint = 10000;
         INSERT INTO tenants (tenant, head, last_at) VALUES ('bench', 0, 0);",
    )
    .unwrap();
    db.set_prepared_statement_cache_capacity(64);
    let (start, mut written) = (Instant::now(), 0);
    while start.elapsed() < slice {
        db.prepare_cached("BEGIN IMMEDIATE").unwrap().execute([]).unwrap();
        for _ in 0..batch {
            write(&db, written, &rows::create(written));
            written += 1;
        }
        db.prepare_cached("COMMIT").unwrap().execute([]).unwrap();
    }
    written as f64 / start.elapsed().as_secs_f64()
}

fn write(db: &Connection, number: u64, change: &Change) {
    let (fact, effects) = &change.facts[0];
    let Effect::Put(record) = &effects[0] else { unreachable!("the benchmark only creates") };
    let (key, tenant, seq, at) = (&record.key, change.tenant.as_str(), number as i64 + 1, change.at.0);
    let sql = "INSERT INTO facts (tenant, seq, at, kind, subject_kind, subject_id, meta, body)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    let row = params![tenant, seq, at, fact.kind, key.kind, key.id, fact.meta, fact.body];
    db.prepare_cached(sql).unwrap().execute(row).unwrap();
    let sql = "INSERT INTO record_versions (tenant, kind, id, version, from_seq, to_seq, deleted, at, scope, type,
                      status, name, time, source, target, tags, uniques, text, body)
               VALUES (?1, ?2, ?3, 1, ?4, NULL, 0, ?5, ?6, ?7, NULL, ?8, NULL, NULL, NULL, ?9, ?10, ?11, ?12)";
    let (tags, uniques) =
        (serde_json::to_string(&record.tags).unwrap(), serde_json::to_string(&record.unique).unwrap());
    let row = params![
        tenant,
        key.kind,
        key.id,
        seq,
        at,
        record.scope,
        record.r#type,
        record.name,
        tags,
        uniques,
        record.text,
        record.body
    ];
    let slot = db.prepare_cached(sql).unwrap().insert(row).unwrap();
    let words: Vec<String> = ledger::words::words(&record.text).iter().map(|word| format!("1x{word}")).collect();
    let sql = "INSERT INTO search (rowid, words) VALUES (?1, ?2)";
    db.prepare_cached(sql).unwrap().execute(params![slot, words.join(" ")]).unwrap();
    let sql = "INSERT INTO record_tags (tenant, kind, scope, tag, id) VALUES (?1, ?2, ?3, ?4, ?5)";
    db.prepare_cached(sql).unwrap().execute(params![tenant, key.kind, record.scope, record.tags[0], key.id]).unwrap();
    let sql = "INSERT INTO unique_names (tenant, space, name, kind, id) VALUES (?1, ?2, ?3, ?4, ?5)";
    let name = &record.unique[0];
    db.prepare_cached(sql).unwrap().execute(params![tenant, name.space, name.name, key.kind, key.id]).unwrap();
    let sql = "UPDATE tenants SET head = ?2, last_at = ?3 WHERE tenant = ?1";
    db.prepare_cached(sql).unwrap().execute(params![tenant, seq, at]).unwrap();
    let (effect, answer) = change.idempotency.as_ref().unwrap();
    let sql = "INSERT INTO idempotency_keys (tenant_id, client_request_id, aggregate_type, aggregate_id,
                      response_payload, created_at, expires_at, principal, operation, request_hash)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
    let row = params![
        tenant,
        effect.key,
        answer.aggregate_type,
        answer.aggregate_id,
        answer.payload,
        at,
        at + ledger_sqlite::KEY_TTL_MICROS,
        effect.principal,
        effect.operation,
        effect.request_hash
    ];
    db.prepare_cached(sql).unwrap().execute(row).unwrap();
}
