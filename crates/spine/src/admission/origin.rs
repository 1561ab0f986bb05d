//! Which hosts and browser origins may be named.
//!
//! A page in a browser can send requests to loopback. It cannot forge `Origin`, and a name it rebinds to loopback shows
//! in `Host`, so both are checked on every request.

use std::net::IpAddr;

use http::header::{HOST, ORIGIN};
use http::{HeaderMap, HeaderName, Uri};

use super::Rejection;

/// Headers that stand once: where one reader takes the first of two, another takes the last. The others of the protocol
/// have a refusal of their own.
const SINGLE: [&str; 6] = ["Host", "Origin", "Authorization", "Content-Type", "Content-Length", "Mcp-Session-Id"];

/// The permitted hosts and origins of a listener. Loopback is always a permitted host.
#[derive(Debug, Clone, Default)]
pub struct Addresses {
    hosts: Vec<String>,
    origins: Vec<String>,
    /// The origin under which clients know us, if one is configured.
    public: Option<String>,
    /// Whether the listener itself has a certificate.
    is_tls: bool,
}

impl Addresses {
    pub fn new(hosts: &[String], origins: &[String]) -> Self {
        let lower = |list: &[String]| list.iter().map(|entry| entry.to_ascii_lowercase()).collect();
        Self { hosts: lower(hosts), origins: lower(origins), public: None, is_tls: false }
    }

    /// The same for a server that clients know by this address, such as `https://mcp.example.org`, with a certificate or
    /// without.
    pub fn known_as(self, public_url: &str, is_tls: bool) -> Self {
        let (scheme, rest) = public_url.split_once("://").unwrap_or_default();
        let host = rest.split('/').next().unwrap_or_default();
        let public = (!host.is_empty()).then(|| format!("{scheme}://{host}").to_ascii_lowercase());
        Self { public, is_tls, ..self }
    }

    /// Refuses headers that are doubled, a foreign host, and a foreign origin. No origin is no browser: that passes.
    pub fn check(&self, headers: &HeaderMap) -> Result<(), Rejection> {
        let is_double = |name: &&&str| headers.get_all(**name).iter().nth(1).is_some();
        if let Some(double) = SINGLE.iter().find(is_double) {
            return Err(Rejection::DuplicateHeader(double));
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

    /// An origin is permitted when it is listed, or when it is the page's own server: the host that the request names, by the
    /// scheme that it is served with. Other ports of this machine are other servers, and so is the same host in the clear.
    /// `origin` in lower case.
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
            let same_port = port.unwrap_or(usual) == own_port.unwrap_or(usual);
            Some(same_name && same_port && self.is_scheme_of(scheme, &asked) && self.permits_host(&asked))
        };
        self.origins.iter().any(|permitted| matches(permitted, origin)) || is_own().unwrap_or(false)
    }

    /// Whether pages of a host come by this scheme. One that nothing is known about may have a proxy before it.
    fn is_scheme_of(&self, scheme: &str, host: &str) -> bool {
        let public = self.public.as_deref().and_then(|public| public.split_once("://"));
        match public {
            Some((known, public_host)) if public_host == host => scheme == known,
            _ if self.is_tls => scheme == "https",
            _ => scheme == "http" || !is_loopback(split_port(host).0),
        }
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

/// Whether a host, with a port or without, is this machine.
pub(crate) fn is_loopback_host(host: &str) -> bool {
    is_loopback(split_port(host).0)
}

/// A name that is rebound to loopback is no address, so every address of loopback is ours.
fn is_loopback(name: &str) -> bool {
    let address = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(name);
    name == "localhost" || address.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}
