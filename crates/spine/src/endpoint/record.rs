//! The trace that every call leaves: one audit record, and a count.
//!
//! The record of a write is drafted before the call and goes into its commit. Every other call has its record written
//! when it has ended.

use std::borrow::Cow;
use std::time::Instant;

use contract::{AuditSource, CallError, RequestMeta, Verdict};
use scope::{Principal, PrincipalKind, Scope, TenantId};
use serde_json::{Map, Value};

use super::{Caller, Endpoint};
use crate::audit::{self, AuditRecord, Kept};
use crate::message::Message;

/// A call, as far as it is known when it begins.
pub(super) struct Begun<'a> {
    method: &'static str,
    target: &'a str,
    kept: Kept,
    started: Instant,
}

impl<'a> Begun<'a> {
    /// `named` are arguments that are not kept.
    pub(super) fn new(method: &'static str, target: &'a str, arguments: &Map<String, Value>, named: &[String]) -> Self {
        let started = Instant::now();
        Self { method, target, kept: audit::arguments(arguments, named), started }
    }

    /// A call without arguments.
    pub(super) fn plain(method: &'static str, target: &'a str) -> Self {
        Self::new(method, target, &Map::new(), &[])
    }
}

/// The record of a call that may commit.
struct Draft {
    record: AuditRecord,
    verdict: Verdict,
    started: Instant,
}

impl AuditSource for Draft {
    fn body(&self) -> String {
        let record = AuditRecord {
            decision: decision(&self.verdict),
            duration_us: micros_since(self.started),
            ..self.record.clone()
        };
        serde_json::to_string(&record).expect("a record has only string keys")
    }
}

impl Endpoint {
    /// Lets the commit of this call take its record along.
    pub(super) fn draft(&self, caller: &Caller, begun: &Begun<'_>) {
        let record = self.record_of(caller, begun, Ok(()));
        caller.audit.prepare(Draft { record, verdict: caller.verdict.clone(), started: begun.started });
    }

    /// Leaves the audit record of a call, unless its commit has it, and counts the call.
    pub(super) async fn record(&self, caller: &Caller, begun: Begun<'_>, result: Result<(), &str>) {
        let record = self.record_of(caller, &begun, result);
        self.count(&begun, &record);
        if result.is_ok() && caller.audit.is_committed() {
            return self.audit.committed(&record);
        }
        if let Some(appending) = self.audit.append(record) {
            appending.await;
        }
    }

    fn record_of(&self, caller: &Caller, begun: &Begun<'_>, result: Result<(), &str>) -> AuditRecord {
        let principal = &caller.admitted.principal;
        let (arguments, arguments_hash) = begun.kept.clone();
        AuditRecord {
            at: self.clock.now(),
            tenant: caller.admitted.scope.tenant.clone(),
            principal: principal.id(),
            principal_kind: kind_name(principal.kind),
            transport: caller.admitted.transport,
            client: caller.request.client.clone(),
            method: begun.method.into(),
            target: audit::bounded_name(begun.target),
            arguments,
            arguments_hash,
            request_id: caller.request.request_id.clone(),
            correlation_id: caller.request.correlation_id.clone(),
            trace_id: caller.request.trace_id.clone(),
            decision: decision(&caller.verdict),
            outcome: outcome(result),
            error_code: result.err().map(str::to_owned),
            duration_us: micros_since(begun.started),
        }
    }

    fn count(&self, begun: &Begun<'_>, record: &AuditRecord) {
        // A target that the caller made up must not make a new series.
        let is_tool = begun.method == "tools/call" && self.by_name.contains_key(begun.target);
        let series = if is_tool { begun.target } else { begun.method };
        self.metrics.called(series, record.outcome, record.duration_us);
    }

    /// Refuses a call for what its message says, before it is made: leaves its record and words the refusal.
    pub(crate) async fn refuse(&self, caller: &Caller, tool: &str, error: &CallError) -> Value {
        self.record(caller, Begun::plain("tools/call", tool), Err(&error.code)).await;
        self.capability.envelope(&caller.request, error)
    }

    /// Leaves the record of a list that was given.
    pub(crate) async fn listed(&self, caller: &Caller, method: &'static str) {
        self.record(caller, Begun::plain(method, ""), Ok(())).await;
    }

    /// Counts a request that did not become a call, and leaves its record, unless its sender has left too many lately.
    pub fn record_refused(&self, refused: Refused<'_>) {
        let Refused { transport, reason, who, method, target, request } = refused;
        self.metrics.rejected(reason);
        let (tenant, principal, principal_kind) = match who {
            Some((principal, scope)) => (scope.tenant, principal.id(), kind_name(principal.kind)),
            None => (TenantId::new("-").expect("a literal that is a valid id"), String::new(), ""),
        };
        let now = self.clock.now();
        let Some(left_out) = self.refusals.take(&format!("{tenant}|{principal}|{transport}"), now) else {
            return self.metrics.summarized();
        };
        let arguments = if left_out > 0 { format!(r#"{{"refusals_left_out":{left_out}}}"#) } else { String::new() };
        // Nobody waits for the sake of somebody who is turned away.
        drop(self.audit.append(AuditRecord {
            at: now,
            tenant,
            principal,
            principal_kind,
            transport,
            client: None,
            method: audit::bounded_name(method).into(),
            target: audit::bounded_name(target),
            arguments: arguments.into(),
            arguments_hash: "".into(),
            request_id: request.request_id.clone(),
            correlation_id: request.correlation_id.clone(),
            trace_id: request.trace_id.clone(),
            decision: reason.into(),
            outcome: "refused",
            error_code: Some(reason.to_owned()),
            duration_us: 0,
        }));
    }
}

/// A request that did not become a call.
pub struct Refused<'a> {
    pub transport: &'static str,
    /// One word, for audit and metrics.
    pub reason: &'static str,
    /// Who sent it, when that is known.
    pub who: Option<(Principal, Scope)>,
    /// What it asked for, as far as it could be read.
    pub method: &'a str,
    pub target: &'a str,
    pub request: &'a RequestMeta,
}

impl<'a> Refused<'a> {
    /// A message that could not be read, or was not read to its end.
    pub fn unread(transport: &'static str, reason: &'static str, request: &'a RequestMeta) -> Self {
        Self { transport, reason, who: None, method: "", target: "", request }
    }

    /// With what a message says.
    pub fn saying(self, message: Option<&'a Message>) -> Self {
        let method = message.map_or("", |message| &message.method);
        Self { method, target: message.and_then(Message::tool).unwrap_or_default(), ..self }
    }

    /// With who sent it.
    pub fn by(self, who: Option<(Principal, Scope)>) -> Self {
        Self { who, ..self }
    }
}

/// One word for how a call ended.
fn outcome(result: Result<(), &str>) -> &'static str {
    match result {
        Ok(()) => "ok",
        Err("INPUT_REQUIRED") => "asked",
        Err("INTERNAL" | "TIMEOUT" | "SERVICE_UNAVAILABLE") => "failed",
        Err(_) => "refused",
    }
}

fn decision(verdict: &Verdict) -> Cow<'static, str> {
    verdict.get().map_or(Cow::Borrowed("admitted"), |said| Cow::Owned(said.to_owned()))
}

fn micros_since(started: Instant) -> u64 {
    u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX)
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
