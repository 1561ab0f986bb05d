//! In production, whoever comes in the clear is sent away.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use spine::http::Peer;

use crate::Config;

struct Rule {
    /// Where callers should have come to.
    origin: String,
    proxies: BTreeSet<IpAddr>,
}

/// The same site; in production only for those who came over TLS, as a proxy that is known says.
pub fn only(router: Router, config: &Config) -> Router {
    if !config.production {
        return router;
    }
    let rest = config.public_url.split_once("://").map_or("", |(_, rest)| rest);
    let origin = format!("https://{}", rest.split('/').next().unwrap_or_default());
    let proxies = config.proxies.iter().filter_map(|text| text.parse().ok()).collect();
    router.layer(middleware::from_fn_with_state(Arc::new(Rule { origin, proxies }), redirect))
}

async fn redirect(State(rule): State<Arc<Rule>>, request: Request, next: Next) -> Response {
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
    let is_probe = matches!(request.uri().path(), "/health" | "/ready");
    let is_known = request.extensions().get::<Peer>().is_some_and(|peer| rule.proxies.contains(&peer.0));
    if is_probe || is_known && came_over_tls(request.headers()) {
        return next.run(request).await;
    }
    let place = format!("{}{path}", rule.origin);
    (StatusCode::MOVED_PERMANENTLY, [(header::LOCATION, place)]).into_response()
}

/// What a proxy says, once.
fn came_over_tls(headers: &HeaderMap) -> bool {
    let mut said = headers.get_all("x-forwarded-proto").iter();
    said.next().is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"https")) && said.next().is_none()
}
