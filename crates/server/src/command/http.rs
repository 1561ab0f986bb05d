//! `chancery serve`: all endpoints on one listener.

use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context as _;
use spine::http::{self, Listening, Proxies, Site, Tls};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::config::may_serve;
use crate::{Config, Platform, https, index};

pub async fn serve(mut config: Config) -> anyhow::Result<ExitCode> {
    let address = config.listen;
    may_serve(&config).map_err(anyhow::Error::msg)?;
    let tls = tls(&config)?;
    raise_file_limit(config.spine.limits.connections_max);
    let listener = TcpListener::bind(address)
        .await
        .with_context(|| format!("cannot listen on {address}; choose another with --listen"))?;
    // The port may only now be known, and addresses of files name it.
    config.listen = listener.local_addr()?;
    let (address, platform) = (config.listen, Platform::open(&config).await?);
    let ready = Arc::new(AtomicBool::new(true));
    let (no_more_calls, stopping) = (CancellationToken::new(), CancellationToken::new());
    tokio::spawn(stop_on_signal(ready.clone(), no_more_calls.clone(), stopping.clone()));

    platform.search().inspect(|search| search.follow());
    platform.keep_sealing(&config);
    announce(&platform, address, &config);
    let site = Site {
        ready,
        stopping: stopping.clone(),
        more: platform.files.router().merge(index::router(&platform, &config.public_base())),
        ..platform.site()
    };
    let (gate, now) = (platform.gate.clone(), scope::Clock::now(&scope::SystemClock));
    tokio::spawn(async move { gate.warm(now).await });
    let router = https::only(site.router(), &config);
    let listening = Listening { tls, proxies: Proxies::new(&config.spine.proxies) };
    let finished = http::serve_with(listener, router, &config.spine.limits, listening, no_more_calls).await?;
    platform.close().await;
    if !finished {
        tracing::warn!("some calls did not finish in time");
    }
    tracing::info!("stopped");
    Ok(ExitCode::SUCCESS)
}

/// The certificate of the listener, if it has one.
fn tls(config: &Config) -> anyhow::Result<Option<Tls>> {
    let files = &config.tls;
    let opened = config.has_tls().then(|| Tls::open(files.certificate.as_ref(), files.key.as_ref()));
    opened.transpose().context("tls")
}

/// Files besides connections: the stores, their readers, the issuers that are asked.
const OTHER_FILES: u64 = 512;

/// Each connection is an open file, and most systems start a process with few of them.
fn raise_file_limit(connections_max: usize) {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
        let wanted = connections_max as u64 + OTHER_FILES;
        let possible = maximum.map_or(wanted, |maximum| maximum.min(wanted));
        if current.is_some_and(|current| current < possible) {
            let raised = setrlimit(Resource::Nofile, Rlimit { current: Some(possible), maximum });
            raised.unwrap_or_else(|error| tracing::debug!(%error, "the limit of open files stays as it is"));
        }
        if possible < wanted {
            tracing::warn!("limits.connections_max: the system lets this process open {possible} files only");
        }
    }
    #[cfg(not(unix))]
    let _ = (connections_max, OTHER_FILES);
}

fn announce(platform: &Platform, address: SocketAddr, config: &Config) {
    let scheme = if config.has_tls() { "https" } else { "http" };
    for endpoint in &platform.endpoints {
        let manifest = endpoint.capability.manifest();
        tracing::info!(tools = endpoint.tools().len(), "endpoint {scheme}://{address}/{}/mcp", manifest.name);
    }
    match config.open {
        true => tracing::warn!("callers need no token: every program and user of this machine is the owner"),
        false => {
            tracing::info!("callers show a token; `chancery config CLIENT` prints what to paste, the owner's included")
        }
    }
    for issuer in &config.auth.issuers {
        tracing::info!("tokens of {issuer} are good");
    }
    tracing::info!(data = %config.data.display(), "listening on {scheme}://{address}");
}

/// How long new calls are still refused in words before the listener closes: time for a balancer to look at `/ready`, and
/// for clients to close connections on which they would otherwise send into the void.
const FAREWELL: Duration = Duration::from_millis(500);

/// First `ready` goes off and new calls are refused, then streams end, the listener closes and calls under way finish.
async fn stop_on_signal(ready: Arc<AtomicBool>, no_more_calls: CancellationToken, stopping: CancellationToken) {
    stop_signal().await;
    tracing::info!("stopping: calls under way will finish");
    ready.store(false, Ordering::Relaxed);
    tokio::time::sleep(FAREWELL).await;
    stopping.cancel();
    no_more_calls.cancel();
}

/// Resolves when the process is asked to stop.
pub async fn stop_signal() {
    let interrupt = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        match signal(SignalKind::terminate()) {
            Ok(mut terminate) => tokio::select! { _ = interrupt => {}, _ = terminate.recv() => {} },
            Err(_) => drop(interrupt.await),
        }
    }
    #[cfg(not(unix))]
    drop(interrupt.await);
}
