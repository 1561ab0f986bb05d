//! A capability, served over HTTP on a free port of this machine.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use contract::Capability;
use scope::{Clock, RandomIds, SystemClock};
use spine::admission::{Addresses, Admission, Identity, LocalIdentity, Pace};
use spine::arguments::Checkers;
use spine::audit::{AuditSink, NoAudit};
use spine::http::{AlwaysReady, Readiness, Site, serve};
use spine::metrics::Metrics;
use spine::{Config, Declined, Declines, Endpoint, Parts, Seal};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// What a site is made of; the rest is as in the product.
#[derive(Clone)]
pub struct Plan {
    pub capability: Arc<dyn Capability>,
    pub config: Config,
    pub identity: Arc<dyn Identity>,
    pub audit: Arc<dyn AuditSink>,
    pub seal_key: [u8; 32],
    pub clock: Arc<dyn Clock>,
    pub readiness: Arc<dyn Readiness>,
    pub declines: Arc<dyn Declines>,
}

impl Plan {
    /// Everyone is the owner of this machine, and nothing is recorded.
    pub fn of(capability: impl Capability) -> Self {
        Self {
            capability: Arc::new(capability),
            config: Config::default(),
            identity: Arc::new(LocalIdentity::new("tester")),
            audit: Arc::new(NoAudit),
            seal_key: [7; 32],
            clock: Arc::new(SystemClock),
            readiness: Arc::new(AlwaysReady),
            declines: Arc::new(Declined::default()),
        }
    }

    /// Prepares the endpoint and its rules, without a door.
    pub fn prepare(self) -> Prepared {
        let checkers = Checkers::new(self.capability.manifest()).expect("a fixture's schemas compile");
        let metrics = Metrics::default();
        let addresses = Addresses::new(&self.config.hosts, &self.config.origins);
        let pace = Pace::of(&self.config.limits);
        let endpoint = Endpoint::new(Parts {
            capability: self.capability,
            checkers: Arc::new(checkers),
            config: self.config,
            clock: self.clock,
            ids: Arc::new(RandomIds),
            audit: self.audit,
            metrics: metrics.clone(),
            seal: Seal::new(self.seal_key),
            declines: self.declines,
            agents: None,
        });
        let admission = Arc::new(Admission::new(addresses.clone(), self.identity, pace));
        Prepared { endpoint: Arc::new(endpoint), admission, addresses, metrics }
    }

    /// Serves it.
    pub async fn start(self, listen: SocketAddr) -> std::io::Result<Running> {
        let readiness = self.readiness.clone();
        let Prepared { endpoint, admission, addresses, metrics } = self.prepare();
        let listener = TcpListener::bind(listen).await?;
        let address = listener.local_addr()?;
        let (ready, stopping) = (Arc::new(AtomicBool::new(true)), CancellationToken::new());
        let limits = endpoint.config.limits.clone();
        let site = Site {
            endpoints: vec![endpoint.clone()],
            admission,
            addresses,
            proxies: Default::default(),
            metrics,
            ready: ready.clone(),
            readiness,
            stopping: stopping.clone(),
            catalog: "{}".to_owned(),
            more: Default::default(),
            open: Default::default(),
        };
        let (router, stop) = (site.router(), stopping.clone());
        let server = tokio::spawn(async move { serve(listener, router, &limits, stop).await.unwrap_or(false) });
        Ok(Running { address, endpoint, ready, stopping, server })
    }
}

/// An endpoint with its rules.
pub struct Prepared {
    pub endpoint: Arc<Endpoint>,
    pub admission: Arc<Admission>,
    pub addresses: Addresses,
    pub metrics: Metrics,
}

/// A site that answers until it is stopped or dropped with its runtime.
pub struct Running {
    pub address: SocketAddr,
    pub endpoint: Arc<Endpoint>,
    pub ready: Arc<AtomicBool>,
    pub stopping: CancellationToken,
    server: JoinHandle<bool>,
}

impl Running {
    /// Stops, and says whether every call under way could finish.
    pub async fn stop(self) -> bool {
        self.stopping.cancel();
        self.finished().await
    }

    /// Returns when the site has stopped by itself.
    pub async fn finished(self) -> bool {
        self.server.await.unwrap_or(false)
    }
}
