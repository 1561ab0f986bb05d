//! The trace that every call leaves: one audit record, and a count.

use std::borrow::Cow;
use std::time::Instant;

use contract::{CallError, RequestMeta};
use scope::{PrincipalKind, TenantId};
use serde_json::{Map, Value};

use super::{Caller, Endpoint};
use crate::admission::Rejection;
use crate::audit::{self, AuditRecord, Kept};
use crate::message::Message;

impl Endpoint {
    /// Leaves the audit record of a call, and counts it.
    pub(super) fn record(
        &self,
        caller: &Caller,
        method: &'static str,
        target: &str,
        (text, hash): Kept,
        started: Instant,
        result: Result<(), &str>,
    ) {
        let duration_us = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX);
        let outcome = match result {
            Ok(()) => "ok",
            Err("INPUT_REQUIRED") => "asked",
            Err("INTERNAL" | "TIMEOUT" | "SERVICE_UNAVAILABLE") => "failed",
            Err(_) => "refused",
        };
        // A target that the caller made up must not make a new series.
        let series = if method == "tools/call" && self.by_name.contains_key(target) { target } else { method };
        self.metrics.called(series, outcome, duration_us);
        let principal = &caller.admitted.principal;
        self.audit.append(AuditRecord {
            at: self.clock.now(),
            tenant: caller.admitted.scope.tenant.clone(),
            principal: principal.id(),
            principal_kind: kind_name(principal.kind),
            transport: caller.admitted.transport,
            client: caller.request.client.clone(),
            method: method.into(),
            target: audit::bounded_name(target),
            arguments: text,
            arguments_hash: hash,
            request_id: caller.request.request_id.clone(),
            correlation_id: caller.request.correlation_id.clone(),
            trace_id: caller.request.trace_id.clone(),
            decision: caller.verdict.get().map_or(Cow::Borrowed("admitted"), |said| Cow::Owned(said.to_owned())),
            outcome,
            error_code: result.err().map(str::to_owned),
            duration_us,
        });
    }

    /// Refuses a call for what its message says, before it is made: leaves its record and words the refusal.
    pub(crate) fn refuse(&self, caller: &Caller, tool: &str, error: &CallError) -> Value {
        let nothing = audit::arguments(&Map::new());
        self.record(caller, "tools/call", tool, nothing, Instant::now(), Err(&error.code));
        self.capability.envelope(&caller.request, error)
    }

    /// Leaves the audit record of something that was not let in, and counts it.
    pub fn record_rejection(
        &self,
        transport: &'static str,
        rejection: &Rejection,
        message: Option<&Message>,
        request: &RequestMeta,
    ) {
        self.metrics.rejected(rejection.reason());
        self.audit.append(AuditRecord {
            at: self.clock.now(),
            tenant: TenantId::new("-").expect("a literal that is a valid id"),
            principal: String::new(),
            principal_kind: "",
            transport,
            client: None,
            method: audit::bounded_name(message.map_or("", |message| &message.method)).into(),
            target: audit::bounded_name(message.and_then(Message::tool).unwrap_or_default()),
            arguments: "".into(),
            arguments_hash: "".into(),
            request_id: request.request_id.clone(),
            correlation_id: request.correlation_id.clone(),
            trace_id: request.trace_id.clone(),
            decision: rejection.reason().into(),
            outcome: "refused",
            error_code: Some(rejection.reason().to_owned()),
            duration_us: 0,
        });
    }
}

fn kind_name(kind: PrincipalKind) -> &'static str {
    match kind {
        PrincipalKind::User => "user",
        PrincipalKind::Service => "service",
        PrincipalKind::Agent => "agent",
    }
}

/// How a call ended, as far as the record is concerned: well, or with a code.
pub(super) fn ending<T>(outcome: &Result<T, CallError>) -> Result<(), &str> {
    outcome.as_ref().map(|_| ()).map_err(|error| error.code.as_ref())
}
