use std::net::SocketAddr;

use axum::Router;
use axum::extract::Request;
use axum::routing::get;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use super::*;
use crate::config::Limits;
use crate::http::{Listening, Peer, serve_with};

/// Writes a fresh certificate and its key, and answers their paths and the certificate.
fn fresh(folder: &Path, name: &str) -> ([PathBuf; 2], CertificateDer<'static>) {
    let made = rcgen::generate_simple_self_signed(vec![name.to_owned()]).unwrap();
    let paths = [folder.join("certificate.pem"), folder.join("key.pem")];
    // A file that is replaced within the clock's resolution differs in its length at least.
    let padding = "\n".repeat(name.len());
    std::fs::write(&paths[0], made.cert.pem() + &padding).unwrap();
    std::fs::write(&paths[1], made.signing_key.serialize_pem() + &padding).unwrap();
    (paths, made.cert.der().clone())
}

fn shown(tls: &Tls) -> Vec<u8> {
    tls.current.0.read().unwrap().pair.cert[0].to_vec()
}

#[test]
fn a_certificate_that_was_replaced_is_used_and_a_bad_one_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let ([certificate, key], first) = fresh(folder.path(), "one.example");
    let tls = Tls::open(&certificate, &key).unwrap();
    assert_eq!(shown(&tls), first.to_vec());
    assert!(!tls.refresh().unwrap());
    let (_, second) = fresh(folder.path(), "another.example");
    assert!(tls.refresh().unwrap());
    assert_eq!(shown(&tls), second.to_vec());
    std::fs::write(&certificate, "not a certificate").unwrap();
    assert!(tls.refresh().unwrap_err().to_string().contains("certificate.pem cannot be read as certificates"));
    assert_eq!(shown(&tls), second.to_vec());
    assert!(!tls.refresh().unwrap());
}

#[test]
fn what_does_not_fit_is_named() {
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let ([certificate, _], _) = fresh(one.path(), "one.example");
    let ([_, key], _) = fresh(other.path(), "other.example");
    let refused = |certificate: &Path, key: &Path| Tls::open(certificate, key).err().unwrap().to_string();
    assert!(refused(&certificate, &key).contains("is not that of the certificate"));
    assert!(refused(&certificate, &certificate).contains("certificate.pem cannot be read as a private key"));
    assert!(refused(&key, &key).contains("key.pem cannot be read as certificates"));
}

/// A site that says how a request came.
async fn site(tls: Tls, stop: CancellationToken) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let says = |request: Request| async move {
        let peer: Peer = *request.extensions().get().unwrap();
        format!("tls {}", peer.is_tls)
    };
    let router = Router::new().route("/health", get(says)).route("/call", get(says));
    let listening = Listening { tls: Some(tls), ..Listening::default() };
    tokio::spawn(async move { serve_with(listener, router, &Limits::default(), listening, stop).await });
    address
}

/// The answer to one request, over TLS when a certificate is trusted.
async fn ask(address: SocketAddr, path: &str, trusted: Option<&CertificateDer<'static>>) -> Option<String> {
    let stream = TcpStream::connect(address).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    let mut answer = String::new();
    let Some(trusted) = trusted else {
        let mut stream = stream;
        stream.write_all(request.as_bytes()).await.unwrap();
        stream.read_to_string(&mut answer).await.unwrap();
        return Some(answer);
    };
    let mut roots = RootCertStore::empty();
    roots.add(trusted.clone()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from("mcp.example").unwrap();
    let mut stream = TlsConnector::from(Arc::new(config)).connect(name, stream).await.ok()?;
    stream.write_all(request.as_bytes()).await.unwrap();
    // Some servers end without a farewell, and so does this one.
    let _ = stream.read_to_string(&mut answer).await;
    Some(answer)
}

#[tokio::test]
async fn callers_come_over_tls_and_probes_also_in_the_clear() {
    let folder = tempfile::tempdir().unwrap();
    let ([certificate, key], trusted) = fresh(folder.path(), "mcp.example");
    let tls = Tls::open(&certificate, &key).unwrap();
    let stop = CancellationToken::new();
    let address = site(tls.clone(), stop.clone()).await;
    assert!(ask(address, "/call", Some(&trusted)).await.unwrap().ends_with("tls true"));
    assert!(ask(address, "/health", Some(&trusted)).await.unwrap().ends_with("tls true"));
    assert!(ask(address, "/health", None).await.unwrap().ends_with("tls false"));
    // What to do about the others is for the site to say, which knows that they came in the clear.
    assert!(ask(address, "/call", None).await.unwrap().ends_with("tls false"));
    // Whoever trusts the new certificate only is served once it is there.
    let made =
        rcgen::generate_simple_self_signed(vec!["mcp.example".to_owned(), "another.example".to_owned()]).unwrap();
    std::fs::write(&certificate, made.cert.pem()).unwrap();
    std::fs::write(&key, made.signing_key.serialize_pem()).unwrap();
    assert!(ask(address, "/call", Some(made.cert.der())).await.is_none());
    assert!(tls.refresh().unwrap());
    assert!(ask(address, "/call", Some(made.cert.der())).await.unwrap().ends_with("tls true"));
    assert!(ask(address, "/call", Some(&trusted)).await.is_none());
    stop.cancel();
}
