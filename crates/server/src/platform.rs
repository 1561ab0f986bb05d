//! The parts, put together.

mod audit;
mod calls;
mod declines;
mod mount;
mod private;
mod sealing;
mod secret;
mod standing;
mod trail;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Context as _, bail};
use contract::agent::Agents;
use contract::{Context, Manifest, NoClient};
use desk::Module;
use desk::module::{Parts, nearest};
use gate::{Gate, Resources};
use ledger::Folds;
use ledger_sqlite::SqliteLedger;
use ledger_sqlite::audit::AuditLog;
use proof::Notary;
use scope::{Clock, IdSource, Principal, RandomIds, Scope, SystemClock};
use search::Search;
use spine::admission::{Addresses, Admission, LocalIdentity, Pace};
use spine::audit::AuditSink;
use spine::http::{Proxies, Site};
use spine::metrics::Metrics;
use spine::trace::Given;
use spine::{Endpoint, Seal};
use tokio_util::sync::CancellationToken;

use crate::mounts::MODULES;
use crate::{Config, Files};

use declines::Declines;
pub use mount::{Mount, mount_all};
pub use private::keep_private;
pub use sealing::{notary, retain};
pub(crate) use secret::secret;
pub use standing::Standing;
pub use trail::Trail;

/// Everything a door needs.
pub struct Platform {
    pub ledger: Arc<SqliteLedger>,
    pub audit: Trail,
    pub notary: Arc<Notary>,
    pub endpoints: Vec<Arc<Endpoint>>,
    /// What is mounted, in the order of the endpoints.
    pub mounted: Vec<Mounted>,
    /// Where the agents of tenants are defined, if a capability that is mounted does that.
    pub agents: Option<Arc<dyn Agents>>,
    pub admission: Arc<Admission>,
    pub gate: Arc<Gate>,
    pub addresses: Addresses,
    pub proxies: Proxies,
    pub metrics: Metrics,
    pub folds: Folds,
    pub files: Files,
    /// What `/ready` asks.
    pub readiness: Arc<Standing>,
}

/// A capability that is served.
pub struct Mounted {
    pub module: &'static dyn Module,
    pub parts: Parts,
    pub endpoint: Arc<Endpoint>,
}

impl Platform {
    /// Opens the data directory and mounts the capabilities in the box.
    pub async fn open(config: &Config) -> anyhow::Result<Self> {
        Self::mount(config, MODULES).await
    }

