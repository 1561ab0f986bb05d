//! What every call arrives with.

use std::sync::{Arc, OnceLock};

use scope::{IdSource, Principal, Scope, Timestamp};
use tokio_util::sync::CancellationToken;

use crate::{AuditDraft, Client};

/// Caller, walls, time and ids of one call. Nothing further in reads a clock or rolls dice.
#[derive(Clone)]
pub struct Context {
    pub scope: Scope,
    pub principal: Principal,
    pub request: RequestMeta,
    pub now: Timestamp,
    pub ids: Arc<dyn IdSource>,
    /// The other side of the connection: progress, questions, log lines.
    pub client: Arc<dyn Client>,
    /// Fires when the caller gave up or the deadline passed. A commit that has begun is not undone.
    pub cancelled: CancellationToken,
    /// The identity of the effect, when the caller named one.
    pub effect: Option<Effect>,
    /// Where a capability says what its policy decided about this call, for the audit record.
    pub verdict: Verdict,
    /// The audit record of this call, for its commit to take along.
    pub audit: AuditDraft,
}

/// What a policy decided and why, said at most once in a call.
#[derive(Debug, Clone, Default)]
pub struct Verdict(Arc<OnceLock<String>>);

impl Verdict {
    /// Keeps the first verdict; a decision that is made again has the same one.
    pub fn say(&self, verdict: impl Into<String>) {
        self.0.get_or_init(|| verdict.into());
    }

    pub fn get(&self) -> Option<&str> {
        self.0.get().map(String::as_str)
    }
}

/// Where a call came from, for traces, audit and the facts it causes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RequestMeta {
    /// Made by the door, unique for each call.
    pub request_id: String,
    /// 32 hexadecimal digits: the trace that the caller is in, or one that begins with this call.
    pub trace_id: String,
    /// Ties calls of one task together: given by the caller, or the trace id, or the request id.
    pub correlation_id: String,
    pub traceparent: Option<String>,
    pub tracestate: Option<String>,
    /// Name and version the client gave itself; a claim.
    pub client: Option<String>,
    /// As which agent, and as which type of agent, the caller wants to act: a choice among what its credential allows.
    pub agent_id: Option<String>,
    pub agent_type: Option<String>,
}

/// An effect that must happen at most once, however often it is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effect {
    /// Canonical tool name.
    pub operation: String,
    /// The caller's `client_request_id`.
    pub key: String,
    /// SHA-256 in hex over the canonical arguments without the key.
    pub request_hash: String,
}
