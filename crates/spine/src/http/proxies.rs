//! Who stands behind a connection: its peer, or whoever a known proxy says.

use std::collections::BTreeSet;
use std::net::{IpAddr, SocketAddr};

use axum::http::{HeaderMap, header};

use crate::admission::is_loopback_host;

const PROTO: &str = "x-forwarded-proto";
const FOR: &str = "x-forwarded-for";

/// The other end of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Peer {
    pub address: IpAddr,
    /// Whether the connection itself is TLS.
    pub is_tls: bool,
}

/// The proxies that are believed.
#[derive(Debug, Clone, Default)]
pub struct Proxies(BTreeSet<IpAddr>);

impl Proxies {
    /// What is no address is left out; the configuration was checked.
    pub fn new(addresses: &[String]) -> Self {
        Self(
            addresses.iter().filter_map(|text| text.parse::<IpAddr>().ok()).map(|found| found.to_canonical()).collect(),
        )
    }

    pub fn knows(&self, address: IpAddr) -> bool {
        self.0.contains(&address.to_canonical())
    }

    /// The address of whoever asks. Of what proxies wrote, only what the nearest known ones wrote counts.
    pub fn client(&self, peer: Peer, headers: &HeaderMap) -> IpAddr {
        if !self.knows(peer.address) {
            return peer.address;
        }
        let hops = headers.get_all(FOR).iter().map(|value| value.to_str().unwrap_or("?"));
        let hops: Vec<&str> = hops.flat_map(|list| list.split(',')).map(str::trim).collect();
        let mut nearest = peer.address;
        for hop in hops.iter().rev() {
            let Some(address) = address(hop) else { return nearest };
            nearest = address;
            if !self.knows(address) {
                break;
            }
        }
        nearest
    }

    /// Whether whoever asks came over TLS, to us or to a proxy that is known.
    pub fn came_over_tls(&self, peer: Peer, headers: &HeaderMap) -> bool {
        peer.is_tls || self.knows(peer.address) && says_https(headers)
    }

    /// Whether whoever asks is certainly a program of this machine: no proxy has a hand in it, known or not.
    pub fn is_local(&self, peer: Peer, headers: &HeaderMap) -> bool {
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        let is_forwarded =
            [FOR, PROTO, "x-forwarded-host", "forwarded", "via"].iter().any(|name| headers.contains_key(*name));
        peer.address.to_canonical().is_loopback()
            && !self.knows(peer.address)
            && !is_forwarded
            && is_loopback_host(host)
    }
}

/// Once, and nothing else.
fn says_https(headers: &HeaderMap) -> bool {
    let mut said = headers.get_all(PROTO).iter();
    said.next().is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"https")) && said.next().is_none()
}

/// An address, with a port or without.
fn address(text: &str) -> Option<IpAddr> {
    let bare = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
    bare.parse().ok().or_else(|| text.parse::<SocketAddr>().ok().map(|both| both.ip()))
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, HeaderValue::from_str(value).unwrap());
        }
        headers
    }

    fn peer(address: &str) -> Peer {
        Peer { address: address.parse().unwrap(), is_tls: false }
    }

    fn known() -> Proxies {
        Proxies::new(&["10.0.0.1".to_owned(), "10.0.0.2".to_owned()])
    }

    #[track_caller]
    fn check(from: &str, said: &[&str], expected: &str) {
        let said: Vec<_> = said.iter().map(|text| (FOR, *text)).collect();
        assert_eq!(known().client(peer(from), &headers(&said)).to_string(), expected, "{said:?}");
    }

    #[test]
    fn only_a_known_proxy_speaks_for_others() {
        check("192.0.2.9", &["198.51.100.7"], "192.0.2.9");
        check("10.0.0.1", &["198.51.100.7"], "198.51.100.7");
        check("10.0.0.1", &[], "10.0.0.1");
        // What a client wrote itself stands left of what the proxy added.
        check("10.0.0.1", &["127.0.0.1, 198.51.100.7"], "198.51.100.7");
        check("10.0.0.1", &["127.0.0.1", "198.51.100.7, 10.0.0.2"], "198.51.100.7");
        check("10.0.0.1", &["198.51.100.7:4711"], "198.51.100.7");
        check("10.0.0.1", &["[2001:db8::1]:4711"], "2001:db8::1");
        check("10.0.0.1", &["nonsense"], "10.0.0.1");
        check("10.0.0.1", &["10.0.0.2"], "10.0.0.2");
    }

    #[test]
    fn tls_is_what_the_connection_or_a_known_proxy_says() {
        let over = |from: &str, said: &[(&'static str, &str)]| known().came_over_tls(peer(from), &headers(said));
        assert!(over("10.0.0.1", &[(PROTO, "https")]));
        assert!(!over("10.0.0.1", &[(PROTO, "http")]));
        assert!(!over("10.0.0.1", &[(PROTO, "https"), (PROTO, "http")]));
        assert!(!over("192.0.2.9", &[(PROTO, "https")]));
        assert!(known().came_over_tls(Peer { is_tls: true, ..peer("192.0.2.9") }, &HeaderMap::new()));
    }

    #[test]
    fn nobody_behind_a_proxy_is_local() {
        let local = |from: &str, said: &[(&'static str, &str)]| known().is_local(peer(from), &headers(said));
        let host = ("host", "127.0.0.1:8080");
        assert!(local("127.0.0.1", &[host]));
        assert!(local("::1", &[("host", "localhost")]));
        assert!(!local("192.0.2.9", &[host]));
        assert!(!local("127.0.0.1", &[("host", "mcp.example.org")]));
        assert!(!local("127.0.0.1", &[host, (FOR, "192.0.2.9")]));
        assert!(!local("127.0.0.1", &[host, ("forwarded", "for=192.0.2.9")]));
        assert!(!Proxies::new(&["127.0.0.1".to_owned()]).is_local(peer("127.0.0.1"), &headers(&[host])));
    }
}
