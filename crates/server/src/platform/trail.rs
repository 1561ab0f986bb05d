//! Who called what: the records of changes, which are in the ledger, and those of all other calls, which are in the audit log.

use std::sync::Arc;

use ledger::{AuditFind as LedgerFind, Audited, Ledger as _, ReadError};
use ledger_sqlite::SqliteLedger;
use ledger_sqlite::audit::{AuditFind, AuditLog, AuditRow};
use scope::TenantId;
use serde::Deserialize;

/// How many records of changes are read at a time.
const PAGE: usize = 500;

/// The audit records of a data directory.
pub struct Trail {
    ledger: Arc<SqliteLedger>,
    pub log: Arc<AuditLog>,
}

impl Trail {
    pub fn new(ledger: Arc<SqliteLedger>, log: Arc<AuditLog>) -> Self {
        Self { ledger, log }
    }

    /// Returns when the record of every call that has ended is stored, or after a few seconds in which it could not be.
    pub async fn flush(&self) {
        self.log.flush().await;
    }

    /// The records that fit, newest first, up to the end of a moment.
    pub async fn find(&self, tenant: &TenantId, find: AuditFind) -> Result<Vec<AuditRow>, ReadError> {
        let mut found = self.changes(tenant, &find).await?;
        let limit = find.limit;
        found.extend(self.log.find(tenant, find).await?);
        found.sort_by_key(|row| std::cmp::Reverse(row.at));
        let last = limit.checked_sub(1).and_then(|last| found.get(last)).map(|row| row.at);
        found.retain(|row| limit > 0 && last.is_none_or(|last| row.at >= last));
        Ok(found)
    }

    /// The last records of a tenant, newest first.
    pub async fn recent(&self, tenant: &TenantId, limit: usize) -> Result<Vec<AuditRow>, ReadError> {
        self.find(tenant, AuditFind { limit, ..AuditFind::default() }).await
    }

    /// The records of one correlation, oldest first.
    pub async fn by_correlation(&self, tenant: &TenantId, correlation_id: &str) -> Result<Vec<AuditRow>, ReadError> {
        let find = LedgerFind { correlation_id: Some(correlation_id.to_owned()), before: None, limit: usize::MAX };
        let mut found = self.log.by_correlation(tenant, correlation_id).await?;
        let changes = self.ledger.audit(tenant, find).await?;
        found.extend(changes.into_iter().rev().map(|audited| as_row(tenant, audited)));
        found.sort_by_key(|row| row.at);
        Ok(found)
    }

    /// The records of changes that fit: at least as many as are wanted, if there are.
    async fn changes(&self, tenant: &TenantId, find: &AuditFind) -> Result<Vec<AuditRow>, ReadError> {
        let mut found = Vec::new();
        let mut next = LedgerFind { correlation_id: None, before: find.before, limit: PAGE };
        loop {
            let page = self.ledger.audit(tenant, next.clone()).await?;
            let Some(last) = page.last().map(|audited| audited.at) else { return Ok(found) };
            found.extend(page.into_iter().map(|audited| as_row(tenant, audited)).filter(|row| find.fits(row)));
            if found.len() >= find.limit || find.since.is_some_and(|since| last < since) {
                return Ok(found);
            }
            next.before = Some(last);
        }
    }
}

/// What the record of a change holds besides the columns of the ledger: [`spine::audit::AuditRecord`] as it was written.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Body {
    principal_kind: String,
    transport: String,
    client: Option<String>,
    method: String,
    target: String,
    arguments: String,
    arguments_hash: String,
    trace_id: Option<String>,
    decision: String,
    outcome: String,
    error_code: Option<String>,
    duration_us: u64,
}

/// A body that cannot be read leaves what the ledger knows by itself.
fn as_row(tenant: &TenantId, Audited { entry, at, .. }: Audited) -> AuditRow {
    let body: Body = serde_json::from_str(&entry.body).unwrap_or_default();
    AuditRow {
        audit_id: entry.id.clone(),
        at,
        tenant: tenant.clone(),
        principal: entry.principal,
        principal_kind: body.principal_kind.into(),
        transport: body.transport.into(),
        client: body.client,
        method: body.method.into(),
        target: body.target,
        arguments: body.arguments.into(),
        arguments_hash: body.arguments_hash.into(),
        request_id: entry.id,
        correlation_id: entry.correlation_id,
        trace_id: body.trace_id,
        decision: body.decision.into(),
        outcome: body.outcome.into(),
        error_code: body.error_code,
        duration_us: body.duration_us,
    }
}
