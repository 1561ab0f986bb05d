//! Sealing: signed checkpoints over what was committed, made while nobody waits for them.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use ledger::tree::Trees;
use ledger_sqlite::SqliteLedger;
use ledger_sqlite::audit::{AuditLog, AuditRow};
use proof::{Changes, Notary, Records, SigningKey};
use scope::{Clock as _, IdSource as _, RandomIds, Scope, SystemClock, Timestamp};

use super::calls::Calls;
use super::secret::made_once;

const DAY_US: i64 = 24 * 60 * 60 * 1_000_000;
/// How often records are looked for whose time is over.
const RETENTION_EVERY: Duration = Duration::from_secs(60 * 60);

/// Opens the notary of a data directory. Its key is made when there is none.
pub fn notary(data: &Path, ledger: Arc<SqliteLedger>, log: Arc<AuditLog>) -> anyhow::Result<Notary> {
    let text = made_once(data, "checkpoint.key", || SigningKey::generate().text())?;
    let path = data.join("checkpoint.key");
    let key = SigningKey::parse(&text).with_context(|| {
        format!("{} is damaged; put it back from a copy, or move it away and a new one is made", path.display())
    })?;
    let records: Vec<Arc<dyn Records>> = vec![Arc::new(Changes(ledger.clone())), Arc::new(Calls(log))];
    Ok(Notary::new(ledger, records, key, Arc::new(SystemClock)))
}

/// Seals what is new, again and again, and removes records whose time is over.
pub async fn follow(notary: Arc<Notary>, ledger: Arc<SqliteLedger>, log: Arc<AuditLog>, config: spine::config::Audit) {
    let every = Duration::from_secs(config.checkpoint_seconds.max(1));
    let (mut failed, mut retained) = (false, None::<tokio::time::Instant>);
    loop {
        tokio::time::sleep(every).await;
        match notary.seal().await {
            Ok(_) if failed => {
                failed = false;
                tracing::info!("checkpoints are made again");
            }
            Ok(_) => {}
            Err(error) if !failed => {
                failed = true;
                tracing::error!(%error, "no checkpoint could be made; it is tried again");
            }
            Err(_) => {}
        }
        if config.keep_days > 0 && retained.is_none_or(|last| last.elapsed() > RETENTION_EVERY) {
            retained = Some(tokio::time::Instant::now());
            if let Err(error) = retain(&notary, &ledger, &log, config.keep_days, SystemClock.now()).await {
                tracing::warn!(%error, "old audit records could not be removed; the next try is in an hour");
            }
        }
    }
}

/// Removes the records of calls that are older than so many days, and says how many. Only sealed ones go, and their leaves
/// stay. The removal leaves a record of its own.
pub async fn retain(
    notary: &Notary,
    ledger: &SqliteLedger,
    log: &Arc<AuditLog>,
    days: u32,
    now: Timestamp,
) -> anyhow::Result<u64> {
    notary.seal().await?;
    let source = Calls(log.clone()).source().await?;
    let sealed = ledger.advanced(&source).await?;
    let through = log.last_before(now.plus_micros(-i64::from(days) * DAY_US)).await?.min(sealed);
    // Records of a span go together: what is left of it could not be told from what was taken away.
    let through = notary.last_span_end(&source, through).await?;
    if through <= log.removed_through().await? {
        return Ok(0);
    }
    if let Some(appending) = log.append(removal(days, through, now)) {
        appending.await;
    }
    log.flush().await;
    let removed = log.remove_through(through).await?;
    tracing::info!(removed, days, "audit records whose time was over are removed");
    Ok(removed)
}

