//! What is here, for whoever opens the server's address by hand or points a client at the wrong path.

use axum::Router;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use serde_json::{Value, json};

use crate::Platform;

/// `/`, and `/mcp` where no single capability answers there.
pub fn router(platform: &Platform, base: &str) -> Router {
    let endpoints: Vec<Value> = platform
        .endpoints
        .iter()
        .map(|endpoint| {
            let name = &endpoint.capability.manifest().name;
            json!({ "capability": name, "url": format!("{base}/{name}/mcp"), "tools": endpoint.tools().len() })
        })
        .collect();
    let about = json!({
        "name": "chancery",
        "version": env!("CARGO_PKG_VERSION"),
        "endpoints": endpoints,
        "tools": format!("{base}/.well-known/mcp-tools.json"),
        "health": format!("{base}/health"),
        "metrics": format!("{base}/metrics"),
        "help": "`chancery config CLIENT` prints what to paste into an MCP client",
    });
    let mut elsewhere = about.clone();
    elsewhere["error"] = "each capability has an endpoint of its own; use one of `endpoints`".into();
    let router = Router::new().route("/", get(move || async move { answer(StatusCode::OK, &about) }));
    if platform.endpoints.len() == 1 {
        return router;
    }
    let at_mcp = any(move || async move { answer(StatusCode::NOT_FOUND, &elsewhere) });
    router.route("/mcp", at_mcp.clone()).route("/mcp/", at_mcp)
}

fn answer(status: StatusCode, body: &Value) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], format!("{body:#}\n")).into_response()
}
