//! What operators look at: probes, metrics, the published catalog.
//!
//! Probes say little and are for everybody. Metrics and the catalog are for programs of this machine, and from elsewhere for
//! those who show a token.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use scope::Clock;

use super::proxies::{Peer, Proxies};
use super::{Endpoint, Readiness};
use crate::admission::{Addresses, Admission, Asked, Door, Identified, Rejection};
use crate::metrics::Metrics;

/// What a token needs to read the metrics of a server, which are of all tenants.
pub const METRICS_SCOPE: &str = "server:metrics";
/// Who vouches for the owner of this machine.
const OWNER: &str = "local";

/// What the pages show.
pub struct Pages {
    pub closed: Closed,
    pub addresses: Addresses,
    pub metrics: Metrics,
    pub ready: Arc<AtomicBool>,
    pub readiness: Arc<dyn Readiness>,
    pub catalog: String,
}

/// Who may see what is not for everybody.
#[derive(Clone)]
pub struct Closed {
    admission: Arc<Admission>,
    proxies: Proxies,
    /// A token that is good at one of these is good here.
    endpoints: Arc<[String]>,
    clock: Option<Arc<dyn Clock>>,
}

impl Closed {
    pub fn new(endpoints: &[Arc<Endpoint>], admission: &Arc<Admission>, proxies: &Proxies) -> Self {
        Self {
            admission: admission.clone(),
            proxies: proxies.clone(),
            endpoints: endpoints.iter().map(|endpoint| endpoint.capability.manifest().name.clone()).collect(),
            clock: endpoints.first().map(|endpoint| endpoint.clock.clone()),
        }
    }

    /// Who asks from elsewhere; `None` for a program of this machine.
    async fn asker(&self, peer: Option<Peer>, headers: &HeaderMap) -> Result<Option<Identified>, Rejection> {
        let (Some(peer), Some(clock)) = (peer.filter(|peer| !self.proxies.is_local(*peer, headers)), &self.clock)
        else {
            return Ok(None);
        };
        let from = Some(self.proxies.client(peer, headers));
        let mut outcome = Err(Rejection::Unidentified);
        for endpoint in self.endpoints.iter() {
            let asked = Asked { door: Door::Http(headers), endpoint, now: clock.now(), from };
            outcome = self.admission.know(asked).await;
            if !matches!(outcome, Err(Rejection::Audience)) {
                break;
            }
        }
        let who = outcome?;
        if who.scope.is_none() { Err(Rejection::Tenant) } else { Ok(Some(who)) }
    }
}

pub fn router(pages: Pages) -> Router {
    let Pages { closed, addresses, metrics, ready, readiness, catalog } = pages;
    let catalog: Arc<str> = Arc::from(catalog);
    let published = get(move || async move { ([(header::CONTENT_TYPE, "application/json")], catalog.to_string()) });
    let catalog = Router::new()
        .route("/.well-known/mcp-tools.json", published.clone())
        .route("/.well-known/mcp-tools.v1.json", published.clone())
        .route("/.well-known/mcp-tools.dev.json", published)
        .layer(middleware::from_fn_with_state(closed.clone(), for_callers));
    let metrics = Router::new()
        .route("/metrics", get(show_metrics).with_state(metrics))
        .layer(middleware::from_fn_with_state(closed, for_operators));
    let probes = Router::new()
        .route("/health", get(|| async { "ok\n" }))
        .route("/ready", get(is_ready).with_state((ready, readiness)));
    of_this_host(probes.merge(catalog).merge(metrics), addresses)
}

/// The same routes for those who name this server. Endpoints check the same, and leave a record of whom they turn away.
pub fn of_this_host(routes: Router, addresses: Addresses) -> Router {
    routes.layer(middleware::from_fn_with_state(addresses, own_host_only))
}

/// Turns away what no endpoint would let in either.
async fn own_host_only(State(addresses): State<Addresses>, request: Request, next: Next) -> Response {
    match addresses.check_target(request.uri()).and_then(|()| addresses.check(request.headers())) {
        Ok(()) => next.run(request).await,
        Err(rejection) => turned_away(&rejection),
    }
}

async fn for_callers(State(closed): State<Closed>, request: Request, next: Next) -> Response {
    match closed.asker(request.extensions().get().copied(), request.headers()).await {
        Ok(_) => next.run(request).await,
        Err(rejection) => turned_away(&rejection),
    }
}

async fn for_operators(State(closed): State<Closed>, request: Request, next: Next) -> Response {
    match closed.asker(request.extensions().get().copied(), request.headers()).await {
        Ok(None) => next.run(request).await,
        Ok(Some(who)) if who.principal.issuer == OWNER || who.principal.scopes.contains(METRICS_SCOPE) => {
            next.run(request).await
        }
        Ok(Some(_)) => turned_away(&Rejection::Scope(METRICS_SCOPE.to_owned())),
        Err(rejection) => turned_away(&rejection),
    }
}

fn turned_away(rejection: &Rejection) -> Response {
    let status = StatusCode::from_u16(rejection.status()).unwrap_or(StatusCode::FORBIDDEN);
    let mut response = (status, rejection.to_string()).into_response();
    if let Some(challenge) = rejection.challenge(None).and_then(|text| HeaderValue::from_str(&text).ok()) {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
    }
    if let Some(retry_after_s) = rejection.retry_after_s() {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(retry_after_s));
    }
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
