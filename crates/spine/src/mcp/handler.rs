//! The protocol's methods, answered from an endpoint.

#![expect(deprecated, reason = "log messages and old subscriptions are served to the clients that still use them")]

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use contract::{CallError, ErrorKind, Manifest, RequestMeta};
use rmcp::model::*;
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Value, json};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::client::{Interrupted, PeerClient};
use super::{follow, wire};
use crate::admission::Admitted;
use crate::endpoint::{Called, Caller, Endpoint};
use crate::{names, replay};

/// One connection's view of an endpoint: per session in the initialize era, per request in the stateless era.
#[derive(Clone)]
pub struct Handler {
    endpoint: Arc<Endpoint>,
    /// The caller of a connection that has only one, such as stdio. Over HTTP each request carries its own.
    fixed: Option<Admitted>,
    followed: follow::Followed,
    /// True once changes are passed on to this session.
    follows: Arc<AtomicBool>,
    log_level: Arc<Mutex<Option<LoggingLevel>>>,
    stopping: CancellationToken,
    ended: CancellationToken,
    _ends_with_me: Arc<DropGuard>,
}

/// What the door knew about a request, handed through rmcp.
#[derive(Clone)]
pub struct Arrived {
    pub admitted: Admitted,
    pub request: RequestMeta,
    /// Forces a form of tool names for this request.
    pub names: Option<crate::config::ToolNames>,
}

impl Handler {
    pub fn new(endpoint: Arc<Endpoint>, fixed: Option<Admitted>, stopping: CancellationToken) -> Self {
        let ended = CancellationToken::new();
        let guard = Arc::new(ended.clone().drop_guard());
        Self { endpoint, fixed, followed: Default::default(), follows: Default::default(), log_level: Default::default(), stopping, ended, _ends_with_me: guard }
    }

    fn arrived(&self, extensions: &Extensions) -> Result<Arrived, ErrorData> {
        let over_http = extensions.get::<http::request::Parts>().and_then(|parts| parts.extensions.get::<Arrived>());
        match (over_http, &self.fixed) {
            (Some(arrived), _) => Ok(arrived.clone()),
            (None, Some(admitted)) => {
                let request_id = self.endpoint.ids.next();
                let request = RequestMeta { correlation_id: request_id.clone(), request_id, ..RequestMeta::default() };
                Ok(Arrived { admitted: admitted.clone(), request, names: None })
            }
            // No door lets this happen; without admission there is no call.
            (None, None) => Err(ErrorData::internal_error("not admitted", None)),
        }
    }

    fn caller(&self, cx: &RequestContext<RoleServer>, client: PeerClient) -> Result<Caller, ErrorData> {
        let Arrived { admitted, mut request, .. } = self.arrived(&cx.extensions)?;
        request.client = cx.client_info().map(|info| format!("{}/{}", info.name, info.version));
        if self.fixed.is_some() {
            request.traceparent = cx.meta.get_traceparent().map(str::to_owned);
            request.tracestate = cx.meta.get_tracestate().map(str::to_owned);
            let given = cx.meta.get("correlation_id").and_then(Value::as_str);
            let trace = request.traceparent.as_deref().and_then(crate::endpoint::trace_id);
            if let Some(correlation) = given.or(trace) {
                request.correlation_id = correlation.to_owned();
            }
        }
        Ok(Caller { admitted, request, client: Arc::new(client), cancelled: cx.ct.clone() })
    }

    fn plain_client(&self, cx: &RequestContext<RoleServer>) -> PeerClient {
        PeerClient {
            peer: cx.peer.clone(),
            stateless: is_stateless(cx),
            capabilities: cx.client_capabilities().unwrap_or_default(),
            progress_token: cx.meta.get_progress_token(),
            log_level: if is_stateless(cx) { cx.meta.log_level() } else { *self.level() },
            continued: false,
            brought: BTreeMap::new(),
            interrupted: Mutex::default(),
            call: self.endpoint.ids.next(),
        }
    }

    /// A caller that may be in the middle of answering questions. The seal binds what it brings to caller, method and arguments.
    fn asked_caller(
        &self,
        cx: &RequestContext<RoleServer>,
        purpose: &str,
        state: Option<&str>,
        responses: Option<InputResponses>,
    ) -> Result<(Caller, Arc<PeerClient>), ErrorData> {
        let mut client = self.plain_client(cx);
        let purpose = self.purpose(cx, purpose)?;
        let interrupted = match state {
            Some(sealed) => self
                .endpoint
                .seal
                .open::<Interrupted>(sealed, &purpose)
                .map_err(|_| ErrorData::invalid_params("requestState is not one we gave for this call, or it is too old", None))?,
            None => Interrupted { call: client.call.clone(), ..Interrupted::default() },
        };
        client.continued = state.is_some();
        client.call.clone_from(&interrupted.call);
        client.brought = responses.unwrap_or_default();
        client.interrupted = Mutex::new(interrupted);
        let client = Arc::new(client);
        let mut caller = self.caller(cx, self.plain_client(cx))?;
        caller.client = client.clone();
        Ok((caller, client))
    }

