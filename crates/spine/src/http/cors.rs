//! What browsers of permitted origins may send and see.

use std::time::Duration;

use axum::http::{HeaderName, HeaderValue, Method, header};
use tower_http::cors::{AllowHeaders, AllowOrigin, CorsLayer};

use crate::admission::Addresses;

/// Answers preflights for permitted origins and exposes what clients in browsers need.
pub fn layer(addresses: Addresses) -> CorsLayer {
    let permitted = move |origin: &HeaderValue, request: &axum::http::request::Parts| {
        origin.to_str().is_ok_and(|origin| addresses.permits_origin(&origin.to_ascii_lowercase(), &request.headers))
    };
    let names = |list: &[&'static str]| list.iter().map(|name| HeaderName::from_static(name)).collect::<Vec<_>>();
    CorsLayer::new()
        .allow_origin(AllowOrigin::predicate(permitted))
        .allow_methods([Method::GET, Method::POST, Method::DELETE])
        // Clients repeat arguments in headers of names that tools choose, so whatever a permitted origin wants to send is named.
        .allow_headers(AllowHeaders::mirror_request())
        .expose_headers(
            [vec![header::WWW_AUTHENTICATE, header::RETRY_AFTER], names(&["mcp-session-id", "mcp-protocol-version"])]
                .concat(),
        )
        .max_age(Duration::from_secs(600))
}
