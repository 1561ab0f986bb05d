//! Which hosts and browser origins may be named.
//!
//! A page in a browser can send requests to loopback. It cannot forge `Origin`, and a name it rebinds to loopback shows
//! in `Host`, so both are checked on every request.

use http::header::{AUTHORIZATION, HOST, ORIGIN};
use http::{HeaderMap, HeaderName};

use super::Rejection;

/// The permitted hosts and origins of a listener. Loopback is always permitted.
#[derive(Debug, Clone, Default)]
pub struct Addresses {
    hosts: Vec<String>,
    origins: Vec<String>,
}

impl Addresses {
    pub fn new(hosts: &[String], origins: &[String]) -> Self {
        let lower = |list: &[String]| list.iter().map(|entry| entry.to_ascii_lowercase()).collect();
        Self { hosts: lower(hosts), origins: lower(origins) }
    }

    /// Refuses headers that are doubled, a foreign host, and a foreign origin. No origin is no browser: that passes.
    pub fn check(&self, headers: &HeaderMap) -> Result<(), Rejection> {
        for name in [HOST, ORIGIN, AUTHORIZATION] {
            if headers.get_all(&name).iter().count() > 1 {
                return Err(Rejection::DuplicateHeader(match name {
                    HOST => "Host",
                    ORIGIN => "Origin",
                    _ => "Authorization",
                }));
            }
        }
        if !text(headers, &HOST).is_some_and(|host| self.permits_host(&host)) {
            return Err(Rejection::Host);
        }
        self.check_origin(headers)
    }

    /// Refuses a foreign origin only: for pages that hold no secret and are asked for by address.
    pub fn check_origin(&self, headers: &HeaderMap) -> Result<(), Rejection> {
        match text(headers, &ORIGIN) {
            Some(origin) if !self.permits_origin(&origin) => Err(Rejection::Origin),
            _ => Ok(()),
        }
    }

    fn permits_host(&self, host: &str) -> bool {
        let name = without_port(host);
        is_loopback(name) || self.hosts.iter().any(|permitted| permitted == host || permitted == name)
    }

    /// `origin` in lower case.
    pub fn permits_origin(&self, origin: &str) -> bool {
        let loopback = ["http://", "https://"]
            .iter()
            .any(|scheme| origin.strip_prefix(scheme).is_some_and(|host| is_loopback(without_port(host))));
        loopback || self.origins.iter().any(|permitted| matches(permitted, origin))
    }
}

fn text(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    headers.get(name).map(|value| value.to_str().unwrap_or("?").to_ascii_lowercase())
}

/// Exact, or everything of one scheme when written `scheme://*`.
fn matches(permitted: &str, origin: &str) -> bool {
    match permitted.strip_suffix('*') {
        Some(scheme) if scheme.ends_with("://") => origin.starts_with(scheme) && origin.len() > scheme.len(),
        _ => permitted == origin,
    }
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

fn is_loopback(name: &str) -> bool {
    matches!(name, "localhost" | "127.0.0.1" | "[::1]")
}
