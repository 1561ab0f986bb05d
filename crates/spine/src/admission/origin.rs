//! Which hosts and browser origins may be named.
//!
//! A page in a browser can send requests to loopback. It cannot forge `Origin`, and a name it rebinds to loopback shows
//! in `Host`, so both are checked on every request.

use std::net::IpAddr;

use http::header::{AUTHORIZATION, HOST, ORIGIN};
use http::{HeaderMap, HeaderName, Uri};

use super::Rejection;

/// The permitted hosts and origins of a listener. Loopback is always a permitted host.
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
        match text(headers, &ORIGIN) {
            Some(origin) if !self.permits_origin(&origin, headers) => Err(Rejection::Origin),
            _ => Ok(()),
        }
    }

    /// Refuses a target in absolute form whose authority is foreign: it goes before `Host`.
    pub fn check_target(&self, target: &Uri) -> Result<(), Rejection> {
        match target.authority() {
            Some(authority) if !self.permits_host(&authority.as_str().to_ascii_lowercase()) => Err(Rejection::Target),
            _ => Ok(()),
        }
    }

    fn permits_host(&self, host: &str) -> bool {
        let (name, _) = split_port(host);
        is_loopback(name) || self.hosts.iter().any(|permitted| permitted == host || permitted == name)
    }

    /// An origin is permitted when it is listed, or when it is the page's own server: the host that the request names. Other
    /// ports of this machine are other servers. `origin` in lower case.
    pub fn permits_origin(&self, origin: &str, headers: &HeaderMap) -> bool {
        let is_own = || {
            let asked = text(headers, &HOST)?;
            let (scheme, from) = origin.split_once("://")?;
            let ((name, port), (own_name, own_port)) = (split_port(from), split_port(&asked));
            let usual = match scheme {
                "http" => "80",
                "https" => "443",
                _ => return None,
            };
            let same_name = name == own_name || is_loopback(name) && is_loopback(own_name);
            Some(same_name && port.unwrap_or(usual) == own_port.unwrap_or(usual) && self.permits_host(&asked))
        };
        self.origins.iter().any(|permitted| matches(permitted, origin)) || is_own().unwrap_or(false)
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

fn split_port(host: &str) -> (&str, Option<&str>) {
    match host.rsplit_once(':') {
        Some((name, port)) if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) => (name, Some(port)),
        _ => (host, None),
    }
}

/// A name that is rebound to loopback is no address, so every address of loopback is ours.
fn is_loopback(name: &str) -> bool {
    let address = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(name);
    name == "localhost" || address.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}