    fn purpose(&self, cx: &RequestContext<RoleServer>, what: &str) -> Result<String, ErrorData> {
        let admitted = self.arrived(&cx.extensions)?.admitted;
        Ok(format!("{}\n{}\n{what}", admitted.scope.tenant, admitted.principal.id()))
    }

    /// The result that sends questions to the client.
    fn input_required(&self, cx: &RequestContext<RoleServer>, client: &PeerClient, error: &CallError, what: &str) -> Result<Option<InputRequiredResult>, ErrorData> {
        let ErrorKind::NeedsInput(asks) = &error.kind else { return Ok(None) };
        let state = client.interrupted.lock().expect("nothing panics while holding this").clone();
        let sealed = self.endpoint.seal.close(&state, &self.purpose(cx, what)?);
        let requests = (!asks.is_empty()).then(|| wire::questions(asks));
        Ok(Some(InputRequiredResult::new(requests, Some(sealed)).with_meta(wire::result_meta())))
    }

    fn level(&self) -> std::sync::MutexGuard<'_, Option<LoggingLevel>> {
        self.log_level.lock().expect("nothing panics while holding this")
    }

    /// Tool names for this client.
    fn names(&self, cx: &RequestContext<RoleServer>) -> Result<(crate::config::ToolNames, Option<String>), ErrorData> {
        let forced = self.arrived(&cx.extensions)?.names;
        Ok((forced.unwrap_or(self.endpoint.config.tool_names), cx.client_info().map(|info| info.name)))
    }
}

fn is_stateless(cx: &RequestContext<RoleServer>) -> bool {
    cx.protocol_version().is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
}

fn meta_for(cx: &RequestContext<RoleServer>) -> Option<MetaObject> {
    is_stateless(cx).then(wire::result_meta)
}

/// The template as clients see it.
fn template_uri(manifest: &Manifest, template: &contract::ResourceTemplate) -> String {
    if template.pattern.contains("://") { template.pattern.clone() } else { format!("{}://{}", manifest.name, template.pattern) }
}

