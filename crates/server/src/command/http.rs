//! `chancery serve`: all endpoints on one listener.

use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context as _;
use spine::http::{self, Site};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::config::may_serve;
use crate::{Config, Platform, https, index};

pub async fn serve(mut config: Config) -> anyhow::Result<ExitCode> {
    let address = config.listen;
    may_serve(&config).map_err(anyhow::Error::msg)?;
    let listener = TcpListener::bind(address)
        .await
        .with_context(|| format!("cannot listen on {address}; choose another with --listen"))?;
    // The port may only now be known, and addresses of files name it.
    config.listen = listener.local_addr()?;
    let (address, platform) = (config.listen, Platform::open(&config).await?);
    let ready = Arc::new(AtomicBool::new(true));
    let (no_more_calls, stopping) = (CancellationToken::new(), CancellationToken::new());
    tokio::spawn(stop_on_signal(ready.clone(), no_more_calls.clone(), stopping.clone()));

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
    let finished = http::serve(listener, router, &config.spine.limits, no_more_calls).await?;
    platform.audit.flush().await;
    if !finished {
        tracing::warn!("some calls did not finish in time");
    }
    tracing::info!("stopped");
    Ok(ExitCode::SUCCESS)
}

fn announce(platform: &Platform, address: SocketAddr, config: &Config) {
    for endpoint in &platform.endpoints {
        let manifest = endpoint.capability.manifest();
        tracing::info!(tools = endpoint.tools().len(), "endpoint http://{address}/{}/mcp", manifest.name);
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
    tracing::info!(data = %config.data.display(), "listening on http://{address}");
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
