//! TLS of a listener: one certificate, read again when its files change.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, SystemTime};

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::{ClientHello, ResolvesServerCert};
use tokio_rustls::rustls::sign::CertifiedKey;
use tokio_rustls::rustls::{self, ServerConfig};
use tokio_util::sync::CancellationToken;

/// How often the files are looked at.
const LOOK_AGAIN: Duration = Duration::from_secs(5);

/// Why there is no TLS.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    #[error("{path} cannot be read as certificates in PEM form; give the chain, the server's own first")]
    Certificate { path: PathBuf },
    #[error("{path} cannot be read as a private key in PEM form")]
    Key { path: PathBuf },
    #[error(
        "the key in {key} is not that of the certificate in {certificate}, or of a kind that is not supported: {cause}"
    )]
    Mismatch { certificate: PathBuf, key: PathBuf, cause: rustls::Error },
}

/// A certificate and its key, as files that may be replaced.
#[derive(Clone)]
pub struct Tls {
    certificate: PathBuf,
    key: PathBuf,
    current: Arc<Current>,
    config: Arc<ServerConfig>,
}

impl Tls {
    /// Reads a chain of certificates and the key of its first.
    pub fn open(certificate: &Path, key: &Path) -> Result<Self, TlsError> {
        let seen = [certificate, key].map(changed);
        let known = Known { pair: read(certificate, key)?, seen };
        let current = Arc::new(Current(RwLock::new(known)));
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("ring has the cipher suites of both versions")
            .with_no_client_auth()
            .with_cert_resolver(current.clone());
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self { certificate: certificate.to_owned(), key: key.to_owned(), current, config: Arc::new(config) })
    }

    pub(super) fn acceptor(&self) -> TlsAcceptor {
        TlsAcceptor::from(self.config.clone())
    }

    /// Reads the files again if they have changed. True when new connections get another certificate from now on; on an
    /// error they get the one they had.
    pub fn refresh(&self) -> Result<bool, TlsError> {
        let seen = [self.certificate.as_path(), &self.key].map(changed);
        if seen == self.current.0.read().unwrap_or_else(PoisonError::into_inner).seen {
            return Ok(false);
        }
        let pair = read(&self.certificate, &self.key);
        let mut known = self.current.0.write().unwrap_or_else(PoisonError::into_inner);
        // What was wrong is said once, until the files change again.
        known.seen = seen;
        known.pair = pair?;
        Ok(true)
    }

    /// Follows the files until the server stops.
    pub async fn follow(self, stop: CancellationToken) {
        loop {
            tokio::select! { () = tokio::time::sleep(LOOK_AGAIN) => {}, () = stop.cancelled() => return }
            match self.refresh() {
                Ok(true) => tracing::info!(certificate = %self.certificate.display(), "a new certificate is in use"),
                Ok(false) => {}
                Err(error) => tracing::error!(%error, "the new certificate is no good; the old one stays in use"),
            }
        }
    }
}

#[derive(Debug)]
struct Current(RwLock<Known>);

#[derive(Debug)]
struct Known {
    pair: Arc<CertifiedKey>,
    /// Which files it was read from.
    seen: [Option<(SystemTime, u64)>; 2],
}

impl ResolvesServerCert for Current {
    fn resolve(&self, _hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.0.read().unwrap_or_else(PoisonError::into_inner).pair.clone())
    }
}

fn changed(path: &Path) -> Option<(SystemTime, u64)> {
    let found = std::fs::metadata(path).ok()?;
    Some((found.modified().ok()?, found.len()))
}

fn read(certificate: &Path, key: &Path) -> Result<Arc<CertifiedKey>, TlsError> {
    let chain: Option<Vec<_>> =
        CertificateDer::pem_file_iter(certificate).ok().and_then(|found| found.collect::<Result<_, _>>().ok());
    let chain = chain.filter(|chain| !chain.is_empty());
    let chain = chain.ok_or_else(|| TlsError::Certificate { path: certificate.to_owned() })?;
    let private = PrivateKeyDer::from_pem_file(key).map_err(|_| TlsError::Key { path: key.to_owned() })?;
    let pair = CertifiedKey::from_der(chain, private, &ring::default_provider());
    let mismatch = |cause| TlsError::Mismatch { certificate: certificate.to_owned(), key: key.to_owned(), cause };
    Ok(Arc::new(pair.map_err(mismatch)?))
}

#[cfg(test)]
mod tests;
