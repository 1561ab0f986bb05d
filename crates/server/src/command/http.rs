//! `chancery serve`: all endpoints on one listener.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context as _;
use spine::http::{self, Site};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::{Config, Platform};

pub async fn serve(mut config: Config) -> anyhow::Result<ExitCode> {
    let address = loopback_only(config.listen);
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
        endpoints: platform.endpoints.clone(),
        admission: platform.admission.clone(),
        addresses: platform.addresses.clone(),
        metrics: platform.metrics.clone(),
        ready,
        stopping: stopping.clone(),
        catalog: platform.catalog(),
        more: platform.files.router(),
    };
    let finished = http::serve(listener, site.router(), &config.spine.limits, no_more_calls).await;
    platform.audit.flush().await;
    if !finished {
        tracing::warn!("some calls did not finish in time");
    }
    tracing::info!("stopped");
    Ok(ExitCode::SUCCESS)
}

/// Callers are not authenticated yet, so only this machine may reach the listener.
fn loopback_only(asked: SocketAddr) -> SocketAddr {
    if asked.ip().is_loopback() {
        return asked;
    }
    let address = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), asked.port());
    tracing::warn!(%asked, listening = %address, "without authentication only loopback is served");
    address
}

fn announce(platform: &Platform, address: SocketAddr, config: &Config) {
    for endpoint in &platform.endpoints {
        let manifest = endpoint.capability.manifest();
        tracing::info!(tools = endpoint.tools().len(), "endpoint http://{address}/{}/mcp", manifest.name);
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

#[cfg(test)]
mod tests {
    use super::*;

    //
    #[test]
    fn only_loopback_is_bound() {
        let bound = |asked: &str| loopback_only(asked.parse().unwrap()).to_string();
        assert_eq!(bound("0.0.0.0:8080"), "127.0.0.1:8080");
        assert_eq!(bound("192.0.2.1:0"), "127.0.0.1:0");
        assert_eq!(bound("127.0.0.1:9000"), "127.0.0.1:9000");
    }
}
