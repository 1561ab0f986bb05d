//! Data directories with many elements.

use std::path::Path;
use std::sync::Arc;

use ledger::{At, Change, Find, Ledger as _, NewFact, RecordKey};
use ledger_sqlite::{Options, SqliteLedger};
use scope::{Clock as _, IdSource as _, RandomIds, Scope, SystemClock};
use serde_json::json;
use server::{Config, Platform};
use transformation::Transformation;

/// Facts in one change while seeding.
const BATCH: usize = 2000;

/// The configuration of a bench data directory.
pub fn config(data: &Path) -> Config {
    Config { data: data.to_owned(), log: "warn".to_owned(), ..Config::default() }
}

/// Fills a data directory with a chain of elements, each served by the one before; returns the ledger and some element ids.
pub async fn elements(data: &Path, count: usize) -> anyhow::Result<(Arc<SqliteLedger>, Vec<String>)> {
    drop(Platform::open(&config(data)).await?);
    let ledger = Arc::new(SqliteLedger::open(data, Options::default())?);
    let tenant = Scope::local().tenant;
    let head = ledger.point(&tenant, At::Head).await?;
    let model = ledger.find(&tenant, head, Find::all("transformation.model")).await?.items.remove(0).record.key.id;
    let mut ids: Vec<String> = Vec::with_capacity(count);
    let mut facts = Vec::with_capacity(BATCH);
    for number in 0..count {
        let id: String = RandomIds.next();
        facts.push(element(&id, &model, number));
        if let Some(before) = ids.last() {
            facts.push(link(&RandomIds.next(), &model, before, &id));
        }
        ids.push(id);
        if facts.len() >= BATCH || number + 1 == count {
            commit(&ledger, std::mem::take(&mut facts)).await?;
        }
    }
    Ok((ledger, ids))
}

/// Renames every tenth of these elements of a model.
pub async fn rename_some(ledger: &SqliteLedger, model: &str, ids: &[String]) -> anyhow::Result<()> {
    let renamed: Vec<NewFact> =
        ids.iter().enumerate().step_by(10).map(|(number, id)| element(id, model, number + ids.len())).collect();
    for facts in renamed.chunks(BATCH) {
        commit(ledger, facts.to_vec()).await?;
    }
    Ok(())
}

async fn commit(ledger: &SqliteLedger, facts: Vec<NewFact>) -> anyhow::Result<()> {
    let folded = facts.into_iter().map(|fact| {
        let effects = Transformation::fold().effects(&fact).map_err(anyhow::Error::msg)?;
        anyhow::Ok((fact, effects))
    });
    let facts = folded.collect::<anyhow::Result<Vec<_>>>()?;
    let tenant = Scope::local().tenant;
    let change =
        Change { tenant, at: SystemClock.now(), idempotency: None, expectations: Vec::new(), facts, audit: None };
    ledger.commit(change).await?;
    Ok(())
}

fn element(id: &str, model: &str, number: usize) -> NewFact {
    let at = SystemClock.now();
    let types = ["ApplicationComponent", "BusinessProcess", "Node", "Capability"];
    fact(
        "transformation.ElementCreated",
        "transformation.element",
        id,
        &json!({
            "id": id, "repository_id": "default", "model_id": model, "type": types[number % types.len()],
            "name": format!("Element {number}"), "description": "Seeded for a measurement, with a description of a usual length.",
            "created_at": at, "updated_at": at,
        }),
    )
}

fn link(id: &str, model: &str, source: &str, target: &str) -> NewFact {
    fact(
        "transformation.ElementRelationshipCreated",
        "transformation.relationship",
        id,
        &json!({
            "id": id, "repository_id": "default", "model_id": model, "type": "Association", "source_id": source, "target_id": target,
        }),
    )
}

fn fact(kind: &str, record: &str, id: &str, body: &serde_json::Value) -> NewFact {
    NewFact {
        kind: kind.to_owned(),
        subject: RecordKey::new(record, id),
        body: body.to_string(),
        meta: "{}".to_owned(),
    }
}
