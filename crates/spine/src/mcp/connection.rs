//! One connection's view of an endpoint: who calls, over what, and in the middle of which questions.

#![expect(deprecated, reason = "log messages are served to the clients that still use them")]

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use contract::{AuditDraft, CallError, ErrorKind, RequestMeta, Verdict};
use rmcp::model::{Extensions, InputRequiredResult, InputResponses, LoggingLevel, MetaObject, ProtocolVersion};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::Value;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::client::{Interrupted, PeerClient};
use super::{Prepared, follow, wire};
use crate::admission::Admitted;
use crate::config::ToolNames;
use crate::endpoint::{Caller, Endpoint, Refused};
use crate::seal;
use crate::trace::{self, Given};

/// One connection's view of an endpoint: per session in the initialize era, per request in the stateless era.
#[derive(Clone)]
pub struct Handler {
    pub(super) endpoint: Arc<Endpoint>,
    /// The caller of a connection that has only one, such as stdio. Over HTTP each request carries its own.
    fixed: Option<Admitted>,
    pub(super) followed: follow::Followed,
    /// True once changes are passed on to this session.
    pub(super) follows: Arc<AtomicBool>,
    log_level: Arc<Mutex<Option<LoggingLevel>>>,
    pub(super) stopping: CancellationToken,
    pub(super) ended: CancellationToken,
    _ends_with_me: Arc<DropGuard>,
}

/// What the door knew about a request, handed through rmcp.
#[derive(Clone)]
pub struct Arrived {
    pub admitted: Admitted,
    pub request: RequestMeta,
    /// Forces a form of tool names for this request.
    pub names: Option<ToolNames>,
    /// True when there is no session that knows who calls.
    pub is_sessionless: bool,
    /// Who calls without a session, as far as it says so.
    pub client: Option<String>,
}

impl Handler {
    pub fn new(endpoint: Arc<Endpoint>, fixed: Option<Admitted>, stopping: CancellationToken) -> Self {
        let ended = CancellationToken::new();
        let guard = Arc::new(ended.clone().drop_guard());
        Self {
            endpoint,
            fixed,
            followed: Default::default(),
            follows: Default::default(),
            log_level: Default::default(),
            stopping,
            ended,
            _ends_with_me: guard,
        }
    }

    pub(super) fn prepared(&self) -> &Prepared {
        Prepared::of(&self.endpoint)
    }

    pub(super) fn arrived(&self, extensions: &Extensions) -> Result<Arrived, ErrorData> {
        let over_http = extensions.get::<http::request::Parts>().and_then(|parts| parts.extensions.get::<Arrived>());
        match (over_http, &self.fixed) {
            (Some(arrived), _) => Ok(arrived.clone()),
            (None, Some(admitted)) => {
                let request = Given::default().request_meta(self.endpoint.ids.next());
                Ok(Arrived { admitted: admitted.clone(), request, names: None, is_sessionless: false, client: None })
            }
            // No door lets this happen; without admission there is no call.
            (None, None) => Err(ErrorData::internal_error("not admitted", None)),
        }
    }

    /// A caller that is asked nothing.
    pub(super) fn caller(&self, cx: &RequestContext<RoleServer>) -> Result<Caller, ErrorData> {
        let arrived = self.arrived(&cx.extensions)?;
        let client = Arc::new(self.client(cx, &arrived.request));
        Ok(self.caller_with(cx, arrived, client))
    }

    /// Leaves the record of a list that was given.
    pub(super) async fn listed(&self, cx: &RequestContext<RoleServer>, method: &'static str) -> Result<(), ErrorData> {
        let caller = self.caller(cx)?;
        Box::pin(self.endpoint.listed(&caller, method)).await;
        Ok(())
    }

    /// Leaves the record of a request that does not become a call, with its method and target.
    pub(super) fn refused(&self, extensions: &Extensions, reason: &'static str, (method, target): (&str, &str)) {
        let Ok(Arrived { admitted, request, .. }) = self.arrived(extensions) else { return };
        let who = Some((admitted.principal, admitted.scope));
        let transport = admitted.transport;
        self.endpoint.record_refused(Refused { transport, reason, who, method, target, request: &request });
    }

