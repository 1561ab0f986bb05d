//! From modules to capabilities that can be served.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use anyhow::bail;
use contract::Capability;
use desk::Module;
use desk::module::{ArgumentCheck, Parts, Settings, nearest};
use ledger_sqlite::SqliteLedger;
use search::Search;
use spine::arguments::Checkers;

use super::{own_context, secret};
use crate::Config;

/// A capability, ready to be served.
pub struct Mount {
    pub module: &'static dyn Module,
    pub parts: Parts,
    pub capability: Arc<dyn Capability>,
    pub checkers: Arc<Checkers>,
}

/// Builds the capabilities that the operator chose of these.
pub async fn mount_all(
    config: &Config,
    ledger: &Arc<SqliteLedger>,
    modules: &[&'static dyn Module],
) -> anyhow::Result<Vec<Mount>> {
    let names = || modules.iter().map(|module| module.name());
    if let Some(unknown) = config.capabilities.iter().find(|name| !names().any(|known| known == name.as_str())) {
        let hint = nearest(unknown, names()).map(|near| format!("did you mean {near}? ")).unwrap_or_default();
        bail!("capabilities: there is no {unknown}; {hint}there is {}", names().collect::<Vec<_>>().join(", "));
    }
    let search = Search::new(ledger.clone(), ledger.clone(), config.search.options()?);
    let mut mounts = Vec::new();
    for module in modules {
        if config.capabilities.is_empty() || config.capabilities.iter().any(|name| name == module.name()) {
            mounts.push(mount(config, ledger, &search, *module).await?);
        }
    }
    Ok(mounts)
}

async fn mount(
    config: &Config,
    ledger: &Arc<SqliteLedger>,
    search: &Search,
    module: &'static dyn Module,
) -> anyhow::Result<Mount> {
    // The schemas come with the capability, which may want to check by them: so they are put in once it is there.
    let schemas: Arc<OnceLock<Arc<Checkers>>> = Arc::default();
    let parts = Parts {
        ledger: ledger.clone(),
        search: search.clone(),
        settings: Settings::of(&module.settings(), &config.modules),
        data: config.data.clone(),
        blobs: config.blobs(),
        secret: secret(&config.data)?,
        public_url: config.public_base(),
        local_client: config.local_client,
        call_timeout: Duration::from_millis(config.spine.limits.call_timeout_ms),
        check: by(schemas.clone()),
        own: own_context(config),
    };
    let capability = module.build(parts.clone()).await.map_err(|failure| anyhow::anyhow!(failure))?;
    let checkers = Checkers::new(capability.manifest()).map(Arc::new).map_err(anyhow::Error::msg)?;
    let checkers = schemas.get_or_init(|| checkers).clone();
    Ok(Mount { module, parts, capability, checkers })
}

fn by(schemas: Arc<OnceLock<Arc<Checkers>>>) -> ArgumentCheck {
    Arc::new(move |tool, arguments| {
        let checkers = schemas.get().expect("nobody calls a capability before it is built");
        checkers.check(tool, arguments.clone()).map(|checked| checked.arguments)
    })
}
