//! The parts, put together.

pub mod neotoma;

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use contract::{Capability, Context, Manifest, NoClient};
use ledger::Folds;
use ledger_sqlite::SqliteLedger;
use ledger_sqlite::audit::{AuditLog, AuditRow};
use scope::{Clock, IdSource, Principal, RandomIds, Scope, SystemClock};
use spine::admission::{Addresses, Admission, LocalIdentity, Pace};
use spine::arguments::Checkers;
use spine::audit::{AuditRecord, AuditSink};
use spine::metrics::Metrics;
use spine::trace::Given;
use spine::{Endpoint, Parts, Seal};
use tokio_util::sync::CancellationToken;

use crate::{Config, Files};

/// Everything a door needs.
pub struct Platform {
    pub ledger: Arc<SqliteLedger>,
    pub audit: Arc<AuditLog>,
    pub endpoints: Vec<Arc<Endpoint>>,
    pub admission: Arc<Admission>,
    pub addresses: Addresses,
    pub metrics: Metrics,
    pub folds: Folds,
    pub files: Files,
}

/// A capability, ready to be served, and how its facts become records.
pub struct Mount {
    pub capability: Arc<dyn Capability>,
    pub checkers: Arc<Checkers>,
    /// Fact kinds start with this name; `None` for a capability that records nothing.
    pub fold: Option<(&'static str, Arc<dyn ledger::Fold>)>,
}

impl Mount {
    /// A capability that records nothing of its own.
    pub fn plain(capability: Arc<dyn Capability>) -> anyhow::Result<Self> {
        let checkers = checkers(capability.manifest())?;
        Ok(Self { capability, checkers, fold: None })
    }
}

/// The schemas of a manifest, compiled.
pub fn checkers(manifest: &Manifest) -> anyhow::Result<Arc<Checkers>> {
    Checkers::new(manifest).map(Arc::new).map_err(anyhow::Error::msg)
}

/// The capabilities in the box. Adding one is one line here.
pub async fn mount_all(config: &Config, ledger: &Arc<SqliteLedger>) -> anyhow::Result<Vec<Mount>> {
    let mounts = vec![transformation(config, ledger).await?, neotoma::mount(config, ledger, &secret(&config.data)?)?];
    let wanted = |mount: &Mount| {
        config.capabilities.is_empty() || config.capabilities.contains(&mount.capability.manifest().name)
    };
    let names: Vec<String> = mounts.iter().map(|mount| mount.capability.manifest().name.clone()).collect();
    if let Some(unknown) = config.capabilities.iter().find(|name| !names.contains(name)) {
        bail!("there is no capability {unknown}; there is {}", names.join(", "));
    }
    Ok(mounts.into_iter().filter(wanted).collect())
}

impl Platform {
    /// Opens the data directory and mounts the capabilities in the box.
    pub async fn open(config: &Config) -> anyhow::Result<Self> {
        let ledger = open_ledger(config)?;
        let mounts = mount_all(config, &ledger).await?;
        Self::with(config, ledger, mounts)
    }

    /// Puts a platform together from a ledger and what is mounted on it.
    pub fn with(config: &Config, ledger: Arc<SqliteLedger>, mounts: Vec<Mount>) -> anyhow::Result<Self> {
        let audit = Arc::new(AuditLog::open(&config.data)?);
        let seal = Seal::new(secret(&config.data)?);
        let files = Files::open(config)?;
        let metrics = Metrics::default();
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let ids: Arc<dyn IdSource> = Arc::new(RandomIds);
        let mut folds = Folds::new();
        let mut endpoints: Vec<Arc<Endpoint>> = Vec::new();
        for mount in mounts {
            if let Some((name, fold)) = mount.fold {
                folds.insert(name.to_owned(), fold);
            }
            endpoints.push(Arc::new(Endpoint::new(Parts {
                capability: mount.capability,
                checkers: mount.checkers,
                config: config.spine.clone(),
                clock: clock.clone(),
                ids: ids.clone(),
                audit: Arc::new(Sink(audit.clone())),
                metrics: metrics.clone(),
                seal: seal.clone(),
            })));
        }
        for name in config
            .spine
            .limits
            .tools
            .keys()
            .filter(|name| !endpoints.iter().any(|mounted| mounted.tool(name).is_some()))
        {
            tracing::warn!("limits.tools names {name}, which is not a mounted tool");
        }
        let addresses = Addresses::new(&config.spine.hosts, &config.spine.origins);
        let identity = Arc::new(LocalIdentity::new(&config.user).serving(config.role.principal(&config.user)));
        let pace = Pace::per_minute(config.spine.limits.calls_per_minute);
        let admission = Arc::new(Admission::new(addresses.clone(), identity, pace));
        Ok(Self { ledger, audit, endpoints, admission, addresses, metrics, folds, files })
    }

