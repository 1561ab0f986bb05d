//! The protocol's methods, answered from an endpoint.
//!
//! rmcp moves the future of a request several times before it runs, and it is as large as the largest of these methods.
//! So what the endpoint does lies in a box of its own.

#![expect(deprecated, reason = "log messages and old subscriptions are served to the clients that still use them")]

use std::sync::atomic::Ordering;

use contract::{Context, Manifest};
use rmcp::model::*;
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};

use super::connection::{Handler, input_required, is_stateless, meta_for};
use super::{call, follow, wire};
use crate::{audit, long, names, replay, seal};

/// The template as clients see it.
fn template_uri(manifest: &Manifest, template: &contract::ResourceTemplate) -> String {
    if template.pattern.contains("://") {
        template.pattern.clone()
    } else {
        format!("{}://{}", manifest.name, template.pattern)
    }
}

/// How long a client may keep lists, which change only with a new release.
const LIST_TTL_MS: u64 = 60_000;

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        self.prepared().info.clone()
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let name = &self.endpoint.tool(name)?.name;
        self.prepared().tools.iter().find(|tool| tool.name == *name).cloned()
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        cx: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let (mode, client) = self.names(&cx)?;
        let kind = self.arrived(&cx.extensions)?.admitted.principal.kind;
        let listed = |tool: &Tool| {
            let mut listed = wire::named(tool, names::listed(&tool.name, mode, client.as_deref()));
            if self.endpoint.tool(&tool.name).is_some_and(|tool| self.endpoint.takes_confirmation(tool, kind)) {
                wire::with_confirmation(&mut listed);
            }
            listed
        };
        let caller = self.caller(&cx)?;
        let grants = Box::pin(self.endpoint.grants(&caller)).await.map_err(|error| wire::error_data(&error, None))?;
        let definition = Box::pin(self.endpoint.definition(&caller)).await;
        let definition = definition.map_err(|error| wire::error_data(&error, None))?;
        let is_left = |name: &str| match &definition {
            Some(left) => self.endpoint.tool(name).is_some_and(|tool| left.permits(tool)),
            None => true,
        };
        let is_shown =
            |tool: &&Tool| is_left(&tool.name) && grants.as_ref().is_none_or(|grants| grants.lists(&tool.name));
        let tools = self.prepared().tools.iter().filter(is_shown).map(listed).collect();
        self.listed(&cx, "tools/list").await?;
        let mut result =
            ListToolsResult::with_all_items(tools).with_ttl_ms(LIST_TTL_MS).with_cache_scope(CacheScope::Private);
        result.meta = meta_for(&self.endpoint, &cx);
        Ok(result)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = wire::arguments(request.arguments);
        let what = || call::purpose_of(&request.name, &arguments);
        let (caller, client) =
            self.asked_caller(&cx, what, request.request_state.as_deref(), request.input_responses)?;
        let is_long = long::is_long(&arguments);
        let calling = Box::pin(call::call(&self.endpoint, &caller, &client, &request.name, arguments));
        if is_long { long::to_the_end(calling).await } else { calling.await }
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        cx: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let caller = self.caller(&cx)?;
        let cursor = request.and_then(|request| request.cursor);
        let capability = self.endpoint.capability.clone();
        let listing = async |ctx: &Context| capability.resources(ctx, cursor.as_deref()).await;
        let page = Box::pin(self.endpoint.perform(&caller, "resources/list", "", listing))
            .await
            .map_err(|error| wire::error_data(&error, None))?;
        let mut result = ListResourcesResult::with_all_items(page.items.into_iter().map(wire::resource).collect());
        result.next_cursor = page.next;
        result.meta = meta_for(&self.endpoint, &cx);
        Ok(result.with_ttl_ms(0).with_cache_scope(CacheScope::Private))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        cx: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let manifest = self.endpoint.capability.manifest();
        let template = |template: &contract::ResourceTemplate| {
            let uri = template_uri(manifest, template);
            let name =
                template.pattern.split(['/', '{']).find(|part| !part.is_empty()).unwrap_or("resource").to_owned();
            let mut listed = ResourceTemplate::new(uri, name)
                .with_description(&template.description)
                .with_mime_type("application/json");
            listed.title = Some(template.title.clone()).filter(|title| !title.is_empty());
            listed
        };
        self.listed(&cx, "resources/templates/list").await?;
        let mut result = ListResourceTemplatesResult::with_all_items(manifest.resources.iter().map(template).collect());
        result.meta = meta_for(&self.endpoint, &cx);
        Ok(result.with_ttl_ms(LIST_TTL_MS).with_cache_scope(CacheScope::Private))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let what = || seal::purpose(&["resources/read", &request.uri]);
        let (caller, client) =
            self.asked_caller(&cx, what, request.request_state.as_deref(), request.input_responses)?;
        match Box::pin(self.endpoint.read(&caller, &request.uri)).await {
            Ok(blob) => {
                let mut result = ReadResourceResult::new(vec![wire::contents(&request.uri, blob)]);
                result.meta = meta_for(&self.endpoint, &cx);
                Ok(result.with_ttl_ms(0).with_cache_scope(CacheScope::Private).into())
            }
            Err(error) => match input_required(&self.endpoint, &caller, &client, &error, what) {
                Some(questions) => Ok(questions.into()),
                None => Err(wire::error_data(&error, Some(&request.uri))),
            },
        }
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        cx: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        self.listed(&cx, "prompts/list").await?;
        let prompts = self.endpoint.capability.manifest().prompts.iter().map(wire::prompt).collect();
        let mut result =
            ListPromptsResult::with_all_items(prompts).with_ttl_ms(LIST_TTL_MS).with_cache_scope(CacheScope::Private);
        result.meta = meta_for(&self.endpoint, &cx);
        Ok(result)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let arguments = wire::arguments(request.arguments);
        let manifest = self.endpoint.capability.manifest();
        let Some(prompt) = manifest.prompts.iter().find(|prompt| prompt.name == request.name) else {
            self.refused(&cx.extensions, "unknown_prompt", ("prompts/get", &request.name));
            let name = audit::bounded_name(&request.name);
            return Err(ErrorData::invalid_params(format!("there is no prompt \"{name}\""), None));
        };
        if let Some(missing) =
            prompt.arguments.iter().find(|argument| argument.required && !arguments.contains_key(&argument.name))
        {
            self.refused(&cx.extensions, "invalid_params", ("prompts/get", &request.name));
            return Err(ErrorData::invalid_params(format!("{} is required", missing.name), None));
        }
        if let Some((name, _)) = arguments.iter().find(|(_, value)| !value.is_string()) {
            self.refused(&cx.extensions, "invalid_params", ("prompts/get", &request.name));
            let name = audit::bounded_name(name);
            return Err(ErrorData::invalid_params(format!("\"{name}\" must be text"), None));
        }
        let given = arguments.clone();
        let what = || seal::purpose(&["prompts/get", &replay::binding(&request.name, &given)]);
        let (caller, client) =
            self.asked_caller(&cx, what, request.request_state.as_deref(), request.input_responses)?;
        let capability = self.endpoint.capability.clone();
        let asking = async |ctx: &Context| capability.prompt(ctx, &request.name, arguments).await;
        let outcome = Box::pin(self.endpoint.perform(&caller, "prompts/get", &request.name, asking)).await;
        match outcome {
            Ok(answer) => {
                let mut result = wire::prompt_answer(answer);
                result.meta = meta_for(&self.endpoint, &cx);
                Ok(result.into())
            }
            Err(error) => match input_required(&self.endpoint, &caller, &client, &error, what) {
                Some(questions) => Ok(questions.into()),
                None => Err(wire::error_data(&error, None)),
            },
        }
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let caller = self.caller(&cx)?;
        let manifest = self.endpoint.capability.manifest();
        let reference = match &request.r#ref {
            Reference::Resource(template)
                if manifest.resources.iter().any(|known| template_uri(manifest, known) == template.uri) =>
            {
                template.uri.clone()
            }
            Reference::Prompt(prompt) if manifest.prompts.iter().any(|known| known.name == prompt.name) => {
                prompt.name.clone()
            }
            _ => {
                self.refused(&cx.extensions, "invalid_params", ("completion/complete", ""));
                return Err(ErrorData::invalid_params("ref must name a listed prompt or resource template", None));
            }
        };
        let capability = self.endpoint.capability.clone();
        let argument = &request.argument;
        let completing =
            async |ctx: &Context| capability.complete(ctx, &reference, &argument.name, &argument.value).await;
        let mut values = Box::pin(self.endpoint.perform(&caller, "completion/complete", &reference, completing))
            .await
            .map_err(|error| wire::error_data(&error, None))?;
        values.truncate(CompletionInfo::MAX_VALUES);
        let mut result = CompleteResult::new(
            CompletionInfo::with_all_values(values).map_err(|error| ErrorData::internal_error(error, None))?,
        );
        result.meta = meta_for(&self.endpoint, &cx);
        Ok(result)
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let arrived = self.arrived(&context.request_context().extensions)?;
        let Some(_open) = follow::Open::begin(&self.endpoint, &arrived.admitted) else {
            self.refused(&context.request_context().extensions, "busy", ("subscriptions/listen", ""));
            return Err(ErrorData::internal_error("too many subscriptions are open; close one or try later", None));
        };
        self.listed(context.request_context(), "subscriptions/listen").await?;
        let tenant = &arrived.admitted.scope.tenant;
        Box::pin(follow::listen(self.endpoint.capability.as_ref(), tenant, &context, &self.stopping)).await;
        Ok(())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let caller = self.caller(&cx)?;
        // What does not exist, or belongs to someone else, cannot be followed.
        Box::pin(self.endpoint.read(&caller, &request.uri))
            .await
            .map_err(|error| wire::error_data(&error, Some(&request.uri)))?;
        let mut followed = self.followed.lock().expect("nothing panics while holding this");
        if followed.len() >= self.endpoint.config.limits.subscriptions_max && !followed.contains(&request.uri) {
            let text = "this session follows too many resources; unsubscribe from one";
            return Err(ErrorData::internal_error(text, None));
        }
        followed.insert(request.uri);
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
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
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        cx: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        const ALWAYS: &[&str] = &[
            "tools/list",
            "tools/call",
            "resources/list",
            "resources/read",
            "resources/templates/list",
            "prompts/list",
            "prompts/get",
            "completion/complete",
        ];
        const STATELESS: &[&str] = &["server/discover", "subscriptions/listen"];
        const IN_SESSIONS: &[&str] =
            &["initialize", "ping", "resources/subscribe", "resources/unsubscribe", "logging/setLevel"];
        let of_this_era = if is_stateless(&cx) { STATELESS } else { IN_SESSIONS };
        let method = request.method.as_str();
        let shown = audit::bounded_name(method);
        let is_known = ALWAYS.contains(&method) || of_this_era.contains(&method);
        let reason = if is_known { "invalid_params" } else { "unknown_method" };
        self.refused(&cx.extensions, reason, (method, ""));
        if is_known {
            let message = format!("the params of {shown} do not have the shape the protocol gives them");
            return Err(ErrorData::invalid_params(message, None));
        }
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("there is no method \"{shown}\" here"), None))
    }
}

#[cfg(test)]
mod tests {
    use rmcp::Service;

    use super::*;

    struct Idle;

    impl ServerHandler for Idle {}

    /// Bytes of the future that serves one request.
    fn size<H: ServerHandler>() -> usize {
        fn of<A, B, C, F: Future>(_: impl Fn(A, B, C) -> F) -> usize {
            size_of::<F>()
        }
        of(|handler: &'static H, request, context| handler.handle_request(request, context))
    }

    #[test]
    fn a_request_is_no_larger_than_rmcp_makes_it() {
        assert!(size::<Handler>() <= size::<Idle>(), "{} and {} bytes", size::<Handler>(), size::<Idle>());
    }
}
