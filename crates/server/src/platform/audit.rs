//! What becomes of a call's record: a row of the audit log, and a line of the log.

use std::sync::Arc;

use ledger_sqlite::audit::{AuditLog, AuditRow};
use spine::audit::{AuditRecord, AuditSink};

/// Audit records on their way to the audit log.
pub struct Sink(pub Arc<AuditLog>);

/// Calls from the terminal are not logged: who types them sees how they end.
const TERMINAL: &str = "cli";

impl AuditSink for Sink {
    fn append(&self, record: AuditRecord) {
        if record.transport != TERMINAL {
            log(&record);
        }
        self.0.append(AuditRow {
            audit_id: record.request_id.clone(),
            at: record.at,
            tenant: record.tenant,
            principal: record.principal,
            principal_kind: record.principal_kind.into(),
            transport: record.transport.into(),
            client: record.client,
            method: record.method,
            target: record.target,
            arguments: record.arguments,
            arguments_hash: record.arguments_hash,
            request_id: record.request_id,
            correlation_id: record.correlation_id,
            trace_id: Some(record.trace_id),
            decision: record.decision,
            outcome: record.outcome.into(),
            error_code: record.error_code,
            duration_us: record.duration_us,
        });
    }
}

/// One line a call, without what was given.
fn log(record: &AuditRecord) {
    tracing::info!(
        outcome = record.outcome,
        code = record.error_code.as_deref(),
        duration_us = record.duration_us,
        principal = record.principal,
        transport = record.transport,
        request_id = record.request_id,
        "{} {}",
        record.method,
        record.target,
    );
}
