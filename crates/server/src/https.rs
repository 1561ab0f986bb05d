//! Where callers come over TLS, whoever comes in the clear is sent away.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use spine::http::{Peer, Proxies};

use crate::Config;

/// For how long a browser remembers that this server is reached by TLS only.
const REMEMBERED: HeaderValue = HeaderValue::from_static("max-age=31536000");

struct Rule {
    /// Where callers should have come to.
    origin: String,
    proxies: Proxies,
}

/// The same site; in production, and with a certificate, only for those who came over TLS, to us or to a known proxy.
pub fn only(router: Router, config: &Config) -> Router {
    if !config.production && !config.has_tls() {
        return router;
    }
    let base = config.public_base();
    let rest = base.split_once("://").map_or("", |(_, rest)| rest);
    let origin = format!("https://{}", rest.split('/').next().unwrap_or_default());
    let proxies = Proxies::new(&config.spine.proxies);
    router.layer(middleware::from_fn_with_state(Arc::new(Rule { origin, proxies }), redirect))
}

async fn redirect(State(rule): State<Arc<Rule>>, request: Request, next: Next) -> Response {
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
    let is_probe = matches!(request.uri().path(), "/health" | "/ready");
    let peer: Option<&Peer> = request.extensions().get();
    let is_secure = peer.is_some_and(|peer| rule.proxies.came_over_tls(*peer, request.headers()));
    if is_probe || is_secure {
        let mut response = next.run(request).await;
        if is_secure {
            response.headers_mut().insert(header::STRICT_TRANSPORT_SECURITY, REMEMBERED);
        }
        return response;
    }
    let place = format!("{}{path}", rule.origin);
    (StatusCode::MOVED_PERMANENTLY, [(header::LOCATION, place)]).into_response()
}
