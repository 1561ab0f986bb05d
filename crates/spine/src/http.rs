//! The HTTP door: one endpoint per capability, and what operators look at.
//!
//! A request passes, from the outside in: the listener's bounds ([`listener`], [`places`], [`deadline`]), CORS, then [`door`], which meets
//! the caller, reads the body once ([`body`], within the [`memory`] there is for all of them), admits it and hands the same
//! bytes to rmcp, or answers a plain call itself ([`direct`]). [`sessions`] keeps the initialize era bounded and bound to its
//! caller.

mod body;
mod cors;
mod deadline;
mod direct;
mod door;
mod listener;
mod media;
mod memory;
mod places;
mod sessions;
mod watch;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use futures::future::BoxFuture;
use tokio_util::sync::CancellationToken;

pub use listener::{Peer, serve};

use crate::Endpoint;
use crate::admission::{Addresses, Admission};
use crate::metrics::Metrics;
use door::{Door, DoorParts};
use memory::Memory;

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
        let Self { endpoints, admission, addresses, metrics, ready, readiness, stopping, catalog, more, open } = self;
        let mut router = Router::new();
        let (single, memory) = (endpoints.len() == 1, Memory::default());
        for endpoint in endpoints {
            let name = endpoint.capability.manifest().name.clone();
            let door = Door::new(DoorParts {
                endpoint,
                admission: admission.clone(),
                addresses: addresses.clone(),
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
        let catalog: Arc<str> = Arc::from(catalog);
        let published = get(move || async move { ([(header::CONTENT_TYPE, "application/json")], catalog.to_string()) });
        let pages = Router::new()
            .route("/health", get(|| async { "ok\n" }))
            .route("/ready", get(is_ready).with_state((ready, readiness)))
            .route("/metrics", get(show_metrics).with_state(metrics))
            .route("/.well-known/mcp-tools.json", published.clone())
            .route("/.well-known/mcp-tools.v1.json", published.clone())
            .route("/.well-known/mcp-tools.dev.json", published)
            .merge(more)
            // Endpoints check the same, and leave a record of whom they turn away.
            .layer(middleware::from_fn_with_state(addresses.clone(), own_host_only));
        router.merge(pages).layer(cors::layer(addresses)).merge(open).layer(middleware::map_response(not_stored))
    }
}

/// Turns away what no endpoint would let in either.
async fn own_host_only(State(addresses): State<Addresses>, request: Request, next: Next) -> Response {
    match addresses.check_target(request.uri()).and_then(|()| addresses.check(request.headers())) {
        Ok(()) => next.run(request).await,
        Err(rejection) => {
            let status = StatusCode::from_u16(rejection.status()).unwrap_or(StatusCode::FORBIDDEN);
            (status, rejection.to_string()).into_response()
        }
    }
}

/// Answers are for whoever asked, and for now.
async fn not_stored(mut response: Response) -> Response {
    response.headers_mut().entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

async fn is_ready(State((ready, readiness)): State<(Arc<AtomicBool>, Arc<dyn Readiness>)>) -> Response {
    if !ready.load(Ordering::Relaxed) {
        return (StatusCode::SERVICE_UNAVAILABLE, "stopping\n").into_response();
    }
    match readiness.problem().await {
        None => "ready\n".into_response(),
        Some(problem) => (StatusCode::SERVICE_UNAVAILABLE, format!("{problem}\n")).into_response(),
    }
}

async fn show_metrics(State(metrics): State<Metrics>) -> Response {
    ([(header::CONTENT_TYPE, "application/openmetrics-text; version=1.0.0; charset=utf-8")], metrics.text())
        .into_response()
}
