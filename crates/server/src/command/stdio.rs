//! `chancery serve --stdio`: one capability for the client that started us.

use std::process::ExitCode;

use anyhow::Context as _;
use spine::admission::{Asked, Door};
use tokio_util::sync::CancellationToken;

use super::http::stop_signal;
use crate::config::{TOKEN, may_serve_stdio};
use crate::{Config, Platform};

pub async fn serve(mut config: Config, capability: &str) -> anyhow::Result<ExitCode> {
    may_serve_stdio(&config).map_err(anyhow::Error::msg)?;
    config.local_client = true;
    config.token = token(|name| std::env::var(name).ok());
    let platform = Platform::open(&config).await?;
    let endpoint = platform.endpoint(capability)?.clone();
    if config.token.is_some() {
        // Whoever must be asked about the token is asked now; each message is then judged by what is known.
        let name = &endpoint.capability.manifest().name;
        let asked = Asked { door: Door::Stdio, endpoint: name, now: endpoint.clock.now(), from: None };
        platform.admission.identify(asked).await.with_context(|| format!("the token in {TOKEN} is no good"))?;
    }
    platform.search().inspect(|search| search.follow());
    platform.keep_sealing(&config);
    let stop = CancellationToken::new();
    let stopping = stop.clone();
    tokio::spawn(async move {
        stop_signal().await;
        stopping.cancel();
    });
    let outcome =
        spine::stdio::serve(endpoint, &platform.admission, tokio::io::stdin(), tokio::io::stdout(), stop).await;
    platform.close().await;
    outcome.map_err(anyhow::Error::msg)?;
    Ok(ExitCode::SUCCESS)
}

/// What the environment says about who calls; nothing leaves the owner of this process.
fn token(variable: impl Fn(&str) -> Option<String>) -> Option<String> {
    [TOKEN, "AMEIDE_TOKEN"].into_iter().find_map(variable).filter(|token| !token.is_empty())
}
