//! Outbound: HTTP requests to servers that an operator named.
//!
//! An [`Address`] is HTTPS, or HTTP on this machine. A [`Client`] makes one exchange over a connection of its own, within a
//! deadline and a size, and follows no redirect: a named server cannot send us to another one. Start with
//! [`Client::exchange`].
//!
//! Invariants:
//! * nothing leaves this machine in the clear;
//! * no [`Error`] carries what was sent or received.

mod address;
mod tls;
mod wire;

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Method, StatusCode};

pub use address::Address;

use tls::Tls;

/// Why there is no answer. The texts go on from the name of the server that was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error("is not a URL")]
    NotUrl,
    #[error("is not an http or https URL")]
    Scheme,
    #[error("is plain http to another machine; give an https address, or one on 127.0.0.1, [::1] or localhost")]
    Clear,
    #[error("cannot be trusted: the file of certificate authorities cannot be read")]
    AuthoritiesUnread,
    #[error("cannot be trusted: no certificate authority is known; name a file of them")]
    NoAuthorities,
    #[error("does not speak TLS, or its certificate is not trusted")]
    Untrusted,
    #[error("cannot be reached")]
    Unreachable,
    #[error("was asked with something that is no header")]
    Header,
    #[error("answered with something that broke off or is too long")]
    Cut,
    #[error("did not answer in time")]
    Timeout,
}

/// What is sent.
#[derive(Debug, Clone)]
pub struct Request {
    pub method: Method,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl Request {
    pub fn get() -> Self {
        Self { method: Method::GET, headers: HeaderMap::new(), body: Bytes::new() }
    }

    pub fn post(media: &'static str, body: impl Into<Bytes>) -> Self {
        let mut headers = HeaderMap::new();
        headers.insert(http::header::CONTENT_TYPE, http::HeaderValue::from_static(media));
        Self { method: Method::POST, headers, body: body.into() }
    }
}

/// How much a server may take of our time and memory.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// For the whole exchange, from the first packet to the last byte.
    pub timeout: Duration,
    pub body_bytes_max: usize,
}

/// What came back. Any status is an answer, a redirect too.
#[derive(Debug, Clone)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Bytes,
}

/// Makes exchanges. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Client {
    authorities: Option<PathBuf>,
    /// Read when the first address needs it: the authorities of a system are many.
    tls: Arc<OnceLock<Result<Tls, Error>>>,
}

impl Client {
    /// Trusts the authorities in a PEM file, or those of the system.
    pub fn new(authorities: Option<PathBuf>) -> Self {
        Self { authorities, tls: Arc::default() }
    }

    /// Finds out early whether what is needed to trust this address is there.
    pub fn prepare(&self, address: &Address) -> Result<(), Error> {
        self.tls_for(address).map(drop)
    }

    /// Sends one request and reads the whole answer.
    pub async fn exchange(&self, address: &Address, request: Request, bounds: Bounds) -> Result<Answer, Error> {
        let tls = self.tls_for(address)?;
        let exchange = wire::exchange(address, tls, request, bounds.body_bytes_max);
        tokio::time::timeout(bounds.timeout, exchange).await.unwrap_or(Err(Error::Timeout))
    }

    fn tls_for(&self, address: &Address) -> Result<Option<&Tls>, Error> {
        if !address.is_secure() {
            return Ok(None);
        }
        let tls = self.tls.get_or_init(|| Tls::new(self.authorities.as_deref()));
        tls.as_ref().map(Some).map_err(|error| *error)
    }
}