    /// Opens the data directory and mounts these capabilities, or those of them that the operator chose.
    pub async fn mount(config: &Config, modules: &[&'static dyn Module]) -> anyhow::Result<Self> {
        let ledger = open_ledger(config, modules)?;
        let mounts = mount_all(config, &ledger, modules).await?;
        Self::with(config, ledger, mounts)
    }

    /// Puts a platform together from a ledger and what is mounted on it.
    pub fn with(config: &Config, ledger: Arc<SqliteLedger>, mounts: Vec<Mount>) -> anyhow::Result<Self> {
        let log = Arc::new(AuditLog::open(&config.data)?);
        let seal = Seal::new(secret(&config.data)?);
        let sink: Arc<dyn AuditSink> = Arc::new(audit::Sink(log.clone()));
        let metrics = Metrics::default();
        let files = Files::open(config, sink.clone(), metrics.clone())?;
        let declines = Arc::new(Declines::new(ledger.clone()));
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let ids: Arc<dyn IdSource> = Arc::new(RandomIds);
        let agents = mounts.iter().find_map(|mount| mount.module.agents(&mount.parts));
        let mut mounted: Vec<Mounted> = Vec::new();
        for Mount { module, parts, capability, checkers } in mounts {
            let endpoint = Endpoint::new(spine::Parts {
                capability,
                checkers,
                config: config.spine.clone(),
                clock: clock.clone(),
                ids: ids.clone(),
                audit: sink.clone(),
                metrics: metrics.clone(),
                seal: seal.clone(),
                declines: declines.clone(),
                agents: agents.clone(),
            });
            mounted.push(Mounted { module, parts, endpoint: Arc::new(endpoint) });
        }
        let endpoints: Vec<_> = mounted.iter().map(|mounted| mounted.endpoint.clone()).collect();
        let folds = folds(mounted.iter().map(|mounted| mounted.module));
        check_toolsets(config, &endpoints)?;
        check_tool_limits(config, &endpoints)?;
        let hosts: Vec<String> = config.spine.hosts.iter().cloned().chain(config.public_host()).collect();
        let addresses = Addresses::new(&hosts, &config.spine.origins).known_as(&config.public_url, config.has_tls());
        let gate = Arc::new(gate(config, &endpoints)?);
        let pace = Pace::of(&config.spine.limits);
        let admission = Arc::new(Admission::new(addresses.clone(), gate.clone(), pace));
        let readiness = Arc::new(Standing::new(ledger.clone(), log.clone()));
        let notary = Arc::new(sealing::notary(&config.data, ledger.clone(), log.clone())?);
        let audit = Trail::new(ledger.clone(), log);
        let proxies = Proxies::new(&config.spine.proxies);
        Ok(Self {
            ledger,
            audit,
            notary,
            endpoints,
            mounted,
            agents,
            admission,
            gate,
            addresses,
            proxies,
            metrics,
            folds,
            files,
            readiness,
        })
    }

    /// What is mounted under a name.
    pub fn mounted(&self, name: &str) -> anyhow::Result<&Mounted> {
        let found = self.mounted.iter().find(|mounted| mounted.module.name() == name);
        let names = || self.mounted.iter().map(|mounted| mounted.module.name()).collect::<Vec<_>>().join(", ");
        found.with_context(|| format!("there is no capability {name}; there is {}", names()))
    }

    /// The endpoint of one capability.
    pub fn endpoint(&self, name: &str) -> anyhow::Result<&Arc<Endpoint>> {
        Ok(&self.mounted(name)?.endpoint)
    }

    /// Search over what is mounted.
    pub fn search(&self) -> Option<&Search> {
        self.mounted.first().map(|mounted| &mounted.parts.search)
    }

    /// Seals what is new from time to time, as long as the runtime lives.
    pub fn keep_sealing(&self, config: &Config) {
        let (ledger, log) = (self.ledger.clone(), self.audit.log.clone());
        tokio::spawn(sealing::follow(self.notary.clone(), ledger, log, config.spine.audit.clone()));
    }

    /// Stores what is left of the audit and seals it, before the process ends.
    pub async fn close(&self) {
        self.audit.flush().await;
        if let Err(error) = self.notary.seal().await {
            tracing::warn!(%error, "the last facts and records have no checkpoint yet; the next process makes it");
        }
    }

    /// What a listener serves: the endpoints and the operator's pages.
    pub fn site(&self) -> Site {
        Site {
            endpoints: self.endpoints.clone(),
            admission: self.admission.clone(),
            addresses: self.addresses.clone(),
            proxies: self.proxies.clone(),
            metrics: self.metrics.clone(),
            ready: Arc::new(AtomicBool::new(true)),
            readiness: self.readiness.clone(),
            stopping: CancellationToken::new(),
            catalog: self.catalog(),
            more: axum::Router::new(),
            open: self.gate.router(),
        }
    }

    /// The published catalog of what is mounted, as JSON text.
    pub fn catalog(&self) -> String {
        let mounted = |endpoint: &Arc<Endpoint>| Manifest {
            tools: endpoint.tools().to_vec(),
            ..endpoint.capability.manifest().clone()
        };
        contract::catalog::catalog(self.endpoints.iter().map(mounted))
    }
}

/// Who may come in, by what they show.
fn gate(config: &Config, endpoints: &[Arc<Endpoint>]) -> anyhow::Result<Gate> {
    let scopes = |endpoint: &Arc<Endpoint>| {
        let manifest = endpoint.capability.manifest();
        let of_tools = endpoint.tools().iter().flat_map(|tool| tool.scopes.iter().cloned());
        let usual = ["mcp:tools", "mcp:resources"].map(str::to_owned).into_iter();
        let own = ["write", "propose"].map(|part| format!("{}:{part}", manifest.name)).into_iter();
        let mut all: Vec<String> = usual.chain(own).collect();
        all.extend(of_tools);
        let mut seen = std::collections::BTreeSet::new();
        all.retain(|scope| seen.insert(scope.clone()));
        (manifest.name.clone(), all)
    };
    let endpoints: Vec<(String, Vec<String>)> = endpoints.iter().map(scopes).collect();
    Ok(Gate::new(gate::Parts {
        config: &config.auth,
        data: &config.data,
        local: LocalIdentity::new(&config.user).serving(config.role.principal(&config.user)),
        open: config.open,
        environment: config.token.clone(),
        resources: Resources::new(&config.public_base(), &endpoints),
    })?)
}

/// A toolset that no capability has would leave nothing to call.
fn check_toolsets(config: &Config, endpoints: &[Arc<Endpoint>]) -> anyhow::Result<()> {
    let tools = endpoints.iter().flat_map(|endpoint| &endpoint.capability.manifest().tools);
    let known: std::collections::BTreeSet<&str> = tools.map(|tool| tool.toolset.as_str()).collect();
    match config.spine.toolsets.iter().find(|name| !known.contains(name.as_str())) {
        None => Ok(()),
        Some(name) => {
            let hint =
                nearest(name, known.iter().copied()).map(|near| format!("did you mean {near}? ")).unwrap_or_default();
            let known: Vec<&str> = known.into_iter().collect();
            bail!("toolsets: there is no toolset {name}; {hint}there is {}", known.join(", "))
        }
    }
}

/// A limit of a tool that is not there would limit nothing.
fn check_tool_limits(config: &Config, endpoints: &[Arc<Endpoint>]) -> anyhow::Result<()> {
    let is_known = |name: &str| endpoints.iter().any(|endpoint| endpoint.tool(name).is_some());
    match config.spine.limits.tools.keys().find(|name| !is_known(name)) {
        None => Ok(()),
        Some(name) => bail!("limits.tools: {}", unknown_tool(endpoints, name)),
    }
}

/// Says that there is no such tool, and which one was probably meant.
pub fn unknown_tool(endpoints: &[Arc<Endpoint>], name: &str) -> String {
    let names = || endpoints.iter().flat_map(|endpoint| endpoint.tools()).map(|tool| tool.name.as_str());
    // Most names start with their capability, which is the same for all of it and often left out.
    let last = |name: &str| name.rsplit(['.', '/']).next().unwrap_or_default().to_lowercase();
    let ends: Vec<String> = names().map(last).collect();
    let near = nearest(&last(name), ends.iter().map(String::as_str));
    let meant = near.and_then(|near| names().find(|tool| last(tool) == near));
    match meant {
        Some(tool) => format!("there is no tool {name}; did you mean {tool}?"),
        None => format!("there is no tool {name}; `chancery tools` lists them"),
    }
}

/// How the facts of capabilities become records.
fn folds(modules: impl Iterator<Item = &'static dyn Module>) -> Folds {
    modules.filter_map(|module| Some((module.name().to_owned(), module.fold()?))).collect()
}

/// Opens the ledger of the configured data directory, which is then private. An older one is made again from the facts of
/// these capabilities, whether they are mounted or not.
pub fn open_ledger(config: &Config, modules: &[&'static dyn Module]) -> anyhow::Result<Arc<SqliteLedger>> {
    for Ok(line) | Err(line) in keep_private(&config.data) {
        tracing::warn!("{line}");
    }
    let options = ledger_sqlite::Options {
        gather_log: config.gather_log,
        folds: folds(modules.iter().copied()),
        ..ledger_sqlite::Options::default()
    };
    Ok(Arc::new(SqliteLedger::open(&config.data, options)?))
}

/// The context of work that the server does on its own.
pub fn own_context(config: &Config) -> Context {
    let ids: Arc<dyn IdSource> = Arc::new(RandomIds);
    Context {
        scope: Scope::local(),
        principal: Principal::local(&config.user),
        request: Given::default().request_meta(ids.next()),
        now: SystemClock.now(),
        ids,
        client: Arc::new(NoClient),
        cancelled: CancellationToken::new(),
        effect: None,
        verdict: contract::Verdict::default(),
        audit: contract::AuditDraft::default(),
    }
}