    fn caller_with(&self, cx: &RequestContext<RoleServer>, arrived: Arrived, client: Arc<PeerClient>) -> Caller {
        let Arrived { admitted, mut request, is_sessionless, client: named, .. } = arrived;
        if self.fixed.is_some() {
            let given = Given {
                correlation: cx.meta.get("correlation_id").and_then(Value::as_str),
                traceparent: cx.meta.get_traceparent(),
                tracestate: cx.meta.get_tracestate(),
                agent_id: cx.meta.get("agent_id").and_then(Value::as_str),
                agent_type: cx.meta.get("agent_type").and_then(Value::as_str),
            };
            request = given.request_meta(request.request_id);
        }
        let of_session = || cx.client_info().map(|info| trace::client(&info.name, &info.version));
        request.client = if is_sessionless { named } else { of_session() };
        Caller {
            admitted,
            request,
            client,
            cancelled: cx.ct.clone(),
            verdict: Verdict::default(),
            audit: AuditDraft::default(),
        }
    }

    fn client(&self, cx: &RequestContext<RoleServer>, request: &RequestMeta) -> PeerClient {
        let stateless = is_stateless(cx);
        PeerClient {
            peer: Some(cx.peer.clone()),
            stateless,
            progress_token: cx.meta.get_progress_token(),
            log_level: if stateless { cx.meta.log_level() } else { *self.level() },
            ..PeerClient::plain(cx.client_capabilities().unwrap_or_default(), request.request_id.clone())
        }
    }

    /// A caller that may be in the middle of answering questions. The seal binds what it brings to caller, method and arguments,
    /// which `what` puts in words.
    pub(super) fn asked_caller(
        &self,
        cx: &RequestContext<RoleServer>,
        what: impl FnOnce() -> String,
        state: Option<&str>,
        responses: Option<InputResponses>,
    ) -> Result<(Caller, Arc<PeerClient>), ErrorData> {
        let arrived = self.arrived(&cx.extensions)?;
        let mut client = self.client(cx, &arrived.request);
        if let Some(sealed) = state {
            let opened = self.endpoint.seal.open::<Interrupted>(sealed, &purpose(&arrived.admitted, &what()));
            let interrupted = opened.map_err(|_| {
                self.refused(&cx.extensions, "request_state", ("", ""));
                ErrorData::invalid_params("requestState is not one we gave for this call, or it is too old", None)
            })?;
            client.continued = true;
            client.call.clone_from(&interrupted.call);
            client.interrupted = Mutex::new(interrupted);
        }
        client.brought = responses.unwrap_or_default();
        let client = Arc::new(client);
        Ok((self.caller_with(cx, arrived, client.clone()), client))
    }

    pub(super) fn level(&self) -> std::sync::MutexGuard<'_, Option<LoggingLevel>> {
        self.log_level.lock().expect("nothing panics while holding this")
    }

    /// Tool names for this client.
    pub(super) fn names(&self, cx: &RequestContext<RoleServer>) -> Result<(ToolNames, Option<String>), ErrorData> {
        let forced = self.arrived(&cx.extensions)?.names;
        Ok((forced.unwrap_or(self.endpoint.config.tool_names), cx.client_info().map(|info| info.name)))
    }
}

/// The result that sends questions to the client.
pub(super) fn input_required(
    endpoint: &Endpoint,
    caller: &Caller,
    client: &PeerClient,
    error: &CallError,
    what: impl FnOnce() -> String,
) -> Option<InputRequiredResult> {
    let ErrorKind::NeedsInput(asks) = &error.kind else { return None };
    let state = client.interrupted.lock().expect("nothing panics while holding this").clone();
    let sealed = endpoint.seal.close(&state, &purpose(&caller.admitted, &what()));
    let requests = (!asks.is_empty()).then(|| wire::questions(asks));
    Some(InputRequiredResult::new(requests, Some(sealed)).with_meta(wire::result_meta(endpoint.capability.manifest())))
}

/// What a sealed state is for: this caller, doing this.
fn purpose(admitted: &Admitted, what: &str) -> String {
    seal::purpose(&[admitted.scope.tenant.as_str(), &admitted.principal.id(), what])
}

/// True from 2026-07-28 on.
pub(super) fn is_stateless(cx: &RequestContext<RoleServer>) -> bool {
    cx.protocol_version().is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
}

/// What every result of the stateless era says about us.
pub(super) fn meta_for(endpoint: &Endpoint, cx: &RequestContext<RoleServer>) -> Option<MetaObject> {
    is_stateless(cx).then(|| wire::result_meta(endpoint.capability.manifest()))
}
