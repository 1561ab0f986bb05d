//! The capability as the doors see it.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use contract::generated::transformation::{self as generated, Services};
use contract::{
    Answer, AuditDraft, Blob, CallError, Capability, Changed, Context, Manifest, Misfit, PromptAnswer, RequestMeta,
    ResourceEntry, ResourcePage, Side, Tool, Verdict, dispatch,
};
use desk::{Follower, PageTokens};
use futures::future::BoxFuture;
use ledger::{Find, Page, SharedLedger};
use scope::{Principal, TenantId};
use search::Search;
use serde_json::{Map, Value, json};
use tokio::sync::broadcast;

use crate::domain::Stored;
use crate::domain::model::Model;
use crate::projection::{Snapshot, fold};
use crate::query::{
    ArchitectureQuery, ArgumentCheck, BaselineQuery, DefinitionQuery, ProposalQuery, ScrumQuery, SemanticQuery,
    WriteGuide,
};
use crate::retrieval::Retrieval;
use crate::write::{ArchitectureWrite, BaselineWrite, ProposalWrite, ScrumWrite};
use crate::{Config, Error, changes, completion, prompt, refusal};

/// All services that something over MCP reaches.
pub type Joined = Services<
    ArchitectureQuery,
    BaselineQuery,
    DefinitionQuery,
    ProposalQuery,
    ScrumQuery,
    SemanticQuery,
    WriteGuide,
    BaselineWrite,
    ArchitectureWrite,
    ScrumWrite,
    ArchitectureWrite,
>;

/// The transformation capability: its services over one ledger.
pub struct Transformation {
    manifest: Arc<Manifest>,
    ledger: SharedLedger,
    services: Joined,
    proposals: ProposalWrite,
    follower: Arc<Follower>,
    /// Tenants that have what their first write needs; `None` when that is for others to see to.
    welcomed: Option<Mutex<HashSet<TenantId>>>,
}

/// So many tenants are remembered; then it is looked again whether each has what it needs.
const WELCOMED_MAX: usize = 10_000;

impl Transformation {
    /// Joins the services; elements are found by `search`. `check` validates arguments against a tool's schema, as the doors do before a call;
    /// `tokens` continue listings.
    pub fn new(
        ledger: SharedLedger,
        search: &Search,
        config: Config,
        check: ArgumentCheck,
        tokens: PageTokens,
    ) -> Self {
        let mut manifest = generated::manifest();
        manifest.prompts.extend(prompt::prompts());
        manifest.readers_propose = config.governance.readers_propose;
        let manifest = Arc::new(manifest);
        let write = ArchitectureWrite::new(ledger.clone(), &config);
        let retrieval = Retrieval::new(search, ledger.clone());
        let services = Services {
            archi_mate_query: ArchitectureQuery::new(ledger.clone(), tokens.clone(), retrieval.clone()),
            semantic_query: SemanticQuery::new(ledger.clone(), retrieval),
            baseline_query: BaselineQuery::new(ledger.clone(), tokens.clone()),
            baseline_write: BaselineWrite::new(ledger.clone(), &config),
            write_guide_query: WriteGuide::new(ledger.clone(), config.profile, manifest.clone(), check, tokens.clone()),
            transformation_architecture_write: write.clone(),
            capability_write: write,
            proposal_query: ProposalQuery::new(ledger.clone(), tokens.clone(), config.governance.clone()),
            definition_query: DefinitionQuery::new(ledger.clone(), tokens.clone()),
            scrum_query: ScrumQuery::new(ledger.clone(), tokens),
            scrum_write: ScrumWrite::new(ledger.clone(), &config),
        };
        let proposals = ProposalWrite::new(ledger.clone(), &config);
        Self {
            manifest,
            services,
            proposals,
            follower: Follower::new(ledger.clone(), changes::shows),
            ledger,
            welcomed: None,
        }
    }

    /// The same for servers that learn of tenants by their callers: whoever comes first finds a repository.
    pub fn welcoming(self) -> Self {
        Self { welcomed: Some(Mutex::default()), ..self }
    }

    /// The services, for doors that speak messages instead of JSON.
    pub fn services(&self) -> &Joined {
        &self.services
    }

    /// Where people decide proposals; not a tool.
    pub fn proposals(&self) -> &ProposalWrite {
        &self.proposals
    }

    /// How this capability's facts become records.
    pub fn fold() -> Arc<dyn ledger::Fold> {
        Arc::new(fold::Fold)
    }

    /// Makes sure that the caller's repository exists and has an active model, so that the first write works.
    /// Safe to call often, and from many processes at once.
    pub async fn provision(&self, ctx: &Context) -> Result<(), CallError> {
        Ok(self.services.transformation_architecture_write.provision(ctx).await?)
    }

    /// Provisions a tenant that this process has not met, in nobody's name: a token may be the first that is heard of it.
    async fn welcome(&self, ctx: &Context) -> Result<(), CallError> {
        let Some(welcomed) = &self.welcomed else { return Ok(()) };
        let tenants = || welcomed.lock().expect("nothing panics while holding this");
        if tenants().contains(&ctx.scope.tenant) {
            return Ok(());
        }
        let own = Context {
            principal: Principal::local("chancery"),
            effect: None,
            verdict: Verdict::default(),
            audit: AuditDraft::default(),
            ..ctx.clone()
        };
        Box::pin(self.provision(&own)).await?;
        let mut tenants = tenants();
        if tenants.len() == WELCOMED_MAX {
            tenants.clear();
        }
        tenants.insert(ctx.scope.tenant.clone());
        Ok(())
    }

