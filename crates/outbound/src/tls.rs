//! TLS to a server: whom to trust, and the handshake.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use crate::Error;

/// Ready to open connections that only a trusted server can answer.
#[derive(Clone)]
pub struct Tls(TlsConnector);

impl Tls {
    /// Trusts the authorities in a PEM file, or those of the system.
    pub fn new(authorities: Option<&Path>) -> Result<Self, Error> {
        let known = match authorities {
            Some(file) => in_file(file).ok_or(Error::AuthoritiesUnread)?,
            None => rustls_native_certs::load_native_certs().certs,
        };
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(known);
        if roots.is_empty() {
            return Err(Error::NoAuthorities);
        }
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("ring has the cipher suites of both versions")
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Self(TlsConnector::from(Arc::new(config))))
    }

    pub async fn handshake(&self, host: &str, stream: TcpStream) -> Result<TlsStream<TcpStream>, Error> {
        let name = ServerName::try_from(host.to_owned()).map_err(|_| Error::Untrusted)?;
        self.0.connect(name, stream).await.map_err(|_| Error::Untrusted)
    }
}

impl fmt::Debug for Tls {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Tls")
    }
}

fn in_file(file: &Path) -> Option<Vec<CertificateDer<'static>>> {
    CertificateDer::pem_file_iter(file).ok()?.collect::<Result<_, _>>().ok()
}