/// How long a client may keep lists, which change only with a new release.
const LIST_TTL_MS: u64 = 60_000;

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let manifest = self.endpoint.capability.manifest();
        let changes = self.endpoint.capability.announces();
        let mut capabilities = json!({
            "tools": { "listChanged": changes },
            "resources": { "subscribe": changes, "listChanged": changes },
            "prompts": { "listChanged": changes },
            "completions": {},
        });
        if manifest.logging {
            capabilities["logging"] = json!({});
        }
        let capabilities = serde_json::from_value(capabilities).expect("our capabilities have the protocol's shape");
        let mut info = ServerConfig::new(capabilities);
        info.protocol_version = ProtocolVersion::V_2025_11_25;
        info.server_info = wire::implementation();
        info.instructions = Some(manifest.instructions.clone()).filter(|text| !text.is_empty());
        info
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.endpoint.tool(name).map(|tool| wire::tool(tool, tool.name.clone()))
    }

    async fn list_tools(&self, _: Option<PaginatedRequestParams>, cx: RequestContext<RoleServer>) -> Result<ListToolsResult, ErrorData> {
        let (mode, client) = self.names(&cx)?;
        let tools = self.endpoint.tools().iter().map(|tool| wire::tool(tool, names::listed(&tool.name, mode, client.as_deref()))).collect();
        let mut result = ListToolsResult::with_all_items(tools).with_ttl_ms(LIST_TTL_MS).with_cache_scope(CacheScope::Private);
        result.meta = meta_for(&cx);
        Ok(result)
    }

    async fn call_tool(&self, request: CallToolRequestParams, cx: RequestContext<RoleServer>) -> Result<CallToolResponse, ErrorData> {
        let arguments = wire::arguments(request.arguments);
        let what = format!("tools/call\n{}", replay::binding(&request.name, &arguments));
        let (caller, client) = self.asked_caller(&cx, &what, request.request_state.as_deref(), request.input_responses)?;
        let called = self.endpoint.call(&caller, &request.name, arguments).await;
        if let Some(fault) = wire::protocol_fault(&called, &request.name) {
            return Err(fault);
        }
        let mut result = match called {
            Called::Answered(answer) => wire::answer(answer),
            Called::Refused(error, envelope) => match self.input_required(&cx, &client, &error, &what)? {
                Some(questions) => return Ok(questions.into()),
                None => wire::refusal(&envelope),
            },
            Called::UnknownTool => unreachable!("a protocol fault, returned above"),
        };
        result.meta = meta_for(&cx);
        Ok(result.into())
    }

    async fn list_resources(&self, request: Option<PaginatedRequestParams>, cx: RequestContext<RoleServer>) -> Result<ListResourcesResult, ErrorData> {
        let caller = self.caller(&cx, self.plain_client(&cx))?;
        let cursor = request.and_then(|request| request.cursor);
        let capability = self.endpoint.capability.clone();
        let page = self
            .endpoint
            .perform(&caller, "resources/list", "", async |ctx| capability.resources(ctx, cursor.as_deref()).await)
            .await
            .map_err(|error| wire::error_data(&error, None))?;
        let mut result = ListResourcesResult::with_all_items(page.items.into_iter().map(wire::resource).collect());
        result.next_cursor = page.next;
        result.meta = meta_for(&cx);
        Ok(result.with_ttl_ms(0).with_cache_scope(CacheScope::Private))
    }

    async fn list_resource_templates(&self, _: Option<PaginatedRequestParams>, cx: RequestContext<RoleServer>) -> Result<ListResourceTemplatesResult, ErrorData> {
        let manifest = self.endpoint.capability.manifest();
        let template = |template: &contract::ResourceTemplate| {
            let uri = template_uri(manifest, template);
            let name = template.pattern.split(['/', '{']).find(|part| !part.is_empty()).unwrap_or("resource").to_owned();
            let mut listed = ResourceTemplate::new(uri, name).with_description(&template.description).with_mime_type("application/json");
            listed.title = Some(template.title.clone()).filter(|title| !title.is_empty());
            listed
        };
        let mut result = ListResourceTemplatesResult::with_all_items(manifest.resources.iter().map(template).collect());
        result.meta = meta_for(&cx);
        Ok(result.with_ttl_ms(LIST_TTL_MS).with_cache_scope(CacheScope::Private))
    }

    async fn read_resource(&self, request: ReadResourceRequestParams, cx: RequestContext<RoleServer>) -> Result<ReadResourceResponse, ErrorData> {
        let what = format!("resources/read\n{}", request.uri);
        let (caller, client) = self.asked_caller(&cx, &what, request.request_state.as_deref(), request.input_responses)?;
        match self.endpoint.read(&caller, &request.uri).await {
            Ok(blob) => {
                let mut result = ReadResourceResult::new(vec![wire::contents(&request.uri, blob)]);
                result.meta = meta_for(&cx);
                Ok(result.with_ttl_ms(0).with_cache_scope(CacheScope::Private).into())
            }
            Err(error) => match self.input_required(&cx, &client, &error, &what)? {
                Some(questions) => Ok(questions.into()),
                None => Err(wire::error_data(&error, Some(&request.uri))),
            },
        }
    }

    async fn list_prompts(&self, _: Option<PaginatedRequestParams>, cx: RequestContext<RoleServer>) -> Result<ListPromptsResult, ErrorData> {
        let prompts = self.endpoint.capability.manifest().prompts.iter().map(wire::prompt).collect();
        let mut result = ListPromptsResult::with_all_items(prompts).with_ttl_ms(LIST_TTL_MS).with_cache_scope(CacheScope::Private);
        result.meta = meta_for(&cx);
        Ok(result)
    }

    async fn get_prompt(&self, request: GetPromptRequestParams, cx: RequestContext<RoleServer>) -> Result<GetPromptResponse, ErrorData> {
        let arguments = wire::arguments(request.arguments);
        let manifest = self.endpoint.capability.manifest();
        let Some(prompt) = manifest.prompts.iter().find(|prompt| prompt.name == request.name) else {
            return Err(ErrorData::invalid_params(format!("there is no prompt {:?}", request.name), None));
        };
        if let Some(missing) = prompt.arguments.iter().find(|argument| argument.required && !arguments.contains_key(&argument.name)) {
            return Err(ErrorData::invalid_params(format!("{} is required", missing.name), None));
        }
        if let Some((name, _)) = arguments.iter().find(|(_, value)| !value.is_string()) {
            return Err(ErrorData::invalid_params(format!("{name} must be text"), None));
        }
        let what = format!("prompts/get\n{}", replay::binding(&request.name, &arguments));
        let (caller, client) = self.asked_caller(&cx, &what, request.request_state.as_deref(), request.input_responses)?;
        let capability = self.endpoint.capability.clone();
        let outcome = self
            .endpoint
            .perform(&caller, "prompts/get", &request.name, async |ctx| capability.prompt(ctx, &request.name, arguments).await)
            .await;
        match outcome {
            Ok(answer) => {
                let mut result = wire::prompt_answer(answer);
                result.meta = meta_for(&cx);
                Ok(result.into())
            }
            Err(error) => match self.input_required(&cx, &client, &error, &what)? {
                Some(questions) => Ok(questions.into()),
                None => Err(wire::error_data(&error, None)),
            },
        }
    }

    async fn complete(&self, request: CompleteRequestParams, cx: RequestContext<RoleServer>) -> Result<CompleteResult, ErrorData> {
        let caller = self.caller(&cx, self.plain_client(&cx))?;
        let manifest = self.endpoint.capability.manifest();
        let reference = match &request.r#ref {
            Reference::Resource(template) if manifest.resources.iter().any(|known| template_uri(manifest, known) == template.uri) => template.uri.clone(),
            Reference::Prompt(prompt) if manifest.prompts.iter().any(|known| known.name == prompt.name) => prompt.name.clone(),
            _ => return Err(ErrorData::invalid_params("ref must name a listed prompt or resource template", None)),
        };
        let capability = self.endpoint.capability.clone();
        let argument = &request.argument;
        let mut values = self
            .endpoint
            .perform(&caller, "completion/complete", &reference, async |ctx| {
                capability.complete(ctx, &reference, &argument.name, &argument.value).await
            })
            .await
            .map_err(|error| wire::error_data(&error, None))?;
        values.truncate(CompletionInfo::MAX_VALUES);
        let mut result = CompleteResult::new(CompletionInfo::with_all_values(values).map_err(|error| ErrorData::internal_error(error, None))?);
        result.meta = meta_for(&cx);
        Ok(result)
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let arrived = self.arrived(&context.request_context().extensions)?;
        let open = &self.endpoint.metrics.subscriptions;
        if open.inc() >= i64::try_from(self.endpoint.config.limits.subscriptions_max).unwrap_or(i64::MAX) {
            open.dec();
            return Err(ErrorData::internal_error("too many subscriptions are open; close one or try later", None));
        }
        follow::listen(self.endpoint.capability.as_ref(), &arrived.admitted.scope.tenant, &context, &self.stopping).await;
        open.dec();
        Ok(())
    }

    async fn subscribe(&self, request: SubscribeRequestParams, cx: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        let caller = self.caller(&cx, self.plain_client(&cx))?;
        // What does not exist, or belongs to someone else, cannot be followed.
        self.endpoint.read(&caller, &request.uri).await.map_err(|error| wire::error_data(&error, Some(&request.uri)))?;
        self.followed.lock().expect("nothing panics while holding this").insert(request.uri);
        Ok(())
    }

    async fn unsubscribe(&self, request: UnsubscribeRequestParams, _: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        self.followed.lock().expect("nothing panics while holding this").remove(&request.uri);
        Ok(())
    }

    async fn set_level(&self, request: SetLevelRequestParams, cx: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        if is_stateless(&cx) || !self.endpoint.capability.manifest().logging {
            return Err(ErrorData::method_not_found::<SetLevelRequestMethod>());
        }
        *self.level() = Some(request.level);
        Ok(())
    }

    async fn on_initialized(&self, cx: NotificationContext<RoleServer>) {
        // A client that says it twice is still told everything once.
        if self.follows.swap(true, Ordering::Relaxed) {
            return;
        }
        let Ok(arrived) = self.arrived(&cx.extensions) else { return };
        let tenant = arrived.admitted.scope.tenant;
        follow::session(self.endpoint.capability.as_ref(), cx.peer, tenant, self.followed.clone(), self.ended.clone());
    }

    /// Known methods whose parameters do not fit arrive here too; they are bad parameters, not unknown methods.
    async fn on_custom_request(&self, request: CustomRequest, cx: RequestContext<RoleServer>) -> Result<CustomResult, ErrorData> {
        const ALWAYS: &[&str] = &[
            "tools/list", "tools/call", "resources/list", "resources/read", "resources/templates/list", "prompts/list", "prompts/get",
            "completion/complete",
        ];
        const STATELESS: &[&str] = &["server/discover", "subscriptions/listen"];
        const IN_SESSIONS: &[&str] = &["initialize", "ping", "resources/subscribe", "resources/unsubscribe", "logging/setLevel"];
        let of_this_era = if is_stateless(&cx) { STATELESS } else { IN_SESSIONS };
        let method = request.method.as_str();
        if ALWAYS.contains(&method) || of_this_era.contains(&method) {
            let message = format!("the params of {} do not have the shape the protocol gives them", request.method);
            return Err(ErrorData::invalid_params(message, None));
        }
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("there is no method {method:?} here"), None))
    }
}
