//! The HTTP door: one endpoint per capability, and what operators look at.
//!
//! A request passes, from the outside in: the listener's bounds ([`listener`], [`places`], [`deadline`], [`tls`]), CORS, then [`door`], which meets
//! the caller, reads the body once ([`body`], within the [`memory`] there is for all of them), admits it and hands the same
//! bytes to rmcp, or answers a plain call itself ([`direct`]). [`sessions`] keeps the initialize era bounded and bound to its
//! caller. [`pages`] are for operators.

mod body;
mod cors;
mod deadline;
mod direct;
mod door;
mod listener;
mod media;
mod memory;
mod pages;
mod places;
mod proxies;
mod sessions;
mod tls;
mod watch;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use axum::Router;
use axum::http::{HeaderValue, header};
use axum::middleware;
use axum::response::Response;
use axum::routing::any;
use futures::future::BoxFuture;
use tokio_util::sync::CancellationToken;

pub use listener::{Listening, serve, serve_with};
pub use pages::METRICS_SCOPE;
pub use proxies::{Peer, Proxies};
pub use tls::{Tls, TlsError};

use crate::Endpoint;
use crate::admission::{Addresses, Admission};
use crate::metrics::Metrics;
use door::{Door, DoorParts};
use memory::Memory;
use pages::{Closed, Pages};

/// Whether what the server stands on can serve calls. Asked at every probe, so it must not take long.
pub trait Readiness: Send + Sync {
    /// What is wrong, in a few words for an operator; `None` when all is well. The words are shown to whoever asks, so they
    /// name no path, no file and no caller.
    fn problem(&self) -> BoxFuture<'_, Option<String>>;
}

/// For servers with nothing below them that could fail.
#[derive(Debug, Clone, Copy, Default)]
pub struct AlwaysReady;

impl Readiness for AlwaysReady {
    fn problem(&self) -> BoxFuture<'_, Option<String>> {
        Box::pin(std::future::ready(None))
    }
}

/// What an HTTP listener serves.
pub struct Site {
    pub endpoints: Vec<Arc<Endpoint>>,
    pub admission: Arc<Admission>,
    pub addresses: Addresses,
    pub proxies: Proxies,
    pub metrics: Metrics,
    /// True while new calls are welcome.
    pub ready: Arc<AtomicBool>,
    /// What calls need besides.
    pub readiness: Arc<dyn Readiness>,
    /// Fires when the server stops: streams end.
    pub stopping: CancellationToken,
    /// The published catalog of the mounted tools, as JSON text.
    pub catalog: String,
    /// Routes of the server's own. Host and origin are checked before them; whatever else they need, they see to.
    pub more: Router,
    /// Routes for everybody, pages of any origin included: what leads a client to a token.
    pub open: Router,
}

impl Site {
    /// The routes: `/NAME/mcp` for each capability, `/mcp` when there is only one, and the operator's pages.
    pub fn router(self) -> Router {
        let Self { endpoints, admission, addresses, proxies, metrics, ready, readiness, stopping, catalog, more, open } =
            self;
        let mut router = Router::new();
        let (single, memory) = (endpoints.len() == 1, Memory::default());
        let closed = Closed::new(&endpoints, &admission, &proxies);
        for endpoint in endpoints {
            let name = endpoint.capability.manifest().name.clone();
            let door = Door::new(DoorParts {
                endpoint,
                admission: admission.clone(),
                addresses: addresses.clone(),
                proxies: proxies.clone(),
                ready: ready.clone(),
                memory: memory.clone(),
                stopping: stopping.clone(),
            });
            let route = any(door::enter).with_state(Arc::new(door));
            router =
                router.route(&format!("/{name}/mcp"), route.clone()).route(&format!("/{name}/mcp/"), route.clone());
            if single {
                router = router.route("/mcp", route.clone()).route("/mcp/", route);
            }
        }
        let pages = pages::router(Pages { closed, addresses: addresses.clone(), metrics, ready, readiness, catalog });
        let pages = pages.merge(pages::of_this_host(more, addresses.clone()));
        router.merge(pages).layer(cors::layer(addresses)).merge(open).layer(middleware::map_response(not_stored))
    }
}

/// Answers are for whoever asked, and for now.
async fn not_stored(mut response: Response) -> Response {
    response.headers_mut().entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}