fn removal(days: u32, through: u64, now: Timestamp) -> AuditRow {
    let id = RandomIds.next().to_string();
    AuditRow {
        audit_id: id.clone(),
        at: now,
        tenant: Scope::local().tenant,
        principal: String::new(),
        principal_kind: "server".into(),
        transport: "server".into(),
        client: None,
        method: "audit/remove".into(),
        target: format!("audit.db through {through}"),
        arguments: format!(r#"{{"keep_days":{days}}}"#).into(),
        arguments_hash: "".into(),
        request_id: id.clone(),
        correlation_id: id,
        trace_id: None,
        decision: "audit.keep_days".into(),
        outcome: "ok".into(),
        error_code: None,
        duration_us: 0,
    }
}

#[cfg(test)]
mod tests {
    use ledger_sqlite::Options;
    use proof::Trust;
    use scope::TenantId;

    use super::*;

    fn row(number: i64, tenant: &str, at: Timestamp) -> AuditRow {
        let tenant = TenantId::new(tenant).unwrap();
        AuditRow { tenant, target: format!("tool {number}"), decision: "admitted".into(), ..removal(1, 0, at) }
    }

    async fn append(log: &AuditLog, row: AuditRow) {
        if let Some(appending) = log.append(row) {
            appending.await;
        }
    }

    // What is removed after its time leaves its leaf, so that everything else can be proved as before.
    #[tokio::test]
    async fn old_records_go_and_the_trees_stay_whole() {
        let folder = tempfile::tempdir().unwrap();
        let ledger = Arc::new(SqliteLedger::open(folder.path(), Options::default()).unwrap());
        let log = Arc::new(AuditLog::open(folder.path()).unwrap());
        let notary = notary(folder.path(), ledger.clone(), log.clone()).unwrap();
        let now = SystemClock.now();
        let days_ago = |days: i64| now.plus_micros(-days * DAY_US);
        for (batch, days) in [(0, 90), (1, 60), (2, 5)] {
            for number in 0..300 {
                append(&log, row(batch * 1000 + number, ["acme", "zenith"][number as usize % 2], days_ago(days))).await;
            }
            log.flush().await;
            notary.seal().await.unwrap();
        }
        let acme = TenantId::new("acme").unwrap();
        let (early, published) = (notary.prove_record(&acme, 3).await.unwrap(), {
            let note = ledger.checkpoint(&acme, ledger::tree::Tree::Audit).await.unwrap().unwrap().note;
            Trust { published: vec![note], ..Trust::default() }
        });
        // Not sealed yet, so it stays however old it is.
        append(&log, row(9000, "acme", days_ago(400))).await;
        log.flush().await;
        assert_eq!(retain(&notary, &ledger, &log, 30, now).await.unwrap(), 600);
        assert_eq!(retain(&notary, &ledger, &log, 30, now).await.unwrap(), 0);
        let found = notary.examine(&published).await.unwrap();
        assert_eq!(found.differences, [""; 0]);
        assert_eq!(found.removed, 600);
        assert!(early.check(&[notary.key().verifying()]).is_ok());
        assert!(notary.prove_record(&acme, 3).await.unwrap_err().to_string().contains("only its hash is left"));
        let young = notary.prove_record(&acme, 301).await.unwrap();
        assert!(young.leaf.contains("tool 2002"), "{}", young.leaf);
        // The removal has a record of its own, in the tree of the tenant that operates the server.
        let mine = log.recent(&Scope::local().tenant, 1).await.unwrap();
        assert_eq!((&*mine[0].method, &*mine[0].target), ("audit/remove", "audit.db through 600"));
    }

    // A second process that serves the same directory makes the same tree, not another.
    #[tokio::test]
    async fn two_processes_seal_one_tree() {
        let folder = tempfile::tempdir().unwrap();
        let open = || {
            let ledger = Arc::new(SqliteLedger::open(folder.path(), Options::default()).unwrap());
            let log = Arc::new(AuditLog::open(folder.path()).unwrap());
            (notary(folder.path(), ledger, log.clone()).unwrap(), log)
        };
        let ((one, log), (other, other_log)) = (open(), open());
        for number in 0..2000 {
            append(if number % 2 == 0 { &log } else { &other_log }, row(number, "acme", Timestamp(number))).await;
        }
        log.flush().await;
        other_log.flush().await;
        let (first, second) = tokio::join!(one.seal(), other.seal());
        assert_eq!(first.unwrap().records + second.unwrap().records, 2000);
        let found = one.examine(&Trust::default()).await.unwrap();
        assert_eq!((found.differences.len(), found.leaves, found.unsealed), (0, 2000, 0));
    }
}
