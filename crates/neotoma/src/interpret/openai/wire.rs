//! One HTTP exchange over a connection of its own.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};

use bytes::Bytes;
use http::{Method, Request, Uri, header};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

use super::super::Failure;
use super::failure;
use super::tls::Tls;

/// Where a model is. Without TLS it is asked in the clear.
pub struct Place<'a> {
    pub endpoint: &'a Uri,
    pub tls: Option<&'a Tls>,
}

/// Posts `request` and reads a JSON answer of at most `answer_bytes_max`. Redirects are not followed.
pub async fn post(
    Place { endpoint, tls }: Place<'_>,
    api_key: Option<&str>,
    request: &Value,
    answer_bytes_max: usize,
) -> Result<Value, Failure> {
    let host = endpoint.host().ok_or_else(unreachable)?.trim_matches(['[', ']']);
    let port = endpoint.port_u16().unwrap_or(if tls.is_some() { 443 } else { 80 });
    // What is sent in the clear stays on this machine, whatever a resolver makes of its name.
    let stream = match tls {
        None if host.eq_ignore_ascii_case("localhost") => {
            let here = [SocketAddr::from((Ipv4Addr::LOCALHOST, port)), SocketAddr::from((Ipv6Addr::LOCALHOST, port))];
            TcpStream::connect(&here[..]).await
        }
        _ => TcpStream::connect((host, port)).await,
    };
    let stream = stream.map_err(|_| unreachable())?;
    let request = message(endpoint, api_key, request).ok_or_else(|| failure("the key of the model is not a header"))?;
    match tls {
        Some(tls) => converse(tls.handshake(host, stream).await?, request, answer_bytes_max).await,
        None => converse(stream, request, answer_bytes_max).await,
    }
}

async fn converse(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    request: Request<Full<Bytes>>,
    answer_bytes_max: usize,
) -> Result<Value, Failure> {
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.map_err(|_| unreachable())?;
    let exchange = async {
        let response = sender.send_request(request).await.map_err(|_| unreachable())?;
        if !response.status().is_success() {
            return Err(failure(&format!("the model answered with status {}", response.status().as_u16())));
        }
        let body = Limited::new(response.into_body(), answer_bytes_max).collect().await;
        let body = body.map_err(|_| failure("the model's answer broke off or is too long"))?.to_bytes();
        serde_json::from_slice(&body).map_err(|_| failure("the model's answer is not JSON"))
    };
    // The connection does its work while the exchange waits, and ends with it: nothing outlives a timeout.
    let mut exchange = std::pin::pin!(exchange);
    let mut connection = std::pin::pin!(connection);
    tokio::select! {
        biased;
        answer = &mut exchange => answer,
        // The connection may close right after the last byte; then the exchange has all it needs.
        _ = &mut connection => exchange.await,
    }
}

fn unreachable() -> Failure {
    failure("the model cannot be reached")
}

fn message(endpoint: &Uri, api_key: Option<&str>, body: &Value) -> Option<Request<Full<Bytes>>> {
    let mut request = Request::builder()
        .method(Method::POST)
        .uri(endpoint.path_and_query()?.as_str())
        .header(header::HOST, endpoint.authority()?.as_str())
        .header(header::CONTENT_TYPE, "application/json");
    if let Some(key) = api_key {
        request = request.header(header::AUTHORIZATION, format!("Bearer {key}"));
    }
    request.body(Full::new(Bytes::from(body.to_string()))).ok()
}
