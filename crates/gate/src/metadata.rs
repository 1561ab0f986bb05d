//! What leads a client from an endpoint to a token (RFC 9728): no token is needed to read it, and every page may.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Router;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde_json::{Value, json};

use crate::issuer::Issuer;

const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// The endpoints, under the addresses at which clients know them. All of it comes from the configuration.
#[derive(Debug, Clone)]
pub struct Resources {
    /// Before the first slash of the path, in lower case.
    origin: String,
    /// What stands before the paths of endpoints, such as `/chancery`.
    prefix: String,
    /// Scopes by the name of the capability.
    scopes: BTreeMap<String, Vec<String>>,
    /// The capability whose metadata is at the root too.
    first: String,
    /// Whether the only endpoint is also at `/mcp`.
    is_single: bool,
}

impl Resources {
    /// `base` is what clients' addresses start with; `endpoints` are names of capabilities with the scopes that their tools
    /// may need, in the order in which they are served.
    pub fn new(base: &str, endpoints: &[(String, Vec<String>)]) -> Self {
        let (scheme, rest) = base.split_once("://").unwrap_or(("http", base));
        let at = rest.find('/').unwrap_or(rest.len());
        Self {
            origin: format!("{}://{}", scheme.to_ascii_lowercase(), rest[..at].to_ascii_lowercase()),
            prefix: rest[at..].trim_end_matches('/').to_owned(),
            scopes: endpoints.iter().cloned().collect(),
            first: endpoints.first().map(|(name, _)| name.clone()).unwrap_or_default(),
            is_single: endpoints.len() == 1,
        }
    }

    /// The paths of an endpoint, its own first.
    fn paths(&self, endpoint: &str) -> Vec<String> {
        let own = format!("{}/{endpoint}/mcp", self.prefix);
        let short = self.is_single.then(|| format!("{}/mcp", self.prefix));
        [own].into_iter().chain(short).collect()
    }

    /// What a token for an endpoint says in `aud`.
    pub fn audiences(&self, endpoint: &str) -> Vec<String> {
        self.paths(endpoint).iter().map(|path| format!("{}{path}", self.origin)).collect()
    }

    /// Where the metadata of an endpoint is.
    pub fn metadata_url(&self, endpoint: &str) -> String {
        format!("{}{WELL_KNOWN}{}/{endpoint}/mcp", self.origin, self.prefix)
    }

    fn metadata(&self, path: &str, scopes: &[String], issuers: &[String]) -> Value {
        json!({
            "resource": format!("{}{path}", self.origin),
            "authorization_servers": issuers,
            "scopes_supported": scopes,
            "bearer_methods_supported": ["header"],
            "resource_name": "chancery",
        })
    }
}

/// The pages; none where no issuer is known, so that no client looks for one.
pub fn router(resources: &Resources, issuers: &[Arc<Issuer>]) -> Router {
    let Some(first) = issuers.first().cloned() else { return Router::new() };
    let urls: Vec<String> = issuers.iter().map(|issuer| issuer.url().to_owned()).collect();
    let mut router = Router::new();
    for (name, scopes) in &resources.scopes {
        for path in resources.paths(name) {
            let page = page(resources.metadata(&path, scopes, &urls));
            router = router.route(&format!("{WELL_KNOWN}{path}"), page.clone());
            if let Some(path) = path.strip_prefix(&resources.prefix).filter(|_| !resources.prefix.is_empty()) {
                // For a proxy that takes the prefix away.
                router = router.route(&format!("{WELL_KNOWN}{path}"), page.clone());
            }
            if *name == resources.first && path == resources.paths(name)[0] {
                router = router.route(WELL_KNOWN, page);
            }
        }
    }
    let about_issuer = get(move || async move {
        match first.metadata_now(now()).await {
            Ok(metadata) => public(StatusCode::OK, &metadata),
            Err(error) => {
                tracing::warn!(issuer = first.url(), %error, "the metadata of the issuer could not be read");
                let body = json!({ "error": "temporarily_unavailable" });
                public(StatusCode::SERVICE_UNAVAILABLE, &body)
            }
        }
    });
    router.route("/.well-known/oauth-authorization-server", about_issuer)
}

fn now() -> scope::Timestamp {
    scope::Clock::now(&scope::SystemClock)
}

fn page(body: Value) -> axum::routing::MethodRouter {
    get(move || async move { public(StatusCode::OK, &body) })
}

fn public(status: StatusCode, body: &Value) -> Response {
    let headers = [(header::CONTENT_TYPE, "application/json"), (header::ACCESS_CONTROL_ALLOW_ORIGIN, "*")];
    (status, headers, body.to_string()).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resources(base: &str, names: &[&str]) -> Resources {
        let endpoints: Vec<_> = names.iter().map(|name| ((*name).to_owned(), Vec::new())).collect();
        Resources::new(base, &endpoints)
    }

    #[test]
    fn an_endpoint_has_one_address_from_the_configuration() {
        let two = resources("HTTPS://MCP.Example.org/Chancery", &["a", "b"]);
        assert_eq!(two.audiences("b"), ["https://mcp.example.org/Chancery/b/mcp"]);
        let url = "https://mcp.example.org/.well-known/oauth-protected-resource/Chancery/b/mcp";
        assert_eq!(two.metadata_url("b"), url);
        let one = resources("http://127.0.0.1:8080", &["a"]);
        assert_eq!(one.audiences("a"), ["http://127.0.0.1:8080/a/mcp", "http://127.0.0.1:8080/mcp"]);
    }
}
