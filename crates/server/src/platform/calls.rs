//! The records of calls that changed nothing, as leaves.

use std::sync::Arc;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use ledger::ReadError;
use ledger::tree::Numbers;
use ledger_sqlite::audit::{AuditLog, AuditRow};
use proof::{Records, Row, canonical};
use serde::Serialize;

pub struct Calls(pub Arc<AuditLog>);

impl Records for Calls {
    fn source(&self) -> BoxFuture<'_, Result<String, ReadError>> {
        async move { Ok(format!("audit.db {}", self.0.id().await?)) }.boxed()
    }

    fn rows(&self, numbers: Numbers) -> BoxFuture<'_, Result<Vec<Row>, ReadError>> {
        async move {
            let found = self.0.numbered(numbers).await?;
            Ok(found.into_iter().map(|(number, row)| leaf(number, row)).collect())
        }
        .boxed()
    }

    fn removed_through(&self) -> BoxFuture<'_, Result<u64, ReadError>> {
        self.0.removed_through().boxed()
    }
}

/// Every column of the row, by name.
fn leaf(number: u64, row: AuditRow) -> Row {
    #[derive(Serialize)]
    struct Leaf<'a> {
        at: String,
        arguments: &'a str,
        arguments_hash: &'a str,
        audit_id: &'a str,
        client: Option<&'a str>,
        correlation_id: &'a str,
        decision: &'a str,
        duration_us: String,
        error_code: Option<&'a str>,
        method: &'a str,
        outcome: &'a str,
        principal: &'a str,
        principal_kind: &'a str,
        request_id: &'a str,
        target: &'a str,
        tenant: &'a str,
        trace_id: Option<&'a str>,
        transport: &'a str,
    }
    let leaf = canonical(&Leaf {
        at: row.at.to_string(),
        arguments: &row.arguments,
        arguments_hash: &row.arguments_hash,
        audit_id: &row.audit_id,
        client: row.client.as_deref(),
        correlation_id: &row.correlation_id,
        decision: &row.decision,
        duration_us: row.duration_us.to_string(),
        error_code: row.error_code.as_deref(),
        method: &row.method,
        outcome: &row.outcome,
        principal: &row.principal,
        principal_kind: &row.principal_kind,
        request_id: &row.request_id,
        target: &row.target,
        tenant: row.tenant.as_str(),
        trace_id: row.trace_id.as_deref(),
        transport: &row.transport,
    });
    let described = format!("{} {} by {:?} at {}", row.method, row.target, row.principal, row.at);
    Row { number, tenant: row.tenant, leaf, described }
}