    /// The endpoint of one capability.
    pub fn endpoint(&self, name: &str) -> anyhow::Result<&Arc<Endpoint>> {
        let names: Vec<&str> =
            self.endpoints.iter().map(|endpoint| endpoint.capability.manifest().name.as_str()).collect();
        let found = self.endpoints.iter().find(|endpoint| endpoint.capability.manifest().name == name);
        found.with_context(|| format!("there is no capability {name}; there is {}", names.join(", ")))
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

/// How the facts of every capability in the box become records, whether it is mounted or not.
fn folds() -> Folds {
    Folds::from([
        ("transformation".to_owned(), transformation::Transformation::fold()),
        ("neotoma".to_owned(), ::neotoma::Neotoma::fold()),
    ])
}

/// Opens the ledger of the configured data directory.
pub fn open_ledger(config: &Config) -> anyhow::Result<Arc<SqliteLedger>> {
    let options =
        ledger_sqlite::Options { gather_log: config.gather_log, folds: folds(), ..ledger_sqlite::Options::default() };
    Ok(Arc::new(SqliteLedger::open(&config.data, options)?))
}

/// The key that seals what clients hand back. Shared by all processes of a data directory.
pub(crate) fn secret(data: &Path) -> anyhow::Result<[u8; 32]> {
    let path = data.join("secret.key");
    if !path.exists() {
        let fresh: [u8; 32] = rand::random();
        // Written aside and linked into place, so that another process sees all of it or nothing, and the first one wins.
        let aside = data.join(format!("secret.key.{}", std::process::id()));
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&aside).with_context(|| format!("cannot write {}", aside.display()))?;
        file.write_all(hex::encode(fresh).as_bytes())?;
        file.sync_all()?;
        let linked = std::fs::hard_link(&aside, &path);
        std::fs::remove_file(&aside)?;
        if let Err(error) = linked
            && error.kind() != std::io::ErrorKind::AlreadyExists
        {
            return Err(error).with_context(|| format!("cannot write {}", path.display()));
        }
    }
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let bytes = hex::decode(text.trim()).ok().and_then(|bytes| <[u8; 32]>::try_from(bytes).ok());
    bytes.with_context(|| format!("{} is damaged; move it away and a new one is made", path.display()))
}

/// Audit records on their way to the audit log.
struct Sink(Arc<AuditLog>);

impl AuditSink for Sink {
    fn append(&self, record: AuditRecord) {
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

/// Architecture models. A fresh data directory gets a repository and an empty active model.
async fn transformation(config: &Config, ledger: &Arc<SqliteLedger>) -> anyhow::Result<Mount> {
    let checkers = checkers(&contract::generated::transformation::manifest())?;
    let check = {
        let checkers = checkers.clone();
        Arc::new(move |tool: &str, arguments: &serde_json::Map<String, serde_json::Value>| {
            checkers.check(tool, arguments.clone()).map(|checked| checked.arguments)
        })
    };
    let settings = transformation_settings(config)?;
    let capability = transformation::Transformation::new(ledger.clone(), settings, check);
    capability.provision(&own_context(config)).await?;
    let fold = Some(("transformation", transformation::Transformation::fold()));
    Ok(Mount { capability: Arc::new(capability), checkers, fold })
}

/// What an operator chose for transformation.
pub fn transformation_settings(config: &Config) -> anyhow::Result<transformation::Config> {
    let profile = config.profile.parse().map_err(anyhow::Error::msg)?;
    Ok(transformation::Config { profile, governance: config.governance.clone() })
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
    }
}
