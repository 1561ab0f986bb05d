//! What becomes of a call's record: a row of the audit log unless its commit has it, and a line of the log.

use std::sync::Arc;

use ledger_sqlite::audit::{AuditLog, AuditRow};
use spine::audit::{Appending, AuditCounts, AuditRecord, AuditSink};

/// Audit records on their way to the audit log.
pub struct Sink(pub Arc<AuditLog>);

/// Calls from the terminal are not logged: who types them sees how they end.
const TERMINAL: &str = "cli";

impl AuditSink for Sink {
    fn append(&self, record: AuditRecord) -> Option<Appending> {
        log(&record);
        let appending = self.0.append(AuditRow {
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
        appending.map(|appending| Box::pin(appending) as Appending)
    }

    fn committed(&self, record: &AuditRecord) {
        log(record);
    }

    fn counts(&self) -> AuditCounts {
        AuditCounts { written: self.0.written(), dropped: self.0.dropped() }
    }
}

/// One line a call, without its arguments.
fn log(record: &AuditRecord) {
    if record.transport == TERMINAL {
        return;
    }
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

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::Mutex;

    use scope::{Scope, Timestamp};

    use super::*;

    #[derive(Clone, Default)]
    struct Kept(Arc<Mutex<Vec<u8>>>);

    impl Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    fn record(transport: &'static str) -> AuditRecord {
        AuditRecord {
            at: Timestamp(0),
            tenant: Scope::local().tenant,
            principal: "local|owner".to_owned(),
            principal_kind: "user",
            transport,
            client: None,
            method: "tools/call".into(),
            target: "guestbook.sign".to_owned(),
            arguments: r#"{"line":"private"}"#.into(),
            arguments_hash: "".into(),
            request_id: "r1".to_owned(),
            correlation_id: "c1".to_owned(),
            trace_id: "t1".to_owned(),
            decision: "admitted".into(),
            outcome: "refused",
            error_code: Some("VALIDATION_ERROR".to_owned()),
            duration_us: 1500,
        }
    }

    #[test]
    fn a_call_leaves_one_line_without_its_arguments() {
        let folder = tempfile::tempdir().unwrap();
        let sink = Sink(Arc::new(AuditLog::open(folder.path()).unwrap()));
        let kept = Kept::default();
        let writer = kept.clone();
        let lines = tracing_subscriber::fmt().with_ansi(false).without_time().with_target(false);
        tracing::subscriber::with_default(lines.with_writer(move || writer.clone()).finish(), || {
            assert!(sink.append(record("http")).is_none());
            assert!(sink.append(record(TERMINAL)).is_none());
        });
        let text = String::from_utf8(kept.0.lock().unwrap().clone()).unwrap();
        assert_eq!(
            text,
            " INFO tools/call guestbook.sign outcome=\"refused\" code=\"VALIDATION_ERROR\" duration_us=1500 \
             principal=\"local|owner\" transport=\"http\" request_id=\"r1\"\n"
        );
    }
}
