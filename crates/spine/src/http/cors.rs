//! What browsers of permitted origins may send and see.

use std::time::Duration;

use axum::http::{HeaderName, HeaderValue, Method, header};
use tower_http::cors::{AllowOrigin, CorsLayer};

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
        .allow_headers(
            [
                vec![header::CONTENT_TYPE, header::AUTHORIZATION, header::ACCEPT],
                names(&[
                    "mcp-protocol-version",
                    "mcp-session-id",
                    "mcp-method",
                    "mcp-name",
                    "last-event-id",
                    "traceparent",
                    "tracestate",
                    "x-correlation-id",
                ]),
            ]
            .concat(),
        )
        .expose_headers(
            [vec![header::WWW_AUTHENTICATE, header::RETRY_AFTER], names(&["mcp-session-id", "mcp-protocol-version"])]
                .concat(),
        )
        .max_age(Duration::from_secs(600))
}
