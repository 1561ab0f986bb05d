//! Where a server is.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use http::Uri;

use crate::Error;

/// An address that may be asked: HTTPS, or HTTP on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address(Uri);

impl Address {
    /// The host without the brackets of an IPv6 address.
    pub fn host(&self) -> &str {
        self.0.host().unwrap_or_default().trim_matches(['[', ']'])
    }

    pub fn port(&self) -> u16 {
        self.0.port_u16().unwrap_or(if self.is_secure() { 443 } else { 80 })
    }

    pub fn is_secure(&self) -> bool {
        self.0.scheme_str() == Some("https")
    }

    /// What stands in `Host`.
    pub(crate) fn authority(&self) -> &str {
        self.0.authority().map_or("", |authority| authority.as_str())
    }

    pub(crate) fn target(&self) -> &str {
        self.0.path_and_query().map_or("/", |target| target.as_str())
    }
}

impl FromStr for Address {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let uri: Uri = text.parse().map_err(|_| Error::NotUrl)?;
        // Whoever needs to tell a server who asks does so in a header.
        if uri.authority().is_some_and(|authority| authority.as_str().contains('@')) {
            return Err(Error::NotUrl);
        }
        match uri.scheme_str() {
            Some("https") => Ok(Self(uri)),
            Some("http") if is_loopback(&uri) => Ok(Self(uri)),
            Some("http") => Err(Error::Clear),
            _ => Err(Error::Scheme),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// Whether an address leads to this machine whatever a resolver says.
fn is_loopback(uri: &Uri) -> bool {
    let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
    host.eq_ignore_ascii_case("localhost") || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_machines_are_asked_over_tls_only() {
        check("https://keys.example.org/jwks?a=b", Ok(443));
        check("https://keys.example.org:8443", Ok(8443));
        check("http://127.0.0.1:9/x", Ok(9));
        check("http://[::1]/", Ok(80));
        check("http://LOCALHOST:9", Ok(9));
        check("http://keys.example.org", Err(Error::Clear));
        check("http://localhost.example.org", Err(Error::Clear));
        check("http://127.0.0.1@keys.example.org/", Err(Error::NotUrl));
        check("https://me:secret@keys.example.org/", Err(Error::NotUrl));
        check("ftp://127.0.0.1/", Err(Error::Scheme));
        check("file:///etc/passwd", Err(Error::NotUrl));
        check("/jwks", Err(Error::Scheme));
        check("not a url", Err(Error::NotUrl));
    }

    #[track_caller]
    fn check(text: &str, expected: Result<u16, Error>) {
        assert_eq!(text.parse::<Address>().map(|address| address.port()), expected, "{text}");
    }
}