    /// True for queries and intents, whose schemas have text where other writes list the types.
    fn takes_types_as_text(&self, tool: &str) -> bool {
        let takes = |known: &Tool| known.side == Side::Query || known.toolset == "intent";
        self.manifest.tools.iter().any(|known| known.name == tool && takes(known))
    }

    async fn known_models(&self, ctx: &Context) -> Result<refusal::Models, Error> {
        let snapshot = Snapshot::head(self.ledger.as_ref(), ctx).await?;
        let all = snapshot.models().await?.into_iter().map(|model| (model.state.id, model.state.key)).collect();
        Ok(refusal::Models { all, active: snapshot.active_model_id().await? })
    }

    fn has_template_for(&self, uri: &str) -> bool {
        let argument = |pattern| dispatch::resource_argument(&self.manifest.name, pattern, uri);
        self.manifest.resources.iter().any(|template| argument(&template.pattern).is_some())
    }

    async fn list_models(&self, ctx: &Context, after: Option<&str>) -> Result<ResourcePage, Error> {
        let snapshot = Snapshot::head(self.ledger.as_ref(), ctx).await?;
        let find = Find { after: after.map(str::to_owned), ..snapshot.all_models() };
        let page: Page<Stored<Model>> = snapshot.page(find).await?;
        let entry = |model: &Stored<Model>| ResourceEntry {
            uri: format!("transformation://model/{}", model.id),
            name: model.state.key.clone(),
            title: Some(model.name.clone()),
            description: model.description.clone(),
            mime: "application/json".to_owned(),
        };
        Ok(ResourcePage { items: page.items.iter().map(entry).collect(), next: page.next })
    }
}

impl Capability for Transformation {
    fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    fn call<'a>(
        &'a self,
        ctx: &'a Context,
        tool: &'a str,
        arguments: Map<String, Value>,
    ) -> BoxFuture<'a, Result<Answer, CallError>> {
        Box::pin(async move {
            self.welcome(ctx).await?;
            self.follower.see(&ctx.scope.tenant).await;
            // Types given as text are judged by the handlers, so their corrections are made here.
            let kept = self.takes_types_as_text(tool).then(|| arguments.clone());
            let outcome = self.services.call(ctx, tool, arguments).await;
            outcome.map_err(|error| kept.iter().fold(error, refusal::with_correction))
        })
    }

    fn read<'a>(&'a self, ctx: &'a Context, uri: &'a str) -> BoxFuture<'a, Result<Blob, CallError>> {
        Box::pin(async move {
            if !self.has_template_for(uri) {
                return Err(Error::NoSuchResource { uri: uri.to_owned() }.into());
            }
            self.welcome(ctx).await?;
            self.follower.see(&ctx.scope.tenant).await;
            self.services.read(ctx, uri).await
        })
    }

    fn resources<'a>(
        &'a self,
        ctx: &'a Context,
        after: Option<&'a str>,
    ) -> BoxFuture<'a, Result<ResourcePage, CallError>> {
        Box::pin(async move { Ok(self.list_models(ctx, after).await?) })
    }

    fn prompt<'a>(
        &'a self,
        _ctx: &'a Context,
        name: &'a str,
        arguments: Map<String, Value>,
    ) -> BoxFuture<'a, Result<PromptAnswer, CallError>> {
        Box::pin(std::future::ready(prompt::fill(name, &arguments)))
    }

    fn complete<'a>(
        &'a self,
        ctx: &'a Context,
        _reference: &'a str,
        argument: &'a str,
        typed: &'a str,
    ) -> BoxFuture<'a, Result<Vec<String>, CallError>> {
        Box::pin(async move { Ok(completion::complete(self.ledger.as_ref(), ctx, argument, typed).await?) })
    }

    fn refuse<'a>(&'a self, ctx: &'a Context, tool: &'a str, misfit: &'a Misfit) -> BoxFuture<'a, CallError> {
        Box::pin(async move {
            let models = if misfit.lacks("model_id") { self.known_models(ctx).await.ok() } else { None };
            refusal::refuse(tool, misfit, models.as_ref())
        })
    }

    fn envelope(&self, _: &RequestMeta, error: &CallError) -> Value {
        let mut body = Map::new();
        body.insert("code".to_owned(), json!(error.code));
        body.insert("message".to_owned(), json!(error.message));
        if let Some(field) = &error.field {
            body.insert("field".to_owned(), json!(field));
        }
        body.insert("details".to_owned(), json!(error.details));
        body.insert("suggestions".to_owned(), json!(error.suggestions));
        json!({"success": false, "error": body})
    }

    fn announces(&self) -> bool {
        true
    }

    fn changes(&self) -> Option<broadcast::Receiver<Changed>> {
        Some(self.follower.subscribe())
    }
}
